"""Counts the worlds of a Deduction state without listing them.

Every fact is about one place alone, so the state is: for each place a set of hands it may hold,
and the hands must share out the unknown tiles. The hands of one place are few (2,380 for five
players, at most 6,435 as a player sees it); the ways to combine them are up to 10**9. These are
counted by inclusion and exclusion over the sets of tiles: with f̂_p(X) the number of hands of place
p inside the tile set X, and sizes that sum to the number n of unknown tiles,

    worlds = Σ_X (−1)^(n−|X|) Π_p f̂_p(X),

because sets that together cover n tiles with n places to fill cannot overlap. For a marginal one
place is left out of the product, and the sum is taken over the sets X above each of its hands; one
more transform gives this for all of its hands at once, the missing tile's identity included.

Tiles that no fact distinguishes are merged into classes, so early states are tiny. If the view is
wide (the public's: 22 unknown tiles), the first classes are fixed one pattern after the other,
which keeps the working set in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, prod

import numpy as np
import numpy.typing as npt

from companion.games.deduction.engine.facts import TileProblem
from companion.games.deduction.engine.lattice import (
    Array,
    mixed_strides,
    signs,
    sums_above,
    sums_below,
)
from companion.games.deduction.engine.reduce import Residual, class_flags, place_hands, reduce_tiles
from companion.games.deduction.engine.sweep import sweep

#: Multisets handled at once; more are done pattern by pattern over the leading classes.
_CHUNK = 1 << 17
#: Number of multisets from which a sweep over the tiles is quicker.
_WIDE = 1 << 16


@dataclass(frozen=True, slots=True)
class Hands:
    """The hands one place may still hold, apart from its settled tiles.

    Attributes:
        place: index of the place.
        settled: mask of the tiles known to lie there.
        kinds: shape (hands, classes): how many tiles of each class.
        weights: shape (hands,): relative weight of each hand of the kind (1 unless shown tiles
            are weighed), int64 or object.
        joint: shape (hands, classes): total weight of the worlds in which the place holds a hand
            of the kind and the missing tile is of the class, exact; with the missing tile settled
            one column.
    """

    place: int
    settled: int
    kinds: npt.NDArray[np.uint8]
    weights: Array
    joint: Array


@dataclass(frozen=True, slots=True)
class TileCounts:
    """All worlds of a state.

    Attributes:
        problem: the state.
        total: total weight of the worlds (their number when unweighted); 0 if contradictory.
        settled: for each place the mask of tiles known to lie there.
        classes: the unknown tiles by class, as deck indices.
        hands: the places that still have unknown tiles, the missing tile's excepted.
        missing: weight of the worlds by class of the missing tile, empty when it is settled.
    """

    problem: TileProblem
    total: int
    settled: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    hands: tuple[Hands, ...]
    missing: tuple[int, ...]


def count_tiles(
    problem: TileProblem, *, weighted: bool = False, distinguish: Sequence[int] = ()
) -> TileCounts:
    """Counts the worlds and, for every place, the worlds by hand and missing tile.

    Args:
        problem: the state.
        weighted: weigh each world by 1/(matching tiles) for each shown tile, scaled to integers.
        distinguish: masks of tiles that no class may straddle.

    Returns:
        The counts; `total` is 0 when the facts contradict each other.
    """
    residual = reduce_tiles(problem, weighted=weighted, distinguish=distinguish)
    if residual is None:
        return TileCounts(problem, 0, (0,) * len(problem.names), (), (), ())
    missing = len(problem.names) - 1
    places = [p for p in range(missing) if residual.needs[p]]
    hands = [place_hands(problem, residual, place, weighted=weighted) for place in places]
    if any(len(kinds) == 0 for kinds, _ in hands):
        return TileCounts(problem, 0, residual.settled, residual.classes, (), ())
    if not places:
        return TileCounts(problem, 1, residual.settled, residual.classes, (), ())
    joints = _joint(residual, hands, exact_bound=_bound(residual, hands))
    found = tuple(
        Hands(place, residual.settled[place], kinds, weights, joint)
        for place, (kinds, weights), joint in zip(places, hands, joints, strict=True)
    )
    columns = [int(value) for value in found[0].joint.sum(axis=0)]
    by_class = tuple(columns) if residual.needs[missing] else ()
    return TileCounts(problem, sum(columns), residual.settled, residual.classes, found, by_class)


def count_total(problem: TileProblem) -> int:
    """The number of worlds alone: what somebody else, or the public, has narrowed it down to."""
    residual = reduce_tiles(problem, weighted=False)
    if residual is None:
        return 0
    if is_wide(residual):
        swept = sweep(problem, residual, cells=False)
        if swept is not None:
            return swept.total
    return count_tiles(problem).total


def is_wide(residual: Residual) -> bool:
    """Whether a sweep over the tiles is quicker for that number of sets of tiles."""
    return prod(len(members) + 1 for members in residual.classes) > _WIDE


def _cut(sizes: tuple[int, ...]) -> int:
    """How many leading classes are fixed pattern by pattern."""
    cut, inner = 0, prod(size + 1 for size in sizes)
    while inner > _CHUNK:
        inner //= sizes[cut] + 1
        cut += 1
    return cut


def _bound(residual: Residual, hands: list[tuple[npt.NDArray[np.uint8], Array]]) -> int:
    """An upper bound of the total weight: all shares of the tiles times the largest weights."""
    shares, left = 1, sum(len(members) for members in residual.classes)
    for need in residual.needs:
        shares *= comb(left, need)
        left -= need
    return shares * prod(int(max(weights)) for _, weights in hands)


def _chunks(sizes: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], npt.NDArray[np.int64]]]:
    """Patterns of the leading classes, each with the signs of the multisets of the others."""
    cut = _cut(sizes)
    sign = signs(sizes[cut:])
    for pattern in product(*(range(size + 1) for size in sizes[:cut])):
        left_out = sum(sizes[:cut]) - sum(pattern)
        yield pattern, -sign if left_out % 2 else sign


def _binomials(sizes: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Pascal's triangle up to the largest class."""
    top = max(sizes, default=0) + 1
    return np.array([[comb(n, k) for k in range(top)] for n in range(top)], np.int64)


def _below(
    kinds: npt.NDArray[np.uint8], weights: Array, pattern: tuple[int, ...], sizes: tuple[int, ...]
) -> Array:
    """Total weight of the hands inside each multiset whose leading classes are as in pattern."""
    cut = len(pattern)
    codes = kinds[:, cut:] @ np.array(mixed_strides(sizes[cut:]), np.int64)
    if cut:
        factors = _binomials(pattern)
        fits = (kinds[:, :cut] <= np.array(pattern, np.uint8)).all(axis=1)
        kinds, codes, weights = kinds[fits], codes[fits], weights[fits]
        for at, number in enumerate(pattern):
            weights = weights * factors[number, kinds[:, at]]
    small = weights.dtype != object and int(weights.sum()) < 1 << 31
    values = np.zeros(prod(size + 1 for size in sizes[cut:]), np.int32 if small else weights.dtype)
    if cut:
        np.add.at(values, codes, weights.astype(values.dtype))
    else:
        values[codes] = weights
    return sums_below(values, sizes[cut:])


def _joint(
    residual: Residual, hands: list[tuple[npt.NDArray[np.uint8], Array]], *, exact_bound: int
) -> list[Array]:
    """For each place the weight of the worlds by kind of hand and class of the missing tile."""
    sizes = tuple(len(members) for members in residual.classes)
    open_missing = bool(residual.needs[-1])
    width = len(sizes) if open_missing else 1
    dtype = object if exact_bound >= 1 << 62 else np.int64
    if dtype is object:
        hands = [(kinds, weights.astype(object)) for kinds, weights in hands]
    joints = [np.zeros((len(kinds), width), dtype) for kinds, _ in hands]
    for pattern, sign in _chunks(sizes):
        below = [_below(kinds, weights, pattern, sizes) for kinds, weights in hands]
        for at, others in enumerate(_products_of_others(below, sign.astype(dtype))):
            above = sums_above(others, sizes[len(pattern) :])
            _collect(joints[at], hands[at][0], above, pattern, sizes, open_missing=open_missing)
    allowed = class_flags(residual.classes, residual.possible[-1]).astype(np.int64)
    found = []
    for joint, (kinds, weights) in zip(joints, hands, strict=True):
        ways = _hands_alike(kinds, sizes) * weights.astype(dtype)
        rest = (np.array(sizes, np.int64) - kinds) * allowed if open_missing else 1
        found.append(joint * ways[:, None] * rest)
    return found


def _hands_alike(kinds: npt.NDArray[np.uint8], sizes: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """How many hands there are of each kind."""
    ways, factors = np.ones(len(kinds), np.int64), _binomials(sizes)
    for at, size in enumerate(sizes):
        if size > 1:
            ways *= factors[size, kinds[:, at]]
    return ways


def _products_of_others(below: list[Array], sign: Array) -> Iterator[Array]:
    """For each place the product of the sign and all other places' arrays."""
    # One number in an array of its own: NumPy 1 gives a bare one the narrower type of the others.
    suffixes = [np.ones(1, sign.dtype)]
    for array in reversed(below[1:]):
        suffixes.append(suffixes[-1] * array)
    prefix = sign
    for at, array in enumerate(below):
        yield prefix * suffixes[len(below) - 1 - at]
        prefix = prefix * array


def _collect(
    joint: Array,
    kinds: npt.NDArray[np.uint8],
    above: Array,
    pattern: tuple[int, ...],
    sizes: tuple[int, ...],
    *,
    open_missing: bool,
) -> None:
    """Adds to `joint` what the sets with this leading pattern contribute."""
    cut = len(pattern)
    strides = np.array(mixed_strides(sizes[cut:]), np.int64)
    codes = kinds[:, cut:] @ strides
    lead = kinds[:, :cut].astype(np.int64)
    factors = _binomials(sizes)

    def share(taken: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The number of ways to extend the leading part of each hand to the pattern."""
        ways = np.ones(len(kinds), np.int64)
        for at, number in enumerate(pattern):
            extra, room = number - taken[:, at], sizes[at] - taken[:, at]
            ways *= np.where(extra < 0, 0, factors[np.maximum(room, 0), np.maximum(extra, 0)])
        return ways

    plain = share(lead)[:, None]
    if not open_missing:
        joint += plain * above[codes][:, None]
        return
    targets = codes[:, None] + strides
    joint[:, cut:] += plain * np.take(above, targets, mode="clip")
    for at in range(cut):
        more = lead.copy()
        more[:, at] += 1
        joint[:, at] += share(more) * above[codes]
