"""View-model of the replay: a match step by step from one viewer's eyes, and its audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.core.audit import Fault, audit_view, unchecked_in_view
from companion.core.referee import Referee
from companion.core.replay import Replay
from companion.core.state import Finding, MatchTable, Zone
from mobile.model import wording
from mobile.model.rows import lit_places
from mobile.resources import texts


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after one line of the match, as the viewer knew it.

    Attributes:
        text: the line, with what became of it.
        error: why it was refused, empty where it was not.
        lit: places that decided the match, by the name of where they lie.
    """

    text: str
    error: str
    remarks: tuple[str, ...]
    findings: tuple[Finding, ...]
    zones: tuple[Zone, ...]
    table: MatchTable
    lit: Mapping[str, frozenset[int]]


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
                " ".join(
                    (
                        wording.told_line(referee, step.text),
                        *(f"({texts.told(mark)})" for mark in step.became.marks),
                    )
                ),
                step.error[1] if step.error is not None else "",
                step.remarks,
                step.findings,
                referee.game.zones(state),
                state.table,
                lit_places(state),
            )
        )
    return tuple(found)


def faults(referee: Referee[Any]) -> tuple[Fault, ...] | None:
    """The audit of what everybody may know, once the match has ended; None while it goes on."""
    view = referee.view(None)
    return audit_view(view) if view.table.match_over else None


def unchecked(referee: Referee[Any]) -> tuple[str, ...]:
    """What could not be checked, in words, as far as everybody knows."""
    found = unchecked_in_view(referee.game, referee.view(None))
    return tuple(wording.without_codes(referee.game, texts.told(each)) for each in found)
