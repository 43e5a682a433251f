"""Contrast of the text in the window, measured on its picture (WCAG 2.1 AA).

For each label in sight the commonest colour within its text is the ground, and the colour furthest
from it in luminance is the ink: what antialiasing puts in between does not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mobile.tools.fitting import text_boxes, texts_in_sight, with_parents

#: Least ratio for text, and for large text (24 px, or 18.66 px and bold, at density 1).
TEXT, LARGE = 4.5, 3.0
_LARGE_PX, _LARGE_BOLD_PX = 24.0, 18.66
_COARSE = 8
_STRAY = 5

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Measured:
    """A text with its contrast.

    Attributes:
        ratio: ink against ground, 1 to 21.
        wanted: the least ratio for its size.
    """

    text: str
    ratio: float
    wanted: float

    @property
    def ok(self) -> bool:
        """Whether it can be read well enough."""
        return self.ratio >= self.wanted


def ratio(pixels: Picture) -> float:
    """Contrast ratio of ink and ground in a piece of a picture.

    Args:
        pixels: (height, width, 3) BGR.
    """
    flat = pixels.reshape(-1, 3)
    coarse = (flat // _COARSE).astype(np.int64) @ np.array([1, 64, 4096])
    values, counts = np.unique(coarse, return_counts=True)
    ground = flat[coarse == values[counts.argmax()]].mean(axis=0, keepdims=True)
    light, dark = luminance(flat), luminance(ground)[0]
    # A single stray pixel is no ink; a thin letter in a wide label has few pixels.
    light.sort()
    few = min(_STRAY, light.size - 1)
    low, high = light[few], light[-1 - few]
    found = [(max(v, dark) + 0.05) / (min(v, dark) + 0.05) for v in (low, high)]
    return float(max(found))


def luminance(pixels: Any) -> NDArray[np.float64]:
    """Relative luminance of BGR pixels, 0 to 1."""
    values = np.asarray(pixels, float) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.0722, 0.7152, 0.2126])


def measure(image: Picture) -> list[Measured]:
    """Every text in the window that can be seen whole.

    Args:
        image: the window's picture, (height, width, 3) BGR.
    """
    found = []
    for widget in texts_in_sight():
        box = None if _is_dim(widget) else _box(widget, image.shape[0])
        if box is None:
            continue
        x0, y0, x1, y1 = box
        large = widget.font_size >= (_LARGE_BOLD_PX if widget.bold else _LARGE_PX)
        piece = image[y0:y1, x0:x1]
        found.append(Measured(widget.text, ratio(piece), LARGE if large else TEXT))
    return found


def _is_dim(widget: Any) -> bool:
    """Whether it is half hidden, or disabled (which AA leaves out)."""
    return any(one.opacity < 1 or getattr(one, "disabled", False) for one in with_parents(widget))


def _box(widget: Any, height: int) -> tuple[int, int, int, int] | None:
    """The text's rectangle in the picture; None where a part of it is out of sight."""
    whole, cut = text_boxes(widget)
    if whole[:2] != cut[:2] or max(whole[2] - cut[2], whole[3] - cut[3]) > 1:
        return None
    left, bottom, right, top = whole
    box = int(left), int(height - top), int(right), int(height - bottom)
    return box if min(box) >= 0 and right - left > 2 and top - bottom > 2 else None
