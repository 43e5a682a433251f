"""Samples for the body reader: what a card shows beside and below its index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture
from models.labels import GLYPHS, SUITS
from models.training.samples import (
    IGNORE,
    Labels,
    Sample,
    SceneFile,
    halved,
    jitter,
)

BODIES: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "court", "joker")
"""What a card shows besides its index: so many pips, a court card's picture, or a joker's."""

BODY_OF: dict[str, str] = {
    **{name: name for name in BODIES},
    **dict.fromkeys(("J", "Q", "K", "V", "D", "R", "B", "Д", "H", "Kn"), "court"),
    "1": "A",
}
"""The body of a glyph; a T may stand on an ace (туз) or a ten."""

WIDTH, HEIGHT = 96, 144
"""Patch that shows a card's body to the right of and below its index, pixels."""

INDEX_HEIGHT = 22.0
"""How tall the index stands in it, pixels."""

ANCHOR = (24, 18)
"""Where the index's centre stands in it, pixels from the left and the top."""

HIDDEN = (11, 13)
"""So far to each side, and up and down, of its centre the index is painted over, pixels."""

PLAIN_SUITS = len(SUITS) - 1
"""A body has one of the four suits."""

GREY = 128
"""What the index is painted over with."""

_LEAST_SEEN, _SMALLEST = 0.3, 8.0
"""Visible part of a rank, and index height in pixels, from which a card is looked at."""
_MOSTLY, _OF_COVERED = 0.6, 0.4
"""Visible part from which a card is always learnt from, and the share of others that are."""
_JITTER = 0.5
"""How far off poses are, as a part of what the classifier's are."""


def cut_body(
    levels: list[Picture], cx: float, cy: float, dx: float, dy: float, size: float
) -> Picture:
    """The patch beside and below an index: 144 × 96 × 3, the index upright and painted over.

    Args:
        levels: The picture, and the same halved again and again, see
            :func:`models.training.samples.halved`.
        cx: The index's centre, pixels from the picture's left edge.
        cy: Likewise from its top.
        dx: Direction from rank to suit, of length 1.
        dy: Likewise.
        size: The index's height, pixels.
    """
    k = int(np.clip(np.ceil(np.log2(max(size, 1) / (1.6 * INDEX_HEIGHT))), 0, len(levels) - 1))
    level = levels[k]
    fx, fy = level.shape[1] / levels[0].shape[1], level.shape[0] / levels[0].shape[0]
    # From a place in the patch to one in the picture.
    step = size * (fx + fy) / 2 / INDEX_HEIGHT
    x, y = ANCHOR
    right, down = np.array([dy, -dx]) * step, np.array([dx, dy]) * step
    origin = np.array([cx * fx, cy * fy]) - right * x - down * y
    m = np.stack([right, down, origin], axis=1)
    out = cv2.warpAffine(
        level,
        m,
        (WIDTH, HEIGHT),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    out[y - HIDDEN[1] : y + HIDDEN[1], x - HIDDEN[0] : x + HIDDEN[0]] = GREY
    return np.ascontiguousarray(out, dtype=np.uint8)


def body_class(glyph: int) -> int:
    """The body of a glyph class; :data:`IGNORE` where it may be more than one."""
    name = BODY_OF.get(GLYPHS[glyph])
    return IGNORE if name is None else BODIES.index(name)


def bodies_of(file: SceneFile, rng: np.random.Generator) -> Iterator[Sample]:
    """Patches of one scene with body and suit classes (:data:`IGNORE` if unknown).

    What lies under others says little, so of such cards only some are shown.
    """
    picture, labels = file.load()
    levels = halved(picture)
    for row, shown in zip(labels, file.shown(labels), strict=True):
        if not looked_at(row) or (shown < _MOSTLY and rng.random() > _OF_COVERED):
            continue
        suit = int(row[6])
        suit = suit if suit < PLAIN_SUITS else IGNORE
        pose = jitter(row, rng, _JITTER)
        yield cut_body(levels, *pose), body_class(int(row[5])), suit


def class_shares(files: Sequence[SceneFile]) -> npt.NDArray[np.float64]:
    """How often each body, and then each suit, occurs among the labels of scenes.

    What the body reader says beyond that is news.
    """
    counts = np.zeros(len(BODIES) + PLAIN_SUITS)
    for file in files:
        with np.load(file.labels) as saved:
            for row in filter(looked_at, saved["labels"]):
                body, suit = body_class(int(row[5])), int(row[6])
                if body != IGNORE:
                    counts[body] += 1
                if suit < PLAIN_SUITS:
                    counts[len(BODIES) + suit] += 1
    bodies, suits = counts[: len(BODIES)], counts[len(BODIES) :]
    return np.concatenate([bodies / bodies.sum(), suits / suits.sum()])


def looked_at(row: Labels) -> bool:
    """Whether a labelled index is large enough and shows enough to say which card it is on."""
    return bool(row[4] >= _SMALLEST and row[7] >= _LEAST_SEEN)
