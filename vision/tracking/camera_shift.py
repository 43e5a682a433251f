"""A nudged camera: from the picture of now back to the picture in which the table was set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import FloatArray
from vision.geometry import project
from vision.tracking.places import alike
from vision.tracking.thumbnails import Grey, shift_of
from vision.types import IndexRead

#: Known indices found this near to where they should be (in index heights) leave the view as it is.
_AT_HOME = 0.2
_NEAR = 0.35
#: Least clearness of a shift of the whole picture.
_CLEAR = 0.25


@dataclass(frozen=True, slots=True)
class Known:
    """An index whose card is known: where it is now and where it should be.

    Attributes:
        now: in this frame.
        home: in the picture in which the table was set up.
        card: number of the card it belongs to.
    """

    now: IndexRead
    home: IndexRead
    card: int


class CameraShift:
    """Keeps the homography from this frame to the picture in which the table was set up."""

    def __init__(self) -> None:
        self.matrix: FloatArray = np.eye(3)
        self._home: tuple[Grey, FloatArray] | None = None

    def pose(self, seen: IndexRead) -> IndexRead:
        """An index of this frame as it would lie in the picture of the set-up."""
        if self.is_home:
            return seen
        centre = np.array(seen.centre)
        half = np.array(seen.direction) * max(seen.size, 1.0) / 2
        middle, below = project(self.matrix, np.stack([centre, centre + half]))
        way = below - middle
        length = max(float(np.hypot(*way)), 1e-9)
        direction = (way[0] / length, way[1] / length) if any(seen.direction) else (0.0, 0.0)
        return replace(
            seen,
            centre=(float(middle[0]), float(middle[1])),
            direction=direction,
            size=2 * length if any(seen.direction) else seen.size,
        )

    def points(self, points: FloatArray) -> FloatArray:
        """(n, 2) pixels of this frame in the picture of the set-up."""
        return project(self.matrix, points)

    def in_frame(self, points: FloatArray) -> FloatArray:
        """(n, 2) pixels of the picture of the set-up in this frame."""
        return project(np.asarray(np.linalg.inv(self.matrix), np.float64), points)

    @property
    def is_home(self) -> bool:
        """Whether the camera stands where it stood."""
        return bool(np.array_equal(self.matrix, np.eye(3)))

    def follow(self, known: Sequence[Known], grey: Grey | None, width: int) -> bool:
        """Finds the view again by cards that are known to lie still.

        Args:
            known: their indices.
            grey: the frame's thumbnail.
            width: the frame's width in pixels.

        Returns:
            Whether the camera has moved.
        """
        if not known:
            return False
        now = np.array([k.now.centre for k in known])
        home = np.array([k.home.centre for k in known])
        size = np.array([max(k.home.size, 1.0) for k in known])
        off = np.linalg.norm(project(self.matrix, now) - home, axis=1) / size
        if float(np.median(off)) < _AT_HOME:
            return False
        found = self._by_cards(known, now, home, float(np.median(size)))
        if found is None and grey is not None:
            found = self._by_picture(grey, now, home, size, width)
        if found is None:
            return False
        self.matrix = found
        return True

    def keep_picture(self, grey: Grey) -> None:
        """Remembers how the table looks from here, for finding it again by the whole picture."""
        self._home = (grey, self.matrix)

    @staticmethod
    def _by_cards(
        known: Sequence[Known], now: FloatArray, home: FloatArray, size: float
    ) -> FloatArray | None:
        cards = np.array([k.card for k in known])
        if len(known) < 3 or len(set(cards.tolist())) < 2:
            return None
        limit = _NEAR * size
        # A slanted view moves cards by a homography; a few points only tell something simpler.
        if len(known) >= 10:
            found, mask = cv2.findHomography(now, home, cv2.RANSAC, limit)
        else:
            fit = cv2.estimateAffine2D if len(known) >= 6 else cv2.estimateAffinePartial2D
            found, mask = fit(now, home, method=cv2.RANSAC, ransacReprojThreshold=limit)
            if found is not None:
                found = np.vstack([found, [0.0, 0.0, 1.0]])
        if found is None or not 0.6 < abs(np.linalg.det(found[:2, :2])) < 1.7:
            return None
        good = mask.ravel().astype(bool)
        agreeing = len(set(cards[good].tolist()))
        # Of an index that may be one of two, one pair at most can be right.
        indices = len({(k.card, k.now.centre) for k in known})
        if good.sum() < max(3, 0.6 * indices) or 2 * agreeing <= len(set(cards.tolist())):
            return None
        return np.asarray(found, float)

    def _by_picture(
        self, grey: Grey, now: FloatArray, home: FloatArray, size: FloatArray, width: int
    ) -> FloatArray | None:
        """With one or two cards: whether the whole picture moved as they did."""
        if self._home is None or self._home[0].shape != grey.shape:
            return None
        picture, matrix = self._home
        dx, dy, clear = shift_of(picture, grey)
        scale = width / grey.shape[1]
        if clear < _CLEAR:
            return None
        back = np.array([[1.0, 0.0, -dx * scale], [0.0, 1.0, -dy * scale], [0.0, 0.0, 1.0]])
        found = matrix @ back
        off = np.linalg.norm(project(found, now) - home, axis=1) / size
        return found if float(np.median(off)) < 2 * _NEAR else None


def pairs_of(now: Sequence[IndexRead], home: Sequence[IndexRead], card: int) -> list[Known]:
    """The indices of one card, paired with those it was known by; they point the same way.

    Where as many point that way now as before, such as both upper ones of four, they keep their
    order; otherwise any two of them may be the same.
    """
    pairs = []
    for first in now:
        same = sorted((a for a in now if alike(a, first)), key=lambda a: _abreast(a, first))
        known = sorted((b for b in home if alike(b, first)), key=lambda b: _abreast(b, first))
        if len(same) == len(known):
            pairs.append(Known(first, known[same.index(first)], card))
        else:
            pairs += [Known(first, b, card) for b in known]
    return pairs


def _abreast(index: IndexRead, like: IndexRead) -> float:
    """How far to the right an index stands, in the direction of another."""
    (x, y), (u, v) = index.centre, like.direction
    return x * v - y * u
