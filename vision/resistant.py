"""Least squares that a few wrong values do not pull away."""

from __future__ import annotations

import numpy as np

from vision.types import FloatArray


def resistant_fit(
    design: FloatArray, values: FloatArray, *, rounds: int, least: float, power: float
) -> tuple[FloatArray, float]:
    """Linear coefficients by rounds of weighted least squares, and how far off values usually are.

    What is farther off than half of the values weighs less in the next round (iteratively
    reweighted least squares).

    Args:
        design: (n, k), n at least k.
        values: (n,) what ``design`` times the coefficients should be.
        rounds: of fitting.
        least: nothing nearer than that weighs less, in the unit of the values.
        power: how fast weights fall with the distance; 0.5 tends to the least sum of absolute
            differences, 1 lets what is far off hardly count.

    Returns:
        (k,) coefficients, and the median distance, ``least`` at least.
    """
    weight = np.ones(len(values))
    for _ in range(rounds):
        found = np.linalg.lstsq(design * weight[:, None], values * weight, rcond=None)[0]
        off = np.abs(values - design @ found)
        usual = max(float(np.median(off)), least)
        weight = np.minimum(1.0, usual / np.maximum(off, 1e-6)) ** power
    return np.asarray(found), usual
