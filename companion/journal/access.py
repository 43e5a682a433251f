"""Who may look at what in a session: a player who has entered the PIN, and everybody.

A player sees their own, with their marks on the notepad, which are sealed with a key that only
their PIN opens. Everything is shown once it was disclosed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

from companion.core.referee import Referee
from companion.core.verb import MATCH
from companion.journal.errors import JournalError, NotYetError, PinError, SealedError
from companion.journal.sealing import about, new_key, pad, seal, unpad, unseal
from companion.journal.store import Store

#: Bytes of a player's marks; more than any notepad has cells.
_MOST_MARKS = 200_000


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


class Marks:
    """One player's marks in one session: short texts by name (of a cell, for instance).

    Get it from `Session.marks`; every change is on the disk when its call returns.
    """

    def __init__(self, store: Store, session: int, uuid: str, seat: int, key: bytes) -> None:
        self._store = store
        self._session = session
        self._seat = seat
        self._player_key = key
        self._about = about("marks", uuid, seat)
        self._about_key = about("marks-key", uuid, seat)

    def get(self, name: str, default: str = "") -> str:
        """The mark of that name."""
        return self.all().get(name, default)

    def put(self, name: str, mark: str) -> None:
        """Sets a mark; an empty one removes it."""
        marks = self.all()
        if mark:
            marks[name] = mark
        else:
            marks.pop(name, None)
        self.replace(marks)

    def all(self) -> dict[str, str]:
        """Every mark.

        Raises:
            SealedError: they are damaged, or another player's.
        """
        rows = self._store.rows(
            "SELECT sealed FROM marks WHERE session = ? AND seat = ?", self._session, self._seat
        )
        if not rows:
            return {}
        key = self._key()
        if key is None:
            raise SealedError("The key of these marks is damaged: they do not open any more.")
        marks: dict[str, str] = json.loads(unpad(unseal(key, rows[0][0], self._about)))
        return marks

    def replace(self, marks: Mapping[str, str]) -> None:
        """Sets all marks at once.

        Raises:
            JournalError: they are too many, or the journal cannot be written.
        """
        try:
            plain = json.dumps(dict(marks), ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JournalError("These marks hold characters that cannot be kept.") from None
        if len(plain) > _MOST_MARKS:
            raise JournalError("These marks are too long to be kept.")
        with self._store.transaction() as db:
            key = self._key()
            if key is None:
                key = new_key()
                db.execute(
                    "UPDATE seats SET marks_key = ? WHERE session = ? AND seat = ?",
                    (seal(self._player_key, key, self._about_key), self._session, self._seat),
                )
            db.execute(
                "INSERT OR REPLACE INTO marks (session, seat, sealed) VALUES (?, ?, ?)",
                (self._session, self._seat, seal(key, pad(plain), self._about)),
            )

    def _key(self) -> bytes | None:
        rows = self._store.rows(
            "SELECT marks_key FROM seats WHERE session = ? AND seat = ?", self._session, self._seat
        )
        if not rows or rows[0][0] is None:
            return None
        return unseal(self._player_key, rows[0][0], self._about_key)


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
