"""From a card seen in a zone to what it could mean.

The camera reports sightings: card X is now in zone Z. A game answers with proposals, the events
that this could mean. The referee judges each. A confident reading that is illegal is reported as
such, never bent into a legal one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.cards import Card, Change, Spot
from companion.core.events import Event
from companion.core.state import Finding
from companion.errors import CompanionError


class Sighting(Protocol):
    """What a game needs to know about a sighting; any object with these attributes will do."""

    @property
    def card(self) -> Card:
        """The likeliest card."""

    @property
    def zone(self) -> str:
        """Name of the zone it lies in (`companion.core.state.Zone.name`)."""

    @property
    def confidence(self) -> float:
        """How sure the card's name is, 0 to 1."""

    @property
    def alternatives(self) -> Sequence[tuple[Card, float]]:
        """Other readings with their confidences, likeliest first."""

    @property
    def change(self) -> str:
        """What has happened to the card, one of `Change`."""

    @property
    def upon(self) -> tuple[Card, float] | None:
        """What was at the same place before, e.g. the other face of a piece, with its chance."""

    @property
    def lying(self) -> Sequence[tuple[Card, float]]:
        """All cards that are face up in the zone now; empty if nobody looked."""

    @property
    def spot(self) -> Spot | None:
        """Where in the zone it lies; None if nobody looked."""

    @property
    def seats(self) -> Sequence[int]:
        """The seats in front of which it may lie, the nearest first; one alone if that is clear."""


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A plain sighting, e.g. of a card that was tapped in.

    Attributes:
        card: the card.
        zone: the zone's name.
        confidence: 0 to 1.
        alternatives: other readings with their confidences.
        change: what has happened to it.
        lying: all cards that lie face up in the zone now, with their confidences.
        upon: what was at the same place before, with its chance.
        spot: where in the zone it lies.
        seats: in front of whom it may lie, the nearest first; one alone if that is clear.
    """

    card: Card
    zone: str
    confidence: float = 1.0
    alternatives: tuple[tuple[Card, float], ...] = ()
    change: str = Change.LAID
    lying: tuple[tuple[Card, float], ...] = ()
    upon: tuple[Card, float] | None = None
    spot: Spot | None = None
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """An event that a sighting could be, with the referee's opinion once it was asked.

    Attributes:
        event: the event, not recorded yet.
        confidence: how sure the reading is, 0 to 1.
        error: why the referee would refuse it, None if it is legal (or nobody asked yet).
        findings: what would contradict the table if it were recorded.
    """

    event: Event
    confidence: float
    error: CompanionError | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether it is legal and contradicts nothing."""
        return self.error is None and not self.findings


def readings(sighting: Sighting) -> list[tuple[Card, float]]:
    """All readings of a sighting with their confidences, likeliest first."""
    return [(sighting.card, sighting.confidence), *sighting.alternatives]
