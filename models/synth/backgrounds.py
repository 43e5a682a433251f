"""Grounds to lay cards on, sheets of print to mislead with, and things in the way."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from models.arrays import Picture
from models.synth.drawn import text_mask


def felt(width: int, height: int, rng: np.random.Generator) -> Picture:
    """Cloth, felt, carpet or plain board: one colour with grain at one or two scales."""
    colour = rng.uniform(15, 235, 3)
    if rng.random() < 0.5:
        colour = colour.mean() + rng.normal(0, 18, 3)
    out = np.tile(colour.astype(np.float32), (height, width, 1))
    for _ in range(int(rng.integers(1, 4))):
        cell = float(np.exp(rng.uniform(0, np.log(60))))
        size = (max(2, round(width / cell)), max(2, round(height / cell)))
        if rng.random() < 0.3:  # weave or wood grain: stretched along one direction
            size = (max(2, size[0] // 12), size[1])
        grain = rng.normal(0, rng.uniform(3, 26), (size[1], size[0])).astype(np.float32)
        out += cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
    if rng.random() < 0.15:  # stripes or checks
        step = int(rng.integers(10, 120))
        yy, xx = np.mgrid[:height, :width]
        checks = ((xx // step) + (yy // step if rng.random() < 0.5 else 0)) % 2
        out += checks[..., None].astype(np.float32) * rng.normal(0, 40, 3).astype(np.float32)
    return np.clip(out, 0, 255).astype(np.uint8)


@functools.lru_cache(maxsize=64)
def _photo(path: str) -> Picture | None:
    image = cv2.imread(path, cv2.IMREAD_COLOR)
    return None if image is None else np.ascontiguousarray(image, dtype=np.uint8)


def photo_ground(path: Path, width: int, height: int, rng: np.random.Generator) -> Picture | None:
    """A random turned, scaled piece of a photo or texture, mirrored where it is too small."""
    image = _photo(str(path))
    if image is None:
        return None
    h, w = image.shape[:2]
    zoom = max(width / w, height / h) * np.exp(rng.uniform(-0.5, 1.0))
    a = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(a) * zoom, np.sin(a) * zoom
    cx, cy = rng.uniform(0.2, 0.8) * w, rng.uniform(0.2, 0.8) * h
    m = np.array([[c, -s, width / 2 - c * cx + s * cy], [s, c, height / 2 - s * cx - c * cy]])
    out = cv2.warpAffine(
        image, m, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    return np.ascontiguousarray(out, dtype=np.uint8)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789AKQJ10987654321"


def text_sheet(rng: np.random.Generator, fonts: Sequence[str]) -> Picture:
    """A leaflet or newspaper column as an RGBA sheet: print that must not be read as cards."""
    h, w = int(rng.integers(220, 500)), int(rng.integers(200, 400))
    sheet = np.full((h, w, 4), 255, np.uint8)
    paper = rng.integers(170, 256, 3) if rng.random() < 0.8 else rng.integers(0, 200, 3)
    dark = float(paper.mean()) > 120
    sheet[..., :3] = paper
    y = int(rng.integers(4, 30))
    size = int(rng.integers(10, 70))
    while y < h - 12:
        if rng.random() < 0.2:
            size = int(rng.integers(10, 90))
        x = int(rng.integers(2, 30))
        ink = rng.integers(0, 90, 3) if dark else rng.integers(170, 256, 3)
        if rng.random() < 0.2:
            ink = np.array([30, 20, 200])
        font = str(fonts[int(rng.integers(len(fonts)))]) if len(fonts) else None
        while x < w - 10:
            word = "".join(rng.choice(list(_LETTERS), int(rng.choice([1, 2, 3, 5, 8]))))
            mask = text_mask(word, font, size, float(rng.uniform(0.7, 1.2)))
            bw, bh = min(mask.shape[1], w - x), min(size, h - y)
            if bw <= 0 or bh <= 0:
                break
            alpha = mask[:bh, :bw, None].astype(np.float32) / 255
            part = sheet[y : y + bh, x : x + bw, :3]
            part[:] = (part * (1 - alpha) + ink * alpha).astype(np.uint8)
            x += mask.shape[1] + int(size * rng.uniform(0.2, 1.0))
        y += int(size * rng.uniform(1.1, 1.7))
    return sheet


def finger(rng: np.random.Generator) -> Picture:
    """One to four fingers as an RGBA picture, shaded like skin."""
    h, w = 400, int(rng.integers(160, 420))
    skin = np.array([[120, 160, 220], [90, 125, 190], [60, 85, 140], [40, 55, 90], [150, 180, 235]])
    tone = skin[int(rng.integers(len(skin)))] + rng.normal(0, 10, 3)
    out = np.zeros((h, w, 4), np.uint8)
    n = int(rng.integers(1, 5))
    for k in range(n):
        width = int(w / n * rng.uniform(0.75, 0.98))
        x = int((k + 0.5) * w / n)
        top = int(rng.uniform(0.05, 0.35) * h)
        mask = np.zeros((h, w), np.uint8)
        cv2.ellipse(
            mask, (x, top + width // 2), (width // 2, width // 2), 0, 0, 360, 255, -1, cv2.LINE_AA
        )
        cv2.rectangle(mask, (x - width // 2, top + width // 2), (x + width // 2, h), 255, -1)
        across = 1 - 0.45 * ((np.arange(w) - x) / (width / 2 + 1)) ** 2
        shade = np.clip(tone[None, None, :] * across[None, :, None], 0, 255)
        inside = mask > 127
        out[inside, :3] = np.broadcast_to(shade, (h, w, 3))[inside]
        out[..., 3] = np.maximum(out[..., 3], mask)
        if rng.random() < 0.6:  # nail
            cv2.ellipse(
                out,
                (x, top + width // 3),
                (width // 4, width // 4),
                0,
                0,
                360,
                (190, 195, 240, 255),
                -1,
                cv2.LINE_AA,
            )
    return out
