"""Finds single cards, tiles and coins on a plain table by their outlines, without a network.

Several ways to part things from the table are tried (by colour against the table round
about, by brightness, by edges); what best fills the wanted shape wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks import Deck
from vision.protocols import Image

Corners = NDArray[np.float32]
Mask = NDArray[np.uint8]

#: Longer side of the picture that is searched, in pixels.
WORKING_SIDE = 720
#: Least share of its own outline that a thing must fill, and of the outline by the thing.
LEAST_FIT = 0.9
#: Smallest and largest share of the picture that a thing may cover.
LEAST_AREA, MOST_AREA = 0.002, 0.93
#: Levels of brightness by which pieces are parted from the table, and how far colours must differ.
_LEVELS, _TINTED = range(32, 240, 16), 12.0
_SMALL = np.ones((3, 3), np.uint8)
#: A piece is so much larger than a frame printed on it, by area; their middles lie so near to each
#: other, as a share of the frame's size; and the piece may fit so much worse.
_FRAME, _SAME_MIDDLE, _WORSE = (1.08, 1.45), 0.04, 0.04


class Shape(StrEnum):
    """What kind of outline a deck's pieces have."""

    CARD = "card"
    TILE = "tile"
    COIN = "coin"

    @property
    def turns(self) -> int:
        """Ways to lie that are tried: two for a card, four for a tile, 24 for a coin."""
        return {"card": 2, "tile": 4, "coin": 24}[self.value]


def shape_of(deck: Deck) -> Shape:
    """The shape of a deck's pieces, by its family and size."""
    if deck.family.value == "coin":
        return Shape.COIN
    width, height = deck.size_mm
    return Shape.TILE if abs(width - height) < 0.1 * height else Shape.CARD


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a thing lies.

    Attributes:
        corners: (4, 2) pixels, clockwise; of a coin, the square about it. Which corner of the
            piece comes first is not known; a card's first side is a short one.
        fit: how well it fills its shape, 0 to 1.
    """

    corners: Corners
    fit: float

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the corners."""
        x, y = self.corners.mean(0)
        return float(x), float(y)

    @property
    def size(self) -> float:
        """Length of its longer sides in pixels."""
        sides = np.linalg.norm(self.corners - np.roll(self.corners, 1, 0), axis=1)
        return float(max(sides[0] + sides[2], sides[1] + sides[3]) / 2)


def find_outlines(image: Image, shape: Shape, *, aspect: float = 63 / 88) -> list[Outline]:
    """All separate things of a shape, the best fitting first.

    Args:
        image: (height, width, 3) BGR.
        shape: what to look for.
        aspect: width over height of a card.
    """
    scale = min(1.0, WORKING_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found: list[Outline] = []
    for mask in _masks(np.ascontiguousarray(small, np.uint8)):
        for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
            outline = _fitted(contour, small.shape[:2], shape, aspect)
            if outline is not None:
                found.append(outline)
    found.sort(
        key=lambda o: -o.fit - 0.1 * np.sqrt(cv2.contourArea(o.corners) / small[..., 0].size)
    )
    kept: list[Outline] = []
    for outline in found:
        if not any(_overlap(outline, other) > 0.3 for other in kept):
            kept.append(outline)
    kept = [_outermost(outline, found) for outline in kept]
    full = [((o.corners + 0.5) / scale - 0.5).astype(np.float32) for o in kept]
    if shape is not Shape.COIN:
        # Twice: from a piece's shadow or halo one step may not reach its side.
        full = [refined(image, refined(image, corners)) for corners in full]
    return [Outline(corners, o.fit) for corners, o in zip(full, kept, strict=True)]


def _outermost(outline: Outline, found: list[Outline]) -> Outline:
    """The piece itself, where an outline is but the frame that is printed on it."""
    area = cv2.contourArea(outline.corners)
    around = [
        other
        for other in found
        if _FRAME[0] * area < cv2.contourArea(other.corners) < _FRAME[1] * area
        and other.fit > outline.fit - _WORSE
        and np.hypot(*np.subtract(other.centre, outline.centre)) < _SAME_MIDDLE * outline.size
        and _overlap(other, outline) > 0.97
    ]
    return max(around, key=lambda o: cv2.contourArea(o.corners), default=outline)


def refined(image: Image, corners: Corners) -> Corners:
    """The corners where straight lines along the steepest change at each side meet.

    A side without such a line (too little contrast) stays as it is.
    """
    lines = []
    for k in range(4):
        a, b = corners[k].astype(float), corners[(k + 1) % 4].astype(float)
        lines.append(_edge_line(image, a, b) or (a, b))
    found = []
    for k in range(4):
        (p, q), (r, s) = lines[k - 1], lines[k]
        ways = np.column_stack([q - p, -(s - r)])
        if abs(np.linalg.det(ways)) < 1e-6:
            return corners
        t, _ = np.linalg.solve(ways, r - p)
        found.append(p + t * (q - p))
    moved = np.array(found, np.float32)
    limit = 0.06 * float(np.linalg.norm(corners[2] - corners[0]))
    return moved if float(np.abs(moved - corners).max()) < limit else corners


def _edge_line(
    image: Image, a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Two points of the straight edge near a side, None where there is none."""
    length = float(np.linalg.norm(b - a))
    reach = max(3.0, 0.025 * length)
    along = np.linspace(0.14, 0.86, 32)
    across = np.arange(-reach, reach + 0.01, 0.5)
    normal = np.array([a[1] - b[1], b[0] - a[0]]) / max(length, 1e-6)
    base = a + along[:, None] * (b - a)
    spots = (base[:, None] + across[None, :, None] * normal).astype(np.float32)
    strip = cv2.remap(image, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR,
                      borderMode=cv2.BORDER_REPLICATE).astype(np.float32)  # fmt: skip
    slope = np.abs(np.gradient(cv2.GaussianBlur(strip, (5, 1), 0), axis=1)).sum(2)
    best = slope.argmax(1)
    height = slope[np.arange(len(best)), best]
    k = np.clip(best, 1, slope.shape[1] - 2)
    left, mid, right = (slope[np.arange(len(k)), k + d] for d in (-1, 0, 1))
    bend = left - 2 * mid + right
    shift = np.where(np.abs(bend) > 1e-6, 0.5 * (left - right) / np.where(bend, bend, 1), 0)
    off = across[k] + 0.5 * np.clip(shift, -1, 1)
    keep = height > max(6.0, 0.3 * float(np.median(height)))
    for _ in range(4):
        if keep.sum() < 12:
            return None
        slant, start = np.polyfit(along[keep], off[keep], 1)
        rest = np.abs(off - (slant * along + start))
        keep &= rest < max(0.6, 2.5 * float(np.median(rest[keep])))
    return a + start * normal, b + (slant + start) * normal


def _masks(image: Image) -> Iterator[Mask]:
    lab = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), (0, 0), 1.0)
    light = np.ascontiguousarray(lab[..., 0])
    off = lab.astype(np.float32) - _table_around(lab)
    far = np.sqrt(((off * [0.7, 1.3, 1.3]) ** 2).sum(2))
    far8 = np.clip(far * 1.5, 0, 255).astype(np.uint8)
    otsu = cv2.threshold(far8, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[0] / 1.5
    for level in (otsu, 0.6 * otsu):
        yield _cleaned((far > level).astype(np.uint8) * 255)
    for colour in (off[..., 1], -off[..., 1], off[..., 2], -off[..., 2]):
        yield _cleaned((colour > _TINTED).astype(np.uint8) * 255)
    # On a patterned table no one brightness parts all pieces from it, but one parts each.
    for level in _LEVELS:
        for mask in (light > level, light <= level):
            yield _filled(cv2.morphologyEx(mask.astype(np.uint8) * 255, cv2.MORPH_OPEN, _SMALL))
    for low in (10, 20, 50):
        edges = cv2.Canny(light, low, 2.5 * low)
        yield _filled(cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)))


def _table_around(lab: Image) -> NDArray[np.uint8]:
    """The table's colour round about each pixel: shadows and uneven light are in it."""
    h, w = lab.shape[:2]
    small = cv2.resize(lab, (max(1, w // 4), max(1, h // 4)), interpolation=cv2.INTER_AREA)
    window = round(0.5 * min(small.shape[:2])) | 1
    around = cv2.resize(cv2.medianBlur(small, window), (w, h), interpolation=cv2.INTER_LINEAR)
    return np.asarray(around, np.uint8)


def _cleaned(mask: Mask) -> Mask:
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel)
    return _filled(cv2.morphologyEx(opened, cv2.MORPH_CLOSE, kernel))


def _filled(mask: Mask) -> Mask:
    """The mask with the holes of each part filled: print does not make holes in a card."""
    contours = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    out = np.zeros_like(mask)
    cv2.drawContours(out, contours, -1, 255, -1)
    return cv2.morphologyEx(out, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))  # type: ignore[return-value]


def _fitted(
    contour: NDArray[np.int32], size: tuple[int, ...], shape: Shape, aspect: float
) -> Outline | None:
    area, room = cv2.contourArea(contour), size[0] * size[1]
    if not LEAST_AREA * room < area < MOST_AREA * room or len(contour) < 5:
        return None
    x, y, w, h = cv2.boundingRect(contour)
    if x <= 1 or y <= 1 or x + w >= size[1] - 1 or y + h >= size[0] - 1:
        return None  # cut off by the picture's edge
    hull = cv2.convexHull(contour)
    if shape is Shape.COIN:
        return _ellipse(hull, area)
    quad = cv2.approxPolyN(hull, 4, ensure_convex=True).reshape(-1, 2).astype(np.float32)
    if len(quad) != 4:
        return None
    # A card's corners are rounded off: that costs about one per cent.
    fit = area / max(1.0, cv2.contourArea(quad)) * 1.01
    sides = np.linalg.norm(quad - np.roll(quad, -1, 0), axis=1)
    across, down = sides[0] + sides[2], sides[1] + sides[3]
    ratio = min(across, down) / max(across, down)
    wanted = aspect if shape is Shape.CARD else 1.0
    if fit < LEAST_FIT or not 0.55 * wanted < ratio < min(1.01, 1.5 * wanted):
        return None
    if shape is Shape.CARD and across > down:
        quad = np.roll(quad, -1, 0)
    if cv2.contourArea(quad, oriented=True) < 0:
        quad = np.roll(quad[::-1], 1 if shape is Shape.CARD else 0, 0)
        first = np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[3] - quad[2])
        second = np.linalg.norm(quad[2] - quad[1]) + np.linalg.norm(quad[0] - quad[3])
        if shape is Shape.CARD and first > second:
            quad = np.roll(quad, -1, 0)
    closeness = 1 - 0.25 * abs(np.log(ratio / wanted))
    return Outline(np.ascontiguousarray(quad, np.float32), float(min(1.0, fit) * closeness))


def _ellipse(hull: NDArray[np.int32], area: float) -> Outline | None:
    if len(hull) < 6:
        return None
    (cx, cy), (a, b), degrees = cv2.fitEllipseDirect(hull)
    if not (a > 4 and b > 4) or min(a, b) / max(a, b) < 0.4:
        return None
    whole = np.pi * a * b / 4
    fit = min(area / whole, whole / area)
    if fit < LEAST_FIT + 0.03:
        return None
    angle = np.radians(degrees)
    u = np.array([np.cos(angle), np.sin(angle)]) * (a + 1) / 2
    v = np.array([-np.sin(angle), np.cos(angle)]) * (b + 1) / 2
    centre = np.array([cx, cy])
    corners = np.array([centre - u - v, centre + u - v, centre + u + v, centre - u + v])
    return Outline(corners.astype(np.float32), float(fit * (1 - 0.1 * (1 - min(a, b) / max(a, b)))))


def _overlap(a: Outline, b: Outline) -> float:
    """Shared area over the smaller one's."""
    both, _ = cv2.intersectConvexConvex(a.corners, b.corners)
    least = min(cv2.contourArea(a.corners), cv2.contourArea(b.corners))
    return float(both / max(least, 1e-6))
