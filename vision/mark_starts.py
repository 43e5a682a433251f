"""Where cards of a known size may lie about marks that belong to no card that was read.

What the locator sees may be a faint index, a joker's word, or a part of a figure: it tells that
something printed lies there, but not what, nor how it stands upon its card. So cards of the usual
size are laid about it in several ways, from which the network of outlines finds the true one.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.locate import Candidates, thin
from vision.outline_guesses import Taken
from vision.types import FloatArray

#: The hottest marks, so many at most, are looked at; so many cards are laid in all.
_MARKS, _MOST = 3, 8
#: A mark within a card that was read, so much reduced, is on that one: it lies about there.
_OWN = 0.85
#: Where an index stands on its card, as shares of width and height; a joker's word is longer.
_CORNER = (0.12, 0.14)
#: How a card lies whose middle the mark is: turned by so many quarters of a half turn.
_TURNS = (0, 2, 1, 3)


def starts_about_marks(
    marks: Candidates, cards: Sequence[FloatArray], taken: Taken, *, upon: int = 0
) -> FloatArray:
    """(n, 4, 2) corners of cards that may lie about marks, first one about each, then further ones.

    Args:
        marks: what the locator has found, however faint.
        cards: (4, 2) where the cards lie that were read, one or more.
        taken: what of the picture is known to be faces.
        upon: so many indices of other cards may lie upon it.
    """
    sites, leader = thin(marks)
    sites = sites.take(np.flatnonzero(leader == np.arange(len(leader))))
    wide, high = (
        float(np.median([np.linalg.norm(quad[k] - quad[0]) for quad in cards])) for k in (1, 3)
    )
    inner = [(quad.mean(axis=0) * (1 - _OWN) + _OWN * quad).astype(np.float32) for quad in cards]
    free = [
        k
        for k, (x, y) in enumerate(sites.centre.tolist())
        if not any(cv2.pointPolygonTest(quad, (x, y), False) > 0 for quad in inner)
    ]
    ways: list[list[FloatArray]] = [[] for _ in range(1 + len(_TURNS))]
    for k in free[:_MARKS]:
        middle, down = sites.centre[k].astype(np.float64), sites.direction[k].astype(np.float64)
        right = np.array([down[1], -down[0]])
        x, y = ((0.5 - share) * side for share, side in zip(_CORNER, (wide, high), strict=True))
        ways[0].append(_card_at(middle + x * right + y * down, right, wide, high))
        for way, turn in zip(ways[1:], _TURNS, strict=True):
            angle = turn * np.pi / len(_TURNS)
            turned = np.cos(angle) * right + np.sin(angle) * down
            way.append(_card_at(middle, turned, wide, high))
    laid = [quad for way in ways for quad in way if taken.leaves(quad, upon=upon)]
    return np.array(laid[:_MOST]).reshape(-1, 4, 2)


def _card_at(middle: FloatArray, right: FloatArray, wide: float, high: float) -> FloatArray:
    """(4, 2) corners of a card by its middle and the direction of its upper side."""
    half, down = wide / 2 * right, high / 2 * np.array([-right[1], right[0]])
    return np.array(
        [middle - half - down, middle + half - down, middle + half + down, middle - half + down]
    )
