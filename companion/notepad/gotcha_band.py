"""Gotcha's sums over the few states that agree with how many cards stay out.

However the unseen cards fall, their number is fixed, and so is the number of those that end in no
hidden hand. Before the k-th card the hands together thus hold at least k − (cards that stay out)
cards and at most k. The states, sorted by the number of cards held in all, form one row in which
those of a card are a slice: each state is met once for each number of cards that stayed out so far,
instead of once for each card. Five hands of nine: 8 times instead of 52.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from companion.notepad.gotcha_passes import (
    FULL,
    Array,
    GotchaProblem,
    Passes,
    as_float,
    as_integer,
    carry,
    hand_ranges,
)

Indices = npt.NDArray[np.intp]

#: Boxes are summed where they have less than this share of the row's states: slices are quicker
#: than look-ups, but there is one more move to a card.
_BOXED = 0.4

#: Runs of states of this length are summed one after the other, shorter ones state by state.
_LONG_RUN = 16


def passes_of(problem: GotchaProblem) -> Passes | BandPasses:
    """The sums of a problem, over boxes or over the row of states: whichever has less to do.

    Much knowledge makes the boxes small, whereas the row is always the same.
    """
    ranges = [hand_ranges(problem, hand) for hand in range(len(problem.kept))]
    boxed = sum(prod(high - low for low, high in card) for card in zip(*ranges, strict=True))
    out = len(problem.cards) - sum(problem.kept)
    if boxed < _BOXED * (out + 1) * prod(size + 1 for size in problem.kept):
        return Passes(problem, ranges)
    return BandPasses(problem)


@dataclass(frozen=True, slots=True)
class _Row:
    """All states of hands of some sizes, sorted by how many cards the hands hold together.

    Attributes:
        first: shape (sum of sizes + 2,): where the states begin whose hands hold so many cards.
        held: for each hand, how many cards it holds in each state.
        fewer: for each hand, where the state is in which it holds one card less; one past the end
            of the row where it holds none.
        more: the same for one card more, and where it is complete.
        runs: for each hand, where runs of states begin in which it holds as many cards as in the
            last one; none where they are short.
    """

    first: tuple[int, ...]
    held: tuple[Indices, ...]
    fewer: tuple[Indices, ...]
    more: tuple[Indices, ...]
    runs: tuple[Indices | None, ...]

    def by_held(self, values: Array, hand: int, part: slice) -> Array:
        """Sums of the values of a part of the row for each number of cards a hand holds."""
        held, runs = self.held[hand], self.runs[hand]
        if runs is not None:
            low, high = np.searchsorted(runs, (part.start, part.stop))
            starts = runs[low:high]
            values, held = np.add.reduceat(values, starts - part.start), held[starts]
        else:
            held = held[part]
        return np.bincount(held, values, int(self.held[hand][-1]) + 1)


@lru_cache(maxsize=8)
def _row(sizes: tuple[int, ...]) -> _Row:
    """The row of states of hands of these sizes; a table takes 24 bytes a state and hand."""
    shape = tuple(size + 1 for size in sizes)
    digits = np.indices(shape).reshape(len(shape), -1)
    sums = digits.sum(axis=0)
    order = np.argsort(sums, kind="stable")
    count = len(order)
    place = np.empty(count, np.intp)
    place[order] = np.arange(count)
    first = np.searchsorted(sums[order], np.arange(sum(sizes) + 2))
    held, fewer, more = [], [], []
    runs: list[Indices | None] = []
    stride = count
    for hand, size in enumerate(sizes):
        stride //= size + 1
        digit = digits[hand][order]
        held.append(digit)
        begins = np.append(True, digit[1:] != digit[:-1])
        begins[first[:-1]] = True
        long = int(np.count_nonzero(begins)) * _LONG_RUN < count
        runs.append(np.flatnonzero(begins) if long else None)
        fewer.append(np.where(digit > 0, place[np.maximum(order - stride, 0)], count))
        more.append(np.where(digit < size, place[np.minimum(order + stride, count - 1)], count))
    return _Row(tuple(first.tolist()), tuple(held), tuple(fewer), tuple(more), tuple(runs))


def _widened(values: Array) -> Array:
    """Whole numbers of one limb as items of two, low first."""
    found = np.zeros(len(values), np.complex128)
    found.view(np.int64)[::2] = values & (FULL - 1)
    found.view(np.int64)[1::2] = values // FULL
    return found


class BandPasses:
    """The upward and downward sums of a problem, as `Passes` gives them, over the row of states."""

    def __init__(self, problem: GotchaProblem) -> None:
        self.problem = problem
        self.allowed = problem.allowed
        self.row = _row(problem.kept)
        self.out = len(problem.cards) - sum(problem.kept)

    def given(self, hand: int, position: int, rank: int) -> BandPasses:
        """The same problem with a rank fixed at a position (1 the smallest) of a hand."""
        changed = object.__new__(BandPasses)
        changed.problem, changed.row, changed.out = self.problem, self.row, self.out
        rows = self.allowed[hand].copy()
        rows[:, position - 1] &= np.arange(len(rows)) == rank
        changed.allowed = (*self.allowed[:hand], rows, *self.allowed[hand + 1 :])
        return changed

    def _slice(self, at: int) -> slice:
        """Where the states are that are possible before a card."""
        low = min(max(0, at - self.out), len(self.row.first) - 2)
        return slice(self.row.first[low], self.row.first[min(at, len(self.row.first) - 2) + 1])

    def _takers(self, at: int) -> list[tuple[int, npt.NDArray[np.bool_]]]:
        """The hands that may take a card, and whether they may at each position."""
        rank, owner = self.problem.cards[at]
        hands = range(len(self.allowed)) if owner < 0 else (owner,)
        return [
            (hand, self.allowed[hand][rank]) for hand in hands if self.allowed[hand][rank].any()
        ]

    def _masks(self, table: Array, hand: int, at: int, after: int) -> tuple[Array, int]:
        """What a table says of how many cards a hand holds, for the states of all cards of a rank.

        Args:
            table: by the number of cards held.
            hand: the hand's index.
            at: one of the cards.
            after: 1 for the states after the cards, 0 for those before them.

        Returns:
            The entries, and the place in the row of the first.
        """
        rank = self.problem.cards[at][0]
        first = bisect_left(self.problem.cards, rank, key=itemgetter(0))
        last = bisect_right(self.problem.cards, rank, key=itemgetter(0)) - 1
        start, stop = self._slice(first + after).start, self._slice(last + after).stop
        return table.take(self.row.held[hand][start:stop], mode="clip"), start

    def rise(self) -> tuple[int, list[Array]]:
        """The exact number of worlds, and the ways to reach each state before the k-th card.

        The last entry is after all cards. Numbers have one limb as long as that is enough; of two,
        look-ups move both as one item.
        """
        count = len(self.row.held[0])
        if self.out < 0:
            return 0, []
        before, after, spare = (np.zeros(count + 1, np.int64) for _ in range(3))
        before[0] = limbs = 1
        states = [np.ones(1)]
        masks: dict[tuple[int, int], tuple[Array, int]] = {}
        for at, (rank, owner) in enumerate(self.problem.cards):
            here, there = self._slice(at), self._slice(at + 1)
            if limbs == 1 and states[-1].max() >= FULL:
                before, limbs, masks = _widened(before), 2, {}
                after, spare = np.zeros_like(before), np.zeros_like(before)
            gained = after[there].view(np.int64)
            gained[:] = 0
            if owner < 0:
                stayed = before[there.start : here.stop].view(np.int64)
                gained[: len(stayed)] = stayed
            taken = spare[: there.stop - there.start]
            for hand, allowed in self._takers(at):
                # Clipping changes no index; it spares `take` a copy.
                before.take(self.row.fewer[hand][there], out=taken, mode="clip")
                if not allowed.all():
                    if (rank, hand) not in masks:
                        bits = np.repeat(-np.append(0, allowed), limbs).astype(np.int64)
                        masks = {key: masks[key] for key in masks if key[0] == rank}
                        masks[rank, hand] = self._masks(bits.view(before.dtype), hand, at, 1)
                    mask, start = masks[rank, hand]
                    taken.view(np.int64)[:] &= mask[there.start - start :][: len(taken)].view(
                        np.int64
                    )
                gained += taken.view(np.int64)
            if limbs == 2:
                carry(gained.reshape(-1, 2))
                states.append(as_float(gained.reshape(-1, 2)))
            else:
                states.append(gained.astype(np.float64))
            before, after = after, before
        last = before[count - 1 : count].view(np.int64)
        return as_integer(last) if limbs == 2 else int(last[0]), states

    def marginals(self, ups: list[Array]) -> list[Array]:
        """For each hand, shape (ranks + 1, kept): worlds with the rank at the position."""
        found: list[Array] = [np.zeros(rows.shape) for rows in self.allowed]
        count = len(self.row.held[0])
        before, after, spare = (np.zeros(count + 1) for _ in range(3))
        after[count - 1] = 1
        masks: dict[tuple[int, int], tuple[Array, int]] = {}
        for at in range(len(self.problem.cards) - 1, -1, -1):
            rank, owner = self.problem.cards[at]
            here, there = self._slice(at), self._slice(at + 1)
            gained = before[here]
            gained[:] = 0
            if owner < 0:
                gained[there.start - here.start :] = after[there.start : here.stop]
            for hand, allowed in self._takers(at):
                taken = spare[: len(gained)]
                after.take(self.row.more[hand][here], out=taken, mode="clip")
                if not allowed.all():
                    if (rank, hand) not in masks:
                        masks = {key: masks[key] for key in masks if key[0] == rank}
                        masks[rank, hand] = self._masks(np.append(allowed, 0.0), hand, at, 0)
                    mask, start = masks[rank, hand]
                    taken *= mask[here.start - start : here.stop - start]
                gained += taken
                taken *= ups[at]
                found[hand][rank] += self.row.by_held(taken, hand, here)[:-1]
            before, after = after, before
        return found
