"""What lies upon what on a table, and which reads are but parts of one thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vision.geometry import Plane
from vision.tracking.places import BoolArray
from vision.tracking.table_place import TrackedPlace, overlap
from vision.types import IndexRead

#: Less sure than that, something upon a card may be but the pattern of a back.
_SOMETHING = 0.3
#: Two things of which so much overlaps lie at the same place.
_SAME_PLACE = 0.7
#: The same of coins: they slip when they are turned over, and the squares about them may lie askew.
_SAME_SPOT = 0.5
#: A coin that is taken is often seen gone in one frame only, before the next one comes; or in two
#: frames no coin is read there, though the table does not look as it did.
_BARE_COIN, _EMPTY_COIN = 1, 2
#: Where the table was seen bare in so many frames before, what lay there was taken away, and what
#: lies there now is another thing.
_BARE_FRAMES = 3
#: Turning a piece over takes no longer than so many seconds.
_IN_ONE_GO = 2.5


def far_corner_of(
    places: Iterable[TrackedPlace], poses: Sequence[IndexRead], plane: Plane | None, t: float
) -> TrackedPlace | None:
    """The card, read just now by another name, of which indices are but the other corner."""
    return next((p for p in places if p.last == t and _has_far_corner(p, poses, plane)), None)


def without_far_corners(
    places: Iterable[TrackedPlace], plane: Plane | None, t: float
) -> list[TrackedPlace]:
    """Places without those that turn out to be the other corner of a card that was there before."""
    every = list(places)
    now = [p for p in every if p.last == t]
    return [
        p
        for p in every
        if p.last != t
        or p.reported is not None
        or not any(q.first < p.first and _has_far_corner(q, p.poses, plane) for q in now)
    ]


def _has_far_corner(place: TrackedPlace, poses: Sequence[IndexRead], plane: Plane | None) -> bool:
    """Whether indices are the other corner of a card that looks as it did by itself."""
    return not place.looks_changed and place.has_far_corner(poses, plane)


def is_echo(place: TrackedPlace, places: Iterable[TrackedPlace]) -> bool:
    """Whether it is another corner of a card that lies there, peeping out or misread."""
    if not place.is_echo:
        return False
    top = int(np.argmax(place.evidence))
    reach = 8.0 * place.poses[0].size
    return any(
        p.best == top and p is not place and np.hypot(*np.subtract(p.centre, place.centre)) < reach
        for p in places
    )


def is_overlapped(place: TrackedPlace, places: Iterable[TrackedPlace]) -> bool:
    """Whether something newer lies upon it, named or not yet."""
    return any(
        p is not place
        and p.first > place.last_same
        and p.confidence > _SOMETHING
        and place.lies_under(p)
        for p in places
    )


def cover(new: TrackedPlace, places: Iterable[TrackedPlace], single: BoolArray) -> None:
    """Marks the cards that a new one lies upon, and that are not read any more, as beneath it.

    Args:
        new: the place of the new card.
        places: every place.
        single: (n,) which cards of the deck show one face only; coins show another when turned.
    """
    for place in places:
        if place is new or place.reported is None or place.last >= new.first:
            continue
        if not place.lies_under(new):
            continue
        place.covered = new
        known = place.quad is not None and new.quad is not None
        least = _SAME_PLACE if single[new.best] else _SAME_SPOT
        whole = known and overlap(place.seen_quad, new.seen_quad) > least
        soon = new.first - place.last < _IN_ONE_GO
        new.upon = None
        if not (whole and soon) or _was_away(place, single=single[new.best]):
            continue
        # Of a coin both sides of which were seen, no third one can be.
        if not place.shows_both_faces:
            new.upon = (place.reported, place.told_chance)
        if place.ground is not None:
            new.lies_on(place.ground)


def _was_away(place: TrackedPlace, *, single: bool) -> bool:
    """Whether the table was seen where it lay, before something else lies there."""
    if single:
        return place.bare_frames >= _BARE_FRAMES
    return place.bare_frames >= _BARE_COIN or place.empty_frames >= _EMPTY_COIN
