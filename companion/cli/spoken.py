"""What a terminal says to people: sentences and signs of cards in place of the notation.

Files and pipes get the notation, which scripts read. A person at a screen reads `7♥` and “Ann
places 7♥”; where the terminal cannot write the signs, cards keep their codes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any

from companion.cards import PIECE_SUITS, PIECE_SYMBOLS, SYMBOLS, Card, Family, parse_card
from companion.cli.common import room
from companion.core.game import Game
from companion.core.referee import Referee
from companion.core.verb import HAND
from companion.errors import CompanionError
from companion.phrases import number_of_cards

_VALUES = {0: "Blank", 1: "Ace"}
#: Every sign that is written in place of a code.
_SIGNS = "".join((*SYMBOLS.values(), *PIECE_SYMBOLS.values(), "★"))
#: A tile as the notation writes it.
_TILE = re.compile(r"\b[0A2-5][SMCH]\b")
#: The card that is no number, but for the mark before what does not fit.
_EXCLAMATION = re.compile(r"(?<=\s)!(?=[\s.,:;)]|$)")
#: A line of the log, as sentences name it.
_LINE = re.compile(r"\((\d+)\)")


def can_sign() -> bool:
    """Whether the terminal's encoding has the signs of cards."""
    try:
        _SIGNS.encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def card_words(card: Card) -> str:
    """A card as a table shows it: `7♥`, `☀ Blank`, `white 4`; its code without signs."""
    if not can_sign() or card.code == "??":
        return card.code
    if card.is_joker:
        return card.name
    rank = card.rank_text or ""
    if card.family is Family.STANDARD:
        return f"{rank}{SYMBOLS.get(card.suit or '', '')}"
    if card.family is Family.SUSPENSE:
        return "!" if card.suit is None else card.name
    value = _VALUES.get(-1 if card.rank is None else card.rank, rank)
    suit = "" if card.suit is None else PIECE_SYMBOLS[card.suit]
    return f"{suit} {value}".strip() if value else f"{suit} {PIECE_SUITS[card.suit or '']}"


def label_words(label: str, family: Family) -> str:
    """The name of a table's row or column, a card's code as people read it."""
    try:
        card = parse_card(label, family)
    except CompanionError:
        return label
    return card_words(card) if card.code == label and card.is_known else label


def cards_words(cards: Iterable[Card]) -> str:
    """Cards after one another."""
    cards = tuple(cards)
    is_words = bool(cards) and cards[0].family is not Family.STANDARD
    return (", " if is_words or not can_sign() else " ").join(map(card_words, cards))


def spoken(game: Game[Any], text: str) -> str:
    """A sentence of the referee for a screen: signs for codes, and lines called lines."""
    if not can_sign():
        return text
    if game.family is Family.TILE:
        text = _TILE.sub(lambda hit: card_words(parse_card(hit[0], Family.TILE)), text)
    if game.family is Family.SUSPENSE:
        text = _EXCLAMATION.sub("“!”", text)
    told: str = room("mobile.model.wording").without_codes(game, text)
    return _LINE.sub(r"(line \1)", told)


def line_words(referee: Referee[Any], text: str) -> str:
    """A line of the public log as a sentence; in the notation without the signs of cards."""
    if not can_sign():
        return text
    who, _, rest = text.partition("*:")
    if rest.strip() == f"{HAND} …":
        size = referee.game.hand_size(referee.knowledge(None), referee.setup.seat(who))
        of = "" if not size or size == 1 else f": {number_of_cards(size)}"
        return f"{who}'s hand is recorded{of}."
    told: str = room("mobile.model.wording").told_line(referee, text)
    return told
