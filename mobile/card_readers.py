"""The readers of cards that the app uses; what they need is imported when one is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from companion.decks import Deck
    from vision.protocols import CardReader


def shipped_reader(deck: str = "standard") -> CardReader:
    """The networks that come with the app, on one thread, so that the interface stays quick."""
    from companion.decks import STANDARD, get_deck
    from vision.reader import Reader

    known = get_deck(deck)
    # A standard deck may be printed in any language: its letters tell which. A deck without indices
    # is not for these networks.
    return Reader(threads=1, deck=known if known.indices else None, auto=deck == STANDARD)


def enrolled_reader(names: tuple[str, ...], folder: Path) -> CardReader:
    """What names the pieces of enrolled decks by their whole faces."""
    from calibration.live_reader import TableReader
    from companion.games.suspense.conditions import captions

    return TableReader(names, folder, {name: captions(name) for name in names}, threads=1)


def table_deck(names: tuple[str, ...]) -> Deck:
    """What can lie on a table.

    Args:
        names: of all decks that lie there, the table's own first.
    """
    from companion.decks import get_deck

    deck = get_deck(names[0])
    if deck.enrolled:
        from calibration.live_reader import deck_on_table

        return deck_on_table(names)
    return deck


def table_reader(deck: str, names: tuple[str, ...], folder: Path) -> CardReader:
    """What reads the cards of a table."""
    from companion.decks import get_deck

    return enrolled_reader(names, folder) if get_deck(deck).enrolled else shipped_reader(deck)
