"""Names corner indices: cuts upright patches from the full picture and runs the classifier."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.backend import Session
from vision.locate import Candidates

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float32]

_REDUCE_FROM = 1.6
_REDUCE_TO = 1.25
_REACH = 1.25


def cut_patch(
    image: Image,
    centre: Sequence[float],
    direction: Sequence[float],
    size: float,
    *,
    patch: tuple[int, int],
    index_height: float,
) -> Image:
    """The upright patch of one index pose.

    Args:
        image: (height, width, 3) BGR.
        centre: middle of the index, pixels.
        direction: unit vector from rank to suit.
        size: index height, pixels.
        patch: width and height of the patch.
        index_height: how tall the index stands in the patch, pixels.

    Returns:
        (patch height, patch width, 3) BGR; beyond the picture its edge is repeated.
    """
    cx, cy = float(centre[0]), float(centre[1])
    dx, dy = float(direction[0]), float(direction[1])
    if size > _REDUCE_FROM * index_height:
        # Area averaging first: sampling a large index directly would alias.
        reach = int(size * _REACH) + 2
        x0, y0 = max(0, int(cx) - reach), max(0, int(cy) - reach)
        part = image[y0 : max(0, int(cy) + reach), x0 : max(0, int(cx) + reach)]
        if part.shape[0] > 1 and part.shape[1] > 1:
            factor = _REDUCE_TO * index_height / size
            new = (max(1, round(part.shape[1] * factor)), max(1, round(part.shape[0] * factor)))
            image = cv2.resize(part, new, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
            cx = (cx - x0) * new[0] / part.shape[1]
            cy = (cy - y0) * new[1] / part.shape[0]
            size *= factor
    scale = index_height / max(size, 1e-3)
    # Rows of the rotation are the patch's axes in the picture: right, then down.
    a, b, c, d = dy * scale, -dx * scale, dx * scale, dy * scale
    matrix = np.array(
        [[a, b, patch[0] / 2 - a * cx - b * cy], [c, d, patch[1] / 2 - c * cx - d * cy]]
    )
    return cv2.warpAffine(
        image, matrix, patch, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )  # type: ignore[return-value]


def softmax(logits: FloatArray) -> FloatArray:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Classifier:
    """The classifier network.

    Args:
        session: the loaded network.
        glyphs: its glyph classes in order, ``none`` among them.
        suits: its suit classes in order, ``none`` among them.
        patch: width and height of its input.
        index_height: how tall an index stands in it, pixels.
        temperature: divides the logits (fitted on held-out scenes) so that confidences are chances.
        batch: patches a run; more gain no speed and need memory.
    """

    def __init__(
        self,
        session: Session,
        *,
        glyphs: Sequence[str],
        suits: Sequence[str],
        patch: tuple[int, int] = (48, 64),
        index_height: float = 40.0,
        temperature: float = 1.0,
        batch: int = 64,
    ) -> None:
        self._session = session
        self._input = session.inputs[0].name
        self._output = session.outputs[0].name
        self.glyphs, self.suits = tuple(glyphs), tuple(suits)
        self._patch, self._index_height = patch, index_height
        self._temperature, self._batch = temperature, batch

    def patches(self, image: Image, found: Candidates) -> FloatArray:
        """N × 3 × H × W float32 input for all candidates."""
        width, height = self._patch
        out = np.empty((len(found), 3, height, width), np.float32)
        for k in range(len(found)):
            patch = cut_patch(
                image,
                found.centre[k],
                found.direction[k],
                float(found.size[k]),
                patch=self._patch,
                index_height=self._index_height,
            )
            out[k] = patch.transpose(2, 0, 1)
        return out

    def name(self, image: Image, found: Candidates) -> tuple[FloatArray, FloatArray]:
        """Glyph (n × glyphs) and suit (n × suits) probabilities of the candidates."""
        n = len(self.glyphs)
        if not len(found):
            return np.zeros((0, n), np.float32), np.zeros((0, len(self.suits)), np.float32)
        patches = self.patches(image, found)
        parts = [
            self._session.run({self._input: patches[k : k + self._batch]})[self._output]
            for k in range(0, len(patches), self._batch)
        ]
        logits = np.concatenate(parts) / self._temperature
        return softmax(logits[:, :n]), softmax(logits[:, n:])
