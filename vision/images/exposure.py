"""Brings badly exposed pictures to the range in which indices read best."""

from __future__ import annotations

import numpy as np

from vision.arrays import Image

_STEP = 8
_DARKEST, _BRIGHTEST = 0.5, 99.5
_KEEP_BLACK = 0.6
_PAPER = 240.0
_LEAST_RANGE = 20.0


def levelled(image: Image) -> Image:
    """The picture with its brightest parts, the paper, at one level and most of its haze gone.

    A straight line over all channels, so that colours keep their ratios.

    Args:
        image: (height, width, 3) BGR.

    Returns:
        A new picture of the same shape. A picture of one grey stays about that grey's contrast:
        its range counts as at least 20 levels.
    """
    low, high = np.percentile(image[::_STEP, ::_STEP], (_DARKEST, _BRIGHTEST))
    black = _KEEP_BLACK * float(low)
    gain = _PAPER / max(_LEAST_RANGE, float(high) - black)
    line = np.clip((np.arange(256) - black) * gain, 0, 255).astype(np.uint8)
    return line[image]
