"""What stands on a card, and how a card is written in a sentence; no code of the notation."""

from __future__ import annotations

from companion.cards import PIECE_SYMBOLS, SYMBOLS, Card, Family

#: Signs of the suits; shapes, so that no colour is needed. Suspense's card bears its own colour.
SIGNS = {
    Family.STANDARD: SYMBOLS,
    Family.TILE: PIECE_SYMBOLS,
    Family.COIN: PIECE_SYMBOLS,
    Family.SUSPENSE: {"W": "○", "B": "●"},
}

#: What a suit looks like: its colour.
KINDS = {
    Family.STANDARD: {"S": "black", "C": "black", "H": "red", "D": "red"},
    Family.TILE: {"S": "sun", "M": "moon", "C": "crown", "H": "shield"},
    Family.COIN: {"S": "sun", "M": "moon", "C": "crown", "H": "shield"},
    Family.SUSPENSE: {"W": "white", "B": "dark"},
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
