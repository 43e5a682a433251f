"""Which frames of a sweep are worth reading: the sharp ones, and none twice while the camera rests.

A hand-held camera is still for a moment now and then even while it pans; the sharpest of the few
frames of a fifth of a second is often much sharper than the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Image

#: Width to which a frame is reduced to see how far the camera has moved, pixels.
_SMALL = 160
#: Part of that width up to which little has changed, and how clear that must be, 0 to 1.
_AT_REST, _CLEAR = 0.04, 0.3
#: This much sharper than the last one a frame is worth reading though the camera rests.
_SHARPER = 1.3
#: So many frames in a row are passed over at most.
_MOST_PASSED = 3


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    t: float
    image: Image
    sharpness: float


def worth_reading(
    frames: Iterable[tuple[float, Image]], *, rate: float
) -> Iterator[tuple[float, Image]]:
    """The sharpest frame of each ``1 / rate`` seconds, but one of many that show the same.

    Args:
        frames: of a film, with their times in seconds.
        rate: most frames a second that are given.
    """
    last: _Frame | None = None
    small: NDArray[np.float32] | None = None
    passed = 0
    for frame in _sharpest(frames, rate):
        now = _reduced(frame.image)
        rests = (
            last is not None
            and small is not None
            and passed < _MOST_PASSED
            and frame.sharpness < _SHARPER * last.sharpness
            and _is_same_view(small, now)
        )
        passed = passed + 1 if rests else 0
        if not rests:
            last, small = frame, now
            yield frame.t, frame.image


def sharpest(
    frames: Iterable[tuple[float, Image]], *, rate: float
) -> Iterator[tuple[float, Image]]:
    """The sharpest frame of each ``1 / rate`` seconds, with its time in seconds."""
    return ((frame.t, frame.image) for frame in _sharpest(frames, rate))


def _sharpest(frames: Iterable[tuple[float, Image]], rate: float) -> Iterator[_Frame]:
    best: _Frame | None = None
    stretch = 0
    for t, image in frames:
        if int(t * rate + 1e-6) != stretch:
            if best is not None:
                yield best
            best, stretch = None, int(t * rate + 1e-6)
        sharpness = _sharpness(image)
        if best is None or sharpness > best.sharpness:
            best = _Frame(t, image, sharpness)
    if best is not None:
        yield best


def _sharpness(image: Image) -> float:
    """How much fine detail shows: comparable between pictures of nearly the same thing only."""
    grey = cv2.cvtColor(image[::2, ::2], cv2.COLOR_BGR2GRAY)
    return float(cv2.Laplacian(grey, cv2.CV_16S, ksize=3).std())


def _reduced(image: Image) -> NDArray[np.float32]:
    height = max(8, round(image.shape[0] * _SMALL / image.shape[1]))
    small = cv2.resize(image, (_SMALL, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)


def _is_same_view(before: NDArray[np.float32], now: NDArray[np.float32]) -> bool:
    """Whether the camera has stayed where it was."""
    if before.shape != now.shape:
        return False
    window = cv2.createHanningWindow(before.shape[::-1], cv2.CV_32F)
    (x, y), clear = cv2.phaseCorrelate(before, now, window)
    return bool(np.hypot(x, y) < _AT_REST * _SMALL and clear > _CLEAR)
