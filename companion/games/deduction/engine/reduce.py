"""What propagation leaves open of a Deduction state, and the hands each place may still hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm, prod

import numpy as np
import numpy.typing as npt

from companion.games.deduction.engine.facts import Bounds, TileProblem
from companion.games.deduction.engine.lattice import Array, multisets
from companion.games.deduction.engine.search import propagate, with_sizes


@dataclass(frozen=True, slots=True)
class Residual:
    """What propagation leaves open.

    Attributes:
        settled: for each place the tiles known to lie there.
        classes: the unknown tiles, merged if nothing tells them apart.
        needs: how many more tiles each place holds.
        possible: for each place the tiles it may hold.
        bounds: the bounds that still exclude some hand.
    """

    settled: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    needs: tuple[int, ...]
    possible: tuple[int, ...]
    bounds: tuple[Bounds, ...]


def reduce_tiles(
    problem: TileProblem, *, weighted: bool, distinguish: Sequence[int] = ()
) -> Residual | None:
    """Propagates, then merges tiles that nothing tells apart; None on a contradiction."""
    everything = (1 << len(problem.deck)) - 1
    possible = list(problem.possible)
    if not propagate(possible, with_sizes(problem), everything):
        return None
    once = twice = 0
    for mask in possible:
        twice |= once & mask
        once |= mask
    settled = tuple(mask & ~twice for mask in possible)
    needs = tuple(
        size - mask.bit_count() for size, mask in zip(problem.sizes, settled, strict=True)
    )
    marks = [*distinguish, *(mask & twice for mask in possible)]
    bounds = tuple(b for b in problem.bounds if _bites(b, possible, settled, needs))
    marks += [bound.mask for bound in bounds]
    if weighted:
        marks += [mask for place, mask in problem.shown if needs[place]]
    groups: dict[tuple[int, ...], list[int]] = {}
    for tile in range(len(problem.deck)):
        if twice >> tile & 1:
            groups.setdefault(tuple(mask >> tile & 1 for mask in marks), []).append(tile)
    classes = tuple(sorted((tuple(members) for members in groups.values()), key=len, reverse=True))
    return Residual(settled, classes, needs, tuple(possible), bounds)


def _bites(
    bound: Bounds, possible: list[int], settled: tuple[int, ...], needs: tuple[int, ...]
) -> bool:
    """Whether a bound still excludes some hand of its place."""
    place = bound.place
    certain = (settled[place] & bound.mask).bit_count()
    open_here = possible[place] & ~settled[place]
    inside = (open_here & bound.mask).bit_count()
    outside = open_here.bit_count() - inside
    fewest, most = max(0, needs[place] - outside), min(needs[place], inside)
    return bound.low - certain > fewest or bound.high - certain < most


def class_flags(classes: tuple[tuple[int, ...], ...], mask: int) -> npt.NDArray[np.float32]:
    """1 for each class whose tiles lie in the mask (all of them do or none)."""
    return np.array([mask >> members[0] & 1 for members in classes], np.float32)


def place_hands(
    problem: TileProblem, residual: Residual, place: int, *, weighted: bool
) -> tuple[npt.NDArray[np.uint8], Array]:
    """The kinds of hands a place may hold beside its settled tiles, with their weights."""
    classes, settled = residual.classes, residual.settled[place]
    kinds, floats = multisets(tuple(len(members) for members in classes), residual.needs[place])
    limits = [(class_flags(classes, ~residual.possible[place]), 0, 0)]
    for bound in residual.bounds:
        if bound.place == place:
            certain = (settled & bound.mask).bit_count()
            limits.append(
                (class_flags(classes, bound.mask), bound.low - certain, bound.high - certain)
            )
    member = np.stack([flags for flags, _, _ in limits], axis=1)
    with np.errstate(invalid="ignore"):  # some BLAS kernels raise the flag over finite numbers
        inside = floats @ member
    low = np.array([limit[1] for limit in limits], np.float32)
    high = np.array([limit[2] for limit in limits], np.float32)
    kinds = kinds[((inside >= low) & (inside <= high)).all(axis=1)]
    if not weighted:
        return kinds, np.ones(len(kinds), np.int64)
    matches = [
        (kinds @ class_flags(classes, mask)).astype(int) + (settled & mask).bit_count()
        for shower, mask in problem.shown
        if shower == place
    ]
    products = [prod(int(m) for m in row) for row in zip(*matches, strict=True)]
    scale = lcm(*products) if products else 1
    exact = [scale // number for number in products] or [1] * len(kinds)
    wide = max(exact, default=1) > 1 << 62
    return kinds, np.array(exact, object if wide else np.int64)
