"""The faces of our decks for a screen: the printed drawings, composed to be read when small.

A printed index is a tenth of a card high. On a card as wide as a thumb it would have the height of
this line's letters. Here a standard card has one large index and one pip or figure; tiles, coins
and Suspense's cards are large enough as they are printed.
"""

from __future__ import annotations

from calibration.printing import standard
from calibration.printing.curves import (
    Colour,
    Drawing,
    Mark,
    arc,
    filled,
    placed,
    rectangle,
    strokes,
)
from calibration.printing.faces import (
    AMBER,
    CREAM,
    NIGHT,
    PAPER,
    SUIT_COLOURS,
    SUIT_SHAPES,
    coin_suit,
    coin_value,
    suspense_back,
    suspense_face,
    tile_back,
    tile_face,
)
from calibration.printing.letters import text_width, written
from calibration.printing.symbols import symbol
from companion.cards import Card, Family
from companion.decks import COIN_MM, POKER_MM, TILE_MM

#: Where a rank begins, from the left and upper edge of a card of 63 mm.
_EDGE = 5.5
_LARGE = 23.0
#: On a face that stands upright `10` is drawn narrower.
_NARROW = 0.78
_SIZES = {
    Family.STANDARD: POKER_MM,
    Family.SUSPENSE: POKER_MM,
    Family.TILE: TILE_MM,
    Family.COIN: COIN_MM,
}


def ratio(family: Family) -> float:
    """Height of a family's pieces for their width."""
    width, height = _SIZES[family]
    return height / width


def shown_face(card: Card, *, ink: Colour | None = None) -> Drawing:
    """A card, tile or coin as it lies on the table, readable at a thumb's width.

    Args:
        card: fully or partly known.
        ink: what a standard card is drawn in; None for the printed colours.
    """
    if card.family is Family.SUSPENSE and card.is_known:
        return suspense_face(card, "")
    if card.family is Family.TILE and card.is_known:
        return tile_face(card)
    if card.family is Family.COIN and card.code != "??":
        return _coin(card)
    if card.family is Family.STANDARD and card.code != "??":
        return _standard(card, ink or standard.ink_of(card))
    return key_face(card, ratio=ratio(card.family), ink=ink)


def shown_back(family: Family) -> Drawing:
    """What a piece shows face down; a coin has no back, so its blank value side stands for one."""
    if family is Family.SUSPENSE:
        return suspense_back()
    if family is Family.TILE:
        return tile_back()
    if family is Family.COIN:
        return coin_value("0")
    return standard.back(POKER_MM)


def key_face(card: Card, *, ratio: float, ink: Colour | None = None) -> Drawing:
    """A card as a key: its rank and beside it its suit, on the card's own ground.

    Args:
        card: fully or partly known.
        ratio: height for the width.
        ink: what a standard card is drawn in; None for the printed colours.
    """
    w, h = 63.0, 63.0 * ratio
    ground, own, shape = _looks(card)
    ink = ink or own
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], ground)]
    if card.family is Family.SUSPENSE and card.suit is not None:
        marks.append(strokes([arc(w / 2, h / 2, min(w, h) * 0.4)], ink, 1.6))
    text = _text(card)
    tall = min(h * 0.52, 30.0)
    size = tall * 0.95 if shape else 0.0
    room = w - 2 * _EDGE - (size + 3 if shape else 0)
    wide = text_width(text, tall, spacing=0.12) + tall * 0.16
    stretch = min(1.0, room / wide) if text else 1.0
    wide *= stretch
    left = (w - wide * bool(text) - size - (3 if shape and text else 0)) / 2
    if text:
        marks += written(
            text, left + wide / 2, (h + tall) / 2, tall, ink,
            pen=0.165, spacing=0.12, stretch=stretch,
        )  # fmt: skip
    if shape:
        # The crown is wider than it is high.
        marks += symbol(
            shape, w - left - size / 2, h / 2, size * (0.86 if shape == "crown" else 1.0), ink
        )
    return Drawing((w, h), tuple(marks))


def _standard(card: Card, ink: Colour) -> Drawing:
    """A standard card with one large index; below it its pip, or a court beside it."""
    w, h = POKER_MM
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], PAPER)]
    if card.is_joker:
        marks += symbol("star", 12, 13.5, 17, ink)
        marks += placed(standard.cap(ink), w * 0.5 - w / 2 * 1.15, h * 0.58 - h / 2 * 1.15, 1.15)
        return Drawing((w, h), tuple(marks))
    text, suit = card.rank_text or "", card.suit
    is_court = card.rank is not None and card.rank > 10 and suit is not None
    if is_court:
        assert card.rank is not None
        assert suit is not None
        # The court's frame begins 12.5 mm from the edge: it is moved to leave room for the index.
        marks += placed(standard.court(card.rank, suit, ink), 9.5, 0)
    tall = _LARGE * (0.8 if is_court else 1.0)
    stretch = _NARROW if len(text) > 1 else 1.0
    wide = (text_width(text, tall, spacing=0.12) if text else 0.0) * stretch
    middle = _EDGE + max(wide, 13.0) / 2
    if text:
        marks += written(
            text, middle, _EDGE + 2 + tall, tall, ink, pen=0.165, spacing=0.12, stretch=stretch
        )
    if suit is not None:
        marks += symbol(suit, middle, _EDGE + tall + 13.5, 14, ink)
        if not is_court:
            size = 40.0 if card.rank == 1 else 36.0
            marks += symbol(suit, w - 24, h - 27, size, ink)
    return Drawing((w, h), tuple(marks))


def _coin(card: Card) -> Drawing:
    """The side of a coin that is known; both where both are, the suit below the value."""
    if card.suit is None:
        return coin_value(card.rank_text or "0")
    if card.rank is None:
        return coin_suit(card.suit)
    w, h = COIN_MM
    ink, shape = SUIT_COLOURS[card.suit], SUIT_SHAPES[card.suit]
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], CREAM)]
    marks.append(strokes([arc(w / 2, h / 2, w / 2 - 1.5)], ink, 0.7))
    marks += written(card.rank_text or "", w / 2, 10.2, 6.2, ink, pen=0.18)
    marks += symbol(shape, w / 2, 13.8, 5.0, ink)
    return Drawing((w, h), tuple(marks), round=True)


def _looks(card: Card) -> tuple[Colour, Colour, str]:
    """A card's ground, its ink and the shape of its suit; an empty shape where it has none."""
    if card.family is Family.SUSPENSE:
        # The ground tells the colour. A ring beside the number would read as a zero.
        if card.suit is not None:
            return (NIGHT, CREAM, "") if card.suit == "B" else (PAPER, NIGHT, "")
        return (AMBER, NIGHT, "star") if card.is_known else (PAPER, NIGHT, "")
    if card.family in (Family.TILE, Family.COIN):
        if card.suit is None:
            return CREAM, NIGHT, ""
        return CREAM, SUIT_COLOURS[card.suit], SUIT_SHAPES[card.suit]
    if card.is_joker:
        return PAPER, standard.ink_of(card), "star"
    return PAPER, standard.ink_of(card), card.suit or ""


def _text(card: Card) -> str:
    if card.code == "??":
        return "?"
    if card.is_joker:
        return "JK"
    return card.rank_text or ""
