"""Tells a number card's suit by the large pips in its middle, where the index is too small for it.

The pips are found as dark spots of equal size, as many as the card has; how they are laid out does
not matter. Their outline is compared with simple drawings of the four suits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Family, card
from vision.plane import CARD_MM
from vision.protocols import Image
from vision.types import CardRead, FloatArray, Reading

Mask = NDArray[np.float32]

#: A card's face is looked at with so many pixels a millimetre.
_SCALE = 3.0
#: Pips lie within this part of the face; the indices do not.
_ACROSS, _DOWN = (0.17, 0.83), (0.06, 0.94)
#: Least and greatest height of a pip, millimetres, and of the single one of an ace.
_HEIGHTS, _ACE = (5.0, 17.0), (8.0, 45.0)
#: The sizes of a card's pips differ by no more, as a share.
_EQUAL = 0.3
#: Side of the square in which pips are compared, pixels.
_SIDE = 24
#: How much likelier a suit is for each step in likeness, and the most that is believed.
_STEEP, _MOST = 45.0, 4.0
#: So much likelier is the other suit of that colour where the pips tell nothing.
_DOUBT = 3.0
#: The chance of a suit that the index gave none.
_BARELY = 1e-3
#: Pips that are less than this nearer to one suit of their colour than to the other tell nothing.
_APART = 0.05
_MOST_PIPS = 10
_PAIRS = {"S": "SC", "C": "SC", "H": "HD", "D": "HD"}


def with_pips(image: Image, reading: Reading) -> Reading:
    """The reading with each number card's suit weighed by its large pips, too.

    Args:
        image: (height, width, 3) BGR.
        reading: of that picture.
    """
    return replace(
        reading,
        cards=tuple(weighed(image, read) for read in reading.cards),
        doubtful=tuple(weighed(image, read) for read in reading.doubtful),
    )


def weighed(image: Image, read: CardRead) -> CardRead:
    """A read with its suit weighed by the pips; as it was where they tell nothing."""
    seen = read.card
    if not read.outlined or seen.family is not Family.STANDARD:
        return read
    if seen.suit is None or seen.rank is None or seen.rank > _MOST_PIPS:
        return read
    pair = _PAIRS[seen.suit]
    likeness = suits_by_pips(image, np.array(read.quad), seen.rank, pair)
    if likeness is None:
        return read
    one, two = pair
    apart = likeness[one] - likeness[two]
    chances = {seen: read.confidence}
    chances |= {other: p for other, p in read.alternatives if other is not seen}
    for suit in pair:
        chances.setdefault(card(f"{seen.rank_text}{suit}"), _BARELY)
    if abs(apart) < _APART:
        # Where even the large pips may be either, the small one in the index may well deceive.
        twin = card(f"{seen.rank_text}{two if seen.suit == one else one}")
        chances[twin] *= _DOUBT
        return _renamed(read, chances)
    favour = float(np.clip(_STEEP * apart, -_MOST, _MOST))
    for suit, sign in ((one, 1), (two, -1)):
        chances[card(f"{seen.rank_text}{suit}")] *= float(np.exp(sign * favour / 2))
    return _renamed(read, chances)


def _renamed(read: CardRead, weights: dict[Card, float]) -> CardRead:
    """The read with other chances of its cards; they may not sum to one yet."""
    rest = max(0.0, 1.0 - read.confidence - sum(p for _, p in read.alternatives))
    whole = sum(weights.values()) + rest
    order = sorted(weights, key=lambda c: -weights[c])
    chances = [(c, float(weights[c] / whole)) for c in order]
    return replace(
        read, card=chances[0][0], confidence=chances[0][1], alternatives=tuple(chances[1:])
    )


def suits_by_pips(
    image: Image, quad: FloatArray, count: int, suits: str = "SC"
) -> dict[str, float] | None:
    """How like each of some suits a card's pips are, -1 to 1.

    Args:
        image: (height, width, 3) BGR.
        quad: (4, 2) the card's corners, clockwise.
        count: so many pips it has.
        suits: those of its colour.

    Returns:
        None where so many equal spots are not seen.
    """
    pips = _pips(_face(image, quad), count)
    if pips is None:
        return None
    upright = np.stack(pips)
    both = np.stack([upright, upright[:, ::-1, ::-1]])
    shapes = _unit(both)
    found = {}
    for suit in suits:
        # Decks differ in which pips stand on their heads, and so does the way the card lies: each
        # suit has them as they fit it best.
        drawing = _unit(_drawings()[suit])
        way = (shapes @ drawing).argmax(0)
        mean = both[way, np.arange(len(pips))].mean(0)
        found[suit] = float(_unit(mean) @ drawing)
    return found


def _face(image: Image, quad: FloatArray) -> NDArray[np.uint8]:
    """The card's face in green light, (height, width): red ink is dark in it, and so is black."""
    width, height = (round(_SCALE * mm) for mm in CARD_MM)
    goal = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 2, 0)
    high = np.maximum(np.ceil(quad.max(axis=0)).astype(int) + 3, low + 1)
    green = np.ascontiguousarray(image[low[1] : high[1], low[0] : high[0], 1])
    if green.size == 0:
        return np.zeros((height, width), np.uint8)
    matrix = cv2.getPerspectiveTransform((quad - low).astype(np.float32), goal - 0.5)
    return np.asarray(cv2.warpPerspective(green, matrix, (width, height)), np.uint8)


def _pips(face: NDArray[np.uint8], count: int) -> list[Mask] | None:
    """The spots, each in a square of its own; None unless there are just so many."""
    height, width = face.shape
    ink = cv2.GaussianBlur(face, (0, 0), 0.8)
    x0, x1 = (round(share * width) for share in _ACROSS)
    y0, y1 = (round(share * height) for share in _DOWN)
    inner = np.ascontiguousarray(ink[y0:y1, x0:x1])
    _, dark = cv2.threshold(inner, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    low, high = (_SCALE * mm for mm in (_ACE if count == 1 else _HEIGHTS))
    rows, columns = inner.shape
    # What runs across the border is an index, a frame, or the table.
    spots = [(int(x), int(y), int(w), int(h)) for x, y, w, h, area in stats[1:]
             if max(w, h) > 0.5 * low and area > 6
             and x > 0 and y > 0 and x + w < columns and y + h < rows]  # fmt: skip
    tall = [h for _, _, _, h in spots]
    if len(spots) != count or min(tall) < low or max(tall) > high:
        return None
    if max(tall) > (1 + _EQUAL) * min(tall):
        return None
    return [_stretched(inner, spot) for spot in spots]


def _stretched(ink: NDArray[np.uint8], spot: tuple[int, int, int, int]) -> Mask:
    """One pip, stretched to the square, ink 1 and paper 0."""
    x, y, w, h = spot
    part = ink[y : y + h, x : x + w].astype(np.float32)
    low, high = float(part.min()), float(part.max())
    square = cv2.resize((high - part) / max(1.0, high - low), (_SIDE, _SIDE))
    return np.asarray(square, np.float32)


def _unit(squares: Mask) -> Mask:
    """Squares as vectors of length 1 about their mean: their products are correlations."""
    flat = squares.reshape(*squares.shape[:-2], -1)
    flat = flat - flat.mean(-1, keepdims=True)
    return np.asarray(flat / np.maximum(1e-6, np.linalg.norm(flat, axis=-1, keepdims=True)))


@cache
def _drawings() -> dict[str, Mask]:
    """Each suit drawn simply, stretched to the square."""
    size = 200
    found = {}
    for suit in "SHDC":
        picture = np.zeros((size, size), np.uint8)
        for polygon in _polygons(suit):
            cv2.fillPoly(picture, [np.round(polygon * size).astype(np.int32)], 255)
        x, y, w, h = cv2.boundingRect(picture)
        part = cv2.GaussianBlur(picture[y : y + h, x : x + w], (0, 0), size / _SIDE / 2)
        square = cv2.resize(part, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
        found[suit] = np.asarray(square / 255, np.float32)
    return found


def _polygons(suit: str) -> Sequence[FloatArray]:
    """What a suit is made of, in a square of side 1.

    Black ones are drawn so that they stress what parts them: the spade's broad shoulders, the
    club's waist. These shapes part those of some sixty decks best, sharp and blurred.
    """
    turn = np.linspace(0, 2 * np.pi, 60)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    if suit == "D":
        return [np.array([(0.5, 0), (0.73, 0.27), (1, 0.5), (0.73, 0.73), (0.5, 1),
                          (0.27, 0.73), (0, 0.5), (0.27, 0.27)])]  # fmt: skip
    if suit == "C":
        leaves = [((0.5, 0.24), 0.204), ((0.26, 0.61), 0.17), ((0.74, 0.61), 0.17)]
        stem = [(0.37, 0.5), (0.63, 0.5), (0.63, 0.82), (0.6, 1), (0.4, 1), (0.37, 0.82)]
        middle = np.array((0.5, 0.5)) + 0.13 * circle
        return [*(np.array(c) + r * circle for c, r in leaves), middle, np.array(stem)]
    lobes = [np.array((x, 0.26)) + 0.26 * circle for x in (0.26, 0.74)]
    if suit == "H":
        sides = [(0.01, 0.33), (0.5, 0.15), (0.99, 0.33), (0.85, 0.58), (0.5, 1), (0.15, 0.58)]
        return [*lobes, np.array(sides)]
    lobes = [np.array((x, 0.69)) + 0.174 * circle for x in (0.19, 0.81)]
    sides = [(0.03, 0.64), (0.11, 0.29), (0.5, 0), (0.89, 0.29), (0.97, 0.64), (0.5, 0.75)]
    stem = [(0.47, 0.5), (0.53, 0.5), (0.53, 0.82), (0.66, 1), (0.34, 1), (0.47, 0.82)]
    return [*lobes, np.array(sides), np.array(stem)]
