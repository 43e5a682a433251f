"""From camera readings to recorded events: the game's legal moves weigh the readings.

A reading that the rules allow counts for more than one they forbid, so the rules can settle a
blurred card. Only readings compete, never facts: a reading that is sure by itself and illegal is
reported as such, not bent into a legal one. Nothing doubtful is recorded without asking.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from companion.cards import Card
from companion.core.referee import Referee
from companion.core.sightings import Proposal, Sighting

#: A reading at least this sure is believed, whatever the rules say.
SURE = 0.9
#: A play is recorded without asking from this chance on, the rules taken into account.
ACCEPT = 0.97
#: ... and only if the eyes alone give it at least this much.
_LEAST = 0.5
#: How likely people are to contradict the table or to break a rule, relative to a play that does
#: neither.
_CONTRADICTS, _ILLEGAL = 0.05, 0.02


#: Seconds after which a card that lay there is no answer to what was said since.
STALE = 6.0


class LiveSighting(Sighting, Protocol):
    """A sighting that the camera may not be sure of."""

    @property
    def since(self) -> float:
        """The time at which it appeared there, in seconds."""

    @property
    def settled(self) -> bool:
        """Whether the reading is sure without the rules."""

    @property
    def was(self) -> Card | None:
        """The card reported at this place before, if the reading has changed."""


class Decision(StrEnum):
    """What becomes of a sighting."""

    ACCEPTED = "accepted"
    ASK = "ask"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Judged:
    """A sighting with what it could mean and what becomes of it.

    Attributes:
        sighting: what was seen.
        verdict: whether it is recorded, asked about, or against the rules.
        proposals: what it could be, likeliest first, the rules taken into account.
        chance: of the first one, 0 to 1.
        replaces: number of the recorded event that it contradicts; 0 for something new.
        old: the card of that event which it contradicts.
    """

    sighting: LiveSighting
    verdict: Decision
    proposals: tuple[Proposal, ...]
    chance: float
    replaces: int = 0
    old: Card | None = None

    @property
    def best(self) -> Proposal:
        """The likeliest proposal."""
        return self.proposals[0]

    @property
    def key(self) -> tuple[object, ...]:
        """Identifies the sighting: the same card and change in the same zone."""
        return (self.sighting.card, self.sighting.zone, str(self.sighting.change))

    @property
    def why(self) -> str:
        """What speaks against it, in words; empty if nothing does."""
        if self.best.error is not None:
            return self.best.error.message
        return self.best.findings[0].message if self.best.findings else ""


def judge(
    sighting: LiveSighting, proposals: Sequence[Proposal], *, now: float | None = None
) -> Judged | None:
    """What becomes of a sighting.

    Args:
        sighting: what was seen.
        proposals: what it could mean, judged by the referee (`Referee.proposals`).
        now: the time, in seconds; a card that has lain there for long is asked about. None if
            time plays no part.

    Returns:
        None if it means nothing in the game.
    """
    if not proposals:
        return None
    top = max(proposals, key=lambda p: p.confidence)
    if top.confidence >= SURE and sighting.settled and not top.is_clean:
        ranked = sorted(proposals, key=lambda p: p is not top)
        return Judged(sighting, Decision.REFUSED, tuple(ranked), top.confidence)
    weights = [p.confidence * _weight(p) for p in proposals]
    # The confidence that no reading got may belong to any other card, a legal one included.
    rest = max(0.0, 1.0 - sum({p.event.args: p.confidence for p in proposals}.values()))
    whole = max(sum(weights) + rest, 1e-12)
    order = sorted(range(len(proposals)), key=lambda k: -weights[k])
    ranked = [proposals[k] for k in order]
    best, chance = ranked[0], weights[order[0]] / whole
    others = [p for p in ranked[1:] if p.error is None and p.confidence == best.confidence]
    is_new = now is None or now - sighting.since <= STALE
    sure = chance >= ACCEPT and best.confidence >= _LEAST and not others and is_new
    if sure and best.is_clean and (sighting.settled or best.confidence >= SURE):
        return Judged(sighting, Decision.ACCEPTED, tuple(ranked), chance)
    return Judged(sighting, Decision.ASK, tuple(ranked), chance)


def spent_by(sighting: LiveSighting) -> tuple[object, ...]:
    """Marks a sighting as recorded, for `judge_all`; a card that is laid again gets a new mark."""
    return (sighting.card, sighting.zone, sighting.since)


def judge_all(
    referee: Referee[Any],
    seen: Iterable[LiveSighting],
    *,
    now: float | None = None,
    spent: Container[tuple[object, ...]] = (),
) -> list[Judged]:
    """Judges everything on the table by the match as it stands now.

    What is already recorded is left out. A piece that can be drawn again, such as a coin, is left
    out as long as it has not moved since it was recorded.

    Args:
        referee: of the match.
        seen: what lies on the table.
        now: see `judge`.
        spent: marks (`spent_by`) of the sightings that were recorded.
    """
    wanted = referee.game.seen_changes
    found = (
        judge(sighting, referee.proposals(sighting), now=now)
        for sighting in seen
        if sighting.change in wanted and spent_by(sighting) not in spent
    )
    return [judged for judged in found if judged is not None]


def _weight(proposal: Proposal) -> float:
    if proposal.error is not None:
        return _ILLEGAL
    return _CONTRADICTS if proposal.findings else 1.0
