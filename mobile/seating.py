"""View-model of the set-up: what a game needs on the table."""

from __future__ import annotations

from typing import Any

from companion.decks import PRINTABLE, get_deck
from mobile import texts


def needed(game: Any) -> str:
    """The decks that a game is played with, in words.

    Where the pieces bear no indices all of a game's decks lie on the table; of standard cards any
    one deck does.
    """
    names = game.info.decks
    wanted = names if get_deck(names[0]).enrolled else names[:1]
    return ", ".join(texts.tr(get_deck(name).title) for name in wanted)


def to_print(game: Any) -> tuple[str, ...]:
    """Names of a game's decks that nobody has at home and that we draw; empty for usual cards."""
    names = game.info.decks
    return tuple(n for n in names if n in PRINTABLE) if get_deck(names[0]).enrolled else ()
