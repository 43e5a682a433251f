"""What several hands can hold, as the rows of an array that is sorted by how many cards it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Rows:
    """What hands of some sizes can hold, sorted by how many cards they hold together.

    Attributes:
        first: shape (sum of sizes + 2,): for each total number of cards, where its rows begin.
        together: how many they hold in each row.
        held: for each hand, how many cards it holds in each row.
        fewer: for each hand, the row in which it holds one card less; one past the end if it
            holds none.
        more: the same for one card more, and where it is complete.
    """

    first: tuple[int, ...]
    together: Indices
    held: tuple[Indices, ...]
    fewer: tuple[Indices, ...]
    more: tuple[Indices, ...]


@lru_cache(maxsize=8)
def rows_of(sizes: tuple[int, ...]) -> Rows:
    """The rows of hands of these sizes."""
    shape = tuple(size + 1 for size in sizes)
    count = prod(shape)
    digits = np.indices(shape).reshape(len(shape), count)
    sums = digits.sum(axis=0)
    order = np.argsort(sums, kind="stable")
    place = np.empty(count, np.intp)
    place[order] = np.arange(count)
    first = np.searchsorted(sums[order], np.arange(sum(sizes) + 2))
    held, fewer, more = [], [], []
    stride = count
    for hand, size in enumerate(sizes):
        stride //= size + 1
        digit = digits[hand][order]
        held.append(digit)
        fewer.append(np.where(digit > 0, place[np.maximum(order - stride, 0)], count))
        more.append(np.where(digit < size, place[np.minimum(order + stride, count - 1)], count))
    return Rows(tuple(first.tolist()), sums[order], tuple(held), tuple(fewer), tuple(more))


def shift(values: Array, gained: Array, *, rising: bool) -> None:
    """Fills rows with what lies one column before (or after) in those of other values.

    All rows are moved at once: what runs over into the next row is cleared.
    """
    if rising:
        gained.reshape(-1)[1:] = values.reshape(-1)[:-1]
        gained[:, 0] = 0
    else:
        gained.reshape(-1)[:-1] = values.reshape(-1)[1:]
        gained[:, -1] = 0
