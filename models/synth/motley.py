"""Small scenes in which no two cards are of one deck, for the classifier alone.

A photograph of one deck shows one font, a few dozen times. Here each index is of another one, so
that the shapes of letters vary as much within a batch as they do in the world. Rendered as they
are needed, and used once.
"""

from __future__ import annotations

import numpy as np

from models.synth.drawn import FOREIGN_SHARE
from models.synth.layouts import Placement, turned
from models.synth.own import Workshop, stray_card
from models.synth.scene import Props, Scene, render_scene

_CARDS = (4, 11)
_PX_PER_MM = (0.75, 3.2)
_STEP_MM = (12.0, 40.0)
_SIZE = ((250.0, 560), (200.0, 420))
"""Width and height: how much of the table is seen in mm, and the most pixels."""


def motley_scene(
    rng: np.random.Generator,
    workshop: Workshop,
    props: Props,
    *,
    foreign: float = FOREIGN_SHARE,
    jokers: float = 0.0,
) -> Scene:
    """A few strangers in a row or strewn about, photographed from near or far.

    ``foreign`` is the share of decks in other languages, ``jokers`` that of jokers.
    """
    n = int(rng.integers(*_CARDS))
    step = rng.uniform(*_STEP_MM)
    if rng.random() < 0.5:
        table = [
            Placement(
                float((k - n / 2) * step + rng.normal(0, 1.5)),
                float(rng.normal(0, 2)),
                float(rng.normal(0, 0.06)),
            )
            for k in range(n)
        ]
    else:
        spots = rng.uniform(-100, 100, (n, 2))
        table = [Placement(float(x), float(y), float(rng.uniform(0, 6.3))) for x, y in spots]
    scale = float(np.exp(rng.uniform(*np.log(_PX_PER_MM))))
    width, height = (int(np.clip(mm * scale, 160, most)) // 16 * 16 for mm, most in _SIZE)
    return render_scene(
        rng,
        [],
        props,
        table=turned(table, float(rng.uniform(0, 6.3))),
        cards=[stray_card(rng, workshop, foreign=foreign, jokers=jokers) for _ in range(n)],
        size=(width, height),
        px_per_mm=scale,
    )
