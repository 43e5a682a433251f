"""Ranks told by their like: what one deck's indices say of each other.

A seven of a narrow font may look to the classifier like an ace. But the picture shows both, in one
font, one light and one blur: the sevens look like each other, and none of them like the aces. So
the marks of all indices of a row (`vision.classify.Classifier.rank_marks`) are taken for heaps, one
a rank, all equally wide, whose middles are not known and lie about the picture's own mean. Each
index belongs to a rank as likely as the classifier and the other members of that heap say; the
heaps move with their members until they agree.

Of a deck's cards none is there twice. Two spades that both read as a six are a six and something
else: the one among the other sixes stays, and the one that looks like none of them starts or joins
the heap of its next likely rank, and draws its like after it.

This is probabilistic linear discriminant analysis (S. Ioffe, 2006) inside expectation
maximisation; the classifier's chances are the prior that names the heaps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.assign import softly_once
from vision.hypotheses import Hypotheses

FloatArray = NDArray[np.float32]
Floats = NDArray[np.floating]

_RANKS, _SUITS = 13, 4
#: Least chance of being some card; fewest such candidates that are worth comparing.
_SOME, _FEWEST = 0.3, 8
#: How much the classifier's own log odds count, and those of marks, which are not independent of
#: them nor of each other.
_OWN, _MARKS = 0.7, 0.25
_ROUNDS = 6
_LEAST = 1e-4
#: Bounds of how much wider the heaps of a picture are than those of clear indices (variance).
_WIDEST = 6.0
_PEOPLED = 0.5
#: Weight of "no card that is not counted already"; least of an index's chances that must be left,
#: once each card is there but once, for them to count.
_NOTHING, _LEFT = 0.01, 0.05

Once = Callable[[Floats], Floats]


def ranks_by_likeness(
    marks: FloatArray, spread: FloatArray, hypotheses: Hypotheses, rivals: NDArray[np.bool_]
) -> Hypotheses:
    """The same hypotheses with the ranks moved towards those of the indices they look like.

    Args:
        marks: (n, d) rank marks of the candidates, about 1 wide within a rank of one picture.
        spread: (d,) variance of the ranks' middles along each.
        hypotheses: what they read as.
        rivals: (n,) which of them are indices of different cards, of which no two can be the same.

    Returns:
        New hypotheses; suits, and the chances of a joker and of no card, stay as they are. Where
        the picture shows too few cards, the same object.
    """
    real = hypotheses.probs.sum(axis=1)
    use = np.flatnonzero(real > _SOME)
    if len(use) < _FEWEST or not marks.shape[1]:
        return hypotheses
    ranks = hypotheses.rank_probs.copy()
    some_rank = ranks[use, :_RANKS].sum(axis=1, keepdims=True)
    own = ranks[use, :_RANKS] / np.maximum(some_rank, 1e-6)
    among = np.flatnonzero(rivals[use])
    suits = hypotheses.suit_probs[use[among], :_SUITS]
    weight = real[use[among], None, None]

    def once(chances: Floats) -> Floats:
        """Chances of the ranks, given that each card is there once."""
        cards = (chances[among, :, None] * suits[:, None] * weight).reshape(-1, _RANKS * _SUITS)
        share = softly_once(cards, _NOTHING + 1 - cards.sum(axis=1))
        share = share.reshape(len(among), _RANKS, _SUITS).sum(axis=2)
        left = share.sum(axis=1, keepdims=True)
        good = left[:, 0] > _LEFT
        out = chances.copy()
        out[among[good]] = (share / np.maximum(left, 1e-9))[good]
        return out

    ranks[use, :_RANKS] = some_rank * heaps(marks[use], spread, own, real[use], once=once)
    return hypotheses.with_ranks(ranks)


def heaps(
    marks: Floats, spread: Floats, own: Floats, real: Floats, *, once: Once | None = None
) -> FloatArray:
    """Chances of belonging to each of some heaps.

    Args:
        marks: (n, d).
        spread: (d,) variance of the heaps' middles about the mean of all.
        own: (n, heaps) what each is on its own; rows sum to 1.
        real: (n,) how much each counts, 0 to 1.
        once: what chances (n, heaps) become for other reasons, in every round.

    Returns:
        (n, heaps); rows sum to 1.
    """
    prior = np.maximum(own, _LEAST)
    prior = np.log(prior / prior.sum(axis=1, keepdims=True))
    weight = real.astype(np.float64)[:, None]
    chances = np.exp(prior)
    chances = chances if once is None else once(chances)
    share = chances * weight
    middle = (weight * marks).sum(axis=0) / weight.sum()
    width = 1.0
    for _ in range(_ROUNDS):
        # What the others of each heap say of one index: it never speaks for itself.
        number = (share.sum(axis=0)[None] - share)[:, :, None]
        total = (share.T @ marks)[None] - share[:, :, None] * marks[:, None]
        sureness = number / width + 1 / spread
        expected = (total / width + middle / spread) / sureness
        variance = width + 1 / sureness
        fit = (marks[:, None] - expected) ** 2 / variance + np.log(variance)
        odds = _OWN * prior - _MARKS * fit.sum(axis=2) / 2
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances = chances if once is None else once(chances)
        share = chances * weight
        means = (share.T @ marks) / np.maximum(share.sum(axis=0), 1e-6)[:, None]
        off = ((marks[:, None] - means[None]) ** 2).mean(axis=2)
        free = float(weight.sum()) - int((share.sum(axis=0) > _PEOPLED).sum())
        width = float(np.clip((share * off).sum() / max(free, 1.0), 1.0, _WIDEST))
    return np.asarray(chances, np.float32)
