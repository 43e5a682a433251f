"""One writer for each journal: a lock on a file beside it, which ends with its process."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from companion.atomic_io import open_private
from companion.phrases import N_, phrase


class ProcessLock:
    """An advisory lock; the system releases it when its process ends, for whatever reason.

    Args:
        path: the lock's file; it stays when the lock is released, the lock does not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._file is not None

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
