"""Labelled scenes on disk, and what the samples of several networks have in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture

Labels = npt.NDArray[np.float32]
"""Rows of :data:`models.synth.scene.INDEX_FIELDS`."""
Sample = tuple[Picture, int, int]
"""A patch and its two classes."""

RANK_SEEN, SUIT_SEEN = 0.55, 0.3
"""Visible fractions from which an index is something to find."""

IGNORE = -1
"""A class that nothing is learnt from."""


@dataclass(frozen=True, slots=True)
class SceneFile:
    """One scene on disk."""

    image: Path
    labels: Path

    def load(self) -> tuple[Picture, Labels]:
        """BGR picture and its label rows."""
        picture = cv2.imread(str(self.image), cv2.IMREAD_COLOR)
        if picture is None:
            raise OSError(f"cannot read {self.image}")
        with np.load(self.labels) as data:
            return np.ascontiguousarray(picture, dtype=np.uint8), data["labels"]

    def outlines(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """(cards, 4, 2) their corners, pixels, and (cards,) the visible part of each, 0 to 1."""
        with np.load(self.labels) as data:
            return data["quads"], data["shown"]

    def shown(self, labels: Labels) -> npt.NDArray[np.float32]:
        """The visible part of the card that each label is on, 0 to 1."""
        with np.load(self.labels) as data:
            return np.asarray(data["shown"], np.float32)[labels[:, 9].astype(int)]

    @property
    def key(self) -> str:
        """A name that no other scene of the same tree has."""
        return f"{self.labels.parent.name}-{self.labels.stem}"


def scene_files(folder: Path) -> list[SceneFile]:
    """All finished scenes of a folder and its subfolders, in order."""
    return [SceneFile(p.with_suffix(".jpg"), p) for p in sorted(folder.rglob("[0-9]*.npz"))]


def jitter(row: Labels, rng: np.random.Generator, strength: float = 1.0) -> tuple[float, ...]:
    """The pose of a label row as a locator might find it: cx, cy, dx, dy, size, a little off."""
    cx, cy, dx, dy, size = (float(v) for v in row[:5])
    turn = rng.normal(0, np.deg2rad(7) * strength)
    c, s = np.cos(turn), np.sin(turn)
    along, across = rng.normal(0, 0.055 * strength, 2) * size
    cx, cy = cx + dx * along - dy * across, cy + dy * along + dx * across
    return (
        cx,
        cy,
        c * dx - s * dy,
        s * dx + c * dy,
        size * float(np.exp(rng.normal(0, 0.09 * strength))),
    )


def halved(picture: Picture) -> list[Picture]:
    """The picture, and the same at a half, a quarter and an eighth of its size."""
    levels = [picture]
    for _ in range(3):
        h, w = levels[-1].shape[:2]
        half = cv2.resize(
            levels[-1], (max(1, w // 2), max(1, h // 2)), interpolation=cv2.INTER_AREA
        )
        levels.append(np.ascontiguousarray(half, dtype=np.uint8))
    return levels


def without_colour(patch: Picture) -> Picture:
    """The patch in grey."""
    grey = cv2.cvtColor(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return np.ascontiguousarray(grey, dtype=np.uint8)


def relit(patch: Picture, rng: np.random.Generator) -> Picture:
    """Half of all patches in a light of another strength and colour; channels are BGR, repeated."""
    if rng.random() >= 0.5:
        return patch
    gain = np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.06, 3))
    gain = np.tile(gain, patch.shape[2] // 3)  # all views of one thing stand in one light
    shift = rng.normal(0, 8)
    lit = np.clip(patch * gain.astype(np.float32) + np.float32(shift), 0, 255)
    return np.ascontiguousarray(lit, dtype=np.uint8)


def augment_card(patch: Picture, rng: np.random.Generator) -> Picture:
    """Small changes of light and sharpness to a patch of a whole card."""
    roll = rng.random()
    if roll < 0.2:
        patch = cv2.GaussianBlur(patch, (0, 0), float(rng.uniform(0.4, 1.4)))
    elif roll < 0.25:
        patch = without_colour(patch)
    return relit(patch, rng)
