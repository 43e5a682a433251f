"""Sums over the orders in which hidden hands can take the unseen cards.

The state is how many cards each hidden hand holds so far: an array with an axis of size kept + 1
for each hand. Going through the cards in rising order, a card stays out, or becomes the next
position of one hand. Only the box of states that every hand can reach and complete is touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Box = tuple[slice, ...]
Ranges = list[tuple[int, int]]

#: Bits of the lower limb of an exact number.
_LIMB = 60

#: Six numbers below this add up to less than 2**63.
FULL = 1 << _LIMB


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


@dataclass(frozen=True, slots=True)
class _Move:
    """What can happen to a card: the hand that takes it (-1: none), and the states affected."""

    hand: int
    source: Box
    target: Box
    span: slice
    shape: tuple[int, ...]


def hand_ranges(problem: GotchaProblem, hand: int) -> Ranges:
    """Before each card and at the end: how many cards a hand can hold, apart from others.

    Args:
        problem: the problem.
        hand: the hand's index.

    Returns:
        The least number and one more than the greatest; (0, 0) where there is none.
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
    found = []
    for up, down in zip(ups, reversed(downs), strict=True):
        both = up & down
        found.append(((both & -both).bit_length() - 1, both.bit_length()) if both else (0, 0))
    return found


def carry(limbs: Array) -> None:
    """Brings the low limbs of sums back under 2**60, in place.

    Numbers are two 64-bit limbs, low first along the last axis. A state is reached in at most
    52! / (9!**4 · 8!**2) < 2**122 ways: 52 cards fall to at most five hands and to those that stay
    out, and even shares have the most ways. The high limb thus stays below 2**62, and the low ones
    of up to six moves add up to less than 2**63.
    """
    low, high = limbs[..., 0], limbs[..., 1]
    high += low >> _LIMB
    low &= FULL - 1


def as_float(limbs: Array) -> Array:
    """Numbers of two limbs, rounded."""
    found: Array = limbs[..., 1] * float(FULL)
    found += limbs[..., 0]
    return found


def as_integer(limbs: Array) -> int:
    """A number of two limbs."""
    low, high = limbs.tolist()
    return int(low) + (int(high) << _LIMB)


class Passes:
    """The upward and downward sums of a problem."""

    def __init__(self, problem: GotchaProblem, ranges: Sequence[Ranges] | None = None) -> None:
        self.problem = problem
        self.allowed = problem.allowed
        self.shape = tuple(size + 1 for size in problem.kept)
        if ranges is None:
            ranges = [hand_ranges(problem, hand) for hand in range(len(self.shape))]
        self.boxes = [
            tuple(slice(low, high) for low, high in card) for card in zip(*ranges, strict=True)
        ]
        self.moves = [list(self._moves(at, ranges)) for at in range(len(problem.cards))]

    def _moves(self, at: int, ranges: Sequence[Ranges]) -> Iterator[_Move]:
        """The moves of one card between the boxes before and after it."""
        rank, owner = self.problem.cards[at]
        hands = range(len(self.shape))
        for hand in (*([-1] if owner < 0 else []), *(hands if owner < 0 else (owner,))):
            source, target = [], []
            for axis in hands:
                shift = axis == hand
                low = max(ranges[axis][at][0], ranges[axis][at + 1][0] - shift)
                high = min(ranges[axis][at][1], ranges[axis][at + 1][1] - shift)
                source.append(slice(low, max(low, high)))
                target.append(slice(low + shift, max(low, high) + shift))
            if hand < 0:
                yield _Move(hand, tuple(source), tuple(target), slice(0), ())
            elif self.allowed[hand][rank][source[hand]].any():
                shape = tuple(-1 if axis == hand else 1 for axis in hands)
                yield _Move(hand, tuple(source), tuple(target), source[hand], shape)

    def given(self, hand: int, position: int, rank: int) -> Passes:
        """The same problem with a rank fixed at a position (1 the smallest) of a hand."""
        changed = object.__new__(Passes)
        changed.problem, changed.shape, changed.moves = self.problem, self.shape, self.moves
        changed.boxes = self.boxes
        rows = self.allowed[hand].copy()
        rows[:, position - 1] &= np.arange(len(rows)) == rank
        changed.allowed = (*self.allowed[:hand], rows, *self.allowed[hand + 1 :])
        return changed

    def _taken(self, values: Array, at: int, move: _Move) -> Array:
        """The values of the states from or to which the move of the at-th card is allowed."""
        if move.hand < 0:
            return values
        rank = self.problem.cards[at][0]
        row = self.allowed[move.hand][rank, move.span]
        limbs = (1,) * (values.ndim - len(self.shape))
        return values if row.all() else values * row.reshape(move.shape + limbs)

    def rise(self) -> tuple[int, list[Array]]:
        """The exact number of worlds, and the ways to reach each state before the k-th card.

        The last entry is after all cards.
        """
        state: Array = np.zeros(self.shape, np.int64)
        state[(0,) * state.ndim] = 1
        states = [state.astype(np.float64)]
        for at, moves in enumerate(self.moves):
            wide = state.ndim > len(self.shape)
            if not wide and states[-1][self.boxes[at]].max(initial=0) >= FULL:
                state, wide = np.stack([state & (FULL - 1), state >> _LIMB], axis=-1), True
            after = np.zeros(state.shape, np.int64)
            for move in moves:
                after[move.target] += self._taken(state[move.source], at, move)
            box = self.boxes[at + 1]
            if wide:
                carry(after[box])
            state = after
            states.append(np.zeros(self.shape))
            states[-1][box] = as_float(state[box]) if wide else state[box]
        last = state[self.problem.kept]
        return as_integer(last) if last.ndim else int(last), states

    def marginals(self, ups: list[Array]) -> list[Array]:
        """For each hand, shape (ranks + 1, kept): worlds with the rank at the position.

        Goes down through the cards, counting the ways to complete the hands from each state.
        """
        found: list[Array] = [np.zeros(rows.shape) for rows in self.problem.allowed]
        letters = "abcdefgh"[: len(self.shape)]
        after: Array = np.zeros(self.shape)
        after[self.problem.kept] = 1
        for at in range(len(self.moves) - 1, -1, -1):
            rank = self.problem.cards[at][0]
            before = np.zeros(self.shape)
            for move in self.moves[at]:
                before[move.source] += self._taken(after[move.target], at, move)
                if move.hand < 0:
                    continue
                form = f"{letters},{letters}->{letters[move.hand]}"
                worlds = np.einsum(form, ups[at][move.source], after[move.target])
                allowed = self.allowed[move.hand][rank, move.span]
                found[move.hand][rank, move.span] += worlds * allowed
            after = before
        return found
