"""SQLite's connections to a journal's file, for writing and for reading alone."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

#: Milliseconds that another program which reads may hold things up.
BUSY_TIMEOUT_MS = 2000
#: Up to this size the whole file is checked when it is opened.
_CHECKED_BYTES = 16_000_000


def guard(db: sqlite3.Connection) -> None:
    """What holds for every connection that writes."""
    db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA foreign_keys = ON")


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Reads what stands; without its log if the folder lets nobody make one.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    address = f"file:{quote(str(path.absolute()))}"
    try:
        return _connect(address + "?mode=ro")
    except sqlite3.OperationalError:
        return _connect(address + "?mode=ro&immutable=1")


def _connect(address: str) -> sqlite3.Connection:
    db = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA trusted_schema = OFF")
        # Lets what is left of a file that was cut off be read.
        db.execute("PRAGMA writable_schema = ON")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def is_sound(db: sqlite3.Connection, path: Path) -> bool:
    """Whether no part of the file is damaged, as far as it is checked."""
    with suppress(OSError):
        if path.stat().st_size > _CHECKED_BYTES:
            return True
    try:
        found = db.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.Error:
        return False
    return found == [("ok",)]
