"""Is the picture good enough? Light, sharpness and glare of a frame, with advice in words.

The limits fit pictures that the card reader was trained for: indices of 12 pixels and more.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from mobile import texts
from vision.protocols import Image

#: Pictures are judged at this width in pixels, so that limits hold for every camera.
_WIDTH = 480
#: Mean grey level (0 to 255) below which nothing can be seen, and below which it is too dark.
BLACK, DARK = 8.0, 45.0
#: Variance of the Laplacian at `_WIDTH` below which edges are smeared.
BLURRED = 35.0
#: Share of the picture that may be burnt out.
GLARE = 0.06
_BURNT = 250


@dataclass(frozen=True, slots=True)
class Check:
    """What a frame is like.

    Attributes:
        light: mean grey level, 0 to 255.
        sharpness: variance of the Laplacian, 0 upwards.
        glare: share of burnt-out pixels, 0 to 1.
    """

    light: float
    sharpness: float
    glare: float

    @property
    def is_black(self) -> bool:
        """Whether nothing can be seen at all."""
        return self.light < BLACK

    @property
    def advice(self) -> tuple[str, ...]:
        """What is wrong and what to do, the worst first; empty where it is good."""
        if self.is_black:
            return (texts.PICTURE_BLACK,)
        found = []
        if self.light < DARK:
            found.append(texts.PICTURE_DARK)
        if self.sharpness < BLURRED:
            found.append(texts.PICTURE_BLURRED)
        if self.glare > GLARE:
            found.append(texts.PICTURE_GLARE)
        return tuple(found)


def check(image: Image) -> Check:
    """Measures a frame.

    Args:
        image: (height, width, 3) BGR.
    """
    height, width = image.shape[:2]
    small = cv2.resize(
        image, (_WIDTH, max(1, round(height * _WIDTH / width))), interpolation=cv2.INTER_AREA
    )
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return Check(
        float(grey.mean()),
        float(cv2.Laplacian(grey, cv2.CV_64F).var()),
        float(np.count_nonzero(grey >= _BURNT) / grey.size),
    )
