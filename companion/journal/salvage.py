"""Reads sessions from the file row by row, however damaged it is, and judges their lines again.

Rows before and after a damaged place are read, and each is compared with its check. Values are
taken as bytes and checked before they are used, since damage may put anything anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from companion.cards import Card, Family, card
from companion.core.entries import Entry
from companion.core.game import Game
from companion.core.notation import Line
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.setup import OptionKind, Setup
from companion.errors import CompanionError, UnreadableError
from companion.journal.errors import DamagedError, JournalError, SealedError
from companion.journal.lines import LineReader, StoredLine
from companion.journal.schema import check_of
from companion.journal.store import Store

_EVENTS = (
    'SELECT n, at, applied, CAST(public AS BLOB), CAST(comment AS BLOB), sealed, "check"'
    " FROM events WHERE session = ? AND n BETWEEN ? AND ? ORDER BY n"
)
_SESSIONS = (
    "SELECT id, CAST(uuid AS BLOB), CAST(setup AS BLOB), begun, referee_key, revealed,"
    ' "check" FROM sessions'
)
_SEATS = (
    "SELECT session, seat, CAST(player AS BLOB), CAST(name AS BLOB), event_key, gate FROM seats"
)
_KINDS = (int, int, int, bytes, bytes, bytes | None, bytes)
_LAST = 1 << 40


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat as it lies in the file.

    Attributes:
        seat: from 0.
        player: uuid of its player.
        name: as shown in this session.
        event_key: its wrapped key; empty if only the player's PIN opens it.
        gate: the same key behind the player's lock, None if it has none yet.
    """

    seat: int
    player: str
    name: str
    event_key: bytes
    gate: bytes | None


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as it lies in the file, compared with its check.

    Attributes:
        id: its number in this journal.
        uuid: the same on every device.
        setup: game, options, trust and cards as JSON.
        begun: seconds since 1970.
        referee_key: its wrapped key.
        revealed: after which event everything was shown, None if it never was.
        seats: in order.
    """

    id: int
    uuid: bytes
    setup: bytes
    begun: int
    referee_key: bytes
    revealed: int | None
    seats: tuple[SeatRow, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in seat order."""
        return tuple(seat.name for seat in self.seats)


@dataclass(frozen=True, slots=True)
class EventRows:
    """The lines of a session that could be read.

    Attributes:
        rows: by number; each compared with its check.
        damaged: numbers of lines that are there and damaged.
        broken: what kept others from being read at all, empty if nothing did.
    """

    rows: dict[int, StoredLine]
    damaged: tuple[int, ...]
    broken: str

    @property
    def last(self) -> int:
        """The greatest number of a line, whole or not."""
        return max((*self.rows, *self.damaged), default=0)


def session_check(uuid: bytes, setup: bytes, begun: int, names: tuple[str, ...]) -> bytes:
    """The check of a session's row."""
    return check_of(uuid, setup, begun, *names)


def read_session(store: Store, number: int) -> SessionRow:
    """A session's row with its seats.

    Raises:
        JournalError: there is none, or it is damaged.
    """
    rows = store.rows(f"{_SESSIONS} WHERE id = ?", number)
    if not rows:
        raise JournalError(f"There is no session {number} in {store.path}.")
    return _session(rows[0], store.rows(f"{_SEATS} WHERE session = ? ORDER BY seat", number))


def read_sessions(store: Store) -> dict[int, SessionRow]:
    """Every session that is whole, by number.

    Raises:
        JournalError: they cannot be read all at once.
    """
    seats: dict[int, list[tuple[Any, ...]]] = {}
    for row in store.rows(f"{_SEATS} ORDER BY session, seat"):
        seats.setdefault(row[0], []).append(row)
    found = {}
    for row in store.rows(_SESSIONS):
        try:
            found[row[0]] = _session(row, seats.get(row[0], []))
        except JournalError:
            continue
    return found


def _session(row: tuple[Any, ...], seat_rows: list[tuple[Any, ...]]) -> SessionRow:
    number, uuid, setup, begun, key, revealed, check = row
    seats: list[SeatRow] = []
    for _, seat, player, name, event_key, gate in seat_rows:
        whole = all(isinstance(value, bytes) for value in (player, name, event_key, gate or b""))
        if not whole or seat != len(seats):
            raise DamagedError(f"What is kept about the seats of session {number} is damaged.")
        who = player.decode("ascii", "replace")
        seats.append(SeatRow(seat, who, name.decode("utf-8", "replace"), event_key, gate))
    if key == b"":
        raise DamagedError(f"The deletion of session {number} was cut short: delete it again.")
    names = tuple(seat.name for seat in seats)
    right = all(isinstance(value, bytes) for value in (uuid, setup, key))
    right &= isinstance(revealed, int | None) and isinstance(begun, int) and 0 <= begun < _LAST
    if not right or check != session_check(uuid, setup, begun, names):
        raise DamagedError(f"What is kept about session {number} is damaged.")
    return SessionRow(number, uuid, setup, begun, key, revealed, tuple(seats))


def read_events(store: Store, number: int, session: bytes) -> EventRows:
    """Every line of a session that can be read, from both ends towards a damaged place."""
    rows: dict[int, StoredLine] = {}
    damaged: set[int] = set()
    broken = ""
    try:
        for values in store.each(_EVENTS, number, 1, _LAST):
            _take(values, session, rows, damaged)
    except JournalError as error:
        broken = error.message
        first = max((*rows, *damaged), default=0) + 1
        try:
            for values in store.each(f"{_EVENTS} DESC", number, first, _LAST):
                _take(values, session, rows, damaged)
        except JournalError:
            pass  # the other side of the damaged place
    return EventRows(rows, tuple(sorted(damaged)), broken)


def _take(
    values: tuple[Any, ...], session: bytes, rows: dict[int, StoredLine], damaged: set[int]
) -> None:
    """Puts a row where it belongs: by its number, or that among the damaged ones."""
    n, at, *_, check = values
    right = all(isinstance(value, kind) for value, kind in zip(values, _KINDS, strict=True))
    if right and 0 <= at < _LAST and check == check_of(session, *values[:-1]):
        rows[n] = StoredLine(*values)
    elif isinstance(n, int):
        damaged.add(n)


# -- judging them again -----------------------------------------------------------------------


def submit_rows(
    referee: Referee[Any], rows: EventRows, reader: LineReader, last: int, behind: Sequence[str]
) -> tuple[str, tuple[int, ...], int | None]:
    """Judges the kept lines again, up to the first that cannot be read.

    Args:
        referee: has judged nothing yet.
        rows: the lines that are there.
        reader: opens them.
        last: number of the last line that there should be.
        behind: names of players whose lines open here only when they have entered their PIN once.

    Returns:
        Why it ended early, empty if it did not; the numbers of lines that are judged otherwise than
        when they were recorded; when the last was recorded, in seconds since 1970, None if there is
        none.
    """
    damage = ""
    differences: list[int] = []
    touched: int | None = None
    for n in range(1, last + 1):
        row = rows.rows.get(n)
        try:
            if row is None:
                raise UnreadableError(f"Event {n} is damaged or missing.")
            line = reader.read(row)
        except CompanionError as error:
            damage = _damage(error, n, behind)
            break
        if _submit(referee, line).applied != bool(row.applied):
            differences.append(n)
        touched = row.at
    if rows.broken and not damage:
        damage = _damage(UnreadableError(rows.broken), referee.stands + 1, ())
    return damage, tuple(differences), touched


def _submit(referee: Referee[Any], line: Line) -> Entry:
    if line.event is not None:
        return referee.submit_line(line)
    error: CompanionError = UnreadableError("The line could not be read when it was written.")
    try:
        referee.parse(line.text)
    except CompanionError as again:
        error = again
    return referee.submit_line(replace(line, error=error))


def _damage(error: CompanionError, n: int, behind: Sequence[str]) -> str:
    stands = f"as it stood after event {n - 1}" if n > 1 else "without its events"
    if isinstance(error, SealedError) and behind:
        return (
            f"What {' and '.join(behind)} wrote in secret is sealed by the PIN and opens here once "
            "it was entered (on the notepad, or “companion journal show” with “--as NAME”). Until "
            f"then the session is shown {stands}, for reading only."
        )
    why = error.message
    if isinstance(error, SealedError):
        why = f"{why} It was sealed on another device, or is damaged."
    return f"{why} The session is shown {stands}, for reading only."


# -- setups -----------------------------------------------------------------------------------


def write_setup(game: Game[Any], setup: Setup) -> bytes:
    """A setup without its players' names, as JSON; what it took from files is written out.

    Raises:
        CompanionError: it holds what cannot be kept.
    """
    by_seat = _player_options(game)
    options: dict[str, str | int] = dict(setup.options)
    for option in game.options:
        value = setup.options.get(option.name, "")
        if value and option.name in by_seat:
            options[option.name] = setup.seat(value)
        elif value and option.written_out is not None:
            options[option.name] = option.written_out(value)
    cards = None
    if setup.cards is not None:
        cards = [[each.family.value, each.code] for each in setup.cards]
    kept = {
        "game": setup.game,
        "options": options,
        "stated": list(setup.stated),
        "trusted": list(setup.trusted),
        "cards": cards,
    }
    try:
        return json.dumps(kept, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise JournalError("These settings hold characters that cannot be kept.") from None


def read_setup(stored: SessionRow) -> tuple[Game[Any], Setup]:
    """The game and setup of a session.

    Raises:
        CompanionError: the game is not installed, or does not know these settings any more.
    """
    try:
        return _read_setup(stored, json.loads(stored.setup))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        # Its check is right, so somebody wrote it on purpose.
        raise DamagedError(f"The settings of session {stored.id} are damaged.") from error


def game_of(stored: SessionRow) -> str:
    """The name of a session's game.

    Raises:
        DamagedError: its settings are damaged.
    """
    game = _game_in(stored.setup)
    if not game:
        raise DamagedError(f"The settings of session {stored.id} are damaged.")
    return game


@lru_cache(maxsize=64)
def _game_in(setup: bytes) -> str:
    """The name of the game in settings; most sessions have those of another. Empty: damaged."""
    try:
        game = json.loads(setup)["game"]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return ""
    return game if isinstance(game, str) and game.isprintable() else ""


def _read_setup(stored: SessionRow, value: dict[str, Any]) -> tuple[Game[Any], Setup]:
    game = get_game(value["game"])
    by_seat = _player_options(game)
    options = {
        name: stored.names[option] if name in by_seat and isinstance(option, int) else option
        for name, option in value["options"].items()
    }
    cards: tuple[Card, ...] | None = None
    if value["cards"] is not None:
        cards = tuple(card(code, Family(family)) for family, code in value["cards"])
    given = {name: option for name, option in options.items() if option}
    try:
        setup = game.setup(stored.names, given, trusted=tuple(value["trusted"]), cards=cards)
    except CompanionError as error:
        raise JournalError(
            f"Session {stored.id} cannot be opened with its settings: {error.message}"
        ) from error
    # Defaults may change from version to version; a session keeps those it began with.
    values = dict(setup.options) | options
    return game, replace(setup, options=MappingProxyType(values), stated=tuple(value["stated"]))


def _player_options(game: Game[Any]) -> frozenset[str]:
    return frozenset(o.name for o in game.options if o.kind is OptionKind.PLAYER)
