"""One session: a referee whose every line is stored before it counts, and the gates to its secrets.

The referee applies the rules; the session stores its lines and restores the same referee from them.
What is private leaves only through `Unlocked`, which a player's PIN opens.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from companion.core.entries import Entry
from companion.core.events import CORRECT, DISCLOSE, REDO, UNDO, Event
from companion.core.game import Game
from companion.core.notation import MatchText, write_header, write_match
from companion.core.referee import Referee
from companion.core.replay import Replay
from companion.core.setup import Setup
from companion.core.verb import REVEAL
from companion.core.view import LogLine, View
from companion.gc_pause import collector_paused
from companion.journal import listing
from companion.journal.access import FullView, Marks, Unlocked, require_disclosed, withholds
from companion.journal.errors import JournalError, NotYetError, PinError, ReadOnlyError, SealedError
from companion.journal.keyring import BEHIND_GATE, Keyring, about_gate
from companion.journal.lines import LineReader, encode, public_text
from companion.journal.players import Players
from companion.journal.salvage import (
    EventRows,
    SessionRow,
    read_events,
    read_session,
    read_setup,
    submit_rows,
)
from companion.journal.sealing import unseal_with
from companion.journal.store import Store
from companion.phrases import N_

#: Lists a session first, whatever the clock says.
_LIST_FIRST = "UPDATE sessions SET turn = (SELECT max(turn) + 1 FROM sessions) WHERE id = ?"


class Session:
    """A session of the journal. Get it from `Journal.begin` or `Journal.resume`.

    Args:
        store: the journal's file.
        keyring: the device's key of the journal.
        players: the journal's.
        stored: its row.
        now: seconds since 1970 by the journal's clock.
        closed: is told when it is closed.

    Attributes:
        id: its number in this journal.
        game: its game.
        setup: its settings.
        referee: use it as any referee: what it accepts is on the disk before it counts.
        damage: why it ends early and is for reading only, empty if it is whole.
        differences: numbers of lines that this version of the program judges otherwise than when
            they were recorded.
        lines: the lines that could be read when it was opened.
    """

    def __init__(
        self,
        store: Store,
        keyring: Keyring,
        players: Players,
        stored: SessionRow,
        now: Callable[[], int],
        closed: Callable[[int], None],
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._players = players
        self._stored = stored
        self._now = now
        self._on_close = closed
        self._keys = keyring.keys_of(stored)
        self.id = stored.id
        game, setup = read_setup(stored)
        self.game: Game[Any] = game
        self.setup: Setup = setup
        self._closed = False
        self._open: WeakSet[Unlocked] = WeakSet()
        self._begin()

    def _begin(self) -> None:
        """Judges the stored lines; again when a PIN has opened more of them."""
        self._kept: tuple[int, tuple[Any, ...]] | None = None
        self._reading = True
        self.referee: Referee[Any] = Referee(self.game, self.setup, record=self._record)
        with collector_paused():
            rows = read_events(self._store, self.id, self._stored.uuid)
            kept = listing.read_summary(self._store, self.id)
            self.damage, self.differences, touched = submit_rows(
                self.referee,
                rows,
                LineReader(self.game, self.setup, self._keys),
                last=max(rows.last, 0 if kept is None else kept.upto),
                behind=[s.name for s in self._stored.seats if s.event_key == BEHIND_GATE],
            )
        self.lines: EventRows = rows
        self._touched = self._stored.begun if touched is None else touched
        if kept is not None and kept.upto == self.referee.stands and not self.differences:
            self._kept = self._standing()
        self._reading = False

    @property
    def read_only(self) -> bool:
        """Whether nothing more can be recorded in it."""
        return self._closed or bool(self.damage) or self._store.read_only

    @property
    def uuid(self) -> str:
        """What distinguishes it from every other session, deleted ones too."""
        return self._stored.uuid.decode("ascii", "replace")

    @property
    def touched(self) -> int:
        """When its last line was recorded, in seconds since 1970."""
        return self._touched

    @property
    def revealed(self) -> int | None:
        """The line by which everything before it was disclosed to all, None if none was.

        A session that is damaged still says so, as far as the journal knows.
        """
        return self.referee.state.disclosed_to or self._stored.revealed

    # -- what people see ----------------------------------------------------------------------

    def has_pin(self, seat: int) -> bool:
        """Whether a seat's player has a PIN."""
        return self._players.has_pin(self._player(seat))

    def waiting(self, seat: int) -> float:
        """Seconds until a seat's PIN may be tried again, 0 if it may now."""
        return self._players.waiting(self._player(seat))

    def unlock(self, seat: int, pin: str = "") -> Unlocked:
        """Opens what is private to a seat.

        Args:
            seat: from 0.
            pin: what the player typed; not looked at if they have no PIN.

        Raises:
            PinError: it is wrong, or may not be tried yet (`wait` says how long).
        """
        player = self._player(seat)
        key = self._players.unlock(player, pin)
        gate, own = self._stored.seats[seat].gate, self.uuid
        if gate is not None:
            try:
                opened = unseal_with(key, gate, about_gate(own, seat, player))
            except SealedError:
                opened = b""
            if opened != self._keys.by_owner.get(seat, opened or None):
                raise SealedError(
                    f"What {self.setup.players[seat]} wrote in secret is not sealed for who sits "
                    "there now: the journal was changed from outside, or is damaged."
                )
        who = Unlocked(self._stored.uuid, seat, self.setup.players[seat], key)
        self._open.add(who)
        return who

    def rekeyed(self, player: str, secret: bytes) -> None:
        """A player's keys were replaced, here or for another session of theirs."""
        seats = [seat for seat in self._stored.seats if seat.player == player]
        if not seats:
            return
        for who in self._open:
            if who.seat == seats[0].seat and not who.locked:
                who.renew(secret)
        self._stored = read_session(self._store, self.id)
        self._keys = self._keyring.keys_of(self._stored)
        if self.damage and not self._closed:
            self._begin()

    def must_show(self, event: Event) -> tuple[int, ...]:
        """The seats whose players have to unlock before an event is written.

        Those of `whose`, and whoever wrote in secret what is undone or redone, if they have a PIN.
        """
        seats = self.whose(event) or self._undone(event)
        return tuple(seat for seat in seats if self.has_pin(seat))

    def _undone(self, event: Event) -> tuple[int, ...]:
        """Whose secret line everybody's undo would take back, or their redo restore."""
        if event.verb not in (UNDO, REDO):
            return ()
        step = self.referee.undoes() if event.verb == UNDO else self.referee.redoes()
        owner = None if step is None else step.secret_of
        return () if owner is None else (owner,)

    def whose(self, event: Event) -> tuple[int, ...]:
        """The seats whose consent is needed before an event is written.

        Only a player may write private events as that player, or turn up cards that do not lie open
        yet. To disclose everything needs everybody. What the whole table sees may be written by
        anybody.
        """
        inner: Event = event.args[1] if event.verb == CORRECT else event
        secret = next((e for e in (event, inner) if e.audience is not None), None)
        seats: tuple[int | None, ...] = ()
        if event.verb == DISCLOSE:
            seats = tuple(range(len(self.setup.players)))
        elif secret is not None:
            seats = (secret.seat,)
        elif inner.verb == REVEAL and self._turns_up(inner):
            seats = (inner.seat,)
        return tuple(seat for seat in seats if seat is not None)

    def _turns_up(self, event: Event) -> bool:
        """Whether a reveal names cards that lie nowhere open yet."""
        lying = {card for zone in self.game.zones(self.view().state) for card in zone.cards}
        named = [card for arg in event.args for card in (arg if isinstance(arg, tuple) else (arg,))]
        return any(card not in lying for card in named)

    def set_pin(self, seat: int, new: str, old: str = "") -> None:
        """Sets, changes or (empty) removes the PIN of a seat's player, in all their sessions.

        Raises:
            PinError: the old one is wrong or waits, or the new one cannot be used.
        """
        self._players.set_pin(self._player(seat), new, old)

    def view(self, who: Unlocked | None = None) -> View[Any]:
        """What a player may know, or (None) what everybody may know.

        Raises:
            PinError: that player was locked again.
        """
        return self.referee.view(self._seat(who))

    def marks(self, who: Unlocked) -> Marks:
        """A player's own marks on the notepad."""
        key = who.key_for(self._stored.uuid)
        uuid = self.uuid
        return Marks(self._store, self.id, uuid, who.seat, key)

    def export_text(self, who: Unlocked | FullView | None = None) -> str:
        """The match in notation, as far as somebody may know it.

        Args:
            who: a player, None for what everybody may know, `REFEREE` for everything. In the
                first two, `…` stands for what the reader may not know, and the numbers of
                corrections count the lines that are seen.

        Raises:
            NotYetError: everything is asked for before it was disclosed.
            PinError: that player was locked again.
        """
        who = self._eyes(who)
        if isinstance(who, FullView):
            return write_match(self.referee.match_text())
        view = self.view(who)
        whose = "everybody" if who is None else who.name
        header = write_header(self.setup, (f"as {whose} may know it",))
        return header + "".join(f"{_with_marks(line)}\n" for line in view.log)

    def match_text(self) -> MatchText:
        """The whole match, for an audit or a replay from any eyes, once it was disclosed.

        Raises:
            NotYetError: something in it is still private.
        """
        require_disclosed(self.referee, self.damage)
        if withholds(self.referee):
            raise NotYetError(
                "A hand in it stays hidden until its owner turns it up: there is only what "
                "everybody may know, and each player's own."
            )
        return self.referee.match_text()

    def replay(self, who: Unlocked | FullView | None = None) -> Replay:
        """The match step by step as a player, everybody (None) or `REFEREE` may see it.

        Raises:
            NotYetError: everything is asked for before it was disclosed.
            PinError: that player was locked again.
        """
        who = self._eyes(who)
        if isinstance(who, FullView):
            return Replay(self.referee.match_text())
        return Replay(self.referee.match_text(), self._seat(who))

    def public_lines(self) -> list[tuple[int, str]]:
        """Number and public text of every line that could be read, those behind damage too."""
        if not self.damage:
            return [(line.step, line.text) for line in self.view().log]
        rows = sorted(self.lines.rows.items())
        texts = [(n, public_text(self.game, self.setup, row)) for n, row in rows]
        return [(n, text) for n, text in texts if text]

    # -- keeping it ---------------------------------------------------------------------------

    def flush(self) -> None:
        """Brings matches and scores in the journal up to date; lists are made from them."""
        if self.read_only or self._standing() == self._kept:
            return
        with self._store.transaction() as db:
            self._keep_summary(db)

    def close(self) -> None:
        """Ends its use; the referee takes no more lines."""
        self.flush()
        self._closed = True
        self._on_close(self.id)

    def _record(self, entry: Entry) -> None:
        """Called by the referee before a line counts."""
        if self._reading:
            return
        if isinstance(entry.error, JournalError):
            # Not refused by the rules: it could not be kept.
            raise entry.error
        if self._closed or self.damage:
            why = self.damage or N_("It was closed.")
            raise ReadOnlyError("Nothing can be recorded in this session. {why}", why=why)
        now = self._now()
        row = encode(self.game, self.setup, self._keys, entry, now)
        with self._store.transaction() as db:
            if self._kept is None or self._kept[1] != self._standing()[1]:
                self._keep_summary(db)
            if self._store.latest != self.id:
                db.execute(_LIST_FIRST, (self.id,))
            row.write(db, self.id)
            if entry.applied and entry.event is not None and entry.event.verb == DISCLOSE:
                db.execute("UPDATE sessions SET revealed = ? WHERE id = ?", (entry.n, self.id))
        self._store.latest = self.id
        self._touched = now

    def exported(self, name: str) -> None:
        """Remembers a file of the folder of exports, so that it is deleted with the session."""
        if self.read_only:
            return
        with self._store.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO exports (session, path) VALUES (?, ?)", (self.id, name)
            )

    def summary(self) -> listing.Summary:
        """How it stands, for lists."""
        return listing.summarise(self.referee, self._touched)

    def _keep_summary(self, db: sqlite3.Connection) -> None:
        listing.write_summary(db, self.id, self.summary())
        self._kept = self._standing()

    def _standing(self) -> tuple[int, tuple[Any, ...]]:
        """What a summary shows of the events; it changes only if this does."""
        table = self.referee.state.table
        over = (table.match_over, table.over, table.winners, table.match_winners)
        return self.referee.stands, (table.match, *over, table.scores, table.reasons)

    def _eyes(self, who: Unlocked | FullView | None) -> Unlocked | FullView | None:
        """Whose eyes: everybody's in place of all-seeing ones while something stays hidden.

        Raises:
            NotYetError: everything is asked for before it was disclosed.
        """
        if isinstance(who, FullView):
            require_disclosed(self.referee, self.damage)
            return None if withholds(self.referee) else who
        return who

    def _player(self, seat: int) -> str:
        if not 0 <= seat < len(self._stored.seats):
            raise PinError(f"There is no seat {seat + 1}.")
        return self._stored.seats[seat].player

    def _seat(self, who: Unlocked | None) -> int | None:
        if who is None:
            return None
        who.key_for(self._stored.uuid)
        return who.seat


def _with_marks(line: LogLine) -> str:
    """A line of an export, with a comment if it was taken back or corrected."""
    return f"{line.text} ; {'; '.join(line.marks)}" if line.marks else line.text
