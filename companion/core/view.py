"""What one viewer may know: an allow-list type without secret fields, built by the gate alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from companion.core.events import Event
from companion.core.setup import Setup
from companion.core.state import Finding, MatchTable, StateT, Zone
from companion.phrases import phrase


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log, as the viewer may read it.

    Attributes:
        step: its number among the lines this viewer sees.
        text: in the match notation; `…` stands for arguments that the viewer may not know.
        error: why it was refused, empty if it was applied.
        undone: whether it was taken back and not restored.
        corrected_by: step of the correction by which it stands as it does, None without one.
        unfit: whether it no longer fits after a correction.
    """

    step: int
    text: str
    error: str = ""
    undone: bool = False
    corrected_by: int | None = None
    unfit: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """What became of it, in words: nothing if it stands as it was recorded."""
        marks = [phrase("taken back")] if self.undone else []
        if self.corrected_by is not None:
            marks.append(phrase("corrected by {n}", n=self.corrected_by))
        if self.unfit:
            marks.append(phrase("no longer fits"))
        return tuple(marks)

    @property
    def stands(self) -> bool:
        """Whether it counts as it is written here."""
        return not (self.undone or self.unfit or self.error or self.corrected_by)

    def as_list(self) -> list[Any]:
        """Plain values; marks only if there are any."""
        return [self.step, self.text, self.error, *self.marks]


@dataclass(frozen=True, slots=True)
class View(Generic[StateT]):
    """All that a viewer may know; screens, notepads, exports and bots get this and nothing else.

    Attributes:
        viewer: the seat, None for somebody who knows only what is public.
        setup: the session's settings.
        state: the fold of the events this viewer may read, with the public scoreboard.
        public: the fold of what everybody may read, so that a notepad can tell what others could
            have concluded from it.
        events: the standing events behind `state`, numbered by the viewer's steps.
        zones: all places for cards, as this viewer knows them.
        log: every line this viewer may read.
        findings: contradictions this viewer can see, in the viewer's steps.
        undo_depth: how many standing events this viewer knows of.
    """

    viewer: int | None
    setup: Setup
    state: StateT
    public: StateT
    events: tuple[Event, ...]
    zones: tuple[Zone, ...]
    log: tuple[LogLine, ...]
    findings: tuple[Finding, ...]
    undo_depth: int

    @property
    def table(self) -> MatchTable:
        """The scoreboard."""
        return self.state.table

    def as_dict(self) -> dict[str, Any]:
        """Plain values in a fixed order, for exports and comparisons byte by byte."""
        table, names = self.table, self.setup.players
        return {
            "viewer": None if self.viewer is None else names[self.viewer],
            "match": table.match,
            "over": table.over,
            "match_over": table.match_over,
            "to_move": None if table.to_move is None else names[table.to_move],
            "scores": dict(zip(names, table.scores, strict=True)),
            "winners": [names[seat] for seat in table.winners],
            "match_winners": [names[seat] for seat in table.match_winners],
            "reasons": list(table.reasons),
            "zones": {zone.name: [card.code for card in zone.cards] for zone in self.zones},
            "findings": [[f.event, f.kind.value, f.message] for f in self.findings],
            "log": [line.as_list() for line in self.log],
            "undo_depth": self.undo_depth,
        }
