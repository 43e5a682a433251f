"""Players and their PINs: who may look at what is private, and how fast somebody may guess.

A player's own random key opens their marks. It is wrapped by the PIN (scrypt) and around that by
the device: a copied file gives nothing to try PINs on. A wrong try is counted before it is looked
at, so that ending the program does not undo the count, and each one in a row doubles the wait.
"""

from __future__ import annotations

import math
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from companion.journal.device import DeviceKeys
from companion.journal.errors import DamagedError, PinError, ReadOnlyError, SealedError
from companion.journal.sealing import KEY_BYTES, Stretch, about, new_key, seal, unseal
from companion.journal.store import Store

#: Seconds to wait after so many wrong PINs in a row: 1, 2, 4 … up to an hour.
LONGEST_WAIT = 3600.0
MIN_PIN, MAX_PIN = 4, 64


def wait_after(failures: int) -> float:
    """Seconds until the next try after so many wrong ones in a row."""
    return 0.0 if failures <= 0 else min(2.0 ** min(failures - 1, 30), LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class Player:
    """A person as the journal keeps them.

    Attributes:
        uuid: who it is, the same on every device.
        name: as last written.
        stretch: how their PIN is stretched; None where they have none.
    """

    uuid: str
    name: str
    stretch: Stretch | None


class Players:
    """The players of a journal.

    Args:
        store: the file.
        device: the device's keys.
        key_name: the name of this journal's key.
        clock: seconds since 1970.
        cost: scrypt cost of new PINs.
    """

    def __init__(
        self,
        store: Store,
        device: DeviceKeys,
        key_name: str,
        clock: Callable[[], float],
        cost: int,
    ) -> None:
        self._store = store
        self._device = device
        self._key_name = key_name
        self._clock = clock
        self._cost = cost

    def named(self, db: sqlite3.Connection, name: str) -> str:
        """The player of that name (ignoring case), made where there is none."""
        for own, known in db.execute("SELECT uuid, name FROM players"):
            if isinstance(known, str) and known.casefold() == name.casefold():
                return str(own)
        own = uuid.uuid4().hex
        key = self._device.wrap(self._key_name, new_key(), _belongs(own, pin=False))
        db.execute("INSERT INTO players (uuid, name, key) VALUES (?, ?, ?)", (own, name, key))
        return own

    def get(self, who: str) -> Player:
        """A player by uuid.

        Raises:
            DamagedError: it cannot be read.
        """
        rows = self._store.rows(
            "SELECT CAST(name AS BLOB), stretch FROM players WHERE uuid = ?", who
        )
        if not rows or not isinstance(rows[0][0], bytes):
            raise DamagedError("What is kept about a player is damaged.")
        name, stretch = rows[0]
        kept = None if stretch is None else Stretch.read(stretch)
        return Player(who, name.decode("utf-8", "replace"), kept)

    def has_pin(self, who: str) -> bool:
        """Whether the player has a PIN."""
        return self.get(who).stretch is not None

    def waiting(self, who: str) -> float:
        """Seconds until the player's PIN may be tried again, 0 where it may now."""
        failures, until = self._tries(who)
        # A clock that was set back must not lock anybody out for longer.
        left = min(until - self._clock(), wait_after(failures))
        return left if failures > 0 and left > 0 else 0.0

    def unlock(self, who: str, pin: str) -> bytes:
        """The player's own key.

        Args:
            who: the player.
            pin: what they typed; not looked at where they have none.

        Raises:
            PinError: it is wrong, or may not be tried yet; says how long to wait.
            ReadOnlyError: there is a PIN, and wrong tries could not be counted.
        """
        player = self.get(who)
        if player.stretch is None:
            return self._outer(who, _belongs(player.uuid, pin=False))
        if self._store.read_only:
            raise ReadOnlyError(f"{player.name}'s PIN cannot be checked here: {self._store.notice}")
        left = self.waiting(who)
        if left:
            raise PinError(
                f"Too soon: {player.name}'s PIN can be tried again in {_seconds(left)}.", left
            )
        failures = self._count_try(who)
        try:
            key = unseal(
                player.stretch.key(pin),
                self._outer(who, _belongs(player.uuid, pin=True)),
                about("pin", player.uuid),
            )
        except SealedError:
            left = wait_after(failures)
            raise PinError(
                f"That is not {player.name}'s PIN: try again in {_seconds(left)}.", left
            ) from None
        with self._store.transaction() as db:
            db.execute("UPDATE players SET failures = 0, wait_until = 0 WHERE uuid = ?", (who,))
        return key

    def set_pin(self, who: str, new: str, old: str = "") -> None:
        """Sets, changes or (an empty one) removes a PIN.

        Raises:
            PinError: the old one is wrong or waits, or the new one is too short or too long.
        """
        if new and not MIN_PIN <= len(new) <= MAX_PIN:
            raise PinError(f"A PIN has {MIN_PIN} to {MAX_PIN} characters.")
        player = self.get(who)
        key = self.unlock(who, old)
        stretch = Stretch.new(self._cost) if new else None
        inner = key if stretch is None else seal(stretch.key(new), key, about("pin", player.uuid))
        outer = self._device.wrap(
            self._key_name, inner, _belongs(player.uuid, pin=stretch is not None)
        )
        with self._store.transaction() as db:
            db.execute(
                "UPDATE players SET key = ?, stretch = ? WHERE uuid = ?",
                (outer, None if stretch is None else stretch.write(), who),
            )

    def _outer(self, who: str, belongs: bytes) -> bytes:
        """What the device wrapped: the key, or the key wrapped by the PIN."""
        rows = self._store.rows("SELECT key FROM players WHERE uuid = ?", who)
        try:
            inner = self._device.unwrap(self._key_name, rows[0][0], belongs)
        except SealedError as error:
            raise SealedError(f"This player's key does not open here: {error.message}") from None
        if len(inner) < KEY_BYTES:
            raise DamagedError("What guards a PIN is damaged.")
        return inner

    def _tries(self, who: str) -> tuple[int, float]:
        rows = self._store.rows("SELECT failures, wait_until FROM players WHERE uuid = ?", who)
        if not rows or not isinstance(rows[0][0], int) or not isinstance(rows[0][1], int | float):
            raise DamagedError("What guards a PIN is damaged.")
        return rows[0]

    def _count_try(self, who: str) -> int:
        failures = self._tries(who)[0] + 1
        with self._store.transaction() as db:
            db.execute(
                "UPDATE players SET failures = ?, wait_until = ? WHERE uuid = ?",
                (failures, self._clock() + wait_after(failures), who),
            )
        return failures


def _belongs(player: str, *, pin: bool) -> bytes:
    return about("player", player, "pin" if pin else "open")


def _seconds(left: float) -> str:
    count = max(1, math.ceil(left))
    if count >= 120:
        return f"{math.ceil(count / 60)} minutes"
    return "1 second" if count == 1 else f"{count} seconds"
