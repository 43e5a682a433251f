"""The journal's errors, in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.errors import CompanionError


class JournalError(CompanionError):
    """Root of the journal's errors."""


class DamagedError(JournalError):
    """The file, or a part of it, is not as it was written."""


class NewerError(JournalError):
    """The file was written by a newer version and cannot be read by this one."""


class ReadOnlyError(JournalError):
    """Something would have to be written, and the journal is open for reading only."""


class FullError(JournalError):
    """There is no room left; nothing was recorded."""


class BusyError(JournalError):
    """Another program is using the file just now."""


class SealedError(JournalError):
    """A sealed part cannot be opened: another device's key, or damage."""


class NotYetError(JournalError):
    """It would show what is hidden while a match is running."""


class PinError(JournalError):
    """A PIN was wrong, is missing, or may not be tried yet.

    Attributes:
        wait: seconds until the next try is looked at.
    """

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.message, self.wait))


@contextmanager
def os_errors(what: str) -> Iterator[None]:
    """Turns an `OSError` into a sentence: what cannot be done, and the system's reason."""
    try:
        yield
    except OSError as error:
        raise JournalError(f"{what}: {error.strerror or error}.") from error


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors about a file, and those of its values, into the journal's."""
    try:
        yield
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise _in_words(error, path) from error


def _in_words(error: Exception, path: Path) -> JournalError:
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
