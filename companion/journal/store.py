"""The SQLite file: opening it, for writing by one process and for reading by others, durably.

WAL with `synchronous=FULL`: a transaction is on the disk when it is committed. `secure_delete`
overwrites what is deleted. A file that cannot be written, is in use or is damaged is opened for
reading, and `notice` says why.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.journal import schema
from companion.journal.device import sync_folder
from companion.journal.errors import (
    BusyError,
    DamagedError,
    FullError,
    JournalError,
    NewerError,
    ReadOnlyError,
)
from companion.journal.lock import ProcessLock

MAGIC = b"SQLite format 3\0"
#: Up to this size the whole file is looked through when it is opened.
CHECKED_BYTES = 16_000_000
#: A transaction is on the disk when it is committed, whatever becomes of the device.
SYNCHRONOUS = "FULL"
_SIDES = ("-wal", "-shm", "-journal")


class Store:
    """A journal's file.

    Args:
        path: the file; made with its folder where it is missing and may be written.
        read_only: open it for reading only, whatever else is possible.

    Attributes:
        notice: why it is open for reading only; empty where it may be written.
        fresh: whether it was made just now.

    Raises:
        JournalError: it is no journal, or cannot even be read.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.notice = "It was opened for reading only." if read_only else ""
        self.fresh = False
        self._mutex = threading.RLock()
        self._lock = ProcessLock(path.with_name(path.name + ".lock"))
        self._db: sqlite3.Connection | None = None
        try:
            self._open()
        except BaseException:
            self._drop()
            raise

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        return bool(self.notice)

    # -- using it ---------------------------------------------------------------------------

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            JournalError: they cannot be read.
        """
        with self._mutex, self.translated():
            return self._connection().execute(statement, values).fetchall()

    def each(self, statement: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one, so that those before a damaged place arrive.

        Raises:
            JournalError: from the first row on that cannot be read.
        """
        with self._mutex, self.translated():
            yield from self._connection().execute(statement, values)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """What is done inside is on the disk when this ends without an exception, else undone.

        Raises:
            JournalError: it is read-only, full, in use or damaged; nothing was written.
        """
        if self.read_only:
            raise ReadOnlyError(f"Nothing can be recorded in {self.path}. {self.notice}")
        with self._mutex, self.translated():
            db = self._connection()
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def wipe(self) -> None:
        """Leaves nothing of deleted rows behind: not in the file, not in the log beside it.

        Raises:
            JournalError: another program is reading the file, or there is no room to rewrite it.
        """
        with self._mutex, self.translated():
            self._connection().execute("VACUUM")
        self.merge()

    def merge(self) -> None:
        """Brings what stands in the write-ahead log into the file, and empties the log.

        Raises:
            BusyError: another program is reading the file.
        """
        with self._mutex, self.translated():
            busy = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise BusyError(
                f"Another program is reading {self.path}: close it there, so that what was "
                "deleted is also wiped from the disk."
            )

    def close(self) -> None:
        """Closes the file and lets others write it."""
        with self._mutex:
            if self._db is not None and not self.read_only:
                with suppress(JournalError):
                    self.merge()
            self._drop()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turns SQLite's errors into the journal's."""
        try:
            yield
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise in_words(error, self.path) from error

    def deny(self, why: str) -> None:
        """From now on nothing is written any more; `notice` says why."""
        self._note(why)

    # -- opening ----------------------------------------------------------------------------

    def _open(self) -> None:
        exists = self._look()
        if not self.read_only and not exists:
            self._make_folder()
        if not self.read_only:
            self._take_lock()
        if not exists and self.read_only:
            raise JournalError(f"There is no journal {self.path}, and none can be made.")
        if not self.read_only:
            self._open_for_writing()
        if self._db is None:
            with self.translated():
                self._connect_for_reading()
        self._check_kind()
        if not self.read_only and not self._is_sound():
            self._drop()
            self.notice = _DAMAGED
            with self.translated():
                self._connect_for_reading()

    def _open_for_writing(self) -> None:
        """Connects and brings the tables up to date; a file that cannot be written is left."""
        try:
            with self.translated():
                version = self._connect()
                if version > schema.VERSION:
                    self.notice = _newer(version)
                else:
                    self._prepare(version)
        except DamagedError:
            self.notice = _DAMAGED
        if self.read_only:
            self._drop()

    def _look(self) -> bool:
        """Whether the file is there, and worth opening."""
        try:
            with self.path.open("rb") as file:
                head = file.read(len(MAGIC))
        except FileNotFoundError:
            return False
        except OSError as error:
            reason = error.strerror or error
            raise JournalError(f"The journal {self.path} cannot be read: {reason}.") from error
        if head and head != MAGIC:
            raise DamagedError(
                f"{self.path} is no journal, or its beginning is damaged: restore a backup of it, "
                "or move it away to begin a new one."
            )
        # Not by opening it: closing it again would drop the locks of a connection to it.
        if head and not os.access(
            self.path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
        ):
            self._note("The file may not be written: it is open for reading only.")
        return bool(head)

    def _make_folder(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise JournalError(f"{self.path.parent} cannot be made: {reason}.") from error

    def _take_lock(self) -> None:
        try:
            taken = self._lock.acquire()
        except OSError:
            self._note("Its folder may not be written: it is open for reading only.")
            return
        if not taken:
            self._note(
                f"The journal is in use by {self._lock.holder()}: it is open for reading only."
            )

    def _note(self, why: str) -> None:
        self.notice = self.notice or why

    def _connect(self) -> int:
        """Opens the file for writing; returns the version of its tables, 0 where it has none."""
        db = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        self._db = db
        # Another program that reads may hold things up for a moment.
        db.execute("PRAGMA busy_timeout = 2000")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA foreign_keys = ON")
        version: int = db.execute("PRAGMA user_version").fetchone()[0]
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._check_kind()
        if version <= schema.VERSION:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            with suppress(OSError):
                self.path.chmod(0o600)
                sync_folder(self.path.parent)
        return version

    def _connect_for_reading(self) -> None:
        """Reads what stands; without its log where the folder lets nobody make one."""
        address = f"file:{quote(str(self.path.absolute()))}"
        for options in ("?mode=ro", "?mode=ro&immutable=1"):
            db = sqlite3.connect(
                address + options, uri=True, isolation_level=None, check_same_thread=False
            )
            try:
                # Lets what is left of a file that was cut off be read.
                db.execute("PRAGMA writable_schema = ON")
                db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError:
                db.close()
                if "immutable" in options:
                    raise
                continue
            except sqlite3.Error:
                db.close()
                raise
            self._db = db
            db.execute("PRAGMA busy_timeout = 2000")
            return

    def _check_kind(self) -> None:
        """Refuses a file that is not ours.

        Raises:
            JournalError: it is another program's, or of a version this one cannot read.
        """
        with self.translated():
            db = self._connection()
            version = db.execute("PRAGMA user_version").fetchone()[0]
            names = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        if not {"sessions", "events", "seats"} <= names:
            if version > schema.VERSION:
                raise NewerError(f"{self.path} cannot be read. {_newer(version)}")
            raise DamagedError(f"{self.path} is no journal of this program, or too damaged.")
        if self.read_only and version in schema.MIGRATIONS:
            raise JournalError(
                f"{self.path} was written by an older version: open it once where it may be "
                f"written, so that it is brought up to date. {self.notice}"
            )

    def _prepare(self, version: int) -> None:
        """Makes the tables, or brings older ones up to date."""
        if version == schema.VERSION:
            return
        db = self._connection()
        self.fresh = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not self.fresh and version not in schema.MIGRATIONS:
            raise DamagedError(f"{self.path} is no journal of this program.")
        with self.transaction():
            if self.fresh:
                schema.create(db)
            else:
                schema.migrate(db, version)

    def _is_sound(self) -> bool:
        with suppress(OSError):
            if self.path.stat().st_size > CHECKED_BYTES:
                return True
        try:
            found = self._connection().execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.Error:
            return False
        return found == [("ok",)]

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            raise JournalError(f"The journal {self.path} was closed.")
        return self._db

    def _drop(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None
        self._lock.release()


_DAMAGED = (
    "The journal is damaged: what can be read is shown, nothing is recorded in it "
    "(“companion journal mend” saves what can be read)."
)


def remove_files(path: Path) -> None:
    """Removes a closed journal's files.

    Raises:
        JournalError: one of them cannot be removed.
    """
    for name in (path.name, *(path.name + side for side in _SIDES), path.name + ".lock"):
        try:
            path.with_name(name).unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or error
            raise JournalError(f"{path.with_name(name)} cannot be removed: {reason}.") from error


def is_journal(path: Path) -> bool:
    """Whether a file looks like a journal (an SQLite file)."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def in_words(error: Exception, path: Path) -> JournalError:
    """What an error of SQLite's means for the person at the screen."""
    code = getattr(error, "sqlite_errorcode", None)
    # The low byte is the kind, the rest a detail.
    kind = code & 0xFF if isinstance(code, int) else None
    if kind == sqlite3.SQLITE_FULL or "is full" in str(error):
        return FullError("There is no room left on the device: nothing was recorded. Make room.")
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(f"Another program is using {path} just now: try again.")
    if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return ReadOnlyError(f"{path} may not be written: nothing was recorded.")
    if kind == sqlite3.SQLITE_IOERR:
        return JournalError(
            f"The device cannot read or write {path} (no room left, or it was taken away): "
            "nothing was recorded."
        )
    if kind == sqlite3.SQLITE_CANTOPEN:
        return JournalError(f"The journal {path} cannot be opened.")
    if kind == sqlite3.SQLITE_CONSTRAINT:
        return JournalError(f"What was to be recorded in {path} contradicts what stands there.")
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return JournalError(f"The journal {path} was closed.")
    return DamagedError(f"The journal {path} is damaged here: this part cannot be read.")


def _newer(version: int) -> str:
    return (
        f"It was written by a newer version of the program (layout {version}, this one knows "
        f"{schema.VERSION}): update the program. It is open for reading only."
    )
