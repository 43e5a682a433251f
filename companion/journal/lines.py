"""One line of a match as it is stored: the public part readable, the private part sealed.

A public event is stored in the match notation. A private event, or the correction of one, is sealed
as a whole line with its seat's key; its public part is what everybody sees of it (`#1*: hand …`),
or nothing if nobody else knows of it. A line that could not be read may hold a secret: it is sealed
with the key of the seat that it names, or else with the session's own. Seats are written `#1 #2 …`,
so that a player can be renamed.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.core.entries import Entry
from companion.core.events import CORRECT, Event
from companion.core.game import Game
from companion.core.names import name_key
from companion.core.notation import Line, read_event, write_event
from companion.core.setup import Setup
from companion.core.state import evolve
from companion.errors import CompanionError
from companion.journal.errors import DamagedError, JournalError, SealedError
from companion.journal.schema import check_of
from companion.journal.sealing import about, pad, seal, unpad, unseal

_PRIVATE = re.compile(r"^(?:\S+: correct \d+ )?#(?P<seat>[1-9]\d{0,2})\*")
#: Owner of what is nobody's, beside the seats.
REFEREE = -1


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A line as it lies in the file.

    Attributes:
        n: its number.
        at: when it was recorded, in seconds since 1970.
        applied: whether it took effect.
        public: what everybody may know of it.
        comment: a public event's comment.
        sealed: the private part, None if there is none.
        check: over all of it.
    """

    n: int
    at: int
    applied: int
    public: bytes
    comment: bytes
    sealed: bytes | None
    check: bytes

    def write(self, db: sqlite3.Connection, number: int) -> None:
        """Adds it to the session of that number; the caller holds the transaction."""
        texts = (self.public.decode(), self.comment.decode())
        db.execute(
            'INSERT INTO events (session, n, at, applied, public, comment, sealed, "check")'
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, self.n, self.at, self.applied, *texts, self.sealed, self.check),
        )


@dataclass(frozen=True, slots=True)
class SessionKeys:
    """What a session's lines are sealed with.

    Attributes:
        session: the session's uuid.
        by_owner: seat (or `REFEREE`) → key, as far as they could be unwrapped.
    """

    session: bytes
    by_owner: Mapping[int, bytes]

    def seal(self, n: int, owner: int, value: dict[str, str]) -> bytes:
        """Seals a line's private part."""
        plain = pad(json.dumps(value, ensure_ascii=False).encode())
        return seal(self.by_owner[owner], plain, self._about(n, owner))

    def open(self, n: int, sealed: bytes, *, likely: int = REFEREE) -> tuple[int, dict[str, str]]:
        """Opens a line's private part; says whose key opened it.

        A row may not say whose it is, so every key is tried.

        Args:
            n: the line's number.
            sealed: its private part.
            likely: whose key is tried first.

        Raises:
            SealedError: no key opens it.
        """
        owners = sorted(self.by_owner, key=lambda owner: owner != likely)
        for owner in owners:
            key = self.by_owner[owner]
            try:
                plain = unseal(key, sealed, self._about(n, owner))
            except SealedError:
                continue
            value: dict[str, str] = json.loads(unpad(plain))
            return owner, value
        raise SealedError(f"The sealed part of event {n} does not open.")

    def _about(self, n: int, owner: int) -> bytes:
        return about("event", self.session.decode("ascii", "replace"), n, owner)


def neutral(setup: Setup) -> Setup:
    """The setup with numbers in place of names."""
    return evolve(setup, players=tuple(f"#{seat + 1}" for seat in range(len(setup.players))))


def encode(game: Game[Any], setup: Setup, keys: SessionKeys, entry: Entry, at: int) -> StoredLine:
    """A judged line as a row.

    Raises:
        JournalError: it holds what cannot be kept, so that it would not read back the same.
    """
    public = comment = ""
    sealed = None
    event = entry.event
    try:
        if event is None:
            owner = owner_of_text(entry.text, setup.players)
            sealed = keys.seal(entry.n, owner, {"text": entry.text})
        else:
            line = _written(game, neutral(setup), event)
            if event.is_public:
                public, comment = line, event.comment
            else:
                sealed = keys.seal(entry.n, _owner(event), {"line": line, "comment": event.comment})
                if entry.applied and game.is_announced(event):
                    public = write_event(game, neutral(setup), event.redacted())
        values = (entry.n, at, int(entry.applied), public.encode(), comment.encode(), sealed)
    except UnicodeEncodeError:
        raise JournalError("This line holds characters that cannot be kept.") from None
    return StoredLine(*values, check_of(keys.session, *values))


def _owner(event: Event) -> int:
    """The owner of a private event; a correction's is that of the line it corrects."""
    if event.verb == CORRECT and len(event.args) == 2 and not event.args[1].is_public:
        return _owner(event.args[1])
    return REFEREE if event.seat is None else event.seat


def owner_of_line(line: str) -> int:
    """The owner of a private line as it is stored, with seats as numbers."""
    found = _PRIVATE.search(line)
    return REFEREE if found is None else int(found["seat"]) - 1


def owner_of_text(text: str, names: Sequence[str]) -> int:
    """The owner of a line that could not be read: the player named before `*`, if any."""
    # A name may hold spaces: of those that the words before the star end with, the longest.
    by_length = sorted(enumerate(names), key=lambda pair: -len(name_key(pair[1])))
    for part in reversed(text.split("*")[:-1]):
        words = f" {name_key(part.rpartition(':')[2])}"
        for seat, each in by_length:
            if words.endswith(f" {name_key(each)}"):
                return seat
    return REFEREE


class LineReader:
    """Reads a session's rows; a line that comes again is read once.

    Args:
        game: the session's game.
        setup: its settings.
        keys: what opens its sealed rows.
    """

    def __init__(self, game: Game[Any], setup: Setup, keys: SessionKeys) -> None:
        self._game = game
        self._setup = neutral(setup)
        self._keys = keys
        self._known: dict[str, Event] = {}

    def read(self, row: StoredLine) -> Line:
        """A row, compared with its check before, as a line to submit to a referee.

        Raises:
            DamagedError, SealedError: it cannot be read.
        """
        line, comment = row.public.decode(), row.comment.decode()
        if row.sealed is not None:
            _, private = self._keys.open(row.n, row.sealed, likely=owner_of_line(line))
            if "text" in private:
                return Line(row.n, private["text"])
            line, comment = private["line"], private["comment"]
        event = self._known.get(line)
        if event is None:
            try:
                event = read_event(self._game, self._setup, line)
            except CompanionError as error:
                raise DamagedError(
                    f"Event {row.n} cannot be read by this version of the program: {error.message}"
                ) from error
            self._known[line] = event
        return Line(row.n, line, evolve(event, n=row.n, comment=comment), None, comment)


def public_text(game: Game[Any], setup: Setup, row: StoredLine) -> str:
    """What everybody may know of a line, with the players' names; empty if that is nothing."""
    text = row.public.decode("utf-8", "replace")
    if text.endswith("…"):
        # Redacted lines do not read back: only who they are about is put in words.
        who, colon, rest = text.partition(":")
        names = "*".join(_name(part, setup.players) for part in who.split("*") if part)
        return f"{names}{'' if who.count('*') and '*' in names else '*'}{colon}{rest}"
    if not text:
        return ""
    try:
        return write_event(game, setup, read_event(game, neutral(setup), text))
    except CompanionError:
        return text


def _name(number: str, players: Sequence[str]) -> str:
    index = int(number[1:]) - 1 if number[1:].isdecimal() else -1
    return players[index] if 0 <= index < len(players) else number


def _written(game: Game[Any], setup: Setup, event: Event) -> str:
    """The event in notation, after checking that it reads back the same."""
    line = write_event(game, setup, event, comment=False)
    try:
        again = read_event(game, setup, line)
    except CompanionError as error:
        raise JournalError(f"This event cannot be kept: {error.message}") from error
    if _plain(again) != _plain(event):
        raise JournalError("This event cannot be kept: it would not read back the same.")
    return line


def _plain(event: Event) -> Event:
    """The event without what is kept beside its line."""
    event = evolve(event, n=0, comment="")
    if event.verb == CORRECT:
        n, inner = event.args
        event = evolve(event, args=(n, _plain(inner)))
    return event
