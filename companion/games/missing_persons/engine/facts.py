"""What can be known of a missing person: the facts of the notepad."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card, Family, family_cards
from companion.games.missing_persons.questions.question import Question
from companion.notepad.facts import Fact

#: The 54 cards.
DECK: tuple[Card, ...] = family_cards(Family.STANDARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Fact):
    """A card was seen elsewhere, or is the viewer's own missing person."""

    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Fact):
    """The opponent answered a question."""

    question: Question
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOut(Fact):
    """Cards that a cryptic answer rules out, by the viewer's own sketch."""

    cards: frozenset[Card]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity(Fact):
    """The missing person is a card, or (a wrong guess, a refutation) is not; jokers are one."""

    card: Card
    holds: bool = True


PersonFact = Seen | Answered | RuledOut | Identity


@dataclass(frozen=True, slots=True)
class PersonKnowledge:
    """Everything one viewer knows of the opponent's missing person.

    Attributes:
        facts: what is known, in the order in which it was learnt.
        jokers: whether a joker may be chosen as missing person.
        deck: the cards in play, all 54 unless a smaller game is studied.
    """

    facts: tuple[PersonFact, ...] = ()
    jokers: bool = True
    deck: tuple[Card, ...] = DECK
