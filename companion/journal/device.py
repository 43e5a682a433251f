"""The device's key: kept outside the journal, so that a copied journal does not open.

Everything sealed in a journal hangs on one key of the device, made for that journal. It is used
only through `DeviceKeys`, in which a key need never leave its keeper: a system keystore (Android's,
for instance) can stand in for the file.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from companion.journal.errors import JournalError, SealedError
from companion.journal.sealing import KEY_BYTES, new_key, seal, unseal


class DeviceKeys(Protocol):
    """Keeps one key a journal and wraps other keys with it."""

    def create(self, name: str) -> None:
        """Makes a key of that name, durable when it returns. An existing one is kept."""

    def has(self, name: str) -> bool:
        """Whether there is a usable key of that name."""

    def wrap(self, name: str, plain: bytes, belongs: bytes) -> bytes:
        """Seals a value with the key of that name."""

    def unwrap(self, name: str, sealed: object, belongs: bytes) -> bytes:
        """Opens what `wrap` sealed; raises `SealedError` where that cannot be."""

    def destroy(self, name: str) -> None:
        """Forgets a key for good: nothing it wrapped can ever be opened again."""


class FileDeviceKeys:
    """Keys as files that only their owner may read.

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
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
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
    """Makes a new or renamed file's place in its folder durable, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
