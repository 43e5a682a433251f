"""Nothing private stands in plain bytes in any file, at any time; deleting leaves nothing."""

import itertools

import pytest

from companion.core.registry import all_games, get_game
from companion.journal import BusyError, JournalError, ReadOnlyError
from companion.journal.salvage import read_events
from tests.companion.journal.play import script

NOTE = "the crown is surely with Bo"


def secrets_of(referee):
    """Texts that nobody may find: arguments, comments and unreadable lines."""
    for entry in referee.log:
        if entry.event is None:
            yield entry.text
        elif not entry.event.is_public:
            yield entry.event.comment
            for arg in entry.event.args:
                if isinstance(arg, tuple):
                    yield " ".join(card.code for card in arg)


def spellings(secret):
    return (secret.encode(), secret.encode("utf-16-le"), secret.encode("utf-16-be"))


def find(secrets, data):
    every = itertools.chain.from_iterable(map(spellings, secrets))
    return [secret for secret in every if len(secret) > 7 and secret in data]


@pytest.mark.parametrize("name", [game.name for game in all_games()])
def test_no_secret_stands_in_the_bytes(place, name):
    game, setup, lines = script(name)
    journal = place.open()
    session = journal.begin(game, setup)
    for line in lines:
        private = "*" in line.partition(":")[0]
        session.referee.accept(f"{line} ; told in whispers" if private else line)
    session.referee.submit("Ann*: hamd AS KD QH 2C")
    session.referee.submit("Bo*: agree ; refused whispers")
    session.set_pin(0, "73519264")
    ann = session.unlock(0, "73519264")
    for index in range(20):
        session.marks(ann).put(f"cell number {index}", f"{NOTE} {index}")
    session.referee.submit("table: correct 1 Ann*: agree ; corrected whispers")
    secrets = [*secrets_of(session.referee), NOTE, "73519264", "cell number", "whispers"]
    assert find(secrets, place.bytes()) == []
    journal.close()
    data = place.bytes()
    assert find(secrets, data) == []
    assert len(data) > 10_000
    # The search itself finds what is public.
    public = next(line for line in lines if line.startswith("Ann:")).partition(": ")[2]
    assert f"#1: {public}".encode() in data or b"#1: " in data


def test_an_event_nobody_else_knows_of_leaves_no_trace_of_who_or_what(place):
    game, setup, lines = script("missing-persons", 1)
    unannounced = [verb.name for verb in game.verbs.values() if not verb.announced]
    assert unannounced
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.submit_all(lines)
        for verb in unannounced:
            session.referee.submit(f"Ann*: {verb} 2S 3S")
            assert f"#1*: {verb}".encode() not in place.bytes()


def test_a_deleted_session_leaves_nothing(place):
    game, _, lines = script("gotcha")
    _, other, others = script("precognition")
    with place.open() as journal:
        gone = journal.begin(game, game.setup(["Zaphod", "Trillian"]))
        for line in lines:
            gone.referee.accept(line.replace("Ann", "Zaphod").replace("Bo", "Trillian"))
        gone.marks(gone.unlock(0)).put("x", NOTE)
        kept = journal.begin(get_game("precognition"), other)
        kept.referee.submit_all(others)
        uuid = gone._stored.uuid
        keys = [seat.event_key for seat in gone._stored.seats]
        keys += [row.sealed for row in journal_rows(journal, gone) if row.sealed is not None]
        assert len(keys) > 2
        before = place.bytes()
        assert uuid in before
        assert b"Zaphod" in before
        assert all(key in before for key in keys)
        journal.delete(gone.id)
        after = place.bytes()
        for trace in (uuid, b"Zaphod", b"Trillian", *keys):
            assert trace not in after
        assert [info.id for info in journal.sessions()] == [kept.id]
        assert kept.view().log
        with pytest.raises(JournalError, match="no session 1"):
            journal.delete(1)
    with place.open() as journal:
        assert journal.resume(kept.id).damage == ""


def journal_rows(journal, session):
    return read_events(journal.store, session.id, session._stored.uuid).rows.values()


def test_keys_go_before_anything_else(place, monkeypatch):
    """A deletion that is cut short leaves rows that nobody can open any more."""
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        session = journal.begin(game, setup)
        session.referee.submit_all(lines[:10])
        keys = [seat.event_key for seat in session._stored.seats]
        merge = journal.store.merge

        def cut():
            merge()
            raise KeyboardInterrupt

        monkeypatch.setattr(journal.store, "merge", cut)
        with pytest.raises(KeyboardInterrupt):
            journal.delete(1)
        monkeypatch.undo()
        data = place.bytes()
        assert not any(key in data for key in keys)
        assert "cut short" in journal.sessions()[0].damage
        journal.delete(1)
        assert journal.sessions() == ()


def test_deleting_says_when_somebody_still_reads(place):
    game, setup, lines = script("gotcha")
    with place.open() as journal:
        journal.begin(game, setup).referee.submit_all(lines[:5])
        reader = place.open()
        journal.store._db.execute("PRAGMA busy_timeout = 0")
        rows = reader.store.each("SELECT n FROM events")
        next(rows)
        with pytest.raises(BusyError, match="close it there"):
            journal.delete(1)
        rows.close()
        with pytest.raises(ReadOnlyError):
            reader.delete_everything()
        reader.close()
        assert journal.sessions() == ()
    assert b"#1: guess" not in place.bytes()
