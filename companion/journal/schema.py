"""The tables, and how older files are brought up to date.

`PRAGMA user_version` is the version of the layout. A migration takes a file from one version to the
next inside one transaction: if it is interrupted, the file stays as it was.

Version 2 added a check to each event (a flipped bit is noticed) and the players' marks. Version 3
added a lock to players and a gate to seats (in a backup, what is private stays sealed by a PIN), an
order of sessions that does not depend on the clock, and a list of the exports that deleting must
reach.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable
from struct import Struct

APPLICATION_ID = 0x54_54_43_4A  # "TTCJ"
VERSION = 3
CHECK_BYTES = 16
#: Before each value of a check: a letter for its kind, and the length of what follows.
_HEAD = Struct(">cQ")

TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    """CREATE TABLE players (
        uuid TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        key BLOB NOT NULL,              -- wrapped by the device, inside that by the PIN
        stretch BLOB,                   -- cost and salt of the PIN; NULL where there is none
        failures INTEGER NOT NULL DEFAULT 0,
        wait_until REAL NOT NULL DEFAULT 0,  -- of older versions; the wait is kept with the keys
        lock BLOB                       -- wrapped by the device; keys are put away for them with it
    ) WITHOUT ROWID""",
    """CREATE TABLE sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uuid TEXT NOT NULL UNIQUE,
        setup TEXT NOT NULL,            -- game, options, trust, cards as JSON; no names
        begun INTEGER NOT NULL,
        referee_key BLOB NOT NULL,      -- wrapped by the device; lines that are nobody's
        revealed INTEGER,               -- after which event everything was shown
        "check" BLOB NOT NULL,
        turn INTEGER NOT NULL DEFAULT 0 -- grows whenever another session is gone on with
    )""",
    """CREATE TABLE seats (
        session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL REFERENCES players(uuid),
        name TEXT NOT NULL,
        event_key BLOB NOT NULL,        -- wrapped by the device; private events of this seat;
                                        -- empty until its player's PIN was entered here once
        marks_key BLOB,                 -- wrapped by the player's key
        gate BLOB,                      -- the event key, sealed to the player's lock
        PRIMARY KEY (session, seat)
    ) WITHOUT ROWID""",
    """CREATE TABLE events (
        session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        n INTEGER NOT NULL,
        at INTEGER NOT NULL,
        applied INTEGER NOT NULL,
        public TEXT NOT NULL,           -- what everybody may know, in notation, seats as #1 #2
        comment TEXT NOT NULL,
        sealed BLOB,
        "check" BLOB NOT NULL,
        PRIMARY KEY (session, n)
    ) WITHOUT ROWID""",
    """CREATE TABLE marks (
        session INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        PRIMARY KEY (session, seat),
        FOREIGN KEY (session, seat) REFERENCES seats(session, seat) ON DELETE CASCADE
    ) WITHOUT ROWID""",
    # What follows from the events, kept so that lists need not replay them.
    """CREATE TABLE summaries (
        session INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
        upto INTEGER NOT NULL,
        touched INTEGER NOT NULL,
        over INTEGER NOT NULL,
        winners TEXT NOT NULL,          -- seats as JSON
        "check" BLOB NOT NULL           -- over this and the session's matches and scores
    )""",
    """CREATE TABLE matches (
        session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        number INTEGER NOT NULL,        -- only the last match is kept
        first INTEGER NOT NULL,         -- its first event
        starter INTEGER NOT NULL,
        over INTEGER NOT NULL,
        winners TEXT NOT NULL,
        reasons TEXT NOT NULL,
        PRIMARY KEY (session, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE scores (
        session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        match INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        points INTEGER NOT NULL,        -- of the session, after that match
        PRIMARY KEY (session, match, seat)
    ) WITHOUT ROWID""",
    # Files in the program's own folder that hold a session: they are deleted with it.
    """CREATE TABLE exports (
        session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        path TEXT NOT NULL,
        PRIMARY KEY (session, path)
    ) WITHOUT ROWID""",
)
#: What else a journal's file may hold: SQLite's own.
_OWN = frozenset({"sqlite_sequence"})
_COMPUTED = re.compile(r"\bVIRTUAL\b|\bCHECK\s*\(|\bDEFAULT\s*\(|\bGENERATED\b", re.IGNORECASE)


def check_of(*values: object) -> bytes:
    """A checksum over a row's values: it detects flipped bits and swapped rows, and needs no key.

    Args:
        values: text, bytes, numbers or None; in a damaged file any of them in any place.
    """
    parts: list[bytes] = []
    for value in values:
        if isinstance(value, bytes):
            letter, data = b"b", value
        elif isinstance(value, str):
            letter, data = b"s", value.encode("utf-8", "surrogatepass")
        else:
            letter, data = type(value).__name__[0].encode(), repr(value).encode()
        parts += (_HEAD.pack(letter, len(data)), data)
    return hashlib.sha256(b"".join(parts)).digest()[:CHECK_BYTES]


def strangers(db: sqlite3.Connection) -> tuple[str, ...]:
    """What a file holds that no journal has: triggers, views, foreign tables, computed columns.

    A file that was made elsewhere may hold statements that run when it is read or written.
    """
    known = {text.split("(", 1)[0].split()[2] for text in TABLES} | _OWN
    found = []
    for kind, name, text in db.execute(
        "SELECT CAST(type AS TEXT), CAST(name AS TEXT), CAST(sql AS TEXT) FROM sqlite_master"
    ):
        if kind == "index" and text is None:
            continue
        if kind != "table" or name not in known or _COMPUTED.search(text or ""):
            found.append(f"{kind} {name}")
        elif any(row[6] for row in db.execute(f'PRAGMA table_xinfo("{name}")')):
            found.append(f"computed column in {name}")
    return tuple(found)


def create(db: sqlite3.Connection) -> None:
    """Makes the tables of the present version; the caller holds the transaction."""
    for statement in TABLES:
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def migrate(db: sqlite3.Connection, version: int) -> None:
    """Brings an older file up to date; the caller holds the transaction."""
    while version < VERSION:
        MIGRATIONS[version](db)
        version += 1
        db.execute(f"PRAGMA user_version = {version}")


def _to_2(db: sqlite3.Connection) -> None:
    """Checks for sessions and events, marks, and the match at which everything was shown."""
    db.execute("ALTER TABLE sessions ADD COLUMN \"check\" BLOB NOT NULL DEFAULT x''")
    db.execute("ALTER TABLE sessions ADD COLUMN revealed INTEGER")
    db.execute("ALTER TABLE events ADD COLUMN \"check\" BLOB NOT NULL DEFAULT x''")
    db.execute("ALTER TABLE summaries ADD COLUMN \"check\" BLOB NOT NULL DEFAULT x''")
    db.execute("DELETE FROM summaries")  # made again from the events
    db.execute("ALTER TABLE seats ADD COLUMN marks_key BLOB")
    db.execute(next(text for text in TABLES if "CREATE TABLE marks" in text))
    for number, uuid, setup, begun in db.execute(
        "SELECT id, CAST(uuid AS BLOB), CAST(setup AS BLOB), begun FROM sessions"
    ).fetchall():
        names = db.execute("SELECT name FROM seats WHERE session = ? ORDER BY seat", (number,))
        check = check_of(uuid, setup, begun, *(name for (name,) in names))
        db.execute('UPDATE sessions SET "check" = ? WHERE id = ?', (check, number))
        for row in db.execute(
            "SELECT n, at, applied, CAST(public AS BLOB), CAST(comment AS BLOB), sealed"
            " FROM events WHERE session = ?",
            (number,),
        ).fetchall():
            db.execute(
                'UPDATE events SET "check" = ? WHERE session = ? AND n = ?',
                (check_of(uuid, *row), number, row[0]),
            )


def _to_3(db: sqlite3.Connection) -> None:
    """Locks and gates (filled when the device's key is at hand), turns, exports."""
    db.execute("ALTER TABLE players ADD COLUMN lock BLOB")
    db.execute("ALTER TABLE seats ADD COLUMN gate BLOB")
    db.execute("ALTER TABLE sessions ADD COLUMN turn INTEGER NOT NULL DEFAULT 0")
    db.execute(next(text for text in TABLES if "CREATE TABLE exports" in text))
    ordered = db.execute(
        "SELECT id FROM sessions ORDER BY coalesce((SELECT touched FROM summaries WHERE session ="
        " id), (SELECT max(at) FROM events WHERE session = id), begun), id"
    ).fetchall()
    for turn, (number,) in enumerate(ordered, 1):
        db.execute("UPDATE sessions SET turn = ? WHERE id = ?", (turn, number))
        _shorten(db, number)


def _shorten(db: sqlite3.Connection, number: int) -> None:
    """Of a session's matches only the last one is kept, and checked with its summary."""
    last = "(SELECT max(number) FROM matches WHERE session = ?1)"
    for table, column in (("matches", "number"), ("scores", "match")):
        # Names from the line above.
        db.execute(f"DELETE FROM {table} WHERE session = ?1 AND {column} != {last}", (number,))  # noqa: S608
    head = db.execute(
        "SELECT session, upto, touched, over, winners FROM summaries WHERE session = ?", (number,)
    ).fetchone()
    match = db.execute(
        "SELECT number, first, starter, over, winners, reasons FROM matches WHERE session = ?",
        (number,),
    ).fetchone()
    scores = db.execute(
        "SELECT points FROM scores WHERE session = ? ORDER BY seat", (number,)
    ).fetchall()
    if head is not None and match is not None:
        check = check_of(*head, *match, *(points for (points,) in scores))
        db.execute('UPDATE summaries SET "check" = ? WHERE session = ?', (check, number))


#: Version → what takes a file from it to the next one.
MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _to_2, 2: _to_3}
