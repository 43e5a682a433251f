"""Players get other names, in one session or in all; the person (and their PIN) stays the same."""

from __future__ import annotations

import sqlite3

from companion.core.names import check_names, clean_name, name_key
from companion.errors import UsageError
from companion.journal.salvage import (
    SeatRow,
    SessionRow,
    read_session,
    read_sessions,
    session_check,
)
from companion.journal.store import Store


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
