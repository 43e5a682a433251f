"""What lies outside the journal, so that a copied journal neither opens nor forgets wrong PINs.

Everything sealed in a journal depends on one key of the device, made for that journal. A key never
leaves `FileDeviceKeys`, so that a system keystore could take the files' place.

Wrong PINs: each try is counted before it is checked, beside the keys, so that a copy of the file,
an older one put back or a restored backup does not reset the count: a player is the same person in
all of them. The wait is measured in time since the device was started, which nobody can set; after
a restart it counts from there, so that at worst somebody waits longer. Whoever can change the files
beside the keys can change the count, but has the device's key too, and four digits delay that
person by minutes only.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion.atomic_io import make_private_folder, open_private, write_private
from companion.errors import UsageError
from companion.journal.errors import BusyError, JournalError, SealedError, os_errors
from companion.journal.files import ProcessLock, sync_folder
from companion.journal.sealing import KEY_BYTES, new_key, seal, unseal


class FileDeviceKeys:
    """One key per journal, as files that only their owner may read; it wraps other keys.

    Args:
        folder: where they lie; made when the first key is made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._keys: dict[str, bytes] = {}

    def create(self, name: str) -> None:
        """Makes a key of that name, on the disk when it returns. An existing one is kept."""
        if self.has(name):
            return
        path = self._path(name)
        with os_errors(f"The device's key {path} cannot be made"):
            make_private_folder(self.folder)
            file = open_private(path, new=True)
            try:
                os.write(file, new_key())
                os.fsync(file)
            finally:
                os.close(file)
            sync_folder(self.folder)

    def has(self, name: str) -> bool:
        """Whether the key is there and whole."""
        try:
            self._key(name)
        except SealedError:
            return False
        return True

    def wrap(self, name: str, plain: bytes, belongs: bytes) -> bytes:
        """Seals a value with the key of that name."""
        return seal(self._key(name), plain, belongs)

    def unwrap(self, name: str, sealed: object, belongs: bytes) -> bytes:
        """Opens what `wrap` sealed; raises `SealedError` if that cannot be."""
        return unseal(self._key(name), sealed, belongs)

    def destroy(self, name: str) -> None:
        """Deletes a key permanently: nothing it wrapped can ever be opened again.

        The file is overwritten first, as far as the storage really overwrites.
        """
        self._keys.pop(name, None)
        path = self._path(name)
        if path.is_symlink() or not path.is_file():
            return
        with os_errors(f"The device's key {path} cannot be removed"), suppress(FileNotFoundError):
            with path.open("r+b") as file:
                file.write(new_key())
                file.flush()
                os.fsync(file.fileno())
            path.unlink()
            sync_folder(self.folder)

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


# -- wrong PINs -------------------------------------------------------------------------------

#: Longest wait after wrong PINs in a row, in seconds: 1, 2, 4 … up to an hour.
LONGEST_WAIT = 3600.0
_ANYBODY = "*"
#: The number of wrong tries that brings the longest wait; a damaged count is taken for it.
_MANY = 13
_MOST = 1 << 40
#: More bytes than the count of any number of players takes.
_MOST_BYTES = 1_000_000
#: Seconds to wait for another program that counts a try.
_LOCK_TIMEOUT = 5.0

Counts = dict[str, tuple[int, float]]


def wait_after(failures: int) -> float:
    """Seconds until the next try after a number of wrong ones in a row."""
    return 0.0 if failures <= 0 else min(2.0 ** min(failures - 1, 30), LONGEST_WAIT)


def uptime() -> float:
    """Seconds since the device was started, asleep or awake if the system tells."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class PinAttempts:
    """The count of wrong PINs of this device.

    Args:
        folder: where it lies, beside the device's keys.
        clock: seconds that only grow, from the start of the device; see `uptime`.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = uptime) -> None:
        self._file = folder / "tries"
        self._lock_file = folder / "tries.lock"
        self._clock = clock

    def waiting(self, who: str, known: int = 0) -> float:
        """Seconds until a player's PIN may be tried again, 0 if it may now.

        Args:
            who: the player.
            known: wrong tries that the journal knows of, for a count that was lost.
        """
        counts = self._read()
        own = counts.get(_key(who))
        if own is None and known > 0:
            # Somebody removed the count: it begins again where the journal stands, from now.
            with self._changing() as counts:
                own = counts.setdefault(_key(who), (min(known, _MANY), self._clock()))
        return max(self._left(own), self._left(counts.get(_ANYBODY)))

    def count(self, who: str, known: int = 0) -> int:
        """Counts a wrong try, on the disk when this returns; returns how many there were."""
        with self._changing() as counts:
            failures = max(counts.get(_key(who), (0, 0.0))[0], known) + 1
            counts[_key(who)] = (failures, self._clock())
        return failures

    def clear(self, who: str) -> None:
        """The last try was right."""
        with self._changing() as counts:
            counts.pop(_key(who), None)
            if not self._left(counts.get(_ANYBODY)):
                counts.pop(_ANYBODY, None)

    def _left(self, entry: tuple[int, float] | None) -> float:
        if entry is None:
            return 0.0
        failures, since = entry
        now = self._clock()
        # An earlier time than kept: the device was started again, and has run for so long since.
        gone = now - since if now >= since else now
        return max(wait_after(failures) - max(gone, 0.0), 0.0)

    @contextmanager
    def _changing(self) -> Iterator[Counts]:
        """The count, locked against every other program, and kept when the block ends."""
        lock = ProcessLock(self._lock_file)
        end = time.monotonic() + _LOCK_TIMEOUT
        with _errors(self._file.parent):
            make_private_folder(self._file.parent)
            while not lock.acquire():
                if time.monotonic() > end:
                    raise BusyError("Another program is looking at a PIN just now: try again.")
                time.sleep(0.01)
        try:
            counts = self._read()
            yield counts
            self._keep(counts)
        finally:
            lock.release()

    def _read(self) -> Counts:
        try:
            found = self._file.lstat()
            # Anything but a short plain file counts as damaged.
            short = stat.S_ISREG(found.st_mode) and found.st_size <= _MOST_BYTES
            counts = _parse(self._file.read_bytes()) if short else None
        except FileNotFoundError:
            return {}
        except OSError:
            counts = None
        if counts is None:
            # Damaged: nobody's PIN is looked at, for an hour from now.
            counts = {_ANYBODY: (_MANY, self._clock())}
            self._keep(counts)
        return counts

    def _keep(self, counts: Counts) -> None:
        with _errors(self._file):
            if not counts:
                self._file.unlink(missing_ok=True)
                self._lock_file.unlink(missing_ok=True)
                return
            if self._file.is_symlink():
                self._file.unlink()  # somebody else's file is not written
            write_private(self._file, json.dumps(counts, separators=(",", ":")), folders=True)
            sync_folder(self._file.parent)


@contextmanager
def _errors(place: Path) -> Iterator[None]:
    """Says why wrong PINs cannot be counted."""
    try:
        yield
    except (OSError, UsageError) as error:
        why = error.message if isinstance(error, UsageError) else f"{error.strerror or error}."
        raise JournalError(
            f"Wrong PINs cannot be counted in {place}: {why} No PIN is looked at until they can."
        ) from error


def _key(who: str) -> str:
    """What identifies a player: neither a name nor the journal's number for them."""
    return hashlib.sha256(b"companion-journal tries\x1f" + who.encode()).hexdigest()[:32]


def _parse(data: bytes) -> Counts | None:
    """The count as it was kept; None if it is damaged."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    counts: Counts = {}
    for key, entry in value.items():
        if not isinstance(entry, list) or len(entry) != 2:
            return None
        failures, since = entry
        if type(failures) is not int or not 0 < failures < _MOST:
            return None
        if type(since) not in (int, float) or not math.isfinite(since) or not 0 <= since < _MOST:
            return None
        counts[key] = (failures, float(since))
    return counts
