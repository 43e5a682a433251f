"""The log's entries and the standing events, as the referee keeps them and the gate reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from companion.core.events import Event
from companion.core.state import Finding, StateT
from companion.errors import CompanionError


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log, as it was judged when it came.

    Attributes:
        n: its number, from 1.
        event: what it says, None if it could not be read.
        text: as written if it could not be read, else empty.
        applied: whether it took effect.
        error: why it did not.
        findings: what it contradicts (the event stands nevertheless).
        unfit: after a correction, the numbers of events that no longer fit.
        affects: the lines that an undo took back, a redo restored or a correction replaced.
        told: the reason as its own audience may know it; None if that is `error`.
        reasons: seats that know more about the refusal, each with the reason.
    """

    n: int
    event: Event | None
    text: str = ""
    applied: bool = True
    error: CompanionError | None = None
    findings: tuple[Finding, ...] = ()
    unfit: tuple[int, ...] = ()
    affects: tuple[int, ...] = ()
    told: CompanionError | None = None
    reasons: tuple[tuple[int, CompanionError], ...] = ()

    def error_for(self, viewer: int | None) -> CompanionError | None:
        """Why it was refused, as far as a viewer of this line may know."""
        return dict(self.reasons).get(-1 if viewer is None else viewer, self.told or self.error)


@dataclass(frozen=True, slots=True)
class Node(Generic[StateT]):
    """A standing event with the state after it.

    Attributes:
        event: the event, numbered by its line.
        state: the state after it; if it no longer fits, the state before it.
        error: why it no longer fits after a correction, None if it does.
        by: line of the correction that it comes from, 0 if it stands as recorded.
    """

    event: Event
    state: StateT
    error: CompanionError | None = None
    by: int = 0
