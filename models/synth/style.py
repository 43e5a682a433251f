"""How one drawn deck looks."""

from __future__ import annotations

from dataclasses import dataclass

from models.synth.glyphs import PLAIN, Forms
from models.synth.paper import Colour


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
