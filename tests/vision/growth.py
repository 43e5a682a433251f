"""A row that grows before a fixed camera, as noisy readings frame by frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tests.vision.layouts import (
    DECK,
    WIDTH,
    Camera,
    Placed,
    RowStyle,
    corners_of,
    deal,
    lay_row,
    view,
)
from vision.types import Reading


@dataclass(frozen=True)
class Growth:
    """How cards are laid and how badly they are read."""

    cards: int = 12
    lines: int = 1
    pitch: float = 25.0
    every: float = 2.0
    rate: float = 10.0
    wrong: float = 0.05
    dropped: float = 0.3
    hands: float = 0.1
    roll: float = 0.0
    nudge: float = 0.0


def showing(scene: list[Placed], style: RowStyle) -> list[Placed]:
    """The cards laid so far with the corners that show: the last one of a line shows all."""
    shown = []
    for k, placed in enumerate(scene):
        following = scene[k + 1] if k + 1 < len(scene) else None
        covered = following is not None and 0 < following.corner[0] - placed.corner[0] < WIDTH
        shown.append(replace(placed, corners_seen=("tl",) if covered else ("tl", "br")))
    return shown


def frames(rng, growth: Growth) -> Iterator[tuple[float, Reading, list]]:
    """Time, reading, and the cards that lie on the table by then in order."""
    style = RowStyle(lines=growth.lines, pitch=growth.pitch, jitter=2)
    laid = [p for line in lay_row(rng, deal(rng, growth.cards), style) for p in line]
    camera = Camera.looking(
        corners_of(laid), tilt=rng.uniform(0, 0.7), azimuth=rng.uniform(0, 6), roll=growth.roll
    )
    shake = rng.normal(0, 60, 2) if growth.nudge else np.zeros(2)
    count = int((growth.cards * growth.every + 2) * growth.rate)
    hand_until, hand_at = -1.0, 0
    for frame in range(count):
        t = frame / growth.rate
        there = min(growth.cards, 1 + int(t / growth.every))
        scene = showing(laid[:there], style)
        if t > hand_until and rng.random() < growth.hands / growth.rate:
            hand_until, hand_at = t + rng.uniform(0.3, 1.5), int(rng.integers(0, there))
        if t < hand_until:
            scene = [p for k, p in enumerate(scene) if abs(k - hand_at) > 4]
        scene = [p for p in scene if rng.random() > growth.dropped]
        reads = view(rng, scene, camera, noise=0.5)
        if t > growth.nudge > 0:
            reads = [shifted(r, shake) for r in reads]
        yield t, Reading((2000, 2000), tuple(mislabelled(rng, reads, growth.wrong))), laid[:there]


def shifted(read, by):
    """The read in a picture that slipped by some pixels."""
    return replace(
        read,
        indices=tuple(
            replace(i, centre=(i.centre[0] + by[0], i.centre[1] + by[1])) for i in read.indices
        ),
    )


def mislabelled(rng, reads, chance):
    """Some reads named as another card, with a confidence like the others'."""
    for read in reads:
        sure = float(rng.uniform(0.75, 0.99))
        if rng.random() < chance:
            other = DECK[int(rng.integers(0, 52))]
            yield replace(read, card=other, confidence=sure, alternatives=((read.card, 1 - sure),))
        else:
            yield replace(read, confidence=sure)
