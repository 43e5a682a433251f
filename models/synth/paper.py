"""Painting on a drawn face: inks through masks, rounded corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from models.arrays import Picture

Colour = tuple[int, int, int]


def both_ends(
    rank_box: Sequence[float], suit_box: Sequence[float], size: tuple[int, int]
) -> list[dict[str, Any]]:
    """An index and, turned, the same in the opposite corner of a face, as in ``deck.json``.

    Args:
        rank_box: x0, y0, x1, y1 in pixels of the face.
        suit_box: Likewise.
        size: Width and height of the face.
    """
    w, h = size
    far = [[w - b[2], h - b[3], w - b[0], h - b[1]] for b in (rank_box, suit_box)]
    return [
        {"rank_box": list(rank_box), "suit_box": list(suit_box), "angle": 0},
        {"rank_box": far[0], "suit_box": far[1], "angle": 180},
    ]


def blend(face: Picture, mask: Picture, x: float, y: float, colour: Colour) -> None:
    """Paint ``mask`` in ``colour`` with its top left at (x, y), clipped to the face."""
    x0, y0 = round(x), round(y)
    h, w = mask.shape
    ax, ay = max(0, -x0), max(0, -y0)
    bx, by = min(w, face.shape[1] - x0), min(h, face.shape[0] - y0)
    if bx <= ax or by <= ay:
        return
    part = face[y0 + ay : y0 + by, x0 + ax : x0 + bx, :3]
    alpha = mask[ay:by, ax:bx, None].astype(np.float32) / 255
    part[:] = (part * (1 - alpha) + np.asarray(colour, np.float32) * alpha).astype(np.uint8)


def rounded(width: int, height: int, radius: int) -> Picture:
    """Alpha mask of a card with rounded corners."""
    mask = np.zeros((height, width), np.uint8)
    r = radius
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for cx, cy in (
        (r, r),
        (width - 1 - r, r),
        (r, height - 1 - r),
        (width - 1 - r, height - 1 - r),
    ):
        cv2.circle(mask, (cx, cy), r, 255, -1, cv2.LINE_AA)
    return mask
