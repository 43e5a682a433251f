"""A journal's files: found, locked, connected to and removed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from companion.atomic_io import open_private
from companion.journal.errors import DamagedError, JournalError, os_errors
from companion.phrases import N_, phrase

MAGIC = b"SQLite format 3\0"
#: Milliseconds that another program which reads may hold things up.
BUSY_TIMEOUT_MS = 2000
#: Up to this size the whole file is checked when it is opened.
_CHECKED_BYTES = 16_000_000
#: Bytes without which there is no room: what SQLite keeps beside a file it writes, and some.
_ROOM = 256_000
_SIDES = ("-wal", "-shm", "-journal")


def beside(path: Path, side: str) -> Path:
    """The file that goes with a journal: its lock, its write-ahead log, its unfinished copy."""
    return path.with_name(path.name + side)


# -- before anything in them is read ----------------------------------------------------------


def is_journal(path: Path) -> bool:
    """Whether a file looks like a journal (an SQLite file)."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def look_at(path: Path) -> tuple[bool, str]:
    """Whether a file is there and worth opening, and why it may only be read.

    Raises:
        JournalError: it is no journal, or cannot be read.
    """
    with os_errors(f"The journal {path} cannot be read"):
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise DamagedError(f"{path} is no journal: it is no plain file.")
            with path.open("rb") as file:
                head = file.read(len(MAGIC))
        except FileNotFoundError:
            if path.is_symlink():
                raise JournalError(f"{path} is a link to nothing: remove it.") from None
            return False, ""
    if head and head != MAGIC:
        raise DamagedError(
            f"{path} is no journal, or its beginning is damaged: restore a backup of it, "
            "or move it away to begin a new one."
        )
    return bool(head), _why_read_only(path, exists=bool(head))


def _why_read_only(path: Path, *, exists: bool) -> str:
    files = (beside(path, side) for side in ("", *_SIDES))
    link = next((file.name for file in files if file.is_symlink()), "")
    if link:
        return (
            f"{link} is a link to another file, and nothing is written through links: it is "
            "open for reading only."
        )
    # Not by opening it: closing it again would drop the locks of a connection to it.
    if exists and not os.access(
        path, os.W_OK, effective_ids=os.access in os.supports_effective_ids
    ):
        return "The file may not be written: it is open for reading only."
    return ""


def has_no_room(path: Path) -> bool:
    """Whether there is no room left where a file lies."""
    try:
        return shutil.disk_usage(path.parent).free < _ROOM
    except OSError:
        return False


def remove(path: Path) -> None:
    """Removes one file, if it is there.

    Raises:
        JournalError: it cannot be removed.
    """
    with os_errors(f"{path} cannot be removed"):
        path.unlink(missing_ok=True)


def remove_files(path: Path) -> None:
    """Removes a closed journal's files.

    Raises:
        JournalError: one of them cannot be removed.
    """
    for side in ("", *_SIDES, ".lock"):
        remove(beside(path, side))


def sync_folder(folder: Path) -> None:
    """Makes a new or renamed file's directory entry durable, if the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- one writer for each journal --------------------------------------------------------------


class ProcessLock:
    """An advisory lock; the system releases it when its process ends, for whatever reason.

    Args:
        path: the lock's file; it stays when the lock is released, the lock does not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Takes it.

        Returns:
            False if another one holds it.

        Raises:
            OSError: the lock's file is a link, or cannot be made.
        """
        file = open_private(self.path)
        if not _lock(file):
            os.close(file)
            return False
        if not self._is_file(file):
            # Its last holder removed it in between: what was locked is nobody's file any more.
            os.close(file)
            return self.acquire()
        self._file = file
        with suppress(OSError):  # a full device has no room for the number; the lock holds
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode())
        return True

    def release(self) -> None:
        """Releases it; harmless if it is not held."""
        if self._file is not None:
            with suppress(OSError):
                os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    def _is_file(self, file: int) -> bool:
        """Whether the file that was opened is still the one of that name."""
        try:
            return os.path.samestat(os.fstat(file), self.path.lstat())
        except FileNotFoundError:
            return False

    def holder(self) -> str:
        """Who holds it, in words."""
        try:
            with self.path.open(encoding="ascii", errors="replace") as file:
                number = file.read(20).strip()
        except OSError:
            number = ""
        if number.isdecimal():
            return phrase("another program (process {number})", number=number)
        return N_("another program")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of a journal that is closed.

    Raises:
        JournalError: the journal is in use.
        OSError: the lock's file cannot be made.
    """
    lock = ProcessLock(beside(path, ".lock"))
    if not lock.acquire():
        raise JournalError(f"The journal {path} is in use by {lock.holder()}: close it first.")
    try:
        yield
    finally:
        lock.release()


if sys.platform == "win32":  # pragma: no cover

    def _lock(file: int) -> bool:
        import msvcrt

        # Beyond the number, so that others can read it.
        os.lseek(file, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

else:

    def _lock(file: int) -> bool:
        import fcntl

        try:
            # flock, not lockf: that one would let the same process in twice.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# -- connections ------------------------------------------------------------------------------


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
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        return _connect(address)
    except sqlite3.OperationalError:
        return _connect(f"{address}&immutable=1")


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
