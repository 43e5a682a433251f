"""Gotcha as a counting problem, and what each hand can hold as far as it goes by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ranges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class GotchaProblem:
    """A state ready for counting.

    Attributes:
        names: the hidden hands.
        kept: their sizes.
        cards: (rank, owner) of the cards not known to be out, in rising order; owner is -1 while
            unknown, else the index of the hand that holds it.
        allowed: for each hand, shape (ranks + 1, kept): whether a rank may stand at a position.
        possible: False when two facts contradict each other outright.
    """

    names: tuple[str, ...]
    kept: tuple[int, ...]
    cards: tuple[tuple[int, int], ...]
    allowed: tuple[npt.NDArray[np.bool_], ...]
    possible: bool


def _reached(problem: GotchaProblem, hand: int) -> tuple[list[int], list[int]]:
    """Before each card and at the end, for one hand by itself, as sets of bits.

    Returns:
        The numbers of cards that a hand can come to hold, and those that it can complete.
    """
    steps = [sum(1 << at for at in np.flatnonzero(row).tolist()) for row in problem.allowed[hand]]
    ups = [1]
    for rank, owner in problem.cards:
        taken = (ups[-1] & steps[rank]) << 1 if owner in (-1, hand) else 0
        ups.append(taken if owner == hand else taken | ups[-1])
    downs = [1 << problem.kept[hand]]
    for rank, owner in reversed(problem.cards):
        taken = downs[-1] >> 1 & steps[rank] if owner in (-1, hand) else 0
        downs.append(taken if owner == hand else taken | downs[-1])
    return ups, downs[::-1]


def hand_ranges(problem: GotchaProblem, hand: int) -> Ranges:
    """Before each card and at the end: how many cards a hand can hold by itself.

    Args:
        problem: the problem.
        hand: the hand's index.

    Returns:
        The least number and one more than the greatest; (0, 0) if there is none.
    """
    found = []
    for up, down in zip(*_reached(problem, hand), strict=True):
        both = up & down
        found.append(((both & -both).bit_length() - 1, both.bit_length()) if both else (0, 0))
    return found


def hand_ranks(problem: GotchaProblem, hand: int) -> npt.NDArray[np.bool_]:
    """Shape (ranks + 1, kept): whether a rank can stand at a position of a hand by itself."""
    allowed, kept = problem.allowed[hand], problem.kept[hand]
    found = np.zeros((len(allowed), kept), np.bool_)
    ups, downs = _reached(problem, hand)
    for at, (rank, owner) in enumerate(problem.cards):
        if owner in (-1, hand):
            taken = ups[at] & downs[at + 1] >> 1
            found[rank] |= [bool(taken >> held & 1) for held in range(kept)]
    return found & allowed
