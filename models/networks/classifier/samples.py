"""Training samples of the classifier: two upright views of an index, right and wrong ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from models.arrays import Picture
from models.labels import NO_GLYPH, NO_SUIT
from models.training.samples import (
    IGNORE,
    RANK_SEEN,
    SUIT_SEEN,
    Labels,
    Sample,
    halved,
    jitter,
    relit,
    without_colour,
)

PATCH_WIDTH, PATCH_HEIGHT = 48, 64
"""Each view, pixels."""

PATCH_INDEX_HEIGHT = 40.0
"""How tall the index (rank top to suit bottom) stands in the middle of the first view, pixels."""

FAR_INDEX_HEIGHT = 14.0
"""How tall it stands in the second view, which shows more of the card, pixels."""

FAR_ANCHOR = (11, 14)
"""Where its centre stands there, pixels from the left and the top: right and below lies the card,
as far as its middle column and its middle row of pips."""


def cut_patch(
    picture: Picture,
    cx: float,
    cy: float,
    dx: float,
    dy: float,
    size: float,
    *,
    stretch: float = 1.0,
    slant: float = 0.0,
) -> Picture:
    """The upright patch of an index pose: 64 × 48 × 3, the index 40 px tall in its middle.

    A large index is reduced by area averaging first; the reader cuts in the same way. The pictured
    part is ``stretch`` times as wide as high, squeezed into its place; ``slant`` moves what lies a
    pixel lower so many pixels to the right.
    """
    if size > 1.6 * PATCH_INDEX_HEIGHT:
        reach = int(size * 1.25) + 2
        x0, y0 = max(0, int(cx) - reach), max(0, int(cy) - reach)
        part = picture[y0 : int(cy) + reach, x0 : int(cx) + reach]
        if part.shape[0] > 1 and part.shape[1] > 1:
            f = 1.25 * PATCH_INDEX_HEIGHT / size
            new = (max(1, round(part.shape[1] * f)), max(1, round(part.shape[0] * f)))
            picture = cv2.resize(part, new, interpolation=cv2.INTER_AREA)
            cx, cy = (cx - x0) * new[0] / part.shape[1], (cy - y0) * new[1] / part.shape[0]
            size *= f
    s = PATCH_INDEX_HEIGHT / max(size, 1e-3)
    # (dx, dy) must point down in the patch: rows of the rotation are the patch's axes.
    c, d = dx * s, dy * s
    a, b = dy * s / stretch + slant * c, -dx * s / stretch + slant * d
    m = np.array([
        [a, b, PATCH_WIDTH / 2 - a * cx - b * cy],
        [c, d, PATCH_HEIGHT / 2 - c * cx - d * cy],
    ])  # fmt: skip
    out = cv2.warpAffine(
        picture,
        m,
        (PATCH_WIDTH, PATCH_HEIGHT),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.ascontiguousarray(out, dtype=np.uint8)


def cut_far(
    levels: list[Picture], cx: float, cy: float, dx: float, dy: float, size: float
) -> Picture:
    """The upright view of what stands beside and below an index: 64 × 48 × 3.

    Args:
        levels: The picture, and the same halved again and again, see
            :func:`models.training.samples.halved`.
        cx: The index's centre, pixels from the picture's left edge.
        cy: Likewise from its top.
        dx: Direction from rank to suit, of length 1.
        dy: Likewise.
        size: The index's height, pixels.
    """
    k = int(np.clip(np.ceil(np.log2(max(size, 1) / (1.6 * FAR_INDEX_HEIGHT))), 0, len(levels) - 1))
    level = levels[k]
    fx, fy = level.shape[1] / levels[0].shape[1], level.shape[0] / levels[0].shape[0]
    # From a place in the view to one in the picture.
    step = size * (fx + fy) / 2 / FAR_INDEX_HEIGHT
    x, y = FAR_ANCHOR
    right, down = np.array([dy, -dx]) * step, np.array([dx, dy]) * step
    origin = np.array([cx * fx, cy * fy]) - right * x - down * y
    m = np.stack([right, down, origin], axis=1)
    out = cv2.warpAffine(
        level,
        m,
        (PATCH_WIDTH, PATCH_HEIGHT),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.ascontiguousarray(out, dtype=np.uint8)


def cut_views(
    levels: list[Picture], pose: Sequence[float], *, stretch: float = 1.0, slant: float = 0.0
) -> Picture:
    """Both views of an index pose, 64 × 48 × 6; the letters of the first may be others'."""
    cx, cy, dx, dy, size = pose
    near = cut_patch(levels[0], cx, cy, dx, dy, size, stretch=stretch, slant=slant)
    return np.concatenate([near, cut_far(levels, cx, cy, dx, dy, size)], axis=2)


_PLAIN_LETTERS = 0.4
_STRETCH_SD, _SLANT_SD = 0.2, 0.06


def _other_letters(rng: np.random.Generator) -> dict[str, float]:
    """Stretch and slant of a patch: the same letters as of a wider, narrower or slanting font.

    Fonts and low cameras make an index wider or narrower than most are; the fonts at hand are too
    few to show that of every shape of letter.
    """
    if rng.random() < _PLAIN_LETTERS:
        return {}
    return {
        "stretch": float(np.exp(rng.normal(0, _STRETCH_SD))),
        "slant": float(rng.normal(0, _SLANT_SD)),
    }


def patches_of(
    picture: Picture,
    labels: Labels,
    rng: np.random.Generator,
    mined: Labels | None = None,
) -> Iterator[Sample]:
    """Views of one scene's indices with glyph and suit classes (:data:`IGNORE` where unknown).

    Args:
        picture: BGR.
        labels: Rows of :data:`models.synth.scene.INDEX_FIELDS`.
        rng: Jitter and choice of negatives.
        mined: Locator candidates (cx, cy, dx, dy, size), if there is a trained locator.
    """
    smallest, levels = 8.0, halved(picture)
    usable = labels[labels[:, 4] >= smallest] if len(labels) else labels
    for row in usable:
        glyph, suit = patch_classes(row)
        if glyph == IGNORE:
            continue
        if row[7] < 0.3 and rng.random() < 0.6:
            continue
        yield cut_views(levels, jitter(row, rng), **_other_letters(rng)), glyph, suit
        if glyph != NO_GLYPH and rng.random() < 0.25:
            yield cut_views(levels, _wrong_pose(row, rng)), NO_GLYPH, NO_SUIT
    if mined is not None:
        yield from _mined_patches(levels, labels, mined, rng)
    h, w = picture.shape[:2]
    for _ in range(max(2, len(usable) // 5)):
        angle = rng.uniform(0, 2 * np.pi)
        pose = (
            rng.uniform(0, w),
            rng.uniform(0, h),
            np.cos(angle),
            np.sin(angle),
            np.exp(rng.uniform(2.3, 4.3)),
        )
        if not _near(labels, *(float(v) for v in pose)):
            yield cut_views(levels, [float(v) for v in pose]), NO_GLYPH, NO_SUIT


def patch_classes(row: Labels) -> tuple[int, int]:
    """Glyph and suit class of a labelled index by how much of it shows."""
    rank_seen, suit_seen = row[7], row[8]
    if rank_seen < 0.25:
        return NO_GLYPH, NO_SUIT if suit_seen < 0.3 else IGNORE
    if rank_seen < RANK_SEEN:
        return IGNORE, IGNORE
    suit = int(row[6])
    if suit_seen < 0.12:
        return int(row[5]), NO_SUIT
    return int(row[5]), suit if suit_seen >= SUIT_SEEN else IGNORE


def _wrong_pose(row: Labels, rng: np.random.Generator) -> tuple[float, ...]:
    """The same index turned, shifted or scaled so far that it must not be read."""
    cx, cy, dx, dy, size = jitter(row, rng)
    kind = rng.integers(4)
    if kind == 0:
        return cx, cy, -dx, -dy, size
    if kind == 1:
        return (cx, cy, -dy, dx, size) if rng.random() < 0.5 else (cx, cy, dy, -dx, size)
    if kind == 2:
        a = rng.uniform(0, 2 * np.pi)
        far = rng.uniform(0.6, 1.1) * size
        return cx + np.cos(a) * far, cy + np.sin(a) * far, dx, dy, size
    return cx, cy, dx, dy, size * (2.1 if rng.random() < 0.5 else 0.45)


def _near(labels: Labels, cx: float, cy: float, dx: float, dy: float, size: float) -> bool:
    if not len(labels):
        return False
    far = np.hypot(labels[:, 0] - cx, labels[:, 1] - cy) / np.maximum(labels[:, 4], size)
    return bool(far.min() < 0.5)


def match_candidate(labels: Labels, pose: Labels) -> tuple[int, int, int]:
    """Classes of a locator candidate and the matched label's row (-1 for none).

    A candidate within a quarter of an index height, 35° and a factor 1.45 of a label is that index;
    one that overlaps an index otherwise is ignored or, when it is clearly off, nothing.
    """
    if not len(labels):
        return NO_GLYPH, NO_SUIT, -1
    far = np.hypot(labels[:, 0] - pose[0], labels[:, 1] - pose[1]) / np.maximum(labels[:, 4], 1)
    k = int(far.argmin())
    row = labels[k]
    cosine = float(row[2] * pose[2] + row[3] * pose[3])
    ratio = float(max(pose[4] / row[4], row[4] / pose[4]))
    if far[k] < 0.25 and cosine > 0.82 and ratio < 1.45:
        return (*patch_classes(row), k)
    if far[k] > 0.55 or cosine < 0.3:
        return NO_GLYPH, NO_SUIT, -1
    return IGNORE, IGNORE, -1


def _mined_patches(
    levels: list[Picture], labels: Labels, mined: Labels, rng: np.random.Generator
) -> Iterator[Sample]:
    for pose in mined:
        glyph, suit, _ = match_candidate(labels, pose)
        if glyph == IGNORE or (glyph != NO_GLYPH and rng.random() < 0.3):
            continue
        yield cut_views(levels, jitter(pose, rng, 0.35), **_other_letters(rng)), glyph, suit


_GREY = 0.05
"""Share of patches without colour, where a suit must be told by its shape."""

_BENT, _BEND_SD, _BEND_GRID = 0.5, 0.9, (5, 4)
"""Share of patches whose shapes are bent a little, by how many pixels, and at how many places."""

_PART_SD, _BORDER, _BORDER_SD = 0.22, 33.0, 2.5
"""Spread of how much wider than the suit the rank of a bent patch becomes (log scale); where the
one meets the other, pixels from the top, and how far that is moved."""

_BOLDER = 0.12
"""Share of patches with bolder strokes than the scene's, and of those with finer ones."""


def bent(patch: Picture, rng: np.random.Generator) -> Picture:
    """The patch as another hand would draw it.

    The rank is made wider or narrower and higher or lower than it was beside the suit, and all
    shapes are moved a little here and there (elastic distortion with a coarse smooth field: Simard,
    Steinkraus and Platt, 2003).
    """
    field = rng.normal(0, _BEND_SD, (*_BEND_GRID, 2)).astype(np.float32)
    size = (PATCH_WIDTH, PATCH_HEIGHT)
    field = cv2.resize(field, size, interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:PATCH_HEIGHT, :PATCH_WIDTH].astype(np.float32)
    top, foot = PATCH_HEIGHT / 2 - PATCH_INDEX_HEIGHT / 2, PATCH_HEIGHT / 2 + PATCH_INDEX_HEIGHT / 2
    border = _BORDER + rng.normal(0, _BORDER_SD)
    y = np.interp(y, (0, top, border, foot, PATCH_HEIGHT), (0, top, _BORDER, foot, PATCH_HEIGHT))
    wider = rng.normal(0, _PART_SD, 2)
    part = 1 / (1 + np.exp((_BORDER - y) / 1.5))
    x = PATCH_WIDTH / 2 + (x - PATCH_WIDTH / 2) * np.exp(wider[0] + part * (wider[1] - wider[0]))
    out = cv2.remap(
        patch,
        x.astype(np.float32) + field[..., 0],
        y.astype(np.float32) + field[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.ascontiguousarray(out, dtype=np.uint8)


def _restroked(patch: Picture, rng: np.random.Generator) -> Picture:
    """Strokes a pixel bolder or finer, mixed with the patch as it was."""
    change = cv2.erode if rng.random() < 0.5 else cv2.dilate
    other = change(patch, np.ones((2, 2), np.uint8))
    part = float(rng.uniform(0.3, 1.0))
    return np.ascontiguousarray(cv2.addWeighted(other, part, patch, 1 - part, 0), dtype=np.uint8)


_SOFT = 0.2
"""Share of second views that are blurred."""


def augment_views(views: Picture, rng: np.random.Generator) -> Picture:
    """Small changes of shape, light and sharpness that the scene did not make."""
    near = np.ascontiguousarray(views[..., :3])
    far = np.ascontiguousarray(views[..., 3:])
    if rng.random() < _BENT:
        near = bent(near, rng)
    if rng.random() < 2 * _BOLDER:
        near = _restroked(near, rng)
    if rng.random() < _GREY:
        near, far = without_colour(near), without_colour(far)
    roll = rng.random()
    if roll < 0.2:
        near = cv2.GaussianBlur(near, (0, 0), float(rng.uniform(0.4, 1.6)))
    elif roll < 0.3:
        small = float(rng.uniform(0.3, 0.7))
        tiny = cv2.resize(near, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
        near = cv2.resize(tiny, (PATCH_WIDTH, PATCH_HEIGHT), interpolation=cv2.INTER_LINEAR)
    if rng.random() < _SOFT:
        far = cv2.GaussianBlur(far, (0, 0), float(rng.uniform(0.3, 0.9)))
    return relit(np.concatenate([near, far], axis=2), rng)
