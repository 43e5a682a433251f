"""Finds the corner indices of a deck's cards: where the rank glyph and the small suit stand.

A deck prints its index at the same place on every card, so each card is searched alone first and
then the whole deck votes: the median box of a rank (over the suits) and of a suit symbol (over the
ranks) replaces a box that strays, which is what court figures and touching pips do to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Mask
from models.art.paths import RANKS, SUITS, split_card
from models.art.render import Rgba

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are one past the last pixel."""

_INK_CONTRAST = 60.0
_LEAST_MATCH = 0.6
_SHARE_PRINTED = 0.6
_COURTS = frozenset("JQK")


@dataclass(frozen=True, slots=True)
class Index:
    """One printed index.

    Attributes:
        rank_box: The rank glyph, pixels of the card's picture.
        suit_box: The small suit symbol that belongs to it.
        angle: How far the index is turned in the card's own frame: 0 upright, 180 upside down.
    """

    rank_box: Box
    suit_box: Box
    angle: int


@dataclass(frozen=True, slots=True)
class Corner:
    """A corner of the card, reached by flipping the picture so that it comes to the top left.

    Attributes:
        flip_x: Whether left and right are exchanged to find the place.
        flip_y: Whether top and bottom are.
        angle: The angle of an index printed there.
    """

    flip_x: bool
    flip_y: bool
    angle: int


_CORNERS = (
    Corner(flip_x=False, flip_y=False, angle=0),
    Corner(flip_x=True, flip_y=True, angle=180),
    Corner(flip_x=True, flip_y=False, angle=0),
    Corner(flip_x=False, flip_y=True, angle=180),
)


def ink_masks(cards: Mapping[str, Rgba]) -> dict[str, Mask]:
    """Marks what differs from the deck's ground colour, 1 for ink; the cut edge is no ink.

    The ground is what most cards have in the corner, taken once for the upper and once for the
    lower half because some decks are shaded.
    """
    grounds = np.array([_corner_colours(card) for card in cards.values()])
    upper, lower = np.median(grounds, axis=0)
    return {name: _ink_mask(card, upper, lower) for name, card in cards.items()}


def _solid(card: Rgba) -> Mask:
    """The card without its cut edge, 1 inside."""
    outline, _ = cv2.findContours(
        (card[..., 3] > 250).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    filled = np.zeros((card.shape[0] + 2, card.shape[1] + 2), np.uint8)
    cv2.drawContours(filled, outline, -1, 1, cv2.FILLED, offset=(1, 1))
    inner = cv2.erode(filled, np.ones((3, 3), np.uint8), iterations=2)
    return inner[1:-1, 1:-1].astype(np.uint8)


def _corner_colours(card: Rgba) -> npt.NDArray[np.float32]:
    """The commonest colours of the top left and the bottom right corner, shape (2, 3)."""
    height, width = card.shape[:2]
    tall, wide = int(0.4 * height), int(0.35 * width)
    solid = _solid(card) > 0
    out = np.full((2, 3), 255.0, np.float32)
    for i, corner in enumerate(
        ((slice(0, tall), slice(0, wide)), (slice(height - tall, None), slice(width - wide, None)))
    ):
        if solid[corner].any():
            out[i] = np.median(card[corner][solid[corner]][:, :3], axis=0)
    return out


def _ink_mask(card: Rgba, upper: npt.NDArray[np.float32], lower: npt.NDArray[np.float32]) -> Mask:
    half = card.shape[0] // 2
    colours = card[..., :3].astype(np.float32)
    distance = np.concatenate(
        [np.abs(colours[:half] - upper).max(axis=2), np.abs(colours[half:] - lower).max(axis=2)]
    )
    return ((distance > _INK_CONTRAST) & (_solid(card) > 0)).astype(np.uint8)


def find_indices(cards: Mapping[str, Rgba]) -> dict[str, tuple[Index, ...]]:
    """Finds the indices of a deck's cards.

    Args:
        cards: Pictures of the 52 cards (or fewer) of one deck, all of about the same size.

    Returns:
        For each card whose indices are certain, one to four of them; the first is the top left
        one. Cards whose index cannot be found are left out.
    """
    masks = ink_masks(cards)
    boxes = [_vote(masks, corner) for corner in _CORNERS]
    glyphs = _mean_glyphs(masks, boxes[0])
    seen = {
        corner: {
            card: _indices_at(voted[card], corner, mask.shape)
            for card, mask in masks.items()
            if card in voted
            and _matches(mask, voted[card], corner, glyphs.get(split_card(card)[0]))
        }
        for corner, voted in zip(_CORNERS, boxes, strict=True)
    }
    printed = [c for c in _CORNERS if len(seen[c]) > _SHARE_PRINTED * len(masks)]
    if _CORNERS[0] not in printed:
        return {}
    # An index that is there but not found would be taught as "no index", so such cards go.
    return {
        card: tuple(seen[corner][card] for corner in printed)
        for card in masks
        if all(card in seen[corner] for corner in printed)
    }


def _indices_at(pair: tuple[Box, Box], corner: Corner, shape: tuple[int, ...]) -> Index:
    rank_box, suit_box = (_unflip(box, corner, shape) for box in pair)
    return Index(rank_box, suit_box, corner.angle)


def _vote(masks: Mapping[str, Mask], corner: Corner) -> dict[str, tuple[Box, Box]]:
    """Rank and suit boxes in the corner's flipped frame, after the deck's vote."""
    raw: dict[str, tuple[Box, Box]] = {}
    for card, mask in masks.items():
        pair = _search(_flip(mask, corner), two_glyphs=split_card(card)[0] == "10")
        if pair is not None:
            raw[card] = pair
    rank_box = _rank_votes(masks, raw, corner)
    suit_box = _suit_votes(raw)
    voted = {}
    for card in masks:
        rank, suit = split_card(card)
        by_rank, by_suit = rank_box.get(rank), suit_box.get(rank in _COURTS, {}).get(suit)
        if by_rank is None or by_suit is None:
            continue
        own = raw.get(card)
        if own is None:
            voted[card] = (by_rank, by_suit)
        else:
            voted[card] = (_settle(own[0], by_rank), _settle(own[1], by_suit))
    return voted


def _suit_votes(raw: Mapping[str, tuple[Box, Box]]) -> dict[bool, dict[str, Box]]:
    """The suit symbol's box by suit, for number cards (False) and courts (True).

    Some decks print it larger on the courts; where the courts gave too few boxes to vote, theirs
    is the number cards'.
    """
    votes: dict[bool, dict[str, Box]] = {False: {}, True: {}}
    for suit in SUITS:
        for courts in (False, True):
            ranks = [r for r in RANKS if (r in _COURTS) == courts and r + suit in raw]
            box = _median([raw[r + suit][1] for r in ranks])
            if box is not None and len(ranks) >= (2 if courts else 1):
                votes[courts][suit] = box
    common = _median(list(votes[False].values()))
    for suit in SUITS:
        if common is not None:  # where a frame touches every symbol of a suit
            votes[False].setdefault(suit, common)
        usual = votes[False].get(suit)
        if usual is not None and not _alike(votes[True].get(suit), usual):
            votes[True][suit] = usual
    return votes


def _alike(box: Box | None, usual: Box) -> bool:
    """Whether a court's symbol could be the small one, a bit larger, and not the big pip."""
    if box is None:
        return False
    height, usual_height = box[3] - box[1], usual[3] - usual[1]
    shift = abs(box[0] + box[2] - usual[0] - usual[2]) / 2
    return 0.75 < height / usual_height < 1.6 and shift < 0.4 * usual_height


def _rank_votes(
    masks: Mapping[str, Mask], raw: Mapping[str, tuple[Box, Box]], corner: Corner
) -> dict[str, Box]:
    """The glyph's box by rank; a rank that was found on no card is looked for at the usual height.

    On some courts the glyph touches the figure, so that it is no piece of its own. There the ink
    within the band of the other ranks is taken, on the card where it is narrowest.
    """
    votes = {r: _median([raw[r + s][0] for s in SUITS if r + s in raw]) for r in RANKS}
    known = [b for b in votes.values() if b is not None]
    found = {r: b for r, b in votes.items() if b is not None}
    single = [b for r, b in found.items() if r != "10"]
    if len(known) < 8 or not single:
        return found
    _, y0, _, y1 = _median(known) or (0, 0, 0, 0)
    right = max(b[2] for b in single) + 3
    left = max(0, min(b[0] for b in single) - 3)
    for rank in RANKS:
        tries = []
        for suit in SUITS:
            if rank not in found and rank + suit in masks:
                band = _flip(masks[rank + suit], corner)[y0:y1, left:right]
                columns = np.flatnonzero(band.any(axis=0))
                if columns.size:
                    tries.append((left + int(columns[0]), y0, left + int(columns[-1]) + 1, y1))
        if tries:
            found[rank] = min(tries, key=lambda b: b[2] - b[0])
    return found


def _settle(own: Box, voted: Box) -> Box:
    """A card's own box where it agrees with the deck's, else the deck's."""
    tolerance = max(3, round(0.12 * (voted[3] - voted[1])))
    near = all(abs(a - b) <= tolerance for a, b in zip(own, voted, strict=True))
    return own if near else voted


def _median(boxes: list[Box]) -> Box | None:
    if not boxes:
        return None
    x0, y0, x1, y1 = (round(float(v)) for v in np.median(np.array(boxes), axis=0))
    return x0, y0, x1, y1


def _search(mask: Mask, *, two_glyphs: bool) -> tuple[Box, Box] | None:
    """Looks for a rank glyph with a suit symbol below it in the top left of a mask."""
    height, width = mask.shape
    pieces = _pieces(mask[: int(0.45 * height), : int(0.42 * width)], height, width)
    if not pieces:
        return None
    seed = min(pieces, key=lambda b: b[0] + b[1])
    rank = seed
    for other in pieces:
        level = abs(other[1] - seed[1]) + abs(other[3] - seed[3]) < 0.2 * (seed[3] - seed[1])
        gap = max(other[0] - seed[2], seed[0] - other[2])
        second_digit = two_glyphs and level and gap < 0.3 * (seed[3] - seed[1])
        if (other != seed and second_digit) or _inside(other, rank):
            rank = _join(rank, other)
    below = [
        b for b in pieces
        if b[1] >= rank[3] - 0.15 * (rank[3] - rank[1])
        and b[0] < rank[2] and b[2] > rank[0] and b[1] - rank[3] < 0.9 * (rank[3] - rank[1])
        and not _inside(b, rank)
    ]  # fmt: skip
    if not below:
        return None
    suit = min(below, key=lambda b: b[1])
    if not 0.5 < (suit[2] - suit[0]) / (suit[3] - suit[1]) < 1.7:
        return None
    return rank, suit


def _pieces(corner: Mask, height: int, width: int) -> list[Box]:
    """Connected pieces of ink that could be a glyph: not specks, frames or court figures."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(corner, connectivity=8)
    out: list[Box] = []
    for x, y, w, h, area in stats[1:count].tolist():
        big_enough = h > 0.025 * height and area > 0.00012 * height * width
        if big_enough and h < 0.22 * height and w < 0.26 * width and area > 0.12 * w * h:
            out.append((x, y, x + w, y + h))
    return out


def _join(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _inside(b: Box, outer: Box) -> bool:
    x, y = (b[0] + b[2]) / 2, (b[1] + b[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _flip(mask: Mask, corner: Corner) -> Mask:
    mask = mask[:, ::-1] if corner.flip_x else mask
    return np.ascontiguousarray(mask[::-1] if corner.flip_y else mask)


def _unflip(box: Box, corner: Corner, shape: tuple[int, ...]) -> Box:
    height, width = shape[:2]
    x0, y0, x1, y1 = box
    if corner.flip_x:
        x0, x1 = width - x1, width - x0
    if corner.flip_y:
        y0, y1 = height - y1, height - y0
    return max(0, x0), max(0, y0), min(width, x1), min(height, y1)


def _glyph(mask: Mask, box: Box, *, angle: int) -> npt.NDArray[np.float32]:
    """The ink in a box, upright and softened, at 24 by 24 pixels."""
    x0, y0, x1, y1 = box
    cut = np.ascontiguousarray(mask[y0:y1, x0:x1]).astype(np.float32)
    if cut.size == 0:
        return np.zeros((24, 24), np.float32)
    if angle == 180:
        cut = np.ascontiguousarray(cut[::-1, ::-1])
    small = cv2.resize(cut, (24, 24), interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(small, (0, 0), 1.2).astype(np.float32)


def _mean_glyphs(
    masks: Mapping[str, Mask], voted: Mapping[str, tuple[Box, Box]]
) -> dict[str, npt.NDArray[np.float32]]:
    """What the top left glyph of each rank looks like, the middle one over the suits."""
    out = {}
    for rank in RANKS:
        looks = [
            _glyph(masks[rank + s], voted[rank + s][0], angle=0)
            for s in SUITS
            if rank + s in voted and rank + s in masks
        ]
        if looks:
            out[rank] = np.median(np.stack(looks), axis=0).astype(np.float32)
    return out


def _matches(
    mask: Mask, pair: tuple[Box, Box], corner: Corner, glyph: npt.NDArray[np.float32] | None
) -> bool:
    """Whether the corner shows the rank's glyph and some suit symbol at the voted places."""
    if glyph is None:
        return False
    rank_box = _unflip(pair[0], corner, mask.shape)
    x0, y0, x1, y1 = _unflip(pair[1], corner, mask.shape)
    suit_ink = float(mask[y0:y1, x0:x1].mean()) if x1 > x0 and y1 > y0 else 0.0
    own = _glyph(mask, rank_box, angle=corner.angle)
    return suit_ink > 0.25 and correlation(own, glyph) > _LEAST_MATCH


def correlation(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    """Normalised correlation of two pictures of one shape, -1 to 1; 0 where either is flat."""
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / norm if norm > 1e-6 else 0.0
