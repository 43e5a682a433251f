"""Binomial transforms over the sub-multisets of grouped tiles.

Tiles that no fact distinguishes form a class. A sub-multiset is described by the number of tiles it
takes of each class, and stored at its mixed-radix code. With classes of one tile these are ordinary
subsets, and the transforms are the ordinary zeta transform and its superset twin.

The array is kept as a matrix of slow by fast classes and transposed half-way, so that every pass
runs along contiguous memory. All arithmetic wraps at 2**64, which is exact for results below 2**63
however large the alternating terms in between.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Lattice:
    """Sub-multisets of classes with the given sizes.

    Attributes:
        sizes: how many tiles each class has; the last class has stride 1.
        rows: the number of codes of the slow classes.
        columns: the number of codes of the fast classes.
        split: how many classes are slow.
    """

    sizes: tuple[int, ...]
    rows: int
    columns: int
    split: int

    @property
    def strides(self) -> tuple[int, ...]:
        """What one more tile of each class adds to the code."""
        return mixed_strides(self.sizes)


@lru_cache(maxsize=64)
def lattice(sizes: tuple[int, ...]) -> Lattice:
    """The lattice with its classes split as evenly as possible."""
    total = 1
    for size in sizes:
        total *= size + 1
    rows, split = 1, 0
    while split < len(sizes) and rows * rows < total:
        rows *= sizes[split] + 1
        split += 1
    return Lattice(sizes, rows, total // rows, split)


def _pass(values: Array, sizes: tuple[int, ...], *, up: bool) -> None:
    """Transforms the first axis of a contiguous matrix in place, class by class.

    Args:
        values: shape (product of size + 1, anything).
        sizes: the classes along the first axis.
        up: True sums over sub-multisets, False over super-multisets.
    """
    outer, inner = 1, values.size
    for size in sizes:
        inner //= size + 1
        view = values.reshape(outer, size + 1, inner)
        # Pascal's rule, size times: after pass r the first (or last) r entries are final.
        for done in range(1, size + 1):
            if up:
                for at in range(size, done - 1, -1):
                    view[:, at] += view[:, at - 1]
            else:
                for at in range(size - done + 1):
                    view[:, at] += view[:, at + 1]
        outer *= size + 1


def sums_below(values: Array, grid: Lattice) -> Array:
    """For each multiset x the sum over t ≤ x of C(x, t)·values[t].

    Args:
        values: flat array by code; used up.
        grid: the lattice.

    Returns:
        Matrix of shape (columns, rows): the transposed order that `sums_above` takes.
    """
    matrix = values.reshape(grid.rows, grid.columns)
    _pass(matrix, grid.sizes[: grid.split], up=True)
    turned = np.ascontiguousarray(matrix.T)
    _pass(turned, grid.sizes[grid.split :], up=True)
    return turned


def sums_above(values: Array, grid: Lattice) -> Array:
    """For each multiset t the sum over x ≥ t of C(all − t, x − t)·values[x].

    Args:
        values: matrix of shape (columns, rows), used up.
        grid: the lattice.

    Returns:
        Flat array by code.
    """
    _pass(values, grid.sizes[grid.split :], up=False)
    matrix = np.ascontiguousarray(values.T)
    _pass(matrix, grid.sizes[: grid.split], up=False)
    return matrix.reshape(-1)


@lru_cache(maxsize=16)
def signs(sizes: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """(−1)^(tiles left out) for each multiset, in transposed order (columns, rows)."""
    grid = lattice(sizes)
    parity = [np.ones(1, np.int64), np.ones(1, np.int64)]
    for half, part in enumerate((sizes[: grid.split], sizes[grid.split :])):
        for size in part:
            step = np.where(np.arange(size, -1, -1) % 2, -1, 1).astype(np.int64)
            parity[half] = np.multiply.outer(parity[half], step).reshape(-1)
    result: npt.NDArray[np.int64] = np.multiply.outer(parity[1], parity[0])
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
