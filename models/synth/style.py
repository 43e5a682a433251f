"""How one drawn deck looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.synth.glyphs import PLAIN, Forms
from models.synth.paper import Colour

PipColumns = tuple[int, tuple[float, ...]]
"""How many large pips stand at either side, evenly spread from the top of the field of pips to its
foot; and how far down those in the middle column stand, as parts of its height."""

STANDARD_PIPS: Mapping[int, PipColumns] = {
    1: (0, (0.5,)),
    2: (0, (0, 1)),
    3: (0, (0, 0.5, 1)),
    4: (2, ()),
    5: (2, (0.5,)),
    6: (3, ()),
    7: (3, (0.25,)),
    8: (3, (0.25, 0.75)),
    9: (4, (0.5,)),
    10: (4, (1 / 6, 5 / 6)),
}  # fmt: skip
"""How standard faces lay the pips of each number."""


@dataclass(frozen=True, slots=True)
class Style:
    """Everything that makes one drawn deck look as it does (lengths in pixels of the face)."""

    font: str | None
    width: int
    rank_height: int
    stretch: float
    weight: float
    pip_height: int
    gap: int
    margin_x: int
    margin_y: int
    four_indices: bool
    colours: dict[str, Colour]
    ground: Colour
    glyphs: dict[str, str]
    big_pip: float
    frame: bool
    field_x: float
    forms: Forms = PLAIN
    flat_font: str | None = None
    pips: Mapping[int, PipColumns] = field(default_factory=lambda: STANDARD_PIPS)
