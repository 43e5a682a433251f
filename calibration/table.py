"""The table's plane and the players' zones, from cards that lie on it or from four taps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outlines import Shape, find_outlines
from companion.atomic_io import write_private
from companion.decks import POKER_MM
from companion.errors import UnreadableError, UsageError
from vision.arrays import Image

FloatArray = NDArray[np.float64]

#: How far cards' corners may lie from where the plane has them, in mm: beyond this it is no plane.
GOOD_MM, POOR_MM = 1.5, 4.0
_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class TablePlane:
    """The plane that cards lie on.

    Attributes:
        size: width and height of the picture in pixels.
        to_mm: (3, 3) homography from pixels to millimetres on the table.
        error: root mean square distance of the cards' corners from the plane's, in mm.
        cards: how many cards it was made from; 0 where four corners were tapped.
        places: (n, 2) middles of the cards in pixels, or nothing.
    """

    size: tuple[int, int]
    to_mm: FloatArray
    error: float
    cards: int
    places: FloatArray

    @property
    def verdict(self) -> str:
        """How good it is, in words with the limits."""
        if not self.cards:
            return "from four taps: as good as they were"
        if self.error <= GOOD_MM:
            return f"good: cards fit within {self.error:.1f} mm (up to {GOOD_MM} is good)"
        if self.error <= POOR_MM:
            return (
                f"usable: cards fit within {self.error:.1f} mm; calibrate the camera's lens first"
            )
        return (
            f"poor: cards fit only within {self.error:.1f} mm (beyond {POOR_MM}); lay them flat, "
            "apart, all of one size"
        )

    def millimetres(self, points: FloatArray) -> FloatArray:
        """Where points (n, 2) of the picture lie on the table, in mm."""
        return _mapped(self.to_mm, points)

    def pixels(self, points: FloatArray) -> FloatArray:
        """Where points (n, 2) of the table are in the picture."""
        return _mapped(np.asarray(np.linalg.inv(self.to_mm), np.float64), points)


def table_from_cards(image: Image, *, size_mm: tuple[float, float] = POKER_MM) -> TablePlane:
    """The plane from cards lying apart.

    The homography under which every card is a rectangle of the known size, found by turns: cards
    are fitted to the plane, then the plane to the cards.

    Args:
        image: a photo, best straightened (`calibration.lens.Lens.straightened`).
        size_mm: width and height of a card.

    Raises:
        UnreadableError: no card is found.
    """
    w, h = size_mm
    outlines = find_outlines(image, Shape.CARD, aspect=w / h)
    if not outlines:
        raise UnreadableError(
            "No card is seen. Lay one or more apart on a plain table of another colour, or name "
            "four corners of the table."
        )
    seen = np.array([o.corners for o in outlines], float)
    flat = np.array([[0, 0], [w, 0], [w, h], [0, h]], float) - [w / 2, h / 2]
    largest = int(np.argmax([o.size for o in outlines]))
    to_mm = np.array(cv2.getPerspectiveTransform(
        seen[largest].astype(np.float32), flat.astype(np.float32)), float)  # fmt: skip
    laid = np.empty_like(seen)
    for _ in range(_ROUNDS):
        for k, corners in enumerate(seen):
            laid[k] = _as_card(_mapped(to_mm, corners), flat)
        fitted, _ = cv2.findHomography(seen.reshape(-1, 2), laid.reshape(-1, 2))
        if fitted is None:
            break
        to_mm = np.array(fitted, float)
    off = np.linalg.norm(_mapped(to_mm, seen.reshape(-1, 2)) - laid.reshape(-1, 2), axis=1)
    places = seen.mean(1)
    error = float(np.sqrt((off**2).mean()))
    return TablePlane((image.shape[1], image.shape[0]), to_mm, error, len(outlines), places)


def table_from_taps(
    size: tuple[int, int], corners: Sequence[tuple[float, float]], size_mm: tuple[float, float]
) -> TablePlane:
    """The plane from the four corners of a rectangle on it.

    Args:
        size: width and height of the picture.
        corners: in pixels, clockwise from the upper left.
        size_mm: width and height of that rectangle.

    Raises:
        UsageError: they are not four corners of something, clockwise.
    """
    tapped = np.array(corners, np.float32).reshape(-1, 2)
    if len(tapped) != 4 or not cv2.isContourConvex(tapped.reshape(-1, 1, 2)):
        raise UsageError("Name four corners of the table, clockwise from its upper left.")
    w, h = size_mm
    flat = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    to_mm = np.array(cv2.getPerspectiveTransform(tapped, flat), float)
    return TablePlane(size, to_mm, 0.0, 0, np.zeros((0, 2)))


def whole_picture() -> FloatArray:
    """The zone of a table without players: corners as fractions of the picture's size."""
    return np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def seat_zones(
    table: TablePlane, names: Sequence[str], *, middle: str | None = None
) -> dict[str, FloatArray]:
    """A zone for each player: the part of the table nearer to their card than to any other.

    Args:
        table: with a card before each player; without cards the players sit evenly around.
        names: of the players, clockwise as seen in the picture, from the one at its lower edge.
        middle: name of a zone between all players; None for none.

    Returns:
        Polygons by name, corners as fractions of the picture's width and height.

    Raises:
        UsageError: there are not as many cards as players.
    """
    width, height = table.size
    if len(table.places) and len(table.places) != len(names):
        raise UsageError(
            f"{len(table.places)} cards are seen and {len(names)} players named: lay one card "
            "before each player, and none elsewhere."
        )
    places = table.millimetres(table.places) if len(table.places) else _around(table, len(names))
    order = _clockwise(table, places)
    points = [places[k] for k in order]
    labels = list(names)
    if middle is not None:
        points.append(np.mean(places, axis=0))
        labels.append(middle)
    frame = table.millimetres(np.array([[0, 0], [width, 0], [width, height], [0, height]], float))
    zones = {}
    for k, name in enumerate(labels):
        polygon = frame
        for j, other in enumerate(points):
            if j != k:
                polygon = _nearer(polygon, points[k], other)
        if len(polygon) < 3:
            raise UnreadableError("The zones cannot be drawn: cards lie one on the other.")
        zones[name] = np.clip(table.pixels(polygon) / [width, height], 0, 1)
    return zones


def save_table(table: TablePlane, zones: dict[str, FloatArray], path: Path) -> None:
    """Writes a zones file as `companion watch --zones` reads it, with the plane beside the zones.

    Raises:
        CompanionError: it cannot be written.
    """
    write_private(path, json.dumps(table_json(table, zones), indent=1) + "\n")


def table_json(table: TablePlane, zones: dict[str, FloatArray]) -> dict[str, object]:
    """What is known of a table; the homography is from fractions of the picture to mm."""
    scale = np.diag([table.size[0], table.size[1], 1.0])
    plane = table.to_mm @ scale
    return {
        "zones": {name: np.round(polygon, 5).tolist() for name, polygon in zones.items()},
        "plane": np.round(plane / plane[2, 2], 6).tolist(),
        "error_mm": round(table.error, 3),
        "cards": table.cards,
        "verdict": table.verdict,
    }


def _mapped(matrix: FloatArray, points: FloatArray) -> FloatArray:
    rows = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(rows[:, :2] / rows[:, 2:])


def _as_card(corners: FloatArray, flat: FloatArray) -> FloatArray:
    """The card of true size that lies nearest to four corners (Procrustes without scale)."""
    centre = corners.mean(0)
    u, _, vt = np.linalg.svd(flat.T @ (corners - centre))
    turn = u @ np.diag([1.0, float(np.sign(np.linalg.det(u @ vt)))]) @ vt
    return np.asarray(flat @ turn + centre)


def _around(table: TablePlane, count: int) -> FloatArray:
    """Places of players who sit evenly around the tapped rectangle, the first at its lower edge."""
    corners = table.millimetres(
        np.array([[0, 0], [table.size[0], 0], [table.size[0], table.size[1]], [0, table.size[1]]],
                 float))  # fmt: skip
    centre = corners.mean(0)
    reach = np.abs(corners - centre).mean(0) * 0.7
    angles = np.pi / 2 + 2 * np.pi * np.arange(count) / count
    return np.asarray(centre + np.column_stack([np.cos(angles), np.sin(angles)]) * reach)


def _clockwise(table: TablePlane, places: FloatArray) -> list[int]:
    """Places in clockwise order of the picture, the lowest in it first."""
    seen = table.pixels(places)
    centre = seen.mean(0)
    angles = np.arctan2(seen[:, 1] - centre[1], seen[:, 0] - centre[0])
    order = np.argsort(angles).tolist()
    first = order.index(int(np.argmax(seen[:, 1])))
    return [int(k) for k in order[first:] + order[:first]]


def _nearer(polygon: FloatArray, own: FloatArray, other: FloatArray) -> FloatArray:
    """The part of a polygon nearer to one point than to another (Sutherland–Hodgman)."""
    way, middle = other - own, (own + other) / 2
    side = (polygon - middle) @ way
    kept = []
    for k in range(len(polygon)):
        a, b, p, q = polygon[k - 1], polygon[k], side[k - 1], side[k]
        if (p <= 0) != (q <= 0):
            kept.append(a + (b - a) * p / (p - q))
        if q <= 0:
            kept.append(b)
    return np.array(kept) if kept else np.zeros((0, 2))
