"""Decks that live for one scene: drawn in memory, each with a style of its own.

Fonts and suit symbols are few, their combinations many. A deck that is written is met in many
scenes; one of these in a single one, so that no style can be learnt by heart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from models.arrays import Picture
from models.labels import JOKER, NO_SUIT, STANDARD_RANKS, SUIT_ID
from models.synth.drawn import (
    FLAT_THREE,
    FOREIGN_SHARE,
    HEIGHT,
    JOKERS,
    borrow_court,
    choose_pip,
    draw_back,
    draw_face,
    random_style,
)
from models.synth.faces import FaceDeck, IndexMark, glyph_class, reduce
from models.synth.glyphs import random_forms
from models.synth.jokers import draw_joker
from models.synth.pips import draw_strange
from models.synth.style import Style


@dataclass(frozen=True, slots=True)
class Workshop:
    """What decks are drawn from.

    Attributes:
        fonts: Font files.
        pips: Suit masks by suit letter.
        courts: Pictures of court cards to borrow middles from.
    """

    fonts: Sequence[str] = ()
    pips: Mapping[str, Sequence[Path]] | None = None
    courts: Sequence[Path] = ()


class OwnFace:
    """A face that is drawn when it is first looked at; see :class:`models.synth.faces.Face`.

    A face without a suit symbol is a joker or a back; a strange one bears a symbol that is no suit
    of a standard deck.
    """

    def __init__(
        self,
        name: str,
        style: Style,
        pip: Picture | None,
        seed: int,
        courts: Sequence[Path],
        *,
        strange: bool = False,
    ) -> None:
        self.name, self._strange = name, strange
        self._style, self._pip, self._seed, self._courts = style, pip, seed, courts

    @cached_property
    def _drawn(self) -> tuple[Picture, list[dict[str, Any]]]:
        rng = np.random.default_rng(self._seed)
        if self.name in JOKERS:
            return draw_joker(self._style, rng, borrow_court(self._courts, rng), height=HEIGHT)
        if self._pip is None:
            return draw_back(self._style, rng), []
        rank, suit = self.name[:-1], self.name[-1]
        art = borrow_court(self._courts, rng, suit) if rank in "JQK" else None
        return draw_face(rank, suit, self._style, self._pip, rng, art)

    @property
    def indices(self) -> tuple[IndexMark, ...]:
        """Its corner indices; empty for the back."""
        if self.name in JOKERS:
            glyph, suit = JOKER, NO_SUIT
        elif self._pip is None:
            return ()
        else:
            rank = self.name[:-1]
            glyph = glyph_class(self._style.glyphs.get(rank, rank))
            suit = NO_SUIT if self._strange else SUIT_ID[self.name[-1]]
        return tuple(
            IndexMark(tuple(m["rank_box"]), tuple(m["suit_box"]), float(m["angle"]), glyph, suit)
            for m in self._drawn[1]
        )

    def image(self) -> Picture:
        """The RGBA picture."""
        return self._drawn[0]

    def reduced(self, height: int) -> Picture:
        """The picture at most ``height`` pixels high."""
        return reduce(self.image(), height)


_WIDER_SD = 0.25
"""Spread of how much wider or narrower than other decks' a stray card's glyphs are (log scale)."""

_STRANGE_SHARE = 0.06
"""Share of stray cards of other games, whose suits are no standard deck's."""


def stray_card(
    rng: np.random.Generator,
    workshop: Workshop,
    *,
    foreign: float = FOREIGN_SHARE,
    jokers: float = 0.0,
) -> OwnFace:
    """One card of a deck of its own, whose glyphs may be wider or narrower than is usual.

    ``foreign`` is the share of decks in other languages, ``jokers`` that of jokers.
    """
    style = random_style(rng, workshop.fonts, foreign=foreign)
    stretch = style.stretch * float(np.exp(rng.normal(0, _WIDER_SD)))
    style = replace(style, forms=random_forms(rng), stretch=stretch)
    if rng.random() < jokers:
        name = JOKERS[int(rng.integers(len(JOKERS)))]
        return OwnFace(name, style, None, int(rng.integers(2**32)), workshop.courts)
    rank = STANDARD_RANKS[int(rng.integers(len(STANDARD_RANKS)))]
    others = [name for name, glyph in style.glyphs.items() if glyph != FLAT_THREE]
    if others and rng.random() < foreign:
        rank = others[int(rng.integers(len(others)))]
    suit = "SHDC"[int(rng.integers(4))]
    strange = bool(rng.random() < _STRANGE_SHARE)
    pip = draw_strange(rng) if strange else choose_pip(suit, rng, workshop.pips)
    seed = int(rng.integers(2**32))
    return OwnFace(rank + suit, style, pip, seed, workshop.courts, strange=strange)


def own_deck(
    rng: np.random.Generator, workshop: Workshop, glyphs: Mapping[str, str] | None = None
) -> FaceDeck:
    """A deck in a style of its own; its faces are drawn as they are dealt.

    ``glyphs`` as in :func:`models.synth.drawn.random_style`.
    """
    style = replace(random_style(rng, workshop.fonts, glyphs), forms=random_forms(rng))
    pips = {s: choose_pip(s, rng, workshop.pips) for s in "SHDC"}
    seeds = iter(rng.integers(2**32, size=55))
    cards = [
        OwnFace(rank + suit, style, pips[suit], int(next(seeds)), workshop.courts)
        for suit in "SHDC"
        for rank in STANDARD_RANKS
    ]
    cards += [OwnFace(name, style, None, int(next(seeds)), workshop.courts) for name in JOKERS]
    return FaceDeck("own", cards, [OwnFace("back", style, None, int(next(seeds)), ())])
