"""Each card at most once: what the readings of a whole picture say of each other.

Two cards that both look like the ten of spades cannot both be it, so the less sure of them is
likelier its second-best name. The chances of all readings are multiplied over every way of giving
the groups different cards (a group may also be nothing new), and each group keeps its share: exact
marginals of a partial matching, by dynamic programming over small components.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

_WORTH = 0.01
_MOST_STATES = 4096

Weights = dict[int, float]


def marginals(posteriors: FloatArray, nothing: NDArray[np.float64]) -> FloatArray:
    """Chances of the cards given that no card is there twice.

    Args:
        posteriors: (n, cards) chances of each group on its own; rows sum to at most 1.
        nothing: (n,) weight of "this group is no card that was not counted already".

    Returns:
        (n, cards) joint chances. Names below 1 % are dropped from the competition and keep their
        own chance where their group competes with no other.
    """
    out = posteriors.copy()
    worth = posteriors > _WORTH
    for members in _components(worth):
        if len(members) > 1:
            out[members] = _component(posteriors[members], worth[members], nothing[members])
    return out


def _components(worth: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Groups that compete for a card, directly or through others."""
    label = np.arange(len(worth))
    for card in np.flatnonzero(worth.sum(axis=0) > 1):
        rivals = np.unique(label[worth[:, card]])
        label[np.isin(label, rivals)] = rivals[0]
    return [np.flatnonzero(label == value) for value in np.unique(label)]


def _component(
    posteriors: FloatArray, worth: NDArray[np.bool_], nothing: NDArray[np.float64]
) -> FloatArray:
    """Marginals within one component by forward and backward sums over sets of taken cards."""
    cards = np.flatnonzero(worth.any(axis=0))
    options = [
        [(0, float(null))] + [(1 << k, float(row[c])) for k, c in enumerate(cards) if allowed[c]]
        for row, allowed, null in zip(posteriors, worth, nothing, strict=True)
    ]
    forward = _sweep(options)
    backward = _sweep(options[::-1])[::-1]
    out = np.zeros_like(posteriors)
    for n, choices in enumerate(options):
        shares = []
        for bit, weight in choices:
            rest = _disjoint(forward[n], backward[n + 1], bit)
            shares.append(weight * rest)
        total = sum(shares)
        if total <= 0:
            out[n] = posteriors[n]
            continue
        for (bit, _), share in zip(choices[1:], shares[1:], strict=True):
            out[n, cards[bit.bit_length() - 1]] = share / total
    return out


def _sweep(options: list[list[tuple[int, float]]]) -> list[Weights]:
    """Total weight of each set of taken cards after 0, 1, … groups."""
    states: Weights = {0: 1.0}
    steps = [states]
    for choices in options:
        following: dict[int, float] = defaultdict(float)
        for taken, weight in states.items():
            for bit, chance in choices:
                if not taken & bit:
                    following[taken | bit] += weight * chance
        if len(following) > _MOST_STATES:  # a muddle: the likeliest states say what there is to say
            best = sorted(following.items(), key=lambda item: -item[1])[:_MOST_STATES]
            following = defaultdict(float, best)
        top = max(following.values(), default=1.0) or 1.0
        states = {taken: weight / top for taken, weight in following.items()}
        steps.append(states)
    return steps


def _disjoint(left: Weights, right: Weights, bit: int) -> float:
    """Weight of all pairs of sets that share no card and leave ``bit`` free."""
    free_left = [(a, w) for a, w in left.items() if not a & bit]
    free_right = [(b, w) for b, w in right.items() if not b & bit]
    if len(free_left) * len(free_right) > _MOST_STATES:
        free_left = sorted(free_left, key=lambda item: -item[1])[:64]
        free_right = sorted(free_right, key=lambda item: -item[1])[:64]
    return sum(v * w for a, v in free_left for b, w in free_right if not a & b)
