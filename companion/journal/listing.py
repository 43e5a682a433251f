"""Sessions and standings as lists show them; all of it is public."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from companion.errors import CompanionError
from companion.journal import summary as summaries
from companion.journal.errors import JournalError
from companion.journal.salvage import SessionRow, game_of, read_session, read_sessions
from companion.journal.session import Session
from companion.journal.store import Store


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


def list_sessions(store: Store, resume: Callable[[int], Session]) -> tuple[SessionInfo, ...]:
    """Every session, the one that changed last first.

    Args:
        store: the journal's file.
        resume: opens a session: one that was left without being closed is listed by its events.
    """
    numbers = [row[0] for row in store.rows("SELECT id FROM sessions ORDER BY turn DESC, id DESC")]
    try:
        stored = read_sessions(store)
        kept = summaries.read_all(store)
        counts = {
            session: (count, last)
            for session, count, last in store.rows(
                "SELECT session, count(*), max(n) FROM events GROUP BY session"
            )
        }
    except JournalError:
        # Something in it is damaged: one by one, so that the others are listed.
        stored, kept, counts = {}, {}, {}
    found = []
    for number in numbers:
        if not isinstance(number, int):
            continue
        try:
            row = stored.get(number) or read_session(store, number)
            count, last = counts.get(number) or _count(store, number)
            summary = kept.get(number) or summaries.read(store, number)
            found.append(_info(row, count, last, summary, resume))
        except CompanionError as error:  # damage is reported in the list, not raised
            info = SessionInfo(number, "", (), 0, 0, 0, 1, False, (), {}, (), error.message)
            found.append(info)
    return tuple(found)


def _count(store: Store, number: int) -> tuple[int, int]:
    """How many lines a session has, and the number of the last."""
    rows = store.rows("SELECT count(*), max(n) FROM events WHERE session = ?", number)
    return rows[0][0], rows[0][1] or 0


def _info(
    stored: SessionRow,
    count: int,
    last: int,
    kept: summaries.Kept | None,
    resume: Callable[[int], Session],
) -> SessionInfo:
    game = game_of(stored)
    damage = "" if count == last else "Some of its events are missing."
    names = stored.names
    if kept is None or kept.upto != last or len(kept.summary.match.scores) != len(names):
        # It was left without being closed: lists follow from the events.
        session = resume(stored.id)
        damage = session.damage
        made = summaries.summarise(session.referee)
        kept = summaries.Kept(made, session.referee.stands, session.touched)
        with suppress(JournalError):
            session.close()
    match = kept.summary.match
    return SessionInfo(
        id=stored.id,
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


def standings_of(sessions: Iterable[SessionInfo]) -> tuple[Standing, ...]:
    """Wins by player and game over all sessions that have ended, most wins first."""
    tally: dict[tuple[str, str], list[int]] = {}
    for info in sessions:
        for name in info.players if info.over else ():
            count = tally.setdefault((name, info.game), [0, 0])
            count[0] += 1
            count[1] += name in info.winners
    standings = [Standing(*who, played, won) for who, (played, won) in tally.items()]
    return tuple(sorted(standings, key=lambda s: (-s.won, s.played, s.name.casefold())))
