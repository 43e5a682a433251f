"""View-model of the replay: a match step by step from one viewer's eyes, and its audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.audit import Fault, audit
from companion.referee import Referee
from companion.replay import Replay
from companion.state import Finding, Table, Zone


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after one line of the match, as the viewer knew it.

    Attributes:
        text: the line.
        error: why it was refused, empty where it was not.
        notes: what the referee said.
        findings: what it contradicted.
        zones: where the cards lay.
        table: the scoreboard.
    """

    text: str
    error: str
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]
    zones: tuple[Zone, ...]
    table: Table


def moments(referee: Referee[Any], viewer: int | None) -> tuple[Moment, ...]:
    """Every step that a viewer may know.

    Args:
        referee: of the match.
        viewer: a seat, None for the public.
    """
    replay = Replay(referee.match_text(), viewer)
    found = []
    for step in replay.steps():
        state = replay.state
        found.append(
            Moment(
                step.text,
                step.error[1] if step.error is not None else "",
                step.notes,
                step.findings,
                referee.game.zones(state),
                state.table,
            )
        )
    return tuple(found)


def faults(referee: Referee[Any]) -> tuple[Fault, ...] | None:
    """The audit; None while the match goes on, because it reads private lines too."""
    return audit(referee) if referee.knowledge(None).table.match_over else None
