"""Heaps of like indices: what the marks of one picture's indices say of each other.

The marks of all indices of a row (`vision.classify.Classifier.marks`) are taken for heaps, one a
rank or one a suit, all equally wide, whose middles are not known and lie about the picture's own
mean. Each index belongs to a heap as likely as the classifier and the other members of that heap
say; the heaps move with their members until they agree.

Of a deck's cards none is there twice. Two spades that both read as a six are a six and something
else: the one among the other sixes stays, and the one that looks like none of them starts or joins
the heap of its next likely rank, and draws its like after it. Where heaps have settled, it is tried
whether half of one is better off as its next likely rank: all fives of a font may read as sixes.

This is probabilistic linear discriminant analysis (S. Ioffe, 2006), with heavy tails (P. Kenny,
2010), inside expectation maximisation; the classifier's chances are the prior that names the heaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.assign import softly_once

FloatArray = NDArray[np.float32]
Floats = NDArray[np.floating]
Places = NDArray[np.intp]

#: How much the classifier's own log odds count, and those of marks, which are not independent of
#: them nor of each other.
_OWN, _MARKS = 0.7, 0.25
#: Degrees of freedom of the marks about the middle of their heap (Student's t).
_TAIL = 10.0
_ROUNDS = 6
_LEAST = 1e-4
#: Bounds of how wide the heaps of a picture are beside those of clear indices (variance): one blur
#: and one light make them narrower, noise wider.
_NARROWEST, _WIDEST = 0.7, 6.0
_PEOPLED = 0.5
#: Weight of "no card that is not counted already"; least of an index's chances that must be left,
#: once each card is there but once, for them to count; what each card costs that is there twice.
_NOTHING, _LEFT, _TWICE = 0.01, 0.05, 3.0
#: How often a heap may be parted, how many ways are tried each time, to how many other ranks; the
#: least that the log odds of all must gain.
_PARTINGS, _TRIES, _NEXT_RANKS, _WORTH_PARTING = 8, 6, 2, 0.5
_HALVINGS = 5
#: Least chance of being some card; fewest such candidates that are worth comparing.
_SOME, _FEWEST = 0.3, 8


def moved_in_heaps(
    marks: FloatArray, spread: Floats, chances: FloatArray, *, others: Floats, real: FloatArray
) -> FloatArray | None:
    """Chances of a picture's candidates moved towards those of the indices they look like.

    Args:
        marks: (n, d) of the candidates, about 1 wide within a heap of one picture.
        spread: see `heaps`.
        chances: (n, heaps) of the heaps; rows may sum to less than 1 and keep their sums.
        others: see `heaps`.
        real: (n,) chance of being some card.

    Returns:
        New chances; None where the picture shows too few cards.
    """
    use = np.flatnonzero(real > _SOME)
    if len(use) < _FEWEST or not marks.shape[1]:
        return None
    out = chances.copy()
    some = chances[use].sum(axis=1, keepdims=True)
    own = chances[use] / np.maximum(some, 1e-6)
    out[use] = some * heaps(marks[use], spread, own, real[use], others=others[use])
    return out


def heaps(
    marks: Floats, spread: Floats, own: Floats, real: Floats, *, others: Floats | None = None
) -> FloatArray:
    """Chances of belonging to each of some heaps.

    Args:
        marks: (n, d).
        spread: (d,) variance of the heaps' middles about the mean of all.
        own: (n, heaps) what each is on its own; rows sum to 1.
        real: (n,) how much each counts, 0 to 1.
        others: (n, others) chances of what makes a card of a heap: its suits where heaps are ranks.
            No card is there twice; rows of zeros are of what may be. None stands for zeros.

    Returns:
        (n, heaps); rows sum to 1.
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
    """The indices of a picture; see `heaps`.

    Attributes:
        marks: (n, d).
        spread: (d,).
        prior: (n, heaps) logarithms of what each is on its own.
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
        """The chances once heaps and members agree, from some to begin with, and the log odds."""
        share = self._once(chances) * self.weight
        width, worth = 1.0, 0.0
        for _ in range(_ROUNDS):
            odds = _OWN * self.prior - _MARKS * self._misfit(share, width) / 2
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
        """(n, heaps): how far off each lies from what the others of each heap say.

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
        """Variance of the members about the middles of their heaps."""
        means = (share.T @ self.marks) / np.maximum(share.sum(axis=0), 1e-6)[:, None]
        off = ((self.marks[:, None] - means[None]) ** 2).mean(axis=2)
        free = float(self.weight.sum()) - int((share.sum(axis=0) > _PEOPLED).sum())
        return float(np.clip((share * off).sum() / max(free, 1.0), _NARROWEST, _WIDEST))

    def _cards(self, chances: Floats) -> tuple[Places, Floats]:
        """Which indices are rivals, and (rivals, heaps, others) their chances of each card."""
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
        """Halves of heaps and a next likely rank for each, the most promising first."""
        ways = sorted(self._halves(chances.argmax(axis=1)), key=lambda way: -way[0])
        return [(half, rank) for _, half, rank in ways]

    def _halves(self, heap_of: Places) -> Iterator[tuple[float, Places, int]]:
        for heap in range(self.prior.shape[1]):
            members = np.flatnonzero((heap_of == heap) & (self.weight[:, 0] > _PEOPLED))
            first = _halved(self.marks[members])
            if first.all() or not first.any():
                continue
            middles = [self.marks[members[part]].mean(axis=0) for part in (first, ~first)]
            apart = float(((middles[0] - middles[1]) ** 2).sum())
            gain = _MARKS / 2 * apart * min(int(first.sum()), int((~first).sum()))
            for half in (members[first], members[~first]):
                log_odds = self.prior[half].sum(axis=0)
                ranks = [int(r) for r in np.argsort(-log_odds, kind="stable") if r != heap]
                for rank in ranks[:_NEXT_RANKS]:
                    yield gain - _OWN * float(log_odds[heap] - log_odds[rank]), half, rank


def _halved(marks: Floats) -> NDArray[np.bool_]:
    """Which of some indices are of the first of two heaps (2-means from the two furthest apart)."""
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
