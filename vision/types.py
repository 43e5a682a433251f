"""What the eyes report: reads of one picture, and sightings over time.

Pixel coordinates have their origin at the centre of the top left pixel, x to the right and y down,
in the picture that was handed in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from companion.cards import Card, Change, Spot
from vision.arrays import FloatArray

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]

RANK_LABELS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "joker", "none")
SUIT_LABELS = ("S", "H", "D", "C", "none")
#: Of an index of which nothing is known but its place.
NO_PROBS = np.zeros(0, np.float32)
#: A pose so near to the middle of a card, in its heights, stands for its whole face.
_IN_THE_MIDDLE = 0.075


class Status(StrEnum):
    """What became of a read."""

    ACCEPTED = "accepted"
    DOUBTFUL = "doubtful"
    REFUSED = "refused"


class Reason(StrEnum):
    """Why a read was accepted, is asked about or was given up; ends a sentence."""

    SURE = "it is sure"
    CHANCE = "it may be no card at all"
    RIVAL = "it may as well be another card"
    LONELY = "nothing around says that cards lie there"
    OFF_ROW = "it stands off the row"
    PLACE = "only its place says that it is a card"
    SECOND_NAME = "its likeliest name is another card's, this is the next"
    SECOND_JOKER = "it may be a corner of another joker"
    TWO_NAMES = "its two ends read as different cards"
    CORNER = "it is a corner of another card"
    OTHER_END = "it is the other end of a surer card"
    NAME_TAKEN = "a surer card has its name"
    COPIES = "copies"
    LETTERS = "its letter means another card in another deck that may lie there"


@dataclass(frozen=True, slots=True)
class IndexRead:
    """One corner index (a rank above its suit) as it was found in a picture.

    Attributes:
        centre: middle of the index, in pixels.
        direction: unit vector from the rank to the suit, so "down" as the card's reader sees it.
        size: index height in pixels, from the top of the rank to the bottom of the suit.
        rank_probs: (15,) probabilities in the order of ``RANK_LABELS``.
        suit_probs: (5,) probabilities in the order of ``SUIT_LABELS``.
        confidence: chance that this is an index of the card it is read as, 0 to 1.
    """

    centre: Point
    direction: Point
    size: float
    rank_probs: NDArray[np.float32] = field(compare=False, repr=False)
    suit_probs: NDArray[np.float32] = field(compare=False, repr=False)
    confidence: float

    def scaled(self, factor: float) -> IndexRead:
        """The same read in a picture ``factor`` times as large."""
        x, y = self.centre
        return replace(self, centre=(x * factor, y * factor), size=self.size * factor)


def _larger(quad: Quad, factor: float) -> Quad:
    a, b, c, d = ((x * factor, y * factor) for x, y in quad)
    return a, b, c, d


@dataclass(frozen=True, slots=True)
class CardRead:
    """One physical card, joined from the indices of it that were seen.

    Attributes:
        card: the most likely card.
        confidence: calibrated chance that ``card`` is right, 0 to 1.
        quad: corners clockwise from the top left of the upright card; where the card's outline is
            not known, the oriented box of its first index.
        indices: the indices seen, at least one, the surest first.
        alternatives: other cards it may be with their chances, the likeliest first.
        outlined: whether ``quad`` is the outline of the card rather than of an index: about, by two
            indices of it, or exactly.
        exact: whether it is by the card's sides (`vision.outlines.faces`).
        reason: why it is accepted or not.
    """

    card: Card
    confidence: float
    quad: Quad
    indices: tuple[IndexRead, ...]
    alternatives: tuple[tuple[Card, float], ...] = ()
    outlined: bool = False
    exact: bool = False
    reason: Reason = Reason.SURE

    def held_back(self, reason: Reason, *, accept: float) -> CardRead:
        """The same read, not to be accepted whatever its chance, for a reason."""
        return replace(self, confidence=min(self.confidence, just_below(accept)), reason=reason)

    @property
    def chance_of_any(self) -> float:
        """How likely it is some card, its name or one of its alternatives."""
        return self.confidence + sum(chance for _, chance in self.alternatives)

    @property
    def is_by_face(self) -> bool:
        """Whether the whole face told its name: what stands for its index is the card's middle."""
        if not self.indices:
            return True
        quad = np.array(self.quad)
        height = float(np.linalg.norm(quad[3] - quad[0]))
        middle = quad.mean(axis=0)
        off = [float(np.hypot(*(middle - index.centre))) for index in self.indices]
        return self.outlined and max(off) < _IN_THE_MIDDLE * height

    def scaled(self, factor: float) -> CardRead:
        """The same read in a picture ``factor`` times as large."""
        indices = tuple(index.scaled(factor) for index in self.indices)
        return replace(self, quad=_larger(self.quad, factor), indices=indices)


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read from one picture.

    Attributes:
        size: width and height of the picture in pixels.
        cards: accepted reads, each card at most once.
        doubtful: reads below the acceptance confidence, with their alternatives.
        backs: outlines of cards that lie face down, where they were looked for
            (`vision.outlines.faces`).
        lines: the accepted cards in reading order, a tuple a line, top to bottom and each left to
            right as the indices stand.
        ms: time taken from the decoded picture to this reading, in milliseconds.
        deck: name of the deck as which the picture was read; empty if there is no choice.
        looks_like: name of the deck whose letters were seen, where that is clearly another one.
        refused: reads that were given up, each with its reason.
    """

    size: tuple[int, int]
    cards: tuple[CardRead, ...] = ()
    doubtful: tuple[CardRead, ...] = ()
    backs: tuple[Quad, ...] = ()
    lines: tuple[tuple[Card, ...], ...] = ()
    ms: float = 0.0
    deck: str = ""
    looks_like: str = ""
    refused: tuple[CardRead, ...] = ()

    @property
    def row(self) -> tuple[Card, ...]:
        """All lines, one after the other."""
        return tuple(card for line in self.lines for card in line)

    def scaled(self, factor: float, size: tuple[int, int]) -> Reading:
        """The same reading in coordinates of the full picture of ``size`` (width, height)."""
        if factor == 1.0:
            return replace(self, size=size)
        backs = tuple(_larger(quad, factor) for quad in self.backs)
        return replace(
            self,
            size=size,
            cards=_scaled(self.cards, factor),
            doubtful=_scaled(self.doubtful, factor),
            refused=_scaled(self.refused, factor),
            backs=backs,
        )


@dataclass(frozen=True, slots=True)
class Sighting:
    """Card ``card`` now lies at ``place`` of ``zone``, since ``since``.

    Attributes:
        card: the card, as the votes over all frames have it.
        zone: name of the zone of the table.
        place: position within the zone's row, from 0.
        since: time of the first frame that showed it there, in seconds.
        confidence: chance that ``card`` is right, 0 to 1.
        alternatives: other cards it may be with their chances, the likeliest first.
        change: what has happened to it.
        settled: whether the eyes are sure by themselves; else a person (or the rules) decide.
        was: the card that was reported at this place before, where it was read anew.
        lying: every card that lies face up in the zone now, in reading order, with its chance.
        upon: what lay at this very spot until a moment ago, with its chance: a card covered now, or
            the other face of a piece that was turned over.
        spot: where in the zone it lies, None where that is not known (in a row it is not asked).
        seats: in front of whom it lies; left to who knows where people sit.
    """

    card: Card
    zone: str
    place: int
    since: float
    confidence: float
    alternatives: tuple[tuple[Card, float], ...] = ()
    change: Change = Change.LAID
    settled: bool = True
    was: Card | None = None
    lying: tuple[tuple[Card, float], ...] = ()
    upon: tuple[Card, float] | None = None
    spot: Spot | None = None
    seats: tuple[int, ...] = ()


def just_below(accept: float) -> float:
    """The confidence of a read that is as good as accepted, and is not."""
    return 0.99 * accept


def as_quad(corners: FloatArray) -> Quad:
    """(4, 2) corners as a quad, brought into clockwise order from the first two on."""
    x, y = corners.T
    if float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0:
        corners = corners[[1, 0, 3, 2]]
    points = [(float(u), float(v)) for u, v in corners]
    return points[0], points[1], points[2], points[3]


def _scaled(reads: Iterable[CardRead], factor: float) -> tuple[CardRead, ...]:
    return tuple(read.scaled(factor) for read in reads)


def timed(read: Callable[[], Reading]) -> Reading:
    """What is read, with how long it took."""
    started = time.perf_counter()
    reading = read()
    return replace(reading, ms=(time.perf_counter() - started) * 1000)
