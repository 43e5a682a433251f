"""Wrong PINs: each try is counted before it is checked, beside the device's keys.

The count is outside the journal, so that a copy of the file, an older one put back or a restored
backup does not reset it: a player is the same person in all of them. The wait is measured in time
since the device was started, which nobody can set; after a restart it counts from there, so that at
worst somebody waits longer. Whoever can change the files beside the keys can change the count, but
has the device's key too, and four digits delay that person by minutes only.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable

from companion.journal.device import DeviceKeys

#: Longest wait after wrong PINs in a row, in seconds: 1, 2, 4 … up to an hour.
LONGEST_WAIT = 3600.0
_ANYBODY = "*"
#: The number of wrong tries that brings the longest wait; a damaged count is taken for it.
_MANY = 13
_MOST = 1 << 40

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
        device: keeps it beside its keys.
        clock: seconds that only grow, from the start of the device; see `uptime`.
    """

    def __init__(self, device: DeviceKeys, clock: Callable[[], float] = uptime) -> None:
        self._device = device
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
            with self._device.counting():
                counts = self._read()
                own = counts.setdefault(_key(who), (min(known, _MANY), self._clock()))
                self._keep(counts)
        return max(self._left(own), self._left(counts.get(_ANYBODY)))

    def count(self, who: str, known: int = 0) -> int:
        """Counts a wrong try, on the disk when this returns; returns how many there were."""
        with self._device.counting():
            counts = self._read()
            failures = max(counts.get(_key(who), (0, 0.0))[0], known) + 1
            counts[_key(who)] = (failures, self._clock())
            self._keep(counts)
        return failures

    def clear(self, who: str) -> None:
        """The last try was right."""
        with self._device.counting():
            counts = self._read()
            counts.pop(_key(who), None)
            if not self._left(counts.get(_ANYBODY)):
                counts.pop(_ANYBODY, None)
            self._keep(counts)

    def _left(self, entry: tuple[int, float] | None) -> float:
        if entry is None:
            return 0.0
        failures, since = entry
        now = self._clock()
        # An earlier time than kept: the device was started again, and has run for so long since.
        gone = now - since if now >= since else now
        return max(wait_after(failures) - max(gone, 0.0), 0.0)

    def _read(self) -> Counts:
        data = self._device.tries()
        if data is None:
            return {}
        counts = _parse(data)
        if counts is None:
            # Damaged: nobody's PIN is looked at, for an hour from now.
            counts = {_ANYBODY: (_MANY, self._clock())}
            self._keep(counts)
        return counts

    def _keep(self, counts: Counts) -> None:
        data = json.dumps(counts, separators=(",", ":")).encode() if counts else None
        self._device.keep_tries(data)


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
