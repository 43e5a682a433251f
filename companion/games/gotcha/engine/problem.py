"""Gotcha as a counting problem: what each hand can hold by itself, and several together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Indices = npt.NDArray[np.intp]
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


# -- several hands together ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rows:
    """What hands of some sizes can hold, sorted by how many cards they hold together.

    Attributes:
        first: shape (sum of sizes + 2,): for each total number of cards, where its rows begin.
        together: how many they hold in each row.
        held: for each hand, how many cards it holds in each row.
        fewer: for each hand, the row in which it holds one card less; one past the end if it
            holds none.
        more: the same for one card more, and where it is complete.
    """

    first: tuple[int, ...]
    together: Indices
    held: tuple[Indices, ...]
    fewer: tuple[Indices, ...]
    more: tuple[Indices, ...]


@lru_cache(maxsize=8)
def rows_of(sizes: tuple[int, ...]) -> Rows:
    """The rows of hands of these sizes."""
    shape = tuple(size + 1 for size in sizes)
    count = prod(shape)
    digits = np.indices(shape).reshape(len(shape), count)
    sums = digits.sum(axis=0)
    order = np.argsort(sums, kind="stable")
    place = np.empty(count, np.intp)
    place[order] = np.arange(count)
    first = np.searchsorted(sums[order], np.arange(sum(sizes) + 2))
    held, fewer, more = [], [], []
    stride = count
    for hand, size in enumerate(sizes):
        stride //= size + 1
        digit = digits[hand][order]
        held.append(digit)
        fewer.append(np.where(digit > 0, place[np.maximum(order - stride, 0)], count))
        more.append(np.where(digit < size, place[np.minimum(order + stride, count - 1)], count))
    return Rows(tuple(first.tolist()), sums[order], tuple(held), tuple(fewer), tuple(more))


def shift(values: Array, gained: Array, *, rising: bool) -> None:
    """Fills rows with what lies one column before (or after) in those of other values.

    All rows are moved at once: what runs over into the next row is cleared.
    """
    if rising:
        gained.reshape(-1)[1:] = values.reshape(-1)[:-1]
        gained[:, 0] = 0
    else:
        gained.reshape(-1)[:-1] = values.reshape(-1)[1:]
        gained[:, -1] = 0
