"""Ranks told by their like: what one deck's indices say of each other.

A seven of a narrow font may look to the classifier like an ace. But the picture shows both, in one
font, one light and one blur: the sevens look like each other, and none of them like the aces. So
the marks of all indices of a row (`vision.classify.Classifier.rank_marks`) are taken for heaps, one
a rank, all equally wide, whose middles are not known and lie about the picture's own mean. Each
index belongs to a rank as likely as the classifier and the other members of that heap say; the
heaps move with their members until they agree.

This is probabilistic linear discriminant analysis (S. Ioffe, 2006) inside expectation
maximisation; the classifier's chances are the prior that names the heaps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.hypotheses import Hypotheses

FloatArray = NDArray[np.float32]
Floats = NDArray[np.floating]

_RANKS = 13
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


def ranks_by_likeness(marks: FloatArray, spread: FloatArray, hypotheses: Hypotheses) -> Hypotheses:
    """The same hypotheses with the ranks moved towards those of the indices they look like.

    Args:
        marks: (n, d) rank marks of the candidates, about 1 wide within a rank of one picture.
        spread: (d,) variance of the ranks' middles along each.
        hypotheses: what they read as.

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
    ranks[use, :_RANKS] = some_rank * heaps(marks[use], spread, own, real[use])
    return hypotheses.with_ranks(ranks)


def heaps(marks: Floats, spread: Floats, own: Floats, real: Floats) -> FloatArray:
    """Chances of belonging to each of some heaps.

    Args:
        marks: (n, d).
        spread: (d,) variance of the heaps' middles about the mean of all.
        own: (n, heaps) what each is on its own; rows sum to 1.
        real: (n,) how much each counts, 0 to 1.

    Returns:
        (n, heaps); rows sum to 1.
    """
    prior = np.maximum(own, _LEAST)
    prior = np.log(prior / prior.sum(axis=1, keepdims=True))
    weight = real.astype(np.float64)[:, None]
    share = np.exp(prior) * weight
    middle = (weight * marks).sum(axis=0) / weight.sum()
    width = 1.0
    chances = share
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
        share = chances * weight
        means = (share.T @ marks) / np.maximum(share.sum(axis=0), 1e-6)[:, None]
        off = ((marks[:, None] - means[None]) ** 2).mean(axis=2)
        free = float(weight.sum()) - int((share.sum(axis=0) > _PEOPLED).sum())
        width = float(np.clip((share * off).sum() / max(free, 1.0), 1.0, _WIDEST))
    return np.asarray(chances, np.float32)
