"""Sums over the orders in which hidden hands can take the unseen cards.

The state is the number of cards that each hidden hand holds so far. In rising order, each card
stays out or becomes the next position of one hand. For each state before the k-th card there is a
number of ways to reach it from the start and a number of ways to complete it to the end; their
product, summed over the states, is the number of worlds for every k. That number is exact: both
factors are taken at the middle card, where they are still small. Beyond the middle they are needed
only for the chances, and are rounded.

The number of unseen cards is fixed, and so is the number of those that end in no hidden hand. So
before the k-th card, what one hand holds follows from the others: states are an array with a row
for what the other hands hold, and a column for the number of cards that stayed out. Rows are sorted
by the total number of cards they hold, so that those possible before a card are a slice. A card
that stays out, or falls to the hand without rows, leaves the row as it is; a card that falls to
another hand moves whole rows.

A position has a rank if the hand holds fewer cards than the position before the cards of the rank,
and at least that many after them. So it is enough to count worlds by the number of cards that a
hand holds between two ranks: the chances are differences of their sums from either end. If a
difference is lost in rounding, its worlds are counted exactly: all minus those without the cell.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from operator import itemgetter
from typing import Self

import numpy as np
import numpy.typing as npt

from companion.games.gotcha.engine.problem import (
    Array,
    GotchaProblem,
    Indices,
    hand_ranges,
    hand_ranks,
    rows_of,
    shift,
)

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


class Passes:
    """The sums of a problem: `count` first, then `marginals` if there is a world.

    Attributes:
        problem: what is counted.
        rest: the hand without rows.
        others: the hands with rows, in their order there.
        out: how many cards stay out in the end.
        together: before each card and at the end, the fewest and most cards of the other hands.
        shape: of an array of all states.
        middle: the index of the card at which the number of worlds is taken.
        ends: for each rank, and after the last one, how many cards are smaller.
        tables: look-up tables of the current rank.
        buffers: three arrays of all states.
        low: the ways to reach the states before the middle card, exact.
        high: the ways to complete them, exact.
        saved: before the first card of each rank, the ways to reach the states, or those to
            complete them where fewer; rounded.
    """

    def __init__(self, problem: GotchaProblem) -> None:
        self.problem = problem
        # Limits of the hand without rows cost the most time, so it is the hand with the fewest.
        limits = [int((~rows[1:].all(axis=1)).sum()) for rows in problem.allowed]
        self.rest = limits.index(min(limits))
        self.others = tuple(hand for hand in range(len(limits)) if hand != self.rest)
        self.rows = rows_of(tuple(problem.kept[hand] for hand in self.others))
        self.out = len(problem.cards) - sum(problem.kept)
        ranges = [hand_ranges(problem, hand) for hand in self.others]
        self.together = [
            (sum(hand[at][0] for hand in ranges), sum(hand[at][1] - 1 for hand in ranges))
            for at in range(len(problem.cards) + 1)
        ]
        # Whoever holds no card fewer, or no card more, is looked up in the row past the end.
        self.shape = (len(self.rows.together) + 1, self.out + 1)
        self.middle = len(problem.cards) // 2
        ranks = range(1, len(problem.allowed[0]) + 1)
        self.ends = [bisect_left(problem.cards, rank, key=itemgetter(0)) for rank in ranks]
        self.tables: dict[tuple[int, int, bool], tuple[Indices, int]] = {}
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
        changed.tables = {}
        return changed

    def count(self) -> int:
        """The exact number of worlds."""
        if self.out < 0:
            return 0
        self._make_room()
        before, after, _ = self.buffers
        before[0, 0] = 1
        for at in range(self.middle):
            self._save(before, at)
            self._step(at, before, after, rising=True)
            before, after = after, before
        self.low[...] = self._part(before, self.middle)
        after[...] = 0
        after[len(self.rows.together) - 1, self.out] = 1
        for at in range(len(self.problem.cards) - 1, self.middle - 1, -1):
            self._save(after, at + 1)
            self._step(at, after, before, rising=False)
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
            self._step(at, after, before, rising=False)
            before, after = after, before
            if at in self.saved:
                self.saved[at] *= self._part(after, at)
                found[at] = self._by_held(self.saved[at], at)
        before[...] = 0
        self._part(before, middle)[...] = self.low
        for at in range(middle + 1, count + 1):
            self._step(at - 1, before, after, rising=True)
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

    # -- rows and columns of states -------------------------------------------------------------

    def _slice(self, at: int) -> slice:
        """The rows that are possible before a card."""
        most = len(self.rows.first) - 2
        least, greatest = self.together[at]
        low = min(max(least, at - self.out - self.problem.kept[self.rest]), most)
        return slice(self.rows.first[low], self.rows.first[max(low, min(at, greatest)) + 1])

    def _part(self, values: Array, at: int) -> Array:
        """The values of the states that are possible before a card."""
        return values[self._slice(at)]

    def _step(self, at: int, source: Array, target: Array, *, rising: bool) -> None:
        """From the states on one side of a card to those on the other.

        Args:
            at: the card's index.
            source: the ways from one end to the states on one side.
            target: filled with those to the states on the other side.
            rising: from before the card to after it.
        """
        rank, owner = self.problem.cards[at]
        here, there = self._slice(at), self._slice(at + 1)
        goal = there if rising else here
        gained = target[goal]
        target[...] = 0
        start, stop = max(here.start, there.start), min(here.stop, there.stop)
        both = slice(start, max(start, stop))
        inside = gained[both.start - goal.start : both.stop - goal.start]
        if owner < 0:
            shift(source[both], inside, rising=rising)
        if owner in (-1, self.rest) and self.problem.allowed[self.rest][rank].any():
            inside += self._by_rest(at, source[both], both)
        for place, hand in enumerate(self.others):
            if owner not in (-1, hand) or not self.problem.allowed[hand][rank].any():
                continue
            table, start = self._table(place, rank, rising=rising)
            rows = table[goal.start - start : goal.stop - start]
            taken = self.buffers[2].view(source.dtype)[: len(rows)]
            # No index is out of bounds; clipping spares `take` a copy.
            source.take(rows, axis=0, out=taken, mode="clip")
            gained += taken

    def _table(self, place: int, rank: int, *, rising: bool) -> tuple[Indices, int]:
        """Where the rows of a step come from if a card falls to a hand with rows.

        Args:
            place: of the hand among those with rows.
            rank: the card's.
            rising: whether to those after the card.

        Returns:
            The rows' sources, and which row the first one is.
        """
        rows = self.rows.fewer[place] if rising else self.rows.more[place]
        allowed = self.problem.allowed[self.others[place]][rank]
        if allowed.all():
            return rows, 0
        key = (place, rank, rising)
        if key not in self.tables:
            self.tables = {old: self.tables[old] for old in self.tables if old[1:] == key[1:]}
            union = slice(
                self._slice(self.ends[rank - 1] + rising).start,
                self._slice(self.ends[rank] - 1 + rising).stop,
            )
            # By the number of cards held after the card, or before it.
            fits = np.append(False, allowed) if rising else np.append(allowed, False)
            fitting = fits.take(self.rows.held[place][union])
            self.tables[key] = np.where(fitting, rows[union], len(rows)), union.start
        return self.tables[key]

    def _by_rest(self, at: int, values: Array, both: slice) -> Array:
        """The values of the states in which the hand without rows may take a card."""
        allowed = self.problem.allowed[self.rest][self.problem.cards[at][0]]
        if allowed.all():
            return values
        held = self._held(at)
        fits = (held >= 0) & (held < len(allowed)) & allowed.take(held, mode="clip")
        taken: Array = values * fits.take(self.rows.together[both], axis=0)
        return taken

    def _held(self, at: int) -> Indices:
        """Before a card: what the hand without rows holds, by what the others hold, and column."""
        together = np.arange(len(self.rows.first) - 1)
        held: Indices = at - together[:, None] - np.arange(self.out + 1)
        return held

    def _by_held(self, worlds: Array, at: int) -> list[Array]:
        """For each hand the sums of worlds by how many cards, from 0, it holds before a card.

        Args:
            worlds: of the states that are possible before the card.
            at: the card's index.
        """
        rows, kept = self._slice(at), self.problem.kept
        by_row = np.einsum("rc->r", worlds)
        found: list[Array] = [np.zeros(0)] * len(kept)
        for place, hand in enumerate(self.others):
            found[hand] = np.bincount(self.rows.held[place][rows], by_row, kept[hand] + 1)
        low, high = self.rows.together[rows.start], self.rows.together[rows.stop - 1]
        starts = np.array(self.rows.first[low : high + 1]) - rows.start
        sums = np.add.reduceat(worlds, starts, axis=0)
        held = self._held(at)[low : high + 1]
        inside = (held >= 0) & (held <= kept[self.rest])
        found[self.rest] = np.bincount(held[inside], sums[inside], kept[self.rest] + 1)
        return found


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
