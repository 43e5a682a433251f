"""Places where cards lie: the bookkeeping shared by growing rows and whole tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from vision.arrays import FloatArray
from vision.rows.votes import BLUR, DEPTH
from vision.types import NO_PROBS, CardRead, IndexRead, Point

#: Two indices this close, in index heights, are the same one seen again.
SAME_SPOT = 0.45


def alike(a: IndexRead, b: IndexRead) -> bool:
    """Whether two indices point the same way (within 60°); one without direction always does."""
    if a.direction == (0.0, 0.0) or b.direction == (0.0, 0.0):
        return True
    return a.direction[0] * b.direction[0] + a.direction[1] * b.direction[1] > 0.5


def gap_of(a: IndexRead, b: IndexRead) -> float:
    """Distance of two indices in index heights; large where they point different ways."""
    if not alike(a, b):
        return 9.0
    distance = float(np.hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1]))
    return distance / max((a.size + b.size) / 2, 1e-9)


def moved(pose: IndexRead, turn: complex, move: complex) -> IndexRead:
    """A pose after the similarity new = turn · old + move over complex numbers, in pixels."""
    centre = complex(*pose.centre) * turn + move
    way = complex(*pose.direction) * turn / abs(turn)
    return replace(
        pose,
        centre=(centre.real, centre.imag),
        direction=(way.real, way.imag),
        size=pose.size * abs(turn),
    )


def merged(poses: list[IndexRead], seen: Iterable[IndexRead]) -> list[IndexRead]:
    """Known indices of a card, brought up to date with those seen now (running means).

    An index's ``confidence`` here is how regularly it is seen; one that a later card covers fades
    and is dropped, so that what still shows tells which way the row stands.
    """
    fresh = {k: replace(pose, confidence=0.75 * pose.confidence) for k, pose in enumerate(poses)}
    for new in seen:
        near = [k for k, old in fresh.items() if gap_of(old, new) < SAME_SPOT]
        if near:
            fresh[near[0]] = _mean(fresh[near[0]], new)
        else:
            fresh[len(fresh)] = replace(
                new, rank_probs=NO_PROBS, suit_probs=NO_PROBS, confidence=0.5
            )
    kept = [pose for pose in fresh.values() if pose.confidence > 0.1]
    return sorted(kept, key=lambda pose: -pose.confidence)[:4]


def _mean(old: IndexRead, new: IndexRead, weight: float = 0.3) -> IndexRead:
    def mix(a: Point, b: Point) -> Point:
        return (a[0] + weight * (b[0] - a[0]), a[1] + weight * (b[1] - a[1]))

    way = mix(old.direction, new.direction)
    length = max(float(np.hypot(*way)), 1e-9)
    return replace(
        old,
        centre=mix(old.centre, new.centre),
        direction=(way[0] / length, way[1] / length),
        size=old.size + weight * (new.size - old.size),
        confidence=old.confidence + 0.25,
    )


#: A spot read once, and one read more often, is forgotten after so many seconds.
_ONCE, _OFTEN = 0.4, 1.5
#: Share of the known cards seen below which something is in the way.
HIDDEN = 0.45
#: Added to the margin of a place whose card was reported: it keeps its name.
_REPORTED = 100.0
_OTHER_NAME = 0.3
#: An index so near to where a card may have one stands there, in index heights.
_CORNER = 0.5
#: Doubts of several frames count as those of so many frames that err independently.
_FRAMES_ALIKE = 1.25
#: A place of which single frames give its card less than this is no card but a likeness of one.
LEAST_SUPPORT = 0.35

BoolArray = NDArray[np.bool_]
AnyPlace = TypeVar("AnyPlace", bound="CardPlace")
AnyKey = TypeVar("AnyKey", bound=Hashable)


class CardPlace:
    """A spot where a card lies, with the evidence for each card of the deck.

    Args:
        evidence: (n,) log evidence for each card of the deck, changed in place.
        poses: its indices.
        t: time of the first frame that showed it.
    """

    def __init__(self, evidence: FloatArray, poses: list[IndexRead], t: float) -> None:
        self.evidence, self.poses = evidence, poses
        self.first = self.last = self.best_since = t
        self.hits = self.best_hits = 0
        self.best = -1
        self.chances: FloatArray = np.zeros(len(evidence))
        self.contested = False
        self.support, self.backers = 0.9, 0
        self.reported: Card | None = None

    def backed(self, vote: FloatArray) -> None:
        """Takes in how sure a single frame was of the card that it is named."""
        if self.best >= 0:
            self.backers += 1
            share = max(0.25, 1.0 / self.backers)
            chance = min(1.0, float(np.exp(vote[self.best])) / (1.0 - BLUR))
            self.support += share * (chance - self.support)

    @property
    def confidence(self) -> float:
        """Chance of its card: all votes together, and hardly surer than the single frames.

        What makes a frame doubtful, such as small print, is the same in the next one.
        """
        if self.best < 0:
            return 0.0
        frames = 1.0 - (1.0 - min(1.0, self.support)) ** _FRAMES_ALIKE
        return min(float(self.chances[self.best]), frames)

    def choose(self, taken: FloatArray, t: float) -> int:
        """Names it with the likeliest card that no surer place has; returns its number."""
        top = int(np.argmax(self.evidence))
        free = np.where(taken, -np.inf, self.evidence)
        best = int(np.argmax(free))
        # Named against clear evidence only because the name is taken: that is two of a card.
        self.contested = bool(taken[top]) and float(free[best]) < -0.5 * DEPTH
        weights = np.exp(self.evidence) if self.contested else self.weights(taken)
        self.chances = weights / weights.sum()
        best = top if self.contested else best
        if best != self.best:
            self.renamed(best, t)
        return best

    def weights(self, taken: FloatArray) -> FloatArray:
        """Weights of the cards where some lie elsewhere: none for those."""
        return np.asarray(np.exp(np.where(taken, -np.inf, self.evidence)))

    def renamed(self, best: int, t: float) -> None:
        """Another card has become the likeliest."""
        self.best, self.best_since, self.best_hits = best, t, 1
        self.support, self.backers = 0.9, 0

    def alternatives(self, cards: Sequence[Card]) -> tuple[tuple[Card, float], ...]:
        """Other cards that it may be, the likeliest first."""
        order = np.argsort(self.chances)[::-1][:4]
        return tuple(
            (cards[k], float(self.chances[k]))
            for k in order.tolist()
            if k != self.best and self.chances[k] > 1e-3
        )

    def distance(self, poses: Sequence[IndexRead], number: int) -> float | None:
        """How well a read of a card fits, the less the better; None where it lies elsewhere.

        The nearest fits best, and one of equal name better than another.
        """
        gap = min((gap_of(a, b) for a in self.poses for b in poses), default=9.0)
        return gap + _OTHER_NAME * (self.best != number) if gap < SAME_SPOT else None


def without_echoes(reads: Sequence[CardRead]) -> list[CardRead]:
    """The reads without those that are but another corner of a card that was read more surely.

    Args:
        reads: of one frame.
    """
    whole = [read for read in reads if read.outlined and read.indices]
    return [
        read
        for read in reads
        if read.outlined
        or len(read.indices) != 1
        or not any(
            host.confidence > read.confidence and _is_corner_of(read.indices[0], host)
            for host in whole
        )
    ]


def _is_corner_of(index: IndexRead, host: CardRead) -> bool:
    """Whether an index stands where a card has, or may have, another one of its own."""
    corners = np.array(host.quad)
    across = (corners[1] + corners[2] - corners[0] - corners[3]) / 2
    down = (corners[2] + corners[3] - corners[0] - corners[1]) / 2
    basis = np.column_stack([across, down])
    if abs(float(np.linalg.det(basis))) < 1e-6:
        return False
    middle = corners.mean(axis=0)
    for own in host.indices:
        u, v = np.linalg.solve(basis, np.array(own.centre) - middle)
        for side, end in ((-1, 1), (1, -1), (-1, -1)):
            x, y = middle + basis @ np.array([side * u, end * v])
            way = (end * own.direction[0], end * own.direction[1])
            other = replace(own, centre=(float(x), float(y)), direction=way)
            if gap_of(other, index) < _CORNER:
                return True
    return False


def matched(options: Iterable[tuple[float, AnyKey, AnyPlace]]) -> dict[AnyKey, AnyPlace]:
    """Gives each read at most one place and each place at most one read, the best fits first.

    Args:
        options: distance, read and place of every pair that may fit.
    """
    found: dict[AnyKey, AnyPlace] = {}
    taken: set[int] = set()
    for _, read, place in sorted(options, key=lambda option: option[0]):
        if read not in found and id(place) not in taken:
            found[read] = place
            taken.add(id(place))
    return found


def remembered(places: Iterable[AnyPlace], t: float, *, frames: int, seen: float) -> list[AnyPlace]:
    """The places without spots that were seen too briefly to be a card that was laid there.

    Args:
        places: all of them.
        t: the time.
        frames: frames in which a card must be read.
        seen: share of the known cards that is in sight.
    """
    return [
        p
        for p in places
        if p.reported is not None
        or t - p.last < (_ONCE if p.hits < 2 else _OFTEN)
        or (p.hits >= 2 * frames and seen < HIDDEN)
    ]


def name_together(places: Sequence[CardPlace], single: BoolArray, t: float) -> None:
    """Names all places together; the surer place goes first.

    Args:
        places: all of them.
        single: (n,) for each card whether it can lie at one place only.
        t: the time.
    """
    margins = []
    for place in places:
        top = np.partition(place.evidence, -2)
        margins.append(float(top[-1] - top[-2]) + (_REPORTED if place.reported else 0.0))
    taken = np.zeros(len(single), bool)
    for k in np.argsort(margins, kind="stable")[::-1]:
        best = places[k].choose(taken, t)
        if places[k].hits >= 2 and not places[k].contested:
            taken[best] = single[best]
