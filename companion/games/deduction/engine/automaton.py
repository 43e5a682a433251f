"""The hands that one place of a Deduction state may hold, as a minimal automaton over the tiles.

The tiles are visited in a fixed order; at each, the place takes the tile or leaves it. Partial
hands that the same further tiles complete to an allowed hand are one state; those that cannot be
completed are none. The result is the unique minimal automaton of the set of hands (A. Nerode,
1958), level by level, found by one pass up over the counters of size and answers and one pass down
that merges states.

A place's automaton depends only on that place, so most of them are kept from event to event.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int64]

#: Bits that a packed row of counters may use.
_BITS = 62
#: In a table of transitions: no hand is reached that way.
DEAD = -1


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
    if len(limits) * (width + 1) > _BITS:
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
