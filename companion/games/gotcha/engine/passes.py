"""Sums over the orders in which hidden hands can take the unseen cards.

The state is the number of cards that each hidden hand holds so far. In rising order, each card
stays out or becomes the next position of one hand. For each state before the k-th card there is a
number of ways to reach it from the start and a number of ways to complete it to the end; their
product, summed over the states, is the number of worlds for every k. That number is exact: both
factors are taken at the middle card, where they are still small. Beyond the middle they are needed
only for the chances, and are rounded.

A position has a rank if the hand holds fewer cards than the position before the cards of the rank,
and at least that many after them. So it is enough to count worlds by the number of cards that a
hand holds between two ranks: the chances are differences of their sums from either end. If a
difference is lost in rounding, its worlds are counted exactly: all minus those without the cell.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from operator import itemgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Box = tuple[slice, ...]
Ranges = list[tuple[int, int]]

#: A hand, a rank and a position from 0.
Cell = tuple[int, int, int]

#: Bits of a limb of an exact product. A state at the middle is reached or completed in at most
#: 26! / (4!**4 · 5!**2) < 2**57 ways: 26 of 52 cards fall to at most five hands and to those that
#: stay out, and even shares have the most ways. So three limbs suffice, and the sum of many
#: products of limbs is below 2**63.
_LIMB, _LIMBS = 19, 3

#: Number of products that are summed at a time, so that little memory is needed.
_PIECE = 1 << 13

#: A difference that is less than this share of what it is taken from is lost in rounding. Sums of
#: all ways through 52 cards are rounded by less than 1e-13.
_LOST = 1e-6


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


def sum_of_products(one: Array, other: Array) -> int:
    """The exact sum of the products of whole numbers from 0 to 2**57 - 1.

    Args:
        one: int64.
        other: int64, of the same shape.
    """
    mask = (1 << _LIMB) - 1
    ones, others = one.ravel(), other.ravel()
    total = 0
    for start in range(0, ones.size, _PIECE):
        lows, highs = (
            [values[start : start + _PIECE] >> _LIMB * limb & mask for limb in range(_LIMBS)]
            for values in (ones, others)
        )
        for a, low in enumerate(lows):
            for b, high in enumerate(highs):
                total += int(np.dot(low, high)) << _LIMB * (a + b)
    return total


class Passes(ABC):
    """The sums of a problem: `count` first, then `marginals` if there is a world.

    How states are laid out in arrays is left to subclasses.

    Args:
        problem: what is counted.
        shape: of an array of all states.

    Attributes:
        problem: what is counted.
        middle: the index of the card at which the number of worlds is taken.
        ends: for each rank, and after the last one, how many cards are smaller.
        buffers: three arrays of all states.
        low: the ways to reach the states before the middle card, exact.
        high: the ways to complete them, exact.
        saved: before the first card of each rank, the ways to reach the states, or those to
            complete them where fewer; rounded.
    """

    def __init__(self, problem: GotchaProblem, shape: tuple[int, ...]) -> None:
        self.problem = problem
        self.shape = shape
        self.middle = len(problem.cards) // 2
        ranks = range(1, len(problem.allowed[0]) + 1)
        self.ends = [bisect_left(problem.cards, rank, key=itemgetter(0)) for rank in ranks]
        self.buffers: Sequence[Array] = ()
        self.low: Array = np.zeros(0, np.int64)
        self.high: Array = np.zeros(0, np.int64)
        self.saved: dict[int, Array] = {}

    def given(self, hand: int, position: int, rank: int) -> Self:
        """The same problem with a rank fixed at a position (1 the smallest) of a hand."""
        rows = self.problem.allowed[hand].copy()
        rows[:, position - 1] &= np.arange(len(rows)) == rank
        return self._limited(
            (*self.problem.allowed[:hand], rows, *self.problem.allowed[hand + 1 :])
        )

    def _limited(self, allowed: tuple[npt.NDArray[np.bool_], ...]) -> Self:
        """The same problem with fewer ranks at some positions."""
        changed = object.__new__(type(self))
        changed.__dict__ |= self.__dict__
        changed.problem = replace(self.problem, allowed=allowed)
        return changed

    @abstractmethod
    def _ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The places of the states before the first card and after the last one."""

    @abstractmethod
    def _part(self, values: Array, at: int) -> Array:
        """The values of the states that are possible before a card."""

    @abstractmethod
    def _rise(self, at: int, before: Array, after: Array) -> None:
        """Fills in the ways to reach the states after a card from those before it."""

    @abstractmethod
    def _sink(self, at: int, after: Array, before: Array) -> None:
        """Fills in the ways to complete the states before a card from those after it."""

    @abstractmethod
    def _by_held(self, worlds: Array, at: int) -> list[Array]:
        """For each hand the sums of worlds by how many cards, from 0, it holds before a card.

        Args:
            worlds: of the states that are possible before the card.
            at: the card's index.
        """

    def count(self) -> int:
        """The exact number of worlds."""
        first, last = self._ends()
        self._make_room()
        before, after, _ = self.buffers
        before[first] = 1
        for at in range(self.middle):
            self._save(before, at)
            self._rise(at, before, after)
            before, after = after, before
        self.low[...] = self._part(before, self.middle)
        after[...] = 0
        after[last] = 1
        for at in range(len(self.problem.cards) - 1, self.middle - 1, -1):
            self._save(after, at + 1)
            self._sink(at, after, before)
            before, after = after, before
        self.high[...] = self._part(after, self.middle)
        return sum_of_products(self.low, self.high)

    def _make_room(self) -> None:
        """All buffers share one allocation: many separate ones would be slow."""
        size = prod(self.shape)
        every = np.broadcast_to(np.int64(0), self.shape)
        shapes = [self._part(every, at).shape for at in (self.middle, self.middle, *self.ends)]
        room = np.zeros(3 * size + sum(map(prod, shapes)), np.int64)
        self.buffers = tuple(room[: 3 * size].reshape(3, *self.shape))
        room = room[3 * size :]
        parts = []
        for shape in shapes:
            parts.append(room[: prod(shape)].reshape(shape))
            room = room[prod(shape) :]
        self.low, self.high, *kept = parts
        self.saved = {at: part.view(np.float64) for at, part in zip(self.ends, kept, strict=True)}

    def _save(self, values: Array, at: int) -> None:
        if at in self.saved:
            self.saved[at][...] = self._part(values, at)

    def _worlds(self) -> dict[int, list[Array]]:
        """Before the first card of each rank, for each hand: worlds by how many cards it holds."""
        found = {}
        middle, count = self.middle, len(self.problem.cards)
        before, after = (values.view(np.float64) for values in self.buffers[:2])
        if middle in self.saved:
            found[middle] = self._by_held(self.low * self.high.astype(np.float64), middle)
        after[...] = 0
        self._part(after, middle)[...] = self.high
        for at in range(middle - 1, -1, -1):
            self._sink(at, after, before)
            before, after = after, before
            if at in self.saved:
                self.saved[at] *= self._part(after, at)
                found[at] = self._by_held(self.saved[at], at)
        before[...] = 0
        self._part(before, middle)[...] = self.low
        for at in range(middle + 1, count + 1):
            self._rise(at - 1, before, after)
            before, after = after, before
            if at in self.saved:
                self.saved[at] *= self._part(before, at)
                found[at] = self._by_held(self.saved[at], at)
        return found

    def marginals(self) -> list[Array]:
        """For each hand, shape (ranks + 1, kept): worlds with the rank at the position.

        To be called once, after `count`.
        """
        total = sum_of_products(self.low, self.high)
        worlds = self._worlds()
        found = []
        lost: list[Cell] = []
        for hand in range(len(self.problem.kept)):
            by_held = np.array([worlds[at][hand] for at in self.ends])
            table, doubtful = _differences(by_held, hand_ranks(self.problem, hand))
            found.append(table)
            lost += [(hand, rank, held) for rank, held in np.argwhere(doubtful).tolist()]
        for (hand, rank, held), number in self._counted(lost, total):
            found[hand][rank, held] = number
        return found

    def _counted(self, cells: Sequence[Cell], total: int) -> Iterator[tuple[Cell, int]]:
        """The exact worlds of cells; cells without a world, which most are, are left out.

        Args:
            cells: hands, ranks and positions from 0.
            total: the number of all worlds.
        """
        if not cells:
            return
        number = total - self._without(cells).count()
        if number and len(cells) == 1:
            yield cells[0], number
        elif number:
            half = len(cells) // 2
            yield from self._counted(cells[:half], total)
            yield from self._counted(cells[half:], total)

    def _without(self, cells: Sequence[Cell]) -> Self:
        """The same problem with the ranks of these cells forbidden."""
        allowed = [rows.copy() for rows in self.problem.allowed]
        for hand, rank, held in cells:
            allowed[hand][rank, held] = False
        return self._limited(tuple(allowed))


def _differences(worlds: Array, possible: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Worlds by the rank at each position of a hand.

    Args:
        worlds: shape (ranks + 1, kept + 1): before each rank from 1, and after the last one, worlds
            by how many cards the hand holds.
        possible: shape (ranks + 1, kept): where there may be a world at all.

    Returns:
        The worlds, and where their number is lost in rounding.
    """
    # `fewer`: worlds with at most a number of cards before a rank; `more`: with more than that.
    fewer = np.cumsum(worlds, axis=1)[:, :-1]
    more = np.cumsum(worlds[:, ::-1], axis=1)[:, -2::-1]
    below, above = fewer[:-1], more[1:]
    table = np.zeros(possible.shape)
    small = np.zeros(possible.shape)
    table[1:] = np.where(below < above, below - fewer[1:], above - more[:-1])
    small[1:] = np.minimum(below, above)
    lost = possible & (table < _LOST * small)
    table[~possible | lost] = 0
    return table, lost
