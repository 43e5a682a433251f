"""Which indices of a finished photograph still show enough contrast to be read by anybody.

Light, lens and sensor can wipe an index out: burnt out, lost in the dark, drowned in noise. What no
person could name must neither be taught as a name nor be counted as a miss.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture

Labels = npt.NDArray[np.float32]

LEAST_CONTRAST = 20.0
"""Least difference of ink and paper in the clearest colour channel, grey levels of 255."""

LEAST_TO_NOISE = 2.5
"""Least ratio of that difference to the standard deviation of the noise."""

LOST_RANK, LOST_SUIT = 0.4, 0.2
"""What the visible fraction of an illegible rank or suit falls to: nothing is asked of it."""

# Boxes of rank and suit in the pose's frame, in index heights: across, then along from the middle.
_ACROSS = np.linspace(-0.22, 0.22, 9)
_RANK = np.linspace(-0.5, 0.04, 13)
_SUIT = np.linspace(0.12, 0.5, 10)


def noise_of(clean: Picture, final: Picture) -> float:
    """Standard deviation of what the sensor added, grey levels (a robust estimate)."""
    step = np.s_[::7, ::7]
    error = final[step].astype(np.float32) - clean[step].astype(np.float32)
    return float(1.4826 * np.median(np.abs(error - np.median(error))))


def _contrast(clean: Picture, row: Labels, along: npt.NDArray[np.float64]) -> float:
    cx, cy, dx, dy, size = (float(v) for v in row[:5])
    u, v = np.meshgrid(_ACROSS * size, along * size)
    xs = (cx + dx * v + dy * u).astype(np.float32)
    ys = (cy + dy * v - dx * u).astype(np.float32)
    seen = cv2.remap(clean, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    low, high = np.percentile(seen.reshape(-1, 3), (6, 94), axis=0)
    return float((high - low).max())


def mark_illegible(labels: Labels, clean: Picture, final: Picture) -> Labels:
    """Labels with the visible fractions of illegible ranks and suits cut down.

    Args:
        labels: Rows of :data:`models.synth.scene.INDEX_FIELDS`.
        clean: The picture before noise, BGR.
        final: The picture after it.

    Returns:
        A copy; columns ``rank_visible`` and ``suit_visible`` may have fallen to
        :data:`LOST_RANK` and :data:`LOST_SUIT`.
    """
    out = labels.copy()
    least = max(LEAST_CONTRAST, LEAST_TO_NOISE * noise_of(clean, final))
    for row in out:
        if _contrast(clean, row, _RANK) < least:
            row[7] = min(row[7], LOST_RANK)
        if _contrast(clean, row, _SUIT) < least:
            row[8] = min(row[8], LOST_SUIT)
    return out
