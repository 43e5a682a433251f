"""Ranks told by their like: what one deck's indices say of each other.

A seven of a narrow font may look to the classifier like an ace. But the picture shows both, in one
font, one light and one blur: the sevens look like each other, and none of them like the aces. So
ranks are told as heaps of like marks, see `vision.heaps`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.heaps import moved_in_heaps
from vision.hypotheses import Hypotheses

FloatArray = NDArray[np.float32]

_RANKS, _SUITS = 13, 4


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
    ranks = hypotheses.rank_probs.copy()
    suits = hypotheses.suit_probs[:, :_SUITS] * rivals[:, None]
    real = hypotheses.probs.sum(axis=1)
    told = moved_in_heaps(marks, spread, ranks[:, :_RANKS], others=suits, real=real)
    if told is None:
        return hypotheses
    ranks[:, :_RANKS] = told
    return hypotheses.with_ranks(ranks)
