"""A player's own marks on the notepad: sealed with a key that only their PIN opens."""

from __future__ import annotations

import json
from collections.abc import Mapping

from companion.journal.errors import JournalError, SealedError
from companion.journal.sealing import about, new_key, pad, seal, unpad, unseal
from companion.journal.store import Store

#: More than any notepad has cells.
MAX_BYTES = 200_000


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
        if len(plain) > MAX_BYTES:
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
