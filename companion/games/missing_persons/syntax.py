"""How Missing Persons writes questions and guesses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from companion.cards import RANKS, SUITS, SYMBOLS, Card
from companion.core.setup import Setup
from companion.core.syntax import CardPart, KeyedPart, KeyGroup, QuotedPart
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import (
    COLOURS,
    EVEN,
    NUMBER_CARD,
    ODD,
    ROYAL,
    Question,
    tapped,
)
from companion.phrases import phrase

_QUOTED = QuotedPart("QUESTION")
#: Keys that mean several suits, and several ranks.
_SUITS = {
    **{suit: frozenset(suit) for suit in SUITS},
    phrase("red"): COLOURS["red"],
    phrase("black"): COLOURS["black"],
}
_RANKS = {
    phrase("royal"): ROYAL,
    phrase("number card"): NUMBER_CARD,
    phrase("even"): EVEN,
    phrase("odd"): ODD,
}
_NAMES = {
    "S": phrase("Spades"),
    "H": phrase("Hearts"),
    "D": phrase("Diamonds"),
    "C": phrase("Clubs"),
}
_KEYS = (
    KeyGroup(
        phrase("suit or colour"),
        tuple((SYMBOLS.get(key, key), _NAMES.get(key, key)) for key in _SUITS),
    ),
    KeyGroup(phrase("rank"), tuple((rank, rank) for rank in RANKS)),
    KeyGroup(phrase("several numbers"), tuple((key, key) for key in _RANKS)),
    KeyGroup(phrase("turned round"), ((phrase("all other cards instead"),) * 2,)),
)


@dataclass(frozen=True, slots=True)
class QuestionPart(KeyedPart):
    """A question in quotation marks; the argument is its set with the asker's words."""

    def read(self, words: list[str], setup: Setup) -> tuple[Question, int]:
        text, used = _QUOTED.read(words, setup)
        return parse_question(text), used

    def write(self, value: Question, setup: Setup) -> str:
        return _QUOTED.write(value.asked, setup)

    @property
    def label(self) -> str:
        return _QUOTED.label

    def key_groups(self) -> tuple[KeyGroup, ...]:
        return _KEYS

    def made_of(self, touched: Sequence[Collection[int]]) -> str:
        """See `KeyedPart.made_of`; nothing touched means nothing yet."""
        suits, ranks, groups, others = touched
        if not (suits or ranks or groups):
            return ""
        of_suits, of_groups = tuple(_SUITS.values()), tuple(_RANKS.values())
        return tapped(
            suits=frozenset[str]().union(*(of_suits[key] for key in suits)),
            ranks=frozenset[int]().union(
                (key + 1 for key in ranks), *(of_groups[key] for key in groups)
            ),
            negate=bool(others),
        ).text


@dataclass(frozen=True, slots=True)
class IdentityPart(CardPart):
    """One card as naming it goes: either joker is `JK`."""

    def read(self, words: list[str], setup: Setup) -> tuple[Card, int]:
        # A slotted dataclass is made again, which breaks the bare super().
        card, used = CardPart.read(self, words, setup)
        return card.identity, used

    def write(self, value: Card, setup: Setup) -> str:
        return value.identity.code
