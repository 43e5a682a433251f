"""A match step by step, from everybody's or one viewer's eyes, as text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.core.entries import Entry
from companion.core.game import Game
from companion.core.notation import MatchText, write_event
from companion.core.referee import EVERYTHING, Referee
from companion.core.state import Finding, MatchTable, State
from companion.core.view import LogLine
from companion.errors import CompanionError, ErrorKind

__all__ = ["EVERYTHING", "Replay", "ReplayStep", "describe", "final"]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One line of a replay.

    Attributes:
        n: the event's number in the match.
        text: the line, as far as the viewer may read it.
        applied: whether it took effect.
        error: kind and message of its refusal.
        remarks: what the referee says about it.
        findings: what it contradicts, as far as the viewer can see.
        unfit: lines that the correction in this step made impossible, as they are written.
        became: the line as it stands at the end of the match: what became of it later.
    """

    n: int
    text: str
    applied: bool
    error: tuple[str, str] | None
    remarks: tuple[str, ...]
    findings: tuple[Finding, ...]
    unfit: tuple[str, ...]
    became: LogLine

    def as_dict(self) -> dict[str, Any]:
        """As `replay --json` prints it."""
        error = None
        if self.error is not None:
            error = {"kind": self.error[0], "message": self.error[1]}
        return {
            "n": self.n,
            "event": self.text,
            "applied": self.applied,
            "error": error,
            "undone": self.became.undone,
            "corrected_by": self.became.corrected_by,
            "unfit": self.became.unfit,
        }


class Replay:
    """Goes through a match.

    Args:
        match: what was read.
        viewer: a seat, None for the public, `EVERYTHING` for all lines.
    """

    def __init__(self, match: MatchText, viewer: int | None = EVERYTHING) -> None:
        self.match = match
        self.viewer = viewer
        self.referee: Referee[Any] = Referee(match.game, match.setup)
        if viewer != EVERYTHING:
            self.referee.knowledge(viewer)  # refuses a seat that does not exist

    @property
    def state(self) -> State:
        """The state as the viewer knows it."""
        if self.viewer == EVERYTHING:
            state: State = self.referee.state
            return state
        known: State = self.referee.knowledge(self.viewer)
        return known

    def steps(self) -> Iterator[ReplayStep]:
        """Plays the match, one step for each line the viewer may know of.

        Numbers are the viewer's own, without holes; with `EVERYTHING` those of the file.
        """
        whole: Referee[Any] = Referee.of(self.match)
        is_whole = self.viewer == EVERYTHING
        lines = map(whole.line_of, whole.log) if is_whole else whole.view(self.viewer).log
        became = {line.step: line for line in lines}
        for line in self.match.events:
            before = self.state.findings
            entry = self.referee.submit_line(line)
            told = self._told(entry)
            if told is None:
                continue
            n, text = told
            state = self.state
            grew = len(state.findings) > len(before)
            error = entry.error if self.viewer == EVERYTHING else entry.error_for(self.viewer)
            yield ReplayStep(
                n=n,
                text=text,
                applied=entry.applied,
                error=None if error is None else (_kind(error), error.message),
                remarks=state.remarks if entry.applied else (),
                findings=state.findings[len(before) :] if grew and entry.applied else (),
                unfit=self.referee.misfits(entry, self.viewer),
                became=became[n],
            )

    def final(self) -> dict[str, Any]:
        """As the last line of `replay --json`; call it after `steps`."""
        return final(self.match.game, self.state)

    def _told(self, entry: Entry) -> tuple[int, str] | None:
        """Number and text of a line for the viewer, None if it may not be known of."""
        if self.viewer == EVERYTHING:
            if entry.event is None:
                return entry.n, entry.text
            text = write_event(self.match.game, self.match.setup, entry.event, comment=False)
            return entry.n, text
        view = self.referee.view(self.viewer)
        if not view.log or self.referee.number_of(self.viewer, view.log[-1].step) != entry.n:
            return None
        return view.log[-1].step, view.log[-1].text


def _kind(error: CompanionError) -> str:
    return error.kind.value if error.kind is not None else ErrorKind.UNREADABLE.value


def final(game: Game[Any], state: State) -> dict[str, Any]:
    """How a session stands, as plain values."""
    table, names = state.table, state.setup.players
    result: dict[str, Any] = {
        "over": table.over,
        "to_move": None if table.to_move is None else names[table.to_move],
        "scores": dict(zip(names, table.scores, strict=True)),
        "winners": [names[seat] for seat in table.winners],
        "match_winners": [names[seat] for seat in table.match_winners],
        "reasons": list(table.reasons),
    }
    return result | game.extra(state)


def describe(table: MatchTable, names: tuple[str, ...]) -> list[str]:
    """How a session stands, in sentences."""
    lines = list(table.reasons)
    score = ", ".join(f"{name} {points}" for name, points in zip(names, table.scores, strict=True))
    lines.append(f"Score: {score}.")
    if table.over:
        winners = " and ".join(names[seat] for seat in table.winners)
        lines.append(f"Winner: {winners}." if winners else "Nobody wins.")
    elif table.to_move is not None:
        lines.append(f"To move: {names[table.to_move]}.")
    return lines
