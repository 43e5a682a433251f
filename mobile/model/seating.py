"""View-model of the set-up: what a game needs on the table."""

from __future__ import annotations

import re
from typing import Any

from companion.core.events import Event
from companion.core.guidance.generic import guidance_of
from companion.core.guidance.steps import NeedKind, Step
from companion.core.referee import Referee
from companion.core.setup import Option
from companion.decks import PRINTABLE, get_deck
from companion.errors import CompanionError
from mobile.resources import texts


def needed(game: Any) -> str:
    """The decks that a game is played with, in words.

    Where the pieces bear no indices all of a game's decks lie on the table; of standard cards any
    one deck does, with its jokers only where the game has them.
    """
    names = game.info.decks
    deck = get_deck(names[0])
    if deck.enrolled:
        return ", ".join(texts.tr(get_deck(name).title) for name in names)
    seats = [str(seat) for seat in range(game.info.min_players)]
    cards = game.all_cards(game.setup(seats))
    if any(card.is_joker for card in cards):
        return texts.tr(deck.title)
    return texts.N_PIECES["standard"].format(n=len(cards))


def to_print(game: Any) -> tuple[str, ...]:
    """Names of a game's decks that nobody has at home and that we draw; empty for usual cards."""
    names = game.info.decks
    return tuple(n for n in names if n in PRINTABLE) if get_deck(names[0]).enrolled else ()


#: A deal: cards for each, and after the dash how many of them each discards.
_DEAL = re.compile(r"(\d+)(?:-(\d+))?")


def option_title(option: Option) -> str:
    """An option of a game, as people call it."""
    if option.title:
        return texts.tr(option.title)
    return texts.OPTIONS.get(option.name) or texts.tr(option.name.replace("_", " "))


def option_value(name: str, value: str) -> str:
    """What can be chosen for an option, in words."""
    deal = _DEAL.fullmatch(value)
    if name == "deal" and deal is not None:
        said = texts.DEALT_DISCARDING if deal[2] else texts.DEALT
        return said.format(n=deal[1], k=deal[2])
    return texts.VALUES.get(f"{name}/{value}") or texts.tr(value.replace("_", " "))


def named_first(game: Any, names: list[str]) -> Step | None:
    """The step with which a session begins by naming one player, such as who deals.

    Args:
        game: the game.
        names: of players; only how many they are counts.

    Returns:
        The step; None where a session begins otherwise, or these are no players for it.
    """
    try:
        referee: Referee[Any] = Referee(game, game.setup(names))
    except CompanionError:
        return None
    steps: tuple[Step, ...] = guidance_of(game, referee.view(None)).steps
    first = steps[0] if steps else None
    if first is None or first.seat is not None or first.secret:
        return None
    return first if [need.kind for need in first.needs] == [NeedKind.PLAYER] else None


def opening(game: Any, names: list[str]) -> str:
    """What is asked as a session begins, in a sentence, such as who deals."""
    referee: Referee[Any] = Referee(game, game.setup(names))
    return texts.told(guidance_of(game, referee.view(None)).headline)


def naming(step: Step, seat: int) -> Event:
    """The event by which that step names a player."""
    return Event(step.verb, (seat,))
