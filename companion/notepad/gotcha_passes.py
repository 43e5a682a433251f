"""Sums over the orders in which hidden hands can take the unseen cards.

The state is how many cards each hidden hand holds so far. Going through the cards in rising order,
a card stays out, or becomes the next position of one hand. A state of the k-th card is reached in
so many ways from the start and completed in so many ways to the end; their product, summed over
the states, is the number of worlds, whatever k is. That number is exact: both factors are taken at
the middle card, where they are still small. Beyond the middle, where they are needed for the
chances alone, they are rounded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Box = tuple[slice, ...]
Ranges = list[tuple[int, int]]

#: Bits of a limb of an exact product. A state at the middle is reached or completed in at most
#: 26! / (4!**4 · 5!**2) < 2**57 ways: 26 of 52 cards fall to at most five hands and to those that
#: stay out, and even shares have the most ways. So three limbs do, and the sum of 2**25 products of
#: limbs is below 2**63.
_LIMB, _LIMBS = 19, 3


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


def sum_of_products(one: Array, other: Array) -> int:
    """The exact sum of the products of whole numbers from 0 to 2**57 - 1.

    Args:
        one: int64.
        other: int64, of the same shape.
    """
    mask = (1 << _LIMB) - 1
    ones, others = (
        [(values.ravel() >> _LIMB * limb) & mask for limb in range(_LIMBS)]
        for values in (one, other)
    )
    return sum(
        int(np.dot(low, high)) << _LIMB * (a + b)
        for a, low in enumerate(ones)
        for b, high in enumerate(others)
    )


class Passes(ABC):
    """The sums of a problem: `count` first, then `marginals` if there is a world.

    How states are laid out in arrays is left to those that derive from it.
    """

    def __init__(self, problem: GotchaProblem) -> None:
        self.problem = problem
        self.allowed = problem.allowed
        self.middle = len(problem.cards) // 2
        #: At the middle the ways to reach and to complete states, exact; elsewhere the smaller.
        self.low: Array = np.zeros(0, np.int64)
        self.high: Array = np.zeros(0, np.int64)
        self.saved: list[Array] = []
        self.found: list[Array] = []

    def given(self, hand: int, position: int, rank: int) -> Self:
        """The same problem with a rank fixed at a position (1 the smallest) of a hand."""
        changed = object.__new__(type(self))
        changed.__dict__ |= self.__dict__
        rows = self.allowed[hand].copy()
        rows[:, position - 1] &= np.arange(len(rows)) == rank
        changed.allowed = (*self.allowed[:hand], rows, *self.allowed[hand + 1 :])
        return changed

    @abstractmethod
    def _blanks(self, number: int) -> Array:
        """So many arrays of whole numbers for all states, all 0, along the first axis."""

    @abstractmethod
    def _ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The places of the states before the first card and after the last one."""

    @abstractmethod
    def _part(self, values: Array, at: int) -> Array:
        """The values of the states that are possible before a card."""

    @abstractmethod
    def _rise(self, at: int, before: Array, after: Array, downs: Array | None = None) -> None:
        """From the ways to reach the states before a card to those after it.

        Args:
            at: the card's index.
            before: the ways to reach the states before it.
            after: filled with those after it.
            downs: the ways to complete the possible states after it; if given, the worlds in which
                a hand takes the card are added to `found`.
        """

    @abstractmethod
    def _sink(self, at: int, after: Array, before: Array, ups: Array | None = None) -> None:
        """From the ways to complete the states after a card to those before it.

        Args:
            at: the card's index.
            after: the ways to complete the states after it.
            before: filled with those before it.
            ups: the ways to reach the possible states before it; if given, the worlds in which a
                hand takes the card are added to `found`.
        """

    def count(self) -> int:
        """The exact number of worlds."""
        first, last = self._ends()
        before, after = self._blanks(2)
        steps = range(len(self.problem.cards) + 1)
        # One piece of memory: the system takes long to hand out and take back many.
        room = np.empty(sum(self._part(before, at).size for at in steps))
        saved: list[Array] = []
        for at in steps:
            values = self._part(before, at)
            saved.append(room[: values.size].reshape(values.shape))
            room = room[values.size :]
        before[first] = 1
        for at in range(self.middle):
            saved[at][...] = self._part(before, at)
            self._rise(at, before, after)
            before, after = after, before
        self.low = self._part(before, self.middle).copy()
        after[...] = 0
        after[last] = 1
        for at in range(len(self.problem.cards) - 1, self.middle - 1, -1):
            saved[at + 1][...] = self._part(after, at + 1)
            self._sink(at, after, before)
            before, after = after, before
        self.high = self._part(after, self.middle).copy()
        self.saved = saved
        return sum_of_products(self.low, self.high)

    def marginals(self) -> list[Array]:
        """For each hand, shape (ranks + 1, kept): worlds with the rank at the position."""
        self.found = [np.zeros(rows.shape) for rows in self.allowed]
        before, after = self._blanks(2).view(np.float64)
        self._part(after, self.middle)[...] = self.high
        for at in range(self.middle - 1, -1, -1):
            self._sink(at, after, before, self.saved[at])
            before, after = after, before
        before[...] = 0
        self._part(before, self.middle)[...] = self.low
        for at in range(self.middle, len(self.problem.cards)):
            self._rise(at, before, after, self.saved[at + 1])
            before, after = after, before
        return self.found


@dataclass(frozen=True, slots=True)
class _Move:
    """What can happen to a card: the hand that takes it (-1: none), and the states affected."""

    hand: int
    source: Box
    target: Box
    span: slice
    shape: tuple[int, ...]


class BoxPasses(Passes):
    """The sums over the box of states that every hand can reach and complete.

    States are an array with an axis of size kept + 1 for each hand.
    """

    def __init__(self, problem: GotchaProblem, ranges: Sequence[Ranges] | None = None) -> None:
        super().__init__(problem)
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
        spans: list[list[tuple[slice, slice]]] = [[], []]
        for (low, high), (least, most) in ((hand[at], hand[at + 1]) for hand in ranges):
            for shift in (0, 1):
                first = max(low, least - shift)
                last = max(first, min(high, most - shift))
                spans[shift].append((slice(first, last), slice(first + shift, last + shift)))
        stay = spans[0]
        if owner < 0:
            source, target = zip(*stay, strict=True)
            yield _Move(-1, source, target, slice(0), ())
        for hand in range(len(self.shape)) if owner < 0 else (owner,):
            span = spans[1][hand][0]
            if self.allowed[hand][rank][span].any():
                source, target = zip(*stay[:hand], spans[1][hand], *stay[hand + 1 :], strict=True)
                shape = tuple(-1 if axis == hand else 1 for axis in range(len(self.shape)))
                yield _Move(hand, source, target, span, shape)

    def _blanks(self, number: int) -> Array:
        return np.zeros((number, *self.shape), np.int64)

    def _ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (0,) * len(self.shape), self.problem.kept

    def _part(self, values: Array, at: int) -> Array:
        return values[self.boxes[at]]

    def _inside(self, box: Box, at: int) -> Box:
        """A box as it lies in that of all possible states before a card."""
        return tuple(
            slice(part.start - whole.start, part.stop - whole.start)
            for part, whole in zip(box, self.boxes[at], strict=True)
        )

    def _taken(self, values: Array, at: int, move: _Move) -> Array:
        """The values of the states from or to which the move of the at-th card is allowed."""
        if move.hand < 0:
            return values
        row = self.allowed[move.hand][self.problem.cards[at][0], move.span]
        return values if row.all() else values * row.reshape(move.shape)

    def _rise(self, at: int, before: Array, after: Array, downs: Array | None = None) -> None:
        after[self.boxes[at + 1]] = 0
        for move in self.moves[at]:
            taken = self._taken(before[move.source], at, move)
            after[move.target] += taken
            if downs is not None:
                self._note(at, move, taken, downs[self._inside(move.target, at + 1)])

    def _sink(self, at: int, after: Array, before: Array, ups: Array | None = None) -> None:
        before[self.boxes[at]] = 0
        for move in self.moves[at]:
            taken = self._taken(after[move.target], at, move)
            before[move.source] += taken
            if ups is not None:
                self._note(at, move, taken, ups[self._inside(move.source, at)])

    def _note(self, at: int, move: _Move, taken: Array, others: Array) -> None:
        """Adds the worlds of a move to those of the rank at the positions it can take."""
        if move.hand >= 0:
            letters = "abcdefgh"[: len(self.shape)]
            worlds = np.einsum(f"{letters},{letters}->{letters[move.hand]}", taken, others)
            self.found[move.hand][self.problem.cards[at][0], move.span] += worlds
