"""A PIN makes keys anew: older rows, older files and backups give nothing; tries stay counted."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from companion.core.registry import get_game
from companion.journal import JournalError, PinError, SealedError, restore
from companion.journal.device import PinAttempts, wait_after
from companion.journal.lines import REFEREE
from companion.journal.players import Players
from tests.companion.journal.play import CHEAP, Place, everything, sql

PASS = "correct horse"
LINES = (
    "Ann*: predict UD",
    "Bo*: predict DD",
    "Ann: place 7S",
    "Ann*: correct 1 Ann*: predict UU",
    "Ann*: predikt UDU",
    "Bo: place 8S",
)


@pytest.fixture
def played(place):
    """Lines of a session, written before anybody has a PIN."""
    game = get_game("precognition")
    with place.open() as journal:
        session = journal.begin(game, game.setup(["Ann", "Bo"]))
        session.referee.submit_all(LINES)
        session.marks(session.unlock(0)).put("a", "b")
        place.expected = everything(session.referee)
    return place


def set_pin(place, new="1234", old="", seat=0):
    with place.open() as journal:
        journal.resume(1).set_pin(seat, new, old)


def test_lines_from_before_the_pin_are_sealed_anew(played):
    before = [
        row[0] for row in sql(played.path, "SELECT sealed FROM events WHERE sealed IS NOT NULL")
    ]
    keys = {path.name for path in played.keys.folder.glob("*.key")}
    with played.open() as journal:
        session = journal.resume(1)
        ann = session.unlock(0)
        session.set_pin(0, "1234")
        # What was open stays open, on the new keys.
        assert session.marks(ann).get("a") == "b"
        session.referee.accept("Ann: place 9S")
        session.referee.undo()
        expected = everything(session.referee)
    data = played.bytes()
    # Ann's prediction, its correction and the mistyped line; Bo's is Bo's.
    assert [sealed in data for sealed in before] == [False, True, False, False]
    assert len(before) == 4
    assert keys.isdisjoint(path.name for path in played.keys.folder.glob("*.key"))
    with played.open() as journal:
        session = journal.resume(1)
        assert session.damage == ""
        assert everything(session.referee) == expected
        assert session.marks(session.unlock(0, "1234")).get("a") == "b"


def test_what_an_older_version_sealed_for_the_referee_is_sealed_anew(played, monkeypatch):
    """It did so with every line that could not be read, whomever the line named."""
    with monkeypatch.context() as patch, played.open() as journal:
        patch.setattr("companion.journal.lines.owner_of_text", lambda *_: REFEREE)
        session = journal.resume(1)
        session.referee.submit("Ann*: predikt DUD")
        expected = everything(session.referee)
    ((before,),) = sql(played.path, "SELECT sealed FROM events WHERE n = 7")
    set_pin(played)
    assert before not in played.bytes()
    with played.open() as journal:
        assert everything(journal.resume(1).referee) == expected


@pytest.mark.parametrize(
    "tables", [["players"], ["players", "seats"], ["meta", "players", "seats"]]
)
def test_an_older_row_put_back_opens_nothing(played, tables):
    old = played.folder / "old.sqlite"
    shutil.copy(played.path, old)
    set_pin(played)
    back = [f"INSERT OR REPLACE INTO {name} SELECT * FROM old.{name}" for name in tables]
    with closing(sqlite3.connect(played.path)) as db:
        db.execute("ATTACH ? AS old", (str(old),))
        db.executescript(";".join(back))
    with played.open() as journal:
        session = journal.resume(1)
        with pytest.raises((SealedError, PinError, JournalError)):
            session.unlock(0)


def test_an_older_file_put_back_opens_nothing_private(played):
    before = played.path.read_bytes()
    set_pin(played)
    played.path.write_bytes(before)
    with played.open() as journal:
        assert "not on this device" in journal.notice
        session = journal.resume(1)
        assert session.referee.log == ()
        with pytest.raises((SealedError, JournalError)):
            session.unlock(0)


def test_changing_and_removing_seal_anew_too(played):
    for new, old in (("1234", ""), ("a longer word", "1234"), ("", "a longer word")):
        before = sql(played.path, "SELECT sealed FROM events WHERE n = 1")[0][0]
        copy = played.path.read_bytes()
        set_pin(played, new, old)
        assert before not in played.bytes()
        after = played.path.read_bytes()
        played.path.write_bytes(copy)
        with played.open() as journal:
            assert journal.resume(1).referee.log == ()
        played.path.write_bytes(after)
    with played.open() as journal:
        assert everything(journal.resume(1).referee) == played.expected


@pytest.mark.parametrize("when", ["commit", "retire"])
def test_a_pin_that_is_cut_short_is_set_or_not_at_all(played, monkeypatch, when):
    def cut(*_args, **_kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if when == "commit":
            patch.setattr("companion.journal.keyring.Keyring.rotate", cut)
        else:
            patch.setattr(Players, "retire", lambda self: None)
        journal = played.open()
        if when == "commit":
            with pytest.raises(KeyboardInterrupt):
                journal.resume(1).set_pin(0, "1234")
        else:
            journal.resume(1).set_pin(0, "1234")
        journal.close()
    with played.open() as journal:
        assert len(list(played.keys.folder.glob("*.key"))) == 1
        session = journal.resume(1)
        assert session.has_pin(0) == (when == "retire")
        assert everything(session.referee) == played.expected
        assert session.unlock(0, "1234").seat == 0


def test_a_session_begun_after_the_pin_lies_behind_it_too(played, other):
    set_pin(played)
    game = get_game("precognition")
    with played.open() as journal:
        session = journal.begin(game, game.setup(["Bo", "Ann"]))
        session.referee.submit_all(["Ann*: predict DDD", "Bo: place 2S"])
        expected = everything(session.referee)
        journal.backup(played.folder / "x.backup", PASS, cost=CHEAP)
    restore(played.folder / "x.backup", other.path, PASS, other.keys)
    with other.open() as journal:
        assert journal.resume(2).referee.log == ()
        journal.resume(1).unlock(0, "1234")
        assert everything(journal.resume(2).referee) == expected


# -- backups ---------------------------------------------------------------------------------


@pytest.fixture
def backup(played):
    set_pin(played)
    made = played.folder / "games.backup"
    with played.open() as journal:
        session = journal.resume(1)
        session.referee.submit("??: Anne* predict UDD")
        played.expected = everything(session.referee)
        journal.backup(made, PASS, cost=CHEAP)
    return made


def test_a_backup_restored_elsewhere_stays_sealed_by_the_pin(played, other, backup):
    restore(backup, other.path, PASS, other.keys)
    with other.open() as journal:
        session = journal.resume(1)
        assert session.referee.log == ()
        assert "What Ann wrote in secret is sealed by the PIN" in session.damage
        with pytest.raises(PinError):
            session.unlock(0)
        other.uptime.now += 10
        with pytest.raises(PinError):
            session.unlock(0, "0000")
    # No key that opens without the PIN is there, whoever holds device and passphrase.
    assert sql(other.path, "SELECT event_key FROM seats WHERE seat = 0") == [(b"",)]
    with other.open() as journal:
        other.uptime.now += 10
        session = journal.resume(1)
        ann = session.unlock(0, "1234")
        assert session.damage == ""
        assert session.marks(ann).get("a") == "b"
        log = everything(session.referee)[0]
        assert log[:-1] == played.expected[0][:-1]
        # What nobody could read may have been Ann's: it is left blank.
        assert [line[2] for line in (log[-1], played.expected[0][-1])] == [
            "…",
            "??: Anne* predict UDD",
        ]
        session.referee.accept("Ann: place 9S")
        expected = everything(session.referee)
    with other.open() as journal:
        assert everything(journal.resume(1).referee) == expected


def test_a_backup_of_an_older_pin_asks_for_it_once(played):
    set_pin(played)
    sql(played.path, "UPDATE players SET lock = NULL", "UPDATE seats SET gate = NULL")
    with played.open() as journal:
        session = journal.resume(1)
        assert session.damage == ""
        with pytest.raises(JournalError, match="PIN of Ann was set by an older version"):
            journal.backup(played.folder / "x.backup", PASS, cost=CHEAP)
        session.unlock(0, "1234")
        journal.backup(played.folder / "x.backup", PASS, cost=CHEAP)
        assert everything(session.referee) == played.expected
    assert sql(played.path, "SELECT count(*) FROM seats WHERE gate IS NULL") == [(0,)]
    with played.open() as journal:
        assert everything(journal.resume(1).referee) == played.expected


# -- tries -----------------------------------------------------------------------------------


def test_no_copy_of_the_file_brings_the_count_back(played):
    set_pin(played)
    before = played.path.read_bytes()
    waits = []
    for _ in range(5):
        waits.append(played.wrong())
        played.uptime.now += waits[-1]
        played.path.write_bytes(before)
    assert waits == [1, 2, 4, 8, 16]
    # A copy beside it neither.
    copy = Place(played.folder / "copy", uptime=played.uptime)
    copy.folder.mkdir()
    shutil.copy(played.path, copy.path)
    with copy.open(device=played.keys) as journal, pytest.raises(PinError) as caught:
        journal.resume(1).unlock(0, "0000")
    assert caught.value.wait == 32


def test_restoring_a_backup_again_and_again_does_not_either(played, backup):
    waits = []
    for _ in range(4):
        restore(backup, played.path, PASS, played.keys, replace=True)
        waits.append(played.wrong())
        played.uptime.now += waits[-1]
    assert waits == [1, 2, 4, 8]


@pytest.fixture
def five_wrong(played):
    """After five wrong PINs: the next is looked at in 16 seconds."""
    set_pin(played)
    for n in range(5):
        played.uptime.now += wait_after(n)
        played.wrong()
    return played


def test_neither_does_removing_the_count_alone(five_wrong):
    (five_wrong.keys.folder / "tries").unlink()
    assert five_wrong.wrong("Too soon") == 16


@pytest.mark.parametrize("jump", [1e9, -1e9, float("nan"), float("inf")])
def test_the_clock_on_the_wall_gives_no_tries(five_wrong, jump):
    five_wrong.clock.now += jump
    assert five_wrong.wrong("Too soon") == 16


@pytest.mark.parametrize("since", [0.0, 6.0])
def test_a_restart_of_the_device_counts_from_there(five_wrong, since):
    five_wrong.uptime.now = since
    assert five_wrong.wrong("Too soon") == 16 - since


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\x00",
        b"[" * 100_000,
        b'{"*":[1,NaN]}',
        b'{"*":[1,Infinity]}',
        b'{"*":[-3,1]}',
        b'{"*":[1e3,1]}',
        b'{"*":1}',
        b"[]",
        b"9" * 2_000_000,
    ],
)
def test_a_damaged_count_holds_everybody_up_for_an_hour(played, data):
    set_pin(played)
    (played.keys.folder / "tries").write_bytes(data)
    assert played.wrong("Too soon") == 3600
    played.uptime.now += 3600
    with played.open() as journal:
        journal.resume(1).unlock(0, "1234")
    assert not (played.keys.folder / "tries").exists()


def test_the_count_names_nobody(played):
    set_pin(played)
    played.wrong()
    data = (played.keys.folder / "tries").read_bytes()
    (uuid,) = sql(played.path, "SELECT uuid FROM players WHERE name = 'Ann'")[0]
    assert uuid.encode() not in data
    assert list(json.loads(data).values()) == [[1, played.uptime.now]]


def test_a_link_in_place_of_the_count_is_not_followed(played, tmp_path):
    set_pin(played)
    target = tmp_path / "target"
    target.write_text("{}")
    (played.keys.folder / "tries").symlink_to(target)
    assert played.wrong("Too soon") == 3600
    assert target.read_text() == "{}"


def test_tries_of_two_programs_both_count(tmp_path):
    one, two = (PinAttempts(tmp_path / "keys", lambda: 5.0) for _ in range(2))
    assert [one.count("ann"), two.count("ann"), one.count("ann")] == [1, 2, 3]
    assert two.waiting("ann") == 4
    two.clear("ann")
    assert one.waiting("ann") == 0
