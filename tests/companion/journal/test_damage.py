"""Damaged journals: clear words, no wrong facts, and what can be read is read."""

import os
import random

import pytest

from companion.errors import CompanionError
from companion.journal import REFEREE, JournalError, NotYetError, ReadOnlyError, mend
from tests.companion.journal.play import Place, everything, plain, script, sql

#: `make soak` tries this many flips.
LONG = 5000
COUNT = LONG if os.environ.get("SOAK_EVENTS") else 50


@pytest.fixture
def played(place):
    """A closed journal of two sessions, one with a PIN and marks."""
    place.logs = {}
    with place.open() as journal:
        for name in ("gotcha", "suspense"):
            game, setup, lines = script(name)
            session = journal.begin(game, setup)
            session.referee.submit_all(lines[:60])
            place.logs[session.id] = plain(session.referee)
        session.set_pin(0, "1234")
        session.marks(session.unlock(0, "1234")).put("a", "b")
    return place


def in_words(error):
    """Whether it is a sentence, and none of Python's or SQLite's."""
    assert error.message.endswith((".", ").", "!"))
    assert "malformed" not in error.message
    assert "Error" not in error.message


def use(place):
    """Does all that can be done with a journal; returns how many lines of each session stand.

    Raises:
        CompanionError: the journal cannot be opened at all.
    """
    stand = {}
    with place.open() as journal:
        for info in journal.sessions():
            try:
                session = journal.resume(info.id)
            except CompanionError:
                stand[info.id] = -1
                continue
            log = plain(session.referee)
            assert log == place.logs[info.id][: len(log)]
            # An end that is cut off the file cannot be told from one that never was written.
            assert session.damage or session.differences == ()
            stand[info.id] = len(log)
            for each in (
                session.public_lines,
                session.export_text,
                lambda s=session: s.marks(s.unlock(0, "1234")).all(),
                lambda s=session: s.export_text(REFEREE),
                lambda s=session: s.referee.undo() if s.damage else None,
                lambda s=session: s.replay(s.unlock(1)).final(),
            ):
                try:
                    each()
                except CompanionError as error:
                    in_words(error)
        for ask in (journal.unfinished, journal.identities):
            try:
                ask()
            except JournalError as error:
                in_words(error)
    return stand


def attempt(place, data, sides=()):
    """Puts bytes in the journal's place and uses it; None where it cannot be opened."""
    for side in ("-wal", "-shm"):
        place.path.with_name(place.path.name + side).unlink(missing_ok=True)
    place.path.write_bytes(data)
    for side, content in sides:
        place.path.with_name(place.path.name + side).write_bytes(content)
    try:
        return use(place)
    except CompanionError as error:
        in_words(error)
        return None


@pytest.mark.soak
def test_flipped_bits(played):
    data = played.path.read_bytes()
    rng = random.Random(11)
    whole = unopened = 0
    for _ in range(COUNT):
        flipped = bytearray(data)
        for _ in range(rng.choice((1, 1, 1, 8))):
            flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        stand = attempt(played, bytes(flipped))
        if stand is None:
            unopened += 1
            continue
        whole += stand == {1: 60, 2: 60}
    # Most of the file is not structure: most flips cost at most one session's end.
    assert unopened < COUNT / 5
    assert whole > COUNT / 10
    assert attempt(played, data) == {1: 60, 2: 60}


@pytest.mark.soak
def test_flipped_bits_in_the_log_beside_the_file(played):
    journal = played.open()
    game, setup, lines = script("gotcha")
    session = journal.begin(game, setup)
    session.referee.submit_all(lines[:30])
    played.logs[session.id] = plain(session.referee)
    data = played.path.read_bytes()
    wal = played.path.with_name(played.path.name + "-wal").read_bytes()
    journal.close()
    assert attempt(played, data, [("-wal", wal)])[session.id] == 30
    rng = random.Random(12)
    for _ in range(COUNT // 5):
        flipped = bytearray(wal)
        flipped[rng.randrange(len(wal))] ^= 1 << rng.randrange(8)
        attempt(played, data, [("-wal", bytes(flipped))])


def test_cut_off_files(played):
    data = played.path.read_bytes()
    rng = random.Random(13)
    lengths = [0, 1, 15, 16, 17, 99, 100, 4095, 4096, 4097]
    for length in [*lengths, *(rng.randrange(len(data)) for _ in range(20))]:
        attempt(played, data[:length])
    # The first session is whole, the second stands as far as its pages are there. Which of the last
    # pages are its own depends on how the file grew.
    stands = [attempt(played, data[: -1 - 4096 * pages]) for pages in range(4)]
    assert stands[0][1] == 60
    found = [(stand or {}).get(2, 0) for stand in stands]
    assert found == sorted(found, reverse=True)
    assert any(0 < count < 60 for count in found)


def test_overwritten_pages(played):
    data = played.path.read_bytes()
    rng = random.Random(14)
    read = 0
    for page in range(1, len(data) // 4096):
        broken = bytearray(data)
        broken[page * 4096 : (page + 1) * 4096] = rng.randbytes(4096)
        stand = attempt(played, bytes(broken))
        read += any(count == 60 for count in (stand or {}).values())
    assert read >= 3


def test_a_damaged_event_ends_its_session_and_no_other(played):
    sql(played.path, "UPDATE events SET public = '#1: guess #2 smallest 1 is A' WHERE n = 30")
    sql(played.path, "UPDATE events SET applied = 1 - applied WHERE n = 41")
    with played.open() as journal:
        assert not journal.read_only
        for number in (1, 2):
            session = journal.resume(number)
            assert plain(session.referee) == played.logs[number][:29]
            assert "Event 30 is damaged" in session.damage
            assert "as it stood after event 29" in session.damage
            # What lies behind the damage is shown all the same.
            numbers = [n for n, _ in session.public_lines()]
            assert {29, 31, 40, 42} <= set(numbers)
            assert {30, 41}.isdisjoint(numbers)
            with pytest.raises(ReadOnlyError, match="Event 30 is damaged"):
                session.referee.undo()
            with pytest.raises(NotYetError, match="damaged"):
                session.export_text(REFEREE)
        game, setup, lines = script("gotcha")
        journal.begin(game, setup).referee.submit_all(lines)


def test_a_missing_event_is_noticed(played):
    sql(played.path, "DELETE FROM events WHERE session = 1 AND n = 12")
    sql(played.path, "DELETE FROM events WHERE session = 2 AND n > 50")
    with played.open() as journal:
        assert {info.id: bool(info.damage) for info in journal.sessions()} == {1: True, 2: True}
        assert "Event 12 is damaged or missing" in journal.resume(1).damage
        assert "Event 51 is damaged or missing" in journal.resume(2).damage


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET sealed = substr(sealed, 1, 40) WHERE sealed IS NOT NULL AND session = 1",
        "UPDATE events SET public = NULL WHERE session = 1",
        "UPDATE events SET session = 1, n = 61 WHERE session = 2 AND n = 3",
        "UPDATE seats SET name = 'Eve' WHERE session = 1 AND seat = 1",
        "UPDATE seats SET event_key = x'00' WHERE session = 1 AND seat = 1",
        "UPDATE sessions SET setup = '{}' WHERE id = 1",
        "UPDATE sessions SET setup = x'ff' WHERE id = 1",
        "UPDATE sessions SET begun = 'yesterday' WHERE id = 1",
        "DELETE FROM seats WHERE session = 1 AND seat = 0",
        "UPDATE meta SET value = '../../etc/passwd'",
        "UPDATE meta SET value = NULL",
        "UPDATE players SET stretch = x'ff', failures = 'many', wait_until = 'never'",
    ],
)
def test_changed_rows_are_noticed(played, statement):
    schema = "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')"
    sql(played.path, "PRAGMA writable_schema = ON", schema)
    sql(played.path, statement)
    with played.open() as journal:
        damaged = bool(journal.notice) or any(info.damage for info in journal.sessions())
        try:
            session = journal.resume(1)
            damaged |= bool(session.damage)
            session.unlock(0, "1234")
        except CompanionError:
            damaged = True
        assert damaged
    use(played)


def test_damaged_summaries_are_made_again(played):
    with played.open() as journal:
        expected = journal.sessions()
    sql(played.path, "UPDATE summaries SET over = 1, winners = '[0]'")
    sql(played.path, "UPDATE scores SET points = points + 1")
    sql(played.path, "UPDATE matches SET reasons = 'x'")
    with played.open() as journal:
        assert journal.sessions() == expected


# -- mending ---------------------------------------------------------------------------------


def test_mending_goes_on_before_the_damage(played):
    sql(played.path, "UPDATE events SET comment = 'x' WHERE session = 1 AND n = 30")
    sql(played.path, "UPDATE sessions SET setup = '{}' WHERE id = 2")
    game, setup, lines = script("gotcha")
    with played.open() as journal:
        third = journal.begin(game, setup)
        third.referee.submit_all(lines)
        third.set_pin(1, "4321")
        third.marks(third.unlock(1, "4321")).put("a", "c")
        expected = everything(third.referee)
    broken = played.path.read_bytes()
    with played.open(), pytest.raises(JournalError, match="in use"):
        mend(played.path, device=played.keys)
    done = mend(played.path, device=played.keys)
    assert (done.kept, done.lost, done.lines) == (2, 1, {1: 31})
    assert done.aside.read_bytes() == broken
    with played.open() as journal:
        assert journal.notice == ""
        session = journal.resume(1)
        assert plain(session.referee) == played.logs[1][:29]
        session.referee.undo()
        third = journal.resume(3)
        assert everything(third.referee) == expected
        assert third.marks(third.unlock(1, "4321")).all() == {"a": "c"}
        assert [info.id for info in journal.sessions()] == [1, 3]


def test_mending_a_file_with_broken_pages(played):
    data = bytearray(played.path.read_bytes())
    # The last pages hold events of the second session.
    data[-4096 * 3 : -4096 * 2] = bytes(4096)
    mended = 0
    for page in range(2, len(data) // 4096):
        broken = bytearray(data)
        broken[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
        folder = played.folder / f"page{page}"
        folder.mkdir()
        place = Place(folder)
        place.logs = played.logs
        place.path.write_bytes(broken)
        (folder / "keys").symlink_to(played.folder / "keys")
        try:
            done = mend(place.path, device=place.keys)
        except CompanionError:
            continue
        if done.kept:
            stand = use(place)
            with place.open() as journal:
                assert journal.notice == ""
                assert all(not info.damage for info in journal.sessions())
            mended += any(count > 0 for count in stand.values())
    assert mended > 0


def test_nothing_to_mend(place):
    with pytest.raises(JournalError):
        mend(place.path, device=place.keys)
    place.path.write_bytes(b"nothing of ours, long enough")
    with pytest.raises(JournalError, match="no journal"):
        mend(place.path, device=place.keys)
    assert place.path.read_bytes() == b"nothing of ours, long enough"
