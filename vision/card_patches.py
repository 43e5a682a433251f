"""Cuts patches of whole cards: stretched so that the card fills the middle of the patch."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.protocols import Image
from vision.types import FloatArray


def inner_box(patch: tuple[int, int], inner: float) -> FloatArray:
    """(4, 2) where a card's corners come to lie in its patch, clockwise, pixels.

    Args:
        patch: its width and height.
        inner: the part of it that the card fills, to each side.
    """
    (width, height), margin = patch, (1 - inner) / 2
    x, y = margin * width, margin * height
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]])


def cut_card(
    levels: list[Image], quad: FloatArray, patch: tuple[int, int], box: FloatArray
) -> tuple[Image, FloatArray]:
    """The patch about a card, and the 3 × 3 map from the picture into it.

    Args:
        levels: the picture, and the same halved again and again; what is wanting is added.
        quad: (4, 2) the card's corners, clockwise, pixels.
        patch: width and height of the patch.
        box: where the corners come to lie in it, see `inner_box`.
    """
    tall = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
    step = float(tall) / 2 / float(box[3, 1] - box[0, 1])
    level = max(0, round(math.log2(max(step, 1e-3))))
    while len(levels) <= level and min(levels[-1].shape[:2]) > 3:
        height, width = levels[-1].shape[:2]
        half = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    picture = levels[min(level, len(levels) - 1)]
    scale = np.array(picture.shape[1::-1]) / np.array(levels[0].shape[1::-1])
    low = (quad * scale).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(low, box.astype(np.float32))
    cut = cv2.warpPerspective(picture, matrix, patch, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8), matrix @ np.diag([*scale, 1.0])
