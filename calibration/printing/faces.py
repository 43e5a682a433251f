"""The faces of our decks, one drawing a face: Suspense, piecepack tiles and coins, a standard 54.

Faces go by the codes of the match notation. A coin has two sides: its value side is the same in
all suits (`3?`), its suit side the same for all values (`?S`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.printing import standard
from calibration.printing.curves import (
    Colour,
    Drawing,
    Mark,
    arc,
    filled,
    gathered,
    placed,
    rectangle,
    strokes,
)
from calibration.printing.letters import wrapped, written
from calibration.printing.symbols import symbol
from companion.cards import PIECE_SUITS, VALUES, Card, Family
from companion.decks import PRINTABLE, Deck, get_deck
from companion.errors import UsageError

PAPER: Colour = (255, 255, 255)
NIGHT: Colour = (28, 30, 38)
CREAM: Colour = (250, 246, 236)
AMBER: Colour = (236, 164, 32)

#: How far within the edge the frames of the decks are, in millimetres, where they have any.
RIM = {"suspense": 3.0, "piecepack-tiles": 2.2, "piecepack-coins": 1.4}
SUIT_SHAPES = {"S": "sun", "M": "moon", "C": "crown", "H": "shield"}
SUIT_COLOURS: dict[str, Colour] = {
    "S": (206, 60, 36),
    "M": (30, 42, 92),
    "C": (178, 122, 8),
    "H": (22, 118, 84),
}


@dataclass(frozen=True, slots=True)
class Printable:
    """A deck as it is printed.

    Attributes:
        deck: whose cards they are.
        faces: drawings by code.
        pieces: what lies on the sheets: front and back codes; a back of None is the common back.
        back: the common back.
    """

    deck: Deck
    faces: Mapping[str, Drawing]
    pieces: tuple[tuple[str, str | None], ...]
    back: Drawing


def printable(name: str, captions: Mapping[str, str] | None = None) -> Printable:
    """The drawn deck of that name.

    Args:
        name: one of `PRINTABLE`.
        captions: text printed on a card by its code: Suspense's victory conditions.

    Raises:
        UsageError: it cannot be printed; lists those that can.
    """
    if name not in PRINTABLE:
        raise UsageError(f"“{name}” cannot be printed. Printable: {', '.join(PRINTABLE)}.")
    deck = get_deck(name)
    if name == "standard":
        faces = {card.code: standard.face(card) for card in deck.cards}
        back = standard.back(deck.size_mm)
    elif name == "suspense":
        faces = {c.code: suspense_face(c, (captions or {}).get(c.code, "")) for c in deck.cards}
        back = suspense_back()
    elif name == "piecepack-tiles":
        faces = {card.code: tile_face(card) for card in deck.cards}
        back = tile_back()
    else:
        faces = {f"{v}?": coin_value(v) for v in VALUES}
        faces |= {f"?{s}": coin_suit(s) for s in PIECE_SUITS}
        pairs = tuple((f"{c.rank_text}?", f"?{c.suit}") for c in deck.cards)
        return Printable(deck, faces, pairs, coin_value("0"))
    return Printable(deck, faces, tuple((code, None) for code in faces), back)


def suspense_face(card: Card, caption: str) -> Drawing:
    """A Suspense card: its number in the middle and in two corners, its condition below."""
    w, h = get_deck("suspense").size_mm
    ground, ink = (NIGHT, CREAM) if card.suit == "B" else (PAPER, NIGHT)
    if card.suit is None:
        ground, ink = AMBER, NIGHT
    text = card.rank_text or ""
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], PAPER)]
    # A light rim round a dark frame shows on any table where the card ends.
    if ground == PAPER:
        marks.append(strokes([rectangle(3, 3, w - 6, h - 6, 3)], ink, 0.5))
    else:
        marks.append(filled([rectangle(3, 3, w - 6, h - 6, 3)], ground))
    marks += written(text, w / 2, 51.5, 32, ink, pen=0.15)
    marks.append(strokes([arc(w / 2, 35.5, 23.5)], ink, 0.5))
    dots = card.rank or 0
    marks += [
        filled([arc(w / 2 + (k - (dots - 1) / 2) * 3.6, 63.6, 0.95)], ink) for k in range(dots)
    ]
    corner = _corner_of(card, text, ink, ground)
    marks += placed(corner, 0, 0) + placed(corner, w, h, degrees=180)
    lines = wrapped(caption, 34, 3.1) if caption else []
    for k, part in enumerate(lines):
        y = 72.6 + (k - (len(lines) - 1) / 2) * 5.4 + 1.3
        marks += written(part, w / 2, y, 3.1, ink, pen=0.125)
    return Drawing((w, h), tuple(marks))


def _corner_of(card: Card, text: str, ink: Colour, ground: Colour) -> tuple[Mark, ...]:
    """The upper left index: the number over a ring (white) or a disc (black)."""
    marks = [filled([rectangle(2.6, 2.6, 8.8, 18.2)], ground)] if ground == PAPER else []
    marks += written(text, 6.9, 12.4, 7.6, ink, pen=0.16)
    if card.suit == "W":
        marks.append(strokes([arc(6.9, 17.2, 2.1)], ink, 0.7))
    elif card.suit == "B":
        marks.append(filled([arc(6.9, 17.2, 2.45)], ink))
    else:
        marks += symbol("star", 6.9, 17.3, 5.2, ink)
    return tuple(marks)


def suspense_back() -> Drawing:
    """The back: a night sky with one large question left open."""
    w, h = get_deck("suspense").size_mm
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], PAPER)]
    marks.append(filled([rectangle(4, 4, w - 8, h - 8, 3)], NIGHT))
    sky: list[Mark] = []
    for row in range(11):
        for column in range(8):
            x = 7.35 + column * 6.9 + (3.45 if row % 2 else 0)
            y = 8 + row * 7.2
            if x < w - 6.6:
                sky += symbol("star", x, y, 3.0 if (row + column) % 3 else 1.7, AMBER)
    marks += gathered(sky)
    marks.append(filled([arc(w / 2, h / 2, 11)], NIGHT))
    marks.append(strokes([arc(w / 2, h / 2, 10)], AMBER, 0.6))
    marks += symbol("star", w / 2, h / 2, 14, AMBER)
    return Drawing((w, h), tuple(marks))


def tile_face(card: Card) -> Drawing:
    """A tile: its value large, its suit in the upper left and lower right corners.

    The blank bears its suit alone, four times about an empty ring.
    """
    w, h = get_deck("piecepack-tiles").size_mm
    assert card.suit is not None
    ink, shape = SUIT_COLOURS[card.suit], SUIT_SHAPES[card.suit]
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], CREAM)]
    marks.append(strokes([rectangle(2.2, 2.2, w - 4.4, h - 4.4, 2.5)], ink, 0.8))
    if card.rank == 0:
        marks.append(strokes([arc(w / 2, h / 2, 8.5)], ink, 0.8))
        spots = [(w / 2, 10.4), (w / 2, h - 10.4), (10.4, h / 2), (w - 10.4, h / 2)]
        for (x, y), turn in zip(spots, (0, 180, 270, 90), strict=True):
            marks += symbol(shape, x, y, 9, ink, turn)
        return Drawing((w, h), tuple(marks))
    if card.rank == 1:
        marks += symbol(shape, w / 2, h / 2 + 4.2, 20 if card.suit == "C" else 25, ink)
        marks += written("A", w - 10.2, 14.6, 8, ink, pen=0.16)
    else:
        marks += written(card.rank_text or "", w / 2, h / 2 + 12.5, 25, ink, pen=0.17)
        marks += symbol(shape, w - 10.2, h - 10.2, 5.6 if card.suit == "C" else 7, ink, 180)
    marks += symbol(shape, 10.4, 10.2, 8.6 if card.suit == "C" else 10.4, ink)
    return Drawing((w, h), tuple(marks))


def tile_back() -> Drawing:
    """The back: the four-space grid that piecepack boards are laid with."""
    w, h = get_deck("piecepack-tiles").size_mm
    ink = (96, 84, 66)
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], (236, 226, 204))]
    marks.append(strokes([rectangle(2.2, 2.2, w - 4.4, h - 4.4, 2.5)], ink, 0.6))
    marks.append(filled([rectangle(2.2, h / 2 - 0.3, w - 4.4, 0.6)], ink))
    marks.append(filled([rectangle(w / 2 - 0.3, 2.2, 0.6, h - 4.4)], ink))
    for x in (w / 4 + 0.55, 3 * w / 4 - 0.55):
        for y in (h / 4 + 0.55, 3 * h / 4 - 0.55):
            marks += symbol("star", x, y, 6, ink)
    return Drawing((w, h), tuple(marks))


def coin_value(value: str) -> Drawing:
    """The value side of a coin, in no suit's colour; a notch at the rim says which way is up."""
    w, h = get_deck("piecepack-coins").size_mm
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], CREAM)]
    marks.append(strokes([arc(w / 2, h / 2, w / 2 - 1.5)], NIGHT, 0.55))
    marks.append(filled([arc(w / 2, 2.0, 1.05)], NIGHT))
    if value != "0":
        marks += written(value, w / 2, h / 2 + 4.6, 8.6, NIGHT, pen=0.18)
    return Drawing((w, h), tuple(marks), round=True)


def coin_suit(suit: str) -> Drawing:
    """The suit side of a coin, light on the suit's colour."""
    w, h = get_deck("piecepack-coins").size_mm
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], CREAM)]
    marks.append(filled([arc(w / 2, h / 2, w / 2 - 1.4)], SUIT_COLOURS[suit]))
    marks += symbol(SUIT_SHAPES[suit], w / 2, h / 2, 10.4, CREAM)
    return Drawing((w, h), tuple(marks), round=True)


def is_round(deck: Deck) -> bool:
    """Whether the deck's pieces are discs."""
    return deck.family is Family.COIN
