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
from numpy.typing import NDArray

from vision.indices.hypotheses import Hypotheses, blend, suppress
from vision.indices.locate import Candidates, join_candidates
from vision.types import RANK_LABELS


@dataclass(frozen=True, slots=True)
class Augmentation:
    """One way to look at an index.

    Attributes:
        size: what is taken for its height, as a multiple of what was found.
        stretch: see `vision.indices.classify.cut_patches`.
        weight: its say among others.
    """

    size: float = 1.0
    stretch: float = 1.0
    weight: float = 1.0

    def of(self, found: Candidates) -> Candidates:
        """The poses, as large as this look takes them to be."""
        return replace(found, size=np.asarray(found.size * self.size, np.float32))


PLAIN = (Augmentation(),)

GRID = tuple(
    Augmentation(size, stretch)
    for size in (0.8, 0.9, 1.0, 1.12, 1.25)
    for stretch in (0.55, 0.7, 0.85, 1.0, 1.2, 1.45, 1.75)
)

Read = Callable[[Candidates, float], Hypotheses]
"""Reads poses at a stretch."""

#: Least chance of being some card of what is looked at again in the looks that suit the picture,
#: and least confidence of what is found in a gap.
_PERHAPS, _FOUND = 0.02, 0.2
_ONE_INDEX = 0.6
"""Of poses tried in a gap the best stands for all that are nearer, index heights."""

_TEN, _A_TEN = RANK_LABELS.index("10"), 0.5
#: From how many indices a choice is made, and of how many at most; how sure one must be of them.
_LEAST_LEADERS, _MOST_LEADERS, _SURE = 4, 32, 0.5
#: How much the mean log chance of the best names counts, and how many looks are kept: the rows of a
#: rendered set chose them (10 to 300, 3 to 35; it makes little difference).
_SHARPNESS, _KEPT = 30.0, 8
_LEAST = 1e-3
#: Of one picture of a film so many at most, so that one bad picture does not decide for all.
_MOST_A_PICTURE = 8


class FilmAugmentations:
    """The looks that suit the pictures of one deck from one side, learnt picture by picture."""

    def __init__(self) -> None:
        self._fit = np.zeros(len(GRID))
        self._count = 0

    def learn(self, read: Read, found: Candidates, first: Hypotheses) -> None:
        """Takes in a picture; does nothing once enough was seen.

        Args:
            read: reads poses of the picture.
            found: its index candidates.
            first: what they read as at first sight.
        """
        most = min(_MOST_A_PICTURE, _MOST_LEADERS - self._count)
        if most > 0:
            fit, count = _fit(read, found, first, most)
            self._fit, self._count = self._fit + fit, self._count + count

    @property
    def looks(self) -> tuple[Augmentation, ...]:
        """With weights that sum to 1; the plain look alone while too little was seen."""
        return _best(self._fit, self._count)


def suited(read: Read, found: Candidates, first: Hypotheses) -> tuple[Augmentation, ...]:
    """The looks that suit a picture, with weights that sum to 1.

    Args:
        read: reads poses of the picture.
        found: its index candidates.
        first: what they read as at first sight.

    Returns:
        The plain look alone where too few indices are sure.
    """
    return _best(*_fit(read, found, first, _MOST_LEADERS))


def _fit(
    read: Read, found: Candidates, first: Hypotheses, most: int
) -> tuple[NDArray[np.float64], int]:
    """How well each look of the grid reads the sure indices, the sum over so many."""
    leaders = spread_out(found, np.flatnonzero(first.score > _SURE), most)
    poses = found.take(leaders)
    if not len(leaders):
        return np.zeros(len(GRID)), 0
    scores = (read(look.of(poses), look.stretch).score for look in GRID)
    return np.array([np.log(np.maximum(s, _LEAST)).sum() for s in scores]), len(leaders)


def spread_out(found: Candidates, which: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """At most so many of these candidates, evenly over the picture's left and right."""
    if len(which) <= most:
        return which
    # Any order would do that does not depend on the reading.
    along = which[np.argsort(found.centre[which, 0], kind="stable")]
    return along[np.linspace(0, len(along) - 1, most).round().astype(int)]


def _best(fit: NDArray[np.float64], count: int) -> tuple[Augmentation, ...]:
    if count < _LEAST_LEADERS:
        return PLAIN
    fit = fit / count
    best = np.argsort(-fit, kind="stable")[:_KEPT]
    weights = np.exp(_SHARPNESS * (fit[best] - fit.max()))
    weights /= weights.sum()
    return tuple(
        replace(GRID[k], weight=float(w)) for k, w in zip(best.tolist(), weights, strict=True)
    )


def read_through(read: Read, looks: Sequence[Augmentation], found: Candidates) -> Hypotheses:
    """What poses read as, all looks together: the geometric mean of their chances, weighted."""
    return blend([read(k.of(found), k.stretch) for k in looks], [k.weight for k in looks])


def look_again(
    read: Read, found: Candidates, hypotheses: Hypotheses, poses: Candidates
) -> tuple[Candidates, Hypotheses]:
    """The candidates in the looks that suit the picture, and others from gaps between cards.

    Args:
        read: reads poses of the picture.
        found: the picture's index candidates.
        hypotheses: what they read as at first sight.
        poses: where cards seem to be missing.
    """
    looks = suited(read, found, hypotheses)
    hypotheses = _through(read, looks, found, hypotheses)
    if len(poses):
        poses = poses.take(read(poses, 1.0).score > _PERHAPS)
    if not len(poses):
        return found, hypotheses
    more = read_through(read, looks, poses)
    best = suppress(poses, more.score, more.best, near=_ONE_INDEX)
    good = best[more.score[best] > _FOUND]
    found = join_candidates([found, poses.take(good)])
    hypotheses = hypotheses.extended(more.take(good))
    stand = suppress(found, hypotheses.score, hypotheses.best)
    return found.take(stand), hypotheses.take(stand)


def look_as_before(
    read: Read, found: Candidates, hypotheses: Hypotheses, film: FilmAugmentations
) -> Hypotheses:
    """The candidates in the looks that suited the film so far; the film learns from them."""
    film.learn(read, found, hypotheses)
    return _through(read, film.looks, found, hypotheses)


def _through(
    read: Read, looks: Sequence[Augmentation], found: Candidates, hypotheses: Hypotheses
) -> Hypotheses:
    """What may be a card, in some looks; the rest as it was."""
    # A ten is told by poses of its own, see `vision.indices.naming`.
    tens = hypotheses.rank_probs[:, _TEN] > _A_TEN
    some = np.flatnonzero((hypotheses.probs.sum(axis=1) > _PERHAPS) & ~tens)
    if tuple(looks) == PLAIN or not len(some):
        return hypotheses
    return hypotheses.replaced(some, read_through(read, looks, found.take(some)))
