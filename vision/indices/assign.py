"""Each card at most once: what the readings of a whole picture say of each other.

Two cards that both look like the ten of spades cannot both be it, so the less sure of them is
likelier its second-best name. The chances of all readings are multiplied over every way of giving
the groups different cards (a group may also be nothing new), and each group keeps its share: exact
marginals of a partial matching, by dynamic programming over small components.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array

_WORTH = 0.01
_MOST_STATES = 4096

Weights = dict[int, float]
Taken = NDArray[np.bool_]
Counts = NDArray[np.int_]


def marginals(
    posteriors: Float32Array, nothing: NDArray[np.float64], *, worth: float = _WORTH
) -> Float32Array:
    """Chances of the cards given that no card is there twice.

    Args:
        posteriors: (n, cards) chances of each group on its own; rows sum to at most 1.
        nothing: (n,) weight of "this group is no card that was not counted already".
        worth: least chance of a name that competes.

    Returns:
        (n, cards) joint chances. Names below ``worth`` are dropped from the competition and keep
        their own chance where their group competes with no other.
    """
    out = posteriors.copy()
    competes = posteriors > worth
    for members in _components(competes):
        if len(members) > 1:
            out[members] = _component(posteriors[members], competes[members], nothing[members])
    return out


def _components(worth: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Groups that compete for a card, directly or through others."""
    label = np.arange(len(worth))
    for card in np.flatnonzero(worth.sum(axis=0) > 1):
        rivals = np.unique(label[worth[:, card]])
        label[np.isin(label, rivals)] = rivals[0]
    return [np.flatnonzero(label == value) for value in np.unique(label)]


def _component(
    posteriors: Float32Array, worth: NDArray[np.bool_], nothing: NDArray[np.float64]
) -> Float32Array:
    """Marginals within one component, forward and backward over the groups one by one.

    A state is the set of those taken cards that a later group may still want, so states stay few
    where each group competes with a few others only.
    """
    order = _order(worth)
    last = {int(card): n for n, g in enumerate(order) for card in np.flatnonzero(worth[g])}
    choices = [
        [(0, float(nothing[g]))]
        + [(1 << int(c), float(posteriors[g, c])) for c in np.flatnonzero(worth[g])]
        for g in order
    ]
    wanted = [sum(1 << c for c, end in last.items() if end > n) for n in range(len(order))]
    forward = _forward(choices, wanted)
    out = np.zeros_like(posteriors)
    after: Weights = dict.fromkeys(forward[-1], 1.0)
    for n in range(len(order) - 1, -1, -1):
        shares = [0.0] * len(choices[n])
        before: Weights = {}
        for taken, weight in forward[n].items():
            total = 0.0
            for k, (bit, chance) in enumerate(choices[n]):
                if not taken & bit:
                    rest = chance * after.get((taken | bit) & wanted[n], 0.0)
                    shares[k] += weight * rest
                    total += rest
            before[taken] = total
        top = max(before.values(), default=0.0) or 1.0
        after = {taken: rest / top for taken, rest in before.items()}
        whole = sum(shares)
        if whole <= 0:
            out[order[n]] = posteriors[order[n]]
            continue
        for (bit, _), share in zip(choices[n][1:], shares[1:], strict=True):
            out[order[n], bit.bit_length() - 1] = share / whole
    return out


def _order(worth: NDArray[np.bool_]) -> list[int]:
    """The groups in an order that keeps few cards open between those done and those to come."""
    waiting = list(range(len(worth)))
    done = np.zeros(worth.shape[1], bool)
    order: list[int] = []
    while waiting:
        wanted = worth[waiting].sum(axis=0)

        def opened(g: int, done: Taken = done, wanted: Counts = wanted) -> tuple[int, int]:
            mine = worth[g]
            closed = int((mine & (wanted == 1)).sum())
            return int((mine & ~done).sum()) - closed, -int((mine & done).sum())

        best = min(waiting, key=opened)
        waiting.remove(best)
        order.append(best)
        done = done | worth[best]
    return order


def _forward(
    choices: Sequence[Sequence[tuple[int, float]]], wanted: Sequence[int]
) -> list[Weights]:
    """Total weight of each set of taken cards, of those still wanted, after 0, 1, … groups."""
    states: Weights = {0: 1.0}
    steps = [states]
    for options, keep in zip(choices, wanted, strict=True):
        following: dict[int, float] = defaultdict(float)
        for taken, weight in states.items():
            for bit, chance in options:
                if not taken & bit:
                    following[(taken | bit) & keep] += weight * chance
        if len(following) > _MOST_STATES:  # a muddle: the likeliest states say what there is to say
            best = sorted(following.items(), key=lambda item: -item[1])[:_MOST_STATES]
            following = defaultdict(float, best)
        top = max(following.values(), default=1.0) or 1.0
        states = {taken: weight / top for taken, weight in following.items()}
        steps.append(states)
    return steps
