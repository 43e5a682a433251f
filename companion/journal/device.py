"""The device's key: kept outside the journal, so that a copied journal does not open.

Everything sealed in a journal depends on one key of the device, made for that journal. It is used
only through `DeviceKeys`, so a key need never leave its store: a system keystore (Android's, for
instance) can replace the file. Wrong PINs are counted beside it for the same reason: a journal that
is copied, put back or restored must not bring an older count with it.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from companion.atomic_io import make_private_folder, open_private, write_private
from companion.errors import UsageError
from companion.journal.errors import BusyError, JournalError, SealedError
from companion.journal.lock import ProcessLock
from companion.journal.sealing import KEY_BYTES, new_key, seal, unseal


class DeviceKeys(Protocol):
    """Keeps one key per journal and wraps other keys with it."""

    def create(self, name: str) -> None:
        """Makes a key of that name, durable when it returns. An existing one is kept."""

    def has(self, name: str) -> bool:
        """Whether there is a usable key of that name."""

    def wrap(self, name: str, plain: bytes, belongs: bytes) -> bytes:
        """Seals a value with the key of that name."""

    def unwrap(self, name: str, sealed: object, belongs: bytes) -> bytes:
        """Opens what `wrap` sealed; raises `SealedError` if that cannot be."""

    def destroy(self, name: str) -> None:
        """Deletes a key permanently: nothing it wrapped can ever be opened again."""

    def tries(self) -> bytes | None:
        """The count of wrong PINs as last kept, None if there is none."""

    def keep_tries(self, data: bytes | None) -> None:
        """Keeps the count, durable when it returns; None forgets it. Raises `JournalError`."""

    def counting(self) -> AbstractContextManager[None]:
        """Locks out every other program while the count is read and stored."""


_TRIES = "tries"
#: More than the count of any number of players takes.
_MOST_TRIES = 1_000_000
#: Seconds to wait for another program that counts a try.
_LOCK_TIMEOUT = 5.0


class FileDeviceKeys:
    """Keys as files that only their owner may read, and the count of wrong PINs beside them.

    Args:
        folder: where they lie; made when the first key is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._keys: dict[str, bytes] = {}

    def create(self, name: str) -> None:
        """Makes a key file (mode 0600, written to the disk before this returns)."""
        if self.has(name):
            return
        path = self._path(name)
        try:
            make_private_folder(self.folder)
            file = open_private(path, new=True)
            try:
                os.write(file, new_key())
                os.fsync(file)
            finally:
                os.close(file)
            sync_folder(self.folder)
        except OSError as error:
            raise JournalError(
                f"The device's key {path} cannot be made: {error.strerror or error}."
            ) from error

    def has(self, name: str) -> bool:
        """Whether the key file is there and whole."""
        try:
            self._key(name)
        except SealedError:
            return False
        return True

    def wrap(self, name: str, plain: bytes, belongs: bytes) -> bytes:
        """Seals a value."""
        return seal(self._key(name), plain, belongs)

    def unwrap(self, name: str, sealed: object, belongs: bytes) -> bytes:
        """Opens a value."""
        return unseal(self._key(name), sealed, belongs)

    def destroy(self, name: str) -> None:
        """Overwrites and removes a key file (as far as the storage really overwrites)."""
        self._keys.pop(name, None)
        path = self._path(name)
        with suppress(FileNotFoundError):
            try:
                if not path.is_file() or path.is_symlink():
                    raise FileNotFoundError(path)
                with path.open("r+b") as file:
                    file.write(new_key())
                    file.flush()
                    os.fsync(file.fileno())
                path.unlink()
                sync_folder(self.folder)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise JournalError(
                    f"The device's key {path} cannot be removed: {error.strerror or error}."
                ) from error

    def tries(self) -> bytes | None:
        """The count of wrong PINs; anything but a short plain file counts as damaged."""
        path = self.folder / _TRIES
        try:
            found = path.lstat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_TRIES:
                return b""
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            return b""

    def keep_tries(self, data: bytes | None) -> None:
        """Keeps the count (mode 0600, written to the disk before this returns)."""
        path = self.folder / _TRIES
        try:
            if data is None:
                path.unlink(missing_ok=True)
                (self.folder / f"{_TRIES}.lock").unlink(missing_ok=True)
            else:
                make_private_folder(self.folder)
                if path.is_symlink():
                    path.unlink()  # somebody else's file is not written
                write_private(path, data)
                sync_folder(self.folder)
        except (OSError, UsageError) as error:
            why = error.message if isinstance(error, UsageError) else error.strerror or error
            raise JournalError(
                f"Wrong PINs cannot be counted in {path}: {why} No PIN is looked at until they can."
            ) from error

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Holds a lock beside the keys."""
        lock = ProcessLock(self.folder / f"{_TRIES}.lock")
        end = time.monotonic() + _LOCK_TIMEOUT
        try:
            make_private_folder(self.folder)
            while not lock.acquire():
                if time.monotonic() > end:
                    raise BusyError("Another program is looking at a PIN just now: try again.")
                time.sleep(0.01)
        except OSError as error:
            raise JournalError(
                f"Wrong PINs cannot be counted in {self.folder}: {error.strerror or error}. "
                "No PIN is looked at until they can."
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def _key(self, name: str) -> bytes:
        if name not in self._keys:
            path = self._path(name)
            try:
                key = path.read_bytes()
            except OSError:
                raise SealedError(f"The key of this journal, {path}, is not here.") from None
            if len(key) != KEY_BYTES:
                raise SealedError(f"The key of this journal, {path}, is damaged.")
            self._keys[name] = key
        return self._keys[name]


def sync_folder(folder: Path) -> None:
    """Makes a new or renamed file's directory entry durable, if the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
