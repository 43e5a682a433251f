"""A small grey copy of each frame: has anything changed?

Reading a frame costs far more than comparing thumbnails, so a table on which nothing moves is not
read again.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray, Image

#: Width of the thumbnail in pixels.
WIDTH = 320
#: Blocks of so many pixels of the thumbnail are compared as one, so that noise averages out.
BLOCK = 8
#: A block has changed when its mean differs by so many grey levels from what the light explains.
CHANGED = 6.0

Grey = NDArray[np.float32]


def thumbnail(image: Image) -> Grey:
    """A grey copy of a frame, ``WIDTH`` pixels wide."""
    height, width = image.shape[:2]
    size = (WIDTH, max(1, round(height * WIDTH / width)))
    step = max(1, width // (2 * WIDTH))
    small = cv2.resize(image[::step, ::step], size, interpolation=cv2.INTER_AREA)
    grey = small if small.ndim == 2 else cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (3, 3), 0), np.float32)


def blocks(grey: Grey) -> Grey:
    """Means of blocks of a thumbnail."""
    height, width = grey.shape
    size = (max(1, width // BLOCK), max(1, height // BLOCK))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)


def changed_share(old: Grey, new: Grey) -> float:
    """Share of blocks that changed by more than a change of the light explains, 0 to 1."""
    lit = old > CHANGED
    gain = float(np.median(new[lit] / old[lit])) if lit.any() else 1.0
    gain = min(1.6, max(0.6, gain))
    return float(np.mean(np.abs(new - gain * old) > CHANGED))


def shift_of(old: Grey, new: Grey) -> tuple[float, float, float]:
    """How far the whole picture has moved, in pixels of the thumbnail, and how sure that is."""
    window = cv2.createHanningWindow((old.shape[1], old.shape[0]), cv2.CV_32F)
    (dx, dy), response = cv2.phaseCorrelate(old, new, window)
    return float(dx), float(dy), float(response)


def sampled(grey: Grey, points: FloatArray) -> Grey:
    """Grey levels at points; NaN outside the picture."""
    height, width = grey.shape
    x, y = points[:, 0].astype(np.float32), points[:, 1].astype(np.float32)
    taken = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).ravel()
    seen = (x >= -0.5) & (y >= -0.5) & (x <= width - 0.5) & (y <= height - 0.5)
    return np.asarray(np.where(seen, taken, np.nan), np.float32)
