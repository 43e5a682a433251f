"""Suits told by their like: the indices of one picture are compared with each other.

The clubs and spades of a deck that the network never saw may look alike to it, as may its hearts
and diamonds. But a picture shows every suit several times, by one printer, in one light and one
blur. So the marks of its symbols (`vision.indices.classify.Named`) are put into four
clusters, one a suit, and a symbol in doubt goes with those that it looks like.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array
from vision.indices.assign import softly_once
from vision.indices.hypotheses import Hypotheses

Floats = NDArray[np.floating]
Places = NDArray[np.intp]

#: How much the classifier's own log odds count, and those of marks, which are not independent of
#: them nor of each other.
_OF_ITSELF, _OF_MARKS = 0.7, 0.25
#: Degrees of freedom of the marks about the middle of their cluster (Student's t).
_TAIL = 10.0
_ROUNDS = 6
_LEAST = 1e-4
#: Bounds of how wide the clusters of a picture are beside those of clear indices (variance): one
#: blur and one light make them narrower, noise wider.
_NARROWEST, _WIDEST = 0.7, 6.0
_PEOPLED = 0.5
#: Weight of "no card that is not counted already"; least of an index's chances that must be left,
#: once each card is there but once, for them to count; what each card costs that is there twice.
_NOTHING, _LEFT, _TWICE = 0.01, 0.05, 3.0
#: How often a cluster may be split, how many ways are tried each time, to how many other ranks;
#: the least that the log odds of all must gain.
_PARTINGS, _TRIES, _NEXT_RANKS, _WORTH_PARTING = 8, 6, 2, 0.5
_HALVINGS = 5
#: Least chance of being some card; fewest such candidates that are worth comparing.
_SOME_CHANCE, _FEWEST = 0.3, 8


def moved_in_clusters(
    marks: Float32Array,
    spread: Floats,
    chances: Float32Array,
    *,
    others: Floats,
    real: Float32Array,
) -> Float32Array | None:
    """Chances of a picture's candidates moved towards those of the indices they look like.

    Args:
        marks: (n, d) of the candidates, about 1 wide within a cluster of one picture.
        spread: see `clusters`.
        chances: (n, clusters) of the clusters; rows may sum to less than 1 and keep their sums.
        others: see `clusters`.
        real: (n,) chance of being some card.

    Returns:
        New chances; None where the picture shows too few cards.
    """
    use = np.flatnonzero(real > _SOME_CHANCE)
    if len(use) < _FEWEST or not marks.shape[1]:
        return None
    out = chances.copy()
    some = chances[use].sum(axis=1, keepdims=True)
    own = chances[use] / np.maximum(some, 1e-6)
    out[use] = some * clusters(marks[use], spread, own, real[use], others=others[use])
    return out


def clusters(
    marks: Floats, spread: Floats, own: Floats, real: Floats, *, others: Floats | None = None
) -> Float32Array:
    """Chances of belonging to each of some clusters.

    Args:
        marks: (n, d).
        spread: (d,) variance of the clusters' middles about the mean of all.
        own: (n, clusters) what each is on its own; rows sum to 1.
        real: (n,) how much each counts, 0 to 1.
        others: (n, others) chances of what makes a card of a cluster: its suits where clusters
            are ranks. No card is there twice; rows of zeros are of what may be. None stands for
            zeros.

    Returns:
        (n, clusters); rows sum to 1.
    """
    others = np.zeros((len(marks), 1)) if others is None else others
    prior = np.maximum(own, _LEAST)
    prior = np.log(prior / prior.sum(axis=1, keepdims=True))
    weight = real.astype(np.float64)[:, None]
    middle = (weight * marks).sum(axis=0) / max(float(weight.sum()), 1e-9)
    every = _Indices(marks, spread, prior, weight, middle, others)
    chances, worth = every.settled(np.exp(prior))
    tried: set[tuple[bytes, int]] = set()
    for _ in range(_PARTINGS):
        ways = [w for w in every.partings(chances) if (w[0].tobytes(), w[1]) not in tried]
        for half, rank in ways[:_TRIES]:
            tried.add((half.tobytes(), rank))
            start = chances.copy()
            start[half] = _LEAST
            start[half, rank] = 1.0
            other, gained = every.settled(start)
            if gained > worth + _WORTH_PARTING:
                chances, worth = other, gained
                break
        else:
            break
    return np.asarray(chances, np.float32)


@dataclass(frozen=True, slots=True)
class _Indices:
    """The indices of a picture; see `clusters`.

    Attributes:
        marks: (n, d).
        spread: (d,).
        prior: (n, clusters) logarithms of what each is on its own.
        weight: (n, 1) how much each counts.
        middle: (d,) mean of all.
        others: (n, others).
    """

    marks: Floats
    spread: Floats
    prior: Floats
    weight: Floats
    middle: Floats
    others: Floats

    def settled(self, chances: Floats) -> tuple[Floats, float]:
        """The chances once clusters and members agree, from some on, and the log odds."""
        share = self._once(chances) * self.weight
        width, worth = 1.0, 0.0
        for _ in range(_ROUNDS):
            odds = _OF_ITSELF * self.prior - _OF_MARKS * self._misfit(share, width) / 2
            top = odds.max(axis=1, keepdims=True)
            free = np.exp(odds - top)
            total = free.sum(axis=1, keepdims=True)
            free = free / total
            worth = float((self.weight * (np.log(total) + top)).sum()) - _TWICE * self._twice(free)
            chances = self._once(free)
            share = chances * self.weight
            width = self._width(share)
        return chances, worth

    def _misfit(self, share: Floats, width: float) -> Floats:
        """(n, clusters): how far off each lies from what the others of each cluster say.

        It never speaks for itself.
        """
        number = (share.sum(axis=0)[None] - share)[:, :, None]
        total = (share.T @ self.marks)[None] - share[:, :, None] * self.marks[:, None]
        sureness = number / width + 1 / self.spread
        expected = (total / width + self.middle / self.spread) / sureness
        variance = width + 1 / sureness
        off = ((self.marks[:, None] - expected) ** 2 / variance).sum(axis=2)
        # Heavy tails: an index that fits nowhere, burnt out say, would fit best where nobody is.
        off = (_TAIL + self.marks.shape[1]) * np.log1p(off / _TAIL)
        return np.asarray(off + np.log(variance).sum(axis=2))

    def _width(self, share: Floats) -> float:
        """Variance of the members about the middles of their clusters."""
        means = (share.T @ self.marks) / np.maximum(share.sum(axis=0), 1e-6)[:, None]
        off = ((self.marks[:, None] - means[None]) ** 2).mean(axis=2)
        free = float(self.weight.sum()) - int((share.sum(axis=0) > _PEOPLED).sum())
        return float(np.clip((share * off).sum() / max(free, 1.0), _NARROWEST, _WIDEST))

    def _cards(self, chances: Floats) -> tuple[Places, Floats]:
        """Which indices are rivals, and (rivals, clusters, others) their chances of each card."""
        among = np.flatnonzero(self.others.any(axis=1))
        cards = chances[among, :, None] * self.others[among, None] * self.weight[among, :, None]
        return among, cards

    def _once(self, chances: Floats) -> Floats:
        """The chances, given that each card is there once."""
        among, cards = self._cards(chances)
        flat = cards.reshape(len(among), cards.shape[1] * cards.shape[2])
        share = softly_once(flat, _NOTHING + 1 - flat.sum(axis=1)).reshape(cards.shape).sum(axis=2)
        left = share.sum(axis=1, keepdims=True)
        good = left[:, 0] > _LEFT
        out = np.array(chances)
        out[among[good]] = (share / np.maximum(left, 1e-9))[good]
        return out

    def _twice(self, chances: Floats) -> float:
        """How many cards are there more than once."""
        return float(np.maximum(0.0, self._cards(chances)[1].sum(axis=0) - 1).sum())

    def partings(self, chances: Floats) -> list[tuple[Places, int]]:
        """Halves of clusters and a next likely rank for each, the most promising first."""
        ways = sorted(self._halves(chances.argmax(axis=1)), key=lambda way: -way[0])
        return [(half, rank) for _, half, rank in ways]

    def _halves(self, cluster_of: Places) -> Iterator[tuple[float, Places, int]]:
        for cluster in range(self.prior.shape[1]):
            members = np.flatnonzero((cluster_of == cluster) & (self.weight[:, 0] > _PEOPLED))
            first = _halved(self.marks[members])
            if first.all() or not first.any():
                continue
            middles = [self.marks[members[part]].mean(axis=0) for part in (first, ~first)]
            apart = float(((middles[0] - middles[1]) ** 2).sum())
            gain = _OF_MARKS / 2 * apart * min(int(first.sum()), int((~first).sum()))
            for half in (members[first], members[~first]):
                log_odds = self.prior[half].sum(axis=0)
                ranks = [int(r) for r in np.argsort(-log_odds, kind="stable") if r != cluster]
                for rank in ranks[:_NEXT_RANKS]:
                    yield gain - _OF_ITSELF * float(log_odds[cluster] - log_odds[rank]), half, rank


def _halved(marks: Floats) -> NDArray[np.bool_]:
    """Which indices are of the first of two clusters (2-means from the two furthest apart)."""
    if len(marks) < 2:
        return np.ones(len(marks), bool)
    far = ((marks[:, None] - marks[None]) ** 2).sum(axis=2)
    i, j = divmod(int(far.argmax()), len(marks))
    first = np.asarray(far[i] < far[j])
    for _ in range(_HALVINGS):
        if first.all() or not first.any():
            break
        one, two = (
            ((marks - marks[part].mean(axis=0)) ** 2).sum(axis=1) for part in (first, ~first)
        )
        first = np.asarray(one < two)
    return first


#: Variance of the suits' middles along each mark (10 or 30 make no difference).
_SPREAD = 10.0
#: Least chance of being some card, and how sure a suit is of which there is no doubt.
_LIKELY_CARD, _NO_DOUBT = 0.3, 0.97
_RANKS, _SUITS = 13, 4


def suits_by_cluster(
    marks: Float32Array, hypotheses: Hypotheses, rivals: NDArray[np.bool_]
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
    told = moved_in_clusters(marks, spread, suits[:, :_SUITS], others=ranks, real=real)
    if told is None:
        return hypotheses
    suits[:, :_SUITS] = told
    return hypotheses.with_suits(suits)


def doubtful_suits_by_cluster(marks: Float32Array, hypotheses: Hypotheses) -> Hypotheses:
    """The same as `suits_by_cluster` for cards that lie about, where some suit of them is in doubt.

    Each shows an index in two corners or more, so none is taken for another's rival.

    Args:
        marks: (n, d) of the candidates.
        hypotheses: what they read as.
    """
    some = np.flatnonzero(hypotheses.probs.sum(axis=1) > _LIKELY_CARD)
    doubt = hypotheses.suit_probs[some].max(axis=1, initial=0.0) < _NO_DOUBT
    if not doubt.any():
        return hypotheses
    told = suits_by_cluster(marks[some], hypotheses.take(some), np.zeros(len(some), bool))
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
