"""Who may look at what in a session.

A player who has entered the PIN sees their own; everything is shown once it was disclosed.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from companion.core.referee import Referee
from companion.core.verb import MATCH
from companion.journal.errors import NotYetError, PinError


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


def withholds(referee: Referee[Any]) -> bool:
    """Whether something is still hidden after disclosure, or was written in secret since."""
    state = referee.state
    return bool(state.withheld) or any(
        entry.event is None or not entry.event.is_public
        for entry in referee.log[state.disclosed_to :]
    )


def require_disclosed(referee: Referee[Any], damage: str) -> None:
    """Refuses to show everything before it was disclosed.

    Whether it refuses follows from what everybody knows: it must not even reveal that somebody
    wrote something in secret.

    Raises:
        NotYetError: says what is to be done.
    """
    if damage:
        raise NotYetError(
            "The session is damaged, and whether its secrets were disclosed cannot be told: "
            "there is only what everybody may know."
        )
    state = referee.state
    if not state.table.match_over:
        raise NotYetError(
            "The match is not over: until then there is only what everybody may know, "
            "and each player's own."
        )
    events = referee.events
    begun = max((event.n for event in events if event.verb == MATCH), default=0)
    if state.disclosed_to <= begun:
        raise NotYetError(
            "What is private stays private until all agree to show it (table: disclose): until "
            "then there is only what everybody may know, and each player's own."
        )
