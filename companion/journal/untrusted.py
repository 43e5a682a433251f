"""Reading a journal's file that somebody else may have made: a backup, before it is restored.

An SQLite file can hold statements that run when it is read or written (triggers, views, computed
columns), values of any type in any column, and texts that are not valid text. So its tables are
first compared with ours, and its rows are copied one by one into a new file, each value checked.
What is computed from keys is checked where it is used.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.core.names import check_names
from companion.errors import CompanionError
from companion.journal import schema
from companion.journal.errors import DamagedError, NewerError

#: Bytes of a backup, and of one value in it; a season of play takes some millions.
MOST_BYTES = 1 << 30
_MOST_VALUE = 4_000_000
_MOST_NUMBER = 1 << 40
_FEW = 64


@contextmanager
def opened(source: Path) -> Iterator[sqlite3.Connection]:
    """A backup, to read from; an older one as it is after it was brought up to date.

    Raises:
        JournalError: it is too big, damaged, newer than the program, or holds what no backup has.
    """
    if source.stat().st_size > MOST_BYTES:
        raise DamagedError(f"{source} is too big for a backup of a journal.")
    address = f"file:{quote(str(source.absolute()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as db:
        _distrust(db)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > schema.VERSION:
                raise NewerError(
                    f"{source} was written by a newer version of the program: update it."
                )
            found = schema.strangers(db)
            if found:
                raise DamagedError(
                    f"{source} holds what no backup of a journal has ({found[0][:80]}): it was "
                    "changed, and is not taken up."
                )
            if db.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                raise DamagedError(f"The backup {source} is damaged.")
            if version == schema.VERSION:
                yield db
            elif version in schema.MIGRATIONS:
                with _migrated(db, version) as newer:
                    yield newer
            else:
                raise DamagedError(f"{source} is no backup of a journal, or damaged.")
        except (UnicodeError, OverflowError, TypeError) as error:
            raise DamagedError(f"The backup {source} is damaged.") from error


@contextmanager
def _migrated(db: sqlite3.Connection, version: int) -> Iterator[sqlite3.Connection]:
    """An older backup, brought up to date in memory."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as newer:
        db.backup(newer)
        _distrust(newer)
        newer.execute("BEGIN")
        schema.migrate(newer, version)
        newer.execute("COMMIT")
        yield newer


def _distrust(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    db.execute("PRAGMA mmap_size = 0")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
    db.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 50)


def copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copies every row of a backup except those about the backup itself.

    Args:
        source: from `opened`.
        target: a new journal, in a transaction.

    Raises:
        DamagedError: a value is not as the program writes it; the target must not be used.
    """
    for table, columns in _COLUMNS.items():
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" for _ in columns)
        checks = tuple(columns.values())
        # Names of tables and columns are those below.
        rows = source.execute(f"SELECT {names} FROM {table}")  # noqa: S608
        target.executemany(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608
            (_looked_at(table, row, checks) for row in rows),
        )
    for (session,) in target.execute("SELECT id FROM sessions").fetchall():
        seats = target.execute(
            "SELECT seat, name FROM seats WHERE session = ? ORDER BY seat", (session,)
        ).fetchall()
        if [seat for seat, _ in seats] != list(range(len(seats))):
            raise DamagedError("The backup is damaged: the seats of a session are not all there.")
        try:
            check_names(tuple(name for _, name in seats))
        except CompanionError as error:
            raise DamagedError(f"The backup is damaged: {error.message}") from error


Check = Callable[[Any], bool]


def _looked_at(table: str, row: tuple[Any, ...], checks: tuple[Check, ...]) -> tuple[Any, ...]:
    for value, good in zip(row, checks, strict=True):
        if not good(value):
            raise DamagedError(f"The backup is damaged: a value among its {table} is none of ours.")
    return row


def _number(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST_NUMBER


def _points(value: Any) -> bool:
    return type(value) is int and abs(value) < _MOST_NUMBER


def _bytes(value: Any) -> bool:
    return isinstance(value, bytes)


def _text(value: Any) -> bool:
    """Text without control characters for a terminal."""
    return isinstance(value, str) and all(c >= " " or c == "\t" for c in value)


def _uuid(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _FEW and value.isascii() and value.isalnum()


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(kind: type) -> Check:
    def check(value: Any) -> bool:
        try:
            found = json.loads(value) if isinstance(value, str) else None
        except (ValueError, RecursionError):
            return False
        return isinstance(found, list) and all(
            type(each) is kind and (kind is not str or _text(each)) for each in found
        )

    return check


#: Parents first. What is not named here is not taken over.
_COLUMNS: dict[str, dict[str, Check]] = {
    "players": {
        "uuid": _uuid,
        "name": _text,
        "key": _bytes,
        "stretch": _maybe(_bytes),
        "failures": _number,
        "lock": _maybe(_bytes),
    },
    "sessions": {
        "id": _number,
        "uuid": _uuid,
        "setup": _text,
        "begun": _number,
        "referee_key": _bytes,
        "revealed": _maybe(_number),
        "check": _bytes,
        "turn": _number,
    },
    "seats": {
        "session": _number,
        "seat": _number,
        "player": _uuid,
        "name": _text,
        "event_key": _bytes,
        "marks_key": _maybe(_bytes),
        "gate": _maybe(_bytes),
    },
    "events": {
        "session": _number,
        "n": _number,
        "at": _number,
        "applied": _number,
        "public": _text,
        "comment": _text,
        "sealed": _maybe(_bytes),
        "check": _bytes,
    },
    "marks": {"session": _number, "seat": _number, "sealed": _bytes},
    "summaries": {
        "session": _number,
        "upto": _number,
        "touched": _number,
        "over": _number,
        "winners": _list_of(int),
        "check": _bytes,
    },
    "matches": {
        "session": _number,
        "number": _number,
        "first": _number,
        "starter": _number,
        "over": _number,
        "winners": _list_of(int),
        "reasons": _list_of(str),
    },
    "scores": {"session": _number, "match": _number, "seat": _number, "points": _points},
}
