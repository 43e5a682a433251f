"""Counts the ways to share out single tiles by joining lists of hands.

With many answers known the lists are short, and joining them is quicker than any sum over all sets
of tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

#: Pairs of partial shares and hands that may be looked at in one step.
_PAIRS = 4_000_000

Masks = npt.NDArray[np.int64]


def join_hands(
    hands: Sequence[npt.NDArray[np.uint8]], missing: npt.NDArray[np.uint8]
) -> int | None:
    """The number of ways to choose disjoint hands that leave an allowed missing tile.

    Args:
        hands: for each place the hands it may hold, shape (hands, tiles) of 0 and 1.
        missing: the allowed missing tiles in the same form (one empty row if it is not among them).

    Returns:
        The number, None when too many pairs would have to be looked at.
    """
    width = missing.shape[1]
    # Exact in single precision: at most 24 tiles.
    powers = (1 << np.arange(width)).astype(np.float32)
    *lists, biggest = sorted(((k @ powers).astype(np.int64) for k in hands), key=len)
    everything = (1 << width) - 1
    used, ways = np.zeros(1, np.int64), np.ones(1, np.int64)
    for masks in lists:
        if len(used) * len(masks) > _PAIRS:
            return None
        rows, columns = np.nonzero((used[:, None] & masks[None, :]) == 0)
        used, ways = _merged(used[rows] | masks[columns], ways[rows])
    allowed = np.zeros(everything + 1, np.bool_)
    allowed[biggest] = True
    total = 0
    for tile in (missing @ powers).astype(int).tolist():
        free = (used & tile) == 0
        rest = everything & ~tile & ~used[free]
        total += int(ways[free][allowed[rest]].sum())
    return total


def _merged(masks: Masks, ways: Masks) -> tuple[Masks, Masks]:
    """Equal masks once, with their ways added."""
    kept, inverse = np.unique(masks, return_inverse=True)
    total = np.zeros(len(kept), np.int64)
    np.add.at(total, inverse.reshape(-1), ways)
    return kept, total
