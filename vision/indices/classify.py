"""Names corner indices: cuts upright patches from the full picture and runs the classifier."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.arrays import Float32Array, Image
from vision.indices.locate import Candidates
from vision.inference.backend import Session

_REDUCE_FROM = 1.6
#: Patches of a run, and rows of a picture that OpenCV can fill at once.
_CHUNK, _ROWS = 256, 32_000

#: The network's further output: what tells suits of one picture apart.
MARKS = "marks"


def cut_patches(
    image: Image,
    found: Candidates,
    *,
    patch: tuple[int, int],
    index_height: float,
    stretch: float = 1.0,
    anchor: tuple[float, float] | None = None,
) -> Image:
    """The upright patches of index poses, each index ``index_height`` tall.

    Args:
        image: (height, width, 3) BGR.
        found: the poses, in pixels of the image.
        patch: width and height of a patch.
        index_height: how tall an index stands in its patch, pixels.
        stretch: how many times as wide as high the pictured part is squeezed into its place: above
            1 it makes wide letters narrower, below 1 narrow ones wider.
        anchor: where the index's centre stands in the patch, pixels; None for the middle.

    Returns:
        (n, patch height, patch width, 3) BGR; beyond the picture its edge is repeated.
    """
    width, height = patch
    out = np.empty((len(found), height, width, 3), np.uint8)
    # Large indices are cut from halved pictures: sampling them directly would alias.
    ratio = np.maximum(found.size / (_REDUCE_FROM * index_height), 1e-6)
    halvings = np.ceil(np.maximum(np.log2(ratio), 0)).astype(int)
    x, y = anchor or (width / 2, height / 2)
    grid_x = stretch * (np.arange(width, dtype=np.float32) - x)[None, None, :]
    grid_y = (np.arange(height, dtype=np.float32) - y)[None, :, None]
    level, done, chunk = image, 0, min(_CHUNK, max(1, _ROWS // height))
    for halving in np.unique(halvings):
        while done < halving and min(level.shape[:2]) > 1:
            half = (max(1, level.shape[1] // 2), max(1, level.shape[0] // 2))
            level = cv2.resize(level, half, interpolation=cv2.INTER_AREA)
            done += 1
        scale = np.array(
            [level.shape[1] / image.shape[1], level.shape[0] / image.shape[0]], np.float32
        )
        which = np.flatnonzero(halvings == halving)
        for part in np.split(which, range(chunk, len(which), chunk)):
            # Training counts from a pixel's corner, candidates from its centre.
            centre = (found.centre[part] + 0.5) * scale
            step = found.direction[part] * (found.size[part] * scale.mean() / index_height)[:, None]
            dx, dy = step[:, 0, None, None], step[:, 1, None, None]
            xs = centre[:, 0, None, None] + dy * grid_x + dx * grid_y
            ys = centre[:, 1, None, None] - dx * grid_x + dy * grid_y
            cut = cv2.remap(
                level,
                xs.reshape(-1, width),
                ys.reshape(-1, width),
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )
            out[part] = cut.reshape(-1, height, width, 3)
    return out


def run_patches(session: Session, cut: Image, batch: int) -> dict[str, Float32Array]:
    """All outputs of a network that names patches, by their names.

    Args:
        session: a network with one input, n × 3 × height × width.
        cut: (n, height, width, 3) patches, one or more.
        batch: patches a run; more gain no speed and need memory.
    """
    name = session.inputs[0].name
    patches = np.empty((len(cut), 3, *cut.shape[1:3]), np.float32)
    for channel in range(3):
        patches[:, channel] = cut[..., channel]
    parts = [session.run({name: patches[k : k + batch]}) for k in range(0, len(patches), batch)]
    return {spec.name: np.concatenate([p[spec.name] for p in parts]) for spec in session.outputs}


def softmax(logits: Float32Array) -> Float32Array:
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
        reviewer: a second network that is shown the same patches, where it is asked for.
        says: how much the logits of the first and of the second count where both are asked.
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
        reviewer: Session | None = None,
        says: tuple[float, float] = (0.5, 0.5),
        batch: int = 64,
    ) -> None:
        self._session, self._reviewer, self._says = session, reviewer, says
        self._output = session.outputs[0].name
        self._outputs = {spec.name for spec in session.outputs}
        self.glyphs, self.suits = tuple(glyphs), tuple(suits)
        self._patch, self._index_height = patch, index_height
        self._temperature, self._batch = temperature, batch

    def name(
        self, image: Image, found: Candidates, *, stretch: float = 1.0, reviewed: bool = False
    ) -> tuple[Float32Array, Float32Array]:
        """Glyph (n × glyphs) and suit (n × suits) probabilities.

        Args:
            image: (height, width, 3) BGR.
            found: the poses to name.
            stretch: see `cut_patches`.
            reviewed: whether the second network is asked as well: surer, and three times the work.
        """
        glyphs, suits = self._logits(image, found, stretch=stretch, reviewed=reviewed)
        return softmax(glyphs), softmax(suits)

    def marks(self, image: Image, found: Candidates) -> Float32Array:
        """What tells suits of one picture apart, (n, d).

        Marks are about 1 wide within one suit: two symbols of one deck are compared by their
        distance, see `vision.indices.suits`. d is 0 for a network that gives none.
        """
        if MARKS not in self._outputs or not len(found):
            return np.zeros((len(found), 0), np.float32)
        return run_patches(self._session, self._cut(image, found), self._batch)[MARKS]

    def _logits(
        self, image: Image, found: Candidates, *, stretch: float = 1.0, reviewed: bool = False
    ) -> tuple[Float32Array, Float32Array]:
        n = len(self.glyphs)
        if not len(found):
            return np.zeros((0, n), np.float32), np.zeros((0, len(self.suits)), np.float32)
        cut = self._cut(image, found, stretch)
        logits = run_patches(self._session, cut, self._batch)[self._output] / self._temperature
        if reviewed and self._reviewer is not None:
            # The geometric mean of both networks' chances, but for what softmax takes out.
            second = run_patches(self._reviewer, cut, self._batch)[self._reviewer.outputs[0].name]
            logits = self._says[0] * logits + self._says[1] * second
        return logits[:, :n], logits[:, n:]

    def _cut(self, image: Image, found: Candidates, stretch: float = 1.0) -> Image:
        return cut_patches(
            image, found, patch=self._patch, index_height=self._index_height, stretch=stretch
        )
