"""Suits told by their like: what was read for certain is the pattern for what is in doubt.

The clubs and spades of a deck that the network never saw may look alike to it, as may its hearts
and diamonds. But a row shows every suit many times, by one printer, in one light and one blur. So
the symbols that are in doubt are laid upon the certain ones of the same picture, and the suit whose
symbols fit better gains.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from vision.adapt import SUIT_PAIRS
from vision.classify import cut_patches
from vision.fuse import Hypotheses
from vision.locate import Candidates
from vision.types import SUIT_LABELS, CardRead

Image = NDArray[np.uint8]
Grey = NDArray[np.float32]

#: Width and height of the pieces that are compared, pixels, and how tall an index stands in them.
_PATCH, _INDEX_HEIGHT = (56, 72), 40.0
#: The symbol in a piece: top, bottom, left, right; it may lie off by so many pixels.
_SYMBOL, _PLAY = (36, 58, 14, 42), 4
#: A read this sure is a pattern; so many patterns of a picture make it worth while, so many of a
#: suit speak for it.
_CERTAIN, _LEAST_PATTERNS, _LEAST_OF_SUIT = 0.9, 6, 2
#: An index with less chance of being any card is left alone, as is one with larger log odds.
_SOME, _SETTLED = 0.05, 9.0
#: Log odds for each unit of difference in correlation.
_GAIN = 20.0


def suits_by_likeness(
    image: Image, found: Candidates, hypotheses: Hypotheses, reads: Iterable[CardRead]
) -> Hypotheses:
    """The same hypotheses with doubtful suits moved towards the symbols that they look like.

    Args:
        image: (height, width, 3) BGR, the picture in which the candidates were found.
        found: n index candidates.
        hypotheses: what they read as.
        reads: cards that were made of them.

    Returns:
        New hypotheses; chances of red against black, and of no card, stay as they are.
    """
    patterns = certain_reads(found, hypotheses, reads)
    if len(patterns) < _LEAST_PATTERNS:
        return hypotheses
    at = np.array(list(patterns), np.intp)
    suits = hypotheses.suit_probs.copy()
    some = hypotheses.probs.sum(axis=1)
    pairs = []
    own = np.array([c.suit for c in patterns.values()])
    for first, second in SUIT_PAIRS:
        a, b = SUIT_LABELS.index(first), SUIT_LABELS.index(second)
        mine, theirs = at[own == first], at[own == second]
        if min(len(mine), len(theirs)) >= _LEAST_OF_SUIT:
            pairs.append((a, b, mine, theirs))
    if not pairs:
        return hypotheses
    doubtful = [k for k in np.flatnonzero(some > _SOME).tolist() if k not in patterns]
    needed = np.array(sorted({*doubtful, *at.tolist()}), np.intp)
    greys = dict(zip(needed.tolist(), _greys(image, found.take(needed)), strict=True))
    for a, b, mine, theirs in pairs:
        for k in doubtful:
            odds = float(np.log(max(suits[k, a], 1e-5) / max(suits[k, b], 1e-5)))
            both = float(suits[k, a] + suits[k, b])
            if abs(odds) > _SETTLED or both < _SOME:
                continue
            likes = [_best_half([_alike(greys[k], greys[j]) for j in js]) for js in (mine, theirs)]
            odds += _GAIN * (likes[0] - likes[1])
            suits[k, a] = both / (1 + np.exp(-odds))
            suits[k, b] = both - suits[k, a]
    return hypotheses.with_suits(suits)


def certain_reads(
    found: Candidates, hypotheses: Hypotheses, reads: Iterable[CardRead]
) -> dict[int, Card]:
    """Numbers of the candidates whose names are certain, with their cards."""
    certain = {
        index.centre: read.card
        for read in reads
        if read.confidence >= _CERTAIN
        for index in read.indices
    }
    out = {}
    for k, (x, y) in enumerate(found.centre.tolist()):
        card = certain.get((x, y))
        if card is not None and hypotheses.cards[hypotheses.best[k]] is card:
            out[k] = card
    return out


def _greys(image: Image, found: Candidates) -> list[Grey]:
    cut = cut_patches(image, found, patch=_PATCH, index_height=_INDEX_HEIGHT)
    return [cv2.cvtColor(piece, cv2.COLOR_BGR2GRAY).astype(np.float32) for piece in cut]


def _alike(one: Grey, other: Grey) -> float:
    """Normalised correlation of two symbols where they fit best, -1 to 1; the same both ways."""
    top, bottom, left, right = _SYMBOL
    total = 0.0
    for small, large in ((one, other), (other, one)):
        symbol = small[top:bottom, left:right]
        around = large[top - _PLAY : bottom + _PLAY, left - _PLAY : right + _PLAY]
        total += float(cv2.matchTemplate(around, symbol, cv2.TM_CCOEFF_NORMED).max())
    return total / 2


def _best_half(likes: list[float]) -> float:
    """Mean of the better half: some of the patterns are half covered."""
    best = sorted(likes, reverse=True)
    return float(np.mean(best[: (len(best) + 1) // 2]))
