"""Gotcha's sums over the few states that agree with the number of cards that stay out.

The number of unseen cards is fixed, and so is the number of those that end in no hidden hand.
Before the k-th card, k is the number of cards that stayed out so far plus the cards of all hands,
so what one hand holds follows from the others. States are an array with a row for what the other
hands hold, and a column for the number of cards that stayed out. Rows are sorted by the total
number of cards they hold, so that those possible before a card are a slice. A card that stays out,
or falls to the hand without rows, leaves the row as it is; a card that falls to another hand moves
whole rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Self

import numpy as np
import numpy.typing as npt

from companion.games.gotcha.engine.box import BoxPasses
from companion.games.gotcha.engine.passes import (
    Array,
    GotchaProblem,
    Passes,
    hand_ranges,
)

Indices = npt.NDArray[np.intp]

#: Boxes are summed if they have less than this share of the states of the rows: whole
#: blocks are quicker than look-ups, but each card has one more move.
_BOXED = 0.8


def passes_of(problem: GotchaProblem) -> Passes:
    """The sums of a problem, over boxes or over rows of states: whichever has less to do.

    Much knowledge makes the boxes small, whereas the rows are always the same.
    """
    ranges = [hand_ranges(problem, hand) for hand in range(len(problem.kept))]
    boxed = sum(prod(high - low for low, high in card) for card in zip(*ranges, strict=True))
    out = len(problem.cards) - sum(problem.kept)
    if boxed < _BOXED * (out + 1) * prod(size + 1 for size in problem.kept):
        return BoxPasses(problem, ranges)
    return BandPasses(problem)


@dataclass(frozen=True, slots=True)
class _Rows:
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
def _rows(sizes: tuple[int, ...]) -> _Rows:
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
    return _Rows(tuple(first.tolist()), sums[order], tuple(held), tuple(fewer), tuple(more))


class BandPasses(Passes):
    """The sums of a problem over rows and columns of states.

    Attributes:
        rest: the hand without rows.
        others: the hands with rows, in their order there.
        out: how many cards stay out in the end.
        tables: look-up tables of the current rank.
    """

    def __init__(self, problem: GotchaProblem) -> None:
        # Limits of the hand without rows cost the most time, so it is the hand with the fewest.
        limits = [int((~rows[1:].all(axis=1)).sum()) for rows in problem.allowed]
        self.rest = limits.index(min(limits))
        self.others = tuple(hand for hand in range(len(limits)) if hand != self.rest)
        self.rows = _rows(tuple(problem.kept[hand] for hand in self.others))
        self.out = len(problem.cards) - sum(problem.kept)
        self.tables: dict[tuple[int, int, bool], tuple[Indices, int]] = {}
        # Whoever holds no card fewer, or no card more, is looked up in the row past the end.
        super().__init__(problem, (len(self.rows.together) + 1, self.out + 1))

    def _limited(self, allowed: tuple[npt.NDArray[np.bool_], ...]) -> Self:
        changed = super()._limited(allowed)
        changed.tables = {}
        return changed

    def count(self) -> int:
        return 0 if self.out < 0 else super().count()

    def _ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (0, 0), (len(self.rows.together) - 1, self.out)

    def _slice(self, at: int) -> slice:
        """The rows that are possible before a card."""
        most = len(self.rows.first) - 2
        low = min(max(0, at - self.out - self.problem.kept[self.rest]), most)
        return slice(self.rows.first[low], self.rows.first[min(at, most) + 1])

    def _part(self, values: Array, at: int) -> Array:
        return values[self._slice(at)]

    def _rise(self, at: int, before: Array, after: Array) -> None:
        self._step(at, before, after, rising=True)

    def _sink(self, at: int, after: Array, before: Array) -> None:
        self._step(at, after, before, rising=False)

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
        gained[...] = 0
        both = slice(there.start, max(there.start, here.stop))
        inside = gained[both.start - goal.start : both.stop - goal.start]
        if owner < 0:
            _shift(source[both], inside, rising=rising)
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


def _shift(values: Array, gained: Array, *, rising: bool) -> None:
    """Fills rows with what lies one column before (or after) in those of other values.

    All rows are moved at once: what runs over into the next row is cleared.
    """
    if rising:
        gained.reshape(-1)[1:] = values.reshape(-1)[:-1]
        gained[:, 0] = 0
    else:
        gained.reshape(-1)[:-1] = values.reshape(-1)[1:]
        gained[:, -1] = 0
