"""Backups: one file, another device, the passphrase and nothing else."""

import random

import pytest

from companion.errors import CompanionError
from companion.journal import JournalError, PinError, restore
from tests.companion.journal.play import CHEAP, everything, script

PASS = "correct horse"


@pytest.fixture
def backup(place):
    """A backup of two sessions, one with a PIN and marks."""
    made = place.folder / "games.backup"
    with place.open() as journal:
        for name in ("gotcha", "precognition"):
            game, setup, lines = script(name)
            session = journal.begin(game, setup)
            session.referee.submit_all(lines[:30])
        session.set_pin(0, "1234")
        session.marks(session.unlock(0, "1234")).put("a", "b")
        journal.backup(made, PASS, cost=CHEAP)
        place.expected = [everything(journal.resume(n).referee) for n in (1, 2)]
    return made


def test_another_device_goes_on(place, other, backup):
    assert restore(backup, other.path, PASS, other.keys) is None
    with other.open() as journal:
        assert journal.notice == ""
        session = journal.resume(2)
        with pytest.raises(PinError):
            session.unlock(0, "0000")
        other.uptime.now += 1
        assert session.marks(session.unlock(0, "1234")).all() == {"a": "b"}
        assert [everything(journal.resume(n).referee) for n in (1, 2)] == place.expected
        _, _, lines = script("precognition")
        session.referee.accept(lines[30])
    keys = {path.name for path in (other.folder / "keys").iterdir()}
    assert keys.isdisjoint(path.name for path in (place.folder / "keys").iterdir())


def test_the_wrong_passphrase_says_so_and_leaves_nothing(other, backup):
    with pytest.raises(PinError, match="not the passphrase"):
        restore(backup, other.path, "wrong horse", other.keys)
    assert {path.name for path in other.folder.rglob("*")} <= {"journal.sqlite.lock"}


def test_a_backup_alone_opens_nothing_private(place, backup):
    data = backup.read_bytes()
    for line in (line for line in script("gotcha")[2][:30] if "*" in line.partition(":")[0]):
        assert line.split(" ", 2)[-1].encode() not in data
    device_keys = [path.read_bytes() for path in (place.folder / "keys").iterdir()]
    assert not any(key in data for key in device_keys)


def test_an_existing_journal_is_set_aside_only_when_asked(place, backup):
    before = place.path.read_bytes()
    with pytest.raises(JournalError, match="already"):
        restore(backup, place.path, PASS, place.keys)
    aside = restore(backup, place.path, PASS, place.keys, replace=True)
    assert aside.read_bytes() == before
    with place.open() as journal:
        journal.resume(1).unlock(0, "1234")
        assert everything(journal.resume(1).referee) == place.expected[0]
    again = restore(backup, place.path, PASS, place.keys, replace=True)
    assert again != aside


def test_restoring_into_a_journal_in_use_is_refused(place, backup):
    with place.open(), pytest.raises(JournalError, match="in use"):
        restore(backup, place.path, PASS, place.keys, replace=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "no backup"),
        (lambda path: path.write_text("hello"), "no backup"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(2000)), "damaged|no backup"),
    ],
)
def test_what_is_no_backup_is_refused(place, make, message):
    source = place.folder / "x.backup"
    make(source)
    with pytest.raises(CompanionError, match=message):
        restore(source, place.path, PASS, place.keys)
    assert not place.path.exists()


def test_refused_targets(place, backup):
    with place.open() as journal:
        with pytest.raises(PinError, match="at least 8"):
            journal.backup(backup, "short")
        with pytest.raises(JournalError, match="where the journal lies"):
            journal.backup(journal.path, PASS, cost=CHEAP)
        with pytest.raises(JournalError):
            journal.backup(place.folder / "no" / "such" / "folder", PASS, cost=CHEAP)
        journal.backup(backup, PASS, cost=CHEAP)
    assert not list(place.folder.glob("*.part*"))


def test_damaged_backups_restore_rightly_or_not_at_all(place, other, backup):
    data = backup.read_bytes()
    rng = random.Random(3)
    refused = 0
    # The file's first byte makes it no backup at all; the other places are drawn.
    for spot in (0, *(rng.randrange(len(data)) for _ in range(29))):
        flipped = bytearray(data)
        flipped[spot] ^= 1 << rng.randrange(8)
        backup.write_bytes(flipped)
        try:
            restore(backup, other.path, PASS, other.keys, replace=True)
        except CompanionError:
            refused += 1
            continue
        with other.open() as journal:
            for number, expected in zip((1, 2), place.expected, strict=True):
                try:
                    session = journal.resume(number)
                except CompanionError:
                    continue
                log = everything(session.referee)[0]
                assert log == expected[0][: len(log)]
                assert session.damage or len(log) == len(expected[0])
    assert 0 < refused < 30
