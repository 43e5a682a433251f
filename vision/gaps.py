"""Where a card of a row may lie that was not found: poses between its neighbours and at its ends.

A row's step is even, and its indices are of one size and stand one way. Where two neighbours lie
further apart, something lies between them that the locator missed, or of which it took the size or
the place wrongly; there the picture is looked at closely, pose by pose. So it is where the next
card would stand at either end of a line: nothing tells of one that is missing there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.anchors import leading_indices
from vision.locate import Candidates
from vision.rows import reading_lines
from vision.types import CardRead

#: Steps between neighbours, in usual ones, from which on and up to which a gap is looked into, and
#: how near to a neighbour's index the search goes.
_LEAST, _MOST, _MARGIN = 1.3, 6.5, 0.45
#: Sure cards of a line that its usual step is told from.
_FEWEST = 3
#: Beyond the ends of a line it is looked so far: usual steps.
_NEXT = (0.45, 1.6)
#: From pose to pose, and how far off the line between the neighbours, index heights.
_STEP, _OFF = 0.1, (-0.3, -0.15, 0.0, 0.15, 0.3)
#: So many poses are looked at, at most: in a muddle of lines every other distance is a gap.
_MOST_POSES = 2000
_HEAT = 0.5


def poses_in_gaps(reads: Sequence[CardRead], *, sure: float, size: tuple[int, int]) -> Candidates:
    """Poses to look at in the gaps of the lines that some reads make.

    Args:
        reads: cards of a row.
        sure: least confidence of a card whose place counts.
        size: width and height of the picture, pixels.

    Returns:
        At most 2000 poses with the size and the direction of the neighbours, in no order.
    """
    known = [read for read in reads if read.confidence >= sure]
    poses = np.zeros((0, 4))
    if known:
        anchors = leading_indices(known)
        for line in reading_lines(known):
            upright = [k for k in line if not anchors.flipped[k]]
            gaps = _in_line(anchors.at[upright], anchors.down[upright])
            poses = np.concatenate([poses, *gaps])
    inside = ((poses[:, :2] >= 0) & (poses[:, :2] < size)).all(axis=1)
    some = poses[inside].astype(np.float32)
    some = some[:: -(-len(some) // _MOST_POSES) or 1]
    height = np.maximum(np.linalg.norm(some[:, 2:], axis=1), 1e-3).astype(np.float32)
    return Candidates(
        some[:, :2],
        some[:, 2:] / height[:, None],
        height,
        np.full(len(some), _HEAT, np.float32),
    )


def _in_line(at: NDArray[np.floating], down: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    """Poses (x, y, and the vector down the index) in the gaps of one line."""
    if len(at) < _FEWEST:
        return []
    heights = np.linalg.norm(down, axis=1)
    steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
    steps = steps / np.maximum((heights[1:] + heights[:-1]) / 2, 1e-6)
    usual = float(np.median(steps))
    out = [*_beyond(at, down, usual), *_beyond(at[::-1], down[::-1], usual)]
    for (i, j), step in zip(pairwise(range(len(at))), steps.tolist(), strict=True):
        if not _LEAST * usual < step < _MOST * usual:
            continue
        part = np.arange(_MARGIN * usual, step - _MARGIN * usual, _STEP)[:, None] / step
        centre = at[i] + part * (at[j] - at[i])
        way = down[i] + part * (down[j] - down[i])
        out += [np.hstack([centre + off * way, way]) for off in _OFF]
    return out


def _beyond(
    at: NDArray[np.floating], down: NDArray[np.floating], usual: float
) -> list[NDArray[np.floating]]:
    """Poses where the next card of a line would stand, beyond the last one.

    The line goes on as it goes between the last two, by about the usual step.
    """
    height, last = float(np.linalg.norm(down[-1])), at[-1] - at[-2]
    length = float(np.linalg.norm(last))
    if length < 1e-6:
        return []
    steps = np.arange(_NEXT[0] * usual, _NEXT[1] * usual, _STEP)[:, None] * height
    centre = at[-1] + steps * last / length
    return [
        np.hstack([centre + off * down[-1], np.tile(down[-1], (len(centre), 1))]) for off in _OFF
    ]
