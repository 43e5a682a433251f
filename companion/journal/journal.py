"""The journal: every session of this device in one file."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from companion.core.game import Game
from companion.core.setup import Setup
from companion.gc_pause import collector_paused
from companion.journal import backup as backups
from companion.journal.deletion import delete_files, delete_session, exports_of
from companion.journal.device import FileDeviceKeys, PinAttempts, uptime
from companion.journal.errors import JournalError, ReadOnlyError
from companion.journal.keyring import Keyring, about_event_key, about_gate, is_name
from companion.journal.lines import REFEREE
from companion.journal.listing import SessionInfo, Summary, list_sessions
from companion.journal.players import Players, rename_player, rename_seat
from companion.journal.salvage import read_session, session_check, write_setup
from companion.journal.sealing import PIN_COST, new_key, seal_to
from companion.journal.session import Session
from companion.journal.store import Store
from companion.paths import data_folder

FILE = "journal.sqlite"
KEYS = "keys"
#: Later than any time that a clock shows.
_LATEST = 1 << 36


def journal_path() -> Path:
    """Where the journal lies unless another file is named."""
    return data_folder() / FILE


def device_keys() -> FileDeviceKeys:
    """The device's keys, as files of the data folder."""
    return FileDeviceKeys(data_folder() / KEYS)


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
        device: FileDeviceKeys | None = None,
        clock: Callable[[], float] = time.time,
        pin_cost: int = PIN_COST,
        read_only: bool = False,
        steady: Callable[[], float] = uptime,
    ) -> None:
        self._clock = clock
        self.store = Store(path or journal_path(), read_only=read_only)
        self._sessions: dict[int, Session] = {}
        self.closed = False
        try:
            self._keyring = Keyring(device or device_keys(), "")
            self._keyring.name = self._identify()
            attempts = PinAttempts(self._keyring.device.folder, steady)
            self.players = Players(self.store, self._keyring, attempts, pin_cost, self._rekeyed)
            if not self.read_only:
                self.players.retire()
                self.players.catch_up()
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
        begun = self._now()
        referee_key = self._keyring.wrap(new_key(), about_event_key(own, REFEREE))
        check = session_check(own.encode(), text, begun, setup.players)
        with self.store.transaction() as db:
            number = db.execute(
                'INSERT INTO sessions (uuid, setup, begun, referee_key, "check", turn)'
                " VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(turn), 0) + 1 FROM sessions))",
                (own, text.decode(), begun, referee_key, check),
            ).lastrowid
            for seat, name in enumerate(setup.players):
                player = self.players.named(db, name)
                key = new_key()
                wrapped = self._keyring.wrap(key, about_event_key(own, seat, player))
                lock = self.players.lock(db, player)
                gate = None if lock is None else seal_to(lock, key, about_gate(own, seat, player))
                db.execute(
                    "INSERT INTO seats (session, seat, player, name, event_key, gate)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (number, seat, player, name, wrapped, gate),
                )
        self.store.latest = int(number or 0)
        return self.resume(self.store.latest)

    def resume(self, number: int) -> Session:
        """A session as it was left: the same log, the same undo depth, the same views.

        If a line is damaged, the session is read-only and ends before that line.

        Raises:
            JournalError: there is none of that number, or nothing of it can be read.
        """
        if number in self._sessions:
            return self._sessions[number]
        stored = read_session(self.store, number)
        session = self._sessions[number] = Session(
            self.store, self._keyring, self.players, stored, self._now, self._forget
        )
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
            for session in tuple(self._sessions.values()):
                with suppress(JournalError):  # no room: what is listed follows from the events
                    session.flush()
            return list_sessions(self.store, self._replay)

    def _replay(self, number: int) -> tuple[Summary, str]:
        """How a session stands by its events, and its damage."""
        with self.glance(number) as session:
            return session.summary(), session.damage

    def identities(self) -> dict[int, str]:
        """Session number → what distinguishes it from every other one, on every device."""
        rows = self.store.rows("SELECT id, CAST(uuid AS TEXT) FROM sessions")
        return {int(number): str(own) for number, own in rows}

    def exports(self, number: int) -> tuple[Path, ...]:
        """Files of the folder of exports that would be deleted with a session."""
        return exports_of(self.store, number)

    def unfinished(self, game: str | None = None) -> tuple[SessionInfo, ...]:
        """Sessions to go on with, the one that changed last first."""
        return tuple(
            info
            for info in self.sessions()
            if not info.over and not info.damage and game in (None, info.game)
        )

    def rename(self, number: int, seat: int, name: str) -> None:
        """Renames a player in a session; the person (and their PIN) stays the same.

        The session is closed if it was open: resume it.

        Raises:
            CompanionError: the name cannot be used, or there is no such seat.
        """
        rename_seat(self.store, number, seat, name)
        self._close_open(number)

    def rename_everywhere(self, name: str, new: str) -> int:
        """Renames a player in every session; the person (and their PIN) stays the same.

        Sessions that were open are closed: resume them.

        Returns:
            In how many sessions the player sat under that name.

        Raises:
            CompanionError: the name cannot be used, or another player is called so.
        """
        numbers = rename_player(self.store, name, new)
        self._close_open(*numbers)
        return len(numbers)

    def _close_open(self, *numbers: int) -> None:
        for number in numbers:
            if number in self._sessions:
                self._sessions[number].close()

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
        return delete_session(self.store, number, self._keyring)

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
        self._keyring.device.destroy(self._keyring.name)
        self._sessions.clear()
        self.store.close()
        self.closed = True
        delete_files(self.path, self._keyring.device)

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
        backups.write(self.store, self._keyring, target, passphrase, cost=cost)

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

    def _now(self) -> int:
        """Seconds since 1970, as far as the device's clock makes sense; else 0."""
        now = self._clock()
        return int(now) if math.isfinite(now) and 0 <= now < _LATEST else 0

    def _rekeyed(self, player: str, secret: bytes) -> None:
        """A player's keys were replaced."""
        for session in tuple(self._sessions.values()):
            session.rekeyed(player, secret)

    def _forget(self, session: int) -> None:
        """A session was closed."""
        self._sessions.pop(session, None)

    def _identify(self) -> str:
        """The name of the journal's key; a new journal gets one."""
        try:
            rows = self.store.rows("SELECT CAST(value AS BLOB) FROM meta WHERE key = 'journal'")
        except JournalError:
            if not self.read_only:
                raise
            rows = []
        if not (rows or self.read_only or self.store.rows("SELECT 1 FROM sessions LIMIT 1")):
            name = uuid.uuid4().hex
            self._keyring.device.create(name)
            with self.store.transaction() as db:
                db.execute("INSERT INTO meta (key, value) VALUES ('journal', ?)", (name,))
            return name
        known = rows[0][0].decode("ascii", "replace") if rows and rows[0][0] else ""
        name = known if is_name(known) else ""
        if not self._keyring.device.has(name) and not self.read_only:
            self.store.deny(
                "The key of this journal is not on this device: only what everybody may know can "
                "be read. Restore a backup of it to go on."
            )
        return name
