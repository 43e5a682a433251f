"""Ways to look at the indices of one picture: as wider or narrower letters, larger or smaller.

A classifier knows the proportions of the letters it has met, and a deck's own may lie beside them:
very wide or narrow letters, a tiny suit under a large rank, a camera held low. But a picture shows
one deck from one side, so what helps one index helps them all. Those that are sure are looked at in
all ways; each way then speaks about the others as loudly as it read the sure ones well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.hypotheses import Hypotheses, blend
from vision.locate import Candidates


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at an index.

    Attributes:
        size: what is taken for its height, as a multiple of what was found.
        stretch: see `vision.classify.cut_patches`.
        weight: its say among others.
    """

    size: float = 1.0
    stretch: float = 1.0
    weight: float = 1.0

    def of(self, found: Candidates) -> Candidates:
        """The poses, as large as this look takes them to be."""
        return replace(found, size=np.asarray(found.size * self.size, np.float32))


PLAIN = (Look(),)

GRID = tuple(
    Look(size, stretch)
    for size in (0.8, 0.9, 1.0, 1.12, 1.25)
    for stretch in (0.55, 0.7, 0.85, 1.0, 1.2, 1.45, 1.75)
)

Read = Callable[[Candidates, float], Hypotheses]
"""Reads poses at a stretch."""

#: From how many indices a choice is made, and of how many at most; how sure one must be of them.
_LEAST_LEADERS, _MOST_LEADERS, _SURE = 4, 32, 0.5
#: How much the mean log chance of the best names counts, and how many looks are kept: the rows of a
#: rendered set chose them (10 to 300, 3 to 35; it makes little difference).
_SHARPNESS, _KEPT = 30.0, 8
_LEAST = 1e-3


def suited(read: Read, found: Candidates, first: Hypotheses) -> tuple[Look, ...]:
    """The looks that suit a picture, with weights that sum to 1.

    Args:
        read: reads poses of the picture.
        found: its index candidates.
        first: what they read as at first sight.

    Returns:
        The plain look alone where too few indices are sure.
    """
    leaders = np.flatnonzero(first.score > _SURE)
    if len(leaders) < _LEAST_LEADERS:
        return PLAIN
    if len(leaders) > _MOST_LEADERS:
        # Evenly over the picture's left and right; any order that does not depend on the reading.
        along = leaders[np.argsort(found.centre[leaders, 0], kind="stable")]
        leaders = along[np.linspace(0, len(along) - 1, _MOST_LEADERS).round().astype(int)]
    poses = found.take(leaders)
    fit = np.array(
        [np.log(np.maximum(read(k.of(poses), k.stretch).score, _LEAST)).mean() for k in GRID]
    )
    best = np.argsort(-fit, kind="stable")[:_KEPT]
    weights = np.exp(_SHARPNESS * (fit[best] - fit.max()))
    weights /= weights.sum()
    return tuple(
        replace(GRID[k], weight=float(w)) for k, w in zip(best.tolist(), weights, strict=True)
    )


def read_through(read: Read, looks: Sequence[Look], found: Candidates) -> Hypotheses:
    """What poses read as, all looks together: the geometric mean of their chances, weighted."""
    return blend([read(k.of(found), k.stretch) for k in looks], [k.weight for k in looks])
