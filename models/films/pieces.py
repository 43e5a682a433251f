"""What is played with on filmed tables: cards and pieces as they look, held-out decks, surfaces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from models.arrays import Picture
from models.synth.faces import FaceDeck, deck_folders, load_deck
from models.synth.scenes import picture_files

#: Name of the side of a card that tells nothing.
BACK = "back"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Cards, tiles or coins as they look.

    Attributes:
        name: of the deck.
        faces: RGBA pictures of all sides, backs too, by name.
        heights: how high a piece is in millimetres, by the names of its sides; a card's height
            where nothing is said.
    """

    name: str
    faces: Mapping[str, Picture]
    heights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of_deck(cls, deck: FaceDeck, rng: np.random.Generator) -> Pieces:
        """A deck of cards; its back is drawn where it brings none."""
        faces = {card.name: card.image() for card in deck.cards}
        faces[BACK] = deck.backs[0].image() if deck.backs else _plain_back(rng)
        return cls(deck.name, faces)


@dataclass(frozen=True, slots=True)
class Art:
    """What films are made of: decks of 52 with English indices, and pictures of surfaces."""

    decks: tuple[FaceDeck, ...]
    grounds: tuple[Path, ...]


def held_out_art(art: Path, drawn: Path) -> Art:
    """Decks and surfaces that no network was trained on.

    Args:
        art: the folder that ``python -m models.art fetch`` fills.
        drawn: a folder of drawn decks kept for measuring.
    """
    folders = [*deck_folders(art / "decks", holdout=True), *sorted(drawn.glob("*"))]
    decks = []
    for folder in folders:
        about = folder / "deck.json"
        if not about.exists():
            continue
        glyphs = json.loads(about.read_text(encoding="utf-8")).get("glyphs") or {}
        deck = load_deck(folder)
        names = {card.name for card in deck.cards}
        english = all(rank == glyph for rank, glyph in glyphs.items())
        if english and len([n for n in names if not n.startswith("JK")]) == 52:
            decks.append(deck)
    return Art(tuple(decks), tuple(picture_files(art, "backgrounds", holdout=True)))


def _plain_back(rng: np.random.Generator) -> Picture:
    """A back with a frame and a lattice, for decks that bring none."""
    back = np.full((490, 350, 4), 255, np.uint8)
    colour = [int(v) for v in rng.integers(20, 180, 3)]
    back[18:-18, 18:-18, :3] = colour
    for k in range(-490, 490, 28):
        cv2.line(back, (18, k), (332, k + 314), (235, 235, 235, 255), 2)
    back[:18, :, :3] = back[-18:, :, :3] = 255
    return back
