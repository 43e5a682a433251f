"""Reads the cache folder that ``python -m models.art fetch`` fills."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from models.art.backgrounds import Background
from models.art.fonts import FontFace
from models.art.indices import Box, Index
from models.art.occluders import Occluder
from models.art.pips import Pip
from models.art.render import Rgba, decode_picture

_CACHED_CARDS, _CACHED_BACKGROUNDS, _CACHED_THINGS = 768, 24, 128


class ArtMissingError(Exception):
    """The cache folder lacks what is asked for; the message says how to fill it."""


@dataclass(frozen=True, slots=True)
class CardArt:
    """One card's picture and where its indices are.

    Attributes:
        card: The card in the match notation, ``AS`` to ``KC``, ``JK1``, ``JK2``.
        glyph: The index glyph that is drawn, for example ``V`` on a French jack; for jokers
            ``joker``.
        path: The RGBA PNG.
        size: Width and height, pixels.
        indices: The printed indices; none on jokers.
    """

    card: str
    glyph: str
    path: Path
    size: tuple[int, int]
    indices: tuple[Index, ...]

    def image(self) -> Rgba:
        """The picture, RGBA; kept in memory for a while, so not to be written to."""
        return _card_image(self.path)


@dataclass(frozen=True, slots=True)
class DeckArt:
    """One deck.

    Attributes:
        name: Its folder's name.
        source: Package and file.
        licence: The art's licence.
        family: Court artist family.
        holdout: Whether it is kept for evaluation.
        cards: The cards with known indices, by name.
        jokers: The jokers, which bear no labelled index.
        backs: Pictures of backs.
    """

    name: str
    source: str
    licence: str
    family: str
    holdout: bool
    cards: Mapping[str, CardArt]
    jokers: tuple[CardArt, ...]
    backs: tuple[Path, ...]

    def back_image(self, which: int = 0) -> Rgba:
        """One of the backs, RGBA; kept in memory for a while, so not to be written to."""
        return _card_image(self.backs[which])


@dataclass(frozen=True, slots=True)
class ArtLibrary:
    """All art of one side of the hold-out.

    Attributes:
        root: The cache folder; the paths of fonts, pips, backgrounds and occluders start there.
        holdout: Which side: True for evaluation, False for training.
    """

    root: Path
    holdout: bool
    decks: tuple[DeckArt, ...]
    fonts: tuple[FontFace, ...]
    pips: tuple[Pip, ...]
    backgrounds: tuple[Background, ...]
    occluders: tuple[Occluder, ...]

    def font_path(self, face: FontFace) -> Path:
        """The font file."""
        return self.root / face.path

    def pip_mask(self, pip: Pip) -> Rgba:
        """A suit symbol's mask, RGBA, black with the shape as alpha, 96 by 96."""
        return _thing_image(self.root / pip.path)

    def background_image(self, background: Background) -> Rgba:
        """A surface, RGBA and opaque."""
        return _background_image(self.root / background.path)

    def occluder_image(self, occluder: Occluder) -> Rgba:
        """A thing, RGBA."""
        return _thing_image(self.root / occluder.path)


def load_library(root: Path, *, holdout: bool) -> ArtLibrary:
    """Reads the lists; pictures are read when they are asked for.

    Args:
        root: The cache folder.
        holdout: True for the art kept for evaluation, False for the art to train on.

    Returns:
        The library of that side. A part that was not fetched is empty.

    Raises:
        ArtMissingError: There is no deck at all in the folder.
    """
    descriptions = sorted((root / "decks").glob("*/deck.json"))
    if not descriptions:
        raise ArtMissingError(
            f"There is no card art in {root}. "
            f"Fetch it with: python -m models.art fetch --out {root}"
        )
    decks = [_deck(path) for path in descriptions]
    return ArtLibrary(
        root=root,
        holdout=holdout,
        decks=tuple(d for d in decks if d.holdout == holdout),
        fonts=tuple(FontFace(**row) for row in _rows(root, "fonts", holdout)),
        pips=tuple(Pip(**row) for row in _rows(root, "pips", holdout)),
        backgrounds=tuple(Background(**row) for row in _rows(root, "backgrounds", holdout)),
        occluders=tuple(Occluder(**row) for row in _rows(root, "occluders", holdout)),
    )


def _rows(root: Path, part: str, holdout: bool) -> list[dict[str, Any]]:
    path = root / f"{part}.json"
    if not path.is_file():
        return []
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [row for row in rows if row["holdout"] == holdout]


def _deck(path: Path) -> DeckArt:
    data = json.loads(path.read_text(encoding="utf-8"))
    arts = [_card(path.parent, name, row, data["glyphs"]) for name, row in data["cards"].items()]
    return DeckArt(
        name=data["name"],
        source=data["source"],
        licence=data["licence"],
        family=data["family"],
        holdout=data["holdout"],
        cards={a.card: a for a in arts if a.glyph != "joker"},
        jokers=tuple(a for a in arts if a.glyph == "joker"),
        backs=tuple(sorted(path.parent.glob("back*.png"))),
    )


def _card(folder: Path, name: str, row: Mapping[str, Any], glyphs: Mapping[str, str]) -> CardArt:
    rank = name[:-1]
    return CardArt(
        card=name,
        glyph="joker" if name.startswith("JK") else glyphs.get(rank, rank),
        path=folder / f"{name}.png",
        size=(row["size"][0], row["size"][1]),
        indices=tuple(
            Index(_box(i["rank_box"]), _box(i["suit_box"]), int(i["angle"])) for i in row["indices"]
        ),
    )


def _box(values: list[int]) -> Box:
    x0, y0, x1, y1 = values
    return x0, y0, x1, y1


def _read(path: Path) -> Rgba:
    image = decode_picture(path.read_bytes())
    image.setflags(write=False)
    return np.asarray(image, np.uint8)


_card_image = lru_cache(maxsize=_CACHED_CARDS)(_read)
_background_image = lru_cache(maxsize=_CACHED_BACKGROUNDS)(_read)
_thing_image = lru_cache(maxsize=_CACHED_THINGS)(_read)
