"""The keys of a journal: what the device's key wraps, and how keys are replaced.

Everything that is wrapped depends on the journal's device key. When a PIN is set, changed or
removed, that key is replaced (`rotate`) and the old one destroyed: no older copy of the file, and
no older row put back into it, opens any more. The player's secret and the keys of the player's
private lines are replaced too, and the lines are sealed again (`rekey_seats`).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import suppress

from companion.journal.device import FileDeviceKeys
from companion.journal.errors import SealedError
from companion.journal.lines import REFEREE, SessionKeys, owner_of_line, owner_of_text
from companion.journal.salvage import SessionRow
from companion.journal.schema import check_of
from companion.journal.sealing import about, lock_of, new_key, seal, seal_to, unseal, unseal_with

#: Opens one wrapping and makes the other, given what a key belongs to.
Rewrap = Callable[[object, bytes], bytes]
_HEX = re.compile(r"[0-9a-f]{32}")
#: An event key that is only behind its player's gate: their PIN was not entered here yet.
BEHIND_GATE = b""


def is_name(name: object) -> bool:
    """Whether it can be the name of a journal's key."""
    return isinstance(name, str) and _HEX.fullmatch(name) is not None


def about_event_key(session: str, seat: int, player: str = "") -> bytes:
    """What the key of a seat's private lines belongs to."""
    return about("key", session, seat, player)


def about_gate(session: str, seat: int, player: str) -> bytes:
    """What the same key behind the player's gate belongs to."""
    return about("gate", session, seat, player)


def about_player(player: str, *, pin: bool) -> bytes:
    """What a player's secret belongs to, as the device wraps it."""
    return about("player", player, "pin" if pin else "open")


def about_lock(player: str) -> bytes:
    """What a player's lock belongs to, as the device wraps it."""
    return about("lock", player)


class Keyring:
    """The device's key of one journal.

    Args:
        device: keeps it.
        name: which key it is; another one after `rotate`.
    """

    def __init__(self, device: FileDeviceKeys, name: str) -> None:
        self.device = device
        self.name = name

    def wrap(self, plain: bytes, belongs: bytes) -> bytes:
        """Seals a key with the device's."""
        return self.device.wrap(self.name, plain, belongs)

    def unwrap(self, sealed: object, belongs: bytes) -> bytes:
        """Opens a key; raises `SealedError` if that cannot be."""
        return self.device.unwrap(self.name, sealed, belongs)

    def keys_of(self, stored: SessionRow) -> SessionKeys:
        """A session's keys, as far as this device opens them."""
        wrapped = {seat.seat: (seat.event_key, seat.player) for seat in stored.seats}
        wrapped[REFEREE] = (stored.referee_key, "")
        own = stored.uuid.decode("ascii", "replace")
        keys = {}
        for owner, (sealed, player) in wrapped.items():
            with suppress(SealedError):
                keys[owner] = self.unwrap(sealed, about_event_key(own, owner, player))
        return SessionKeys(stored.uuid, keys)

    def rotate(self, db: sqlite3.Connection, name: str) -> None:
        """Wraps every key of the journal with another of the device's keys.

        What does not open stays as it is: it did not open before either. The old key's name is
        kept as retired until it is destroyed.

        Args:
            db: the journal, in a transaction.
            name: the other key; it is there already.
        """

        def rewrap(sealed: object, belongs: bytes) -> bytes:
            try:
                return self.device.wrap(name, self.unwrap(sealed, belongs), belongs)
            except SealedError:
                return sealed if isinstance(sealed, bytes) else b""

        rewrap_all(db, rewrap)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('retired', ?)", (self.name,))
        db.execute("INSERT OR REPLACE INTO meta VALUES ('journal', ?)", (name,))


def rewrap_all(db: sqlite3.Connection, rewrap: Rewrap) -> None:
    """Wraps every key of a journal again.

    Raises:
        SealedError: one does not open.
    """
    for number, own, sealed in db.execute("SELECT id, uuid, referee_key FROM sessions").fetchall():
        key = rewrap(sealed, about_event_key(own, REFEREE))
        db.execute("UPDATE sessions SET referee_key = ? WHERE id = ?", (key, number))
        for seat, player, wrapped in db.execute(
            "SELECT seat, player, event_key FROM seats WHERE session = ?", (number,)
        ).fetchall():
            if wrapped != BEHIND_GATE:
                db.execute(
                    "UPDATE seats SET event_key = ? WHERE session = ? AND seat = ?",
                    (rewrap(wrapped, about_event_key(own, seat, player)), number, seat),
                )
    for own, sealed, stretch, lock in db.execute(
        "SELECT uuid, key, stretch, lock FROM players"
    ).fetchall():
        key = rewrap(sealed, about_player(own, pin=stretch is not None))
        again = None if lock is None else rewrap(lock, about_lock(own))
        db.execute("UPDATE players SET key = ?, lock = ? WHERE uuid = ?", (key, again, own))


def rekey_seats(
    db: sqlite3.Connection, keyring: Keyring, player: str, old_secret: bytes, new_secret: bytes
) -> None:
    """Replaces the keys of all that is a player's own, in every session.

    Args:
        db: the journal, in a transaction.
        keyring: the device's key that the present keys are wrapped with.
        player: whose.
        old_secret: opens the gates and marks as they stand.
        new_secret: will open them.
    """
    lock = lock_of(new_secret)
    for number, own, referee_key, seat, event_key, gate, marks_key in db.execute(
        "SELECT s.id, s.uuid, s.referee_key, t.seat, t.event_key, t.gate, t.marks_key"
        " FROM seats t JOIN sessions s ON s.id = t.session WHERE t.player = ?",
        (player,),
    ).fetchall():
        of_marks = about("marks-key", own, seat)
        with suppress(SealedError):  # there are none, or they are damaged
            again = seal(new_secret, unseal(old_secret, marks_key, of_marks), of_marks)
            db.execute(
                "UPDATE seats SET marks_key = ? WHERE session = ? AND seat = ?",
                (again, number, seat),
            )
        belongs = about_event_key(own, seat, player)
        closed = about_gate(own, seat, player)
        try:
            if event_key == BEHIND_GATE:
                old = unseal_with(old_secret, gate, closed)
            else:
                old = keyring.unwrap(event_key, belongs)
            referee = keyring.unwrap(referee_key, about_event_key(own, REFEREE))
        except SealedError:
            continue  # it is damaged, and stays as it is
        new = new_key()
        _reseal_seat(
            db, number, SessionKeys(own.encode(), {seat: old, REFEREE: referee}), seat, new
        )
        db.execute(
            "UPDATE seats SET event_key = ?, gate = ? WHERE session = ? AND seat = ?",
            (keyring.wrap(new, belongs), seal_to(lock, new, closed), number, seat),
        )


def _reseal_seat(
    db: sqlite3.Connection, number: int, keys: SessionKeys, seat: int, key: bytes
) -> None:
    """Seals a seat's private lines with its new key; what is the referee's of them too."""
    new = SessionKeys(keys.session, {seat: key})
    rows = db.execute("SELECT name FROM seats WHERE session = ? ORDER BY seat", (number,))
    names = [name for (name,) in rows.fetchall()]

    def change(n: int, owner: int, value: dict[str, str]) -> bytes | None:
        if owner == REFEREE:
            text = value.get("text")
            owner = owner_of_line(value["line"]) if text is None else owner_of_text(text, names)
        return new.seal(n, seat, value) if owner == seat else None

    reseal(db, number, keys, change)


def reseal(
    db: sqlite3.Connection,
    number: int,
    keys: SessionKeys,
    change: Callable[[int, int, dict[str, str]], bytes | None],
) -> None:
    """Puts other sealed parts in the place of a session's; a damaged line stays damaged.

    Args:
        db: the journal, in a transaction.
        number: the session.
        keys: open its sealed parts; those that they do not open stay.
        change: number, owner and content of a line → what is to take its place, None: it stays.
    """
    for row in db.execute(
        "SELECT n, at, applied, CAST(public AS BLOB), CAST(comment AS BLOB), sealed"
        " FROM events WHERE session = ? AND sealed IS NOT NULL",
        (number,),
    ).fetchall():
        try:
            sealed = change(row[0], *keys.open(row[0], row[5]))
        except SealedError:
            continue  # another seat's
        if sealed is not None:
            checks = (check_of(keys.session, *row), check_of(keys.session, *row[:5], sealed))
            db.execute(
                'UPDATE events SET sealed = ?, "check" = CASE "check" WHEN ? THEN ? ELSE "check"'
                " END WHERE session = ? AND n = ?",
                (sealed, *checks, number, row[0]),
            )
