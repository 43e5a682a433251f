"""Copies of a journal that the program made itself, so that deleting reaches them too.

`mend` and `restore` set the existing file aside, a program that was killed may leave unfinished
files, and matches are exported into a folder beside the journal. Copies and backups elsewhere are
the user's to delete.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from companion.journal import schema
from companion.journal.device import DeviceKeys
from companion.journal.errors import JournalError
from companion.journal.files import remove_files
from companion.journal.keyring import is_name

#: The folder beside the journal that matches are exported into.
EXPORTS = "exports"
#: Files of the app beside the journal that name players or tell of matches; a damaged one is set
#: aside under its name and `.damaged`.
APP_FILES = ("people.json", "records.json", "tables.json")
_ASIDE = r"\.(?:damaged|before-restore)-\d{8}-\d{6}(?:-\d+)?"


def set_aside(path: Path) -> tuple[Path, ...]:
    """The files that were set aside from a journal's place."""
    pattern = re.compile(re.escape(path.stem) + _ASIDE + re.escape(path.suffix))
    return tuple(found for found in _beside(path) if pattern.fullmatch(found.name))


def unfinished(path: Path) -> tuple[Path, ...]:
    """Files that were being written when the program was killed."""
    begins = (path.name + ".part", f".{path.name}.")
    return tuple(
        found
        for found in _beside(path)
        if found.name.startswith(begins[0])
        or (found.name.startswith(begins[1]) and found.name.endswith(".part"))
    )


def forget_session(copy: Path, uuid: str, device: DeviceKeys, keep: str) -> bool:
    """Deletes a session from a file that was set aside.

    Args:
        copy: the file.
        uuid: which session.
        device: keeps the file's key.
        keep: the name of the journal's own key, on which a mended file depends too.

    Returns:
        Whether the file is still there: one that is too damaged is deleted as a whole.

    Raises:
        JournalError: it cannot be removed.
    """
    try:
        with closing(sqlite3.connect(copy, isolation_level=None)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA secure_delete = ON")
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",) or schema.strangers(db):
                raise sqlite3.DatabaseError
            numbers = db.execute("SELECT id FROM sessions WHERE uuid = ?", (uuid,)).fetchall()
            for (number,) in numbers:
                delete_rows(db, number)
            if numbers:
                db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, UnicodeError):
        remove_copy(copy, device, keep)
        return False
    return True


def remove_copy(copy: Path, device: DeviceKeys, keep: str = "") -> None:
    """Removes a file that was set aside, its key first.

    Args:
        copy: the file.
        device: keeps its key.
        keep: the name of a key that is still needed.

    Raises:
        JournalError: one of them cannot be removed.
    """
    for name in _key_names(copy):
        if name != keep:
            device.destroy(name)
    remove_files(copy)


def delete_rows(db: sqlite3.Connection, number: int) -> None:
    """Deletes a session, keys first, and players who are in no other session.

    Args:
        db: the file; if no transaction is open each of the two steps is one.
        number: the session.
    """
    delete_keys(db, number)
    there = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in ("marks", "scores", "matches", "summaries", "exports", "events", "seats"):
        if table in there:
            # The table's name comes from the line above.
            db.execute(f"DELETE FROM {table} WHERE session = ?", (number,))  # noqa: S608
    db.execute("DELETE FROM sessions WHERE id = ?", (number,))
    db.execute("DELETE FROM players WHERE uuid NOT IN (SELECT player FROM seats)")


def delete_keys(db: sqlite3.Connection, number: int) -> None:
    """Deletes the keys of a session, so that its rows cannot be opened any more."""
    db.execute("UPDATE sessions SET referee_key = x'' WHERE id = ?", (number,))
    have = {row[1] for row in db.execute("PRAGMA table_info(seats)")}
    for column, nothing in (("event_key", "x''"), ("marks_key", "NULL"), ("gate", "NULL")):
        if column in have:
            db.execute(f"UPDATE seats SET {column} = {nothing} WHERE session = ?", (number,))  # noqa: S608


#: What matches are written as for people: texts, pages, pictures.
_KINDS = (".txt", ".html", ".png")


def remove_exports(path: Path, names: tuple[str, ...] | None = None) -> None:
    """Removes exported matches beside a journal.

    Args:
        path: the journal.
        names: names of the files; None for every text, page and picture there.

    Raises:
        JournalError: one cannot be removed.
    """
    folder = path.with_name(EXPORTS)
    if names is None:
        with suppress(OSError):
            names = tuple(found.name for found in folder.iterdir() if found.suffix in _KINDS)
    for name in names or ():
        if Path(name).name != name:
            continue  # nothing of ours: it would lie elsewhere
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise JournalError(f"{folder / name} cannot be removed: {error.strerror}.") from error


def remove_app_files(path: Path) -> None:
    """Removes what the app keeps beside a journal of players and matches.

    Raises:
        JournalError: one cannot be removed.
    """
    for name in APP_FILES:
        for found in (path.with_name(name), path.with_name(f"{name}.damaged")):
            try:
                found.unlink(missing_ok=True)
            except OSError as error:
                raise JournalError(f"{found} cannot be removed: {error.strerror}.") from error


def _key_names(copy: Path) -> tuple[str, ...]:
    """Names of the device's keys that a file depends on, as far as it can be read."""
    try:
        with closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as db:
            rows = db.execute(
                "SELECT CAST(value AS TEXT) FROM meta WHERE key IN ('journal', 'retired')"
            ).fetchall()
    except (sqlite3.Error, UnicodeError):
        return ()
    return tuple(name for (name,) in rows if is_name(name))


def _beside(path: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(found for found in path.parent.iterdir() if not found.is_dir())
