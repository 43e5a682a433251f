"""What a hand that was shown to a camera can mean where cards are asked for."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from companion.cards import Card

if TYPE_CHECKING:  # hosting starts without what reads pictures
    from vision.hands import Hand


def meant(hand: Hand, cards: Container[Card], count: int) -> tuple[list[Card], list[Card]]:
    """The cards of a hand that can be meant.

    Args:
        hand: as far as it is known.
        cards: those that can be meant.
        count: how many are wanted; 0 where any number will do.

    Returns:
        the sure cards, and those that a person should look at.
    """
    sure = [card for card in hand.sure if card in cards]
    rest = [one.card for one in hand.doubtful if one.card in cards]
    return sure[: count or None], [*(sure[count:] if count else ()), *rest]
