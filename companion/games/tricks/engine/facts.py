"""What a notepad knows of a deal, as facts."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.notepad.facts import CardAt, Fact
from companion.phrases import N_, phrase

#: Where the card is that was turned up for trumps and dealt to nobody.
TURNED = "turned up"
#: Where the cards are that were dealt to nobody.
UNDEALT = N_("not dealt")


def played_by(name: str) -> str:
    """The place of the cards that a player has played."""
    return phrase("{name}'s plays", name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf(Fact):
    """A hand holds none of some cards: the player did not follow suit, for instance.

    Attributes:
        player: whose hand.
        cards: the cards.
    """

    player: str
    cards: frozenset[Card]


TrickFact = CardAt | NoneOf


@dataclass(frozen=True, slots=True)
class TrickKnowledge:
    """Everything a viewer knows of a deal.

    Attributes:
        players: names in seat order.
        deck: all cards.
        room: for each place its name and how many cards lie there; together all cards.
        facts: what is known, in order of the events.
    """

    players: tuple[str, ...]
    deck: tuple[Card, ...]
    room: tuple[tuple[str, int], ...]
    facts: tuple[TrickFact, ...]
