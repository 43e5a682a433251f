"""Binomial transforms over the sub-multisets of grouped tiles.

Tiles that no fact distinguishes form a class. A sub-multiset is described by the number of tiles it
takes of each class, and stored at its mixed-radix code. With classes of one tile these are ordinary
subsets, and the transforms are the ordinary zeta transform and its superset twin.

All arithmetic wraps at 2**64, which is exact for results below 2**63 however large the alternating
terms in between.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

#: Object arrays (exact Python integers) are allowed where 64 bits would not do.
Array = npt.NDArray[Any]


def mixed_strides(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """What one more tile of each class adds to a mixed-radix code; the last class has stride 1."""
    found, stride = [], 1
    for size in reversed(sizes):
        found.append(stride)
        stride *= size + 1
    return tuple(reversed(found))


def sums_below(values: Array, sizes: tuple[int, ...]) -> Array:
    """For each multiset x the sum over t ≤ x of C(x, t)·values[t].

    Args:
        values: flat array by code; changed in place.
        sizes: how many tiles each class has; the last class has stride 1.
    """
    outer, inner = 1, values.size
    for size in sizes:
        inner //= size + 1
        view = values.reshape(outer, size + 1, inner)
        # Pascal's rule, size times: after pass r the first r entries are final.
        for done in range(1, size + 1):
            for at in range(size, done - 1, -1):
                view[:, at] += view[:, at - 1]
        outer *= size + 1
    return values


def sums_above(values: Array, sizes: tuple[int, ...]) -> Array:
    """For each multiset t the sum over x ≥ t of C(all − t, x − t)·values[x].

    By `sums_below` from the other end: what is left out takes the place of what is taken.

    Args:
        values: flat array by code; changed in place.
        sizes: how many tiles each class has; the last class has stride 1.
    """
    sums_below(values[::-1], sizes)
    return values


@lru_cache(maxsize=16)
def signs(sizes: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """(−1)^(tiles left out) for each multiset, by code."""
    result: npt.NDArray[np.int64] = np.ones(1, np.int64)
    for size in sizes:
        step = np.where(np.arange(size, -1, -1) % 2, -1, 1).astype(np.int64)
        result = np.multiply.outer(result, step).reshape(-1)
    result.flags.writeable = False
    return result


@lru_cache(maxsize=6)
def multisets(
    sizes: tuple[int, ...], total: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """All multisets of `total` tiles: shape (multisets, classes), how many of each class.

    The second array is the same in floating point, for matrix products.
    """
    rows: npt.NDArray[np.uint8] = np.zeros((1, len(sizes)), np.uint8)
    taken = np.zeros(1, np.int16)
    left = sum(sizes)
    for at, size in enumerate(sizes):
        left -= size
        parts, sums = [], []
        for number in range(size + 1):
            fits = (taken + number <= total) & (taken + number + left >= total)
            part = rows[fits]
            part[:, at] = number
            parts.append(part)
            sums.append(taken[fits] + np.int16(number))
        rows, taken = np.concatenate(parts), np.concatenate(sums)
    floats = rows.astype(np.float32)
    rows.flags.writeable = floats.flags.writeable = False
    return rows, floats
