"""What differs between the versions of OpenCV that are allowed, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

#: OpenCV's level that logs nothing.
SILENT = 0


def _set_level(level: int) -> int:
    """Sets OpenCV's log level; returns the one before.

    Versions 4.13 and later do it in `cv2.utils.logging`, 4.10 to 4.12 in `cv2` itself.
    """
    modules: tuple[Any, ...] = (getattr(getattr(cv2, "utils", None), "logging", None), cv2)
    module = next(module for module in modules if hasattr(module, "setLogLevel"))
    return int(module.setLogLevel(level))


@contextmanager
def without_log() -> Iterator[None]:
    """Keeps OpenCV's own log off stderr: our error says the same in one line."""
    before = _set_level(SILENT)
    try:
        yield
    finally:
        _set_level(before)


def quad_around(hull: NDArray[np.generic]) -> NDArray[np.float32]:
    """The quadrilateral that holds a convex outline and is little larger than it.

    Args:
        hull: (n, 1, 2) or (n, 2) points in pixels, int32 or float32.

    Returns:
        (4, 2) whole pixels; fewer or more corners where no such quadrilateral exists.
    """
    if hasattr(cv2, "approxPolyN"):  # 4.11 and later
        found = cv2.approxPolyN(hull, 4, ensure_convex=True)
    else:
        found = np.rint(_without_short_sides(hull, 4))
    return np.asarray(found, np.float32).reshape(-1, 2)


def _without_short_sides(hull: NDArray[np.generic], sides: int) -> NDArray[np.float64]:
    """Takes sides away, each time the one whose neighbours meet with the least area added."""
    outline = cv2.convexHull(np.asarray(hull, np.float32).reshape(-1, 1, 2))
    corners = np.asarray(outline, np.float64).reshape(-1, 2)
    while len(corners) > sides:
        before, end, after = (np.roll(corners, shift, 0) for shift in (1, -1, -2))
        ahead, back, side = corners - before, after - end, end - corners
        turn = _cross(ahead, back)
        meets = np.abs(turn) > 1e-8
        far = np.where(meets, _cross(side, back), -1) / np.where(meets, turn, 1)
        tips = corners + ahead * far[:, None]
        added = np.where(far > 0, 0.5 * np.abs(_cross(tips - corners, side)), np.inf)
        k = int(added.argmin())
        if not np.isfinite(added[k]):
            break
        corners[k] = tips[k]
        corners = np.delete(corners, (k + 1) % len(corners), 0)
    return corners


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
