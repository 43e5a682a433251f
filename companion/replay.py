"""A match step by step, from everybody's or one viewer's eyes, as text and as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.game import Game
from companion.notation import MatchText, write_event
from companion.referee import Entry, Referee
from companion.state import Finding, State, Table

#: Eyes that see every line: the file's owner, or the referee.
EVERYTHING = -1


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a replay.

    Attributes:
        n: the event's number in the match.
        text: the line, as far as the viewer may read it.
        applied: whether it took effect.
        error: kind and message of its refusal.
        notes: what the referee says about it.
        findings: what it contradicts, as far as the viewer can see.
        unfit: events that a correction made impossible.
    """

    n: int
    text: str
    applied: bool
    error: tuple[str, str] | None
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]
    unfit: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """As `replay --json` prints it."""
        error = None
        if self.error is not None:
            error = {"kind": self.error[0], "message": self.error[1]}
        return {"n": self.n, "event": self.text, "applied": self.applied, "error": error}


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

    def steps(self) -> Iterator[Step]:
        """Plays the match, one step for each line the viewer may know of."""
        for line in self.match.events:
            before = self.state.findings
            entry = self.referee.submit_line(line)
            text = self._text(entry)
            if text is None:
                continue
            state = self.state
            grew = len(state.findings) > len(before)
            yield Step(
                n=entry.n,
                text=text,
                applied=entry.applied,
                error=None if entry.error is None else (_kind(entry), entry.error.message),
                notes=state.notes if entry.applied else (),
                findings=state.findings[len(before) :] if grew and entry.applied else (),
                unfit=entry.unfit if self.viewer == EVERYTHING else (),
            )

    def final(self) -> dict[str, Any]:
        """As the last line of `replay --json`; call it after `steps`."""
        return final(self.match.game, self.state)

    def _text(self, entry: Entry) -> str | None:
        if entry.event is None:
            return entry.text if self.viewer == EVERYTHING else None
        if self.viewer == EVERYTHING:
            return write_event(self.match.game, self.match.setup, entry.event, comment=False)
        view = self.referee.view(self.viewer)
        if not view.log or self.referee.number_of(self.viewer, view.log[-1].step) != entry.n:
            return None
        return view.log[-1].text


def _kind(entry: Entry) -> str:
    kind = entry.error.kind if entry.error is not None else None
    return kind.value if kind is not None else "unreadable"


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


def describe(table: Table, names: tuple[str, ...]) -> list[str]:
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
