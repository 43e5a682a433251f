"""Matches and scores as the journal lists them: what follows from the events, kept for lists."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import astuple, dataclass
from typing import Any

from companion.journal.check import check_of
from companion.journal.errors import DamagedError
from companion.journal.store import Store
from companion.referee import Referee
from companion.state import Table


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
        matches: its matches in order.
    """

    over: bool
    winners: tuple[int, ...]
    matches: tuple[MatchResult, ...]


def standing_of(table: Table) -> tuple[Any, ...]:
    """What of a scoreboard a summary shows: the summary changes only where this does."""
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
    """Goes through the standing events, from which alone scores follow."""
    table = referee.game.initial(referee.setup).table
    last: dict[int, tuple[int, Table]] = {table.match: (0, table)}
    for node in referee.nodes:
        if node.error is None:
            table = node.state.table
            first = last.get(table.match, (0, table))[0]
            last[table.match] = (first or node.event.n, table)
    matches = tuple(
        MatchResult(
            number,
            first,
            end.starter,
            end.match_over,
            end.match_winners if end.match_over else (),
            end.reasons,
            end.scores,
        )
        for number, (first, end) in sorted(last.items())
    )
    return Summary(table.over, table.winners if table.over else (), matches)


def write(
    db: sqlite3.Connection, session: int, summary: Summary, *, upto: int, touched: int
) -> None:
    """Keeps a summary in place of the last one; the caller holds the transaction."""
    db.execute(
        'INSERT OR REPLACE INTO summaries (session, upto, touched, over, winners, "check")'
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            session,
            upto,
            touched,
            int(summary.over),
            json.dumps(summary.winners),
            _check(session, summary, upto, touched),
        ),
    )
    db.execute("DELETE FROM matches WHERE session = ?", (session,))
    db.execute("DELETE FROM scores WHERE session = ?", (session,))
    for match in summary.matches:
        db.execute(
            "INSERT INTO matches (session, number, first, starter, over, winners, reasons)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                session,
                match.number,
                match.first,
                match.starter,
                int(match.over),
                json.dumps(match.winners),
                json.dumps(match.reasons, ensure_ascii=False),
            ),
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
    """The kept summary of a session; None where there is none or it is damaged."""
    try:
        head = store.rows(
            'SELECT upto, touched, over, winners, "check" FROM summaries WHERE session = ?', session
        )
        if not head:
            return None
        upto, touched, over, winners, check = head[0]
        matches = []
        for number, first, starter, ended, won, reasons in store.rows(
            "SELECT number, first, starter, over, winners, reasons FROM matches"
            " WHERE session = ? ORDER BY number",
            session,
        ):
            points = store.rows(
                "SELECT points FROM scores WHERE session = ? AND match = ? ORDER BY seat",
                session,
                number,
            )
            scores = tuple(row[0] for row in points)
            lists = (tuple(json.loads(won)), tuple(json.loads(reasons)))
            matches.append(MatchResult(number, first, starter, bool(ended), *lists, scores))
        summary = Summary(bool(over), tuple(json.loads(winners)), tuple(matches))
    except (DamagedError, ValueError, TypeError):
        return None
    if check != _check(session, summary, upto, touched):
        return None
    return Kept(summary, upto, touched)


def _check(session: int, summary: Summary, upto: int, touched: int) -> bytes:
    return check_of(session, upto, touched, repr(astuple(summary)))
