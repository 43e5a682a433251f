"""A picture and the same in half its size, in a quarter, and so on."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Image

#: A picture is not halved any more once a side of it is no longer than that, pixels.
_LEAST = 3


class Pyramid:
    """A picture and the same halved again and again, each level made when it is first asked for.

    Several parts of the eyes cut patches of one picture, large ones from a halved one; halving it
    takes longer than cutting them.

    Args:
        image: (height, width, 3) BGR.
    """

    def __init__(self, image: Image) -> None:
        self._levels = [image]

    @property
    def image(self) -> Image:
        """The picture as it is."""
        return self._levels[0]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture, pixels."""
        return self.image.shape[1], self.image.shape[0]

    def level(self, halvings: int) -> Image:
        """The picture halved so often, or as often as it can be."""
        while len(self._levels) <= halvings and min(self._levels[-1].shape[:2]) > _LEAST:
            height, width = self._levels[-1].shape[:2]
            half = cv2.resize(
                self._levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA
            )
            self._levels.append(np.asarray(half, np.uint8))
        return self._levels[min(halvings, len(self._levels) - 1)]

    def reduced(self, size: tuple[int, int]) -> Image:
        """The picture at a width and height, no larger than its own.

        Sampled bilinearly from the smallest level that is large enough: less than half of its
        pixels a side are left out, so nothing aliases, and it takes a tenth of the time of a mean
        over the whole picture's.
        """
        halvings = 0
        (width, height), (wide, high) = self.size, size
        while width >> halvings + 1 >= wide and height >> halvings + 1 >= high:
            halvings += 1
        source = self.level(halvings)
        if source.shape[1::-1] == size:
            return source
        return np.asarray(cv2.resize(source, size, interpolation=cv2.INTER_LINEAR), np.uint8)
