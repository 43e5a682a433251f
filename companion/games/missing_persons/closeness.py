"""How close a forced guess is to the missing person."""

from __future__ import annotations

from companion.cards import Card
from companion.phrases import phrase

#: Smaller is closer: joker-or-not mismatch, rank distance, colour mismatch, suit mismatch.
Closeness = tuple[int, int, int, int]


def closeness(guess: Card, person: Card) -> Closeness:
    """Compares a guess with the card it was meant for; Ace is 1, King 13.

    Two guesses that mistake a joker for another card, or another card for a joker, are equally
    close.

    >>> from companion.cards import card
    >>> closeness(card("QC"), card("JC")) < closeness(card("5H"), card("10H"))
    True
    """
    if guess.is_joker or person.is_joker:
        return (int(guess.is_joker != person.is_joker), 0, 0, 0)
    assert guess.rank is not None
    assert person.rank is not None
    return (
        0,
        abs(guess.rank - person.rank),
        int(guess.colour is not person.colour),
        int(guess.suit != person.suit),
    )


def closeness_text(value: Closeness) -> str:
    """A closeness in words, e.g. `5 ranks away, another colour`."""
    joker, distance, colour, suit = value
    if joker:
        return "only one of the two is a joker"
    where = (
        "the same rank"
        if not distance
        else phrase(
            "{distance} rank away" if distance == 1 else "{distance} ranks away",
            distance=distance,
        )
    )
    if colour:
        return phrase("{where}, another colour", where=where)
    if suit:
        return phrase("{where}, the same colour, another suit", where=where)
    return phrase("{where}, the same suit", where=where) if distance else "right"
