"""The journal's errors, in words."""

from __future__ import annotations

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
