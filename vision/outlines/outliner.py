"""Looks for the four corners of cards with a network, from where they are about.

The network is shown the card's surroundings, stretched so that the card fills the middle, and says
how far off each corner is, how sure it is of that, and whether a face, a back or nothing of the
kind lies there. What it says is where the next look begins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray, Image
from vision.geometry import project
from vision.images.pyramid import Pyramid
from vision.indices.classify import run_patches, softmax
from vision.inference.backend import Session


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

    def cut(self, picture: Pyramid, quad: FloatArray) -> tuple[Image, FloatArray]:
        """The patch about a card, and the 3 × 3 map from the picture into it.

        Args:
            picture: what it lies in.
            quad: (4, 2) the card's corners, clockwise, pixels.
        """
        tall = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
        step = float(tall) / 2 / float(self.box[3, 1] - self.box[0, 1])
        level = picture.level(max(0, round(math.log2(max(step, 1e-3)))))
        scale = np.array(level.shape[1::-1]) / np.array(picture.image.shape[1::-1])
        low = (quad * scale).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(low, self.box.astype(np.float32))
        cut = cv2.warpPerspective(level, matrix, self._size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cut, np.uint8), matrix @ np.diag([*scale, 1.0])


#: Looks at a card, each from where the last one put it.
LOOKS = 4
#: Bounds of the logarithm of how far off a corner is, as in training.
_SURE, _UNSURE = -6.0, 1.0
#: A card smaller than that is none, pixels.
_LEAST_SIDE = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class FoundCorners:
    """What the network says of n cards.

    Attributes:
        corners: (n, 4, 2) clockwise from the first corner of the start, pixels.
        off: (n, 4) how far each corner usually is from there, in widths of the card.
        kinds: (n, kinds) chances of a face, a back and of no card.
    """

    corners: FloatArray
    off: FloatArray
    kinds: FloatArray


class Outliner:
    """The network of outlines.

    Args:
        session: the loaded network.
        patch: its input, as the card fills it if it lies where it is thought to.
        kinds: its kinds in order.
        batch: patches a run.
    """

    def __init__(
        self,
        session: Session,
        *,
        patch: CardPatch,
        kinds: Sequence[str],
        batch: int = 32,
    ) -> None:
        self._session, self._batch = session, batch
        self.kinds = tuple(kinds)
        self._patch = patch

    def find(self, picture: Pyramid, starts: FloatArray, *, looks: int = LOOKS) -> FoundCorners:
        """The corners of cards.

        Args:
            picture: what they lie in.
            starts: (n, 4, 2) where their corners are about, clockwise, pixels.
            looks: how often they are looked at, once or more.
        """
        corners = np.asarray(starts, np.float64).reshape(-1, 4, 2).copy()
        n = len(corners)
        off, kinds = np.ones((n, 4)), np.zeros((n, len(self.kinds)))
        kinds[:, self.kinds.index("none")] = 1.0
        alive = np.arange(n)
        for _ in range(looks):
            alive = alive[_are_whole(corners[alive])]
            if not len(alive):
                break
            cuts, matrices = zip(
                *(self._patch.cut(picture, corners[k]) for k in alive), strict=True
            )
            outputs = run_patches(self._session, np.stack(cuts), self._batch)
            out = outputs[self._session.outputs[0].name]
            steps = out[:, :8].reshape(-1, 4, 2) * self._patch.width
            off[alive] = 2 * np.exp(np.clip(out[:, 8:12], _SURE, _UNSURE))
            kinds[alive] = softmax(out[:, 12:])
            for k, step, matrix in zip(alive, steps, matrices, strict=True):
                corners[k] = project(np.linalg.inv(matrix), self._patch.box + step)
        broken = np.setdiff1d(np.arange(n), alive[_are_whole(corners[alive])])
        off[broken], kinds[broken] = np.inf, 0.0
        return FoundCorners(corners, off, kinds)


def _are_whole(quads: FloatArray) -> NDArray[np.bool_]:
    """(n,) whether the four corners of each make a convex shape of some size."""
    with np.errstate(invalid="ignore", over="ignore"):
        sides = np.roll(quads, -1, axis=1) - quads
        after = np.roll(sides, -1, axis=1)
        turns = sides[..., 0] * after[..., 1] - sides[..., 1] * after[..., 0]
        large = np.linalg.norm(sides, axis=2).min(axis=1, initial=np.inf) > _LEAST_SIDE
    finite = np.isfinite(quads).all(axis=(1, 2))
    return np.asarray(finite & (turns > 0).all(axis=1) & large)
