"""Questions from the camera: something seen that is recorded only if people say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.cards import Card
from companion.core.events import Event
from companion.core.sightings import Proposal
from companion.core.state import evolve, put

#: A card, the zone it was seen in, and what happened to it there.
Seen = tuple[Card, str, str]


@dataclass(frozen=True, slots=True)
class SightingQuestion:
    """Something seen that people should decide.

    Attributes:
        card: what was seen.
        confidence: how sure, 0 to 1.
        zone: where.
        proposals: what it could mean, likeliest first.
        replaces: number of the recorded event that it contradicts; 0 for something new.
        old: the card recorded there.
        change: what happened to the card.
        is_early: it lay there before play could begin; people decide whether it counts.
    """

    card: Card
    confidence: float
    zone: str
    proposals: tuple[Proposal, ...] = ()
    replaces: int = 0
    old: Card | None = None
    change: str = "laid"
    is_early: bool = False

    @property
    def key(self) -> Seen:
        """What distinguishes it from other things seen."""
        return self.card, self.zone, str(self.change)

    @property
    def meant(self) -> tuple[Seen, int, bool]:
        """What an answer to it means: an answer to one that means something else is none to it."""
        return self.key, self.replaces, self.is_early

    @property
    def why(self) -> str:
        """What speaks against it, in words; empty if nothing does."""
        for proposal in self.proposals[:1]:
            if proposal.error is not None:
                return proposal.error.message
            if proposal.findings:
                return proposal.findings[0].message
        return ""

    @property
    def event(self) -> Event | None:
        """What it would be recorded as; None if it replaces another card."""
        return self.proposals[0].event if self.proposals else None

    @property
    def is_possible(self) -> bool:
        """Whether it can be recorded as it stands."""
        if self.replaces or self.is_early:
            return True
        return any(p.error is None for p in self.proposals[:1])


def with_card(event: Event, old: Card, new: Card) -> Event:
    """The event with one of its cards replaced, also within a list; of two alike the first."""
    args: list[Any] = list(event.args)
    for index, arg in enumerate(args):
        if arg is old:
            args[index] = new
            break
        if isinstance(arg, tuple) and old in arg:
            args[index] = put(arg, arg.index(old), new)
            break
    return evolve(event, args=tuple(args))


def laid_by(event: Event) -> Card | None:
    """The card that an event lays, before one that it may be laid on; None if it names none."""
    return next((arg for arg in event.args if isinstance(arg, Card)), None)
