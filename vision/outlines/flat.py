"""What the cards of one picture have in common: their size, and how the table slants."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray
from vision.geometry import CARD_MM, project
from vision.types import IndexRead

_SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
#: How the depth of a card's corners is off, as a share; how much that weighs against a level view.
_NOISE, _LEVEL = 0.03, 0.05
#: Tilts that are tried, radians, and directions; how much a tilt and an unusual proportion cost.
_TILTS, _WAYS = np.radians(np.arange(0, 66, 5.0)), np.linspace(0, np.pi, 18, endpoint=False)
_TILT_COST, _USUAL_COST, _USUAL = 0.004, 0.15, float(np.log(CARD_MM[0] / CARD_MM[1]))


@dataclass(frozen=True, slots=True)
class Flat:
    """A view of the picture in which parallel sides of all cards on the table are parallel.

    Attributes:
        centre: (2,) pixels.
        slope: (2,) by how much nearer the table comes with each pixel, as a share of how far it is
            off at the centre.
    """

    centre: FloatArray
    slope: FloatArray

    @classmethod
    def level(cls, size: tuple[int, int]) -> Flat:
        """The picture as it is, of that width and height."""
        return cls((np.array(size) - 1) / 2, np.zeros(2))

    def view(self, points: FloatArray) -> FloatArray:
        """(..., 2) points of the picture in this view."""
        off = points - self.centre
        return np.asarray(off / (1 + off @ self.slope)[..., None])

    def picture(self, points: FloatArray) -> FloatArray:
        """(..., 2) points of this view in the picture."""
        return np.asarray(points / (1 - points @ self.slope)[..., None] + self.centre)


def flat_view(quads: FloatArray, size: tuple[int, int]) -> Flat:
    """The view in which the outlines of cards are parallelograms, as nearly as can be.

    Args:
        quads: (n, 4, 2) corners; without any, the picture is taken to be such a view.
        size: width and height of the picture.
    """
    if not len(quads):
        return Flat.level(size)
    centre = (np.array(size) - 1) / 2
    # A card's weights in its homography are as near as the table is at its corners: they are such
    # that both diagonals, weighted, have one middle. They change evenly over the picture.
    rows, wanted = [], []
    for quad in quads:
        off = quad - centre
        signed = np.vstack([off.T, np.ones(4)]) * np.array([1.0, -1.0, 1.0, -1.0])
        depth = np.linalg.svd(signed)[2][-1]
        near = 1 / (depth * np.sign(depth[0]))
        if not np.all((near > 0) & np.isfinite(near)):
            continue
        near /= near.mean()
        # near = k (1 + slope · off) for some k of this card.
        rows += [near[k] * off[k - 1] - near[k - 1] * off[k] for k in range(4)]
        wanted += [near[k - 1] - near[k] for k in range(4)]
    ridge = np.eye(2) * _LEVEL * max(size)
    matrix = np.vstack([*rows, ridge])
    goal = np.array([*wanted, 0.0, 0.0])
    weights = np.ones(len(goal))
    slope: FloatArray = np.zeros(2)
    for _ in range(3):
        slope = np.asarray(
            np.linalg.lstsq(matrix * weights[:, None], goal * weights, rcond=None)[0]
        )
        rest = np.abs(matrix @ slope - goal)
        weights[:-2] = 1 / np.maximum(1.0, rest[:-2] / _NOISE)
    return Flat(centre, np.asarray(slope))


@dataclass(frozen=True, slots=True)
class CardShape:
    """How cards look in the flat view of a picture.

    Attributes:
        metric: (2, 2) ``m`` with lengths on the table being those of ``m @ v``, up to scale.
        proportion: width over height of a card that is seen from straight above.
        width: of a card in the view, as lengths are by the metric.
    """

    metric: FloatArray
    proportion: float
    width: float

    @classmethod
    def usual(cls, width: float) -> CardShape:
        """What cards look like from straight above, if they are so wide, in pixels."""
        return cls(np.eye(2), CARD_MM[0] / CARD_MM[1], width)


def shape_of(quads: FloatArray, flat: Flat) -> CardShape:
    """What some cards tell of the table's slant, and of the proportion and the size of cards.

    Args:
        quads: (n, 4, 2) corners, the first side a short one.
        flat: the view.
    """
    quads = flat.view(quads)
    right = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    metric, proportion = _slant(right, down)
    # The width by the area: that is known better than either side.
    areas = np.linalg.norm(right @ metric.T, axis=1) * np.linalg.norm(down @ metric.T, axis=1)
    return CardShape(metric, proportion, float(np.sqrt(np.median(areas) * proportion)))


def index_place(quad: FloatArray, index: IndexRead) -> FloatArray:
    """(2,) where an index stands on a card, as shares of its width and height."""
    return place_on(quad, np.array(index.centre))


def place_on(quad: NDArray[np.floating], point: NDArray[np.floating]) -> FloatArray:
    """(2,) where a point lies on a card by its corners, (4, 2), as shares of width and height."""
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), _SQUARE)
    return np.asarray(project(matrix, point[None].astype(np.float64))[0])


def _slant(right: FloatArray, down: FloatArray) -> tuple[FloatArray, float]:
    """The slant of the table, in which all cards are rectangles of one proportion.

    Args:
        right: (n, 2) the ways along the cards' upper sides, pixels.
        down: (n, 2) and along their left sides.
    """
    tilt, way = (grid.ravel() for grid in np.meshgrid(_TILTS, _WAYS))
    c, s, stretch = np.cos(way), np.sin(way), 1 / np.cos(tilt)
    metrics = np.empty((len(tilt), 2, 2))
    metrics[:, 0, 0], metrics[:, 0, 1] = c, s
    metrics[:, 1, 0], metrics[:, 1, 1] = -s * stretch, c * stretch
    across = np.einsum("mij,nj->mni", metrics, right)
    along = np.einsum("mij,nj->mni", metrics, down)
    wide, high = np.linalg.norm(across, axis=2), np.linalg.norm(along, axis=2)
    askew = (across * along).sum(axis=2) / (wide * high)
    ratio = np.log(wide / high)
    usual = np.median(ratio, axis=1)
    cost = np.minimum(np.abs(askew), 0.2).mean(axis=1)
    cost += np.minimum(np.abs(ratio - usual[:, None]), 0.3).mean(axis=1)
    cost += _TILT_COST * tilt / _TILTS[1] + _USUAL_COST * np.abs(usual - _USUAL)
    best = int(cost.argmin())
    return metrics[best], float(np.exp(usual[best]))
