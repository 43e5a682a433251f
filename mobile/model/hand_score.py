"""A cribbage hand before the camera: which cards it is, which the starter, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

from companion import cribbage
from companion.cards import Card
from companion.errors import UsageError
from mobile.resources import texts
from vision.types import Reading


@dataclass(frozen=True, slots=True)
class HandScore:
    """What was seen.

    Attributes:
        cards: those that are read without doubt, in the order of the reading.
        starter: the one turned up; None where nothing says which it is.
        parts: what scores; none before the starter is known.
        trouble: why the cards cannot be counted, as the rules say it; empty where they can.
    """

    cards: tuple[Card, ...] = ()
    starter: Card | None = None
    parts: tuple[cribbage.Part, ...] = ()
    trouble: str = ""

    @property
    def points(self) -> int:
        """What the hand is worth, 0 to 29."""
        return sum(part.points for part in self.parts)

    @property
    def is_complete(self) -> bool:
        """Whether so many cards are there as are counted."""
        return len(self.cards) == cribbage.HAND + 1


def seen(reading: Reading, *, crib: bool) -> HandScore:
    """What a picture says: the starter is the card that lies apart from the others."""
    cards = tuple(read.card for read in reading.cards)
    if reading.doubtful or len(cards) != cribbage.HAND + 1:
        return HandScore(cards)
    place = cribbage.apart([read.quad for read in reading.cards])
    return HandScore(cards) if place is None else scored(cards, cards[place], crib=crib)


def scored(cards: tuple[Card, ...], starter: Card, *, crib: bool) -> HandScore:
    """The same cards with a starter that somebody named.

    Args:
        cards: all five.
        starter: one of them.
        crib: whether it is the crib.
    """
    hand = tuple(card for card in cards if card is not starter)
    try:
        return HandScore(cards, starter, cribbage.count(hand, starter, crib=crib))
    except UsageError as error:
        return HandScore(cards, trouble=error.message)


def why_it_scores(part: cribbage.Part) -> str:
    """A part of a hand in words: what it is worth, and what for."""
    name, _of, length = part.why.partition(" of ")
    what = texts.SCORING[name].format(n=length)
    return texts.WHY_IT_SCORES.format(points=part.points, what=what)
