"""Counts wide Deduction states tile by tile.

Each place has an automaton of the hands it may hold (`companion.games.deduction.engine.automaton`).
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

import numpy as np
import numpy.typing as npt

from companion.games.deduction.engine.automaton import DEAD, Automaton, Limit, automaton
from companion.games.deduction.engine.facts import TileProblem
from companion.games.deduction.engine.reduce import Residual

#: Merged states at a time; packed states below, and what marks one that cannot be completed.
_STATES = 200_000
_BITS = 55
_BROKEN = 1 << 56

Codes = npt.NDArray[np.int64]
Index = npt.NDArray[np.intp]
Sums = npt.NDArray[np.float64]
#: The number of worlds; and by place and the tile's index in the deck those in which the tile lies
#: there, without tiles that were settled before.
Swept = tuple[int, dict[tuple[int, int], int]]


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
                return 0, {}
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
                return 0, {}
            ups.append(sums)
            sums = _spread(layer.after, [sums[index] for index in layer.before], len(codes))
            if cells:
                layers.append(layer)
        total = int(sums.sum())
        return total, self._cells(layers, ups) if cells else {}

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
