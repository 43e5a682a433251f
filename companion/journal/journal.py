"""The journal: every session of this device in one file."""

from __future__ import annotations

import math
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from companion.core.game import Game
from companion.core.setup import Setup, check_names
from companion.errors import CompanionError, UsageError
from companion.gc_pause import collector_paused
from companion.journal import backup as backups
from companion.journal import copies
from companion.journal import summary as summaries
from companion.journal.device import DeviceKeys, FileDeviceKeys
from companion.journal.errors import (
    BusyError,
    FullError,
    JournalError,
    ReadOnlyError,
    SealedError,
)
from companion.journal.lines import REFEREE, Keys
from companion.journal.pins import Players
from companion.journal.ring import Ring, about_event_key, about_gate, is_name
from companion.journal.rows import (
    SeatRow,
    SessionRow,
    game_of,
    read_session,
    read_sessions,
    session_check,
    write_setup,
)
from companion.journal.sealing import PIN_COST, new_key, seal_to
from companion.journal.session import Session
from companion.journal.store import Store, remove_files
from companion.journal.tries import Tries, uptime
from companion.paths import data_folder

FILE = "journal.sqlite"
KEYS = "keys"
_NEXT_TURN = "(SELECT coalesce(max(turn), 0) + 1 FROM sessions)"
#: Later than any time that a clock shows.
_LATEST = 1 << 36


def journal_path() -> Path:
    """Where the journal lies unless another file is named."""
    return data_folder() / FILE


def device_keys() -> FileDeviceKeys:
    """The device's keys, as files of the data folder."""
    return FileDeviceKeys(data_folder() / KEYS)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as lists show it; all of it is public.

    Attributes:
        id: its number in this journal.
        game: its game's name.
        players: names in seat order.
        begun: seconds since 1970.
        touched: when it last changed.
        events: number of its lines.
        match: number of its last match.
        over: whether its game has ended.
        winners: names of those who won it.
        scores: points by name.
        reasons: why the last match ended as it did.
        damage: what is wrong with it, empty if it is whole as far as lists can tell.
        disclosed: the line by which everything was disclosed to all, None if none was.
    """

    id: int
    game: str
    players: tuple[str, ...]
    begun: int
    touched: int
    events: int
    match: int
    over: bool
    winners: tuple[str, ...]
    scores: dict[str, int]
    reasons: tuple[str, ...]
    damage: str = ""
    disclosed: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for `journal list --json`."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's record over all sessions that have ended.

    Attributes:
        name: the player.
        game: the game's name.
        played: sessions that have ended.
        won: how many of them the player won, alone or with others.
    """

    name: str
    game: str
    played: int
    won: int


class Journal:
    """All sessions of this device. See the package's text for how to use it.

    Args:
        path: its file; in the data folder if not given.
        device: keeper of the device's keys; files in the data folder if not given.
        clock: seconds since 1970.
        pin_cost: log2 of scrypt's N for new PINs.
        read_only: open it for reading only.
        steady: seconds since the device was started: the waits after wrong PINs run on it.

    Raises:
        JournalError: it is no journal, or cannot be read at all.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        device: DeviceKeys | None = None,
        clock: Callable[[], float] = time.time,
        pin_cost: int = PIN_COST,
        read_only: bool = False,
        steady: Callable[[], float] = uptime,
    ) -> None:
        self._clock = clock
        self.store = Store(path or journal_path(), read_only=read_only)
        self._sessions: dict[int, Session] = {}
        self._turn = 0
        self.closed = False
        try:
            self._ring = Ring(device or device_keys(), "")
            self._ring.name = self._identify()
            self.players = Players(
                self.store, self._ring, Tries(self._ring.device, steady), pin_cost
            )
            if not self.read_only:
                self.players.retire()
                self.players.catch_up()
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """Its file."""
        return self.store.path

    @property
    def read_only(self) -> bool:
        """Whether nothing can be recorded; `notice` says why."""
        return self.store.read_only

    @property
    def notice(self) -> str:
        """What a person should know about it; empty if all is well."""
        return self.store.notice

    # -- sessions -----------------------------------------------------------------------------

    def begin(self, game: Game[Any], setup: Setup) -> Session:
        """A new session, on the disk when this returns."""
        own = uuid.uuid4().hex
        text = write_setup(game, setup)
        begun = self.now()
        referee_key = self._ring.wrap(new_key(), about_event_key(own, REFEREE))
        check = session_check(own.encode(), text, begun, setup.players)
        with self.store.transaction() as db:
            number = db.execute(
                'INSERT INTO sessions (uuid, setup, begun, referee_key, "check", turn)'  # noqa: S608
                f" VALUES (?, ?, ?, ?, ?, {_NEXT_TURN})",
                (own, text.decode(), begun, referee_key, check),
            ).lastrowid
            for seat, name in enumerate(setup.players):
                player = self.players.named(db, name)
                key = new_key()
                wrapped = self._ring.wrap(key, about_event_key(own, seat, player))
                lock = self.players.lock(db, player)
                gate = None if lock is None else seal_to(lock, key, about_gate(own, seat, player))
                db.execute(
                    "INSERT INTO seats (session, seat, player, name, event_key, gate)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (number, seat, player, name, wrapped, gate),
                )
        return self.resume(int(number or 0))

    def resume(self, number: int) -> Session:
        """A session as it was left: the same log, the same undo depth, the same views.

        If a line is damaged, the session is read-only and ends before that line.

        Raises:
            JournalError: there is none of that number, or nothing of it can be read.
        """
        if number in self._sessions:
            return self._sessions[number]
        stored = read_session(self.store, number)
        session = Session(self, stored, self.keys_of(stored))
        self._sessions[number] = session
        return session

    @contextmanager
    def glance(self, number: int) -> Iterator[Session]:
        """A session to look at; it is closed afterwards, unless it was open before.

        Raises:
            JournalError: there is none of that number, or nothing of it can be read.
        """
        was_open = number in self._sessions
        session = self.resume(number)
        try:
            yield session
        finally:
            if not was_open and number in self._sessions:
                with suppress(JournalError):
                    session.close()

    def sessions(self) -> tuple[SessionInfo, ...]:
        """Every session, the one that changed last first, whatever the clock said."""
        with collector_paused():
            return self._listed()

    def uuids(self) -> tuple[str, ...]:
        """What distinguishes each session from every other one."""
        return tuple(
            str(own) for (own,) in self.store.rows("SELECT CAST(uuid AS TEXT) FROM sessions")
        )

    def identities(self) -> dict[int, str]:
        """Session number → what distinguishes it from every other one, on every device."""
        rows = self.store.rows("SELECT id, CAST(uuid AS TEXT) FROM sessions")
        return {int(number): str(own) for number, own in rows}

    def _listed(self) -> tuple[SessionInfo, ...]:
        for session in tuple(self._sessions.values()):
            try:
                session.flush()
            except JournalError:
                continue  # no room: what is listed follows from the events
        numbers = [
            row[0] for row in self.store.rows("SELECT id FROM sessions ORDER BY turn DESC, id DESC")
        ]
        try:
            stored = read_sessions(self.store)
            kept = summaries.read_all(self.store)
            counts = {
                session: (count, last)
                for session, count, last in self.store.rows(
                    "SELECT session, count(*), max(n) FROM events GROUP BY session"
                )
            }
        except JournalError:
            # Something in it is damaged: one by one, so that the others are listed.
            stored, kept, counts = {}, {}, {}
        return tuple(
            self._info(number, stored.get(number), kept.get(number), counts.get(number))
            for number in numbers
            if isinstance(number, int)
        )

    def unfinished(self, game: str | None = None) -> tuple[SessionInfo, ...]:
        """Sessions to go on with, the one that changed last first."""
        return tuple(
            info
            for info in self.sessions()
            if not info.over and not info.damage and game in (None, info.game)
        )

    def standings(self) -> tuple[Standing, ...]:
        """Wins by player and game over all sessions that have ended, most wins first."""
        tally: dict[tuple[str, str], list[int]] = {}
        for info in self.sessions():
            for name in info.players if info.over else ():
                count = tally.setdefault((name, info.game), [0, 0])
                count[0] += 1
                count[1] += name in info.winners
        standings = [Standing(*who, played, won) for who, (played, won) in tally.items()]
        return tuple(sorted(standings, key=lambda s: (-s.won, s.played, s.name.casefold())))

    def rename(self, number: int, seat: int, name: str) -> None:
        """Renames a player in a session; the person (and their PIN) stays the same.

        The session is closed if it was open: resume it.

        Raises:
            CompanionError: the name cannot be used, or there is no such seat.
        """
        stored = read_session(self.store, number)
        if not 0 <= seat < len(stored.seats):
            raise UsageError(f"There is no seat {seat + 1}.")
        names = tuple(name if at == seat else old for at, old in enumerate(stored.names))
        check_names(names)
        if number in self._sessions:
            self._sessions[number].close()
        player = stored.seats[seat].player
        check = session_check(stored.uuid, stored.setup, stored.begun, names)
        with self.store.transaction() as db:
            db.execute(
                "UPDATE seats SET name = ? WHERE session = ? AND seat = ?", (name, number, seat)
            )
            db.execute('UPDATE sessions SET "check" = ? WHERE id = ?', (check, number))
            others = db.execute(
                "SELECT count(*) FROM seats WHERE player = ? AND session != ?", (player, number)
            ).fetchone()[0]
            if not others:
                db.execute("UPDATE players SET name = ? WHERE uuid = ?", (name, player))

    def rename_everywhere(self, name: str, new: str) -> int:
        """Renames a player in every session; the person (and their PIN) stays the same.

        Sessions that were open are closed: resume them.

        Returns:
            In how many sessions the player sat under that name.

        Raises:
            CompanionError: the name cannot be used, or another player is called so.
        """
        check_names((new,))
        known = {
            str(other).casefold(): str(own)
            for own, other in self.store.rows("SELECT uuid, CAST(name AS TEXT) FROM players")
        }
        player = known.get(name.casefold())
        if player is None:
            return 0
        if known.get(new.casefold(), player) != player:
            check_names((new, new))  # refuses it: another player is called so
        concerned = [
            stored
            for stored in read_sessions(self.store).values()
            if any(self._is_seat(seat, player, name) for seat in stored.seats)
        ]
        renamed: dict[int, tuple[str, ...]] = {}
        for stored in concerned:
            names = tuple(
                new if self._is_seat(seat, player, name) else seat.name for seat in stored.seats
            )
            check_names(names)
            renamed[stored.id] = names
        for stored in concerned:
            if stored.id in self._sessions:
                self._sessions[stored.id].close()
        with self.store.transaction() as db:
            for stored in concerned:
                for seat in stored.seats:
                    db.execute(
                        "UPDATE seats SET name = ? WHERE session = ? AND seat = ?",
                        (renamed[stored.id][seat.seat], stored.id, seat.seat),
                    )
                check = session_check(stored.uuid, stored.setup, stored.begun, renamed[stored.id])
                db.execute('UPDATE sessions SET "check" = ? WHERE id = ?', (check, stored.id))
            db.execute("UPDATE players SET name = ? WHERE uuid = ?", (new, player))
        return len(concerned)

    @staticmethod
    def _is_seat(seat: SeatRow, player: str, name: str) -> bool:
        """Whether a player sits there under a name."""
        return seat.player == player and seat.name.casefold() == name.casefold()

    # -- for good -----------------------------------------------------------------------------

    def delete(self, number: int) -> tuple[Path, ...]:
        """Deletes a session permanently: its keys first, then its rows, then the space they used.

        It does so in the files that the program set aside too, and in its exports. Players who sit
        in no other session are deleted too. It needs no room.

        Returns:
            Files that were set aside and too damaged for that; they were deleted as a whole.

        Raises:
            BusyError: it is deleted, but another program is reading the file: the space it used is
                wiped when both have closed it.
            JournalError: there is no such session, or it cannot be deleted now.
        """
        if number in self._sessions:
            session = self._sessions.pop(number)
            with suppress(JournalError):  # no room for its scores, which go now
                session.close()
        rows = self.store.rows("SELECT CAST(uuid AS TEXT) FROM sessions WHERE id = ?", number)
        if not rows:
            raise JournalError(f"There is no session {number} in {self.path}.")
        exports = tuple(
            name
            for (name,) in self.store.rows("SELECT path FROM exports WHERE session = ?", number)
        )
        reader: BusyError | None = None
        try:
            reader = self._delete(number)
        except FullError:
            self.store.tighten()
            reader = self._delete(number)
        if self.store.tight:
            self.store.loosen()
        copies.remove_exports(self.path, tuple(str(name) for name in exports))
        gone = self._forget_copies(str(rows[0][0]))
        if reader is not None:
            raise reader
        return gone

    def _delete(self, number: int) -> BusyError | None:
        with self.store.transaction(deleting=True) as db:
            copies.delete_keys(db, number)
        reader: BusyError | None = None
        try:
            if not self.store.tight:
                self.store.merge()
        except BusyError as error:
            reader = error
        with self.store.transaction(deleting=True) as db:
            copies.delete_rows(db, number)
        self.store.wipe()
        return reader

    def _forget_copies(self, uuid: str) -> tuple[Path, ...]:
        device = self._ring.device
        for part in copies.unfinished(self.path):
            remove_files(part)
        return tuple(
            copy
            for copy in copies.set_aside(self.path)
            if not copies.forget_session(copy, uuid, device, self._ring.name)
        )

    def delete_everything(self) -> None:
        """Deletes all sessions, players and keys for good and closes the journal.

        The device's key goes first: from then on not even a copy of the file can be opened. Files
        that the program set aside are deleted with their keys, and so are its exports and what the
        app keeps beside it about players and matches.

        Raises:
            ReadOnlyError: it is open for reading only.
            JournalError: a file cannot be removed.
        """
        if self.read_only and not self.store.tight:
            raise ReadOnlyError(f"Nothing can be deleted from {self.path}. {self.notice}")
        device, path = self._ring.device, self.path
        device.destroy(self._ring.name)
        self._sessions.clear()
        self.store.close()
        self.closed = True
        for copy in copies.set_aside(path):
            copies.remove_copy(copy, device)
        for part in copies.unfinished(path):
            remove_files(part)
        remove_files(path)
        copies.remove_exports(path)
        copies.remove_app_files(path)

    # -- backups ------------------------------------------------------------------------------

    def backup(self, target: Path, passphrase: str, *, cost: int | None = None) -> None:
        """Writes everything into one file that can be restored on another device.

        Args:
            target: the file; an existing one is replaced when the new one is complete.
            passphrase: what the keys in it are wrapped with.
            cost: log2 of scrypt's N, for tests.

        Raises:
            JournalError: the passphrase is too short, or the file cannot be written.
        """
        for session in self._sessions.values():
            session.flush()
        backups.write(self.store, self._ring, target, passphrase, cost=cost)

    def close(self) -> None:
        """Ends its use; another program may write it then."""
        if self.closed:
            return
        for session in tuple(self._sessions.values()):
            try:
                session.close()
            except JournalError:
                # Lists are brought up to date from the events next time.
                self._sessions.pop(session.id, None)
        self.closed = True
        self.store.close()

    # -- inside -------------------------------------------------------------------------------

    def now(self) -> int:
        """Seconds since 1970, as far as the device's clock makes sense; else 0."""
        now = self._clock()
        return int(now) if math.isfinite(now) and 0 <= now < _LATEST else 0

    def unlock(self, player: str, pin: str) -> bytes:
        """A player's secret; does what had to wait for their PIN, in every session.

        Raises:
            PinError: it is wrong, or may not be tried yet.
        """
        secret = self.players.unlock(player, pin)
        changed = self.players.settle(player, secret, pin)
        if changed is not None:
            self._rekeyed(player, changed)
        return changed or secret

    def set_pin(self, player: str, new: str, old: str) -> None:
        """Sets, changes or (an empty one) removes a player's PIN, in all their sessions."""
        self._rekeyed(player, self.players.set_pin(player, new, old))

    def _rekeyed(self, player: str, secret: bytes) -> None:
        for session in tuple(self._sessions.values()):
            session.rekeyed(player, secret)

    def take_turn(self, db: sqlite3.Connection, session: int) -> None:
        """A session is continued: it is listed first, whatever the clock says."""
        if self._turn != session:
            # The number's expression is a constant of ours.
            db.execute(
                f"UPDATE sessions SET turn = {_NEXT_TURN} WHERE id = ?",  # noqa: S608
                (session,),
            )

    def took_turn(self, session: int) -> None:
        """What `take_turn` wrote is on the disk."""
        self._turn = session

    def forget(self, session: int) -> None:
        """A session was closed."""
        self._sessions.pop(session, None)

    def _identify(self) -> str:
        """The name of the journal's key; a new journal gets one."""
        if not self.read_only:
            known = self.store.rows("SELECT CAST(value AS BLOB) FROM meta WHERE key = 'journal'")
            if not known and not self.store.rows("SELECT 1 FROM sessions LIMIT 1"):
                name = uuid.uuid4().hex
                self._ring.device.create(name)
                with self.store.transaction() as db:
                    db.execute("INSERT INTO meta (key, value) VALUES ('journal', ?)", (name,))
                return name
        name = self._known_name()
        if not self._ring.device.has(name) and not self.read_only:
            self.store.deny(
                "The key of this journal is not on this device: only what everybody may know can "
                "be read. Restore a backup of it to go on."
            )
        return name

    def _known_name(self) -> str:
        try:
            rows = self.store.rows("SELECT CAST(value AS BLOB) FROM meta WHERE key = 'journal'")
        except JournalError:
            return ""
        name = rows[0][0].decode("ascii", "replace") if rows and rows[0][0] else ""
        return name if is_name(name) else ""

    def keys_of(self, stored: SessionRow) -> Keys:
        """The session's keys, as far as this device opens them."""
        wrapped = {seat.seat: (seat.event_key, seat.player) for seat in stored.seats}
        wrapped[REFEREE] = (stored.referee_key, "")
        own = stored.uuid.decode("ascii", "replace")
        keys = {}
        for owner, (sealed, player) in wrapped.items():
            belongs = about_event_key(own, owner, player)
            try:
                keys[owner] = self._ring.unwrap(sealed, belongs)
            except SealedError:
                continue
        return Keys(stored.uuid, keys)

    def _info(
        self,
        number: int,
        stored: SessionRow | None = None,
        kept: summaries.Kept | None = None,
        count: tuple[int, int] | None = None,
    ) -> SessionInfo:
        """A session for lists; damage is reported in it, not raised."""
        try:
            return self._whole_info(number, stored, kept, count)
        except CompanionError as error:
            return SessionInfo(number, "", (), 0, 0, 0, 1, False, (), {}, (), error.message)

    def _whole_info(
        self,
        number: int,
        stored: SessionRow | None,
        kept: summaries.Kept | None,
        counted: tuple[int, int] | None,
    ) -> SessionInfo:
        stored = stored or read_session(self.store, number)
        game = game_of(stored)
        count, last = (
            counted
            or self.store.rows("SELECT count(*), max(n) FROM events WHERE session = ?", number)[0]
        )
        damage = "" if count == (last or 0) else "Some of its events are missing."
        kept = kept or summaries.read(self.store, number)
        if (
            kept is None
            or kept.upto != (last or 0)
            or len(kept.summary.match.scores) != len(stored.names)
        ):
            # It was left without being closed: lists follow from the events.
            session = self.resume(number)
            damage = session.damage
            made = summaries.summarise(session.referee)
            kept = summaries.Kept(made, session.referee.stands, session.touched)
            with suppress(JournalError):
                session.close()
        names = stored.names
        match = kept.summary.match
        return SessionInfo(
            id=number,
            game=game,
            players=names,
            begun=stored.begun,
            touched=kept.touched,
            events=count,
            match=match.number,
            over=kept.summary.over,
            winners=tuple(names[seat] for seat in kept.summary.winners),
            scores=dict(zip(names, match.scores, strict=True)),
            reasons=match.reasons,
            damage=damage,
            disclosed=stored.revealed,
        )
