"""How packages hold their cards: one sheet, a file a card, or drawing code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.art.jsx import svg_components
from models.art.paths import CARD_HEIGHT, RANKS, SUITS
from models.art.render import (
    Rgba,
    cut_cell,
    decode_picture,
    read_svg,
    render_svg,
    trim_card,
)

Named = tuple[str, Rgba]
"""A card (``AS``, ``JK1``, ``back``) and its picture."""
Options = Mapping[str, Any]
"""A deck's further keys in ``decks.toml``."""
Layout = Callable[[Path, Options], Iterator[Named]]


def gnome_sheet(path: Path, options: Options) -> Iterator[Named]:
    """A sheet of 13 columns and 5 rows: clubs, diamonds, hearts, spades, jokers and back."""
    del options  # every GNOME sheet is alike
    sheet = render_svg(read_svg(path), height=5 * CARD_HEIGHT)
    names = {
        (row, column): rank + suit
        for row, suit in enumerate("CDHS")
        for column, rank in enumerate(RANKS)
    }
    names |= {(4, 0): "JK1", (4, 1): "JK2", (4, 2): "back"}
    yield from _cells(sheet, names, rows=5)


def grid_sheet(path: Path, options: Options) -> Iterator[Named]:
    """A regular sheet; ``rows`` gives the suits, ``columns`` the ranks, ``grid_rows`` the rows."""
    rows = int(options["grid_rows"])
    sheet = render_svg(read_svg(path), height=rows * CARD_HEIGHT)
    names = {
        (row, column): rank + suit
        for row, suit in enumerate(options["rows"])
        for column, rank in enumerate(options["columns"].split())
    }
    names |= {(rows - 1, i): name for i, name in enumerate(options.get("last_row", ()))}
    yield from _cells(sheet, names, rows=rows)


def _cells(sheet: Rgba, names: Mapping[tuple[int, int], str], *, rows: int) -> Iterator[Named]:
    for (row, column), name in names.items():
        cell = cut_cell(sheet, row=row, column=column, rows=rows, columns=13)
        if cell is not None:
            yield name, cell


def loose_sheet(path: Path, options: Options) -> Iterator[Named]:
    """A sheet of cards with gaps between, in four rows of thirteen; places need not be regular.

    Raises:
        ValueError: The sheet has fewer than 52 cards.
    """
    text = read_svg(path)
    scale = int(options["sheet_height"])
    sheet = render_svg(text, height=scale)
    solid = (sheet[..., 3] > 127).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
    boxes = [s[:4] for s in stats[1:count].tolist() if s[4] > 0.0008 * solid.size]
    if len(boxes) < 52:
        raise ValueError(f"the sheet shows {len(boxes)} separate cards, not 52")
    boxes.sort(key=lambda b: b[1])
    for row, suit in enumerate(options["rows"]):
        line = sorted(boxes[13 * row : 13 * row + 13])
        for (x, y, w, h), rank in zip(line, options["columns"].split(), strict=True):
            card = trim_card(sheet[max(0, y - 1) : y + h + 1, max(0, x - 1) : x + w + 1])
            if card is not None:
                yield rank + suit, card
    extras = sorted(boxes[52:], key=lambda b: (b[1] // (b[3] // 2 + 1), b[0]))
    for (x, y, w, h), name in zip(extras, options.get("last_row", ()), strict=False):
        card = trim_card(sheet[y : y + h, x : x + w])
        if card is not None:
            yield name, card


def files(path: Path, options: Options) -> Iterator[Named]:
    """A file a card: ``pattern`` with ``{rank}`` and ``{suit}``, spelt by ``ranks``, ``suits``.

    ``court_pattern`` is for jacks, queens and kings where it differs; ``extras`` names the files
    of jokers and backs.
    """
    ranks = {r: options.get("ranks", {}).get(r, r) for r in RANKS}
    suits = {s: options.get("suits", {}).get(s, s) for s in SUITS}
    courts = options.get("court_pattern", options["pattern"])
    names = {
        rank + suit: (courts if rank in "JQK" else options["pattern"]).format(
            rank=ranks[rank], suit=suits[suit]
        )
        for suit in SUITS
        for rank in RANKS
    }
    for name, file in (names | dict(options.get("extras", {}))).items():
        source = path / file
        if source.suffix == ".svg":
            image = render_svg(read_svg(source), height=CARD_HEIGHT)
        else:
            image = decode_picture(source.read_bytes())
        card = trim_card(image)
        if card is not None:
            yield name, card


def react_module(path: Path, options: Options) -> Iterator[Named]:
    """A JavaScript module of drawing components named ``SvgS10``, ``SvgHQ``, ``SvgB1``."""
    del options
    names = {f"Svg{suit}{rank}": rank + suit for suit in SUITS for rank in RANKS}
    names |= {"SvgJ1": "JK1", "SvgJ2": "JK2", "SvgB1": "back", "SvgB2": "back2"}
    for component, text in svg_components(path.read_text(encoding="utf-8")):
        if component in names:
            card = trim_card(render_svg(text, height=CARD_HEIGHT))
            if card is not None:
                yield names[component], card


LAYOUTS: dict[str, Layout] = {
    "gnome": gnome_sheet,
    "grid": grid_sheet,
    "loose": loose_sheet,
    "files": files,
    "react": react_module,
}
"""The layouts that ``decks.toml`` names."""
