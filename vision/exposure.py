"""Brings badly exposed and noisy pictures to the range in which indices read best."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_STEP = 8
_DARKEST, _BRIGHTEST = 0.5, 99.5
_KEEP_BLACK = 0.6
_PAPER = 240.0
_LEAST_RANGE = 20.0

#: Share of pixels at the top of the scale from which on a picture is burnt out, and that top.
_BURNT, _TOP = 0.12, 254
_DEEPER = 4.0
"""Exponent that brings what is left of a burnt-out picture's colours down from the top."""
_SMOOTH = 1.0
"""How far a picture is put out of focus, pixels: less than the strokes of the smallest index."""


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


def is_burnt_out(image: Image) -> bool:
    """Whether much of a picture lies at the top of the scale, so that inks are pale in it."""
    return float((image[::_STEP, ::_STEP].max(axis=2) >= _TOP).mean()) > _BURNT


def deepened(image: Image) -> Image:
    """The picture with its pale colours drawn apart, (height, width, 3) as before."""
    return (255 * (np.arange(256) / 255) ** _DEEPER).astype(np.uint8)[image]


def smoothed(image: Image) -> Image:
    """The picture a little out of focus: without most of its noise, and of what sharpening left."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), _SMOOTH), np.uint8)
