"""The SQLite file, opened for writing by one process and for reading by others.

WAL with `synchronous=FULL`: a transaction is on the disk when it is committed. `secure_delete`
overwrites what is deleted. A file that cannot be written, is in use or is damaged is opened for
reading, and `notice` says why. After a pause in writing, the log beside the file (`-wal`) is merged
into it, so that the file alone is a copy of everything.

On a full device nothing is recorded, but deleting makes room (`tighten`). The file is then changed
in place, with the rollback journal in memory; this needs no room, but would not survive the program
being killed at that moment.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from companion.atomic_io import make_private_folder, open_private
from companion.journal import files, schema
from companion.journal.errors import (
    BusyError,
    DamagedError,
    FullError,
    JournalError,
    NewerError,
    ReadOnlyError,
    os_errors,
    sqlite_errors,
)
from companion.phrases import N_, phrase

#: A transaction is on the disk when it is committed, whatever becomes of the device.
SYNCHRONOUS = "FULL"
#: Seconds after the last write until the log beside the file is brought into it.
IDLE = 2.0


class Store:
    """A journal's file.

    Args:
        path: the file; made with its folder if it is missing and may be written.
        read_only: open it for reading only, whatever else is possible.

    Attributes:
        notice: why it is open for reading only; empty if it may be written.
        tight: whether there is only room for deleting.
        latest: the session that was written last, and is listed first; 0 before one is written.

    Raises:
        JournalError: it is no journal, or cannot even be read.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.notice = N_("It was opened for reading only.") if read_only else ""
        self._fresh = False
        self._mutex = threading.RLock()
        self._lock = files.ProcessLock(files.beside(path, ".lock"))
        self._db: sqlite3.Connection | None = None
        self._resting: threading.Timer | None = None
        self._written = 0.0
        self.tight = False
        self.latest = 0
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
        with self._mutex, sqlite_errors(self.path):
            return self._connection().execute(statement, values).fetchall()

    def each(self, statement: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one, so that those before a damaged place arrive.

        Raises:
            JournalError: from the first row on that cannot be read.
        """
        with self._mutex, sqlite_errors(self.path):
            yield from self._connection().execute(statement, values)

    @contextmanager
    def transaction(self, *, deleting: bool = False) -> Iterator[sqlite3.Connection]:
        """What is done inside is on the disk when this ends without an exception, else undone.

        Args:
            deleting: it only deletes, and may be done without room; see `tighten`.

        Raises:
            JournalError: it is read-only, full, in use or damaged; nothing was written.
        """
        if self.read_only and not (deleting and self.tight):
            raise ReadOnlyError(
                "Nothing can be recorded in {path}. {why}", path=self.path, why=self.notice
            )
        with self._mutex, sqlite_errors(self.path):
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
            self._rest_later()

    def wipe(self) -> None:
        """Wipes deleted rows from the file and from the log beside it.

        Raises:
            JournalError: another program is reading the file, or there is no room to rewrite it.
        """
        with self._mutex, sqlite_errors(self.path):
            self._connection().execute("VACUUM")
        if not self.tight:
            self.merge()

    def merge(self) -> None:
        """Merges the write-ahead log into the file and empties it.

        Raises:
            BusyError: another program is reading the file.
        """
        with self._mutex, sqlite_errors(self.path):
            busy = self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise BusyError(
                f"Another program is reading {self.path}: close it there, so that what was "
                "deleted is also wiped from the disk."
            )

    def close(self) -> None:
        """Closes the file and lets others write it."""
        with self._mutex:
            if self._resting is not None:
                self._resting.cancel()
                self._resting = None
            if self._db is not None and not self.read_only:
                with suppress(JournalError):
                    self.merge()
            self._drop()

    def tighten(self) -> None:
        """Lets rows be deleted although there is no room for anything else.

        Raises:
            JournalError: not even that can be done.
        """
        with self._mutex, sqlite_errors(self.path):
            if self._db is not None:
                self._db.close()
            self._db = db = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            files.guard(db)
            db.execute("PRAGMA temp_store = MEMORY")
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if db.execute("PRAGMA journal_mode = MEMORY").fetchone()[0] != "memory":
                raise FullError(_NO_ROOM)
        self.tight = True
        self.notice = _NO_ROOM

    def loosen(self) -> None:
        """Opens the file again after something was deleted, for writing if there is room now."""
        with self._mutex:
            self._drop()
            self.tight = False
            self.notice = ""
            self._open()

    def _rest_later(self) -> None:
        """Has the log brought into the file when nothing was written for a while."""
        self._written = time.monotonic()
        if self._resting is None:
            self._wake_in(IDLE)

    def _wake_in(self, seconds: float) -> None:
        self._resting = threading.Timer(seconds, self._rest)
        self._resting.daemon = True
        try:
            self._resting.start()
        except RuntimeError:
            self._resting = None  # the program is ending: closing does it

    def _rest(self) -> None:
        """On its own thread: merges the log into the file, or keeps waiting."""
        with self._mutex:
            self._resting = None
            left = self._written + IDLE - time.monotonic()
            if self._db is None or self.read_only:
                return
            if left > 0 or self._db.in_transaction:
                self._wake_in(max(left, 0.1))
                return
            # Waits for nobody; what a reader or a full device delays is done at the end. The log
            # is cut off: a device that is full later must not find room in it alone.
            with suppress(sqlite3.Error):
                self._db.execute("PRAGMA busy_timeout = 0")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            with suppress(sqlite3.Error):
                self._db.execute(f"PRAGMA busy_timeout = {files.BUSY_TIMEOUT_MS}")

    def deny(self, why: str) -> None:
        """From now on nothing is written any more; `notice` says why (the first reason stays)."""
        self.notice = self.notice or why

    # -- opening ----------------------------------------------------------------------------

    def _open(self) -> None:
        exists, why = files.look_at(self.path)
        self.deny(why)
        if not self.read_only:
            if not exists:
                with os_errors(f"{self.path.parent} cannot be made"):
                    make_private_folder(self.path.parent)
            self._take_lock()
        if not exists:
            if self.read_only:
                raise JournalError(f"There is no journal {self.path}, and none can be made.")
            # SQLite gives its other files the same permissions.
            with os_errors(f"The journal {self.path} cannot be made"):
                os.close(open_private(self.path))
        if not self.read_only:
            self._open_for_writing()
        if self._db is None:
            self._open_for_reading()
        self._check_kind()
        if not self.read_only and not files.is_sound(self._connection(), self.path):
            self._drop()
            self.notice = _DAMAGED
            self._open_for_reading()

    def _open_for_reading(self) -> None:
        with sqlite_errors(self.path):
            self._db = files.connect_for_reading(self.path)

    def _open_for_writing(self) -> None:
        """Connects and brings the tables up to date; a file that cannot be written is left."""
        try:
            with sqlite_errors(self.path):
                version = self._connect()
                if version > schema.VERSION:
                    self.notice = _newer(version)
                else:
                    self._prepare(version)
        except DamagedError:
            self.notice = _DAMAGED
        except BusyError:
            raise
        except JournalError as error:
            if self._fresh or not self.path.stat().st_size:
                raise
            self._without_room(error)
            return
        if self.read_only:
            self._drop()

    def _without_room(self, error: JournalError) -> None:
        """Opens a file that cannot be written just now, so that it is read and can be deleted."""
        try:
            self.tighten()
        except JournalError:
            self._drop()
        self.notice = (
            _NO_ROOM
            if files.has_no_room(self.path)
            else phrase("{why} It is open for reading only.", why=error.message)
        )

    def _take_lock(self) -> None:
        try:
            taken = self._lock.acquire()
        except OSError as error:
            if self._lock.path.is_symlink():
                self.deny(
                    phrase(
                        "{path} is a link: remove it. It is open for reading only.",
                        path=self._lock.path,
                    )
                )
            elif error.errno in (errno.ENOSPC, errno.EDQUOT):
                self.deny(_NO_ROOM)
            else:
                self.deny(N_("Its folder may not be written: it is open for reading only."))
            return
        if not taken:
            self.deny(
                phrase(
                    "The journal is in use by {holder}: it is open for reading only.",
                    holder=self._lock.holder(),
                )
            )

    def _connect(self) -> int:
        """Opens the file for writing; returns the version of its tables, 0 if it has none."""
        db = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        self._db = db
        files.guard(db)
        version: int = db.execute("PRAGMA user_version").fetchone()[0]
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._check_kind()
        if version <= schema.VERSION:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            with suppress(OSError):
                self.path.chmod(0o600)
                files.sync_folder(self.path.parent)
        return version

    def _check_kind(self) -> None:
        """Refuses a file that is not ours.

        Raises:
            JournalError: it is another program's, or of a version this one cannot read.
        """
        with sqlite_errors(self.path):
            db = self._connection()
            version = db.execute("PRAGMA user_version").fetchone()[0]
            names = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            strangers = schema.strangers(db) if not self.read_only else ()
        if not {"sessions", "events", "seats"} <= names:
            if version > schema.VERSION:
                raise NewerError(f"{self.path} cannot be read. {_newer(version)}")
            raise DamagedError(f"{self.path} is no journal of this program, or too damaged.")
        if not self.read_only and strangers:
            raise DamagedError(f"{self.path} holds what no journal has: {strangers[0]}.")
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
        self._fresh = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not self._fresh and version not in schema.MIGRATIONS:
            raise DamagedError(f"{self.path} is no journal of this program.")
        with self.transaction():
            if self._fresh:
                schema.create(db)
            else:
                schema.migrate(db, version)

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


_NO_ROOM = N_(
    "There is no room left on the device: what was played is shown, nothing is recorded. Delete "
    "matches that are not needed (“companion journal delete”), or make room."
)
_DAMAGED = N_(
    "The journal is damaged: what can be read is shown, nothing is recorded in it "
    "(“companion journal mend” saves what can be read)."
)


def _newer(version: int) -> str:
    return phrase(
        "It was written by a newer version of the program (layout {version}, this one knows "
        "{known}): update the program. It is open for reading only.",
        version=version,
        known=schema.VERSION,
    )
