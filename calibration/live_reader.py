"""Reads tables on which enrolled pieces lie, of one deck or of several."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from calibration.commands import enrolled_deck
from calibration.contours import trace
from calibration.embed import Embedder
from calibration.recognise import FaceReader
from companion.cards import Family, card
from companion.decks import Deck, get_deck
from vision.arrays import Image
from vision.types import Reading

#: A coin shows its value on one face and its suit on the other.
_COIN_VALUES, _COIN_SUITS = "0A2345", "SMCH"


def deck_on_table(names: Sequence[str]) -> Deck:
    """All that can be seen of several decks, as one; coins are seen one face at a time.

    Raises:
        UsageError: there is no such deck.
    """
    decks = [get_deck(name) for name in names]
    cards = []
    for deck in decks:
        if deck.family is Family.COIN:
            faces = [f"{value}?" for value in _COIN_VALUES] + [f"?{suit}" for suit in _COIN_SUITS]
            cards += [card(face, Family.COIN) for face in faces]
        else:
            cards += deck.cards
    return replace(decks[0], name=" and ".join(names), cards=tuple(cards))


class TableReader:
    """A `vision.protocols.CardReader` for enrolled decks, each read in its turn.

    Args:
        names: of the decks.
        folder: where taught decks are kept.
        captions: by deck what is written on each card, see `calibration.printing.faces`.
        threads: processor threads for the network.

    Raises:
        UsageError: a deck was neither taught nor is one of ours.
    """

    def __init__(
        self,
        names: Sequence[str],
        folder: Path,
        captions: Mapping[str, Mapping[str, str]] | None = None,
        *,
        threads: int = 2,
    ) -> None:
        embedder = Embedder(threads=threads)
        written = captions or {}
        self._readers = [
            FaceReader(
                get_deck(name),
                enrolled_deck(name, folder, embedder, written.get(name)),
                embedder,
            )
            for name in names
        ]

    def read(self, image: Image) -> Reading:
        """Names the pieces of all decks in a picture."""
        began = time.perf_counter()
        lines = trace(image)
        found = [reader.read(image, lines) for reader in self._readers]
        return Reading(
            (image.shape[1], image.shape[0]),
            tuple(read for reading in found for read in reading.cards),
            tuple(read for reading in found for read in reading.doubtful),
            ms=1e3 * (time.perf_counter() - began),
        )

    def read_frame(self, image: Image) -> Reading:
        """The same; a frame is a picture."""
        return self.read(image)

    def read_closely(self, image: Image) -> Reading:
        """The same; whole faces are looked at closely already."""
        return self.read(image)
