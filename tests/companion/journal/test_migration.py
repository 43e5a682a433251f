"""Older journals are brought up to date, in one step or not at all."""

import sqlite3
from dataclasses import replace

import pytest

from companion.core.referee import Referee
from companion.journal import JournalError, ReadOnlyError, schema
from companion.journal.lines import REFEREE, SessionKeys, encode
from companion.journal.salvage import write_setup
from companion.journal.sealing import about, new_key
from tests.companion.journal.play import everything, script, sql

#: The tables as version 1 had them.
VERSION_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE players (
    uuid TEXT PRIMARY KEY, name TEXT NOT NULL, key BLOB NOT NULL, stretch BLOB,
    failures INTEGER NOT NULL DEFAULT 0, wait_until REAL NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, setup TEXT NOT NULL,
    begun INTEGER NOT NULL, referee_key BLOB NOT NULL);
CREATE TABLE seats (
    session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, seat INTEGER NOT NULL,
    player TEXT NOT NULL REFERENCES players(uuid), name TEXT NOT NULL, event_key BLOB NOT NULL,
    PRIMARY KEY (session, seat)) WITHOUT ROWID;
CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, n INTEGER NOT NULL,
    at INTEGER NOT NULL, applied INTEGER NOT NULL, public TEXT NOT NULL, comment TEXT NOT NULL,
    sealed BLOB, PRIMARY KEY (session, n)) WITHOUT ROWID;
CREATE TABLE summaries (
    session INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, upto INTEGER NOT NULL,
    touched INTEGER NOT NULL, over INTEGER NOT NULL, winners TEXT NOT NULL);
CREATE TABLE matches (
    session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, number INTEGER NOT NULL,
    first INTEGER NOT NULL, starter INTEGER NOT NULL, over INTEGER NOT NULL,
    winners TEXT NOT NULL, reasons TEXT NOT NULL, PRIMARY KEY (session, number)) WITHOUT ROWID;
CREATE TABLE scores (
    session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, match INTEGER NOT NULL,
    seat INTEGER NOT NULL, points INTEGER NOT NULL, PRIMARY KEY (session, match, seat))
    WITHOUT ROWID;
PRAGMA user_version = 1;
"""


def write_version_1(place, name, lines_of=None):
    """A journal as version 1 left it, with one session; returns the referee in it."""
    game, setup, lines = script(name)
    setup = replace(setup, players=("Änn", *setup.players[1:]))
    lines = [line.replace("Ann", "Änn") for line in lines]
    device, journal, own = place.keys, "ab" * 16, "cd" * 16
    device.create(journal)
    keys = {owner: new_key() for owner in (REFEREE, *range(len(setup.players)))}
    wrapped = {
        owner: device.wrap(journal, key, about("key", own, owner, "" if owner < 0 else f"p{owner}"))
        for owner, key in keys.items()
    }
    db = sqlite3.connect(place.path)
    db.executescript(VERSION_1)
    db.execute("INSERT INTO meta VALUES ('journal', ?)", (journal,))
    db.execute(
        "INSERT INTO sessions VALUES (1, ?, ?, 77, ?)",
        (own, write_setup(game, setup).decode(), wrapped[REFEREE]),
    )
    for seat, player in enumerate(setup.players):
        key = device.wrap(journal, new_key(), about("player", f"p{seat}", "open"))
        db.execute(
            "INSERT INTO players (uuid, name, key) VALUES (?, ?, ?)", (f"p{seat}", player, key)
        )
        db.execute(
            "INSERT INTO seats VALUES (1, ?, ?, ?, ?)", (seat, f"p{seat}", player, wrapped[seat])
        )
    referee = Referee(game, setup)
    referee.submit_all([*lines[:25], "Änn: gibberish", "table: undo"])
    for entry in referee.log:
        row = encode(game, setup, SessionKeys(own.encode(), keys), entry, 100 + entry.n)
        db.execute(
            "INSERT INTO events VALUES (1, ?, ?, ?, ?, ?, ?)",
            (row.n, row.at, row.applied, row.public.decode(), row.comment.decode(), row.sealed),
        )
    db.execute("INSERT INTO summaries VALUES (1, 27, 127, 1, '[0]')")
    db.commit()
    db.close()
    return referee


@pytest.mark.parametrize("name", ["gotcha", "deduction"])
def test_version_1_becomes_the_present_one(place, name):
    referee = write_version_1(place, name)
    with place.open() as journal:
        assert journal.store.rows("PRAGMA user_version") == [(schema.VERSION,)]
        (info,) = journal.sessions()
        assert (info.over, info.damage, info.events) == (False, "", 27)
        session = journal.resume(1)
        assert session.damage == ""
        assert everything(session.referee) == everything(referee)
        session.set_pin(0, "1234")
        session.marks(session.unlock(0, "1234")).put("new", "in version 2")
        session.referee.undo()
        referee.undo()
    with place.open() as journal:
        assert everything(journal.resume(1).referee) == everything(referee)


def columns(path):
    tables = sql(path, "SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name: {row[1] for row in sql(path, f"PRAGMA table_info({name})")} for (name,) in tables}


def test_a_migrated_file_has_the_tables_of_a_new_one(place, other):
    write_version_1(place, "gotcha")
    place.open().close()
    other.open().close()
    assert columns(place.path) == columns(other.path)


def test_a_migration_that_is_cut_short_changes_nothing(place, monkeypatch):
    referee = write_version_1(place, "gotcha")
    before = columns(place.path)

    def cut(db):
        schema._to_2(db)
        raise KeyboardInterrupt

    monkeypatch.setitem(schema.MIGRATIONS, 1, cut)
    with pytest.raises(KeyboardInterrupt):
        place.open()
    monkeypatch.undo()
    assert columns(place.path) == before
    with place.open() as journal:
        assert everything(journal.resume(1).referee) == everything(referee)


def test_an_older_file_is_not_read_where_it_cannot_be_written(place):
    write_version_1(place, "gotcha")
    with pytest.raises(JournalError, match="older version"):
        place.open(read_only=True)


@pytest.mark.parametrize("version", [0, -3, 1 << 30])
def test_a_version_nobody_wrote_is_read_only(place, version):
    write_version_1(place, "gotcha")
    place.open().close()
    sql(place.path, f"PRAGMA user_version = {version}")
    with place.open() as journal:
        assert "damaged" in journal.notice or "newer" in journal.notice
        assert journal.resume(1).damage == ""
        with pytest.raises(ReadOnlyError):
            journal.resume(1).referee.undo()


def test_every_older_version_has_a_migration():
    assert set(schema.MIGRATIONS) == set(range(1, schema.VERSION))
