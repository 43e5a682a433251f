"""From a piece in a picture to vectors that say how it looks."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outlines import Corners, Shape
from vision.arrays import Image
from vision.inference.model_files import load_model

Vectors = NDArray[np.float32]

FILE = "embedder.onnx"
#: Side of the square picture that the network takes, in pixels.
SIDE = 112
#: Grey outside a coin.
OUTSIDE = 128
_BATCH = 16
_AXIS = np.arange(SIDE) - (SIDE - 1) / 2
#: What lies beyond a coin's edge in the square about it.
_BEYOND = _AXIS[:, None] ** 2 + _AXIS[None, :] ** 2 > (0.49 * SIDE) ** 2


class Embedder:
    """The network that gives pictures of the same thing vectors of the same direction.

    Args:
        threads: threads of one run.
        engine: see `vision.inference.backend.open_session`.
    """

    def __init__(self, *, threads: int = 2, engine: str | None = None) -> None:
        self._session = load_model(FILE, threads=threads, engine=engine)

    def __call__(self, patches: Sequence[Image]) -> Vectors:
        """Unit vectors (n, dimensions) of n square pictures from `rectified`."""
        rows = []
        for start in range(0, len(patches), _BATCH):
            part = np.stack(patches[start : start + _BATCH]).transpose(0, 3, 1, 2)
            out = self._session.run({"image": np.ascontiguousarray(part, np.float32)})
            rows.append(next(iter(out.values())))
        if not rows:
            return np.zeros((0, 0), np.float32)
        return np.concatenate(rows)


def rectified(image: Image, corners: Corners, shape: Shape, *, turn: int = 0) -> Image:
    """A piece stretched to the network's square.

    Args:
        image: BGR.
        corners: as in `calibration.outlines.Outline`.
        shape: of the piece; a coin's surroundings become grey.
        turn: which of the shape's ways to lie, 0 to ``shape.turns`` - 1.
    """
    return stretched(_smoothed(image, corners), corners, shape, turn=turn)


def stretched(image: Image, corners: Corners, shape: Shape, *, turn: int = 0) -> Image:
    """The same as `rectified`, of a picture that is smooth enough already, as from `view_of`."""
    if shape is Shape.COIN:
        goal = _turned_square(2 * np.pi * turn / shape.turns)
    else:
        step = 2 if shape is Shape.CARD else 1
        goal = np.roll(_turned_square(0.0), step * turn, 0)
    m = cv2.getPerspectiveTransform(corners.astype(np.float32), goal)
    out = cv2.warpPerspective(
        image, m, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    if shape is Shape.COIN:
        out[_BEYOND] = OUTSIDE
    return np.ascontiguousarray(out, np.uint8)


def _smoothed(image: Image, corners: Corners) -> Image:
    """A picture that can be made as small as the network takes it.

    Without this, fine print would turn into patterns of its own.
    """
    shrink = SIDE / max(1.0, float(np.linalg.norm(corners[2] - corners[0])) / np.sqrt(2))
    if shrink < 0.6:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.4 / shrink), np.uint8)
    return image


def all_turns(image: Image, corners: Corners, shape: Shape) -> list[Image]:
    """The piece in every way it may lie."""
    part, inner = view_of(image, corners)
    return [stretched(part, inner, shape, turn=k) for k in range(shape.turns)]


def view_of(image: Image, corners: Corners) -> tuple[Image, Corners]:
    """The part of a picture about a piece, for `stretched`, and the corners in it."""
    margin = 4
    low = np.floor(corners.min(0)).astype(int) - margin
    high = np.ceil(corners.max(0)).astype(int) + margin + 1
    x0, y0 = np.maximum(low, 0)
    part = np.ascontiguousarray(image[y0 : high[1], x0 : high[0]])
    inner = (corners - [x0, y0]).astype(np.float32)
    return _smoothed(part, inner), inner


def _turned_square(angle: float) -> Corners:
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * SIDE / 2
    c, s = np.cos(angle), np.sin(angle)
    turned = unit @ np.array([[c, s], [-s, c]])
    return np.asarray(turned + (SIDE - 1) / 2, np.float32)
