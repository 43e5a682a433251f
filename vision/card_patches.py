"""Cuts patches of whole cards: stretched so that the card fills the middle of the patch."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.protocols import Image
from vision.types import FloatArray


class CardPatch:
    """The patch that a network is shown of a card.

    Args:
        size: its width and height, pixels.
        inner: the part of it that the card fills, to each side.

    Attributes:
        box: (4, 2) where the card's corners come to lie in it, clockwise, pixels.
        width: of the card in it, pixels.
    """

    def __init__(self, size: tuple[int, int], inner: float) -> None:
        (width, height), margin = size, (1 - inner) / 2
        x, y = margin * width, margin * height
        self._size, self.width = size, inner * width
        self.box = np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]])

    def cut(self, levels: list[Image], quad: FloatArray) -> tuple[Image, FloatArray]:
        """The patch about a card, and the 3 × 3 map from the picture into it.

        Args:
            levels: the picture, and the same halved again and again; what is wanting is added.
            quad: (4, 2) the card's corners, clockwise, pixels.
        """
        tall = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
        step = float(tall) / 2 / float(self.box[3, 1] - self.box[0, 1])
        level = max(0, round(math.log2(max(step, 1e-3))))
        while len(levels) <= level and min(levels[-1].shape[:2]) > 3:
            height, width = levels[-1].shape[:2]
            half = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
            levels.append(np.asarray(half, np.uint8))
        picture = levels[min(level, len(levels) - 1)]
        scale = np.array(picture.shape[1::-1]) / np.array(levels[0].shape[1::-1])
        low = (quad * scale).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(low, self.box.astype(np.float32))
        cut = cv2.warpPerspective(picture, matrix, self._size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cut, np.uint8), matrix @ np.diag([*scale, 1.0])
