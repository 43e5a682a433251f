"""What differs between the versions of OpenCV that are allowed, in one place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

#: OpenCV's level that logs nothing.
SILENT = 0
_STDERR = 2
_LOCK = RLock()


def _set_level(level: int) -> int:
    """Sets OpenCV's log level; returns the one before.

    Versions 4.13 and later do it in `cv2.utils.logging`, 4.10 to 4.12 in `cv2` itself.
    """
    modules: tuple[Any, ...] = (getattr(getattr(cv2, "utils", None), "logging", None), cv2)
    module = next(module for module in modules if hasattr(module, "setLogLevel"))
    return int(module.setLogLevel(level))


@contextmanager
def without_log() -> Iterator[None]:
    """Keeps what OpenCV and its decoders log off stderr: our error says the same in one line.

    libpng, libjpeg and the reader of AVI files write to the process's stderr themselves, so that
    it leads nowhere meanwhile. One thread at a time: another would put the wrong one back.
    """
    with _LOCK, _nowhere():
        before = _set_level(SILENT)
        try:
            yield
        finally:
            _set_level(before)


@contextmanager
def _nowhere() -> Iterator[None]:
    """Lets the process's stderr lead nowhere; as it is where that cannot be done."""
    try:
        kept = os.dup(_STDERR)
    except OSError:  # it is closed
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDERR)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)


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
