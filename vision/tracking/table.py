"""Everything that lies on a table: cards laid, moved, turned over, removed, in which zone.

Places are kept in the picture in which the table was set up, so a nudged camera changes nothing
but the way there. Every place collects votes for each card of the deck; a card is reported once it
stayed the best of its place for a while, and it is gone only when its place is seen to be bare.
Pure bookkeeping: no threads, no clock of its own. Any recogniser that names quads will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from companion.cards import Change, Spot
from companion.decks import Deck
from vision.geometry import Plane, fit_plane
from vision.rows.votes import add_vote, log_chances
from vision.tracking import thumbnails
from vision.tracking.camera_shift import CameraShift, Known, pairs_of
from vision.tracking.patches import There
from vision.tracking.places import (
    HIDDEN,
    LEAST_SUPPORT,
    matched,
    merged,
    name_together,
    remembered,
    without_echoes,
)
from vision.tracking.presence import (
    Glance,
    cover,
    far_corner_of,
    is_echo,
    is_overlapped,
    look_at,
    without_far_corners,
)
from vision.tracking.status import Notice, NoticeKind, TableStatus
from vision.tracking.table_place import TrackedPlace, outline_of, poses_of
from vision.tracking.thumbnails import Grey
from vision.tracking.zones import Zones
from vision.types import CardRead, IndexRead, Reading, Sighting

#: Seconds without a read after which another name at a place is another card laid upon it.
INTERRUPTED = 0.25
#: Seconds after which a place that nobody could name for sure is put to the people.
ASK_AFTER = 1.5
_GONE_FRAMES, _GONE_AFTER = 4, 0.8
_LOST = 3.0
#: Least chance of a name that is worth a question.
_LEAST = 0.15
#: A name so sure needs no more looks.
_SURE = 0.975
#: So many seconds it counts what lay there before: a piece is turned over in one go.
_JUST = 3.0


class TableTracker:
    """Follows what lies on a table through the readings of successive frames.

    Args:
        deck: what can lie there, each card as often as the deck has it at most.
        zones: the parts of the table.
        steady: seconds that a card must stay the best of its place, unmoved.
        frames: frames in which it must be read in that time.
        accept: least chance of a card that is reported.
        plane: the table as it was calibrated; None finds it from the cards.
    """

    def __init__(
        self,
        deck: Deck,
        zones: Zones,
        *,
        steady: float = 0.5,
        frames: int = 4,
        accept: float = 0.9,
        plane: Plane | None = None,
    ) -> None:
        self._deck, self._zones = deck, zones
        self._cards = deck.cards
        self._number = {card: k for k, card in enumerate(deck.cards)}
        # Of pieces that show one face at a time, such as coins, several may show the same one.
        self._single = np.array([card.is_known for card in deck.cards])
        self._unique = self._single & (deck.copies == 1)
        self._steady, self._frames, self._accept = steady, frames, accept
        self.plane = plane
        self._is_given = plane is not None
        self.camera = CameraShift()
        self._places: list[TrackedPlace] = []
        self._size = (1, 1)
        self._now = self._last_read = self._last_look = 0.0
        self._moved_at = self._swung_at = -1e9
        self._seen = 1.0
        self._blocks: Grey | None = None
        self._quiet: tuple[float, Grey] | None = None

    # -- what is asked of it -----------------------------------------------------------------

    def update(
        self, reading: Reading | None, t: float, grey: Grey | None = None
    ) -> tuple[Sighting, ...]:
        """Takes in one frame.

        Args:
            reading: what was read from it; None where nothing had changed and it was not read.
            t: its time in seconds; must not run backwards.
            grey: its thumbnail (`vision.tracking.thumbnails`); without one, cards that are not read
                are only known to be gone after a while.

        Returns:
            What has become certain with this frame.
        """
        self._now = t
        self._watch_motion(grey, t)
        if reading is None:
            return ()
        self._last_look = t
        self._size = reading.size
        every = without_echoes((*reading.cards, *reading.doubtful))
        reads = [r for r in every if r.card in self._number]
        self._follow_camera(reads, grey, t)
        self._vote(reads, t)
        at_rest = t - self._moved_at > 0.3
        look = Glance(reading, grey, t, self.camera, self.plane, self._deck.size_mm, at_rest)
        if look_at(self._places, look):
            self._last_read = t
        self._places = remembered(self._places, t, frames=self._frames, seen=self._seen)
        name_together(self._places, self._unique, t)
        news = [*self._moves(t), *self._report(t, grey), *self._departures(t)]
        self._measure_plane()
        return tuple(news)

    @property
    def needs_look(self) -> bool:
        """Whether frames must be read although nothing changes: something is not settled."""
        return self._now - self._last_look > 2.0 or self.is_unsettled

    @property
    def is_unsettled(self) -> bool:
        """Whether something that lies there is still being made out."""
        patience = 3 * ASK_AFTER
        return any(
            (not p.is_resting and self._now - max(p.first, p.doubted_since) < patience)
            or (self._is_renamed(p) and self._now - p.best_since < patience)
            # A name that is not quite sure yet is worth a few more looks.
            or (p.is_visible and p.confidence < _SURE and self._now - p.first < patience)
            for p in self._places
        )

    @property
    def lying(self) -> tuple[Sighting, ...]:
        """Every card that lies on the table, the earliest first; doubtful ones unsettled."""
        found = []
        for place in sorted(self._places, key=lambda p: p.first):
            if place.face_down or place.covered is not None or place.best < 0:
                continue
            if place.reported is not None or self._is_doubtful(place):
                found.append(self._sighting(place, place.change))
        return tuple(found)

    @property
    def turned(self) -> tuple[Sighting, ...]:
        """Cards that were turned over where they lay."""
        return tuple(
            self._sighting(p, Change.TURNED_OVER)
            for p in self._places
            if p.face_down and p.covered is None
        )

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is doubtful or seen twice now."""
        found = []
        for k, place in enumerate(self._places):
            if place.contested and place.hits >= self._frames and self._is_old(place):
                top = self._cards[int(np.argmax(place.evidence))]
                others = [j for j, p in enumerate(self._places) if p.reported is top and j != k]
                centre = place.poses[0].centre
                found.append(Notice(NoticeKind.SEEN_TWICE, top, (*others, k), centre))
            elif self._is_doubtful(place):
                centre = place.poses[0].centre
                found.append(Notice(NoticeKind.DOUBTFUL, self._cards[place.best], (k,), centre))
        return tuple(found)

    @property
    def status(self) -> TableStatus:
        """How the view of the table is just now."""
        known = [p for p in self._places if p.is_visible]
        if self._now - self._swung_at < 0.4:
            return TableStatus.MOVING
        if known and self._now - self._last_read > _LOST and self._seen < 0.3:
            return TableStatus.LOST
        if known and (self._seen < HIDDEN or any(p.is_hidden for p in known)):
            return TableStatus.HAND
        if self._now - self._moved_at < 0.35:
            return TableStatus.HAND if known and self._seen < 0.8 else TableStatus.MOVING
        if any(p.reported is None and self._now - p.last < 0.3 for p in self._places):
            return TableStatus.MOVING
        return TableStatus.STEADY if self._places else TableStatus.WATCHING

    # -- one frame ---------------------------------------------------------------------------

    def _watch_motion(self, grey: Grey | None, t: float) -> None:
        """Keeps a picture of the table at rest: the ground that new cards will lie on."""
        if grey is None:
            return
        before, self._blocks = self._blocks, thumbnails.blocks(grey)
        if (
            before is not None
            and before.shape == self._blocks.shape
            and thumbnails.changed_share(before, self._blocks) > 0.004
        ):
            self._moved_at = t
        if t - self._moved_at > 0.3 and (self._quiet is None or t - self._quiet[0] > 0.5):
            self._quiet = (t, grey)
            self.camera.keep_picture(grey)

    def _follow_camera(self, reads: Sequence[CardRead], grey: Grey | None, t: float) -> None:
        at = {p.best: (k, p) for k, p in enumerate(self._places) if p.is_visible}
        known: list[Known] = []
        for read in reads:
            number = self._number[read.card]
            found = at.get(number)
            if found is not None and self._unique[number]:
                known += pairs_of(poses_of(read), found[1].poses, found[0])
        if self.camera.follow(known, grey, self._size[0]):
            self._swung_at = t

    def _vote(self, reads: Sequence[CardRead], t: float) -> None:
        """Gives each read's evidence to the place it lies at, or to a new one."""
        poses = [tuple(self.camera.pose(p) for p in poses_of(read)) for read in reads]
        places = self._match(reads, poses, t)
        # What lies at a known place comes first, then what is surest.
        for k in sorted(range(len(reads)), key=lambda k: (k not in places, -reads[k].confidence)):
            read, place = reads[k], places.get(k)
            host = far_corner_of(self._places, poses[k], self.plane, t) if place is None else None
            if host is not None:
                if host.reported is None:
                    # Not told yet: both corners have their say about its name.
                    add_vote(host.evidence, log_chances(read, self._number))
                continue
            if place is None:
                ground = self._quiet[1] if self._quiet is not None else None
                place = TrackedPlace(np.zeros(len(self._cards)), list(poses[k]), t, ground)
                self._places.append(place)
            elif place.has_shifted(poses[k]):
                place.still_since = t
                place.forget_edges()
            vote = log_chances(read, self._number)
            add_vote(place.evidence, vote)
            place.poses = merged(place.poses, poses[k])
            place.see(t, read, outline_of(read, self.camera))
            if self._number[read.card] == place.best:
                place.last_same, place.face_down, place.covered = t, False, None
            place.backed(vote)
            if place.reported is read.card and self._number[read.card] == place.best:
                place.told_chance = place.confidence
            self._last_read = t
        self._places = without_far_corners(self._places, self.plane, t)
        visible = [p for p in self._places if p.is_visible]
        if visible:
            now = sum(p.last == t for p in visible) / len(visible)
            self._seen += 0.4 * (now - self._seen)

    def _match(
        self, reads: Sequence[CardRead], poses: Sequence[Sequence[IndexRead]], t: float
    ) -> dict[int, TrackedPlace]:
        """Which read lies at which place."""
        options = []
        for k, read in enumerate(reads):
            number = self._number[read.card]
            for place in self._places:
                distance = place.distance(poses[k], number)
                if distance is None:
                    continue
                if place.best != number and self._is_another(place, read, t):
                    continue
                options.append((distance, k, place))
        return matched(options)

    def _is_another(self, place: TrackedPlace, read: CardRead, t: float) -> bool:
        """Whether another name at a known card's place is another card, laid upon it."""
        if place.reported is None:
            return False
        if place.face_down or place.covered is not None:
            return True
        # A coin shows one face until it is turned over, and then the other one at once.
        swift = not self._single[place.best]
        return read.confidence > 0.5 and (swift or t - place.last > INTERRUPTED)

    # -- what is told ------------------------------------------------------------------------

    def _moves(self, t: float) -> Iterable[Sighting]:
        """A reported card that now lies elsewhere, and no more where it was, has been moved."""
        for place in [p for p in self._places if p.contested]:
            top = int(np.argmax(place.evidence))
            old = next((p for p in self._places if p.best == top and p is not place), None)
            if old is None or not self._has_waited(place, t) or old.last >= place.first:
                continue
            place.contested, place.best, place.best_since = False, top, place.first
            place.choose(np.zeros(len(self._cards), bool), t)
            was_reported = old.reported is not None
            place.reported = self._cards[top]
            place.zone = self._zone_of(place)
            self._places.remove(old)
            place.change, place.changed_at = Change.MOVED, t
            cover(place, self._places, self._single)
            if was_reported:
                yield self._sighting(place, Change.MOVED)

    def _report(self, t: float, grey: Grey | None) -> Iterable[Sighting]:
        for place in list(self._places):
            card = self._cards[place.best]
            if place.contested or place.hits < self._frames:
                continue
            if place.reported is card:
                if place.was_face_down and not place.face_down:
                    place.was_face_down, place.change = False, Change.TURNED_UP
                    place.changed_at = t
                    yield self._sighting(place, Change.TURNED_UP)
                continue
            if place.confidence < self._accept or not self._has_waited(place, t):
                continue
            was_whole = place.shows_both_faces
            old, old_chance, place.reported = place.reported, place.told_chance, card
            place.told_chance = place.confidence
            place.was = old
            place.zone = self._zone_of(place)
            cover(place, self._places, self._single)
            if old is not None:
                place.change, place.changed_at = Change.CORRECTED, t
                # Turned over in place, a piece shows its other face where its first one was.
                place.upon = None if was_whole else (old, old_chance)
            yield self._sighting(place, place.change)

    def _departures(self, t: float) -> Iterable[Sighting]:
        """Cards that were taken away or turned over."""
        for place in list(self._places):
            if place.reported is None or place.face_down or place.covered is not None:
                continue
            if place.doubt_frames < _GONE_FRAMES or t - place.doubted_since < _GONE_AFTER:
                continue
            if t - self._moved_at < 0.3 or is_overlapped(place, self._places):
                continue
            upon_back = any(p.face_down and p.covered is place for p in self._places)
            if place.there is There.BARE and not upon_back:
                self._places.remove(place)
                yield self._sighting(place, Change.REMOVED)
            elif place.there in (There.OTHER, There.BARE):
                # Upon a card that lies face down, another back looks as it did before.
                place.face_down = place.was_face_down = True
                place.changed_at = t
                # What shows when it is turned up again tells nothing of what lay there before.
                place.upon = None
                yield self._sighting(place, Change.TURNED_OVER)

    # -- helpers -----------------------------------------------------------------------------

    def _has_waited(self, place: TrackedPlace, t: float) -> bool:
        since = max(place.best_since, place.still_since)
        return place.best_hits >= self._frames and t - since >= self._steady - 1e-9

    def _is_old(self, place: TrackedPlace) -> bool:
        return self._now - place.first > ASK_AFTER

    def _is_doubtful(self, place: TrackedPlace) -> bool:
        return (
            place.reported is None
            and not is_echo(place, self._places)
            and place.confidence > _LEAST
            and place.support > LEAST_SUPPORT
            and place.hits >= 2 * self._frames
            and self._is_old(place)
            and self._now - place.last < 1.0
            and self._now - place.still_since > self._steady
        )

    def _is_renamed(self, place: TrackedPlace) -> bool:
        """Whether it is read as another card than was told."""
        return place.reported is not None and self._cards[place.best] is not place.reported

    def _is_doubted(self, place: TrackedPlace) -> bool:
        """Whether what was told of it is read as another card by now, though not for sure."""
        return (
            self._is_renamed(place)
            and place.is_visible
            and not place.contested
            and place.support > LEAST_SUPPORT
            and place.best_hits >= 2 * self._frames
            and self._now - place.best_since > ASK_AFTER
            and self._now - place.last < 1.0
        )

    def _zone_of(self, place: TrackedPlace) -> str:
        width, height = self._size
        x, y = place.centre
        return self._zones.at((x / width, y / height)) or ""

    def _measure_plane(self) -> None:
        if self._is_given:
            return
        quads = [p.quad for p in self._places if p.outlines >= 4 and p.quad is not None]
        if quads and (self.plane is None or len(quads) != self.plane.cards):
            self.plane = fit_plane(quads, self._deck.size_mm) or self.plane

    def _sighting(self, place: TrackedPlace, change: Change) -> Sighting:
        zone = place.zone or self._zone_of(place)
        best = self._cards[place.best]
        doubted = self._is_doubted(place)
        card = best if doubted or place.reported is None else place.reported
        confidence = place.confidence if card is best else float(place.chances[self._number[card]])
        lying = tuple(
            (self._cards[p.best], p.confidence)
            for p in sorted(self._places, key=lambda p: p.first)
            if (p.zone or self._zone_of(p)) == zone and (p.is_visible or self._is_doubtful(p))
        )
        return Sighting(
            card,
            zone,
            next((k for k, (c, _) in enumerate(lying) if c is card), len(lying)),
            place.best_since if doubted else place.changed_at,
            confidence,
            place.alternatives(self._cards),
            Change.LAID if doubted else change,
            place.reported is not None and not doubted,
            place.was,
            lying,
            place.upon if self._now - place.changed_at < _JUST else None,
            self._spot_of(place, zone),
        )

    def _spot_of(self, place: TrackedPlace, zone: str) -> Spot | None:
        x, y = np.multiply(self._zones.middle(zone), self._size)
        return place.spot((float(x), float(y)), self._deck.size_mm, self.plane)
