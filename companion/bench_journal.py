"""Speed of the journal: what must stay quick however much it holds."""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
import uuid
from contextlib import closing
from pathlib import Path

from companion.bench import Figure, figure, median_ms
from companion.core.events import UNDO, Event
from companion.core.registry import get_game
from companion.core.verb import MATCH
from companion.journal import FileDeviceKeys, Journal, store
from companion.journal.salvage import session_check
from companion.journal.schema import check_of
from companion.simulate import play_events

#: Sessions that are listed, and events of each.
SESSIONS = 1000
EVENTS = 100
#: Matches of a long session.
MATCHES = 500
#: An event of a long session may take so long to open that 100,000 take five seconds.
_OPENED_MS = 5000 / 100_000


def bench_journal() -> dict[str, Figure]:
    """Lists of many sessions, changes in a long one, and opening it.

    Figures are the program's own time; the time of the disk for one change is a figure of its own.
    """
    waits = store.SYNCHRONOUS
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        disk = _bench_disk(place / "disk")
        store.SYNCHRONOUS = "OFF"
        try:
            changes = _bench_change(place / "matches")
            return _bench_lists(place / "many") | changes | _bench_opening(place / "long") | disk
        finally:
            store.SYNCHRONOUS = waits


def _bench_disk(folder: Path) -> dict[str, Figure]:
    game = get_game("precognition")
    with _journal(folder) as journal:
        session = journal.begin(game, game.setup(["Ann", "Bo"]))
        took = median_ms(lambda: session.referee.submit("nothing"), budget=0.3)
    return {"journal: one line on the disk": figure(took, "ms")}


def _journal(folder: Path) -> Journal:
    return Journal(folder / "journal.sqlite", device=FileDeviceKeys(folder / "keys"))


def _bench_lists(folder: Path) -> dict[str, Figure]:
    game = get_game("gotcha")
    with _journal(folder) as journal:
        session = journal.begin(game, game.setup(["Ann", "Bo"]))
        bots = [game.bots["random"]] * 2
        for event in play_events(session.referee, bots, random.Random(1)):
            if len(session.referee.log) == EVENTS:
                break
            session.referee.accept(event)
        session.close()
        _multiply(journal.path, SESSIONS)
    start = time.perf_counter()
    with _journal(folder) as journal:
        infos = journal.sessions()
        listed = time.perf_counter() - start
        whole = sum(not info.damage for info in infos)
    start = time.perf_counter()
    with _journal(folder) as journal:
        journal.resume(journal.unfinished()[0].id)
        gone_on = time.perf_counter() - start
    return {
        f"journal: list {whole} sessions": figure(listed, "s", 0.3),
        f"journal: go on, of {whole} sessions": figure(gone_on, "s", 0.5),
    }


def _multiply(path: Path, count: int) -> None:
    """Copies the first session up to a number; the copies can be listed, but not opened."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        setup, begun = db.execute("SELECT setup, begun FROM sessions WHERE id = 1").fetchone()
        names = tuple(row[0] for row in db.execute("SELECT name FROM seats ORDER BY seat"))
        for number in range(2, count + 1):
            own = uuid.uuid4().hex
            check = session_check(own.encode(), setup.encode(), begun, names)
            db.execute(
                'INSERT INTO sessions (id, uuid, setup, begun, referee_key, "check")'
                " SELECT ?, ?, setup, begun, referee_key, ? FROM sessions WHERE id = 1",
                (number, own, check),
            )
            for table, rest in _COPIED:
                # Tables and columns are those below.
                db.execute(
                    f"INSERT INTO {table} (session, {rest}) SELECT ?, {rest} FROM {table}"  # noqa: S608
                    " WHERE session = 1",
                    (number,),
                )
        _check_summaries(db)
        db.execute("COMMIT")


def _check_summaries(db: sqlite3.Connection) -> None:
    match = db.execute(
        "SELECT number, first, starter, over, winners, reasons FROM matches WHERE session = 1"
    ).fetchone()
    scores = [row[0] for row in db.execute("SELECT points FROM scores WHERE session = 1")]
    for head in db.execute(
        "SELECT session, upto, touched, over, winners FROM summaries"
    ).fetchall():
        check = check_of(*head, *match, *scores)
        db.execute('UPDATE summaries SET "check" = ? WHERE session = ?', (check, head[0]))


_COPIED = (
    ("seats", "seat, player, name, event_key, gate"),
    ("events", 'n, at, applied, public, comment, sealed, "check"'),
    ("summaries", 'upto, touched, over, winners, "check"'),
    ("matches", "number, first, starter, over, winners, reasons"),
    ("scores", "match, seat, points"),
)


def _bench_change(folder: Path) -> dict[str, Figure]:
    """What an undo or an event takes after many matches."""
    game, rng = get_game("gotcha"), random.Random(1)
    with _journal(folder) as journal:
        session = journal.begin(game, game.setup(["Ann", "Bo"], {"deal": "1"}))
        bots = [game.bots["random"]] * 2
        for _ in range(MATCHES):
            for event in play_events(session.referee, bots, rng):
                session.referee.accept(event)
            session.referee.accept(Event(MATCH))
        matches = session.referee.state.table.match - 1
        last = session.referee.events[-1]

        def change() -> None:
            session.referee.accept(Event(UNDO))
            session.referee.accept(last)

        changed = median_ms(change, least=20) / 2
    return {f"journal: a change after {matches} matches": figure(changed, "ms", 5)}


def _bench_opening(folder: Path) -> dict[str, Figure]:
    game = get_game("suspense")
    with _journal(folder) as journal:
        names = [f"P{seat}" for seat in range(1, game.info.min_players + 1)]
        session = journal.begin(game, game.setup(names, {"target": "100"}))
        bots = [game.bots["random"]] * len(names)
        for event in play_events(session.referee, bots, random.Random(1)):
            session.referee.accept(event)
        events = len(session.referee.log)
        session.close()
        opened = median_ms(lambda: journal.resume(session.id).close(), budget=1.0, least=3)
    return {f"journal: open {events} events": figure(opened / events, "ms/event", _OPENED_MS)}
