"""The geometry of cards in millimetres, and the plane of the table that they lie on.

Cards are rectangles of one known size, wherever they lie. Their outlines in the picture therefore
tell the homography to the table, up to where its origin is and how it is turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray
from vision.types import IndexRead, Quad, as_quad

#: Width and height of a card where nothing else is known, mm.
CARD_MM = (63.0, 88.0)
#: The middle of an index from the card's left and upper edge, and its height, usually, mm.
LEAD_MM = (5.5, 14.0)
INDEX_MM = 17.0
#: The same height where cards of a row are compared, mm, and from a card's leading index to the
#: opposite one, in such heights, right and down.
_ROW_INDEX_MM = 18.0
OPPOSITE = (
    (CARD_MM[0] - 2 * LEAD_MM[0]) / _ROW_INDEX_MM,
    (CARD_MM[1] - 2 * LEAD_MM[1]) / _ROW_INDEX_MM,
)
#: An index is so wide, in its heights.
_INDEX_WIDTH = 0.62
#: From so many cards on, lying far enough apart, the slant of the camera can be told.
_ENOUGH = 3
_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Plane:
    """Homography from pixels to millimetres on the table.

    Attributes:
        matrix: (3, 3), pixels to millimetres.
        cards: number of outlines it was made of, 0 where it was given.
        error: root mean square distance of the outlines' corners from true cards, millimetres.
    """

    matrix: FloatArray
    cards: int = 0
    error: float = 0.0

    def to_mm(self, points: FloatArray) -> FloatArray:
        """Places on the table of (n, 2) pixels."""
        return project(self.matrix, points)

    def to_pixels(self, points: FloatArray) -> FloatArray:
        """Pixels of (n, 2) places on the table."""
        return project(np.asarray(np.linalg.inv(self.matrix), np.float64), points)


def within(quad: FloatArray, points: FloatArray) -> NDArray[np.bool_]:
    """(n,) which of some points lie inside a convex quadrilateral.

    Args:
        quad: (4, 2) its corners in order.
        points: (n, 2).
    """
    sides = np.roll(quad, -1, axis=0) - quad
    off = points[:, None] - quad
    turns = sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0]
    return np.asarray((turns > 0).all(axis=1) | (turns < 0).all(axis=1))


def project(matrix: FloatArray, points: FloatArray) -> FloatArray:
    """(n, 2) points under a homography.

    Args:
        matrix: (3, 3).
        points: (n, 2).
    """
    points = np.asarray(points, float).reshape(-1, 2)
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def fit_plane(
    outlines: Sequence[FloatArray], size_mm: tuple[float, float] = CARD_MM
) -> Plane | None:
    """The table from outlines of cards that lie flat on it.

    In turn the cards are laid onto the table as rigid rectangles and the homography is fitted to
    their corners, until both agree; a few cards close together give a plane without slant.

    Args:
        outlines: (4, 2) corners in pixels each, in order around the card, the first two along its
            short side.
        size_mm: width and height of a card.

    Returns:
        The plane; None without outlines.
    """
    quads = [np.asarray(quad, float).reshape(4, 2) for quad in outlines]
    quads = [quad for quad in quads if abs(_area(quad)) > 1.0]
    if not quads:
        return None
    face = rectangle(size_mm)
    largest = max(quads, key=lambda quad: abs(_area(quad)))
    matrix = _affine(largest, face)
    slanted = len(quads) >= _ENOUGH and _spread(quads) > 2.0
    corners = np.concatenate(quads)
    for _ in range(_ROUNDS if len(quads) > 1 else 1):
        laid = np.concatenate([rigid(project(matrix, quad), face) for quad in quads])
        if slanted:
            found, _mask = cv2.findHomography(corners, laid, 0)
            matrix = matrix if found is None else np.asarray(found, float)
        else:
            matrix = _affine(corners, laid)
    laid = np.concatenate([rigid(project(matrix, quad), face) for quad in quads])
    error = float(np.sqrt(np.mean(np.sum((project(matrix, corners) - laid) ** 2, axis=1))))
    return Plane(matrix, len(quads), error)


def rectangle(size_mm: tuple[float, float]) -> FloatArray:
    """(4, 2) corners of a card about its centre, clockwise from the top left."""
    w, h = size_mm[0] / 2, size_mm[1] / 2
    return np.array([(-w, -h), (w, -h), (w, h), (-w, h)])


def rigid(corners: FloatArray, face: FloatArray) -> FloatArray:
    """The rectangle turned and moved (not stretched) to lie as near as it can to four corners."""
    centre = corners.mean(axis=0)
    given, model = corners - centre, face - face.mean(axis=0)
    across = float(np.sum(given[:, 1] * model[:, 0] - given[:, 0] * model[:, 1]))
    along = float(np.sum(given * model))
    length = max(float(np.hypot(across, along)), 1e-12)
    c, s = along / length, across / length
    return np.asarray(centre + model @ np.array([[c, s], [-s, c]]))


def _affine(source: FloatArray, target: FloatArray) -> FloatArray:
    """Least squares affine map as a (3, 3) matrix."""
    design = np.column_stack([source, np.ones(len(source))])
    solved = np.linalg.lstsq(design, target, rcond=None)[0]
    return np.vstack([solved.T, [0.0, 0.0, 1.0]])


def _area(quad: FloatArray) -> float:
    x, y = quad.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def _spread(quads: Sequence[FloatArray]) -> float:
    """How far the cards lie apart, in card heights."""
    centres = np.array([quad.mean(axis=0) for quad in quads])
    height = np.median([np.linalg.norm(quad[3] - quad[0]) for quad in quads])
    return float(np.linalg.norm(np.ptp(centres, axis=0)) / max(height, 1e-9))


def index_box(index: IndexRead) -> Quad:
    """The oriented box of an index, clockwise from its top left."""
    down = np.array(index.direction) * index.size / 2
    right = np.array([down[1], -down[0]]) * _INDEX_WIDTH
    centre = np.array(index.centre)
    upper, lower = centre - down, centre + down
    return as_quad(np.array((upper - right, upper + right, lower + right, lower - right)))


def card_outline(indices: Sequence[IndexRead]) -> Quad | None:
    """The card's outline from two opposite indices, or None.

    The down axis is the indices' own; the diagonal between two indices of a 63 × 88 mm card then
    gives both scales. Shear (a strongly tilted view) is left out.
    """
    for first in indices:
        for second in indices:
            down = np.array(first.direction) - np.array(second.direction)
            if np.hypot(*down) < 1.6:
                continue
            down = down / np.hypot(*down)
            right = np.array([down[1], -down[0]])
            v = np.array(second.centre) - np.array(first.centre)
            across, along = float(v @ right), float(v @ down)
            if across < first.size or along < first.size:
                continue
            x = right * across / (CARD_MM[0] - 2 * LEAD_MM[0])
            y = down * along / (CARD_MM[1] - 2 * LEAD_MM[1])
            origin = np.array(first.centre) - LEAD_MM[0] * x - LEAD_MM[1] * y
            right, down = CARD_MM[0] * x, CARD_MM[1] * y
            return as_quad(np.array((origin, origin + right, origin + right + down, origin + down)))
    return None
