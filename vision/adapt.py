"""What the cards of one picture say of their deck's own symbols.

A classifier draws the line between two symbols where it lies for all decks together: a club of one
maker looks to it half a spade, and then all clubs of that deck do. But a deck shows where *its*
line lies: of two cards of one rank and colour one is the spade and the other the club, however much
alike they look. The middle between the two, over all such pairs of the picture, is the deck's line,
and all chances are moved by it. The same holds for ranks that fonts draw alike (the flat-topped
three and the five), where the two cards of one suit are the pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.types import RANK_LABELS, SUIT_LABELS

FloatArray = NDArray[np.float32]

SUIT_PAIRS = (("S", "C"), ("H", "D"))
RANK_PAIRS = (("3", "5"),)

_PRIOR_PAIRS = 1.5
"""Weight, in pairs, of "the line lies where it lies for all decks"."""

_CLEAR = 0.75
"""Least chance of a pair's shared feature, and of the two classes together."""

_LEAST_GAP, _FULL_GAP = 1.0, 3.0
"""Differences of log odds from which on two cards count as a pair, and count fully."""

_LEAST = 1e-6

#: The grid of :func:`line_of_many`, log odds: places of the line, how far apart the two heaps lie,
#: how wide each is. As trained, a deck's two symbols lie about eight apart.
_LINES = np.arange(-5.0, 5.01, 0.25)
_GAPS = np.array([6.0, 8.0, 10.0])
_WIDTHS = np.array([1.3, 2.0])
_LINE_SD = 2.2
_STRAY = 1e-4
_LEAST_CARDS = 4


def adapt(
    rank_probs: FloatArray,
    suit_probs: FloatArray,
    leaders: Sequence[int],
    apart: NDArray[np.bool_],
    *,
    many: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Chances with the lines between like symbols moved to where this deck has them.

    Args:
        rank_probs: (n, 15) in the order of ``RANK_LABELS``.
        suit_probs: (n, 5) in the order of ``SUIT_LABELS``.
        leaders: one index of each card that seems to be there, m of them.
        apart: (m, m) whether two of them surely belong to different cards.
        many: the picture shows a long row, so that each symbol is there several times.

    Returns:
        New (n, 15) and (n, 5) chances; rows still sum to 1.
    """
    ranks, suits = rank_probs, suit_probs
    at = np.asarray(leaders, dtype=np.intp)
    where = line_of_many if many else line
    for first, second in SUIT_PAIRS:
        a, b = SUIT_LABELS.index(first), SUIT_LABELS.index(second)
        suits = _moved(suits, a, b, where(suits[at], ranks[at][:, :13], apart, a, b))
    for first, second in RANK_PAIRS:
        a, b = RANK_LABELS.index(first), RANK_LABELS.index(second)
        ranks = _moved(ranks, a, b, where(ranks[at], suits[at][:, :4], apart, a, b))
    return ranks, suits


def line(probs: FloatArray, shared: FloatArray, apart: NDArray[np.bool_], a: int, b: int) -> float:
    """Where a deck's line between classes ``a`` and ``b`` lies, in log odds of ``b`` against ``a``.

    Args:
        probs: (n, classes) chances of the two classes and others, a row a card.
        shared: (n, features) chances of what the two cards of a pair have in common.
        apart: (n, n) which rows surely are different cards.
        a: one class.
        b: the other.

    Returns:
        The mean of the pairs' middles, drawn towards 0 where there are few pairs.
    """
    feature = shared.argmax(axis=1)
    of_two = probs[:, a] + probs[:, b] > _CLEAR
    clear = of_two & (shared.max(axis=1, initial=0) > _CLEAR)
    # The surest reads would drag the mean: beyond 1 in 1000 all are alike.
    odds = np.clip(_log_odds(probs, a, b), -7, 7)
    total = weight = 0.0
    for value in np.unique(feature[clear]):
        pair = np.flatnonzero(clear & (feature == value))
        if len(pair) != 2 or not apart[pair[0], pair[1]]:
            continue
        gap = abs(float(odds[pair[1]] - odds[pair[0]]))
        sure = float(np.clip((gap - _LEAST_GAP) / (_FULL_GAP - _LEAST_GAP), 0, 1))
        total += sure * float(odds[pair].mean())
        weight += sure
    return total / (weight + _PRIOR_PAIRS)


def line_of_many(
    probs: FloatArray, shared: FloatArray, apart: NDArray[np.bool_], a: int, b: int
) -> float:
    """The same as :func:`line` from all cards of the two classes, pairs or not.

    The log odds of a deck's two symbols are taken for two normal heaps of one width on both sides
    of the line. Line, gap and width are tried on a grid and weighed by what the cards say: of a
    pair one belongs to each heap, any other card to either. Returns the line's mean.
    """
    feature = shared.argmax(axis=1)
    clear = probs[:, a] + probs[:, b] > _CLEAR
    clear &= shared.max(axis=1, initial=0) > _CLEAR
    if clear.sum() < _LEAST_CARDS:
        return 0.0
    odds = np.clip(_log_odds(probs, a, b), -9, 9)[:, None]
    at, gap, width = (axis.ravel() for axis in np.meshgrid(_LINES, _GAPS, _WIDTHS))
    low, high = (
        np.exp(-0.5 * ((odds - (at + side * gap / 2)) / width) ** 2) / width + _STRAY
        for side in (-1, 1)
    )
    total = -0.5 * (at / _LINE_SD) ** 2
    for value in np.unique(feature[clear]):
        same = np.flatnonzero(clear & (feature == value))
        if len(same) == 2 and apart[same[0], same[1]]:
            one, other = same
            total = total + np.log(low[one] * high[other] + high[one] * low[other])
        else:
            total = total + np.log(low[same] + high[same]).mean(axis=0)
    weight = np.exp(total - total.max())
    return float((weight * at).sum() / weight.sum())


def _log_odds(probs: FloatArray, a: int, b: int) -> FloatArray:
    return np.asarray(
        np.log(np.maximum(probs[:, b], _LEAST)) - np.log(np.maximum(probs[:, a], _LEAST))
    )


def _moved(probs: FloatArray, a: int, b: int, by: float) -> FloatArray:
    out = probs.copy()
    both = probs[:, a] + probs[:, b]
    share = 1 / (1 + np.exp(by - _log_odds(probs, a, b)))
    out[:, a], out[:, b] = both * (1 - share), both * share
    return out
