"""What the referee announces about a line: to all, and to the player whose secret it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from companion.cli.common import complain
from companion.core.entries import Entry
from companion.core.events import REDO, UNDO, Event
from companion.core.notation import MatchText
from companion.core.referee import Referee
from companion.core.replay import describe
from companion.core.state import State
from companion.core.undo import lines_of
from companion.errors import CompanionError, UsageError

#: What an undo and a redo did.
TAKEN = {UNDO: "Undone", REDO: "Redone"}


def apply_match(match: MatchText, referee: Referee[Any], *, keep_going: bool) -> None:
    """Applies a match file and prints what the referee announces.

    Args:
        match: the file.
        referee: takes its lines.
        keep_going: whether to read on after a refused line that leaves a question open.

    Raises:
        UsageError: it stopped there; later lines would answer an older question.
    """
    said: set[str] = set()
    for line in match.events:
        entry = referee.submit_line(line)
        for text in remarks(referee, entry):
            said.add(text)
            click.echo(text)
        error = _error_of(entry)
        if error is None:
            continue
        complain(f"{entry.n}: {error.message}")
        if not keep_going and referee.game.awaits_answer(referee.state):
            raise UsageError(
                f"Stopped at line {entry.n}: a question waits for its answer, and later lines "
                "would be taken for it (--keep-going reads on)."
            )
    echo_standing(referee.state, said)


def remarks(referee: Referee[Any], entry: Entry) -> Iterator[str]:
    """What is said about an accepted line, to all and to its player."""
    if entry.error is not None:
        return
    event = entry.event
    assert event is not None
    taken = taken_back(referee, entry)
    if taken:
        yield f"{TAKEN[event.verb]}: {'; '.join(taken)}."
    yield from public_notes(referee, entry)
    yield from (f"({referee.setup.name(event.seat)} only) {t}" for t in own_notes(referee, event))
    yield from faults(referee, entry)


def taken_back(referee: Referee[Any], entry: Entry) -> tuple[str, ...]:
    """The lines that an undo took back or a redo restored, as everybody may read them."""
    if entry.event is None or entry.event.verb not in TAKEN:
        return ()
    return lines_of(referee, entry.affects)


def public_notes(referee: Referee[Any], entry: Entry) -> tuple[str, ...]:
    """What is said to all about a line; nothing about one that nobody is told of.

    After an undo the newest notes are about an older line, which is no news.
    """
    if entry.event is not None and entry.event.verb == UNDO:
        return ()
    _, last = referee.lines_seen(None)
    return referee.knowledge(None).remarks if last == entry.n else ()


def own_notes(referee: Referee[Any], event: Event) -> list[str]:
    """What is said to the player of a private event alone."""
    if event.is_public:
        return []
    public = referee.knowledge(None).remarks
    return [note for note in referee.knowledge(event.seat).remarks if note not in public]


def faults(referee: Referee[Any], entry: Entry) -> Iterator[str]:
    """What a line contradicts or made impossible, as everybody may know it."""
    known = {finding.message for finding in referee.knowledge(None).findings}
    for finding in entry.findings:
        if finding.message in known:
            yield f"! {finding.message}"
    for line in referee.misfits(entry, None):
        yield f"! No longer fits: {line}"


def _error_of(entry: Entry) -> CompanionError | None:
    """Why a line was refused, as its own audience may know it."""
    event = entry.event
    return entry.error_for(None if event is None or event.is_public else event.seat)


def echo_standing(state: State, said: set[str]) -> None:
    """How the match stands, without what was already said."""
    for text in describe(state.table, state.setup.players):
        if text not in said:
            click.echo(text)
