"""Drawings made of curves, in millimetres: the one source of the print and of its prototypes.

A contour is an array (3k + 1, 2) of cubic Bézier control points; x runs right and y down. A
drawing is a list of marks painted one over the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Contour = NDArray[np.float64]
Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Mark:
    """One painted thing.

    Attributes:
        contours: filled together by the even-odd rule, or stroked each.
        colour: of the paint.
        width: of the pen in mm; None where the contours are filled.
    """

    contours: tuple[Contour, ...]
    colour: Colour
    width: float | None = None

    def moved(self, matrix: Contour) -> Mark:
        """The mark under an affine map (2 × 3); the pen's width grows with the map's scale."""
        scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
        contours = tuple(c @ matrix[:, :2].T + matrix[:, 2] for c in self.contours)
        return replace(self, contours=contours, width=self.width and self.width * scale)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of a given size.

    Attributes:
        size: width and height in mm.
        marks: painted in this order.
        round: whether it is the inscribed disc that is cut out.
    """

    size: tuple[float, float]
    marks: tuple[Mark, ...]
    round: bool = False


def polygon(points: ArrayLike) -> Contour:
    """A closed contour with straight sides."""
    corners = np.asarray(points, float)
    return line(np.vstack([corners, corners[:1]]))


def line(points: ArrayLike) -> Contour:
    """An open contour of straight pieces."""
    p = np.asarray(points, float)
    a, b = p[:-1], p[1:]
    pieces = np.stack([a, a + (b - a) / 3, a + (b - a) * 2 / 3], 1).reshape(-1, 2)
    return np.vstack([pieces, p[-1:]])


def arc(
    cx: float, cy: float, rx: float, ry: float | None = None, start: float = 0.0, end: float = 360.0
) -> Contour:
    """Part of an ellipse from one angle to another (degrees, clockwise from the right)."""
    ry = rx if ry is None else ry
    pieces = max(1, int(np.ceil(abs(end - start) / 90 - 1e-9)))
    angles = np.radians(np.linspace(start, end, pieces + 1))
    reach = 4 / 3 * np.tan((angles[1] - angles[0]) / 4)
    on = np.stack([np.cos(angles), np.sin(angles)], 1)
    along = np.stack([-np.sin(angles), np.cos(angles)], 1) * reach
    rows = np.stack([on[:-1], on[:-1] + along[:-1], on[1:] - along[1:]], 1).reshape(-1, 2)
    return np.vstack([rows, on[-1:]]) * [rx, ry] + [cx, cy]


def rectangle(x: float, y: float, w: float, h: float, radius: float = 0.0) -> Contour:
    """A closed rectangle, its corners rounded where asked."""
    if radius <= 0:
        return polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)])
    r = radius
    corners = [
        arc(x + w - r, y + r, r, start=-90, end=0),
        arc(x + w - r, y + h - r, r, start=0, end=90),
        arc(x + r, y + h - r, r, start=90, end=180),
        arc(x + r, y + r, r, start=180, end=270),
    ]
    return joined([*corners, corners[0][:1]])


def joined(parts: Iterable[Contour]) -> Contour:
    """One contour through several, with straight pieces between them."""
    whole: Contour | None = None
    for part in parts:
        if whole is None:
            whole = part
            continue
        bridge = line(np.vstack([whole[-1:], part[:1]]))
        whole = np.vstack([whole, bridge[1:], part[1:]])
    assert whole is not None
    return whole


def mirrored(half: Contour, axis: float = 0.0) -> Contour:
    """A closed contour from its right half, drawn from the top to the bottom."""
    left = half[::-1] * [-1, 1] + [2 * axis, 0]
    return joined([half, left, half[:1]])


def shifted(contour: Contour, x: float, y: float) -> Contour:
    """The contour moved."""
    return np.asarray(contour + np.array([x, y]))


def placed(
    marks: Iterable[Mark], x: float, y: float, scale: float = 1.0, degrees: float = 0.0
) -> tuple[Mark, ...]:
    """Marks drawn about the origin, turned clockwise, scaled and moved."""
    a = np.radians(degrees)
    c, s = np.cos(a) * scale, np.sin(a) * scale
    matrix = np.array([[c, -s, x], [s, c, y]])
    return tuple(mark.moved(matrix) for mark in marks)


def straight(contour: Contour) -> NDArray[np.bool_]:
    """Which of a contour's pieces are straight, (k,)."""
    pieces = np.stack([contour[k : len(contour) - 3 + k : 3] for k in range(4)], 1)
    a, b, c, d = pieces.transpose(1, 0, 2)
    off = np.abs(b - (2 * a + d) / 3) + np.abs(c - (a + 2 * d) / 3)
    return np.asarray(off.max(1) < 1e-3)


def flattened(contour: Contour, steps: int = 12) -> Contour:
    """The contour as a polyline, ``steps`` pieces a curve; straight pieces stay whole."""
    t = np.linspace(0, 1, steps + 1)[1:, None]
    out = [contour[:1]]
    for k, plain in enumerate(straight(contour)):
        a, b, c, d = contour[3 * k : 3 * k + 4]
        if plain:
            out.append(d[None])
            continue
        out.append((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)
    return np.vstack(out)


def gathered(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks that do not touch, joined into one a colour and pen: quicker to paint and to print."""
    found: dict[tuple[Colour, float | None], list[Contour]] = {}
    for mark in marks:
        found.setdefault((mark.colour, mark.width), []).extend(mark.contours)
    return tuple(Mark(tuple(contours), *key) for key, contours in found.items())


def rasterised(drawing: Drawing, px_per_mm: float = 6.0, oversample: int = 3) -> Image:
    """The drawing as a picture, BGRA, transparent outside a disc."""
    import cv2  # drawings alone do without it

    width, height = (round(v * px_per_mm) for v in drawing.size)
    k = px_per_mm * oversample
    canvas = np.full((height * oversample, width * oversample, 3), 255, np.uint8)
    for mark in drawing.marks:
        colour = mark.colour[::-1]
        # OpenCV counts pixels from their centres, and takes fixed-point corners.
        lines = [np.round((flattened(c) * k - 0.5) * 16).astype(np.int32) for c in mark.contours]
        if mark.width is None:
            cv2.fillPoly(canvas, lines, colour, cv2.LINE_AA, 4)
        else:
            cv2.polylines(canvas, lines, False, colour, max(1, round(mark.width * k)),
                          cv2.LINE_AA, 4)  # fmt: skip
    small = cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA)
    alpha = np.full((height, width, 1), 255, np.uint8)
    if drawing.round:
        mask = np.zeros((height * 4, width * 4), np.uint8)
        cv2.circle(mask, (width * 2, height * 2), min(width, height) * 2, 255, -1)
        alpha = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)[..., None]
    return np.concatenate([small, alpha], axis=2)


def strokes(contours: Sequence[Contour], colour: Colour, width: float) -> Mark:
    """A stroked mark."""
    return Mark(tuple(contours), colour, width)


def filled(contours: Sequence[Contour], colour: Colour) -> Mark:
    """A filled mark."""
    return Mark(tuple(contours), colour)
