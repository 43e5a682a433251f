"""What a session needs from its journal."""

from __future__ import annotations

import sqlite3
from typing import Protocol

from companion.journal.lines import SessionKeys
from companion.journal.pins import Players
from companion.journal.rows import SessionRow
from companion.journal.store import Store


class Keeper(Protocol):
    """The journal, as its sessions see it; see `companion.journal.journal.Journal`."""

    store: Store
    players: Players

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""

    def now(self) -> int:
        """Seconds since 1970 by the journal's clock."""

    def unlock(self, player: str, pin: str) -> bytes:
        """A player's secret key, by the PIN."""

    def set_pin(self, player: str, new: str, old: str) -> None:
        """Sets, changes or removes a player's PIN."""

    def keys_of(self, stored: SessionRow) -> SessionKeys:
        """The keys by which a session's rows are read and written."""

    def take_turn(self, db: sqlite3.Connection, session: int) -> None:
        """Makes a session the newest, inside a transaction."""

    def took_turn(self, session: int) -> None:
        """Remembers that it is, after the transaction."""

    def forget(self, session: int) -> None:
        """A session was closed."""
