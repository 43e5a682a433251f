"""Suit symbols drawn from a few curves with free proportions.

Every call gives another hand's heart or club, so the networks cannot learn one maker's.
"""

from __future__ import annotations

import cv2
import numpy as np

from models.arrays import Mask

_SIZE = 128


def bezier(points: list[tuple[float, float]], steps: int = 24) -> list[tuple[float, float]]:
    """Cubic Bézier polyline; ``points`` holds 3k+1 control points."""
    out: list[tuple[float, float]] = []
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    p = np.asarray(points, dtype=np.float64)
    for i in range(0, len(p) - 1, 3):
        a, b, c, d = p[i : i + 4]
        curve = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
        out.extend(map(tuple, curve))
    return out


def fill(mask: Mask, outline: list[tuple[float, float]]) -> None:
    """Fill an outline, of which the corners of a square mask of 128 are (0, 0) and (1, 1)."""
    pts = np.round(np.asarray(outline) * _SIZE * 16).astype(np.int32)
    cv2.fillPoly(mask, [pts], 255, lineType=cv2.LINE_AA, shift=4)


def _heart(rng: np.random.Generator, *, flip: bool = False) -> list[tuple[float, float]]:
    dip = rng.uniform(0.12, 0.3)
    side = rng.uniform(0.28, 0.6)
    low = rng.uniform(0.5, 0.85)
    top = rng.uniform(-0.12, 0.02)
    right = [
        (0.5, dip),
        (0.56, top),
        (1.05, top - 0.02),
        (1.0, side),
        (0.96, low),
        (0.6, 0.78),
        (0.5, 1.0),
    ]
    left = [(1 - x, y) for x, y in reversed(right)]
    pts = bezier(right) + bezier(left)
    return [(x, 1 - y) for x, y in pts] if flip else pts


def _stem(rng: np.random.Generator) -> list[tuple[float, float]]:
    half = rng.uniform(0.1, 0.28)
    waist = rng.uniform(0.01, 0.06)
    start = rng.uniform(0.5, 0.62)
    right = [(0.5 + waist, start), (0.5 + waist, 0.8), (0.5 + half * 0.6, 0.95), (0.5 + half, 1.0)]
    left = [(1 - x, y) for x, y in reversed(right)]
    return bezier(right) + bezier(left)


def draw_pip(suit: str, rng: np.random.Generator) -> Mask:
    """Draw one suit symbol.

    Args:
        suit: One of ``S H D C``.
        rng: Decides the proportions.

    Returns:
        Mask 128 × 128, 0 to 255, the symbol tight in its box.
    """
    mask = np.zeros((_SIZE, _SIZE), np.uint8)
    if suit == "H":
        fill(mask, _heart(rng))
    elif suit == "D":
        b = rng.uniform(-0.02, 0.12)
        quarter = [
            (0.5, 0.0),
            (0.5 + 0.12 + b, 0.22 - b),
            (0.75 + b * 0.3, 0.36 - b * 0.2),
            (1.0, 0.5),
        ]
        right = bezier(quarter) + bezier([(x, 1 - y) for x, y in reversed(quarter)])
        fill(mask, right + [(1 - x, y) for x, y in reversed(right)])
    elif suit == "S":
        body = [(x, y * 0.86) for x, y in _heart(rng, flip=True)]
        fill(mask, body)
        fill(mask, _stem(rng))
    else:
        # Three discs that just touch or barely overlap: a compact trefoil would pass for a spade.
        r = rng.uniform(0.195, 0.245)
        spread = rng.uniform(1.02, 1.22) * r
        level = r + rng.uniform(1.5, 1.75) * r
        for cx, cy in ((0.5, r), (0.5 - spread, level), (0.5 + spread, level)):
            centre = (round(cx * _SIZE * 16), round(cy * _SIZE * 16))
            cv2.circle(mask, centre, round(r * _SIZE * 16), 255, -1, cv2.LINE_AA, 4)
        core = rng.uniform(0.04, 0.1)
        cv2.circle(mask, (_SIZE // 2, round(0.48 * _SIZE)), round(core * _SIZE), 255, -1)
        fill(mask, _stem(rng))
    return tight(mask)


def draw_strange(rng: np.random.Generator) -> Mask:
    """Draw a symbol that no suit of a standard deck has, as other games print it.

    Args:
        rng: Decides which and its proportions.

    Returns:
        Mask of at most 128 × 128, 0 to 255, the symbol tight in its box.
    """
    mask = np.zeros((_SIZE, _SIZE), np.uint8)
    kind = int(rng.integers(6))
    if kind == 0:
        points = int(rng.integers(4, 9))
        fill(mask, _star(2 * points, float(rng.uniform(0.3, 0.7)), float(rng.uniform(0, 0.4))))
    elif kind == 1:
        corners, turn = int(rng.choice([3, 5, 6, 8])), float(rng.choice([0, np.pi]))
        fill(mask, _star(corners, 1.0, turn))
    elif kind == 2:  # a ring, or a moon
        middle, radius = _SIZE // 2, _SIZE // 2 - 1
        cv2.circle(mask, (middle, middle), radius, 255, -1, cv2.LINE_AA)
        aside = int(rng.integers(-30, 31)) if rng.random() < 0.7 else 0
        inner = round(radius * float(rng.uniform(0.4, 0.85)))
        cv2.circle(mask, (middle + aside, middle), inner, 0, -1, cv2.LINE_AA)
    elif kind == 3:  # a leaf
        wide, low = rng.uniform(0.3, 0.5), rng.uniform(0.3, 0.7)
        right = bezier([(0.5, 0.0), (0.5 + wide, 0.2), (0.5 + wide, low), (0.5, 0.8)])
        fill(mask, right + [(1 - x, y) for x, y in reversed(right)])
        cv2.line(mask, (_SIZE // 2, _SIZE // 2), (_SIZE // 2, _SIZE - 2), 255, 5, cv2.LINE_AA)
    elif kind == 4:  # a cup, or a bell
        wide, waist = rng.uniform(0.3, 0.5), rng.uniform(0.03, 0.2)
        right = bezier([(0.5, 0.0), (0.5 + wide, 0.0), (0.5 + wide, 0.5), (0.5 + waist, 0.6)])
        right += [(0.5 + waist, 0.85), (0.5 + wide * 0.8, 1.0)]
        cup = right + [(1 - x, y) for x, y in reversed(right)]
        fill(mask, cup if rng.random() < 0.5 else [(x, 1 - y) for x, y in cup])
    else:  # a sword, or a cross
        thick, at = int(rng.integers(8, 26)), int(rng.integers(24, 90))
        cv2.line(mask, (_SIZE // 2, 4), (_SIZE // 2, _SIZE - 4), 255, thick)
        cv2.line(mask, (24, at), (_SIZE - 24, at), 255, thick)
    return tight(mask)


def _star(corners: int, inner: float, turn: float) -> list[tuple[float, float]]:
    """A polygon about the middle; every second corner is ``inner`` times as far out."""
    out = []
    for k in range(corners):
        far = 0.5 * (inner if k % 2 else 1.0)
        angle = 2 * np.pi * k / corners + turn
        out.append((0.5 + far * float(np.sin(angle)), 0.5 - far * float(np.cos(angle))))
    return out


def vary(mask: Mask, rng: np.random.Generator) -> Mask:
    """The same symbol as another maker might cut it: wider or taller, bolder or finer.

    Args:
        mask: 0 to 255, the symbol tight in its box.
        rng: Decides the change.

    Returns:
        A tight mask of about 128 pixels.
    """
    height = _SIZE
    width = round(height * mask.shape[1] / mask.shape[0] * float(np.exp(rng.normal(0, 0.1))))
    room = 12
    out = cv2.resize(mask, (max(24, width), height), interpolation=cv2.INTER_AREA)
    out = cv2.copyMakeBorder(out, room, room, room, room, cv2.BORDER_CONSTANT, value=0)
    # A blurred edge cut at another level moves outwards or inwards evenly.
    soft = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(1.0, 4.0))).astype(np.float32)
    level = float(np.clip(rng.normal(127, 34), 55, 200))
    return tight(np.clip((soft - level) * 4 + 127, 0, 255).astype(np.uint8))


def tight(mask: Mask, threshold: int = 40) -> Mask:
    """Crop a mask to what is above ``threshold``; the whole mask when nothing is."""
    ys, xs = np.nonzero(mask > threshold)
    if not len(ys):
        return mask
    return np.ascontiguousarray(mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])
