"""Mending: a new journal of all that can be read of a damaged one, which stays beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.journal.backup import set_aside
from companion.journal.device import FileDeviceKeys
from companion.journal.errors import JournalError, os_errors
from companion.journal.files import beside, locked, remove_files
from companion.journal.journal import Journal
from companion.journal.salvage import read_session, session_check
from companion.journal.store import Store


@dataclass(frozen=True, slots=True)
class Mended:
    """The outcome.

    Attributes:
        kept: sessions that go on.
        lost: sessions that could not be read at all.
        lines: lines that were not taken over, by session.
        aside: where the damaged file lies now.
    """

    kept: int
    lost: int
    lines: dict[int, int]
    aside: Path


def mend(path: Path, *, device: FileDeviceKeys | None = None) -> Mended:
    """Moves everything readable into a new journal, under the same name and the same keys.

    A session continues from before its first damaged event; what comes after is only in the file
    that is set aside.

    Raises:
        JournalError: nothing at all can be read, or the journal is in use.
    """
    part = beside(path, ".part")
    with os_errors(f"{path.parent} cannot be written"), locked(path):
        try:
            remove_files(part)
            with Journal(path, device=device, read_only=True) as old, closing(Store(part)) as fresh:
                kept, lost, lines = _copy(old, fresh)
            aside = set_aside(path, "damaged")
            part.replace(path)
        finally:
            remove_files(part)
    return Mended(kept, lost, lines, aside)


def _copy(old: Journal, fresh: Store) -> tuple[int, int, dict[int, int]]:
    """Takes over the journal's name, its players and every session that can be read."""
    kept = lost = 0
    lines: dict[int, int] = {}
    with fresh.transaction() as db:
        for row in _each(old.store, "SELECT key, CAST(value AS TEXT) FROM meta"):
            db.execute("INSERT INTO meta (key, value) VALUES (?, ?)", row)
        _copy_rows(old.store, db, "players", "uuid, name, key, stretch, failures, lock")
        for (number,) in _each(old.store, "SELECT id FROM sessions ORDER BY id"):
            db.execute("SAVEPOINT one")
            try:
                left = _copy_session(old, db, number)
            except (CompanionError, sqlite3.Error):
                db.execute("ROLLBACK TO one")
                lost += 1
                continue
            kept += 1
            if left:
                lines[number] = left
    return kept, lost, lines


def _copy_session(old: Journal, db: sqlite3.Connection, number: int) -> int:
    """Takes over the readable part of one session; returns how many lines are left behind."""
    stored = read_session(old.store, number)
    session = old.resume(number)
    check = session_check(stored.uuid, stored.setup, stored.begun, stored.names)
    turns = _each(old.store, "SELECT turn FROM sessions WHERE id = ?", number)
    turn = turns[0][0] if turns and type(turns[0][0]) is int else 0
    texts = (stored.uuid.decode(), stored.setup.decode())
    rest = (stored.begun, stored.referee_key, stored.revealed, check, turn)
    db.execute(
        'INSERT INTO sessions (id, uuid, setup, begun, referee_key, revealed, "check", turn)'
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (number, *texts, *rest),
    )
    # A player whose own row is lost keeps their seat, without their marks.
    db.executemany(
        "INSERT OR IGNORE INTO players (uuid, name, key) VALUES (?, ?, x'')",
        [(seat.player, seat.name) for seat in stored.seats],
    )
    seats = "session, seat, player, name, event_key, marks_key, gate"
    _copy_rows(old.store, db, "seats", seats, number)
    for n in range(1, session.referee.stands + 1):
        session.lines.rows[n].write(db, number)
    _copy_rows(old.store, db, "marks", "session, seat, sealed", number)
    _copy_rows(old.store, db, "exports", "session, path", number)
    return max(session.lines.last - session.referee.stands, 0)


def _copy_rows(
    store: Store, db: sqlite3.Connection, table: str, columns: str, session: int | None = None
) -> None:
    """Takes over the readable rows of a table, all or those of a session."""
    where, values = ("", ()) if session is None else (" WHERE session = ?", (session,))
    marks = ", ".join("?" for _ in columns.split(","))
    # Names of tables and columns stand above.
    rows = _each(store, f"SELECT {columns} FROM {table}{where}", *values)  # noqa: S608
    db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608


def _each(store: Store, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query up to the first that cannot be read."""
    rows = []
    try:
        for row in store.each(statement, *values):
            rows.append(row)  # noqa: PERF402  those before a damaged one count
    except JournalError:
        pass
    return rows
