"""One place of a table on which a card lies, with all that was seen of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import Card, Change, Spot
from vision.arrays import FloatArray
from vision.geometry import CARD_MM, INDEX_MM, LEAD_MM, Plane, rectangle
from vision.tracking.camera_shift import CameraShift
from vision.tracking.patches import Patch, There, compare, patch, snapped
from vision.tracking.places import SAME_SPOT, CardPlace, gap_of
from vision.tracking.thumbnails import Grey
from vision.types import NO_PROBS, CardRead, IndexRead

#: How likely a card that lies elsewhere is read here all the same, against one that does not.
_TAKEN = 0.3
#: A read this far from where the card lay, in index heights, says that it has moved.
_SHIFTED = 0.3
#: So often the sides of a card are looked for.
_TRIES = 3
#: An index so near to where a card's outline puts that of its other corner is that one, in index
#: heights.
_FAR_CORNER = 0.5


class TrackedPlace(CardPlace):
    """A spot of a whole table; coordinates are pixels of the picture of the set-up.

    Args:
        evidence: (n,) log evidence for each card of the deck, changed in place.
        poses: its indices.
        t: time of the first frame that showed it.
        ground: thumbnail of the table at rest before it came.
    """

    def __init__(
        self, evidence: FloatArray, poses: list[IndexRead], t: float, ground: Grey | None
    ) -> None:
        super().__init__(evidence, poses, t)
        self.last_same = self.still_since = self.changed_at = t
        self.is_echo = False
        self.was: Card | None = None
        self.upon: tuple[Card, float] | None = None
        self.told_chance = 0.0
        self.bare_frames = self.empty_frames = 0
        self.zone = ""
        self.change = Change.LAID
        self.quad: FloatArray | None = None
        self.outlines = 0
        self._edges: FloatArray | None = None
        self._outline: FloatArray | None = None
        self._outlined_at = t
        self.looks_changed = False
        self._clear, self._tries, self._is_exact = 0.0, 0, False
        self.look: Patch | None = None
        self.ground: Patch | None = None
        self._ground_picture = ground
        self.face_down = self.was_face_down = False
        self.covered: TrackedPlace | None = None
        self.there = There.SAME
        self.doubt_frames, self.doubted_since = 0, t
        self.blurred_frames = 0

    # -- seeing ------------------------------------------------------------------------------

    def see(self, t: float, read: CardRead, outline: FloatArray | None) -> None:
        """Takes in that it was read in a frame."""
        self.last = t
        self.hits += 1
        self.best_hits += 1
        self.there, self.doubt_frames, self.doubted_since = There.SAME, 0, t
        self.blurred_frames = 0
        if outline is None:
            return
        if read.exact and not self._is_exact:
            # By its sides a card is known better than by any number of its indices.
            self._is_exact, self._edges, self._tries, self.look = True, None, _TRIES, None
            self.quad = outline
        elif self._is_exact and not read.exact:
            pass
        elif self.quad is None or self.outlines == 0:
            self.quad = outline
        else:
            self.quad = self.quad + 0.3 * (_aligned(outline, self.quad) - self.quad)
        self.outlines += 1
        self._outline, self._outlined_at = outline, t

    @property
    def seen_quad(self) -> FloatArray:
        """Its outline, by its sides where they are seen; it must have one."""
        assert self.quad is not None
        return self.quad if self._edges is None else self._edges

    def find_edges(self, grey: Grey, share: float, camera: CameraShift) -> None:
        """Looks for its sides, while it is read and nothing moves; tries a few times only.

        Outlines of single reads may differ a lot where a card has four indices.
        """
        start = self.quad if self._outline is None else self._outline
        if start is None or self._tries >= _TRIES:
            return
        self._tries += 1
        found = snapped(grey, camera.in_frame(start) * share)
        if found is not None and found[1] > self._clear:
            self._edges, self._clear = camera.points(found[0] / share), found[1]
            self.look = None

    def forget_edges(self) -> None:
        """Its sides have to be found anew: it was moved."""
        self._edges, self._clear, self._tries, self._is_exact = None, 0.0, 0, False

    def has_shifted(self, poses: Sequence[IndexRead]) -> bool:
        """Whether it is seen elsewhere than before, though near."""
        gaps = [g for a in self.poses for b in poses if (g := gap_of(a, b)) < SAME_SPOT]
        return bool(gaps) and min(gaps) > _SHIFTED

    def keep_look(
        self, now: Patch | None, share: float, camera: CameraShift, *, at_rest: bool
    ) -> None:
        """Remembers how its place looks while it is read, and looked before it came."""
        self.bare_frames = self.empty_frames = 0
        if now is None or self.quad is None:
            return
        is_known = self._tries >= _TRIES
        if self.ground is None and self._ground_picture is not None and is_known:
            ground = patch(self._ground_picture, camera.in_frame(self.seen_quad) * share)
            # What lay there from the start was there in that picture too: it shows no table.
            lay_there = ground is not None and compare(ground, now, None) is There.SAME
            self.ground = None if lay_there else ground
            self._ground_picture = None
        same = self.look is None or compare(now, self.look, None) is There.SAME
        # What lies upon a part of a card leaves it to be read by an index alone.
        is_whole = self.outlines == 0 or self._outlined_at == self.last
        self.looks_changed = not same and not is_whole
        if same or (at_rest and is_whole):
            self.look = now

    def lies_on(self, ground: Patch) -> None:
        """Takes over how the table looks beneath from what lay at the same place before."""
        self.ground, self._ground_picture = ground, None

    def suspect(self, there: There, t: float) -> None:
        """Notes what lies where it was not read."""
        if there is There.COVERED and self.there is There.OTHER:
            # Noise hides a side of what lies there now and then: so long as it shows more often
            # than not, nothing has come between.
            self.blurred_frames += 1
            if self.blurred_frames <= self.doubt_frames:
                return
        if there is not self.there:
            self.there, self.doubt_frames, self.doubted_since = there, 0, t
            self.blurred_frames = 0
        self.doubt_frames += 1
        if there is There.BARE:
            self.bare_frames += 1
        elif there is There.SAME:
            self.bare_frames = self.empty_frames = 0

    # -- naming ------------------------------------------------------------------------------

    def choose(self, taken: FloatArray, t: float) -> int:
        """As `CardPlace.choose`; a name that a surer place has may be a corner of that card."""
        best = super().choose(taken, t)
        self.is_echo = bool(taken[int(np.argmax(self.evidence))]) and not self.contested
        return best

    def weights(self, taken: FloatArray) -> FloatArray:
        """Weights of the cards where some lie elsewhere.

        That a card lies elsewhere speaks against it here, but two indices of one card may be read
        as two: the rest does not gain all that it loses.
        """
        weights = np.exp(self.evidence)
        return np.asarray(np.where(taken, _TAKEN * weights, weights))

    def renamed(self, best: int, t: float) -> None:
        """Another card has become the likeliest."""
        super().renamed(best, t)
        self.last_same = t

    # -- where it lies -----------------------------------------------------------------------

    @property
    def shows_both_faces(self) -> bool:
        """Whether it is a piece that was turned over here, of which both faces were seen."""
        if self.upon is None or self.reported is None:
            return False
        return (self.upon[0].suit is None) != (self.reported.suit is None)

    @property
    def is_visible(self) -> bool:
        """Whether it is known, face up, and nothing lies upon it."""
        return self.reported is not None and not self.face_down and self.covered is None

    @property
    def is_hidden(self) -> bool:
        """Whether something reaches across it just now."""
        return self.there is There.COVERED and self.doubt_frames > 1

    @property
    def is_resting(self) -> bool:
        """Whether there is nothing to find out about it."""
        if self.reported is None:
            return False
        return self.face_down or self.covered is not None or self.there is There.SAME

    @property
    def centre(self) -> tuple[float, float]:
        """Middle of the card, or of its index where no outline is known."""
        if self.quad is None:
            return self.poses[0].centre
        x, y = self.quad.mean(axis=0)
        return float(x), float(y)

    def spot(
        self, middle: tuple[float, float], size_mm: tuple[float, float], plane: Plane | None
    ) -> Spot | None:
        """Where the card lies.

        Args:
            middle: what it is told from, in pixels of the picture of the set-up.
            size_mm: width and height of a card.
            plane: the table, if it is known.
        """
        quad = self.guessed_outline(size_mm, plane) if self.quad is None else self.quad
        # Plain numbers: every card is asked in each frame, and arrays of four are slow.
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad.tolist()
        area = abs((x2 - x0) * (y3 - y1) - (x3 - x1) * (y2 - y0)) / 2
        tall = math.sqrt(area * size_mm[1] / size_mm[0])
        if tall < 1:
            return None
        across, down = (
            (x1 - x0 + x2 - x3, y1 - y0 + y2 - y3),
            (x2 - x1 + x3 - x0, y2 - y1 + y3 - y0),
        )
        if math.hypot(*down) < math.hypot(*across):
            down = across
        x, y = (x0 + x1 + x2 + x3) / 4 - middle[0], (y0 + y1 + y2 + y3) / 4 - middle[1]
        return Spot(x / tall, y / tall, math.atan2(-down[0], down[1]) % math.pi)

    def guessed_outline(self, size_mm: tuple[float, float], plane: Plane | None) -> FloatArray:
        """Where the card lies by its leading index alone."""
        index = self.poses[0]
        corner = rectangle(size_mm) + np.array(size_mm) / 2 - np.array(LEAD_MM)
        if plane is not None:
            centre, below = plane.to_mm(
                np.array([index.centre, np.add(index.centre, np.multiply(index.direction, 4.0))])
            )
            down = (below - centre) / max(float(np.linalg.norm(below - centre)), 1e-9)
            right = np.array([down[1], -down[0]])
            return plane.to_pixels(centre + corner[:, :1] * right + corner[:, 1:] * down)
        scale = index.size / INDEX_MM
        down = np.array(index.direction)
        right = np.array([down[1], -down[0]])
        return np.array(index.centre) + scale * (corner[:, :1] * right + corner[:, 1:] * down)

    def has_far_corner(self, poses: Sequence[IndexRead], plane: Plane | None) -> bool:
        """Whether indices stand where this card's opposite corner has its own."""
        known = self.quad is not None and self.outlines > 0
        quad = self.quad if known else self.guessed_outline(CARD_MM, plane)
        if quad is None:
            return False
        reach = _FAR_CORNER if known else 2 * _FAR_CORNER
        x, y = 2 * quad.mean(axis=0)
        for own in self.poses:
            (u, v), (right, down) = own.centre, own.direction
            far = replace(own, centre=(float(x) - u, float(y) - v), direction=(-right, -down))
            # A card that was laid upon this one may have one index there, but not all of them.
            if poses and all(gap_of(far, pose) < reach for pose in poses):
                return True
        return False

    def lies_under(self, other: TrackedPlace) -> bool:
        """Whether another place's card would hide this one's index."""
        quad = other.quad
        if quad is None:
            quad = other.guessed_outline(CARD_MM, None)
        if self.quad is not None and overlap(self.quad, quad) > 0.5:
            return True
        contour = quad.astype(np.float32).reshape(-1, 1, 2)
        return any(cv2.pointPolygonTest(contour, p.centre, False) >= 0 for p in self.poses)


def poses_of(read: CardRead) -> tuple[IndexRead, ...]:
    """A read's indices; for a read of a whole quad its middle, which may lie any way round."""
    if not read.is_by_face:
        return read.indices
    quad = np.array(read.quad)
    x, y = quad.mean(axis=0)
    size = float(np.linalg.norm(quad[3] - quad[0])) / 4
    pose = IndexRead((float(x), float(y)), (0.0, 0.0), size, NO_PROBS, NO_PROBS, read.confidence)
    return (pose,)


def outline_of(read: CardRead, camera: CameraShift) -> FloatArray | None:
    """A read's outline in the picture of the set-up, None where only an index is known."""
    if not read.outlined and read.indices:
        return None
    return camera.points(np.array(read.quad))


def overlap(first: FloatArray, second: FloatArray) -> float:
    """Share of the smaller quad that lies in the other, 0 to 1."""
    a, b = (quad.astype(np.float32) for quad in (first, second))
    try:
        common, _ = cv2.intersectConvexConvex(a, b)
    except cv2.error:
        return 0.0
    least = min(abs(cv2.contourArea(a)), abs(cv2.contourArea(b)))
    return float(common) / max(least, 1e-6)


def _aligned(quad: FloatArray, like: FloatArray) -> FloatArray:
    """The quad with its corners counted from the one that fits another quad best."""
    turns = [np.roll(quad, k, axis=0) for k in range(4)]
    return min(turns, key=lambda q: float(np.abs(q - like).sum()))
