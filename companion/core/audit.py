"""The audit: everything in a match that was unreadable, illegal, inconsistent or false.

Refused lines are faults; so are the findings, the contradictions that stand. An audit reads
everything, private lines included: it is for the file's owner, or for everybody after the match.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from companion.core.events import CORRECT
from companion.core.game import Game
from companion.core.referee import Referee
from companion.core.view import View
from companion.errors import ErrorKind
from companion.phrases import phrase


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault that the audit names.

    Attributes:
        event: number of the event at fault.
        kind: `unreadable`, `illegal`, or a finding's kind.
        message: what is wrong, with both facts where two contradict each other.
    """

    event: int
    kind: str
    message: str

    def as_dict(self) -> dict[str, Any]:
        """As `audit --json` prints it."""
        return {"event": self.event, "kind": self.kind, "message": self.message}


def audit(referee: Referee[Any]) -> tuple[Fault, ...]:
    """All faults of the match so far, in the order of their events.

    A refused line that was corrected since is no fault any more; an event that no longer fits
    after a correction is one.
    """
    corrected = {
        entry.event.args[0]
        for entry in referee.log
        if entry.applied and entry.event is not None and entry.event.verb == CORRECT
    }
    faults = []
    for entry in referee.log:
        if entry.error is not None and entry.n not in corrected:
            kind = entry.error.kind or ErrorKind.UNREADABLE
            faults.append(Fault(entry.n, kind.value, entry.error.message))
    for node in referee.nodes:
        if node.error is not None:
            message = phrase(
                "It no longer fits after a correction: {message}", message=node.error.message
            )
            faults.append(Fault(node.event.n, ErrorKind.ILLEGAL.value, message))
    faults += [Fault(f.event, f.kind.value, f.message) for f in referee.state.findings]
    return tuple(sorted(faults, key=lambda fault: fault.event))


def audit_view(view: View[Any]) -> tuple[Fault, ...]:
    """The faults that one viewer can see, in the viewer's own numbers."""
    corrected = {line.step for line in view.log if line.corrected_by is not None}
    faults = [
        Fault(line.step, ErrorKind.ILLEGAL.value, line.error)
        for line in view.log
        if line.error and line.step not in corrected
    ]
    faults += [
        Fault(line.step, ErrorKind.ILLEGAL.value, phrase("It no longer fits after a correction."))
        for line in view.log
        if line.unfit
    ]
    faults += [Fault(f.event, f.kind.value, f.message) for f in view.findings]
    return tuple(sorted(faults, key=lambda fault: fault.event))


def unchecked(referee: Referee[Any]) -> tuple[str, ...]:
    """What could not be checked in each match, in sentences, as far as the referee knows."""
    ends = []
    for node, after in pairwise(referee.nodes):
        if after.state.table.match != node.state.table.match:
            ends.append(node.state)
    return tuple(
        item.told(state)
        for state in (*ends, referee.state)
        for item in referee.game.unchecked(state)
    )


def unchecked_in_view(game: Game[Any], view: View[Any]) -> tuple[str, ...]:
    """What could not be checked in the view's match, in sentences, as far as the viewer knows."""
    return tuple(item.told(view.state) for item in game.unchecked(view.state))
