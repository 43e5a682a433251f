"""Suits told by their like: what was read for certain is the pattern for what is in doubt.

The clubs and spades of a deck that the network never saw may look alike to it, as may its hearts
and diamonds. But a row shows every suit many times, by one printer, in one light and one blur. So
the marks of a symbol that is in doubt (`vision.classify.Classifier.marks`) are laid beside those of
the certain ones of the same picture, and the suit to which they lie nearer gains. Before any card
is certain the four suits are told as heaps of like marks, see `vision.heaps`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from vision.heaps import moved_in_heaps
from vision.hypotheses import Hypotheses
from vision.locate import Candidates
from vision.types import SUIT_LABELS, CardRead

FloatArray = NDArray[np.float32]

#: Suits of one colour.
SUIT_PAIRS = (("S", "C"), ("H", "D"))
#: A read this sure is a pattern; so many patterns of a picture make it worth while, so many of a
#: suit speak for it.
_CERTAIN, _LEAST_PATTERNS, _LEAST_OF_SUIT = 0.9, 6, 2
#: An index, or a suit of it, with less chance than that is left alone.
_SOME = 0.05
#: How much of a difference between marks counts, and of what the network read itself; the greatest
#: log odds that marks give. The first two make the chances of doubtful suits of rendered scenes
#: with held-out decks most likely (a grid of 3 x 3); marks of one index are not independent.
_MARKS, _OWN, _MOST = 0.2, 0.75, 10.0

#: Variance of the suits' middles along each mark (10 or 30 make no difference).
_SPREAD = 10.0
#: Least chance of being some card, and how sure a suit is of which there is no doubt.
_LIKELY_CARD, _NO_DOUBT = 0.3, 0.97
_RANKS, _SUITS = 13, 4


def suits_in_heaps(
    marks: FloatArray, hypotheses: Hypotheses, rivals: NDArray[np.bool_]
) -> Hypotheses:
    """The same hypotheses with the suits moved towards those of the symbols they look like.

    Args:
        marks: (n, d) of the candidates, about 1 wide within a suit of one picture.
        hypotheses: what they read as.
        rivals: (n,) which of them are indices of different cards, of which no two can be the same.

    Returns:
        New hypotheses; ranks, and the chance of no suit, stay as they are. Where the picture shows
        too few cards, the same object.
    """
    suits = hypotheses.suit_probs.copy()
    ranks = hypotheses.rank_probs[:, :_RANKS] * rivals[:, None]
    spread = np.full(marks.shape[1], _SPREAD)
    real = hypotheses.probs.sum(axis=1)
    told = moved_in_heaps(marks, spread, suits[:, :_SUITS], others=ranks, real=real)
    if told is None:
        return hypotheses
    suits[:, :_SUITS] = told
    return hypotheses.with_suits(suits)


def doubtful_suits_in_heaps(
    marks_of: Callable[[Candidates], FloatArray], found: Candidates, hypotheses: Hypotheses
) -> Hypotheses:
    """The same as `suits_in_heaps` for cards that lie about, where some suit of them is in doubt.

    Each shows an index in two corners or more, so none is taken for another's rival.

    Args:
        marks_of: gives the marks of some candidates; it takes time.
        found: n index candidates.
        hypotheses: what they read as.
    """
    some = np.flatnonzero(hypotheses.probs.sum(axis=1) > _LIKELY_CARD)
    doubt = hypotheses.suit_probs[some].max(axis=1, initial=0.0) < _NO_DOUBT
    if not doubt.any():
        return hypotheses
    told = suits_in_heaps(
        marks_of(found.take(some)), hypotheses.take(some), np.zeros(len(some), bool)
    )
    same = told.suit_probs.argmax(axis=1) == hypotheses.suit_probs[some].argmax(axis=1)
    moved = np.flatnonzero(doubt & (same | _has_company(told)))
    return hypotheses.replaced(some[moved], told.take(moved))


def _has_company(told: Hypotheses) -> NDArray[np.bool_]:
    """(n,) whether the suit of each is that of an index of another rank, too.

    What is half covered looks like no other index of its suit, and all corners of one card may.
    """
    rank, suit = told.rank_probs.argmax(axis=1), told.suit_probs.argmax(axis=1)
    alike = (suit[:, None] == suit[None]) & (rank[:, None] != rank[None])
    return np.asarray(alike.any(axis=1))


def suits_by_likeness(
    marks: FloatArray, found: Candidates, hypotheses: Hypotheses, reads: Iterable[CardRead]
) -> Hypotheses:
    """The same hypotheses with doubtful suits moved towards the symbols that they look like.

    The marks of each suit's symbols are taken for a normal heap of width one about their mean; the
    mean of n patterns is itself off by a heap of width 1/n (linear discriminant analysis).

    Args:
        marks: (n, d) of the candidates.
        found: n index candidates.
        hypotheses: what they read as.
        reads: cards that were made of them.

    Returns:
        New hypotheses; chances of red against black, and of no card, stay as they are.
    """
    patterns = certain_reads(found, hypotheses, reads)
    if len(patterns) < _LEAST_PATTERNS or not marks.shape[1]:
        return hypotheses
    at = np.array(list(patterns), np.intp)
    own = np.array([c.suit for c in patterns.values()])
    suits = hypotheses.suit_probs.copy()
    doubtful = hypotheses.probs.sum(axis=1) > _SOME
    doubtful[at] = False
    for first, second in SUIT_PAIRS:
        a, b = SUIT_LABELS.index(first), SUIT_LABELS.index(second)
        mine, theirs = at[own == first], at[own == second]
        if min(len(mine), len(theirs)) < _LEAST_OF_SUIT:
            continue
        both = suits[:, a] + suits[:, b]
        which = np.flatnonzero(doubtful & (both > _SOME))
        odds = _OWN * np.log(np.maximum(suits[which, a], 1e-7) / np.maximum(suits[which, b], 1e-7))
        nearer = _off(marks[which], marks[theirs]) - _off(marks[which], marks[mine])
        odds += np.clip(_MARKS * nearer / 2, -_MOST, _MOST)
        suits[which, a] = both[which] / (1 + np.exp(-odds))
        suits[which, b] = both[which] - suits[which, a]
    return hypotheses.with_suits(suits)


def _off(marks: FloatArray, patterns: FloatArray) -> FloatArray:
    """(n,) squared distances from the patterns' mean, in widths of where their like may lie."""
    square = ((marks - patterns.mean(axis=0)) ** 2).sum(axis=1)
    return np.asarray(square / (1 + 1 / len(patterns)), np.float32)


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
