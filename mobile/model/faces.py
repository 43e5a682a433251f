"""What stands on a card, and how a card is written in a sentence; no code of the notation."""

from __future__ import annotations

from companion.cards import SYMBOLS, Card, Family

#: Arms by a fleur-de-lis: few typefaces have a shield, and a diamond is a suit of cards.
_PIECES = {"S": "☀", "M": "☾", "C": "♛", "H": "⚜"}
#: Signs of the suits; shapes, so that no colour is needed. Suspense's card bears its own colour.
SIGNS = {
    Family.STANDARD: SYMBOLS,
    Family.TILE: _PIECES,
    Family.COIN: _PIECES,
    Family.SUSPENSE: {"W": "○", "B": "●"},
}


def face_text(card: Card | None) -> tuple[str, str]:
    """What stands on a card: its rank and its suit's sign."""
    if card is None or card.code == "??":
        return "?", ""
    if card.is_joker:
        return "JK", "★"
    sign = SIGNS[card.family].get(card.suit or "", "")
    return card.code.replace("?", "").replace(card.suit or "?", ""), sign


def card_name(card: Card) -> str:
    """A card in short, e.g. `7♠`."""
    return "".join(face_text(card))
