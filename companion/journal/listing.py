"""Sessions as lists show them: how each stands follows from its events and is stored for lists.

Only the last match of each session is stored: its scores are the session's, and storing it costs
the same after one match and after five hundred. All of it is public.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.core.referee import Referee
from companion.errors import CompanionError
from companion.journal.errors import DamagedError, JournalError
from companion.journal.salvage import SessionRow, game_of, read_session, read_sessions
from companion.journal.schema import check_of
from companion.journal.store import Store

#: Greater than any time, event or score.
_MOST = 1 << 36


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
class Summary:
    """How a session stands, and its last match.

    Attributes:
        upto: number of the last line that it covers.
        touched: when that was recorded, in seconds since 1970.
        over: whether the session's game has ended.
        winners: seats that won it.
        match: number of the last match, from 1.
        first: number of that match's first event, 0 before there is one.
        starter: seat that started it.
        match_over: whether it has ended.
        match_winners: seats that won it.
        reasons: what everybody scored in it and why, one sentence each.
        scores: points of the session by seat, after it (or so far).
    """

    upto: int
    touched: int
    over: bool
    winners: tuple[int, ...]
    match: int
    first: int
    starter: int
    match_over: bool
    match_winners: tuple[int, ...]
    reasons: tuple[str, ...]
    scores: tuple[int, ...]


def list_sessions(
    store: Store, replay: Callable[[int], tuple[Summary, str]]
) -> tuple[SessionInfo, ...]:
    """Every session, the one that changed last first.

    Args:
        store: the journal's file.
        replay: how a session stands by its events, and its damage: for one that was left without
            being closed.
    """
    numbers = [row[0] for row in store.rows("SELECT id FROM sessions ORDER BY turn DESC, id DESC")]
    try:
        stored = read_sessions(store)
        kept = read_summaries(store)
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
            summary = kept.get(number) or read_summary(store, number)
            damage = "" if count == last else "Some of its events are missing."
            if summary is None or (summary.upto, len(summary.scores)) != (last, len(row.names)):
                summary, damage = replay(number)
            found.append(_info(row, count, summary, damage))
        except CompanionError as error:  # damage is reported in the list, not raised
            info = SessionInfo(number, "", (), 0, 0, 0, 1, False, (), {}, (), error.message)
            found.append(info)
    return tuple(found)


def _count(store: Store, number: int) -> tuple[int, int]:
    """How many lines a session has, and the number of the last."""
    rows = store.rows("SELECT count(*), max(n) FROM events WHERE session = ?", number)
    return rows[0][0], rows[0][1] or 0


def _info(stored: SessionRow, count: int, summary: Summary, damage: str) -> SessionInfo:
    names = stored.names
    return SessionInfo(
        id=stored.id,
        game=game_of(stored),
        players=names,
        begun=stored.begun,
        touched=summary.touched,
        events=count,
        match=summary.match,
        over=summary.over,
        winners=tuple(names[seat] for seat in summary.winners),
        scores=dict(zip(names, summary.scores, strict=True)),
        reasons=summary.reasons,
        damage=damage,
        disclosed=stored.revealed,
    )


# -- summaries --------------------------------------------------------------------------------


def summarise(referee: Referee[Any], touched: int) -> Summary:
    """How a session stands; takes time proportional to the length of its last match.

    Args:
        referee: the session's.
        touched: when its last line was recorded, in seconds since 1970.
    """
    table = referee.state.table
    first = 0
    for node in reversed(referee.nodes):
        if node.error is None:
            if node.state.table.match != table.match:
                break
            first = node.event.n
    return Summary(
        referee.stands,
        touched,
        table.over,
        table.winners if table.over else (),
        table.match,
        first,
        table.starter,
        table.match_over,
        table.match_winners if table.match_over else (),
        table.reasons,
        table.scores,
    )


def write_summary(db: sqlite3.Connection, session: int, summary: Summary) -> None:
    """Keeps a summary in place of the last one; the caller holds the transaction."""
    winners = json.dumps(summary.winners)
    head = (session, summary.upto, summary.touched, int(summary.over), winners)
    match = (
        summary.match,
        summary.first,
        summary.starter,
        int(summary.match_over),
        json.dumps(summary.match_winners),
        json.dumps(summary.reasons, ensure_ascii=False),
    )
    db.execute(
        'INSERT OR REPLACE INTO summaries (session, upto, touched, over, winners, "check")'
        " VALUES (?, ?, ?, ?, ?, ?)",
        (*head, check_of(*head, *match, *summary.scores)),
    )
    db.execute("DELETE FROM matches WHERE session = ?", (session,))
    db.execute("DELETE FROM scores WHERE session = ?", (session,))
    db.execute(
        "INSERT INTO matches (session, number, first, starter, over, winners, reasons)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (session, *match),
    )
    db.executemany(
        "INSERT INTO scores (session, match, seat, points) VALUES (?, ?, ?, ?)",
        [(session, summary.match, seat, points) for seat, points in enumerate(summary.scores)],
    )


def read_summary(store: Store, session: int) -> Summary | None:
    """The kept summary of a session; None if there is none or it is damaged."""
    try:
        return read_summaries(store, session).get(session)
    except DamagedError:
        return None


def read_summaries(store: Store, only: int | None = None) -> dict[int, Summary]:
    """The kept summaries by session; damaged ones are left out.

    Args:
        store: the journal's file.
        only: the one session that is wanted.

    Raises:
        JournalError: they cannot be read.
    """
    where, values = ("", ()) if only is None else (" WHERE session = ?", (only,))
    # The condition is one of the two above.
    scores: dict[int, list[Any]] = {}
    for session, points in store.rows(
        f"SELECT session, points FROM scores{where} ORDER BY session, match, seat",  # noqa: S608
        *values,
    ):
        scores.setdefault(session, []).append(points)
    matches = {
        session: tuple(match)
        for session, *match in store.rows(
            "SELECT session, number, first, starter, over, winners, reasons"  # noqa: S608
            f" FROM matches{where} ORDER BY session, number",
            *values,
        )
    }
    found = {}
    for *head, check in store.rows(
        f'SELECT session, upto, touched, over, winners, "check" FROM summaries{where}',  # noqa: S608
        *values,
    ):
        match, points = matches.get(head[0], ()), scores.get(head[0], [])
        if match and check == check_of(*head, *match, *points):
            summary = _summary(tuple(head), match, tuple(points))
            if summary is not None:
                found[head[0]] = summary
    return found


def _summary(
    head: tuple[Any, ...], match: tuple[Any, ...], scores: tuple[int, ...]
) -> Summary | None:
    """A summary from rows whose check is right, written by us or by somebody who computed it."""
    _, upto, touched, over, winners = head
    number, first, starter, ended, won, reasons = match
    try:
        numbers = (upto, touched, number, first, starter, *scores)
        lists = tuple(tuple(json.loads(text)) for text in (winners, won, reasons))
    except (ValueError, TypeError, RecursionError):
        return None
    if any(type(value) is not int or abs(value) >= _MOST for value in numbers):
        return None
    seats = (*lists[0], *lists[1])
    if any(type(seat) is not int or not 0 <= seat < len(scores) for seat in seats):
        return None
    if not all(isinstance(reason, str) for reason in lists[2]):
        return None
    last = (number, first, starter, bool(ended), lists[1], lists[2], scores)
    return Summary(upto, touched, bool(over), lists[0], *last)
