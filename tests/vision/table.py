"""A table drawn as simply as can be, with the reads of its cards: cards, backs, a hand."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from companion.cards import card
from tests.vision.layouts import HEIGHT, INDEX, INSET_X, INSET_Y, WIDTH
from vision.geometry import project
from vision.types import CardRead, IndexRead, Reading

SIZE = (960, 720)
#: The picture is drawn as small as its thumbnail, so that tests are quick.
SHRINK = 3
NONE = np.zeros(0, np.float32)


def _overhead() -> np.ndarray:
    return straight_view()


@dataclass(frozen=True)
class Lying:
    """A card: its name, centre in millimetres, angle, whether face up."""

    name: str
    at: tuple[float, float]
    angle: float = 0.0
    up: bool = True


@dataclass
class DrawnTable:
    """Cards from lowest to topmost, a hand (millimetres) or None, light, and the camera.

    `name_of` turns names into cards of other decks.
    """

    cards: list[Lying] = field(default_factory=list)
    hand: tuple[float, float] | None = None
    light: float = 1.0
    view: np.ndarray = field(default_factory=_overhead)
    noise: float = 1.0
    wrong: dict[str, str] = field(default_factory=dict)
    sure: float = 0.96
    name_of: Callable = card

    def frame(self, rng) -> tuple[Reading, np.ndarray]:
        """What is read, and the picture's thumbnail."""
        owner = np.zeros((SIZE[1] // SHRINK, SIZE[0] // SHRINK), np.int16)
        image = np.full(owner.shape, 70, np.uint8)
        for k, lying in enumerate(self.cards, 1):
            quad = (self.outline(lying) / SHRINK).astype(np.int32)
            cv2.fillConvexPoly(owner, quad, k)
            cv2.fillConvexPoly(image, quad, 235)
            self._paint(image, lying)
        if self.hand is not None:
            x, y = self.hand
            arm = np.array(
                [(x - 40, y - 60), (x + 40, y - 60), (x + 40, y + 600), (x - 40, y + 600)]
            )
            quad = (project(self.view, arm) / SHRINK).astype(np.int32)
            cv2.fillConvexPoly(owner, quad, -1)
            cv2.fillConvexPoly(image, quad, 150)
        found = [self._read(c, k, owner, rng) for k, c in enumerate(self.cards, 1) if c.up]
        reads = [read for read in found if read is not None]
        order = rng.permutation(len(reads))
        grey = cv2.GaussianBlur(image, (3, 3), 0) * np.float32(self.light)
        grey += rng.standard_normal(grey.shape, dtype=np.float32)
        return Reading(SIZE, tuple(reads[k] for k in order)), grey

    def outline(self, lying: Lying) -> np.ndarray:
        """Corners of a card in the picture."""
        c, s = np.cos(lying.angle), np.sin(lying.angle)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (WIDTH / 2, HEIGHT / 2)
        return project(self.view, corners @ np.array([[c, s], [-s, c]]) + lying.at)

    def _paint(self, image, lying) -> None:
        seed = zlib.crc32(lying.name.encode()) if lying.up else 1
        draw = np.random.default_rng(seed)
        c, s = np.cos(lying.angle), np.sin(lying.angle)
        spots = draw.uniform(-0.42, 0.42, (12 if lying.up else 60, 2)) * (WIDTH, HEIGHT)
        for at in project(self.view, spots @ np.array([[c, s], [-s, c]]) + lying.at) / SHRINK:
            cv2.circle(image, (int(at[0]), int(at[1])), 3, 60 if lying.up else 90, -1)

    def _read(self, lying, k, owner, rng) -> CardRead | None:
        c, s = np.cos(lying.angle), np.sin(lying.angle)
        turn = np.array([[c, s], [-s, c]])
        indices = []
        for sign in (1, -1):
            middle = np.array([-WIDTH / 2 + INSET_X, -HEIGHT / 2 + INSET_Y]) * sign
            half = np.array([0, sign * INDEX / 2])
            ends = np.stack([middle - half, middle + half])
            top, bottom = project(self.view, ends @ turn + lying.at)
            centre = (top + bottom) / 2 + rng.normal(0, self.noise, 2)
            x, y = (int(v) for v in centre)
            if not (0 <= x < SIZE[0] and 0 <= y < SIZE[1]) or owner[y // SHRINK, x // SHRINK] != k:
                continue
            size = float(np.linalg.norm(bottom - top))
            way = (bottom - top) / size
            indices.append(IndexRead(tuple(centre), tuple(way), size, NONE, NONE, self.sure))
        if not indices:
            return None
        name = self.wrong.get(lying.name, lying.name)
        quad = tuple(map(tuple, self.outline(lying) + rng.normal(0, self.noise, (4, 2))))
        sure = float(np.clip(self.sure + rng.normal(0, 0.02), 0.3, 0.995))
        read = CardRead(self.name_of(name), sure, quad, tuple(indices), outlined=len(indices) == 2)
        if name != lying.name:
            return replace(read, alternatives=((self.name_of(lying.name), (1 - sure) * 0.8),))
        return read


def straight_view(shift=(0.0, 0.0), turn=0.0, scale=1.6) -> np.ndarray:
    """Millimetres about the middle of the table to pixels, seen from above and a little tilted."""
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    x, y = SIZE[0] / 2 + shift[0], SIZE[1] / 2 + shift[1]
    tilt = np.array([[1, 0, 0], [0, 1, 0], [0, -0.0004, 1]])
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ tilt
