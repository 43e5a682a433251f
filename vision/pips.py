"""Tells a number card by the large pips in its middle, where the index is too small for it.

The pips are found as dark spots of equal size; how they are laid out does not matter. How many
there are tells which of the ranks it is that the index may be read as. Their outline is compared
with simple drawings of the four suits; where that does not settle it, the classifier is asked,
which tells large pips as well as small ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Family, card
from vision.outline import find_outlines
from vision.plane import CARD_MM
from vision.protocols import Image
from vision.types import SUIT_LABELS, CardRead, FloatArray, IndexRead

Mask = NDArray[np.float32]
Grey = NDArray[np.uint8]
SuitsOf = Callable[[Sequence[Grey]], NDArray[np.float32]]
"""Log chances (n, 4) of the suits, ordered as in `vision.types.SUIT_LABELS`, of n pips cut out."""


@dataclass(frozen=True, slots=True, eq=False)
class Pip:
    """One spot of a card.

    Attributes:
        square: stretched to a square, ink 1 and paper 0.
        cut: as it was found, with some paper about it, grey levels.
    """

    square: Mask
    cut: Grey


_Pips = tuple[list[Pip], bool]
"""The spots of a card, and whether these are all it can have."""

#: A card's face is looked at with so many pixels a millimetre.
_SCALE = 3.0
#: Pips lie within this part of the face; the indices do not.
_ACROSS, _DOWN = (0.17, 0.83), (0.06, 0.94)
#: Of that part an index may reach into the first and the last so much of the height.
_CORNER = 0.3
#: A pip and its fellow lie as far from the card's middle, but for so much of that part's width; a
#: seven has one above the middle without a fellow.
_ASIDE, _ONE_ABOVE = 0.12, 7
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
#: So much likelier is a rank that the index may be, where just as many pips are seen. Of 644 number
#: cards of held-out decks that showed a whole layout of pips, three had another rank.
_COUNTED = 200.0
#: Least chance of a rank that the index may be, and that counts for any.
_LEAST, _FAINT = 5e-4, 1e-4
#: A number card that is read so surely needs no exact outline, unless its pips are others.
_SETTLED = 0.95
#: A card that is read elsewhere so surely lies there.
_TAKEN = 0.3
#: Pips that are less than this nearer to one suit of their colour than to the other tell nothing.
_APART = 0.05
#: What the classifier says of the pips: how much it counts, what is next to nothing, and the most
#: that is believed (log odds). Of 504 black number cards of held-out decks whose pips were seen it
#: told 99.2 % of suits, the drawings 88 %.
_TOLD, _NEXT_TO_NOTHING, _MOST_TOLD = 2.0, 0.5, 5.0
#: So many of a card's pips are asked about; paper about a pip that is cut out, pixels.
_ASKED, _MARGIN = 4, 2
_MOST_PIPS = 10
_PAIRS = {"S": "SC", "C": "SC", "H": "HD", "D": "HD"}


def with_pips(
    image: Image,
    cards: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    *,
    accept: float,
    suits_of: SuitsOf | None = None,
) -> tuple[list[CardRead], list[CardRead]]:
    """Reads of a picture with each number card weighed by its large pips, too.

    Args:
        image: (height, width, 3) BGR.
        cards: what was accepted.
        doubtful: what was not.
        accept: least confidence of an accepted read.
        suits_of: tells suits better than the drawings, and takes longer.

    Returns:
        What is accepted now, and what is not.
    """
    done: list[CardRead] = []
    reads = [*cards, *doubtful]
    pips = _pips_of(image, reads)
    for k, read in enumerate(reads):
        now = _weighed(read, pips[k], suits_of) if k in pips else read
        others = [*done, *reads[k + 1 :]]
        # No card lies there twice: what another read has more right to is not taken from it.
        taken = now.card is not read.card and any(
            other.card is now.card and other.confidence > _TAKEN for other in others
        )
        done.append(read if taken else now)
    sure = [read for read in done if read.confidence >= accept]
    return sure, [read for read in done if read.confidence < accept]


def _pips_of(image: Image, reads: Sequence[CardRead]) -> dict[int, _Pips]:
    """The pips of those reads that show any, by their outline; exactly, where it matters.

    Two indices tell the outline but roughly; to search for its sides takes longer.
    """
    found = {
        k: _pips(_face(image, np.array(read.quad)))
        for k, read in enumerate(reads)
        if _may_show_pips(read)
    }
    wanted = [k for k, pips in found.items() if _wants_outline(reads[k], pips)]
    if wanted:
        quads = find_outlines(image, reads).quads
        exact = ((k, quad) for k in wanted if (quad := quads[k]) is not None)
        found |= {k: _pips(_face(image, np.array(quad))) for k, quad in exact}
    return {k: pips for k, pips in found.items() if pips is not None}


def _may_show_pips(read: CardRead) -> bool:
    seen = read.card
    return read.outlined and seen.family is Family.STANDARD and seen.suit is not None


def _wants_outline(read: CardRead, pips: _Pips | None) -> bool:
    """Whether a read that shows no whole layout of pips is worth a search for its outline."""
    if pips is not None and pips[1]:
        return False
    others = pips is not None and len(pips[0]) != read.card.rank
    return others or read.confidence < _SETTLED


def weighed(image: Image, read: CardRead, suits_of: SuitsOf | None = None) -> CardRead:
    """A read with its rank and suit weighed by the pips; as it was where they tell nothing.

    Args:
        image: (height, width, 3) BGR.
        read: of that picture; its outline is believed.
        suits_of: see `with_pips`.
    """
    found = _pips(_face(image, np.array(read.quad))) if _may_show_pips(read) else None
    return read if found is None else _weighed(read, found, suits_of)


def _weighed(read: CardRead, found: _Pips, suits_of: SuitsOf | None) -> CardRead:
    """A read weighed by what was seen of its pips."""
    chances = {read.card: read.confidence}
    chances |= {other: p for other, p in read.alternatives if other is not read.card}
    seen = read.card
    pips, is_whole = found
    if is_whole and len(pips) > 1:  # a single spot may be a court card's picture
        # A hidden pip makes another number of them; but seldom one that the index may be, too.
        rest = 1.0 - sum(chances.values())
        chance = min(rest, _rank_chance(read.indices, len(pips)))
        if chance > _LEAST:
            chances.setdefault(card(f"{len(pips)}{seen.suit}"), chance)
        named = [c for c in chances if c.rank == len(pips)]
        for c in named:
            chances[c] *= _COUNTED
        seen = max(named, key=lambda c: chances[c], default=seen)
    if seen.rank != len(pips):
        return read
    return _renamed(read, _by_suit(seen, chances, pips, suits_of))


def _rank_chance(indices: Sequence[IndexRead], rank: int) -> float:
    """How likely indices show a rank, their geometric mean; 0 where that was not kept."""
    probs = [index.rank_probs[rank - 1] for index in indices if len(index.rank_probs) >= rank]
    return float(np.exp(np.log(np.maximum(probs, _FAINT)).mean())) if probs else 0.0


def _by_suit(
    seen: Card, chances: dict[Card, float], pips: Sequence[Pip], suits_of: SuitsOf | None
) -> dict[Card, float]:
    """The chances, weighed by which suit of their colour the pips of a card are like."""
    assert seen.suit is not None
    chances = dict(chances)
    pair = _PAIRS[seen.suit]
    one, two = pair[0], pair[1]
    for suit in pair:
        chances.setdefault(card(f"{seen.rank_text}{suit}"), _BARELY)
    favour, tells = _by_drawings(pips, pair)
    agrees = tells and (favour > 0) == (seen.suit == one)
    # Hearts and diamonds are told by the drawings well enough.
    both = sum(chances[card(f"{seen.rank_text}{suit}")] for suit in pair)
    settled = (tells and pair == "HD") or (agrees and chances[seen] >= _SETTLED * both)
    if suits_of is not None and not settled:
        more, tells = _by_classifier(pips, pair, suits_of)
        favour += more
    if not tells:
        # Where even the large pips may be either, the small one in the index may well deceive.
        twin = card(f"{seen.rank_text}{two if seen.suit == one else one}")
        chances[twin] = max(chances[twin], min(_DOUBT * chances[twin], chances[seen]))
        return chances
    for suit, sign in ((one, 1), (two, -1)):
        chances[card(f"{seen.rank_text}{suit}")] *= float(np.exp(sign * favour / 2))
    return chances


def _by_drawings(pips: Sequence[Pip], pair: str) -> tuple[float, bool]:
    """Log odds of the first of two suits against the other, and whether the drawings tell any."""
    likeness = _likeness([pip.square for pip in pips], pair)
    apart = likeness[pair[0]] - likeness[pair[1]]
    return float(np.clip(_STEEP * apart, -_MOST, _MOST)), abs(apart) >= _APART


def _by_classifier(pips: Sequence[Pip], pair: str, suits_of: SuitsOf) -> tuple[float, bool]:
    """The same as the classifier has it; every pip either way up, as each suit fits it best."""
    cuts = [pip.cut for pip in pips[:_ASKED]]
    upright = suits_of([*cuts, *(cut[::-1, ::-1] for cut in cuts)])
    either = np.logaddexp(upright[: len(cuts)], upright[len(cuts) :])
    one, two = (SUIT_LABELS.index(suit) for suit in pair)
    odds = float((either[:, one] - either[:, two]).mean())
    return float(np.clip(_TOLD * odds, -_MOST_TOLD, _MOST_TOLD)), abs(odds) >= _NEXT_TO_NOTHING


def _renamed(read: CardRead, weights: dict[Card, float]) -> CardRead:
    """The read with other chances of its cards; they may not sum to one yet."""
    rest = max(0.0, 1.0 - read.chance_of_any)
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
    found = _pips(_face(image, quad))
    if found is None or len(found[0]) != count:
        return None
    return _likeness([pip.square for pip in found[0]], suits)


def _likeness(pips: Sequence[Mask], suits: str) -> dict[str, float]:
    """How like each of some suits pips are, -1 to 1."""
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


def _pips(face: NDArray[np.uint8]) -> _Pips | None:
    """The spots, each in a square of its own, and whether these are all that can be any.

    None where they are no card's pips.
    """
    height, width = face.shape
    ink = cv2.GaussianBlur(face, (0, 0), 0.8)
    x0, x1 = (round(share * width) for share in _ACROSS)
    y0, y1 = (round(share * height) for share in _DOWN)
    inner = np.ascontiguousarray(ink[y0:y1, x0:x1])
    _, dark = cv2.threshold(inner, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    rows, columns = inner.shape
    every = [(int(x), int(y), int(w), int(h)) for x, y, w, h, area in stats[1:]
             if max(w, h) > 0.5 * _SCALE * _HEIGHTS[0] and area > 6]  # fmt: skip
    # What runs across the border is an index, a frame, or the table; or a pip that is cut.
    spots = [(x, y, w, h) for x, y, w, h in every
             if x > 0 and y > 0 and x + w < columns and y + h < rows]  # fmt: skip
    # Pips stand in pairs: one that is cut at an index has a fellow that is cut elsewhere.
    indices = sum((x == 0 and x + w < columns and y + h < _CORNER * rows)
                  or (x + w == columns and x > 0 and y > (1 - _CORNER) * rows)
                  for x, y, w, h in every)  # fmt: skip
    tall = [h for _, _, _, h in spots]
    low, high = (_SCALE * mm for mm in (_ACE if len(spots) == 1 else _HEIGHTS))
    if not 0 < len(spots) <= _MOST_PIPS or min(tall) < low or max(tall) > high:
        return None
    if max(tall) > (1 + _EQUAL) * min(tall):
        return None
    is_whole = len(spots) + indices == len(every) and _is_layout(spots, (columns, rows))
    return [Pip(_stretched(inner, spot), _cut(inner, spot)) for spot in spots], is_whole


def _is_layout(spots: Sequence[tuple[int, int, int, int]], size: tuple[int, int]) -> bool:
    """Whether spots lie as a whole card's pips do: the same upside down, but for one of seven."""
    x, y, w, h = np.array(spots, float).T
    if max(w) > (1 + _EQUAL) * min(w):
        return False  # two that touch
    at = np.column_stack([x + w / 2, y + h / 2])
    turned = np.array(size) - at
    off = np.linalg.norm(at[:, None] - turned[None], axis=2).min(axis=1)
    return int((off > _ASIDE * size[0]).sum()) == (len(spots) == _ONE_ABOVE)


def _cut(ink: Grey, spot: tuple[int, int, int, int]) -> Grey:
    """One pip with some paper about it."""
    x, y, w, h = spot
    rows = slice(max(0, y - _MARGIN), y + h + _MARGIN)
    return ink[rows, max(0, x - _MARGIN) : x + w + _MARGIN]


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
