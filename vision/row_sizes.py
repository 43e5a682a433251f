"""How large the indices of a row look: one deck prints them alike, and lays them on one table.

What differs is how near they lie, and that changes evenly over the picture. A pip, a figure or a
printed thing beside the cards that passes for an index is of a size of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.resistant import resistant_fit

#: Likely indices from which on their sizes say how large the others are.
_FEW = 8
_ROUNDS = 8
#: Least spread of sizes, as a logarithm, and how much wider it is taken than it was found.
_LEAST_SPREAD, _WIDER = 0.05, 1.5
#: Share of indices whose size is far off all the same (bent rows, letters half washed out), and the
#: spread of the sizes of anything.
_STRAYS, _ANY_SIZE = 0.01, 0.5


def odds_of_sizes(
    centre: NDArray[np.float32], size: NDArray[np.float32], likely: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """How the odds of being an index of the row change for what is known of its size.

    The logarithm of the size is a plane over the picture, fitted to the likely indices with the
    least sum of absolute differences.

    Args:
        centre: (n, 2) middles, pixels.
        size: (n,) heights, pixels.
        likely: (n,) which of them are probably indices; doubtful ones are among them, since what
            makes them doubtful, such as glare, changes their size as well.

    Returns:
        (n,) factors from 0 to 1: 1 for usual sizes, which plenty of other things have as well.
    """
    if int(likely.sum()) < _FEW:
        return np.ones(len(size))
    at = centre.astype(np.float64)
    spread = max(float(np.ptp(at[likely], axis=0).max()), 1.0)
    plane = np.column_stack([np.ones(len(at)), (at - at[likely].mean(axis=0)) / spread])
    height = np.log(np.maximum(size.astype(np.float64), 1e-6))
    found, usual = resistant_fit(
        plane[likely], height[likely], rounds=_ROUNDS, least=1e-3, power=0.5
    )
    off = np.abs(height - plane @ found)
    sigma = _WIDER * max(1.48 * usual, _LEAST_SPREAD)
    anything = _density(off, _ANY_SIZE)
    own = (1 - _STRAYS) * _density(off, sigma) + _STRAYS * anything
    return np.asarray(np.minimum(1.0, own / anything))


def _density(off: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    return np.asarray(np.exp(-0.5 * (off / sigma) ** 2) / sigma)
