"""Scores as the journal lists them: they follow from the events and are stored for lists.

Only the last match of each session is stored: its scores are the session's, and storing it costs
the same after one match and after five hundred.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from companion.core.referee import Referee
from companion.core.state import MatchTable
from companion.journal.check import check_of
from companion.journal.errors import DamagedError
from companion.journal.store import Store

#: Greater than any time, event or score.
_MOST = 1 << 36


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How one match of a session went.

    Attributes:
        number: from 1.
        first: number of its first event, 0 before there is one.
        starter: seat that started it.
        over: whether it has ended.
        winners: seats that won it.
        reasons: what everybody scored and why, one sentence each.
        scores: points of the session by seat, after it (or so far).
    """

    number: int
    first: int
    starter: int
    over: bool
    winners: tuple[int, ...]
    reasons: tuple[str, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """How a session stands.

    Attributes:
        over: whether the session's game has ended.
        winners: seats that won it.
        match: its last match; its scores are the session's.
    """

    over: bool
    winners: tuple[int, ...]
    match: MatchResult


def standing_of(table: MatchTable) -> tuple[Any, ...]:
    """The part of a scoreboard that a summary shows; the summary changes only if this does."""
    return (
        table.match,
        table.match_over,
        table.over,
        table.scores,
        table.winners,
        table.match_winners,
        table.reasons,
    )


def summarise(referee: Referee[Any]) -> Summary:
    """How a session stands; takes time proportional to the length of its last match."""
    table = referee.state.table
    first = 0
    for node in reversed(referee.nodes):
        if node.error is None:
            if node.state.table.match != table.match:
                break
            first = node.event.n
    match = MatchResult(
        table.match,
        first,
        table.starter,
        table.match_over,
        table.match_winners if table.match_over else (),
        table.reasons,
        table.scores,
    )
    return Summary(table.over, table.winners if table.over else (), match)


def write(
    db: sqlite3.Connection, session: int, summary: Summary, *, upto: int, touched: int
) -> None:
    """Keeps a summary in place of the last one; the caller holds the transaction."""
    match = summary.match
    winners = json.dumps(summary.winners)
    last = (
        match.number,
        match.first,
        match.starter,
        int(match.over),
        json.dumps(match.winners),
        json.dumps(match.reasons, ensure_ascii=False),
    )
    head = (session, upto, touched, int(summary.over), winners)
    db.execute(
        'INSERT OR REPLACE INTO summaries (session, upto, touched, over, winners, "check")'
        " VALUES (?, ?, ?, ?, ?, ?)",
        (*head, check_of(*head, *last, *match.scores)),
    )
    db.execute("DELETE FROM matches WHERE session = ?", (session,))
    db.execute("DELETE FROM scores WHERE session = ?", (session,))
    db.execute(
        "INSERT INTO matches (session, number, first, starter, over, winners, reasons)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (session, *last),
    )
    db.executemany(
        "INSERT INTO scores (session, match, seat, points) VALUES (?, ?, ?, ?)",
        [(session, match.number, seat, points) for seat, points in enumerate(match.scores)],
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """A summary as it was kept.

    Attributes:
        summary: how the session stood.
        upto: after which event.
        touched: when that was, in seconds since 1970.
    """

    summary: Summary
    upto: int
    touched: int


def read(store: Store, session: int) -> Kept | None:
    """The kept summary of a session; None if there is none or it is damaged."""
    try:
        return read_all(store, session).get(session)
    except DamagedError:
        return None


def read_all(store: Store, only: int | None = None) -> dict[int, Kept]:
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
    matches: dict[int, tuple[Any, ...]] = {}
    for session, *match in store.rows(
        "SELECT session, number, first, starter, over, winners, reasons"  # noqa: S608
        f" FROM matches{where} ORDER BY session, number",
        *values,
    ):
        matches[session] = tuple(match)
    found = {}
    for *head, check in store.rows(
        f'SELECT session, upto, touched, over, winners, "check" FROM summaries{where}',  # noqa: S608
        *values,
    ):
        last, points = matches.get(head[0], ()), scores.get(head[0], [])
        if last and check == check_of(*head, *last, *points):
            kept = _kept(tuple(head), last, tuple(points))
            if kept is not None:
                found[head[0]] = kept
    return found


def _kept(head: tuple[Any, ...], match: tuple[Any, ...], scores: tuple[int, ...]) -> Kept | None:
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
    last = MatchResult(number, first, starter, bool(ended), lists[1], lists[2], scores)
    return Kept(Summary(bool(over), lists[0], last), upto, touched)
