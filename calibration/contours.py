"""Closed lines in a picture: the edges of whatever differs from what lies around it.

Several ways to part things from the table are tried (by colour against the table round about, by
brightness, by edges). What the lines are the edges of is not decided here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image

Mask = NDArray[np.uint8]
Contour = NDArray[np.int32]

#: Longer side of the picture that is searched, in pixels.
WORKING_SIDE = 720
#: Smallest and largest share of the picture that a line may enclose.
LEAST_AREA, MOST_AREA = 0.0008, 0.93
#: Levels of brightness by which pieces are parted from the table, and how far colours must differ.
_LEVELS, _TINTED = range(32, 240, 16), 12.0
#: Strengths of colour by which paper is parted from a table; grey has this value in both channels.
_COLOURS, _GREY = (2.5, 3.5, 5.0, 7.0, 10.0, 14.0, 20.0, 28.0), 128.0
#: Thin lines are narrower than this, in pixels, and darker by so many grey levels.
_THIN, _DARKER = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)), 12
_SMALL = np.ones((3, 3), np.uint8)


@dataclass(frozen=True, slots=True)
class Trace:
    """One closed line.

    Attributes:
        hull: (n, 1, 2) its convex hull, pixels of the small picture.
        area: what it encloses, in pixels; little where the line runs round about but is not closed.
    """

    hull: Contour
    area: float


@dataclass(frozen=True, slots=True)
class Traces:
    """All closed lines of a picture.

    Attributes:
        traces: not cut off by the picture's edge, in no order.
        size: height and width of the small picture in which they were looked for.
        scale: pixels of the small picture for one of the picture.
    """

    traces: tuple[Trace, ...]
    size: tuple[int, int]
    scale: float


def trace(image: Image, *, white: bool = False) -> Traces:
    """Finds the closed lines of a picture.

    Args:
        image: (height, width, 3) BGR.
        white: whether to look for what is paler in colour than the table as well.
    """
    scale = min(1.0, WORKING_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    found = []
    picture = np.ascontiguousarray(small, np.uint8)
    for mask in itertools.chain(_masks(picture), _pale(picture) if white else ()):
        for contour in cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
            if len(contour) < 5:
                continue
            x, y, w, h = cv2.boundingRect(contour)
            if x <= 1 or y <= 1 or x + w >= width - 1 or y + h >= height - 1:
                continue
            if LEAST_AREA * height * width < 0.8 * w * h < MOST_AREA * height * width:
                hull = np.asarray(cv2.convexHull(contour), np.int32)
                found.append(Trace(hull, cv2.contourArea(contour)))
    return Traces(tuple(found), (height, width), scale)


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
        tinted = (colour > _TINTED).astype(np.uint8) * 255
        yield _cleaned(tinted)
        # A thin frame printed on a piece is all that parts white paper from a white table.
        yield cv2.morphologyEx(tinted, cv2.MORPH_CLOSE, _SMALL)
    # On a patterned table no one brightness parts all pieces from it, but one parts each.
    for level in _LEVELS:
        bright = (light > level).astype(np.uint8) * 255
        for mask in (bright, 255 - bright):
            yield _filled(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _SMALL))
        # The white edge of a dark card is a thin ring, and opening it would break it.
        yield _filled(cv2.morphologyEx(bright, cv2.MORPH_CLOSE, _SMALL))
    # A ring printed on a coin is a thin line, darker than what lies on either side of it.
    lines = cv2.morphologyEx(light, cv2.MORPH_BLACKHAT, _THIN)
    thin = (lines > _DARKER).astype(np.uint8) * 255
    yield cv2.morphologyEx(thin, cv2.MORPH_CLOSE, _SMALL)
    for low in (10, 20, 50):
        edges = cv2.Canny(light, low, 2.5 * low)
        yield _filled(cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)))
        yield cv2.morphologyEx(edges, cv2.MORPH_CLOSE, _SMALL)


def _pale(image: Image) -> Iterator[Mask]:
    """What has less colour than its surroundings: paper on a table as light as itself."""
    # Blurred more than for brightness: cameras keep less of colours, and they are noisier.
    lab = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB).astype(np.float32), (0, 0), 2.0)
    colour = np.hypot(lab[..., 1] - _GREY, lab[..., 2] - _GREY)
    for level in _COLOURS:
        yield _cleaned((colour < level).astype(np.uint8) * 255)


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
    return cv2.morphologyEx(out, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
