"""A second look at the indices of a picture, once the first one has told what deck lies there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.gaps import poses_in_gaps
from vision.hypotheses import Hypotheses, suppress
from vision.locate import Candidates, join_candidates
from vision.looks import PLAIN, Look, LooksOfFilm, Read, read_through, suited
from vision.types import RANK_LABELS, CardRead

#: Least chance of being some card of what is looked at again in the looks that suit the picture,
#: least confidence of a card whose place tells of gaps, and of what is found in one.
_PERHAPS, _PLACED, _FOUND = 0.02, 0.9, 0.2
_ONE_INDEX = 0.6
"""Of poses tried in a gap the best stands for all that are nearer, index heights."""

_TEN, _A_TEN = RANK_LABELS.index("10"), 0.5


def look_again(
    read: Read,
    size: tuple[int, int],
    found: Candidates,
    hypotheses: Hypotheses,
    cards: Sequence[CardRead],
) -> tuple[Candidates, Hypotheses]:
    """The candidates in the looks that suit the picture, and others from gaps between cards.

    Args:
        read: reads poses of the picture.
        size: the picture's width and height.
        found: its index candidates.
        hypotheses: what they read as at first sight.
        cards: what they make together, for the places where cards are missing.
    """
    looks = suited(read, found, hypotheses)
    hypotheses = _through(read, looks, found, hypotheses)
    poses = poses_in_gaps(cards, sure=_PLACED, size=size)
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
    read: Read, found: Candidates, hypotheses: Hypotheses, film: LooksOfFilm
) -> Hypotheses:
    """The candidates in the looks that suited the film so far; the film learns from them."""
    film.learn(read, found, hypotheses)
    return _through(read, film.looks, found, hypotheses)


def _through(
    read: Read, looks: Sequence[Look], found: Candidates, hypotheses: Hypotheses
) -> Hypotheses:
    """What may be a card, in some looks; the rest as it was."""
    # A ten is told by poses of its own, see `vision.find.Finder`.
    tens = hypotheses.rank_probs[:, _TEN] > _A_TEN
    some = np.flatnonzero((hypotheses.probs.sum(axis=1) > _PERHAPS) & ~tens)
    if tuple(looks) == PLAIN or not len(some):
        return hypotheses
    return hypotheses.replaced(some, read_through(read, looks, found.take(some)))
