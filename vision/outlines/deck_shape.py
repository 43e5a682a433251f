"""What the cards of one picture have in common: how their deck is printed, how the table slants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import FloatArray
from vision.geometry import CARD_MM, INDEX_MM, LEAD_MM, project
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

    def index(self, index: IndexRead) -> IndexRead:
        """An index in this view."""
        half = np.array(index.direction) * index.size / 2
        centre = np.array(index.centre)
        top, bottom = self.view(np.array([centre - half, centre + half]))
        (x, y), way = self.view(centre), bottom - top
        size = max(float(np.hypot(*way)), 1e-9)
        u, v = way / size
        return replace(
            index, centre=(float(x), float(y)), direction=(float(u), float(v)), size=size
        )


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
class DeckShape:
    """How the cards of a deck look in one picture.

    Attributes:
        index: (2,) where the index stands, as shares of the card's width and height.
        size: height of an index as a share of the card's height.
        proportion: width over height of a card that is seen from straight above.
        width: of a card in the view, as lengths are by the metric.
        cards: of so many cards this is known.
        metric: (2, 2) ``m`` with lengths on the table being those of ``m @ v``, up to scale.
    """

    index: FloatArray
    size: float
    proportion: float
    metric: FloatArray
    width: float
    cards: int

    @classmethod
    def usual(cls, width: float, *, cards: int) -> DeckShape:
        """What most decks look like from straight above, if cards are so wide, in pixels.

        Args:
            width: of a card.
            cards: of so many it is known.
        """
        place = np.array(LEAD_MM) / np.array(CARD_MM)
        proportion = CARD_MM[0] / CARD_MM[1]
        return cls(place, INDEX_MM / CARD_MM[1], proportion, np.eye(2), width, cards)

    def misplaced(self, quad: FloatArray, index: IndexRead) -> float:
        """How far from where it should be an index stands, as a share of the card.

        Args:
            quad: (4, 2) corners, the first one beside the card's first index.
            index: that index.
        """
        return float(np.abs(index_place(quad, index) - self.index).max())

    def misshapen(self, quad: FloatArray) -> float:
        """By how much a card's proportion differs from the deck's, as a share."""
        wide = np.linalg.norm(self.metric @ (quad[1] + quad[2] - quad[0] - quad[3]))
        high = np.linalg.norm(self.metric @ (quad[2] + quad[3] - quad[0] - quad[1]))
        return float(abs(np.log(wide / max(float(high), 1e-9) / self.proportion)))

    def with_side(self, quad: FloatArray, side: int) -> FloatArray:
        """The corners with a hidden side put where the deck's proportion has it.

        Args:
            quad: (4, 2) corners, the first one beside the index.
            side: 1 for the side across from the index, 2 for the end.
        """
        out = quad.copy()
        wide, high = quad[1] - quad[0], quad[3] - quad[0]
        ratio = float(np.linalg.norm(self.metric @ wide) / np.linalg.norm(self.metric @ high))
        if side == 1:
            share = self.proportion / ratio
            out[1], out[2] = quad[0] + share * wide, quad[3] + share * (quad[2] - quad[3])
        else:
            share = ratio / self.proportion
            out[3], out[2] = quad[0] + share * high, quad[1] + share * (quad[2] - quad[1])
        return out

    def across(self, down: FloatArray) -> FloatArray:
        """The way along the upper side of a card, per pixel of its height, from the way down."""
        x, y = self.metric @ down
        return np.asarray(np.linalg.solve(self.metric, np.array([y, -x])) * self.proportion)

    def card_of(self, index: IndexRead, *, mirrored: bool) -> FloatArray:
        """(4, 2) corners of a card by one index, clockwise (or not, if mirrored) from its own."""
        down = np.array(index.direction) * index.size / self.size
        right = self.across(down) * (-1 if mirrored else 1)
        origin = np.array(index.centre) - self.index[0] * right - self.index[1] * down
        return np.array([origin, origin + right, origin + right + down, origin + down])


def with_more(deck: DeckShape, quads: FloatArray, flat: Flat) -> DeckShape:
    """The shape with what further cards tell of the table's slant and of the proportion.

    Args:
        deck: the shape so far.
        quads: (n, 4, 2) corners of all cards in the view, the first side a short one.
        flat: the view.
    """
    metric, proportion, width = _measures(flat.view(quads))
    return replace(deck, metric=metric, proportion=proportion, width=width, cards=len(quads))


def index_place(quad: FloatArray, index: IndexRead) -> FloatArray:
    """(2,) where an index stands on a card, as shares of its width and height."""
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), _SQUARE)
    return np.asarray(project(matrix, np.array([index.centre]))[0])


def deck_shape(
    quads: Sequence[FloatArray], indices: Sequence[Sequence[IndexRead]]
) -> DeckShape | None:
    """The shape that the outlines of some cards have in common.

    Args:
        quads: (4, 2) corners, the first one beside the card's first index.
        indices: two opposite indices of each.

    Returns:
        None without cards.
    """
    if not quads:
        return None
    places, sizes = [], []
    for quad, (first, second) in zip(quads, indices, strict=True):
        places += [index_place(quad, first), 1 - index_place(quad, second)]
        high = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
        sizes.append((first.size + second.size) / float(high))
    metric, proportion, width = _measures(np.array(quads))
    place, size = np.median(places, axis=0), float(np.median(sizes))
    return DeckShape(place, size, proportion, metric, width, len(quads))


def _measures(quads: FloatArray) -> tuple[FloatArray, float, float]:
    """The metric, the proportion and the width of cards by their outlines in the flat view."""
    right = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    metric, proportion = _slant(right, down)
    # The width by the area: that is known better than either side.
    areas = np.linalg.norm(right @ metric.T, axis=1) * np.linalg.norm(down @ metric.T, axis=1)
    return metric, proportion, float(np.sqrt(np.median(areas) * proportion))


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
