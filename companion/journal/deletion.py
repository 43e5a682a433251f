"""Deleting for good: keys first, then rows, then the space they used.

It reaches every copy that the program made itself: `mend` and `restore` set the existing file
aside, a program that was killed may leave unfinished files, and matches are exported into a folder
beside the journal. Copies and backups elsewhere are the user's to delete.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from companion.journal import schema
from companion.journal.device import FileDeviceKeys
from companion.journal.errors import BusyError, FullError, JournalError
from companion.journal.files import remove, remove_files
from companion.journal.keyring import Keyring, is_name
from companion.journal.store import Store

#: The folder beside the journal that matches are exported into.
EXPORTS = "exports"
#: What matches are written as for people: texts, pages, pictures.
_KINDS = (".txt", ".html", ".png")
#: Files of the app beside the journal that name players or tell of matches; a damaged one is set
#: aside under its name and `.damaged`.
APP_FILES = ("people.json", "records.json", "tables.json")


def delete_session(store: Store, number: int, keyring: Keyring) -> tuple[Path, ...]:
    """Deletes a session that is closed; see `companion.journal.journal.Journal.delete`.

    Returns:
        Files that were set aside and too damaged for that; they were deleted as a whole.

    Raises:
        BusyError: it is deleted, but another program is reading the file.
        JournalError: there is no such session, or it cannot be deleted now.
    """
    rows = store.rows("SELECT CAST(uuid AS TEXT) FROM sessions WHERE id = ?", number)
    if not rows:
        raise JournalError(f"There is no session {number} in {store.path}.")
    exports = exports_of(store, number)
    try:
        reader = _delete_session(store, number)
    except FullError:
        store.tighten()
        reader = _delete_session(store, number)
    if store.tight:
        store.loosen()
    for export in exports:
        remove(export)
    for part in _unfinished(store.path):
        remove_files(part)
    gone = tuple(
        copy
        for copy in _set_aside(store.path)
        if not _forget_session(copy, str(rows[0][0]), keyring)
    )
    if reader is not None:
        raise reader
    return gone


def _delete_session(store: Store, number: int) -> BusyError | None:
    """Deletes a session's keys and rows; returns why the space they used is not wiped yet."""
    with store.transaction(deleting=True) as db:
        _delete_keys(db, number)
    reader: BusyError | None = None
    try:
        if not store.tight:
            store.merge()
    except BusyError as error:
        reader = error
    with store.transaction(deleting=True) as db:
        _delete_rows(db, number)
    store.wipe()
    return reader


def delete_files(path: Path, device: FileDeviceKeys) -> None:
    """Deletes a closed journal with all that the program keeps beside it.

    Raises:
        JournalError: a file cannot be removed.
    """
    for copy in _set_aside(path):
        _remove_copy(copy, device)
    for part in _unfinished(path):
        remove_files(part)
    remove_files(path)
    _remove_all_exports(path)
    for name in APP_FILES:
        remove(path.with_name(name))
        remove(path.with_name(f"{name}.damaged"))


# -- rows -------------------------------------------------------------------------------------


def _delete_keys(db: sqlite3.Connection, number: int) -> None:
    """Deletes the keys of a session, so that its rows cannot be opened any more."""
    db.execute("UPDATE sessions SET referee_key = x'' WHERE id = ?", (number,))
    have = {row[1] for row in db.execute("PRAGMA table_info(seats)")}
    for column, nothing in (("event_key", "x''"), ("marks_key", "NULL"), ("gate", "NULL")):
        if column in have:
            db.execute(f"UPDATE seats SET {column} = {nothing} WHERE session = ?", (number,))  # noqa: S608


def _delete_rows(db: sqlite3.Connection, number: int) -> None:
    """Deletes a session, and players who are in no other session."""
    there = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in ("marks", "scores", "matches", "summaries", "exports", "events", "seats"):
        if table in there:
            # The table's name comes from the line above.
            db.execute(f"DELETE FROM {table} WHERE session = ?", (number,))  # noqa: S608
    db.execute("DELETE FROM sessions WHERE id = ?", (number,))
    db.execute("DELETE FROM players WHERE uuid NOT IN (SELECT player FROM seats)")


# -- copies and exports -----------------------------------------------------------------------


def _forget_session(copy: Path, uuid: str, keyring: Keyring) -> bool:
    """Deletes a session from a file that was set aside.

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
                _delete_keys(db, number)
                _delete_rows(db, number)
            if numbers:
                db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, UnicodeError):
        # A mended file depends on the journal's own key, which stays.
        _remove_copy(copy, keyring.device, keep=keyring.name)
        return False
    return True


def _remove_copy(copy: Path, device: FileDeviceKeys, *, keep: str = "") -> None:
    """Removes a file that was set aside, its keys first, but for the one to keep."""
    for name in _key_names(copy):
        if name != keep:
            device.destroy(name)
    remove_files(copy)


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


def exports_of(store: Store, number: int) -> tuple[Path, ...]:
    """The exports of a session that are still there."""
    rows = store.rows("SELECT path FROM exports WHERE session = ?", number)
    # What does not lie in the folder is none of ours.
    names = [str(name) for (name,) in rows if Path(str(name)).name == str(name)]
    paths = (store.path.with_name(EXPORTS) / name for name in names)
    return tuple(path for path in paths if path.is_file() or path.is_symlink())


def _remove_all_exports(path: Path) -> None:
    """Removes every exported text, page and picture beside a journal."""
    found: list[Path] = []
    with suppress(OSError):
        found = [one for one in path.with_name(EXPORTS).iterdir() if one.suffix in _KINDS]
    for one in found:
        remove(one)


def _set_aside(path: Path) -> list[Path]:
    """The files that were set aside from a journal's place."""
    aside = r"\.(?:damaged|before-restore)-\d{8}-\d{6}(?:-\d+)?"
    return _matching(path.parent, f"{re.escape(path.stem)}{aside}{re.escape(path.suffix)}")


def _unfinished(path: Path) -> list[Path]:
    """Files that were being written when the program was killed."""
    name = re.escape(path.name)
    return _matching(path.parent, rf"{name}\.part.*|\.{name}(?:\..*)?\.part")


def _matching(folder: Path, pattern: str) -> list[Path]:
    """Files of a folder by name, in order."""
    with suppress(OSError):
        return sorted(
            found
            for found in folder.iterdir()
            if re.fullmatch(pattern, found.name, re.DOTALL) and not found.is_dir()
        )
    return []
