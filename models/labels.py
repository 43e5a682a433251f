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

PATCH_WIDTH, PATCH_HEIGHT = 48, 64
"""Classifier patch, pixels; the index stands upright in the middle."""

PATCH_INDEX_HEIGHT = 40.0
"""How tall the index (rank top to suit bottom) stands in the patch, pixels."""

LOCATOR_STRIDE = 4
"""One heat-map cell of the locator covers this many input pixels a side."""

SIZE_UNIT = 24.0
"""The locator's size channel is ``log(index height / SIZE_UNIT)``."""

BODIES: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "court", "joker")
"""What a card shows besides its index: so many pips, a court card's picture, or a joker's."""

BODY_OF: dict[str, str] = {
    **{name: name for name in BODIES},
    **dict.fromkeys(("J", "Q", "K", "V", "D", "R", "B", "Д", "H", "Kn"), "court"),
    "1": "A",
}
"""The body of a glyph; a T may stand on an ace (туз) or a ten."""

BODY_WIDTH, BODY_HEIGHT = 96, 144
"""Patch that shows a card's body to the right of and below its index, pixels."""

BODY_INDEX_HEIGHT = 22.0
"""How tall the index stands in it, pixels."""

BODY_ANCHOR = (24, 18)
"""Where the index's centre stands in it, pixels from the left and the top."""

BODY_HIDDEN = (11, 13)
"""So far to each side, and up and down, of its centre the index is painted over, pixels."""

OUTLINE_WIDTH, OUTLINE_HEIGHT = 96, 144
"""Patch that shows a card of which it is known roughly where it lies, pixels."""

OUTLINE_INNER = 2 / 3
"""What is known of it fills so much of the patch, to each side."""

OUTLINE_KINDS: tuple[str, ...] = ("face", "back", "none")
"""What such a patch shows: a card's face, its back, or no card that lies about there."""

EMBEDDER_SIDE = 112
"""Side of the square picture that the embedder takes, pixels."""

MARKS, RANK_MARKS = 16, 16
"""How many numbers the classifier gives to compare the suits of one picture by, and the ranks."""
