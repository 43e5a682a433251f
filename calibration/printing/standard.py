"""Our standard deck: pips, two-headed courts made of simple shapes, two jokers, a back."""

from __future__ import annotations

from calibration.printing.curves import (
    Colour,
    Contour,
    Drawing,
    Mark,
    arc,
    filled,
    gathered,
    joined,
    line,
    mirrored,
    placed,
    polygon,
    rectangle,
    shifted,
    strokes,
)
from calibration.printing.letters import written
from calibration.printing.symbols import curve, symbol
from companion.cards import Card
from companion.decks import POKER_MM

PAPER: Colour = (255, 255, 255)
BLACK: Colour = (24, 24, 30)
RED: Colour = (200, 30, 44)
GOLD: Colour = (232, 178, 58)
BLUE: Colour = (36, 74, 140)
SKIN: Colour = (246, 220, 192)
CROWN_RED: Colour = (178, 34, 48)

_LEFT, _MIDDLE, _RIGHT = 20.0, 31.5, 43.0

#: Pips of each number card: x and y in mm of its upper half and middle; the lower half follows.
_UPPER: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((_MIDDLE, 17),),
    3: ((_MIDDLE, 17),),
    4: ((_LEFT, 17), (_RIGHT, 17)),
    5: ((_LEFT, 17), (_RIGHT, 17)),
    6: ((_LEFT, 17), (_RIGHT, 17)),
    7: ((_LEFT, 17), (_RIGHT, 17)),
    8: ((_LEFT, 17), (_RIGHT, 17), (_MIDDLE, 30.5)),
    9: ((_LEFT, 17), (_RIGHT, 17), (_LEFT, 35), (_RIGHT, 35)),
    10: ((_LEFT, 17), (_RIGHT, 17), (_LEFT, 35), (_RIGHT, 35), (_MIDDLE, 26)),
}
_MIDDLE_ROW: dict[int, tuple[tuple[float, float], ...]] = {
    3: ((_MIDDLE, 44),),
    5: ((_MIDDLE, 44),),
    6: ((_LEFT, 44), (_RIGHT, 44)),
    7: ((_LEFT, 44), (_RIGHT, 44), (_MIDDLE, 30.5)),
    8: ((_LEFT, 44), (_RIGHT, 44)),
    9: ((_MIDDLE, 44),),
}


def face(card: Card) -> Drawing:
    """The face of a card or joker."""
    w, h = POKER_MM
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], PAPER)]
    if card.is_joker:
        return Drawing((w, h), (*marks, *_joker(card)))
    assert card.suit is not None
    assert card.rank is not None
    ink = ink_of(card)
    if card.rank == 1:
        marks += symbol(card.suit, w / 2, h / 2, 26 if card.suit == "S" else 18, ink)
        if card.suit == "S":
            marks.append(strokes([arc(w / 2, h / 2, 21, 26)], ink, 0.4))
    elif card.rank <= 10:
        marks += _pips(card.rank, card.suit, ink)
    else:
        marks += court(card.rank, card.suit, ink)
    corner = index(card.rank_text or "", card.suit, ink)
    marks += placed(corner, 0, 0) + placed(corner, w, h, degrees=180)
    return Drawing((w, h), tuple(marks))


def ink_of(card: Card) -> Colour:
    """What a card is printed in; the first joker is red, the second black."""
    return RED if card.code == "JK1" or (card.suit or "S") in "HD" else BLACK


def index(text: str, suit: str, ink: Colour) -> tuple[Mark, ...]:
    """The upper left index: the rank over its suit."""
    if text == "10":
        rank = written(text, 6.9, 12.9, 8.4, ink, pen=0.15, spacing=0.12, stretch=0.82)
    else:
        rank = written(text, 6.6, 12.9, 8.4, ink, pen=0.165)
    return (*rank, *symbol(suit, 6.6, 18.9, 6.4, ink))


def _pips(rank: int, suit: str, ink: Colour) -> tuple[Mark, ...]:
    w, h = POKER_MM
    marks: list[Mark] = []
    for x, y in _UPPER[rank]:
        marks += symbol(suit, x, y, 11.6, ink)
        marks += symbol(suit, w - x, h - y, 11.6, ink, 180)
    for x, y in _MIDDLE_ROW.get(rank, ()):
        marks += symbol(suit, x, y, 11.6, ink)
    return tuple(marks)


def court(rank: int, suit: str, ink: Colour) -> tuple[Mark, ...]:
    """A framed figure, seen twice."""
    w, h = POKER_MM
    main, second = (CROWN_RED, BLUE) if suit in "HS" else (BLUE, CROWN_RED)
    marks: list[Mark] = [filled([rectangle(12.5, 7, w - 25, h - 14, 1.5)], (253, 248, 236))]
    half = _figure(rank, suit, ink, main, second)
    marks += half + placed(half, w, h, degrees=180)
    sash = polygon([(12.5, 50.5), (w - 12.5, 33.5), (w - 12.5, 37.5), (12.5, 54.5)])
    marks.append(filled([sash], GOLD))
    marks += symbol(suit, w / 2, h / 2, 6.5, ink)
    marks.append(strokes([rectangle(12.5, 7, w - 25, h - 14, 1.5)], ink, 0.4))
    return tuple(marks)


def _figure(rank: int, suit: str, ink: Colour, main: Colour, second: Colour) -> tuple[Mark, ...]:
    """The upper half of a court card: robe, head, and what tells king, queen and jack apart."""
    x, y = 31.5, 23.5
    marks: list[Mark] = [filled([_robe(x)], main)]
    marks.append(filled([polygon([(x - 5, 30.6), (x + 5, 30.6), (x + 2.6, 50), (x - 2.6, 50)])],
                        second))  # fmt: skip
    marks += [filled([arc(x, k, 0.8)], GOLD) for k in (35.5, 39.5)]
    trim = [line([(x + s * 5, 30.6), (x + s * 12, 36.5), (x + s * 15, 44)]) for s in (-1.0, 1.0)]
    marks.append(strokes(trim, GOLD, 0.9))
    hair = {11: (222, 170, 70), 12: (120, 66, 30), 13: (92, 88, 92)}[rank]
    if rank == 12:
        marks.append(filled([rectangle(x - 8, y - 7, 16, 17, 6.5)], hair))
    elif rank == 11:
        marks.append(filled([rectangle(x - 7.6, y - 6, 15.2, 12.2, 4.5)], hair))
    else:
        marks.append(filled([rectangle(x - 7.4, y - 6, 14.8, 10.5, 4)], hair))
    marks.append(filled([rectangle(x - 2.4, y + 4, 4.8, 6)], SKIN))
    marks.append(filled([arc(x, y, 5.9, 7.2)], SKIN))
    if rank == 13:
        beard = curve(5.7, 0.4, 5.9, 5.5, 3.6, 10.5, 0, 11.6)
        marks.append(filled([shifted(mirrored(beard), x, y)], hair))
        marks.append(filled([arc(x, y + 3.2, 1.9, 0.8)], (190, 84, 70)))
    else:
        marks.append(strokes([arc(x, y + 2.0, 2.2, 1.7, 35, 145)], (184, 60, 60), 0.6))
    marks += [filled([arc(x + s * 2.3, y - 1.2, 0.72)], BLACK) for s in (-1, 1)]
    marks.append(strokes([line([(x, y - 0.6), (x - 0.7, y + 1.5), (x + 0.3, y + 1.6)])],
                         (196, 150, 118), 0.4))  # fmt: skip
    return (*marks, *_hat(rank, suit, ink, x, y - 4.6, second))


def _robe(x: float) -> Contour:
    """The robe down to the card's middle, where the other half begins (a slanted seam)."""
    left = [(-19, 53.0), (-19, 47), (-16, 39), (-11, 33.5), (-5, 30.6)]
    right = [(5, 30.6), (11, 33.5), (15, 37), (17, 39), (19, 35.0)]
    return shifted(polygon([*left, *right]), x, 0)


def _hat(rank: int, suit: str, ink: Colour, x: float, y: float, colour: Colour) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    if rank == 13:
        points = [
            (-7.6, 0),
            (-8.6, -8.2),
            (-4.4, -4.2),
            (0, -10),
            (4.4, -4.2),
            (8.6, -8.2),
            (7.6, 0),
        ]
        spikes = shifted(polygon(points), x, y)
        marks.append(filled([spikes], GOLD))
        marks.append(filled([rectangle(x - 7.6, y - 1.2, 15.2, 2.4, 0.6)], colour))
        marks += [
            filled([arc(x + a, y - b, 1.1)], colour)
            for a, b in ((-8.6, 8.6), (0, 10.4), (8.6, 8.6))
        ]
    elif rank == 12:
        bumps = [arc(x + a, y - b, 2.1) for a, b in ((-5.6, 2.2), (-2, 3.8), (2, 3.8), (5.6, 2.2))]
        marks += [filled([c], GOLD) for c in bumps]
        marks.append(filled([rectangle(x - 7.4, y - 2, 14.8, 3.0, 1.2)], GOLD))
        marks += [filled([arc(x + a, y - 0.5, 0.75)], colour) for a in (-4.5, 0, 4.5)]
        # A flower in her hand.
        marks.append(strokes([line([(x + 12.5, y + 26), (x + 13.6, y + 13)])], (40, 120, 70), 0.7))
        marks += symbol(suit, x + 13.6, y + 10.6, 6.2, ink)
    else:
        feather = curve(5.5, -4, 10, -8, 13, -7, 14.5, -1.5)
        cap = curve(-8, 0, -9.5, -6, -3, -9.4, 3, -7.6, 7, -6.4, 8.6, -3, 8, 0)
        marks.append(filled([shifted(joined([cap, cap[:1]]), x, y)], colour))
        marks.append(filled([rectangle(x - 8.4, y - 1.4, 16.8, 2.6, 1.2)], GOLD))
        marks.append(strokes([shifted(feather, x, y)], ink, 0.9))
    return tuple(marks)


def _joker(card: Card) -> tuple[Mark, ...]:
    """A cap with three bells over a star."""
    w, h = POKER_MM
    ink = ink_of(card)
    marks = list(cap(ink))
    column: list[Mark] = []
    for k, letter in enumerate("JOKER"):
        column += written(letter, 6.6, 9.6 + k * 6.4, 4.6, ink, pen=0.17)
    marks += placed(column, 0, 0) + placed(column, w, h, degrees=180)
    return tuple(marks)


def cap(ink: Colour) -> tuple[Mark, ...]:
    """The joker's cap in the middle of a card."""
    w, h = POKER_MM
    marks: list[Mark] = [strokes([arc(w / 2, h / 2, 20)], ink, 0.5)]
    marks += symbol("star", w / 2, h / 2, 38, (252, 232, 176))
    horn = curve(0, -15, 3, -12, 3.4, -7, 4.2, -4.2, 7, -9, 13, -9.5, 16, -1, 13.6, -3, 11, 0, 9, 9)
    marks.append(filled([shifted(mirrored(horn), w / 2, h / 2)], ink))
    middle = curve(0, -15, 2, -10, 3.6, 0, 3.6, 9)
    marks.append(filled([shifted(mirrored(middle), w / 2, h / 2)], GOLD))
    bells = ((-16, 0.4), (0, -16.4), (16, 0.4))
    marks += [filled([arc(w / 2 + a, h / 2 + b, 2.1)], GOLD) for a, b in bells]
    marks.append(filled([rectangle(w / 2 - 10, h / 2 + 9, 20, 3.4, 1.5)], GOLD))
    return tuple(marks)


def back(size: tuple[float, float]) -> Drawing:
    """The common back: a lattice of diamonds within a border wide enough to forgive the printer."""
    w, h = size
    marks: list[Mark] = [filled([rectangle(0, 0, w, h)], PAPER)]
    marks.append(filled([rectangle(4, 4, w - 8, h - 8, 3)], BLUE))
    columns, rows = 8, 11
    lattice: list[Mark] = []
    step_x, step_y = (w - 12) / columns, (h - 12) / rows
    for row in range(rows):
        for column in range(columns):
            x, y = 6 + step_x * (column + 0.5), 6 + step_y * (row + 0.5)
            lattice += symbol(
                "D", x, y, 6.0, (226, 234, 248) if (row + column) % 2 else (122, 156, 212)
            )
    marks += gathered(lattice)
    marks.append(strokes([rectangle(5.2, 5.2, w - 10.4, h - 10.4, 2)], (226, 234, 248), 0.4))
    return Drawing((w, h), tuple(marks))
