"""The classes the networks speak: index glyphs and suits.

The classifier names the *glyph* that is drawn on the card's corner, not the rank: a V is a jack in
a French deck and a queen in a Dutch one, so only the deck's alphabet can turn a glyph into a rank.
The order of these tuples is part of the model files' contract (it is also written into each file's
metadata) and must not change without retraining.
"""

from __future__ import annotations

GLYPHS: tuple[str, ...] = (
    "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K",
    "1", "V", "D", "R", "B", "T", "Д", "H", "Kn",
    "joker", "none",
)  # fmt: skip
"""Index glyphs, in class order; ``joker`` is a joker's corner, ``none`` is no index at all."""

SUITS: tuple[str, ...] = ("S", "H", "D", "C", "none")
"""Suit classes: spades, hearts, diamonds, clubs, and no suit symbol."""

GLYPH_ID: dict[str, int] = {g: i for i, g in enumerate(GLYPHS)}
SUIT_ID: dict[str, int] = {s: i for i, s in enumerate(SUITS)}
NO_GLYPH = GLYPH_ID["none"]
NO_SUIT = SUIT_ID["none"]
JOKER = GLYPH_ID["joker"]

STANDARD_RANKS: tuple[str, ...] = GLYPHS[:13]
"""The thirteen international rank glyphs, ace to king."""

# Cyrillic letters that look Latin share its class; Ʒ draws a flat-topped three.
GLYPH_ALIASES: dict[str, str] = {"К": "K", "В": "B", "Т": "T", "Ʒ": "3"}
