"""Where cards lie on the table: separate, overlapped rows, fans, piles, grids.

Lengths are millimetres on the table plane, angles radians clockwise as seen by the camera.
Every layout returns placements from the lowest card to the topmost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

CARD_W, CARD_H = 63.0, 88.0


@dataclass(frozen=True, slots=True)
class Placement:
    """One card's centre (x, y), and its turn ``angle`` (0 = upright)."""

    x: float
    y: float
    angle: float


def separate(rng: np.random.Generator) -> list[Placement]:
    """One to twelve cards side by side or scattered, some touching or slightly overlapping."""
    n = int(rng.integers(1, 13))
    spread = rng.uniform(70, 120) * np.sqrt(n)
    base = rng.uniform(0, 2 * np.pi)
    wild = rng.random() < 0.5
    placed: list[Placement] = []
    for _ in range(n * 12):
        x, y = rng.uniform(-spread / 2, spread / 2, 2)
        near = min((np.hypot(x - p.x, y - p.y) for p in placed), default=1e9)
        if near > rng.uniform(45, 95):
            turn = rng.uniform(0, 2 * np.pi) if wild else base + rng.normal(0, 0.15)
            placed.append(Placement(float(x), float(y), float(turn)))
        if len(placed) == n:
            break
    return placed


def grid(rng: np.random.Generator) -> list[Placement]:
    """A display of one to three lines of cards with small gaps."""
    cols, rows = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    gap_x, gap_y = CARD_W + rng.uniform(-2, 25), CARD_H + rng.uniform(-2, 25)
    loose = rng.uniform(0, 3)
    return [
        Placement(
            (c - (cols - 1) / 2) * gap_x + rng.normal(0, loose),
            (r - (rows - 1) / 2) * gap_y + rng.normal(0, loose),
            rng.normal(0, 0.03) + (np.pi if rng.random() < 0.1 else 0),
        )
        for r in range(rows)
        for c in range(cols)
    ]


def row(rng: np.random.Generator) -> list[Placement]:
    """Overlapped rows: each card covers all but a strip of the one before; one or more lines."""
    n = int(rng.integers(4, 53) if rng.random() < 0.5 else rng.integers(4, 20))
    per_line = int(rng.integers(max(4, n // 5), max(5, min(n, 20)) + 1))
    step = rng.uniform(13, 42)
    bend = rng.normal(0, 0.004)
    loose, tilt = rng.uniform(0, 4), rng.uniform(0, 0.08)
    line_gap = CARD_H * rng.uniform(0.45, 1.15)
    out = []
    for k in range(n):
        line, col = divmod(k, per_line)
        x = col * step - min(n, per_line) * step / 2 + rng.normal(0, loose / 2)
        y = line * line_gap + bend * x * x + rng.normal(0, loose)
        out.append(
            Placement(float(x), float(y), float(np.arctan(2 * bend * x) + rng.normal(0, tilt)))
        )
    return _centred(out)


def column(rng: np.random.Generator) -> list[Placement]:
    """Cascades as in solitaire: each card a step lower than the one before."""
    out = []
    columns = int(rng.integers(1, 6))
    for c in range(columns):
        step = rng.uniform(14, 34)
        x = (c - columns / 2) * (CARD_W + 8)
        out += [
            Placement(
                x + rng.normal(0, 2), k * step + rng.normal(0, 1.5), float(rng.normal(0, 0.04))
            )
            for k in range(int(rng.integers(3, 12)))
        ]
    return _centred(out)


def fan(rng: np.random.Generator) -> list[Placement]:
    """A hand of cards spread about a pivot below them."""
    n = int(rng.integers(3, 16))
    radius = rng.uniform(70, 220)
    step = rng.uniform(11, 30) / (radius + CARD_H / 2)
    start = -(n - 1) / 2 * step
    out = []
    for k in range(n):
        a = start + k * step + rng.normal(0, step * 0.18)
        r = radius + rng.normal(0, 2.5)
        out.append(Placement(float(r * np.sin(a)), float(-r * np.cos(a)), float(a)))
    if rng.random() < 0.08:
        out.reverse()  # fanned the other way: the far corners show
    return _centred(out)


def pile(rng: np.random.Generator) -> list[Placement]:
    """Cards thrown on a heap."""
    n = int(rng.integers(2, 10))
    s = rng.uniform(15, 60)
    return [
        Placement(
            float(rng.normal(0, s)), float(rng.normal(0, s)), float(rng.uniform(0, 2 * np.pi))
        )
        for _ in range(n)
    ]


LAYOUTS: tuple[tuple[float, Callable[[np.random.Generator], list[Placement]]], ...] = (
    (0.26, separate), (0.10, grid), (0.26, row), (0.06, column), (0.24, fan), (0.08, pile),
)  # fmt: skip


def random_group(rng: np.random.Generator) -> list[Placement]:
    """One group of cards of a random kind, turned as a whole by any angle."""
    weights = np.array([w for w, _ in LAYOUTS])
    kind = LAYOUTS[rng.choice(len(LAYOUTS), p=weights / weights.sum())][1]
    turn = rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.normal(0, 0.15)
    return turned(kind(rng), float(turn))


def turned(group: list[Placement], angle: float) -> list[Placement]:
    """The group turned about its origin."""
    c, s = np.cos(angle), np.sin(angle)
    return [
        Placement(float(c * p.x - s * p.y), float(s * p.x + c * p.y), p.angle + angle)
        for p in group
    ]


def random_table(rng: np.random.Generator) -> list[Placement]:
    """One to three groups side by side; at most 52 cards."""
    groups = [random_group(rng) for _ in range(int(rng.choice([1, 2, 3], p=[0.62, 0.25, 0.13])))]
    out: list[Placement] = []
    right = 0.0
    for g in groups:
        left = min(p.x for p in g) - 50
        out += [Placement(p.x - left + right, p.y + rng.normal(0, 20), p.angle) for p in g]
        right += max(p.x for p in g) - left + 50
    return _centred(out[:52])


def _centred(group: list[Placement]) -> list[Placement]:
    x = float(np.mean([p.x for p in group]))
    y = float(np.mean([p.y for p in group]))
    return [Placement(p.x - x, p.y - y, p.angle) for p in group]
