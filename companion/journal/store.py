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
import shutil
import sqlite3
import stat
import threading
import time
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
from companion.phrases import N_, phrase
from companion.writing import make_private_folder, open_private

MAGIC = b"SQLite format 3\0"
#: Up to this size the whole file is checked when it is opened.
CHECKED_BYTES = 16_000_000
#: A transaction is on the disk when it is committed, whatever becomes of the device.
SYNCHRONOUS = "FULL"
#: Seconds after the last write until the log beside the file is brought into it.
IDLE = 2.0
#: How long another program that reads may hold things up.
_PATIENCE_MS = 2000
#: Bytes without which there is no room: what SQLite keeps beside a file it writes, and some.
_ROOM = 256_000
_SIDES = ("-wal", "-shm", "-journal")


class Store:
    """A journal's file.

    Args:
        path: the file; made with its folder if it is missing and may be written.
        read_only: open it for reading only, whatever else is possible.

    Attributes:
        notice: why it is open for reading only; empty if it may be written.
        fresh: whether it was made just now.
        tight: whether there is only room for deleting.

    Raises:
        JournalError: it is no journal, or cannot even be read.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.notice = N_("It was opened for reading only.") if read_only else ""
        self.fresh = False
        self._mutex = threading.RLock()
        self._lock = ProcessLock(path.with_name(path.name + ".lock"))
        self._db: sqlite3.Connection | None = None
        self._resting: threading.Timer | None = None
        self._written = 0.0
        self.tight = False
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
            self._rest_later()

    def wipe(self) -> None:
        """Wipes deleted rows from the file and from the log beside it.

        Raises:
            JournalError: another program is reading the file, or there is no room to rewrite it.
        """
        with self._mutex, self.translated():
            self._connection().execute("VACUUM")
        if not self.tight:
            self.merge()

    def merge(self) -> None:
        """Merges the write-ahead log into the file and empties it.

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
        with self._mutex, self.translated():
            if self._db is not None:
                self._db.close()
            self._db = db = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False
            )
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._guard(db)
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
                self._db.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")

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
        if not exists and not self.read_only:
            self._make_file()
        elif not exists:
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
        except BusyError:
            raise
        except JournalError as error:
            if self.fresh or not self.path.stat().st_size:
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
            if self._is_full()
            else phrase("{why} It is open for reading only.", why=error.message)
        )

    def _is_full(self) -> bool:
        """Whether there is no room left where it lies."""
        try:
            found = shutil.disk_usage(self.path.parent)
        except OSError:
            return False
        return found.free < _ROOM

    def _look(self) -> bool:
        """Whether the file is there, and worth opening."""
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise DamagedError(f"{self.path} is no journal: it is no plain file.")
            with self.path.open("rb") as file:
                head = file.read(len(MAGIC))
        except FileNotFoundError:
            if self.path.is_symlink():
                raise JournalError(f"{self.path} is a link to nothing: remove it.") from None
            return False
        except OSError as error:
            reason = error.strerror or error
            raise JournalError(f"The journal {self.path} cannot be read: {reason}.") from error
        if head and head != MAGIC:
            raise DamagedError(
                f"{self.path} is no journal, or its beginning is damaged: restore a backup of it, "
                "or move it away to begin a new one."
            )
        names = (self.path.name + side for side in ("", *_SIDES))
        link = next((name for name in names if self.path.with_name(name).is_symlink()), "")
        if link:
            self._note(
                f"{link} is a link to another file, and nothing is written through links: it is "
                "open for reading only."
            )
        # Not by opening it: closing it again would drop the locks of a connection to it.
        if head and not os.access(
            self.path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
        ):
            self._note("The file may not be written: it is open for reading only.")
        return bool(head)

    def _make_folder(self) -> None:
        try:
            make_private_folder(self.path.parent)
        except OSError as error:
            reason = error.strerror or error
            raise JournalError(f"{self.path.parent} cannot be made: {reason}.") from error

    def _make_file(self) -> None:
        """Creates it for its owner alone; SQLite gives its other files the same permissions."""
        try:
            os.close(open_private(self.path))
        except OSError as error:
            reason = error.strerror or error
            raise JournalError(f"The journal {self.path} cannot be made: {reason}.") from error

    def _take_lock(self) -> None:
        try:
            taken = self._lock.acquire()
        except OSError as error:
            if self._lock.path.is_symlink():
                self._note(
                    phrase(
                        "{path} is a link: remove it. It is open for reading only.",
                        path=self._lock.path,
                    )
                )
            elif error.errno in (errno.ENOSPC, errno.EDQUOT):
                self._note(_NO_ROOM)
            else:
                self._note(N_("Its folder may not be written: it is open for reading only."))
            return
        if not taken:
            self._note(
                phrase(
                    "The journal is in use by {holder}: it is open for reading only.",
                    holder=self._lock.holder(),
                )
            )

    def _note(self, why: str) -> None:
        self.notice = self.notice or why

    def _connect(self) -> int:
        """Opens the file for writing; returns the version of its tables, 0 if it has none."""
        db = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        self._db = db
        # Another program that reads may hold things up for a moment.
        self._guard(db)
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

    def _guard(self, db: sqlite3.Connection) -> None:
        """What holds for every connection that writes."""
        db.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA foreign_keys = ON")

    def _connect_for_reading(self) -> None:
        """Reads what stands; without its log if the folder lets nobody make one."""
        address = f"file:{quote(str(self.path.absolute()))}"
        for options in ("?mode=ro", "?mode=ro&immutable=1"):
            db = sqlite3.connect(
                address + options, uri=True, isolation_level=None, check_same_thread=False
            )
            try:
                db.execute("PRAGMA trusted_schema = OFF")
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


_NO_ROOM = N_(
    "There is no room left on the device: what was played is shown, nothing is recorded. Delete "
    "matches that are not needed (“companion journal delete”), or make room."
)
_DAMAGED = N_(
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
    """What an SQLite error means for the user."""
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
    return phrase(
        "It was written by a newer version of the program (layout {version}, this one knows "
        "{known}): update the program. It is open for reading only.",
        version=version,
        known=schema.VERSION,
    )
