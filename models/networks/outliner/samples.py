"""Samples for the outliner: patches about where a card is thought to lie, and where it does lie."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Corners, Picture
from models.training.samples import (
    IGNORE,
    Labels,
    SceneFile,
    halved,
    jitter,
)

Sample = tuple[Picture, npt.NDArray[np.float32], int]
"""A patch, the steps of its corners (4, 2) in widths of the inner box, and the kind."""

WIDTH, HEIGHT = 96, 144
"""Patch that shows a card of which it is known roughly where it lies, pixels."""

INNER = 2 / 3
"""What is known of it fills so much of the patch, to each side."""

KINDS: tuple[str, ...] = ("face", "back", "none")
"""What such a patch shows: a card's face, its back, or no card that lies about there."""

FACE, BACK, NONE = range(len(KINDS))

_LEAST_SHOWN = 0.3
"""Cards of which less is seen are neither asked for nor taken for nothing."""
SEEN = 0.05
"""A card of which less is seen is as good as none."""
_FAR_OFF = 0.45
"""A start whose middle lies farther from a card's, in widths of the card, is not about that one."""
_WIDEST = 1.2
"""Steps are no longer, in widths of the inner box."""
_LOOSE = (0.015, 0.05, 0.12)
"""How far starts are off, in widths of the card: nearly right, after a look, at first."""
_LOOKS, _NOTHINGS = 2, 2
"""Starts a card, and starts a scene that are about no card, at most."""
_LEAD, _CARD, _INDEX = (5.5, 14.0), (63.0, 88.0), 17.0
"""Millimetres: where an index usually stands on its card, the card, the index's height."""


def inner_box() -> Corners:
    """(4, 2) the corners in the patch of what is known of the card, clockwise, pixels."""
    w, h = WIDTH, HEIGHT
    x, y = (1 - INNER) / 2 * w, (1 - INNER) / 2 * h
    return np.array([[x, y], [w - x, y], [w - x, h - y], [x, h - y]])


def cut_outline(levels: list[Picture], start: Corners) -> tuple[Picture, npt.NDArray[np.float64]]:
    """The patch about a start, and the 3 × 3 map from the picture into it.

    Args:
        levels: The picture, and the same halved again and again, see
            :func:`models.training.samples.halved`.
        start: (4, 2) where the corners are thought to be, clockwise, pixels of the picture.
    """
    tall = np.linalg.norm(start[3] - start[0]) + np.linalg.norm(start[2] - start[1])
    step = float(tall) / 2 / (INNER * HEIGHT)
    k = min(max(0, round(math.log2(max(step, 1e-3)))), len(levels) - 1)
    scale = np.array(levels[k].shape[1::-1]) / np.array(levels[0].shape[1::-1])
    box = inner_box().astype(np.float32)
    matrix = cv2.getPerspectiveTransform((start * scale).astype(np.float32), box)
    patch = cv2.warpPerspective(levels[k], matrix, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(patch, dtype=np.uint8), matrix @ np.diag([*scale, 1.0])


def steps_to(quad: Corners, matrix: npt.NDArray[np.float64]) -> Corners | None:
    """(4, 2) from the inner box to a card's corners; None where they cannot be in the patch."""
    points = np.column_stack([quad, np.ones(4)]) @ matrix.T
    if (points[:, 2] < 1e-3 * np.abs(points[:, 2]).max()).any():
        return None
    inside = points[:, :2] / points[:, 2:]
    inner = inner_box()
    ways = [np.roll(inside, turn, axis=0) - inner for turn in (0, 2)]
    best = min(ways, key=lambda way: float(np.abs(way).sum()))
    return np.clip(best / (INNER * WIDTH), -_WIDEST, _WIDEST)


def start_of_index(row: Labels, *, left: bool = True) -> Corners:
    """(4, 2) where a card usually lies about its index, which stands at its left or right."""
    size, down = float(row[4]), row[2:4].astype(np.float64)
    mm = size / _INDEX
    right = np.array([down[1], -down[0]]) * mm * (1 if left else -1)
    origin = row[:2] - _LEAD[0] * right - _LEAD[1] * mm * down
    across, along = right * _CARD[0], down * mm * _CARD[1]
    quad = np.array([origin, origin + across, origin + across + along, origin + along])
    return quad if left else quad[[1, 0, 3, 2]]


def loosened(quad: Corners, rng: np.random.Generator, loose: float) -> Corners:
    """A card's corners as they may be thought to be: moved, turned, larger, askew."""
    width = (np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
    middle = quad.mean(axis=0)
    turn, grow = rng.normal(0, loose), np.exp(rng.normal(0, 1.2 * loose, 2))
    right = (quad[1] - quad[0] + quad[2] - quad[3]) / (2 * width)
    frame = np.stack([right, np.array([-right[1], right[0]])])
    c, s = np.cos(turn), np.sin(turn)
    out = ((quad - middle) @ np.linalg.pinv(frame) * grow) @ np.array([[c, s], [-s, c]]) @ frame
    out += middle + rng.normal(0, loose * width, 2)
    return np.asarray(out + rng.normal(0, 0.4 * loose * width, (4, 2)))


def outlines_of(file: SceneFile, rng: np.random.Generator) -> Iterator[Sample]:
    """Samples of one scene."""
    picture, labels = file.load()
    levels = halved(picture)
    corners, shown = file.outlines()
    quads = corners.astype(np.float64)
    size = np.array(picture.shape[1::-1])
    inside = ((quads > -0.3 * size) & (quads < 1.3 * size)).all(axis=(1, 2))
    for k in np.flatnonzero((shown >= _LEAST_SHOWN) & inside):
        own = labels[labels[:, 9] == k]
        whole = ((quads[k] > 0) & (quads[k] < size)).all()
        kind = FACE if len(own) else BACK if whole else IGNORE
        for _ in range(_LOOKS):
            seen = own[own[:, 7] > _LEAST_SHOWN]
            if len(seen) and rng.random() < 0.4:
                row = seen[int(rng.integers(len(seen)))].copy()
                row[:5] = jitter(row, rng, 0.5)
                start = start_of_index(row, left=bool(rng.random() < 0.75))
            else:
                start = np.roll(quads[k], 2 * int(rng.integers(2)), axis=0)
            start = loosened(start, rng, float(rng.choice(_LOOSE)))
            sample = _sample(levels, start, quads[k], kind)
            if sample is not None:
                yield sample
    for start in nothings(picture.shape[:2], quads[shown > SEEN], rng):
        yield cut_outline(levels, start)[0], np.zeros((4, 2), np.float32), NONE


def _width(quad: Corners) -> float:
    return float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2


def _sample(levels: list[Picture], start: Corners, quad: Corners, kind: int) -> Sample | None:
    patch, matrix = cut_outline(levels, start)
    steps = steps_to(quad, matrix)
    if steps is None:
        return None
    off = float(np.linalg.norm(start.mean(axis=0) - quad.mean(axis=0)))
    return patch, steps.astype(np.float32), NONE if off > _FAR_OFF * _width(quad) else kind


def nothings(size: tuple[int, ...], quads: Corners, rng: np.random.Generator) -> Iterator[Corners]:
    """Starts that are about no card: on the table, between cards, on a part of one.

    Args:
        size: Height and width of the picture.
        quads: (n, 4, 2) the cards of which anything is seen.
        rng: Decides the rest.
    """
    height, width = size
    for _ in range(int(rng.integers(_NOTHINGS + 1))):
        wide = _width(quads[int(rng.integers(len(quads)))]) if len(quads) else 0.2 * width
        wide = float(np.clip(wide * np.exp(rng.normal(0, 0.3)), 20, 0.5 * width))
        middle = rng.uniform((0, 0), (width, height))
        turn = rng.uniform(0, 2 * np.pi)
        right = wide * np.array([np.cos(turn), np.sin(turn)])
        down = 88 / 63 * np.array([-right[1], right[0]])
        start = middle + np.array([-right - down, right - down, right + down, down - right]) / 2
        start = loosened(start, rng, 0.05)
        off = [np.linalg.norm(middle - quad.mean(axis=0)) / _width(quad) for quad in quads]
        if not off or min(off) > _FAR_OFF:
            yield start
