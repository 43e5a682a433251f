"""What is written on the cards of decks that we draw, beside rank and suit."""

from __future__ import annotations

from companion.suspense_conditions import DEFAULT_CONDITIONS


def captions(deck: str) -> dict[str, str]:
    """The words on each card of a deck, by the card's code; empty for a deck without words."""
    if deck != "suspense":
        return {}
    return {card.code: str(condition) for card, condition in DEFAULT_CONDITIONS.items()}
