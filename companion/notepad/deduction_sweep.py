"""Counts wide Deduction states by going through the tiles one after the other.

A state is how many tiles each place and each answer has got so far, packed into one integer;
states that agree are merged, so that the many ways to share out tiles are never listed. An answer's
counter lives from the first of its tiles to the last, where the answer is checked; then its bits
are free for another. Tiles are taken suit by suit or value by value, whichever leaves fewer
counters alive at a time. One pass up and one pass down over the edges between merged states give
all marginals.

Meant for what a spectator knows (22 unknown tiles), where counting by sets of tiles is slow; all
sums stay below 2**53, so that floating point is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np
import numpy.typing as npt

from companion.notepad.deduction_facts import TileProblem
from companion.notepad.deduction_reduce import Residual

#: Bits of a state, and merged states at a time.
_BITS = 62
_STATES = 120_000

Codes = npt.NDArray[np.int64]
Index = npt.NDArray[np.int32]
Sums = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Counter:
    """How many tiles of a mask a place may get; the whole mask for a place's size."""

    place: int
    mask: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _Layer:
    """The edges of one tile: for each place that may take it, states before and after."""

    places: tuple[int, ...]
    before: tuple[Index, ...]
    after: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The outcome.

    Attributes:
        total: the number of worlds.
        cells: (place, tile's index in the deck) → worlds in which the tile lies there; tiles that
            were settled before are not among them.
    """

    total: int
    cells: dict[tuple[int, int], int]


def sweep(problem: TileProblem, residual: Residual, *, cells: bool) -> Sweep | None:
    """Counts the worlds of a reduced state.

    Args:
        problem: the state.
        residual: the same, reduced.
        cells: whether to count each cell as well.

    Returns:
        The counts, None where too many states or counters would be alive at a time.
    """
    tiles = [tile for members in residual.classes for tile in members]
    counters = _counters(residual, tiles)
    order = min(_orders(problem, tiles), key=lambda order: _effort(order, counters))
    fields = _fields(order, counters)
    return None if fields is None else _Pass(order, counters, fields, residual).run(cells=cells)


def _counters(residual: Residual, tiles: list[int]) -> list[_Counter]:
    """The sizes of the open places, then every answer that still excludes something."""
    everything = sum(1 << tile for tile in tiles)
    found = [
        _Counter(place, everything, need, need) for place, need in enumerate(residual.needs) if need
    ]
    for bound in residual.bounds:
        certain = (residual.settled[bound.place] & bound.mask).bit_count()
        need = residual.needs[bound.place]
        open_here = residual.possible[bound.place] & bound.mask & everything
        if not open_here:
            continue  # reducing has judged it already
        found.append(
            _Counter(
                bound.place,
                open_here,
                max(0, bound.low - certain),
                min(bound.high - certain, need, open_here.bit_count()),
            )
        )
    return found


def _orders(problem: TileProblem, tiles: list[int]) -> list[list[int]]:
    """The tiles by suit and by value."""
    deck = problem.deck
    return [
        sorted(tiles, key=lambda tile: (deck[tile].suit or "", deck[tile].code)),
        sorted(tiles, key=lambda tile: (deck[tile].rank or 0, deck[tile].suit or "")),
    ]


def _span(order: list[int], counter: _Counter) -> tuple[int, int]:
    """Steps of a counter's first and last tile."""
    steps = [step for step, tile in enumerate(order) if counter.mask >> tile & 1]
    return steps[0], steps[-1]


def _effort(order: list[int], counters: list[_Counter]) -> float:
    """Roughly the logarithm of the number of states alive at the widest step."""
    alive = [0.0] * len(order)
    for counter in counters:
        first, last = _span(order, counter)
        for step in range(first, last):
            alive[step] += log2(min(counter.high, step - first + 1) + 1)
    return max(alive, default=0.0)


def _fields(order: list[int], counters: list[_Counter]) -> list[int] | None:
    """The shift of each counter's bits; those whose lives do not meet share bits."""
    spans = [_span(order, counter) for counter in counters]
    shifts = [0] * len(counters)
    busy: list[tuple[int, int]] = []
    for index in sorted(range(len(counters)), key=lambda i: spans[i]):
        first, last = spans[index]
        busy = [(end, bits) for end, bits in busy if end >= first]
        taken = sum(bits for _, bits in busy)
        mine = (1 << _width(counters[index])) - 1
        shift = next((s for s in range(_BITS) if not taken & mine << s), _BITS)
        if mine << shift >= 1 << _BITS:
            return None
        shifts[index] = shift
        busy.append((last, mine << shift))
    return shifts


def _width(counter: _Counter) -> int:
    """Bits that hold one tile more than a counter allows, before that is found out."""
    return (counter.high + 1).bit_length()


@dataclass(frozen=True, slots=True)
class _Check:
    """A counter at one step.

    Attributes:
        place: whose it is.
        shift: of its bits.
        width: number of its bits.
        least: fewer than that cannot be made up for any more.
        most: more than that are too many.
        ends: whether no tile of it comes later.
    """

    place: int
    shift: int
    width: int
    least: int
    most: int
    ends: bool


def _check(counter: _Counter, shift: int, rest: list[int], residual: Residual) -> _Check:
    """A counter at the step after which these tiles are left."""
    later = sum(1 << tile for tile in rest) & counter.mask
    left = (later & residual.possible[counter.place]).bit_count()
    return _Check(
        counter.place, shift, _width(counter), counter.low - left, counter.high, not later
    )


class _Pass:
    """One sweep over the tiles."""

    def __init__(
        self, order: list[int], counters: list[_Counter], shifts: list[int], residual: Residual
    ) -> None:
        self.order = order
        self.residual = residual
        self.checks = [
            [
                _check(counter, shift, order[step + 1 :], residual)
                for counter, shift in zip(counters, shifts, strict=True)
                if counter.mask >> tile & 1
            ]
            for step, tile in enumerate(order)
        ]
        self.places = [place for place, need in enumerate(residual.needs) if need]

    def run(self, *, cells: bool) -> Sweep | None:
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
                return Sweep(0, {})
            ups.append(sums)
            sums = _spread(layer.after, [sums[index] for index in layer.before], len(codes))
            if cells:
                layers.append(layer)
        total = int(sums.sum())
        return Sweep(total, self._cells(layers, ups) if cells else {})

    def _step(self, step: int, codes: Codes) -> tuple[Codes, _Layer] | None:
        """Shares out one tile; None where too many states arise."""
        tile = self.order[step]
        places, befores, news = [], [], []
        for place in self.places:
            if not self.residual.possible[place] >> tile & 1:
                continue
            keep, more = self._checked(step, place, codes)
            places.append(place)
            befores.append(np.flatnonzero(keep).astype(np.int32))
            news.append(more[keep])
        if not news:
            return np.zeros(0, np.int64), _Layer((), (), ())
        merged, inverse = np.unique(np.concatenate(news), return_inverse=True)
        if len(merged) > _STATES:
            return None
        ends = np.cumsum([len(new) for new in news])[:-1]
        afters = np.split(inverse.reshape(-1).astype(np.int32), ends)
        return merged, _Layer(tuple(places), tuple(befores), tuple(afters))

    def _checked(self, step: int, taker: int, codes: Codes) -> tuple[npt.NDArray[np.bool_], Codes]:
        """The states after a place took the tile, and which of them can still be completed."""
        checks = self.checks[step]
        more = codes + sum(1 << check.shift for check in checks if check.place == taker)
        keep: npt.NDArray[np.bool_] = np.ones(len(codes), np.bool_)
        for check in checks:
            takes = check.place == taker
            if not (takes or check.least > 0 or check.ends):
                continue
            value = more >> check.shift & ((1 << check.width) - 1)
            if takes:
                keep &= value <= check.most
            if check.least > 0:
                keep &= value >= check.least
            if check.ends:
                more -= value << check.shift  # its bits are free from now on
        return keep, more

    def _cells(self, layers: list[_Layer], ups: list[Sums]) -> dict[tuple[int, int], int]:
        """Goes down and adds up each cell."""
        cells: dict[tuple[int, int], int] = {}
        down: Sums = np.ones(1)
        for tile, layer, up in zip(
            reversed(self.order), reversed(layers), reversed(ups), strict=True
        ):
            parts = [down[index] for index in layer.after]
            for place, before, part in zip(layer.places, layer.before, parts, strict=True):
                number = round(float(up[before] @ part))
                if number:
                    cells[place, tile] = number
            down = _spread(layer.before, parts, len(up))
        return cells


def _spread(index: tuple[Index, ...], parts: list[Sums], size: int) -> Sums:
    """Adds the parts up at their indices."""
    sums: Sums = np.bincount(
        np.concatenate(index), weights=np.concatenate(parts), minlength=size
    ).astype(np.float64)
    return sums
