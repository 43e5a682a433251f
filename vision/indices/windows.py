"""Which parts of a picture to search for indices, where a coarser look has left traces of them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.arrays import Float32Array

Window = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, right and bottom not included."""

_CELL = 32
#: How far around a trace to search, in index heights and in pixels: the next card of a fan may have
#: left none, and a network wants to see what surrounds an index.
_HEIGHTS, _PIXELS = 1.0, 16.0
#: Above this share of the picture windows are not worth their edges.
_WORTH = 0.8


def whole(width: int, height: int) -> list[Window]:
    """The one window that is all of a picture."""
    return [(0, 0, width, height)]


def windows_around(
    centre: Float32Array, size: Float32Array, width: int, height: int
) -> list[Window]:
    """Windows that hold all traces with their surroundings.

    Args:
        centre: (n, 2) where the traces are, pixels.
        size: (n,) index heights, pixels.
        width: of the picture, pixels.
        height: of the picture, pixels.

    Returns:
        Windows that do not overlap, their edges on a grid of 32 pixels or at the picture's; the
        one that is `whole` where others would save little; none where there are no traces.
    """
    reach = (_HEIGHTS * size + _PIXELS)[:, None]
    limit = np.array([width, height])
    low = (np.clip(centre - reach, 0, limit - 1) // _CELL).astype(int)
    high = (np.clip(centre + reach, 0, limit - 1) // _CELL).astype(int) + 1
    cells = np.zeros((-(-height // _CELL), -(-width // _CELL)), np.uint8)
    for (x0, y0), (x1, y1) in zip(low.tolist(), high.tolist(), strict=True):
        cells[y0:y1, x0:x1] = 1
    count, _, stats, _ = cv2.connectedComponentsWithStats(cells, connectivity=8)
    boxes = [(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:count].tolist()]
    boxes = _merged(boxes)
    if sum(map(_area, boxes)) > _WORTH * cells.size:
        return whole(width, height)
    return [
        (x0 * _CELL, y0 * _CELL, min(x1 * _CELL, width), min(y1 * _CELL, height))
        for x0, y0, x1, y1 in boxes
    ]


def _merged(boxes: Sequence[Window]) -> list[Window]:
    """The boxes, any two joined that overlap or are no smaller apart, until none do."""
    apart: list[Window] = []
    waiting = list(boxes)
    while waiting:
        box = waiting.pop(0)
        other = next((other for other in apart if _belong(box, other)), None)
        if other is None:
            apart.append(box)
        else:
            apart.remove(other)
            waiting.append(_around(box, other))  # to be compared with all others anew
    return apart


def _belong(a: Window, b: Window) -> bool:
    """Whether two boxes overlap or the box around them is no larger than both."""
    overlap = max(a[0], b[0]) < min(a[2], b[2]) and max(a[1], b[1]) < min(a[3], b[3])
    return overlap or _area(_around(a, b)) <= _area(a) + _area(b)


def _around(a: Window, b: Window) -> Window:
    """The smallest box that holds both."""
    return (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def _area(box: Window) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])
