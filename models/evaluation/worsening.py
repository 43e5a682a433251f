"""Photographs as a poorer camera, light or hand would have taken them.

Few real photographs are hard, so most rules change nothing on them. The same ones made smaller,
darker, blurred or compressed are hard in the ways of real cameras, with real decks in them, which
drawn pictures are not.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from models.arrays import Picture

_LONGEST = 1280
"""Blur is told for a picture of this longer side, pixels."""


def reduced(picture: Picture, share: float) -> Picture:
    """The picture with so much of its width and height."""
    return _picture(cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA))


def darkened(picture: Picture, *, light: float = 0.3, noise: float = 6.0) -> Picture:
    """With a part of its light, and a sensor's noise of that standard deviation (0 to 255)."""
    grain = np.random.default_rng(1).normal(0, noise, picture.shape)
    return _picture(np.clip(picture.astype(np.float32) * light + grain, 0, 255))


def blurred(picture: Picture, *, sigma: float = 2.0) -> Picture:
    """Out of focus, by pixels at 1280 of its longer side."""
    return _picture(cv2.GaussianBlur(picture, (0, 0), sigma * max(picture.shape[:2]) / _LONGEST))


def compressed(picture: Picture, *, quality: int = 18) -> Picture:
    """Kept as a JPEG of that quality."""
    kept = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return _picture(cv2.imdecode(kept, cv2.IMREAD_COLOR))


def _picture(pixels: object) -> Picture:
    return np.asarray(pixels).astype(np.uint8)


Change = Callable[[Picture], Picture]
"""What is done to a picture before it is read."""

WAYS: dict[str, Change] = {
    "as they are": lambda picture: picture,
    "half the size": lambda picture: reduced(picture, 0.5),
    "a third of the size": lambda picture: reduced(picture, 0.33),
    "dark": darkened,
    "blurred": blurred,
    "half, compressed": lambda picture: compressed(reduced(picture, 0.5)),
}
"""How photographs are made worse, by its name."""
