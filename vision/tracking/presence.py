"""What has become of cards that were not read in a frame, and what lies upon what on a table.

Of some reads it turns out here that they are but parts of one thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.arrays import FloatArray
from vision.geometry import Plane
from vision.tracking import patches
from vision.tracking.camera_shift import CameraShift
from vision.tracking.patches import Patch, There
from vision.tracking.places import BoolArray
from vision.tracking.table_place import TrackedPlace, overlap
from vision.tracking.thumbnails import Grey
from vision.types import IndexRead, Reading

#: Without a picture to compare, a card is gone when it was not read for so long, in seconds.
_UNSEEN = 2.5
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


@dataclass(frozen=True, slots=True)
class Glance:
    """One look at a table.

    Attributes:
        reading: what was read.
        grey: the frame's thumbnail, None where there is none.
        t: the time in seconds.
        camera: the way from the frame to the picture of the set-up.
        plane: the table, where it is known.
        size_mm: width and height of a card.
        at_rest: whether nothing moves.
    """

    reading: Reading
    grey: Grey | None
    t: float
    camera: CameraShift
    plane: Plane | None
    size_mm: tuple[float, float]
    at_rest: bool

    @property
    def share(self) -> float:
        """Pixels of the thumbnail for a pixel of the frame."""
        return self.grey.shape[1] / self.reading.size[0] if self.grey is not None else 1.0

    def outline(self, quad: FloatArray) -> FloatArray:
        """A place of the picture of the set-up in the thumbnail."""
        return self.camera.in_frame(quad) * self.share


def look_at(places: Sequence[TrackedPlace], look: Glance) -> bool:
    """Notes at each place what lies there.

    Returns:
        Whether a card that was not read is seen to lie there still.
    """
    found = False
    for place in places:
        if place.quad is None and place.reported is not None:
            place.quad = place.guessed_outline(look.size_mm, look.plane)
        now = None
        if look.grey is not None and place.quad is not None and place.hits >= 2:
            if place.last == look.t and look.at_rest:
                place.find_edges(look.grey, look.share, look.camera)
            now = patches.patch(look.grey, look.outline(place.seen_quad))
        if place.last == look.t:
            place.keep_look(now, look.share, look.camera, at_rest=look.at_rest)
        elif place.reported is not None and not place.face_down:
            there = _there(place, now, places, look)
            if there is There.SAME:
                place.last, found = look.t, True
            place.suspect(there, look.t)
            if there in (There.OTHER, There.COVERED) and _shows_a_face(place):
                place.empty_frames += _is_empty(place, now, places, look)
    return found


def _shows_a_face(place: TrackedPlace) -> bool:
    """Whether what was told of it is one face of a piece that has two, such as a coin."""
    return place.reported is not None and not place.reported.is_known


def _is_empty(
    place: TrackedPlace,
    now: Patch | None,
    places: Sequence[TrackedPlace],
    look: Glance,
) -> bool:
    """Whether no piece was seen at a place in this frame, not even doubtfully, nor a hand near it.

    A coin that is turned over is read by its other face at once. Where neither is, none lies there,
    though a thumbnail does not know the table beneath: of a patterned one in a moving shadow, or of
    one that showed another coin before.
    """
    if place.quad is None or place.look is None or now is None:
        return False
    if not patches.is_untouched(now, place.look):
        return False
    seen = [p.quad for p in places if p is not place and p.last == look.t and p.quad is not None]
    return not any(overlap(place.seen_quad, quad) > 0.3 for quad in seen)


def _there(
    place: TrackedPlace,
    now: Patch | None,
    places: Sequence[TrackedPlace],
    look: Glance,
) -> There:
    """What lies where a card was not read."""
    quad = place.seen_quad if place.quad is not None else None
    if look.grey is None or quad is None or (now is not None and place.look is None):
        others = [p for p in places if p.is_visible and p is not place]
        in_view = not others or any(p.last == look.t for p in others)
        return There.BARE if in_view and look.t - place.last > _UNSEEN else There.COVERED
    if now is None or place.look is None:
        return There.COVERED  # it lies beyond the edge of this picture
    there = patches.compare(now, place.look, place.ground)
    if there is There.OTHER and _shows_a_face(place) and patches.shows_table(now):
        # A coin has no back: one that is turned over shows a rim and another face. What the table
        # looked like beneath is not to be relied on where one coin follows another.
        return There.BARE
    is_beside = (
        there is There.OTHER
        and not patches.is_plainly_other(now, place.look)
        and patches.lies_near(look.grey, look.outline(quad), place.look)
    )
    return There.COVERED if is_beside else there


# -- what lies upon what ---------------------------------------------------------------------


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
