"""Two processes, read-only places, full disks, other files, newer versions."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.journal import (
    DamagedError,
    FileDeviceKeys,
    FullError,
    Journal,
    JournalError,
    NewerError,
    ReadOnlyError,
    is_journal,
    store,
)
from companion.journal.files import ProcessLock
from companion.journal.schema import VERSION
from tests.companion.journal.play import CHEAP, Place, everything, script, sql

ROOT = Path(__file__).parents[3]

#: Opens the journal named, says what it finds and waits for a line before it ends.
HOLDER = """
import sys
from pathlib import Path
from companion.journal import FileDeviceKeys, Journal
path = Path(sys.argv[1])
journal = Journal(path, device=FileDeviceKeys(path.parent / "keys"))
print(journal.read_only, journal.notice, flush=True)
print(len(journal.resume(1).referee.log), flush=True)
sys.stdin.readline()
"""


def hold(place):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(place.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    return process, process.stdout.readline().strip(), process.stdout.readline().strip()


# -- two processes ---------------------------------------------------------------------------


def test_the_second_process_says_so_and_reads(played):
    process, notice, count = hold(played)
    assert (notice, count) == ("False", "20")
    with played.open() as journal:
        assert journal.read_only
        assert f"in use by another program (process {process.pid})" in journal.notice
        session = journal.resume(1)
        assert len(session.referee.log) == 20
        with pytest.raises(ReadOnlyError, match="in use"):
            session.referee.undo()
        assert len(session.referee.log) == 20
        for refused in (
            lambda: journal.begin(session.game, session.setup),
            lambda: journal.delete(1),
            journal.delete_everything,
            lambda: journal.rename(1, 0, "Zed"),
        ):
            with pytest.raises(ReadOnlyError, match="in use"):
                refused()
    process.stdin.write("\n")
    process.stdin.close()
    process.wait()
    with played.open() as journal:
        assert not journal.read_only


def test_a_killed_process_holds_nothing(played):
    process, _, _ = hold(played)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with played.open() as journal:
        assert not journal.read_only
        journal.resume(1).referee.undo()


def test_a_second_process_reads_while_the_first_writes(played):
    _, _, lines = script("gotcha")
    with played.open() as journal:
        session = journal.resume(1)
        session.referee.accept(lines[20])
        process, notice, count = hold(played)
        assert notice.startswith("True")
        assert str(os.getpid()) in notice
        assert count == "21"
        session.referee.accept(lines[21])
        process.stdin.close()
        process.wait()


def test_a_lock(tmp_path):
    one, two = ProcessLock(tmp_path / "x"), ProcessLock(tmp_path / "x")
    assert one.acquire()
    assert not two.acquire()
    assert str(os.getpid()) in two.holder()
    one.release()
    one.release()
    assert two.acquire()
    two.release()
    assert ProcessLock(tmp_path / "none").holder() == "another program"


def test_a_lock_whose_file_was_removed_is_taken_anew(tmp_path, monkeypatch):
    lock = ProcessLock(tmp_path / "x")
    real, removed = os.open, []

    def remove_once(path, *rest):
        file = real(path, *rest)
        if not removed:
            removed.append(path)
            path.unlink()
        return file

    monkeypatch.setattr(os, "open", remove_once)
    assert lock.acquire()
    assert removed
    assert not ProcessLock(tmp_path / "x").acquire()
    lock.release()


# -- durability ------------------------------------------------------------------------------


def test_what_is_committed_is_on_the_disk(place, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(store, "SYNCHRONOUS", "FULL")
    with place.open() as journal:
        settings = {
            name: journal.store.rows(f"PRAGMA {name}")[0][0]
            for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
        }
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "foreign_keys": 1,
    }
    assert place.path.stat().st_mode & 0o077 == 0


def test_the_programs_default_waits_for_the_disk():
    code = "from companion.journal import store; print(store.SYNCHRONOUS)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "FULL"


# -- places that cannot be written -----------------------------------------------------------


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_read_only_place_is_read(plain_user, monkeypatch, what):
    monkeypatch.setenv("COMPANION_DATA", str(plain_user))
    place = Place(plain_user)
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        journal.begin(game, setup).referee.submit_all(lines[:9])
        expected = everything(journal.resume(1).referee)
    if what == "file":
        place.path.chmod(0o444)
    else:
        (plain_user / "journal.sqlite.lock").unlink()
        plain_user.chmod(0o555)
    with place.open() as journal:
        assert "may not be written" in journal.notice
        session = journal.resume(1)
        assert everything(session.referee) == expected
        assert journal.sessions()[0].events == 9
        assert session.view(session.unlock(0)).viewer == 0
        with pytest.raises(ReadOnlyError, match="may not be written"):
            session.referee.accept(lines[9])


def test_a_folder_that_cannot_be_made(plain_user):
    plain_user.chmod(0o555)
    with pytest.raises(JournalError, match=r"cannot be made|none can be made"):
        Journal(plain_user / "deeper" / "journal.sqlite", device=FileDeviceKeys(plain_user / "k"))
    with pytest.raises(JournalError):
        Journal(plain_user / "journal.sqlite", device=FileDeviceKeys(plain_user / "k"))


def test_a_file_that_may_not_be_read(plain_user):
    path = plain_user / "journal.sqlite"
    path.write_bytes(b"SQLite format 3\0")
    path.chmod(0)
    with pytest.raises(JournalError, match="cannot be read"):
        Journal(path, device=FileDeviceKeys(plain_user / "k"))


def test_a_missing_journal_is_not_made_for_reading(place):
    with pytest.raises(JournalError, match="no journal"):
        place.open(read_only=True)
    assert not place.path.exists()


# -- full disks ------------------------------------------------------------------------------


def test_a_full_disk_records_nothing_and_goes_on_when_there_is_room(played):
    _, _, lines = script("gotcha")
    with played.open() as journal:
        session = journal.resume(1)
        pages = journal.store.rows("PRAGMA page_count")[0][0]
        journal.store.rows(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(FullError, match="no room left"):
            session.referee.submit_all(lines[20:])
        stands = len(session.referee.log)
        assert stands < len(lines)
        with pytest.raises(FullError):
            session.referee.accept(f"{lines[stands]} ; {'x' * 4000}")
        assert len(session.referee.log) == stands
        journal.store.rows("PRAGMA max_page_count = 1000000")
        session.referee.accept(lines[stands])
        expected = everything(session.referee)
    with played.open() as journal:
        assert everything(journal.resume(1).referee) == expected


FILLER = """
import resource, signal, sys
from pathlib import Path
from companion.journal import FileDeviceKeys, Journal, JournalError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
journal = Journal(path, device=FileDeviceKeys(path.parent / "keys"))
desk = journal.resume(1).referee
limit = path.with_name(path.name + "-wal").stat().st_size + 30_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    while True:
        desk.submit("Ann: gibberish " + "x" * 1000)
        print(len(desk.log), flush=True)
except JournalError as error:
    print(error.message, flush=True)
"""


def test_a_write_that_the_system_refuses(played):
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", FILLER, str(played.path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    *announced, message = done.stdout.splitlines()
    assert "nothing was recorded" in message
    assert done.stderr == ""
    with played.open() as journal:
        session = journal.resume(1)
        assert session.damage == ""
        assert len(session.referee.log) == int(announced[-1])


# -- other files -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"game: gotcha\nplayers: A, B\n---\n", b"\0" * 5000, b"SQLite", b"\xff" * 17]
)
def test_other_files_are_left_alone(place, content):
    place.path.write_bytes(content)
    assert not is_journal(place.path)
    for read_only in (False, True):
        with pytest.raises(DamagedError, match="no journal"):
            place.open(read_only=read_only)
    assert place.path.read_bytes() == content


def test_another_programs_database_is_left_alone(place):
    sql(place.path, "CREATE TABLE sessions (x)")
    before = place.path.read_bytes()
    with pytest.raises(DamagedError, match="no journal of this program"):
        place.open()
    assert place.path.read_bytes() == before


def test_an_empty_file_becomes_a_journal(place):
    place.path.touch()
    with place.open() as journal:
        assert journal.sessions() == ()


def test_a_newer_version_is_read_as_far_as_it_can_be(played):
    sql(played.path, f"PRAGMA user_version = {VERSION + 5}")
    before = played.path.read_bytes()
    with played.open() as journal:
        assert "newer version" in journal.notice
        session = journal.resume(1)
        assert len(session.referee.log) == 20
        with pytest.raises(ReadOnlyError, match="newer version"):
            session.referee.undo()
    assert played.path.read_bytes() == before
    sql(played.path, "ALTER TABLE sessions RENAME TO otherwise")
    with pytest.raises(NewerError, match="newer version"):
        played.open()


def test_the_wrong_device_reads_what_is_public(played, tmp_path):
    with played.open(device=FileDeviceKeys(tmp_path / "none"), pin_cost=CHEAP) as journal:
        assert "not on this device" in journal.notice
        session = journal.resume(1)
        assert "sealed on another device" in session.damage
        texts = [text for _, text in session.public_lines()]
    with played.open() as journal:
        assert texts == [line.text for line in journal.resume(1).view().log]
