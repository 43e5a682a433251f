"""Suits told by their ink: what was read for certain shows which colour each suit of a deck has.

A network that learnt red and black first takes the green club of a four-colour deck for a spade or
a diamond. But every suit of a deck is printed in one ink. What an ink takes away of the paper's
light, channel by channel, points the same way however dark, tinted or blurred a picture is; so the
inks of the certain reads of a picture say which suit a doubtful one has. Where two suits share one
ink, as in most decks, it says nothing of these two.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vision.adapt import SUIT_PAIRS
from vision.classify import cut_patches
from vision.hypotheses import Hypotheses
from vision.likeness import certain_reads
from vision.locate import Candidates
from vision.types import SUIT_LABELS, CardRead

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float32]

#: Width and height of the pieces that are looked at, pixels, and how tall an index stands in them.
_PATCH, _INDEX_HEIGHT = (24, 40), 30.0
#: Part of a piece's pixels that are surely paper: the brightest.
_PAPER = 75.0
#: A pixel holds ink if it takes away so much of what the piece's darkest ink does.
_INK = 0.4
#: The darkest ink of a piece takes away at least so much; less is no ink that could be told.
_FAINTEST = 0.12
#: Certain reads of a suit that are needed, and the least spread of directions, radians.
_LEAST_OF_SUIT, _LEAST_SPREAD = 2, 0.07
#: Inks nearer than this are one, radians: black and green are 0.15 to 0.3 apart.
_ONE_INK = 0.1
#: How likely an ink that is like none of them is, beside one at a heap's middle: a neighbour's ink
#: or a shadow got into the piece. It also limits what ink can say against what is plain to see.
_STRAY = 0.02


def suits_by_ink(
    image: Image,
    found: Candidates,
    hypotheses: Hypotheses,
    reads: Iterable[CardRead],
    *,
    two: bool = False,
) -> Hypotheses:
    """The same hypotheses with the suits moved towards those whose ink they bear.

    The directions of a suit's certain reads are taken for a normal heap around their mean, all
    suits' heaps for equally wide. A read never counts as its own pattern.

    Args:
        image: (height, width, 3) BGR, the picture in which the candidates were found.
        found: n index candidates.
        hypotheses: what they read as.
        reads: cards that were made of them.
        two: whether red is told from black as well, where the deck has but two inks.

    Returns:
        New hypotheses; the chance of no card stays as it is, and so do suits of which the picture
        shows too few certain ones.
    """
    patterns = certain_reads(found, hypotheses, reads)
    if len(patterns) < 2 * _LEAST_OF_SUIT:
        return hypotheses
    # Most decks have two inks: so much is known from the patterns alone.
    at = np.array(list(patterns), np.intp)
    inks = np.zeros((len(found), 3), np.float32)
    seen = np.zeros(len(found), bool)
    inks[at], seen[at] = ink_directions(image, found.take(at))
    of_suit: dict[int, list[int]] = {}
    for k in at[seen[at]].tolist():
        of_suit.setdefault(SUIT_LABELS.index(str(patterns[k].suit)), []).append(k)
    of_suit = {s: ks for s, ks in of_suit.items() if len(ks) >= _LEAST_OF_SUIT}
    known = np.array(sorted(of_suit), np.intp)
    of_suit = _shared(of_suit, inks)
    if len(known) < 2 or not (two or _more_than_two_inks(of_suit)):
        return hypotheses
    rest = np.setdiff1d(np.arange(len(found)), at)
    inks[rest], seen[rest] = ink_directions(image, found.take(rest))
    spread = _spread([inks[ks] for ks in of_suit.values()])
    suits = hypotheses.suit_probs.copy()
    for k in np.flatnonzero(seen).tolist():
        off = np.array(
            [_angle(inks[k], _mean(inks[[j for j in of_suit[s] if j != k]])) for s in known]
        )
        moved = suits[k, known] * (np.exp(-0.5 * (off / spread) ** 2) + _STRAY)
        share = float(suits[k, known].sum())
        suits[k, known] = moved * (share / max(float(moved.sum()), 1e-9))
    return hypotheses.with_suits(suits)


def _shared(of_suit: dict[int, list[int]], inks: FloatArray) -> dict[int, list[int]]:
    """The patterns of each suit, those of suits with one ink put together."""
    middles = {suit: _mean(inks[ks]) for suit, ks in of_suit.items()}
    return {
        suit: [
            k
            for other, ks in of_suit.items()
            if _angle(middles[suit], middles[other]) < _ONE_INK
            for k in ks
        ]
        for suit in of_suit
    }


def _more_than_two_inks(of_suit: dict[int, list[int]]) -> bool:
    """Whether some two suits of one colour elsewhere have patterns, and inks, of their own."""
    pairs = [(SUIT_LABELS.index(a), SUIT_LABELS.index(b)) for a, b in SUIT_PAIRS]
    return any(a in of_suit and b in of_suit and of_suit[a] != of_suit[b] for a, b in pairs)


def ink_directions(image: Image, found: Candidates) -> tuple[FloatArray, NDArray[np.bool_]]:
    """What the ink of each index takes away of its paper's light.

    Args:
        image: (height, width, 3) BGR.
        found: n indices.

    Returns:
        (n, 3) unit vectors over the channels, and (n,) whether any ink was seen.
    """
    cut = cut_patches(image, found, patch=_PATCH, index_height=_INDEX_HEIGHT)
    pixels = cut.reshape(len(found), _PATCH[0] * _PATCH[1], 3)
    # Channel by channel: sums over the last axis are several times faster than over the channels.
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32)
    bright = planes.mean(axis=0)
    papery = bright >= np.percentile(bright, _PAPER, axis=1, keepdims=True)
    paper = (planes * papery).sum(axis=2) / papery.sum(axis=1)
    taken = np.clip(1 - planes / np.maximum(paper, 1.0)[..., None], 0.0, 1.0)
    depth = taken.max(axis=0)
    deepest = np.percentile(depth, 98, axis=1)
    inky = depth > _INK * deepest[:, None]
    total = (taken * inky).sum(axis=2).T
    length = np.linalg.norm(total, axis=1)
    seen = (deepest >= _FAINTEST) & (length > 0)
    return np.asarray(total / np.maximum(length, 1e-6)[:, None], np.float32), np.asarray(seen)


def _mean(inks: FloatArray) -> FloatArray:
    """The middle of some directions: medians, so that one wrong pattern does not move it."""
    middle = np.median(inks, axis=0)
    return np.asarray(middle / max(float(np.linalg.norm(middle)), 1e-6), np.float32)


def _angle(one: FloatArray, other: FloatArray) -> float:
    return float(np.arccos(np.clip(one @ other, -1.0, 1.0)))


def _spread(heaps: Iterable[FloatArray]) -> float:
    """How wide the suits' heaps are, radians; a few degrees at least."""
    angles = [_angle(ink, _mean(heap)) for heap in heaps for ink in heap]
    # Of directions in a plane half lie within 1.18 standard deviations.
    return max(_LEAST_SPREAD, float(np.median(angles)) / 1.18)
