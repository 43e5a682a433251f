"""View-model of the replay: a match step by step from one viewer's eyes, and its audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.core.audit import Fault, audit_view, unchecked_in_view
from companion.core.referee import Referee
from companion.core.replay import Replay, ReplayStep
from companion.core.state import Zone
from mobile.model import wording
from mobile.model.rows import lit_places
from mobile.resources import texts


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after one line of the match, as the viewer knew it.

    Attributes:
        text: the line in words, with what became of it.
        step: what the referee said to it.
        match: number of the match in its session.
        lit: places that decided the match, by the name of where they lie.
    """

    text: str
    step: ReplayStep
    zones: tuple[Zone, ...]
    match: int
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
        marks = (f"({texts.told(mark)})" for mark in step.became.marks)
        text = " ".join((wording.told_line(referee, step.text), *marks))
        zones = referee.game.zones(state)
        found.append(Moment(text, step, zones, state.table.match, lit_places(state)))
    return tuple(found)


def faults(referee: Referee[Any]) -> tuple[Fault, ...] | None:
    """The audit of what everybody may know, once the match has ended; None while it goes on."""
    view = referee.view(None)
    return audit_view(view) if view.table.match_over else None


def unchecked(referee: Referee[Any]) -> tuple[str, ...]:
    """What could not be checked, in words, as far as everybody knows."""
    found = unchecked_in_view(referee.game, referee.view(None))
    return tuple(wording.without_codes(referee.game, texts.told(each)) for each in found)
