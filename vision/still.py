"""A small grey copy of each frame: has anything changed, and what lies where a card lay?

Reading a frame costs far more than comparing thumbnails, so a table on which nothing moves is not
read again. The same thumbnail tells whether a card that is not read just now is still there, was
taken away, was turned over, or is hidden by a hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.plane import project
from vision.protocols import Image
from vision.types import FloatArray

#: Width of the thumbnail in pixels.
WIDTH = 320
#: Blocks of so many pixels of the thumbnail are compared as one, so that noise averages out.
BLOCK = 8
#: A block has changed when its mean differs by so many grey levels from what the light explains.
CHANGED = 6.0
#: Samples of a card's inside differ by so much where something else lies there.
_OTHER = 14.0
_INSIDE = np.stack(np.meshgrid(np.linspace(0.08, 0.92, 9), np.linspace(0.06, 0.94, 13)), -1)
_INSIDE = _INSIDE.reshape(-1, 2)
_SIDE = np.linspace(-0.22, 1.22, 8)[:-1]
_RING = np.concatenate(
    [
        np.column_stack([_SIDE, np.full(7, -0.16)]),
        np.column_stack([np.full(7, 1.22), _SIDE]),
        np.column_stack([1.0 - _SIDE, np.full(7, 1.16)]),
        np.column_stack([np.full(7, -0.22), 1.0 - _SIDE]),
    ]
)

Grey = NDArray[np.float32]


class There(Enum):
    """What lies at a card's place now."""

    SAME = auto()
    """What lay there when it was last looked at."""
    BARE = auto()
    """The table as it was before the card came."""
    OTHER = auto()
    """Something else that ends where the card ends: the card turned over, or another one."""
    COVERED = auto()
    """Something reaches across: a hand, its shadow, a part of another card."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Grey levels at a card's place.

    Attributes:
        inside: (117,) samples of the card.
        ring: (28,) samples of the table around it.
    """

    inside: Grey
    ring: Grey


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


def patch(grey: Grey, outline: FloatArray) -> Patch | None:
    """Samples of a card's place.

    Args:
        grey: a thumbnail.
        outline: (4, 2) corners in the thumbnail's pixels, clockwise from the card's top left.

    Returns:
        None where the card does not lie wholly in the picture.
    """
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    matrix = cv2.getPerspectiveTransform(unit, outline.astype(np.float32))
    height, width = grey.shape
    inside = _sampled(grey, project(matrix, _INSIDE))
    around = project(matrix, _RING)
    seen = ((around >= 0) & (around <= (width - 1, height - 1))).all(axis=1)
    if inside is None or seen.sum() < 10:
        return None
    ring = np.full(len(around), np.nan, np.float32)
    found = _sampled(grey, around[seen])
    if found is not None:
        ring[seen] = found
    return Patch(inside, ring)


def compare(now: Patch, then: Patch, ground: Patch | None) -> There:
    """What lies at a card's place, by what lay there before.

    Args:
        now: the place in this frame.
        then: the place while the card was read.
        ground: the place before the card came, where that is known.
    """
    gain = _gain(now, then)
    ring = np.abs(now.ring - gain * then.ring)
    reached = float(np.nanmean(ring > _OTHER))
    if float(np.mean(np.abs(now.inside - gain * then.inside) > _OTHER)) < 0.12:
        return There.SAME
    if reached > 0.2:
        return There.COVERED
    if ground is not None:
        bare = np.abs(now.inside - _gain(now, ground) * ground.inside)
        if float(np.mean(bare > _OTHER)) < 0.2:
            return There.BARE
    elif abs(float(np.median(now.inside)) - float(np.nanmedian(now.ring))) < _OTHER:
        return There.BARE
    return There.OTHER


def _gain(now: Patch, then: Patch) -> float:
    """How much brighter it is, by the table around; 1 where the table has changed."""
    old = float(np.nanmedian(then.ring))
    gain = float(np.nanmedian(now.ring)) / max(old, 1.0)
    return gain if 0.6 < gain < 1.6 else 1.0


def _sampled(grey: Grey, points: FloatArray) -> Grey | None:
    height, width = grey.shape
    x, y = points[:, 0].astype(np.float32), points[:, 1].astype(np.float32)
    if x.min() < -1 or y.min() < -1 or x.max() > width or y.max() > height:
        return None
    taken = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(taken, np.float32).ravel()
