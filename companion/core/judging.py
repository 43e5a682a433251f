"""Judges events, and says of a refusal what each listener may know.

A refusal is worded by the fold of the event's own audience. If that fold finds nothing wrong, a
hidden fact has decided: the listener gets one fixed sentence, the attempt stays in the log, and
only the seats that know the fact read the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from companion.core.events import CORRECT, REDO, UNDO, Event
from companion.core.setup import Setup
from companion.core.state import StateT, evolve
from companion.core.timeline import StandingChange, Timeline
from companion.errors import CompanionError, HiddenError


@dataclass(frozen=True, slots=True)
class Ruling(Generic[StateT]):
    """An event judged: the change it makes, or why not.

    Attributes:
        change: None if it is refused.
        error: the whole reason.
        told: the reason as the event's audience may know it.
        reasons: seats that know more, each with the reason; not empty only where `told` is a
            `HiddenError`.
    """

    change: StandingChange[StateT] | None
    error: CompanionError | None = None
    told: CompanionError | None = None
    reasons: tuple[tuple[int, CompanionError], ...] = ()


def judge(timeline: Timeline[StateT], event: Event) -> Ruling[StateT]:
    """Judges an event, and says to its audience what that may know of a refusal."""
    setup = timeline.setup
    try:
        return Ruling(timeline.change(event))
    except HiddenError as error:
        return Ruling(None, error, _hidden(setup, ()))
    except CompanionError as error:
        if event.verb in (UNDO, REDO):
            return Ruling(None, error, error)
        viewer = None if event.is_public else event.seat
        told = _reason(timeline, viewer, event)
        if told is not None:
            return Ruling(None, error, told)
        seats = range(len(setup.players))
        found = [(seat, _reason(timeline, seat, event)) for seat in seats if seat != viewer]
        reasons = tuple((seat, why) for seat, why in found if why is not None)
        return Ruling(None, error, _hidden(setup, tuple(seat for seat, _ in reasons)), reasons)


def _hidden(setup: Setup, seats: tuple[int, ...]) -> HiddenError:
    """The one sentence for a refusal whose reason its audience may not know."""
    if not seats:
        return HiddenError("This does not fit what was recorded in secret.")
    names = setup.names(seats)
    if len(seats) > 1:
        return HiddenError(
            "This does not fit what {names} recorded in secret; they can read why behind "
            "their covers.",
            names=names,
        )
    return HiddenError(
        "This does not fit what {name} recorded in secret; {name} can read why behind their cover.",
        name=names,
    )


def _reason(timeline: Timeline[StateT], viewer: int | None, event: Event) -> CompanionError | None:
    """Why a viewer's own knowledge speaks against an event; None if it does not."""
    try:
        if event.verb != CORRECT:
            timeline.gate.verify(viewer, event, len(timeline.nodes))
            return None
        n, new = event.args
        timeline.gate.verify(viewer, evolve(new, n=n), timeline.place_of(event)[0])
    except CompanionError as error:
        return error
    return None
