"""The row as it grows before a fixed camera: votes over frames, one sighting a card.

Every place on the table collects evidence for each card of the deck (sums of log chances, so no
single frame decides and the first one counts no more than the others). A card is reported once it
stayed the best of its place for a while; cards do not vanish when a hand passes over them. Pure
bookkeeping: no threads, no clock of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from companion.cards import Card
from companion.decks import Deck
from vision.rows.order import reading_lines
from vision.rows.votes import add_vote, log_chances
from vision.tracking.places import (
    HIDDEN,
    LEAST_SUPPORT,
    CardPlace,
    alike,
    matched,
    merged,
    moved,
    name_together,
    remembered,
    without_echoes,
)
from vision.tracking.status import Notice, NoticeKind, TableStatus
from vision.types import CardRead, IndexRead, Point, Reading, Sighting

#: Single frames must bear a name out to this chance, whatever their sum says.
_LEAST_SURE = 0.6


@dataclass(frozen=True, slots=True)
class RowCard:
    """One place of the row as it stands.

    Attributes:
        card: the likeliest card.
        confidence: its chance, 0 to 1.
        since: time of the first frame that showed a card here, in seconds.
        at: centre of its leading index in the last picture, in pixels.
        settled: whether it was reported as a sighting.
        alternatives: other cards it may be with their chances, the likeliest first.
    """

    card: Card
    confidence: float
    since: float
    at: Point
    settled: bool
    alternatives: tuple[tuple[Card, float], ...] = ()


class GrowingRow:
    """Follows one row through the readings of successive frames.

    Args:
        deck: what can lie in the row, each card as often as the deck has it at most.
        zone: name given to the row in sightings.
        steady: seconds that a card must stay the best of its place.
        frames: frames in which it must be seen in that time.
        accept: least chance of a card that is reported.
    """

    def __init__(
        self,
        deck: Deck,
        *,
        zone: str = "row",
        steady: float = 0.6,
        frames: int = 4,
        accept: float = 0.9,
    ) -> None:
        self._cards = deck.cards
        self._number = {card: k for k, card in enumerate(deck.cards)}
        self._unique = np.full(len(deck.cards), deck.copies == 1)
        self._zone, self._steady, self._frames, self._accept = zone, steady, frames, accept
        self._places: list[CardPlace] = []
        self._ordered: list[tuple[int, int]] = []
        self._seen = 1.0
        self._last_seen = 0.0
        self._now = 0.0

    def update(self, reading: Reading, t: float) -> tuple[Sighting, ...]:
        """Takes in one frame.

        Args:
            reading: what was read from it.
            t: its time in seconds; must not run backwards.

        Returns:
            Cards that have become certain with this frame, in row order. A place is reported
            again only where its card turned out to be another one.
        """
        self._now = t
        every = without_echoes((*reading.cards, *reading.doubtful))
        reads = [r for r in every if r.card in self._number]
        self._follow_camera(reads)
        self._vote(reads, t)
        self._places = remembered(self._places, t, frames=self._frames, seen=self._seen)
        name_together(self._places, self._unique, t)
        self._resolve_moves(t)
        self._order()
        return tuple(self._report(t))

    @property
    def row(self) -> tuple[RowCard, ...]:
        """The row as far as it is known, doubtful places included, in reading order."""
        return tuple(self._row_card(place) for place in self._places if self._is_firm(place))

    @property
    def sightings(self) -> tuple[Sighting, ...]:
        """The row as sightings, doubtful places included, in reading order."""
        row = self.row
        lying = tuple((card.card, card.confidence) for card in row)
        return tuple(
            Sighting(
                card.card,
                self._zone,
                k,
                card.since,
                card.confidence,
                card.alternatives,
                settled=card.settled,
                lying=lying,
            )
            for k, card in enumerate(row)
        )

    @property
    def is_settled(self) -> bool:
        """Whether nothing is waited for: every place was reported and was seen just now."""
        recent = self._now - 1.0
        return all(p.reported is not None and p.last > recent for p in self._places)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is doubtful or seen twice now."""
        firm = [place for place in self._places if self._is_firm(place)]
        found = []
        for k, place in enumerate(firm):
            at = place.poses[0].centre
            top = self._cards[int(np.argmax(place.evidence))]
            if place.contested:
                others = [j for j, p in enumerate(firm) if p is not place and p.best == place.best]
                found.append(Notice(NoticeKind.SEEN_TWICE, top, (*others, k), at))
            elif place.reported is None and self._now - place.first > 2 * self._steady:
                found.append(Notice(NoticeKind.DOUBTFUL, top, (k,), at))
        return tuple(found)

    @property
    def status(self) -> TableStatus:
        """How the view of the table is just now."""
        if not self._places:
            return TableStatus.WATCHING
        if self._now - self._last_seen > 3.0:
            return TableStatus.LOST
        if self._seen < HIDDEN:
            return TableStatus.HAND
        if any(p.reported is None and self._now - p.last < 0.3 for p in self._places):
            return TableStatus.MOVING
        return TableStatus.STEADY

    # -- one frame ---------------------------------------------------------------------------

    def _follow_camera(self, reads: Sequence[CardRead]) -> None:
        """Moves all places along where most named cards moved together (a nudged camera)."""
        every = [p for p in self._places if p.reported is not None]
        often = Counter(place.best for place in every)
        known = {place.best: place for place in every if often[place.best] == 1}
        pairs = []
        for read in reads:
            place = known.get(self._number[read.card])
            if place is not None:
                pairs += [(a, b) for b in read.indices for a in place.poses if alike(a, b)]
        if len(pairs) < 3:
            return
        old = np.array([complex(*a.centre) for a, _ in pairs])
        new = np.array([complex(*b.centre) for _, b in pairs])
        size = float(np.median([b.size for _, b in pairs]))
        shift = new - old
        middle = complex(np.median(shift.real), np.median(shift.imag))
        if abs(middle) < 0.25 * size:
            return
        agree = np.abs(shift - middle) < 0.5 * size + 0.05 * np.abs(old - old.mean())
        if agree.sum() < max(3, 0.6 * len(pairs)):
            return
        # Least squares of new = turn · old + move over complex numbers: a similarity.
        matrix = np.column_stack([old[agree], np.ones(int(agree.sum()))])
        turn, move = np.linalg.lstsq(matrix, new[agree], rcond=None)[0]
        if not 0.8 < abs(turn) < 1.25:
            turn, move = 1.0 + 0j, middle
        for place in self._places:
            place.poses = [moved(pose, complex(turn), complex(move)) for pose in place.poses]

    def _vote(self, reads: Sequence[CardRead], t: float) -> None:
        """Gives each read's evidence to the place it lies at, or to a new one."""
        settled = [place for place in self._places if place.reported is not None]
        places = self._match(reads)
        for k, read in enumerate(reads):
            place = places.get(k)
            if place is None:
                place = CardPlace(np.zeros(len(self._cards)), [], t)
                self._places.append(place)
            vote = log_chances(read, self._number)
            add_vote(place.evidence, vote)
            place.backed(vote)
            place.poses = merged(place.poses, read.indices)
            place.last, place.hits, place.best_hits = t, place.hits + 1, place.best_hits + 1
            self._last_seen = t
        if settled:
            now = sum(place.last == t for place in settled) / len(settled)
            self._seen += 0.4 * (now - self._seen)

    def _match(self, reads: Sequence[CardRead]) -> dict[int, CardPlace]:
        """Which read lies at which place."""
        return matched(
            (distance, k, place)
            for k, read in enumerate(reads)
            for place in self._places
            if (distance := place.distance(read.indices, self._number[read.card])) is not None
        )

    def _resolve_moves(self, t: float) -> None:
        """A reported card that now lies elsewhere, and no more where it was, has been moved."""
        for place in [p for p in self._places if p.contested]:
            old = next(p for p in self._places if p.best == place.best and p is not place)
            stayed = place.hits >= self._frames and t - place.first >= self._steady
            if stayed and old.last < place.first:
                old.poses, old.last = place.poses, place.last
                self._places.remove(place)

    def _order(self) -> None:
        """Sorts the places as the row is read, where something about them is new."""
        shape = [(id(place), len(place.poses)) for place in self._places]
        if shape == self._ordered or not shape:
            return
        reads = [
            CardRead(self._cards[max(p.best, 0)], 1.0, _POINTS, tuple(p.poses))
            for p in self._places
        ]
        order = [k for line in reading_lines(reads) for k in line]
        places = [self._places[k] for k in order]
        # Cards that show both ends do not tell which way the row stands; the order of arrival does.
        two_sided = sum(_shows_both_ends(p.poses) for p in places)
        if 2 * two_sided > len(places) and _backwards([p.first for p in places]):
            places.reverse()
        self._places = places
        self._ordered = [(id(place), len(place.poses)) for place in places]

    def _report(self, t: float) -> Iterable[Sighting]:
        firm = [place for place in self._places if self._is_firm(place)]
        for k, place in enumerate(firm):
            card = self._cards[place.best]
            if place.contested or place.reported is card:
                continue
            confidence = place.confidence
            sure = place.chances[place.best] >= self._accept and confidence >= _LEAST_SURE
            # The time that it was seen, not the time since: a card carried past is gone meanwhile.
            seen = place.last - place.best_since
            waited = seen >= self._steady and place.best_hits >= self._frames
            followed = any(p.hits > 1 and p.first > place.first for p in firm[k + 1 :])
            if sure and (waited or (followed and place.best_hits > 2)):
                place.reported = card
                alternatives = place.alternatives(self._cards)
                yield Sighting(card, self._zone, k, place.first, confidence, alternatives)

    # -- helpers -----------------------------------------------------------------------------

    def _is_firm(self, place: CardPlace) -> bool:
        if place.reported is not None:
            return True
        return place.hits >= self._frames and place.support > LEAST_SUPPORT

    def _row_card(self, place: CardPlace) -> RowCard:
        return RowCard(
            self._cards[place.best],
            place.confidence,
            place.first,
            place.poses[0].centre,
            place.reported is self._cards[place.best],
            place.alternatives(self._cards),
        )


_POINTS = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


def _shows_both_ends(poses: Sequence[IndexRead]) -> bool:
    return any(
        a.direction[0] * b.direction[0] + a.direction[1] * b.direction[1] < 0
        for a in poses
        for b in poses
    )


def _backwards(times: Sequence[float]) -> bool:
    """Whether nearly all later places were filled earlier."""
    pairs = [(a, b) for k, a in enumerate(times) for b in times[k + 1 :] if a != b]
    return len(pairs) > 2 and sum(a > b for a, b in pairs) > 0.9 * len(pairs)
