"""Training samples of the locator: crops of labelled scenes and the maps it should answer with."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture
from models.training.samples import RANK_SEEN, SUIT_SEEN, Labels

STRIDE = 4
"""One heat-map cell covers this many input pixels a side."""

SIZE_UNIT = 24.0
"""The size channel is ``log(index height / SIZE_UNIT)``."""

CROP = 256
SMALLEST, LARGEST = 9.0, 84.0
"""Index heights the locator is asked for at one pyramid level, pixels."""


def wanted(labels: Labels) -> npt.NDArray[np.bool_]:
    """Which labels show enough to be found and named."""
    return (labels[:, 7] >= RANK_SEEN) & (labels[:, 8] >= SUIT_SEEN)


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
    gw, gh = width // STRIDE, height // STRIDE
    heat = np.zeros((gh, gw), np.float32)
    weight = np.ones((gh, gw), np.float32)
    values = np.zeros((5, gh, gw), np.float32)
    mask = np.zeros((gh, gw), np.float32)
    nearest = np.full((gh, gw), 1e9, np.float32)
    good = wanted(labels)
    yy, xx = np.mgrid[:gh, :gw].astype(np.float32) + 0.5
    for keep, row in sorted(zip(good, labels, strict=True), key=lambda t: bool(t[0])):
        cx, cy = row[0] / STRIDE, row[1] / STRIDE
        size = row[4]
        if not (-2 <= cx < gw + 2 and -2 <= cy < gh + 2):
            continue
        radius = max(1.5, size / STRIDE * 0.45)
        x0, x1 = max(0, int(cx - 3 * radius)), min(gw, int(cx + 3 * radius) + 1)
        y0, y1 = max(0, int(cy - 3 * radius)), min(gh, int(cy + 3 * radius) + 1)
        part = np.s_[y0:y1, x0:x1]
        d2 = (xx[part] - cx) ** 2 + (yy[part] - cy) ** 2
        if not keep or not SMALLEST <= size <= LARGEST:
            if row[7] >= 0.2 or not SMALLEST <= size <= LARGEST:
                weight[part][d2 <= radius**2] = 0
            continue
        # The peak is sharp (neighbours stand a third of an index away), never below a cell.
        sigma = max(0.7, size / STRIDE * 0.11)
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
