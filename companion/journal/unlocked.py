"""Who looks: a player who has entered the PIN, or the referee once everything was disclosed."""

from __future__ import annotations

from enum import Enum

from companion.journal.errors import PinError


class FullView(Enum):
    """Who sees everything."""

    REFEREE = "referee"


#: For `Session.export_text`: everything, once it was disclosed.
REFEREE = FullView.REFEREE


class Unlocked:
    """A player who has entered the PIN; made by `Session.unlock`, ended by `lock`.

    Attributes:
        seat: whose eyes these are.
        name: their name.
    """

    def __init__(self, session: bytes, seat: int, name: str, key: bytes) -> None:
        self.seat = seat
        self.name = name
        self._session = session
        self._key: bytes | None = key

    @property
    def locked(self) -> bool:
        """Whether it was locked again."""
        return self._key is None

    def lock(self) -> None:
        """Covers everything again: nothing more can be seen or written with this."""
        self._key = None

    def renew(self, key: bytes) -> None:
        """The player's PIN was changed while this is open."""
        self._key = key

    def key_for(self, session: bytes) -> bytes:
        """The player's key.

        Raises:
            PinError: it was locked again, or belongs to another session.
        """
        if self._key is None:
            raise PinError(f"{self.name} is locked: the PIN is needed again.")
        if session != self._session:
            raise PinError(f"{self.name} was unlocked for another session.")
        return self._key

    def __repr__(self) -> str:
        return f"Unlocked({self.name!r}, {'locked' if self.locked else 'open'})"
