"""What is worth keeping of each session for statistics: who won, and what became of every try.

Only what everybody knows goes in, and no names: seats alone. To replay a thousand sessions takes
seconds, so what was worked out is kept in a file of the app's own; it is made again from the
journal where it is missing, and what the journal does not hold any more is dropped from it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.atomic_io import write_private
from companion.bounded_io import read_object_or_set_aside
from companion.core.attempts import Attempt
from companion.core.events import Event
from companion.core.game import Game
from companion.core.referee import Referee
from companion.core.setup import Setup
from companion.errors import CompanionError, UsageError

if TYPE_CHECKING:  # brings cryptography: only when it is needed
    from companion.journal import SessionInfo

FILE = "records.json"
#: A file longer than this, in bytes, is none of ours.
MAX_BYTES = 20_000_000
#: Grows when other things are kept: what was worked out before is worked out anew.
VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """What became of a session.

    Attributes:
        events: how many lines it had then; with more it is worked out anew.
        games: the winners' seats of every game that has ended, none for a draw without winners.
    """

    events: int
    games: tuple[tuple[int, ...], ...]
    attempts: tuple[Attempt, ...]


def record_of(game: Game[Any], setup: Setup, events: Iterable[Event], lines: int) -> Record:
    """Works out a session's record from the events that stand, as everybody may know them."""
    referee: Referee[Any] = Referee(game, setup)
    games: list[tuple[int, ...]] = []
    attempts: list[Attempt] = []
    before = referee.knowledge(None)
    for event in events:
        referee.submit(event)
        after = referee.knowledge(None)
        attempts += game.attempts(before, after)
        if after.table.over and not before.table.over:
            games.append(after.table.winners)
        elif after.table.over and games:
            games[-1] = after.table.winners  # a tie that is settled by agreement
        before = after
    return Record(lines, tuple(games), tuple(attempts))


def of_session(session: Any, lines: int) -> Record:
    """The record of a session of the journal."""
    standing = [node.event for node in session.referee.nodes if node.error is None]
    return record_of(session.game, session.setup, standing, lines)


def listed(journal: Any) -> dict[str, SessionInfo]:
    """The sessions of a journal by what tells them apart, the one that changed last first."""
    own = journal.identities()
    return {own[info.id]: info for info in journal.sessions() if info.id in own}


def catch_up(
    journal: Any, infos: Mapping[str, SessionInfo], records: dict[str, Record]
) -> Iterator[tuple[int, int]]:
    """Brings records up to date with a journal, a session a step.

    Args:
        journal: the matches that were kept.
        infos: as `listed` gives them.
        records: what was worked out; it is changed.

    Yields:
        How many sessions are done, and of how many.
    """
    for gone in records.keys() - infos.keys():
        del records[gone]
    wanted = [
        (key, info)
        for key, info in infos.items()
        if not info.damage and (key not in records or records[key].events != info.events)
    ]
    for number, (key, info) in enumerate(wanted, 1):
        records.pop(key, None)
        with contextlib.suppress(CompanionError), journal.glance(info.id) as session:
            records[key] = of_session(session, info.events)
        yield number, len(wanted)


# -- the file --------------------------------------------------------------------------------


def load(folder: Path) -> dict[str, Record]:
    """What was worked out, by what tells sessions apart; damaged entries are left out."""
    stored = read_object_or_set_aside(folder / FILE, MAX_BYTES)[0]
    entries = stored.get("sessions")
    if stored.get("version") != VERSION or not isinstance(entries, dict):
        return {}
    found = {own: _record(entry) for own, entry in entries.items()}
    return {own: record for own, record in found.items() if record is not None}


def save(folder: Path, records: Mapping[str, Record]) -> None:
    """Keeps it; a folder that cannot be written changes nothing else."""
    entries = {own: _plain(record) for own, record in records.items()}
    text = json.dumps({"version": VERSION, "sessions": entries}, separators=(",", ":"))
    with contextlib.suppress(UsageError):
        write_private(folder / FILE, text, folders=True)


def _plain(record: Record) -> list[Any]:
    attempts = [
        [attempt.seat, int(attempt.came_true), attempt.chance, attempt.length]
        for attempt in record.attempts
    ]
    return [record.events, record.games, attempts]


def _record(entry: Any) -> Record | None:
    """A stored record; None where it is none."""
    try:
        events, games, attempts = entry
        read = tuple(
            Attempt(seat, right == 1, chance, length) for seat, right, chance, length in attempts
        )
        record = Record(events, tuple(tuple(game) for game in games), read)
    except (TypeError, ValueError):
        return None
    seats = [seat for game in record.games for seat in game] + [attempt.seat for attempt in read]
    numbers = [events, *seats, *(attempt.length for attempt in read)]
    chances = [attempt.chance for attempt in read if attempt.chance is not None]
    are_whole = all(type(number) is int and number >= 0 for number in numbers)
    are_chances = all(isinstance(chance, int | float) and 0 <= chance <= 1 for chance in chances)
    return record if are_whole and are_chances else None
