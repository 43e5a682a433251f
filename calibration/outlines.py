"""Finds single cards, tiles and coins by their outlines, without a network.

Of the closed lines in a picture (`calibration.contours`) those that best have the wanted shape win.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.contours import Trace, Traces, trace
from calibration.discs import Disc, find_discs
from companion.decks import Deck
from vision.arrays import Image
from vision.images.opencv import quad_around

Corners = NDArray[np.float32]

#: Least share of its own outline that a thing must fill, and of the outline by the thing.
LEAST_FIT = 0.9
#: Smallest share of the picture that a card or tile may cover, and a coin.
LEAST_AREA, _LEAST_COIN = 0.002, 0.0012
#: Least share of a coin's edge that must be seen; a line seen so much less well than another is
#: none; the frame printed on a coin is at least so large, as a share of its radius.
_CLEAR, _ABOUT_AS_CLEAR, _PRINTED = 0.7, 0.1, 0.7
#: Where a steep view makes a card's long sides look the shorter ones, the two look so alike.
_FORESHORTENED = 0.8
#: So many other lines about the same middle are kept, if their areas differ by more than this.
_MOST_OTHERS, _OTHER_SIZE = 2, 0.06
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
        others: other lines about the same middle that may be its edge: print runs along it, shadows
            lie beside it. Those of cards and tiles are rough, see `sharpened`.
    """

    corners: Corners
    fit: float
    others: tuple[Corners, ...] = ()

    @property
    def on_its_side(self) -> Outline | None:
        """The same card with its long sides for the short ones, where a steep view hides which."""
        short, long = _spans(self.corners)
        if short < _FORESHORTENED * long:
            return None
        return replace(self, corners=np.roll(self.corners, -1, 0), others=())

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the corners."""
        x, y = self.corners.mean(0)
        return float(x), float(y)

    @property
    def size(self) -> float:
        """Length of its longer sides in pixels."""
        return max(_spans(self.corners))


def _spans(corners: Corners) -> tuple[float, float]:
    """Mean length of a quadrilateral's first and third side, and of the other two, pixels."""
    sides = np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1)
    return float(sides[0] + sides[2]) / 2, float(sides[1] + sides[3]) / 2


def traces_for(image: Image, shape: Shape) -> Traces:
    """The closed lines among which things of a shape are looked for.

    Args:
        image: (height, width, 3) BGR.
        shape: what to look for.
    """
    return trace(image, white=shape is Shape.CARD)


def find_outlines(
    image: Image,
    shape: Shape,
    *,
    aspect: float = 63 / 88,
    traces: Traces | None = None,
    below: float = math.inf,
) -> list[Outline]:
    """All separate things of a shape, the best fitting first.

    Args:
        image: (height, width, 3) BGR.
        shape: what to look for.
        aspect: width over height of a card.
        traces: the picture's closed lines, where they are known.
        below: greatest area of a card or tile, pixels.
    """
    lines = traces_for(image, shape) if traces is None else traces
    if shape is Shape.COIN:
        return _coins(image, lines)
    found = [
        outline
        for line in lines.traces
        if (outline := _fitted(line, lines.size, shape, aspect))
        and cv2.contourArea(outline.corners) < below * lines.scale**2
    ]
    room = lines.size[0] * lines.size[1]
    found.sort(key=lambda o: -o.fit - 0.1 * np.sqrt(cv2.contourArea(o.corners) / room))
    kept: list[Outline] = []
    for outline in found:
        if not any(overlap(outline, other) > 0.3 for other in kept):
            kept.append(outline)
    middles = np.array([o.corners.mean(0) for o in found]).reshape(-1, 2)
    areas = np.array([cv2.contourArea(o.corners) for o in found])
    return [_refined_outline(image, o, _about(o, found, middles, areas), lines.scale) for o in kept]


def _about(
    outline: Outline,
    found: Sequence[Outline],
    middles: NDArray[np.float64],
    areas: NDArray[np.float64],
) -> list[Outline]:
    """Those of about the same middle and size."""
    far = np.hypot(*(middles - outline.corners.mean(0)).T)
    ratio = areas / cv2.contourArea(outline.corners)
    most = _FRAME[1] ** 2
    near = (far < 4 * _SAME_MIDDLE * outline.size) & (ratio > 1 / most) & (ratio < most)
    return [found[k] for k in np.flatnonzero(near).tolist()]


def _refined_outline(
    image: Image, outline: Outline, found: Sequence[Outline], scale: float
) -> Outline:
    """A thing in pixels of the picture, its sides where the picture changes most."""
    whole = _outermost(outline, found)
    area = cv2.contourArea(whole.corners)
    known, others = [area], []
    for other in found:
        size = cv2.contourArea(other.corners)
        if all(abs(size / a - 1) > _OTHER_SIZE for a in known) and _is_within(other, whole):
            known.append(size)
            others.append(other)
            if len(others) == _MOST_OTHERS:
                break
    corners, *rest = (
        ((o.corners + 0.5) / scale - 0.5).astype(np.float32) for o in (whole, *others)
    )
    return Outline(sharpened(image, corners), whole.fit, tuple(rest))


def sharpened(image: Image, corners: Corners) -> Corners:
    """See `refined`; twice, as from a piece's shadow or halo one step may not reach its side."""
    return refined(image, refined(image, corners))


def _is_within(a: Outline, b: Outline) -> bool:
    """Whether one is within the other, with about the same middle and no other size by far."""
    ratio = cv2.contourArea(a.corners) / cv2.contourArea(b.corners)
    near = np.hypot(*np.subtract(a.centre, b.centre)) < 2 * _SAME_MIDDLE * b.size
    return bool(near and 1 / _FRAME[1] < ratio < _FRAME[1] and overlap(a, b) > 0.95)


def _coins(image: Image, lines: Traces) -> list[Outline]:
    """Round things, the clearest first; what is printed within a coin goes with it."""
    discs = find_discs(image, lines, _CLEAR)
    least = _LEAST_COIN * image.shape[0] * image.shape[1] / np.pi
    groups: list[list[Disc]] = []
    for disc in sorted(discs, key=lambda disc: -disc.radius):
        if disc.radius**2 < least:
            continue
        group = next((g for g in groups if _is_inside(disc, g[0])), None)
        if group is None:
            groups.append([disc])
        else:
            group.append(disc)
    found: list[Outline] = []
    edges: list[Disc] = []
    for group in groups:
        # The widest line that is seen nearly as well as the best is the edge of the coin itself.
        best = max(disc.clear for disc in group)
        edge = next(disc for disc in group if disc.clear > best - _ABOUT_AS_CLEAR)
        others = sorted((d for d in group if d is not edge), key=lambda d: -d.clear)
        corners = tuple(d.corners for d in others[:_MOST_OTHERS])
        if not any(_is_upon(edge, of) for of in edges):
            edges.append(edge)
            found.append(Outline(edge.corners, edge.clear, corners))
    return sorted(found, key=lambda o: -o.fit)


def _is_inside(disc: Disc, edge: Disc) -> bool:
    """Whether it may be printed on the coin with that edge."""
    far = math.dist(edge.centre, disc.centre)
    return far < 0.5 * edge.radius and disc.radius > _PRINTED * edge.radius


def _is_upon(disc: Disc, edge: Disc) -> bool:
    """Whether a round thing is but a part of what is printed on a coin."""
    far = math.dist(edge.centre, disc.centre)
    return far + disc.radius < 1.05 * edge.radius and disc.clear < edge.clear + _ABOUT_AS_CLEAR


def _outermost(outline: Outline, found: Sequence[Outline]) -> Outline:
    """The piece itself, where an outline is but the frame that is printed on it."""
    area = cv2.contourArea(outline.corners)
    around = [
        other
        for other in found
        if _FRAME[0] * area < cv2.contourArea(other.corners) < _FRAME[1] * area
        and other.fit > outline.fit - _WORSE
        and np.hypot(*np.subtract(other.centre, outline.centre)) < _SAME_MIDDLE * outline.size
        and overlap(other, outline) > 0.97
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
        slant, start = _line_through(along[keep], off[keep])
        rest = np.abs(off - (slant * along + start))
        keep &= rest < max(0.6, 2.5 * float(np.median(rest[keep])))
    return a + start * normal, b + (slant + start) * normal


def _line_through(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Slant and start of the straight line of least squares."""
    dx = x - x.mean()
    slant = float(dx @ y) / float(dx @ dx)
    return slant, float(y.mean()) - slant * float(x.mean())


def _fitted(line: Trace, size: tuple[int, int], shape: Shape, aspect: float) -> Outline | None:
    area, hull = line.area, line.hull
    if area < LEAST_AREA * size[0] * size[1]:
        return None
    quad = quad_around(hull)
    if len(quad) != 4:
        return None
    # A card's corners are rounded off: that costs about one per cent.
    fit = area / max(1.0, cv2.contourArea(quad)) * 1.01
    across, down = _spans(quad)
    ratio = min(across, down) / max(across, down)
    wanted = aspect if shape is Shape.CARD else 1.0
    if fit < LEAST_FIT or not 0.55 * wanted < ratio < min(1.01, 1.5 * wanted):
        return None
    if cv2.contourArea(quad, oriented=True) < 0:
        quad = quad[::-1]
    if shape is Shape.CARD and across > down:
        quad = np.roll(quad, -1, 0)
    closeness = 1 - 0.25 * abs(np.log(ratio / wanted))
    return Outline(np.ascontiguousarray(quad, np.float32), float(min(1.0, fit) * closeness))


def overlap(a: Outline, b: Outline) -> float:
    """Shared area over the smaller one's."""
    both, _ = cv2.intersectConvexConvex(a.corners, b.corners)
    least = min(cv2.contourArea(a.corners), cv2.contourArea(b.corners))
    return float(both / max(least, 1e-6))
