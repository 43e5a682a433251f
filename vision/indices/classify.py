"""Names corner indices: cuts two upright views of each and shows them to the classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np

from vision.arrays import Float32Array, Image
from vision.images.pyramid import Pyramid
from vision.indices.locate import Candidates
from vision.inference.backend import Session

_REDUCE_FROM = 1.6
#: Patches of a run, and rows of a picture that OpenCV can fill at once.
_CHUNK, _ROWS = 256, 32_000


def cut_patches(
    picture: Pyramid,
    found: Candidates,
    *,
    patch: tuple[int, int],
    index_height: float,
    anchor: tuple[float, float] | None = None,
) -> Image:
    """The upright patches of index poses, each index ``index_height`` tall.

    Args:
        picture: what they stand in.
        found: the poses, in its pixels.
        patch: width and height of a patch.
        index_height: how tall an index stands in its patch, pixels.
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
    grid_x = (np.arange(width, dtype=np.float32) - x)[None, None, :]
    grid_y = (np.arange(height, dtype=np.float32) - y)[None, :, None]
    image, chunk = picture.image, min(_CHUNK, max(1, _ROWS // height))
    for halving in np.unique(halvings):
        level = picture.level(int(halving))
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
        session: a network with one input, n × channels × height × width.
        cut: (n, height, width, channels) patches, one or more.
        batch: patches a run; more gain no speed and need memory.
    """
    name = session.inputs[0].name
    channels = cut.shape[3]
    patches = np.empty((len(cut), channels, *cut.shape[1:3]), np.float32)
    for channel in range(channels):
        patches[:, channel] = cut[..., channel]
    parts = [session.run({name: patches[k : k + batch]}) for k in range(0, len(patches), batch)]
    return {spec.name: np.concatenate([p[spec.name] for p in parts]) for spec in session.outputs}


def softmax(logits: Float32Array) -> Float32Array:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@dataclass(frozen=True, slots=True)
class Views:
    """How the classifier is shown an index: near by, and with more of the card, smaller.

    Attributes:
        patch: width and height of each view, pixels.
        index_height: how tall an index stands in the middle of the near one, pixels.
        far_index_height: how tall it stands in the far one, pixels.
        far_anchor: where its centre stands there, pixels from the left and the top.
    """

    patch: tuple[int, int] = (48, 64)
    index_height: float = 40.0
    far_index_height: float = 14.0
    far_anchor: tuple[int, int] = (11, 14)

    def of(self, picture: Pyramid, found: Candidates) -> Image:
        """(n, height, width, 6): both views of some poses, one behind the other; `cut_patches`."""
        near = cut_patches(picture, found, patch=self.patch, index_height=self.index_height)
        far = cut_patches(
            picture,
            found,
            patch=self.patch,
            index_height=self.far_index_height,
            anchor=self.far_anchor,
        )
        return np.concatenate([near, far], axis=3)


class Named(NamedTuple):
    """What the classifier says of n poses.

    Attributes:
        glyphs: (n, glyphs) chances.
        suits: (n, suits) chances.
    """

    glyphs: Float32Array
    suits: Float32Array


class Classifier:
    """The classifier network.

    Args:
        session: the loaded network.
        glyphs: its glyph classes in order, ``none`` among them.
        suits: its suit classes in order, ``none`` among them.
        views: what it is shown of an index.
        temperature: divides the logits (fitted on held-out scenes) so that confidences are chances.
        batch: indices a run; more gain no speed and need memory.
    """

    def __init__(
        self,
        session: Session,
        *,
        glyphs: Sequence[str],
        suits: Sequence[str],
        views: Views | None = None,
        temperature: float = 1.0,
        batch: int = 64,
    ) -> None:
        self._session = session
        self._output = session.outputs[0].name
        self.glyphs, self.suits = tuple(glyphs), tuple(suits)
        self._views = views or Views()
        self._temperature, self._batch = temperature, batch

    def name(self, picture: Pyramid, found: Candidates) -> Named:
        """What some poses show.

        Args:
            picture: what they stand in.
            found: the poses to name.
        """
        n = len(self.glyphs)
        if not len(found):
            return Named(*(np.zeros((0, m), np.float32) for m in (n, len(self.suits))))
        outputs = run_patches(self._session, self._views.of(picture, found), self._batch)
        logits = outputs[self._output] / self._temperature
        return Named(softmax(logits[:, :n]), softmax(logits[:, n:]))
