"""How packages hold their cards: one sheet, a file a card, or drawing code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from models.art.paths import CARD_HEIGHT, RANKS
from models.art.render import Rgba, cut_cell, read_svg, render_svg

Named = tuple[str, Rgba]
"""A card (``AS``, ``JK1``, ``back``) and its picture."""
Layout = Callable[[Path], Iterator[Named]]


def gnome_sheet(path: Path) -> Iterator[Named]:
    """A sheet of 13 columns and 5 rows: clubs, diamonds, hearts, spades, jokers and back."""
    rows, columns = 5, 13
    sheet = render_svg(read_svg(path), height=rows * CARD_HEIGHT)
    for row, suit in enumerate("CDHS"):
        for column, rank in enumerate(RANKS):
            cell = cut_cell(sheet, row=row, column=column, rows=rows, columns=columns)
            if cell is not None:
                yield rank + suit, cell
    for column, name in enumerate(("JK1", "JK2", "back")):
        cell = cut_cell(sheet, row=4, column=column, rows=rows, columns=columns)
        if cell is not None:
            yield name, cell


LAYOUTS: dict[str, Layout] = {"gnome": gnome_sheet}
"""The layouts that ``decks.toml`` names."""
