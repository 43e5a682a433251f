"""Counts wide Deduction states tile by tile.

Each place has a minimal automaton of the hands it may hold: at each tile, in a fixed order, the
place takes it or leaves it. Partial hands that the same further tiles complete to an allowed hand
are one state; those that cannot be completed are none. The result is the unique minimal automaton
of the set of hands (A. Nerode, 1958), level by level, found by one pass up over the counters of
size and answers and one pass down that merges states. It depends on its place alone, so most of
them are kept from event to event.

A state of the whole table is one state for each place, packed into an integer; the next tile goes
to one place and all others leave it. Equal states are merged, so that the ways to share out the
tiles are never listed. Tiles are taken suit by suit. One pass up and one pass down over the edges
between merged states give all marginals.

Meant for what a spectator knows (22 unknown tiles), for which counting by sets of tiles is slow.
All sums stay below 2**53, so floating point is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from companion.games.deduction.engine.facts import TileProblem
from companion.games.deduction.engine.reduce import Residual

#: Merged states at a time; packed states below, and what marks one that cannot be completed.
_STATES = 200_000
_BITS = 55
_BROKEN = 1 << 56

Codes = npt.NDArray[np.int64]
Index = npt.NDArray[np.intp]
Sums = npt.NDArray[np.float64]

#: Bits that a packed row of counters may use.
_ROW_BITS = 62
#: In a table of transitions: no hand is reached that way.
DEAD = -1


class Swept(NamedTuple):
    """What a sweep has counted.

    Attributes:
        total: the number of worlds.
        cells: by place and the tile's index in the deck, the worlds in which the tile lies there;
            tiles that were settled before are not among them.
    """

    total: int
    cells: dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Limit:
    """Between `low` and `high` tiles of `mask` go to the place.

    Attributes:
        mask: open tiles that the place may take; the size of a hand limits them all.
        low: least number.
        high: greatest number; no more than the place needs.
    """

    mask: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Automaton:
    """A place's allowed hands.

    Attributes:
        sizes: how many states there are before each tile, and 1 after the last.
        leave: for each tile, shape (states,): the state after leaving it, or `DEAD`.
        take: the same after taking it.
    """

    sizes: tuple[int, ...]
    leave: tuple[Codes, ...]
    take: tuple[Codes, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """What one tile does to the packed counters, all of them at once.

    Each counter has a field of bits under a guard bit. It starts so high that one tile more than
    allowed sets the guard.

    Attributes:
        add: one for each counter of the tile.
        full: guards of the counters that may not be exceeded.
        spare: guards of the counters that stop at their least number, since no more is forbidden.
        lift: added to see whether enough are there to be completed: then it sets all of `enough`.
        enough: guards of the counters that need more tiles than are left.
        keep: all but the fields of counters that end here.
    """

    add: int
    full: int
    spare: int
    lift: int
    enough: int
    keep: int


@lru_cache(maxsize=96)
def automaton(order: tuple[int, ...], possible: int, limits: tuple[Limit, ...]) -> Automaton | None:
    """The automaton of the hands within limits.

    Args:
        order: the open tiles in the order in which they are gone through.
        possible: mask of the tiles that the place may take.
        limits: at most one for a mask.

    Returns:
        The automaton, None if no hand keeps to the limits.

    Raises:
        OverflowError: the counters do not fit into 62 bits.
    """
    levels = _levels(order, possible, limits)
    if levels is None:
        return None
    merged: Codes = np.zeros(1, np.int64)
    count = 1
    sizes, leave, take = [count], [], []
    for left, taken in reversed(levels):
        merged = np.append(merged, DEAD)
        keys = (merged[left] + 1) * (count + 1) + merged[taken] + 1
        kinds, merged = np.unique(keys, return_inverse=True)
        if not kinds[0]:  # neither way leads to a hand
            kinds, merged = kinds[1:], merged - 1
        leave.append(kinds // (count + 1) - 1)
        take.append(kinds % (count + 1) - 1)
        count = len(kinds)
        sizes.append(count)
    if not count:
        return None
    return Automaton(tuple(reversed(sizes)), tuple(reversed(leave)), tuple(reversed(take)))


def _levels(
    order: tuple[int, ...], possible: int, limits: tuple[Limit, ...]
) -> list[tuple[Codes, Codes]] | None:
    """For each tile, where each row of counters leads: by leaving it, by taking it."""
    width = max((limit.high + 1).bit_length() for limit in limits)
    if len(limits) * (width + 1) > _ROW_BITS:
        raise OverflowError("Too many answers for one place.")
    start, steps = _steps(order, limits, width)
    codes: Codes = np.full(1, start, np.int64)
    levels = []
    for tile, step in zip(order, steps, strict=True):
        left, left_fits = _after(codes, step, 0, width)
        if possible >> tile & 1:
            taken, taken_fits = _after(codes, step, step.add, width)
        else:
            taken, taken_fits = left, np.zeros(len(codes), np.bool_)
        following = np.unique(np.concatenate([left[left_fits], taken[taken_fits]]))
        if not len(following):
            return None
        levels.append(
            tuple(
                np.where(fits, np.searchsorted(following, new), DEAD)
                for new, fits in ((left, left_fits), (taken, taken_fits))
            )
        )
        codes = following
    return levels  # type: ignore[return-value]


def _steps(
    order: tuple[int, ...], limits: tuple[Limit, ...], width: int
) -> tuple[int, list[_Step]]:
    """The counters before the first tile, and what each tile does."""
    top, start, steps = (1 << width) - 1, 0, []
    rows = []
    for at, limit in enumerate(limits):
        spare = limit.high >= limit.mask.bit_count()
        base = top - (limit.low if spare else limit.high)
        rows.append((limit, at * (width + 1), spare, base))
        start += base << at * (width + 1)
    later = sum(1 << tile for tile in order)
    for tile in order:
        later &= ~(1 << tile)
        add = full = spares = lift = enough = 0
        keep = -1
        for limit, shift, spare, base in rows:
            if not limit.mask >> tile & 1:
                continue
            one, guard = 1 << shift, 1 << shift + width
            add += one
            full, spares = (full, spares | guard) if spare else (full | guard, spares)
            least = limit.low - (limit.mask & later).bit_count()
            if least > 0:
                lift += (top + 1 - base - least) << shift
                enough |= guard
            if not limit.mask & later:
                keep &= ~((guard << 1) - one)
        steps.append(_Step(add, full, spares, lift, enough, keep))
    return start, steps


def _after(codes: Codes, step: _Step, add: int, width: int) -> tuple[Codes, npt.NDArray[np.bool_]]:
    """The counters after a tile, and which of them can still be completed."""
    new = codes + add
    fits: npt.NDArray[np.bool_] = (new & step.full) == 0
    if add and step.spare:
        new -= (new & step.spare) >> width
    if step.enough:
        fits &= (new + step.lift & step.enough) == step.enough
    return new & step.keep, fits


# -- the whole table ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Layer:
    """The edges of one tile: for each place that may take it, states before and after."""

    places: tuple[int, ...]
    before: tuple[Index, ...]
    after: tuple[Index, ...]


def sweep(problem: TileProblem, residual: Residual, *, cells: bool) -> Swept | None:
    """Counts the worlds of a reduced state.

    Returns:
        The counts, None if too many states would be alive at a time.
    """
    tiles = [tile for members in residual.classes for tile in members]
    limits = _limits(residual, tiles)
    deck = problem.deck
    order = sorted(tiles, key=lambda tile: (deck[tile].suit or "", deck[tile].code))
    hands: dict[int, Automaton] = {}
    try:
        for place, rows in limits.items():
            found = automaton(tuple(order), residual.possible[place], tuple(rows))
            if found is None:
                return Swept(0, {})
            hands[place] = found
    except OverflowError:
        return None
    return _Pass(order, hands).run(cells=cells)


def _limits(residual: Residual, tiles: list[int]) -> dict[int, list[Limit]]:
    """By open place: its size, then every answer that still excludes something."""
    everything = sum(1 << tile for tile in tiles)
    found = {
        place: [Limit(everything, need, need)] for place, need in enumerate(residual.needs) if need
    }
    for bound in residual.bounds:
        certain = (residual.settled[bound.place] & bound.mask).bit_count()
        need = residual.needs[bound.place]
        open_here = residual.possible[bound.place] & bound.mask & everything
        if open_here and need:  # otherwise reducing has judged it already
            most = min(bound.high - certain, need, open_here.bit_count())
            found[bound.place].append(Limit(open_here, max(0, bound.low - certain), most))
    return found


class _Pass:
    """One sweep over the tiles."""

    def __init__(self, order: Sequence[int], hands: dict[int, Automaton]) -> None:
        self.order = order
        self.hands = hands

    def run(self, *, cells: bool) -> Swept | None:
        """Goes up, and down again where cells are wanted."""
        codes: Codes = np.zeros(1, np.int64)
        sums: Sums = np.ones(1)
        layers: list[_Layer] = []
        ups: list[Sums] = []
        for step in range(len(self.order)):
            found = self._step(step, codes)
            if found is None:
                return None
            codes, layer = found
            if not len(codes):
                return Swept(0, {})
            ups.append(sums)
            sums = _spread(layer.after, [sums[index] for index in layer.before], len(codes))
            if cells:
                layers.append(layer)
        total = int(sums.sum())
        return Swept(total, self._cells(layers, ups) if cells else {})

    def _step(self, step: int, codes: Codes) -> tuple[Codes, _Layer] | None:
        """Shares out one tile; None if too many states arise."""
        base: Codes = np.zeros(len(codes), np.int64)
        changes: list[tuple[int, Codes]] = []
        shift = after = 0
        for place, hand in self.hands.items():
            bits = (hand.sizes[step] - 1).bit_length()
            here = codes >> shift & ((1 << bits) - 1)
            shift += bits
            leave, take = _moved(hand.leave[step], after), _moved(hand.take[step], after)
            after += (hand.sizes[step + 1] - 1).bit_length()
            base += leave[here]
            if take.min() < _BROKEN:
                changes.append((place, (take - leave)[here]))
        if after > _BITS:
            return None
        places, befores, news = [], [], []
        for place, change in changes:
            new = base + change
            keep = np.flatnonzero(new < _BROKEN)
            if len(keep):
                places.append(place)
                befores.append(keep)
                news.append(new[keep])
        if not news:
            return np.zeros(0, np.int64), _Layer((), (), ())
        merged, inverse = np.unique(np.concatenate(news), return_inverse=True)
        if len(merged) > _STATES:
            return None
        ends = np.cumsum([len(new) for new in news])[:-1]
        afters = np.split(inverse.reshape(-1), ends)
        return merged, _Layer(tuple(places), tuple(befores), tuple(afters))

    def _cells(self, layers: list[_Layer], ups: list[Sums]) -> dict[tuple[int, int], int]:
        """Goes down and adds up each cell."""
        cells: dict[tuple[int, int], int] = {}
        down: Sums = np.ones(1)
        for tile, layer, up in zip(
            reversed(self.order), reversed(layers), reversed(ups), strict=True
        ):
            parts = [down[index] for index in layer.after]
            for place, before, part in zip(layer.places, layer.before, parts, strict=True):
                # Not a dot product: that would start threads of the linear algebra library.
                number = round(float((up[before] * part).sum()))
                if number:
                    cells[place, tile] = number
            down = _spread(layer.before, parts, len(up))
        return cells


def _moved(states: Codes, shift: int) -> Codes:
    """An automaton's states at their bits of the packed state; those that are dead, broken."""
    return np.where(states == DEAD, _BROKEN, states << shift)


def _spread(index: tuple[Index, ...], parts: list[Sums], size: int) -> Sums:
    """Adds the parts up at their indices."""
    sums: Sums = np.bincount(
        np.concatenate(index), weights=np.concatenate(parts), minlength=size
    ).astype(np.float64)
    return sums
