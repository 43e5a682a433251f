"""Where the art lives, and the names of its parts."""

from __future__ import annotations

from pathlib import Path

DEFAULT_DIR = Path("build/art")
"""The cache folder, relative to the repository root; git ignores it."""

CARD_HEIGHT = 500
"""Height of a normalised card picture, pixels."""

RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: tuple[str, ...] = ("S", "H", "D", "C")
JOKERS: tuple[str, ...] = ("JK1", "JK2")

CARDS: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards in the match notation, ``AS`` to ``KC``."""


def split_card(card: str) -> tuple[str, str]:
    """The rank and the suit letter of a card such as ``10H``."""
    return card[:-1], card[-1]
