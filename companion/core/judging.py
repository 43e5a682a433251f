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
from companion.core.views import Gate
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


class Judge(Generic[StateT]):
    """Judges a session's events.

    Args:
        setup: the session's settings.
        gate: what each viewer may know.
        timeline: what stands.
    """

    def __init__(self, setup: Setup, gate: Gate[StateT], timeline: Timeline[StateT]) -> None:
        self._setup, self._gate, self._timeline = setup, gate, timeline

    def judge(self, event: Event) -> Ruling[StateT]:
        """Judges an event, and says to its audience what that may know of a refusal."""
        try:
            return Ruling(self._timeline.change(event))
        except HiddenError as error:
            return Ruling(None, error, self._hidden(()), ())
        except CompanionError as error:
            if event.verb in (UNDO, REDO):
                return Ruling(None, error, error)
            viewer = None if event.is_public else event.seat
            told = self._reason(viewer, event)
            if told is not None:
                return Ruling(None, error, told)
            seats = range(len(self._setup.players))
            found = [(seat, self._reason(seat, event)) for seat in seats if seat != viewer]
            reasons = tuple((seat, why) for seat, why in found if why is not None)
            return Ruling(None, error, self._hidden(tuple(seat for seat, _ in reasons)), reasons)

    def _hidden(self, seats: tuple[int, ...]) -> HiddenError:
        """The one sentence for a refusal whose reason its audience may not know."""
        if not seats:
            return HiddenError("This does not fit what was recorded in secret.")
        names = self._setup.names(seats)
        if len(seats) > 1:
            return HiddenError(
                "This does not fit what {names} recorded in secret; they can read why behind "
                "their covers.",
                names=names,
            )
        return HiddenError(
            "This does not fit what {name} recorded in secret; {name} can read why behind "
            "their cover.",
            name=names,
        )

    def _reason(self, viewer: int | None, event: Event) -> CompanionError | None:
        """Why a viewer's own knowledge speaks against an event; None if it does not."""
        timeline = self._timeline
        try:
            if event.verb != CORRECT:
                self._gate.verify(viewer, event, timeline.log, timeline.nodes, len(timeline.nodes))
                return None
            n, new = event.args
            index = timeline.place_of(event)[0]
            self._gate.verify(viewer, evolve(new, n=n), timeline.log, timeline.nodes, index)
        except CompanionError as error:
            return error
        return None
