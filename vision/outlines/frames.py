"""What indices tell of where a card lies, before its sides are looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import FloatArray
from vision.geometry import corner_turns
from vision.outlines.deck_shape import DeckShape, Flat
from vision.outlines.edges import Lines
from vision.types import CardRead, IndexRead

#: A side is seen if an edge is along this share of its length.
SEEN = 0.55
#: From an index's middle to the sides beside it, index heights: about what most decks have.
_LEAD = (0.42, 0.85)
#: Two indices are opposite if their directions differ by so much at least.
_LEAST_TURN = 1.6
#: The part of a card, across and down, upon which no other card may lie if all of it is to be seen.
_NEAR_PART = 0.75


@dataclass(frozen=True, slots=True)
class CardFrame:
    """What two opposite indices tell of a card.

    Attributes:
        indices: the two.
        corners: (4, 2) about where its corners are; the first is beside the first index, the
            second lies across from it, clockwise unless ``mirrored``.
        pivots: (4,) on each side, from its beginning, where the index beside it stands.
        mirrored: whether the first index is the right one at the top.
    """

    indices: tuple[IndexRead, IndexRead]
    corners: FloatArray
    pivots: FloatArray
    mirrored: bool

    @property
    def unit(self) -> float:
        """Index height, pixels."""
        return float(np.sqrt(self.indices[0].size * self.indices[1].size))

    def viewed(self, flat: Flat) -> CardFrame:
        """The same in another view of the picture."""
        first, second = self.indices
        indices = (flat.index(first), flat.index(second))
        return replace(self, indices=indices, corners=flat.view(self.corners))


@dataclass(frozen=True, slots=True)
class ExpectedCard:
    """Where a card must lie, in the flat view.

    Attributes:
        corners: (4, 2), as in a frame.
        indices: its indices.
        middle: (2,) of the card, None where it is not known for certain.
        mirrored: as in a frame.
    """

    corners: FloatArray
    indices: tuple[IndexRead, ...]
    middle: FloatArray | None
    mirrored: bool


def frame_of(read: CardRead) -> CardFrame | None:
    """What two opposite indices of a card tell, None where they are not seen."""
    for n, first in enumerate(read.indices):
        for second in read.indices[n + 1 :]:
            down = np.array(first.direction) - np.array(second.direction)
            if np.hypot(*down) < _LEAST_TURN:
                continue
            down = down / np.hypot(*down)
            right = np.array([down[1], -down[0]])
            start, end = np.array(first.centre), np.array(second.centre)
            across, along = float((end - start) @ right), float((end - start) @ down)
            unit = float(np.sqrt(first.size * second.size))
            if along < unit or abs(across) < unit:
                continue
            mirrored = across < 0
            if mirrored:
                right, across = -right, -across
            x, y = unit * _LEAD[0], unit * _LEAD[1]
            wide, high = (across + 2 * x) * right, (along + 2 * y) * down
            origin = start - x * right - y * down
            corners = np.array([origin, origin + wide, origin + wide + high, origin + high])
            ends, sides = x / (across + 2 * x), 1 - y / (along + 2 * y)
            pivots = np.array([ends, sides, ends, sides])
            return CardFrame((first, second), corners, pivots, mirrored)
    return None


def guess_of_pair(frame: CardFrame, lines: Lines, deck: DeckShape | None) -> ExpectedCard | None:
    """Where a card lies of which not all sides are seen, None where too little is known.

    Args:
        frame: what its indices tell.
        lines: its sides, as far as they are seen.
        deck: the shape of the picture's other cards.
    """
    start, end = (np.array(index.centre) for index in frame.indices)
    middle = (start + end) / 2
    right, down = _way(lines, 0, 2), _way(lines, 3, 1, sign=-1.0)
    if deck is not None:
        if down is None:
            first, second = frame.indices
            down = np.array(first.direction) - np.array(second.direction)
        if right is None:
            right = deck.across(down) * (-1 if frame.mirrored else 1)
        corners = _between(start, end, right, down, deck)
    elif right is not None and down is not None:
        corners = lines.completed(middle, SEEN).corners()
    else:
        return None
    if corners is None or not is_sound(corners, frame.corners):
        return None
    return ExpectedCard(corners, frame.indices, middle, frame.mirrored)


def _way(lines: Lines, one: int, other: int, *, sign: float = 1.0) -> FloatArray | None:
    """The unit vector along those of two opposite sides that are seen, None where neither is."""
    ways = lines.end - lines.start
    ways = sign * ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-9)
    seen = [way for way, k in ((ways[one], one), (-ways[other], other)) if lines.seen[k] > SEEN]
    return np.asarray(np.mean(seen, axis=0)) if seen else None


def _between(
    start: FloatArray, end: FloatArray, right: FloatArray, down: FloatArray, deck: DeckShape
) -> FloatArray | None:
    """(4, 2) corners of a card of which both indices and the ways of the sides are known."""
    across, along = (1 - 2 * deck.index[0]) * right, (1 - 2 * deck.index[1]) * down
    ways = np.column_stack([across, along])
    if abs(float(np.linalg.det(ways))) < 1e-6:
        return None
    wide, high = np.linalg.solve(ways, end - start)
    if wide <= 0 or high <= 0:
        return None
    x, y = wide * right, high * down
    origin = start - deck.index[0] * x - deck.index[1] * y
    return np.array([origin, origin + x, origin + x + y, origin + y])


def guess_of_index(index: IndexRead, deck: DeckShape) -> ExpectedCard:
    """Where a card lies of which one index is seen, by the picture's other cards."""
    return ExpectedCard(deck.card_of(index, mirrored=False), (index,), None, mirrored=False)


def is_covered(corners: FloatArray, marks: FloatArray) -> bool:
    """Whether other cards lie upon the part of a card that is near its index, or several upon it.

    In a row the sides of one card are in line with those of the next, so that edges are seen all
    around a card of which but a strip shows.

    Args:
        corners: (4, 2) of the card, the first one beside its index.
        marks: (n, 2) middles of the indices of other cards.
    """
    ways = np.column_stack([corners[1] - corners[0], corners[3] - corners[0]])
    if abs(float(np.linalg.det(ways))) < 1e-9:
        return True
    places = np.linalg.solve(ways, (marks - corners[0]).T).T
    inside = np.all((places > 0) & (places < 1), axis=1)
    near = np.all(places < _NEAR_PART, axis=1)
    return bool(inside.sum() > 1 or (inside & near).any())


def is_sound(quad: FloatArray, rough: FloatArray) -> bool:
    """Whether four corners make a convex shape not far from where a card must be."""
    if not np.isfinite(quad).all():
        return False
    turns = corner_turns(quad)
    if not (np.all(turns > 0) or np.all(turns < 0)):
        return False
    size = float(np.linalg.norm(rough[2] - rough[0]))
    return float(np.linalg.norm(quad - rough, axis=1).max()) < 0.3 * size
