"""Codes that let a phone join once, and the tokens by which it is known from then on.

A code lies in a URL's fragment, which no browser sends to anybody: the page reads it and sends it
by itself. It holds for two minutes and once. A token is a cookie that scripts cannot read. Of both
only hashes are kept; those of tokens on the disk, beside the journal's keys, so that phones are
known to a host that was started anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from companion.errors import CompanionError
from companion.reading import FileError, read_json
from companion.writing import write_private
from mobile.seats import sentences

#: Bytes of a code (128 bits) and of a token (256 bits).
CODE_BYTES, TOKEN_BYTES = 16, 32
#: Seconds for which a code holds.
HOLDS = 120.0
#: So many wrong codes in so many seconds are too many.
_MOST_WRONG, _PERIOD = 30, 60.0
FILE = "phones.json"
_HASH = re.compile(r"[0-9a-f]{64}")


class TooOftenError(CompanionError):
    """Too many wrong codes were tried."""


@dataclass(frozen=True, slots=True)
class _Code:
    hashed: str
    until: float


class Invitations:
    """Codes that were given out and not used yet, one a place.

    Args:
        clock: seconds, for nothing but differences.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, _Code] = {}
        self._wrong: list[float] = []

    def make(self, place: str) -> str:
        """A new code for a place, such as a seat; an older one of it does not hold any more."""
        code = secrets.token_urlsafe(CODE_BYTES)
        self._codes[place] = _Code(_hashed(code), self._clock() + HOLDS)
        return code

    def holds(self, place: str, code: str) -> bool:
        """Whether a code opens a place now; it is not used up by asking.

        Raises:
            TooOftenError: it is wrong, and too many wrong codes were tried lately. A right one
                always opens: else a stranger could keep everybody out.
        """
        now = self._clock()
        known = self._codes.get(place)
        good = known is not None and known.until > now
        if good and known is not None and secrets.compare_digest(known.hashed, _hashed(code)):
            return True
        self._wrong = [then for then in self._wrong if now - then < _PERIOD]
        if len(self._wrong) >= _MOST_WRONG:
            raise TooOftenError(sentences.JOIN_TOO_OFTEN)
        self._wrong.append(now)
        return False

    def use_up(self, place: str) -> None:
        """The place's code does not hold any more."""
        self._codes.pop(place, None)


class SeatPhones:
    """Which phone has which seat of a session, known by the hashes of their tokens.

    So are the screens that are the table's own, and a phone that lends its camera.

    Args:
        folder: where the file lies: beside the keys.
        session: what tells the session from every other one.
    """

    def __init__(self, folder: Path, session: str) -> None:
        self._path = folder / FILE
        self._session = session
        self._all = _read(self._path)
        self._places = self._all.setdefault(session, {})

    def has(self, place: str) -> bool:
        """Whether a place (a seat, from `1`) is a phone's."""
        return bool(self._places.get(place))

    def has_seat(self, seat: int) -> bool:
        """Whether a seat, from 0, is a phone's."""
        return self.has(str(seat + 1))

    def give(self, place: str, *, most: int = 1) -> str:
        """Gives a place to a phone.

        Args:
            place: a seat, `table` or `camera`.
            most: so many phones can have it; the one that got it first loses it then.

        Returns:
            The phone's token, which is kept nowhere here.

        Raises:
            CompanionError: it cannot be written down.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        hashes = [*self._places.get(place, ()), _hashed(token)]
        self._keep(self._places | {place: hashes[-most:]})
        return token

    def is_token(self, place: str, token: str) -> bool:
        """Whether a token is that of a phone that has the place."""
        hashed = _hashed(token)
        known = [secrets.compare_digest(one, hashed) for one in self._places.get(place, ())]
        return any(known)

    def let_go(self, place: str) -> None:
        """Frees a place: its phone's token does not hold any more."""
        self._keep({own: kept for own, kept in self._places.items() if own != place})

    def forget_all_but(self, sessions: Iterable[str]) -> None:
        """Forgets phones of sessions that were deleted."""
        known = set(sessions)
        left = {name: places for name, places in self._all.items() if name in known}
        if left != self._all:
            self._all = left
            self._keep(self._places)

    def _keep(self, places: dict[str, list[str]]) -> None:
        everything = self._all | {self._session: places}
        text = json.dumps(everything, sort_keys=True)
        write_private(self._path, text, folders=True)
        self._all, self._places = everything, places


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _read(path: Path) -> dict[str, dict[str, list[str]]]:
    """What is kept; nothing where the file is missing or damaged: phones then join anew."""
    try:
        kept = read_json(path)
    except FileError:
        return {}
    found: dict[str, dict[str, list[str]]] = {}
    for session, places in kept.items() if isinstance(kept, dict) else ():
        if isinstance(places, dict):
            found[session] = {
                place: hashes for place, hashes in places.items() if _are_hashes(hashes)
            }
    return found


def _are_hashes(kept: object) -> bool:
    return isinstance(kept, list) and all(
        isinstance(one, str) and _HASH.fullmatch(one) for one in kept
    )
