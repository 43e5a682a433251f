"""Modes, links, pipes, foreign files, full devices, clocks and the log beside the file."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from companion.core.registry import get_game
from companion.journal import DamagedError, JournalError, ReadOnlyError, mend, restore, store
from companion.journal.salvage import session_check
from tests.companion.journal.play import CHEAP, Place, everything, script, sql

PASS = "correct horse"


@pytest.fixture
def target(tmp_path_factory):
    file = tmp_path_factory.mktemp("elsewhere") / "target"
    file.write_text("theirs")
    return file


# -- modes and links -------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_only_the_owner_can_read_what_is_written(tmp_path, mask):
    before = os.umask(mask)
    try:
        place = Place(tmp_path / "one" / "two")
        game, setup, lines = script("gotcha")
        with place.open() as journal:
            session = journal.begin(game, setup)
            session.referee.submit_all(lines[:5])
            session.set_pin(0, "1234")
            with pytest.raises(JournalError):
                session.unlock(0, "0000")
            found = modes(tmp_path)
            assert {"journal.sqlite-wal", "journal.sqlite.lock", "tries"} <= found.keys()
            journal.backup(place.folder / "x.backup", PASS, cost=CHEAP)
        restore(place.folder / "x.backup", place.path, PASS, place.keys, replace=True)
        mend(place.path, device=place.keys)
        found |= modes(tmp_path)
    finally:
        os.umask(before)
    assert set(found.values()) == {0o600, 0o700}
    assert len(found) >= 9


def modes(folder):
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in folder.rglob("*")}


@pytest.mark.parametrize("side", ["", "-wal", "-journal", ".lock"])
def test_no_link_is_written_through(played, target, side):
    link = played.path.with_name(played.path.name + side)
    if not side:
        shutil.move(played.path, target)
    before = target.read_bytes()
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    with played.open() as journal:
        assert "is a link" in journal.notice
        if side != "-wal":
            assert everything(journal.resume(1).referee) == played.expected
        with pytest.raises(ReadOnlyError):
            journal.delete_everything()
    assert target.read_bytes() == before
    assert stat.S_IMODE(target.stat().st_mode) != 0o600 or not side


def test_a_backup_takes_the_place_of_a_link(played, target):
    made = played.folder / "x.backup"
    made.symlink_to(target)
    with played.open() as journal:
        journal.backup(made, PASS, cost=CHEAP)
    assert target.read_text() == "theirs"
    assert not made.is_symlink()


def test_pipes_and_devices_are_refused_at_once(place, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for source in (pipe, "/dev/zero"):
        with pytest.raises(JournalError):
            restore(type(pipe)(source), place.path, PASS, place.keys)
    for make in (os.mkfifo, os.mkdir):
        make(place.path)
        with pytest.raises(DamagedError, match="no plain file"):
            place.open()
        place.path.rename(place.folder / make.__name__)


# -- files that somebody else made -----------------------------------------------------------


@pytest.fixture
def backup(played):
    made = played.folder / "games.backup"
    with played.open() as journal:
        journal.backup(made, PASS, cost=CHEAP)
    return made


HOSTILE = [
    "CREATE TRIGGER t AFTER UPDATE ON seats BEGIN DELETE FROM events; END",
    "CREATE VIEW v AS SELECT * FROM events",
    "CREATE TABLE more (x)",
    "CREATE INDEX i ON events (length(public))",
    "CREATE VIRTUAL TABLE f USING fts5 (x)",
    "ALTER TABLE seats ADD COLUMN c AS (length(event_key))",
    "ALTER TABLE seats ADD COLUMN c CHECK (length(event_key) > 0)",
    "UPDATE events SET public = CAST(x'ff80' AS TEXT) WHERE n = 2",
    "UPDATE events SET public = 'a' || char(27) || '[2J' WHERE n = 2",
    "UPDATE events SET comment = x'00ff' WHERE n = 2",
    "UPDATE events SET at = 9e999 WHERE n = 2",
    "UPDATE events SET at = -1 WHERE n = 2",
    "UPDATE events SET n = 'two' WHERE n = 2",
    "UPDATE seats SET name = 'A' || char(27) WHERE seat = 0",
    "UPDATE seats SET name = 'table' WHERE seat = 0",
    "UPDATE seats SET seat = 7 WHERE seat = 1",
    "UPDATE seats SET event_key = 'text'",
    "UPDATE players SET failures = 9e999",
    "UPDATE players SET name = CAST(x'ff' AS TEXT)",
    "UPDATE sessions SET begun = 9e999",
    "UPDATE sessions SET uuid = '../x'",
    "UPDATE sessions SET turn = 1.5",
    "UPDATE matches SET reasons = '[\"\\u001b[2J\"]'",
    "UPDATE matches SET winners = 'x'",
    "UPDATE summaries SET winners = '[0.5]'",
    "UPDATE scores SET points = 'many'",
    "DELETE FROM meta WHERE key = 'proof'",
    "UPDATE meta SET value = 7",
]


@pytest.mark.parametrize("statement", HOSTILE)
def test_what_no_backup_holds_is_refused(played, backup, other, statement):
    sql(backup, statement)
    with pytest.raises(JournalError) as caught:
        restore(backup, other.path, PASS, other.keys)
    assert "Error" not in caught.value.message
    assert {path.name for path in other.folder.rglob("*")} <= {"journal.sqlite.lock", "keys"}
    assert not other.path.exists()


@pytest.mark.parametrize(
    "setup", ["[" * 5000 + "]" * 5000, "7", "{}", '{"game": 7}', '{"game": "gotcha"}', "x"]
)
def test_settings_that_somebody_made_up_do_no_harm(played, backup, other, setup):
    """Their check is right: it can be computed by anybody."""
    ((uuid, begun),) = sql(backup, "SELECT uuid, begun FROM sessions")
    names = tuple(name for (name,) in sql(backup, "SELECT name FROM seats ORDER BY seat"))
    check = session_check(uuid.encode(), setup.encode(), begun, names)
    sql(backup, f"UPDATE sessions SET setup = '{setup}', \"check\" = x'{check.hex()}'")
    restore(backup, other.path, PASS, other.keys)
    with other.open() as journal:
        journal.sessions()
        with pytest.raises(DamagedError, match="settings of session 1 are damaged"):
            journal.resume(1)
        journal.delete(1)


def test_a_journal_with_a_trigger_is_read_only_and_can_be_mended(played):
    sql(played.path, "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END")
    with played.open() as journal:
        assert "damaged" in journal.notice
        assert everything(journal.resume(1).referee) == played.expected
    mend(played.path, device=played.keys)
    with played.open() as journal:
        assert journal.notice == ""
        session = journal.resume(1)
        assert everything(session.referee) == played.expected
        session.referee.undo()


# -- clocks ----------------------------------------------------------------------------------


def test_lists_do_not_hang_on_the_clock(place):
    game = get_game("precognition")
    with place.open() as journal:
        for names in (["Ann", "Bo"], ["Cy", "Dee"], ["Eve", "Flo"]):
            journal.begin(game, game.setup(names))
            place.clock.now -= 100_000
        assert [info.id for info in journal.sessions()] == [3, 2, 1]
        journal.resume(2).referee.accept("Cy*: predict UU")
        journal.resume(2).referee.accept("Dee*: predict UU")
        place.clock.now += 1e7
        journal.resume(1).referee.accept("Ann*: predict UU")
        place.clock.now -= 5e7
        journal.resume(3).referee.accept("Eve*: predict UU")
        assert [info.id for info in journal.sessions()] == [3, 1, 2]
        journal.begin(game, game.setup(["Gus", "Hal"]))
        journal.resume(3).referee.accept("Flo*: predict UU")
        assert [info.id for info in journal.sessions()] == [3, 4, 1, 2]
        journal.delete(4)
    with place.open() as journal:
        assert [info.id for info in journal.unfinished()] == [3, 1, 2]
        journal.resume(2).referee.undo()
        assert journal.sessions()[0].id == 2


@pytest.mark.parametrize("now", [float("nan"), float("inf"), -1.0, 1e300])
def test_a_clock_without_sense_stops_nothing(place, now):
    place.clock.now = now
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        journal.begin(game, setup).referee.submit_all(lines[:5])
    with place.open() as journal:
        assert journal.sessions()[0].touched == 0
        assert len(journal.resume(1).referee.log) == 5


@pytest.mark.parametrize("column", ["begun", "touched"])
@pytest.mark.parametrize("value", ["9e999", "-5", "1 << 60", "'now'"])
def test_times_without_sense_are_no_times(played, column, value):
    table = "sessions" if column == "begun" else "summaries"
    sql(played.path, f"UPDATE {table} SET {column} = {value}")
    with played.open() as journal:
        (info,) = journal.sessions()
        assert 0 <= info.touched < 1 << 40
        time.localtime(info.touched)


# -- the log beside the file -----------------------------------------------------------------


def test_the_file_alone_is_everything_when_nothing_happens(played, monkeypatch):
    monkeypatch.setattr(store, "IDLE", 0.05)
    with played.open() as journal:
        session = journal.resume(1)
        _, _, lines = script("gotcha")
        session.referee.submit_all(lines[20:30])
        expected = everything(session.referee)
        end = time.monotonic() + 5
        while standing(played) < 30 and time.monotonic() < end:
            time.sleep(0.02)
        assert standing(played) == 30
        # And it goes on after that.
        session.referee.undo()
        session.referee.redo()
    alone = Place(played.folder / "alone")
    alone.folder.mkdir()
    shutil.copy(played.path, alone.path)
    with alone.open(device=played.keys) as journal:
        assert everything(journal.resume(1).referee)[1] == expected[1]


def standing(place):
    """How many events stand in the file by itself."""
    with closing(sqlite3.connect(f"file:{place.path}?mode=ro&immutable=1", uri=True)) as db:
        return db.execute("SELECT count(*) FROM events").fetchone()[0]


# -- full devices ----------------------------------------------------------------------------

ON_A_FULL_DEVICE = """
import json, os, sys, time
from pathlib import Path
from companion.journal import store
from companion.journal import FileDeviceKeys, Journal, JournalError
from tests.companion.journal.play import script

folder = Path(sys.argv[1])
open_ = lambda: Journal(folder / "journal.sqlite", device=FileDeviceKeys(folder / "keys"))
game, setup, lines = script("gotcha")
said = {}
store.IDLE = 0.05

def fill():
    with open(folder / "filler", "ab", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass

def full(journal, record):
    try:
        record(journal)
    except JournalError as error:
        said["recording"] = error.message
    said["listed"] = [info.id for info in journal.sessions()]
    said["read"] = len(journal.resume(2).referee.log)
    journal.delete(1)
    said["notice"] = journal.notice
    journal.begin(game, setup)

def mumble(journal):
    for _ in range(5000):
        journal.resume(3).referee.submit("xyzzy")

with open_() as journal:
    for number in range(3):
        session = journal.begin(game, setup)
        session.referee.submit_all(lines)
        if not number:
            for seat in (0, 1):
                session.marks(session.unlock(seat)).replace({"note": "y" * 190_000})
    time.sleep(0.5)
    if sys.argv[2] == "running":
        fill()
        full(journal, mumble)
if sys.argv[2] == "started":
    fill()
    with open_() as journal:
        said["before"] = journal.notice
        full(journal, lambda journal: journal.begin(game, setup))
with open_() as journal:
    said["after"] = sorted(info.id for info in journal.sessions())
    said["log"] = len(journal.resume(2).referee.log) == len(lines)
print(json.dumps(said))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a small file system of its own")
@pytest.mark.parametrize("when", ["running", "started"])
def test_deleting_makes_room_on_a_full_device(tmp_path, when):
    script_file = tmp_path / "full.py"
    script_file.write_text(ON_A_FULL_DEVICE)
    small = tmp_path / "small"
    small.mkdir()
    inside = (
        f"mount -t tmpfs -o size=6m none {small} && "
        f"exec {sys.executable} {script_file} {small} {when}"
    )
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", inside],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        check=False,
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("this system makes no small file systems for anybody")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert sorted(said["listed"]) == [1, 2, 3]
    assert "no room" in said["recording"].lower()
    assert said["notice"] == ""
    assert said["after"] == [2, 3, 4]
    assert said["log"]
    assert said["read"] > 20
    assert when == "running" or "no room" in said["before"]
