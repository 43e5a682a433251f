"""Players: their PINs (who may see private data, how fast somebody may guess) and their names.

A player's own random secret opens the player's marks, and the gates that hold the keys of the
private lines. The PIN wraps it (scrypt), and the device's key wraps the result, so PINs cannot be
tried on a copied file. Setting, changing or removing a PIN replaces the secret, the keys of the
player's lines (which are sealed again) and the device's key of the journal, whose old one is
destroyed. So no older copy of the file, and no older row put back, opens what is private. Wrong
tries are counted in `companion.journal.device`.
"""

from __future__ import annotations

import math
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import suppress

from companion.core.names import check_names, clean_name, name_key
from companion.errors import UsageError
from companion.journal.device import PinAttempts, wait_after
from companion.journal.errors import (
    BusyError,
    DamagedError,
    JournalError,
    PinError,
    ReadOnlyError,
    SealedError,
)
from companion.journal.keyring import (
    Keyring,
    about_event_key,
    about_gate,
    about_lock,
    about_player,
    is_name,
    rekey_seats,
)
from companion.journal.salvage import (
    SeatRow,
    SessionRow,
    read_session,
    read_sessions,
    session_check,
)
from companion.journal.sealing import (
    KEY_BYTES,
    KeyStretching,
    about,
    lock_of,
    new_key,
    seal,
    seal_to,
    unseal,
    unseal_with,
)
from companion.journal.store import Store
from companion.phrases import N_, Name, phrase

MIN_PIN, MAX_PIN = 4, 64
_MOST_FAILURES = 1 << 40


def check_pin(pin: str) -> None:
    """Raises `PinError` where a PIN is too short or too long."""
    if not MIN_PIN <= len(pin) <= MAX_PIN:
        raise PinError(
            phrase("A PIN has {least} to {most} characters.", least=MIN_PIN, most=MAX_PIN)
        )


class Players:
    """The players of a journal; each has a uuid, the same on every device.

    Args:
        store: the file.
        keyring: the device's key of this journal.
        attempts: the count of wrong PINs.
        cost: scrypt cost of new PINs.
        rekeyed: is told of a player whose keys were replaced, and of their new secret.
    """

    def __init__(
        self,
        store: Store,
        keyring: Keyring,
        attempts: PinAttempts,
        cost: int,
        rekeyed: Callable[[str, bytes], None],
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._attempts = attempts
        self._cost = cost
        self._rekeyed = rekeyed

    def named(self, db: sqlite3.Connection, name: str) -> str:
        """The player of that name (ignoring case), made if there is none."""
        for own, known in db.execute("SELECT uuid, name FROM players"):
            if isinstance(known, str) and name_key(known) == name_key(name):
                return str(own)
        own = uuid.uuid4().hex
        secret = new_key()
        key = self._keyring.wrap(secret, about_player(own, pin=False))
        lock = self._keyring.wrap(lock_of(secret), about_lock(own))
        db.execute(
            "INSERT INTO players (uuid, name, key, lock) VALUES (?, ?, ?, ?)",
            (own, name, key, lock),
        )
        return own

    def lock(self, db: sqlite3.Connection, who: str) -> bytes | None:
        """The player's lock; None if an older version set a PIN that was not entered since.

        Raises:
            SealedError: it does not open here.
        """
        row = db.execute("SELECT lock FROM players WHERE uuid = ?", (who,)).fetchone()
        if row is None or row[0] is None:
            return None
        return self._keyring.unwrap(row[0], about_lock(who))

    def has_pin(self, who: str) -> bool:
        """Whether the player has a PIN.

        Raises:
            DamagedError: what is kept about them cannot be read.
        """
        return self._kept(who)[1] is not None

    def _kept(self, who: str) -> tuple[str, KeyStretching | None]:
        """A player's name as last written, and how their PIN is stretched; None if none is set."""
        rows = self._store.rows(
            "SELECT CAST(name AS BLOB), stretch FROM players WHERE uuid = ?", who
        )
        if not rows or not isinstance(rows[0][0], bytes):
            raise DamagedError("What is kept about a player is damaged.")
        name, stretch = rows[0]
        kept = None if stretch is None else KeyStretching.read(stretch)
        return name.decode("utf-8", "replace"), kept

    def waiting(self, who: str) -> float:
        """Seconds until the player's PIN may be tried again, 0 if it may now."""
        return self._attempts.waiting(who, self._failures(who))

    def unlock(self, who: str, pin: str) -> bytes:
        """The player's own key; does what had to wait for their PIN, in every session.

        Args:
            who: the player.
            pin: what they typed; not looked at if they have none.

        Raises:
            PinError: it is wrong, or may not be tried yet; says how long to wait.
            ReadOnlyError: there is a PIN, and wrong tries could not be counted.
        """
        secret = self._try(who, pin)
        changed = self._settle(who, secret, pin)
        if changed is not None:
            self._rekeyed(who, changed)
        return changed or secret

    def _try(self, who: str, pin: str) -> bytes:
        """The player's own key; a try is counted before it is looked at."""
        name, stretch = self._kept(who)
        if stretch is None:
            return self._outer(who, about_player(who, pin=False))
        if self._store.read_only:
            raise ReadOnlyError(
                "{name}'s PIN cannot be checked here: {why}",
                name=Name(name),
                why=self._store.notice,
            )
        left = self.waiting(who)
        if left:
            raise _wait(N_("Too soon: {name}'s PIN can be tried again in {time}."), name, left)
        failures = self._count_try(who)
        outer = self._outer(who, about_player(who, pin=True))
        try:
            key = unseal(stretch.key(pin), outer, about("pin", who))
        except SealedError:
            left = wait_after(failures)
            raise _wait(N_("That is not {name}'s PIN: try again in {time}."), name, left) from None
        self._attempts.clear(who)
        with self._store.transaction() as db:
            db.execute("UPDATE players SET failures = 0 WHERE uuid = ?", (who,))
        return key

    def set_pin(self, who: str, new: str, old: str) -> None:
        """Sets, changes or (an empty one) removes a PIN; all that is the player's is sealed again.

        Raises:
            PinError: the old one is wrong or waits, or the new one is too short or too long.
        """
        if new:
            check_pin(new)
        self._rekeyed(who, self._rekey(who, self._try(who, old), new))

    def _settle(self, who: str, secret: bytes, pin: str) -> bytes | None:
        """Does what could not be done without the player's secret.

        The keys of lines that came sealed by the player's PIN, in a backup, are taken up by the
        device. What an older version left without a lock is sealed again.

        Returns:
            A new secret where all was sealed again, the same one where keys were taken up, else
            None.
        """
        if self._store.read_only:
            return None
        found = self._store.rows(
            "SELECT t.session, t.seat, s.uuid, t.gate FROM seats t JOIN sessions s"
            " ON s.id = t.session WHERE t.player = ? AND t.event_key = x''",
            who,
        )
        with self._store.transaction() as db:
            for session, seat, own, gate in found:
                try:
                    key = unseal_with(secret, gate, about_gate(own, seat, who))
                except SealedError:
                    continue
                db.execute(
                    "UPDATE seats SET event_key = ? WHERE session = ? AND seat = ?",
                    (self._keyring.wrap(key, about_event_key(own, seat, who)), session, seat),
                )
        lock = self._store.rows("SELECT lock FROM players WHERE uuid = ?", who)[0][0]
        if lock is None:
            return self._rekey(who, secret, pin if self.has_pin(who) else "")
        return secret if found else None

    def catch_up(self) -> None:
        """Gives locks and gates to players without a PIN whom an older version left without."""
        for who, sealed in self._store.rows(
            "SELECT uuid, key FROM players WHERE lock IS NULL AND stretch IS NULL"
        ):
            try:
                secret = self._keyring.unwrap(sealed, about_player(who, pin=False))
            except SealedError:
                continue  # damaged: said when it is needed
            lock = lock_of(secret)
            with self._store.transaction() as db:
                for session, seat, own, wrapped in db.execute(
                    "SELECT t.session, t.seat, s.uuid, t.event_key FROM seats t JOIN sessions s"
                    " ON s.id = t.session WHERE t.player = ? AND t.gate IS NULL",
                    (who,),
                ).fetchall():
                    with suppress(SealedError):
                        key = self._keyring.unwrap(wrapped, about_event_key(own, seat, who))
                        gate = seal_to(lock, key, about_gate(own, seat, who))
                        db.execute(
                            "UPDATE seats SET gate = ? WHERE session = ? AND seat = ?",
                            (gate, session, seat),
                        )
                db.execute(
                    "UPDATE players SET lock = ? WHERE uuid = ?",
                    (self._keyring.wrap(lock, about_lock(who)), who),
                )

    def _rekey(self, who: str, secret: bytes, pin: str) -> bytes:
        """Replaces a player's secret, the keys of their lines and the journal's device key."""
        fresh = new_key()
        stretch = KeyStretching.new(self._cost) if pin else None
        inner = fresh if stretch is None else seal(stretch.key(pin), fresh, about("pin", who))
        name = uuid.uuid4().hex
        self._keyring.device.create(name)
        try:
            with self._store.transaction() as db:
                rekey_seats(db, self._keyring, who, secret, fresh)
                db.execute(
                    "UPDATE players SET key = ?, lock = ?, stretch = ? WHERE uuid = ?",
                    (
                        self._keyring.wrap(inner, about_player(who, pin=stretch is not None)),
                        self._keyring.wrap(lock_of(fresh), about_lock(who)),
                        None if stretch is None else stretch.write(),
                        who,
                    ),
                )
                self._keyring.rotate(db, name)
        except BaseException:
            # It may have been committed nevertheless; then everything depends on the new key.
            with suppress(JournalError):
                if self._store.rows("SELECT value FROM meta WHERE key = 'journal'") == [(name,)]:
                    self._keyring.name = name
                else:
                    self._keyring.device.destroy(name)
            raise
        self._keyring.name = name
        self.retire()
        return fresh

    def retire(self) -> None:
        """Destroys the device's key that was replaced, also if that was interrupted before."""
        rows = self._store.rows("SELECT value FROM meta WHERE key = 'retired'")
        if not rows:
            return
        with suppress(BusyError):
            # What the old key sealed is overwritten; a reader delays that, the key goes now.
            self._store.merge()
        if is_name(rows[0][0]) and rows[0][0] != self._keyring.name:
            self._keyring.device.destroy(rows[0][0])
        with self._store.transaction() as db:
            db.execute("DELETE FROM meta WHERE key = 'retired'")

    def _outer(self, who: str, belongs: bytes) -> bytes:
        """What the device wrapped: the key, or the key wrapped by the PIN."""
        rows = self._store.rows("SELECT key FROM players WHERE uuid = ?", who)
        try:
            inner = self._keyring.unwrap(rows[0][0], belongs)
        except SealedError as error:
            raise SealedError(f"This player's key does not open here: {error.message}") from None
        if len(inner) < KEY_BYTES:
            raise DamagedError("What guards a PIN is damaged.")
        return inner

    def _failures(self, who: str) -> int:
        rows = self._store.rows("SELECT failures FROM players WHERE uuid = ?", who)
        if not rows or type(rows[0][0]) is not int or not 0 <= rows[0][0] < _MOST_FAILURES:
            raise DamagedError("What guards a PIN is damaged.")
        return int(rows[0][0])

    def _count_try(self, who: str) -> int:
        """Counts a try beside the device's keys and in the journal; the greater count applies."""
        failures = self._attempts.count(who, self._failures(who))
        with self._store.transaction() as db:
            db.execute("UPDATE players SET failures = ? WHERE uuid = ?", (failures, who))
        return failures


def _wait(template: str, name: str, left: float) -> PinError:
    return PinError(phrase(template, name=Name(name), time=_seconds(left)), left)


def _seconds(left: float) -> str:
    count = max(1, math.ceil(left))
    if count >= 120:
        return phrase("{number} minutes", number=math.ceil(count / 60))
    return phrase("{number} second" if count == 1 else "{number} seconds", number=count)


# -- other names: the person (and their PIN) stays the same -----------------------------------


def rename_seat(store: Store, number: int, seat: int, name: str) -> None:
    """Renames a player in a session.

    Raises:
        CompanionError: the name cannot be used, or there is no such seat.
    """
    stored = read_session(store, number)
    if not 0 <= seat < len(stored.seats):
        raise UsageError(f"There is no seat {seat + 1}.")
    name = clean_name(name)
    names = tuple(name if at == seat else old for at, old in enumerate(stored.names))
    check_names(names)
    player = stored.seats[seat].player
    with store.transaction() as db:
        _write_names(db, stored, names)
        others = db.execute(
            "SELECT count(*) FROM seats WHERE player = ? AND session != ?", (player, number)
        ).fetchone()[0]
        if not others:
            db.execute("UPDATE players SET name = ? WHERE uuid = ?", (name, player))


def rename_player(store: Store, name: str, new: str) -> tuple[int, ...]:
    """Renames a player in every session.

    Returns:
        The sessions in which the player sat under that name.

    Raises:
        CompanionError: the name cannot be used, or another player is called so.
    """
    check_names((new,))
    new = clean_name(new)
    known = {
        name_key(str(other)): str(own)
        for own, other in store.rows("SELECT uuid, CAST(name AS TEXT) FROM players")
    }
    player = known.get(name_key(name))
    if player is None:
        return ()
    if known.get(name_key(new), player) != player:
        check_names((new, new))  # refuses it: another player is called so

    def is_meant(seat: SeatRow) -> bool:
        return seat.player == player and name_key(seat.name) == name_key(name)

    renamed = {
        stored.id: (stored, tuple(new if is_meant(seat) else seat.name for seat in stored.seats))
        for stored in read_sessions(store).values()
        if any(map(is_meant, stored.seats))
    }
    for _, names in renamed.values():
        check_names(names)
    with store.transaction() as db:
        for stored, names in renamed.values():
            _write_names(db, stored, names)
        db.execute("UPDATE players SET name = ? WHERE uuid = ?", (new, player))
    return tuple(renamed)


def _write_names(db: sqlite3.Connection, stored: SessionRow, names: tuple[str, ...]) -> None:
    """Puts names in the place of a session's; the caller holds the transaction."""
    for seat, name in zip(stored.seats, names, strict=True):
        db.execute(
            "UPDATE seats SET name = ? WHERE session = ? AND seat = ?",
            (name, stored.id, seat.seat),
        )
    check = session_check(stored.uuid, stored.setup, stored.begun, names)
    db.execute('UPDATE sessions SET "check" = ? WHERE id = ?', (check, stored.id))
