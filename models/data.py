"""Training samples cut from a folder of labelled scenes: locator crops and classifier patches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.labels import (
    LOCATOR_STRIDE,
    NO_GLYPH,
    NO_SUIT,
    PATCH_HEIGHT,
    PATCH_INDEX_HEIGHT,
    PATCH_WIDTH,
    SIZE_UNIT,
)

Picture = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.float32]
Sample = tuple[Picture, int, int]
"""A patch and its two classes."""

CROP = 256
SMALLEST, LARGEST = 9.0, 84.0
"""Index heights the locator is asked for at one pyramid level, pixels."""

RANK_SEEN, SUIT_SEEN = 0.55, 0.3
"""Visible fractions from which an index is something to find."""

IGNORE = -1


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


def wanted(labels: Labels) -> npt.NDArray[np.bool_]:
    """Which labels show enough to be found and named."""
    return (labels[:, 7] >= RANK_SEEN) & (labels[:, 8] >= SUIT_SEEN)


# ---------------------------------------------------------------- locator crops


@dataclass(slots=True)
class LocatorTarget:
    """Maps at stride 4 of one crop.

    Attributes:
        heat: h × w, 1 at centres.
        weight: h × w, 0 where nothing is asked.
        values: 5 × h × w, offset x and y (cells), cosine, sine, log size.
        mask: h × w, 1 where ``values`` count.
    """

    heat: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    mask: npt.NDArray[np.float32]


def locator_crop(
    picture: Picture, labels: Labels, rng: np.random.Generator
) -> tuple[Picture, LocatorTarget]:
    """A random scaled, mirrored-never crop of ``CROP`` pixels a side with its target maps."""
    h, w = picture.shape[:2]
    good = labels[wanted(labels)] if len(labels) else labels
    if len(good) and rng.random() < 0.9:
        pick = good[int(rng.integers(len(good)))]
        want = np.exp(rng.uniform(np.log(SMALLEST + 1.5), np.log(64)))
        # Enlarging a small index teaches nothing that a camera gives: at most 1.6 times.
        scale = float(np.clip(want / pick[4], 0.12, 1.6))
        centre = pick[:2] + rng.uniform(-0.42, 0.42, 2) * CROP / scale
    else:
        scale = float(np.exp(rng.uniform(np.log(0.3), np.log(1.3))))
        centre = rng.uniform(0, 1, 2) * [w, h]
    x0, y0 = centre - CROP / scale / 2
    x0 = (
        min(max(x0, 0.0), max(0.0, w - CROP / scale))
        if w * scale >= CROP
        else (w - CROP / scale) / 2
    )
    y0 = (
        min(max(y0, 0.0), max(0.0, h - CROP / scale))
        if h * scale >= CROP
        else (h - CROP / scale) / 2
    )
    crop = _cut(picture, float(x0), float(y0), scale)
    moved = labels.copy()
    moved[:, 0] = (labels[:, 0] - x0) * scale
    moved[:, 1] = (labels[:, 1] - y0) * scale
    moved[:, 4] = labels[:, 4] * scale
    crop, moved = _quarter_turn(crop, moved, int(rng.integers(4)))
    return crop, locator_target(moved, CROP, CROP)


def _cut(picture: Picture, x0: float, y0: float, scale: float) -> Picture:
    side = round(CROP / scale)
    if scale < 0.7:
        # Area averaging first, so that a reduced crop looks as the pyramid's levels do.
        xi, yi = round(x0), round(y0)
        h, w = picture.shape[:2]
        part = picture[max(0, yi) : min(h, yi + side), max(0, xi) : min(w, xi + side)]
        top, left = max(0, -yi), max(0, -xi)
        part = cv2.copyMakeBorder(
            part, top, max(0, side - top - part.shape[0]),
            left, max(0, side - left - part.shape[1]),
            cv2.BORDER_CONSTANT, value=(114, 114, 114),
        )  # fmt: skip
        return cv2.resize(part, (CROP, CROP), interpolation=cv2.INTER_AREA)
    m = np.array([[scale, 0, -x0 * scale], [0, scale, -y0 * scale]])
    out = cv2.warpAffine(
        picture, m, (CROP, CROP), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114)
    )
    return np.ascontiguousarray(out, dtype=np.uint8)


def _quarter_turn(crop: Picture, labels: Labels, turns: int) -> tuple[Picture, Labels]:
    """Turn a crop and its labels by ``turns`` × 90° counter-clockwise."""
    out = labels.copy()
    for _ in range(turns):
        x, y, dx, dy = (out[:, k].copy() for k in range(4))
        out[:, 0], out[:, 1], out[:, 2], out[:, 3] = y, CROP - x, dy, -dx
    return np.ascontiguousarray(np.rot90(crop, turns)), out


def locator_target(labels: Labels, width: int, height: int) -> LocatorTarget:
    """Target maps for label rows given in the crop's pixels."""
    gw, gh = width // LOCATOR_STRIDE, height // LOCATOR_STRIDE
    heat = np.zeros((gh, gw), np.float32)
    weight = np.ones((gh, gw), np.float32)
    values = np.zeros((5, gh, gw), np.float32)
    mask = np.zeros((gh, gw), np.float32)
    nearest = np.full((gh, gw), 1e9, np.float32)
    good = wanted(labels)
    yy, xx = np.mgrid[:gh, :gw].astype(np.float32) + 0.5
    for keep, row in sorted(zip(good, labels, strict=True), key=lambda t: bool(t[0])):
        cx, cy = row[0] / LOCATOR_STRIDE, row[1] / LOCATOR_STRIDE
        size = row[4]
        if not (-2 <= cx < gw + 2 and -2 <= cy < gh + 2):
            continue
        radius = max(1.5, size / LOCATOR_STRIDE * 0.45)
        x0, x1 = max(0, int(cx - 3 * radius)), min(gw, int(cx + 3 * radius) + 1)
        y0, y1 = max(0, int(cy - 3 * radius)), min(gh, int(cy + 3 * radius) + 1)
        part = np.s_[y0:y1, x0:x1]
        d2 = (xx[part] - cx) ** 2 + (yy[part] - cy) ** 2
        if not keep or not SMALLEST <= size <= LARGEST:
            if row[7] >= 0.2 or not SMALLEST <= size <= LARGEST:
                weight[part][d2 <= radius**2] = 0
            continue
        # The peak is sharp (neighbours stand a third of an index away), never below a cell.
        sigma = max(0.7, size / LOCATOR_STRIDE * 0.11)
        heat[part] = np.maximum(heat[part], np.exp(-d2 / (2 * sigma**2)))
        cell = (min(gh - 1, max(0, int(cy))), min(gw - 1, max(0, int(cx))))
        heat[cell] = 1.0
        weight[cell] = 1.0
        # Pose is asked for around the centre, of the nearest index where two compete.
        near = (d2 <= max(1.0, radius * 0.45) ** 2) & (d2 < nearest[part])
        nearest[part][near] = d2[near]
        mask[part][near] = 1.0
        values[0][part][near] = (cx - xx[part])[near]
        values[1][part][near] = (cy - yy[part])[near]
        values[2][part][near] = row[2]
        values[3][part][near] = row[3]
        values[4][part][near] = np.log(size / SIZE_UNIT)
    return LocatorTarget(heat, weight, values, mask)


# ---------------------------------------------------------------- classifier patches


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
    *,
    as_they_are: bool = False,
) -> Iterator[Sample]:
    """Patches of one scene with glyph and suit classes (:data:`IGNORE` where unknown).

    Args:
        picture: BGR.
        labels: Rows of :data:`models.synth.scene.INDEX_FIELDS`.
        rng: Jitter and choice of negatives.
        mined: Locator candidates (cx, cy, dx, dy, size), if there is a trained locator.
        as_they_are: Whether letters keep the proportions they have in the picture.
    """
    smallest = 8.0
    usable = labels[labels[:, 4] >= smallest] if len(labels) else labels
    for row in usable:
        glyph, suit = patch_classes(row)
        if glyph == IGNORE:
            continue
        if row[7] < 0.3 and rng.random() < 0.6:
            continue
        letters = {} if as_they_are else _other_letters(rng)
        yield cut_patch(picture, *jitter(row, rng), **letters), glyph, suit
        if glyph != NO_GLYPH and rng.random() < 0.25:
            yield cut_patch(picture, *_wrong_pose(row, rng)), NO_GLYPH, NO_SUIT
    if mined is not None:
        yield from _mined_patches(picture, labels, mined, rng)
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
            yield cut_patch(picture, *(float(v) for v in pose)), NO_GLYPH, NO_SUIT


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
    picture: Picture, labels: Labels, mined: Labels, rng: np.random.Generator
) -> Iterator[Sample]:
    for pose in mined:
        glyph, suit, _ = match_candidate(labels, pose)
        if glyph == IGNORE or (glyph != NO_GLYPH and rng.random() < 0.3):
            continue
        yield cut_patch(picture, *jitter(pose, rng, 0.35), **_other_letters(rng)), glyph, suit


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


def without_colour(patch: Picture) -> Picture:
    """The patch in grey."""
    grey = cv2.cvtColor(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return np.ascontiguousarray(grey, dtype=np.uint8)


def relit(patch: Picture, rng: np.random.Generator) -> Picture:
    """Half of all patches in a light of another strength and colour."""
    if rng.random() >= 0.5:
        return patch
    gain = np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.06, 3))
    shift = rng.normal(0, 8)
    lit = np.clip(patch * gain.astype(np.float32) + np.float32(shift), 0, 255)
    return np.ascontiguousarray(lit, dtype=np.uint8)


def augment_patch(patch: Picture, rng: np.random.Generator) -> Picture:
    """Small changes of shape, light and sharpness that the scene did not make."""
    if rng.random() < _BENT:
        patch = bent(patch, rng)
    if rng.random() < 2 * _BOLDER:
        patch = _restroked(patch, rng)
    if rng.random() < _GREY:
        patch = without_colour(patch)
    roll = rng.random()
    if roll < 0.2:
        patch = cv2.GaussianBlur(patch, (0, 0), float(rng.uniform(0.4, 1.6)))
    elif roll < 0.3:
        small = float(rng.uniform(0.3, 0.7))
        tiny = cv2.resize(patch, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
        patch = cv2.resize(tiny, (PATCH_WIDTH, PATCH_HEIGHT), interpolation=cv2.INTER_LINEAR)
    return relit(patch, rng)
