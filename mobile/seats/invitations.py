"""Codes that let a phone join once, and the tokens by which it is known from then on.

A code lies in a URL's fragment, which no browser sends to anybody: the page reads it and sends it
by itself. It holds for two minutes and once. Where nothing scans, a short code is typed instead: it
holds as long, and is exchanged for one of the long kind, so that both go the same way from there.
A token is a cookie that scripts cannot read. Of all of them only hashes are kept; those of tokens
on the disk, beside the journal's keys, so that phones are known to a host that was started anew.

A short code has 40 bits. With twenty codes open and thirty tries a minute, guessing day and night
for a year hits with a chance of 0.0003. So a field that was filled wrongly too often takes nothing
for a while, not even what is right. A long code cannot be guessed, and always opens: nobody can
keep the others out by typing nonsense.
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

from companion.atomic_io import write_private
from companion.bounded_io import FileError, read_json
from companion.errors import CompanionError
from mobile.seats import sentences

#: Bytes of a code (128 bits) and of a token (256 bits).
CODE_BYTES, TOKEN_BYTES = 16, 32
#: Seconds for which a code holds.
HOLDS = 120.0
#: So many wrong codes in so many seconds are too many.
MOST_WRONG, PERIOD = 30, 60.0
#: Characters of a short code: 32 of them, five bits each; I, L, O and U are not among them.
SHORT_LETTERS, SHORT_LENGTH = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 8
#: Stands after a place whose code is in the corner of the table's screen.
_CORNER = " corner"
#: What people take for a letter of a short code, and what stands between its halves.
_READ_AS = str.maketrans("OIL", "011", "- \u2010\u2011\u2013\u00a0\t")
FILE = "phones.json"
_HASH = re.compile(r"[0-9a-f]{64}")


class TooOftenError(CompanionError):
    """Too many wrong codes were tried."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """What opens a place once.

    Attributes:
        code: to be scanned.
        short: to be typed, in two halves.
    """

    code: str
    short: str


@dataclass(frozen=True, slots=True)
class Invited:
    """How a place is opened once.

    Attributes:
        url: to be scanned.
        typed: to be opened in a browser by hand, as short as it may be.
        short: to be typed there.
    """

    url: str
    typed: str
    short: str


@dataclass(frozen=True, slots=True)
class _Code:
    hashed: str
    short: str
    until: float


class _Wrong:
    """Counts what was tried in vain lately."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def is_too_often(self, now: float) -> bool:
        """Whether no more is taken."""
        self._times = [then for then in self._times if now - then < PERIOD]
        return len(self._times) >= MOST_WRONG

    def add(self, now: float) -> None:
        """One more."""
        self._times.append(now)


class Invitations:
    """Codes that were given out and not used yet, one a place, and one in the screen's corner.

    Args:
        clock: seconds, for nothing but differences.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, _Code] = {}
        self._wrong, self._wrong_short = _Wrong(), _Wrong()

    def make(self, place: str, *, corner: bool = False) -> Invitation:
        """New codes for a place, such as a seat; older ones of it do not hold any more.

        Args:
            place: what they open.
            corner: whether they stand unasked in the corner of the table's screen: then they take
                the place of the ones before them there, and of no others.
        """
        return self._make(place + _CORNER if corner else place)

    def _make(self, key: str) -> Invitation:
        code = secrets.token_urlsafe(CODE_BYTES)
        letters = "".join(secrets.choice(SHORT_LETTERS) for _ in range(SHORT_LENGTH))
        until = self._clock() + HOLDS
        self._codes[key] = _Code(_hashed(code), _hashed(letters), until)
        return Invitation(code, f"{letters[:4]}-{letters[4:]}")

    def exchange(self, short: str) -> tuple[str, str] | None:
        """The place that a short code opens and a long code for it; the short one is used up.

        Returns:
            None where it opens nothing, whatever the reason.

        Raises:
            TooOftenError: too many wrong ones were typed lately; this one was not looked at.
        """
        now = self._clock()
        if self._wrong_short.is_too_often(now):
            raise TooOftenError(sentences.SIT_TOO_OFTEN)
        hashed = _hashed(short.upper().translate(_READ_AS))
        # All are compared, always: how long it takes tells nothing of how many there are.
        fits = [
            key
            for key, known in self._codes.items()
            if secrets.compare_digest(known.short, hashed) and known.until > now
        ]
        if not fits:
            self._wrong_short.add(now)
            return None
        return fits[0].removesuffix(_CORNER), self._make(fits[0]).code

    def holds(self, place: str, code: str) -> bool:
        """Whether a code opens a place now; it is not used up by asking.

        Raises:
            TooOftenError: it is wrong, and too many wrong codes were tried lately. A right one
                always opens: else a stranger could keep everybody out.
        """
        now = self._clock()
        found = (self._codes.get(key) for key in (place, place + _CORNER))
        open_ = [known.hashed for known in found if known is not None and known.until > now]
        if any(secrets.compare_digest(hashed, _hashed(code)) for hashed in open_):
            return True
        if self._wrong.is_too_often(now):
            raise TooOftenError(sentences.JOIN_TOO_OFTEN)
        self._wrong.add(now)
        return False

    def use_up(self, place: str) -> None:
        """The place's codes do not hold any more."""
        for key in (place, place + _CORNER):
            self._codes.pop(key, None)


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
