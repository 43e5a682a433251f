"""Which way up a row stands: where down is for each of its cards.

An index that shows alone is mostly the one that leads its card; where both ends show, nothing tells
them apart but the neighbours, and the picture's own down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.types import CardRead, FloatArray

#: How much all axes agree, from which on a row is straight (mean of doubled angles); cosine from
#: which on neighbours may be of one bent row.
_STRAIGHT, _ALIKE = 0.8, 0.6
#: Fewest cards with one index that say how a row stands, and what share of them must say the same.
_FEWEST, _MOST = 6, 0.7


def ways_of_cards(middle: FloatArray, down: FloatArray, two_sided: NDArray[np.bool_]) -> FloatArray:
    """For each card a unit vector that points down as the row there stands, (n, 2).

    Args:
        middle: (n, 2) where the cards lie, pixels.
        down: (n, 2) how an index of each stands, of any length.
        two_sided: (n,) which cards show an index of the other end, too.
    """
    unit = down / np.linalg.norm(down, axis=1, keepdims=True)
    single = np.flatnonzero(~two_sided)
    if len(single) and len(single) * 2 >= len(unit):
        gap = np.linalg.norm(middle[:, None] - middle[None, single], axis=2)
        gap[single, np.arange(len(single))] = np.inf
        near = np.argsort(gap, axis=1)[:, :5]
        others = np.isfinite(np.take_along_axis(gap, near, axis=1))
        total = (unit[single[near]] * others[..., None]).sum(axis=1)
        length, count = np.linalg.norm(total, axis=1), others.sum(axis=1)
        use = (length > 0.6 * count) & (count > 2) | (two_sided & (length > 0))
        way = np.where(use[:, None], total / np.maximum(length, 1e-9)[:, None], unit)
        majority = _majority(unit[single])
        if not majority.any():
            bent = _bent_majority(middle, unit, single)
            return way if bent is None else bent
        return way * np.where(way @ majority < 0, -1.0, 1.0)[:, None]
    # The mean axis of all indices, the end of it that is nearer to the picture's down.
    axis, agreement = _mean_axis(unit)
    if agreement < _STRAIGHT and (bent := _agreeing(middle, unit)) is not None:
        axis, unit = bent.sum(axis=0), bent
        return -unit if (axis[1], axis[0]) < (0, 0) else unit
    axis = -axis if (axis[1], axis[0]) < (0, 0) else axis
    return unit * np.where(unit @ axis < 0, -1.0, 1.0)[:, None]


def _bent_majority(
    middle: FloatArray, unit: FloatArray, single: NDArray[np.intp]
) -> FloatArray | None:
    """The ways of a bent row's cards (n, 2), as most of those have it that show one index.

    Args:
        middle: (n, 2) where the cards lie.
        unit: (n, 2) how an index of each stands.
        single: those that show but one.

    Returns:
        None where it is no such row, or most do not agree.
    """
    bent = _agreeing(middle, unit)
    if bent is None or len(single) < _FEWEST:
        return None
    share = float(((unit[single] * bent[single]).sum(axis=1) > 0).mean())
    return None if 1 - _MOST < share < _MOST else bent if share > 0.5 else -bent


def _agreeing(middle: FloatArray, way: FloatArray) -> FloatArray | None:
    """Ways (n, 2), turned about so that neighbours stand alike, from card to nearest card.

    None where the axes of neighbours differ too much for that.
    """
    gap = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    out = np.array(way, float)
    near, nearest = np.full(len(out), np.inf), np.zeros(len(out), np.intp)
    left = np.ones(len(out), bool)
    card = 0
    for _ in range(len(out) - 1):  # Prim's minimum spanning tree
        left[card] = False
        closer = gap[card] < near
        near[closer], nearest[closer] = gap[card][closer], card
        card = int(np.argmin(np.where(left, near, np.inf)))
        cosine = float(out[card] @ out[nearest[card]])
        if abs(cosine) < _ALIKE:
            return None
        out[card] *= np.sign(cosine)
    return out


def standing(reads: Sequence[CardRead]) -> FloatArray:
    """The way most cards of a row stand, a unit vector (2,); zero where there is no such way."""
    ways = [read.indices[0].direction for read in reads if len(read.indices) == 1]
    return _majority(np.array(ways, float)) if ways else np.zeros(2)


def _majority(singles: FloatArray) -> FloatArray:
    """The way most cards of the picture stand, (2,); zero where there is no such way.

    There is one only where all indices lie along one axis and most of them one way round: then a
    few cards of which the far end alone shows (a hand covers the other) do not turn their line
    about. In a fan, or where cards are laid towards both sides of a table, there is none.
    """
    axis, agreement = _mean_axis(singles)
    along = singles @ axis
    share = float((along > 0).mean())
    if len(singles) < _FEWEST or agreement < _STRAIGHT or 1 - _MOST < share < _MOST:
        return np.zeros(2)
    return axis * np.sign(np.median(along))


def _mean_axis(ways: FloatArray) -> tuple[FloatArray, float]:
    """The axis along which ways (n, 2) lie, whichever way round, by doubled angles.

    Returns:
        A unit vector (2,), and how much they agree, 0 to 1.
    """
    double = 2 * np.arctan2(ways[:, 1], ways[:, 0])
    mean = np.array([np.cos(double).mean(), np.sin(double).mean()])
    angle = np.arctan2(mean[1], mean[0]) / 2
    return np.array([np.cos(angle), np.sin(angle)]), float(np.hypot(*mean))
