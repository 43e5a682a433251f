"""Deleting reaches every copy that the program made, keys first; nothing else is touched."""

import pytest

from companion.journal import Journal, JournalError, mend, restore
from companion.journal.deletion import EXPORTS
from tests.companion.journal.play import CHEAP, Place, everything, script, sql

PASS = "correct horse"
NAMES = ("Zaphod", "Trillian")


@pytest.fixture
def played(place):
    """Two sessions; in the first sit people whom nobody else knows."""
    with place.open() as journal:
        for number, name in enumerate(("gotcha", "precognition")):
            game, setup, lines = script(name)
            if not number:
                setup = game.setup(NAMES)
                lines = [ln.replace("Ann", NAMES[0]).replace("Bo", NAMES[1]) for ln in lines]
            journal.begin(game, setup).referee.submit_all(lines[:30])
    return place


def export(place):
    folder = place.folder / EXPORTS
    folder.mkdir()
    with place.open() as journal:
        for number in (1, 2):
            session = journal.resume(number)
            (folder / f"{number}.txt").write_text(session.export_text())
            session.exported(f"{number}.txt")
    (folder / "deck.pdf").write_bytes(b"%PDF")
    return folder


def holds(place, text):
    found = [path for path in place.folder.rglob("*") if path.is_file()]
    return [path.name for path in found if text in path.read_bytes()]


def mended(place):
    sql(place.path, "UPDATE events SET comment = 'x' WHERE session = 2 AND n = 20")
    return mend(place.path, device=place.keys).aside


def restored(place):
    backup = place.folder / "x.backup"
    with place.open() as journal:
        journal.backup(backup, PASS, cost=CHEAP)
    aside = restore(backup, place.path, PASS, place.keys, replace=True)
    backup.unlink()
    return aside


@pytest.mark.parametrize("make", [mended, restored])
def test_a_deleted_session_is_gone_from_what_was_set_aside(played, make):
    folder = export(played)
    aside = make(played)
    part = played.path.with_name(played.path.name + ".part")
    part.write_bytes(b"Zaphod")
    assert {aside.name, played.path.name, part.name} <= set(holds(played, b"Zaphod"))
    with played.open() as journal:
        number = next(i.id for i in journal.sessions() if i.players == NAMES)
        if make is restored:  # what was exported is noted in the file that was set aside
            journal.resume(number).exported("1.txt")
        assert journal.delete(number) == ()
    assert holds(played, b"Zaphod") == []
    assert sorted(path.name for path in folder.iterdir()) == ["2.txt", "deck.pdf"]
    # The other session is still in the file that was set aside, and opens there.
    copy = Place(played.folder / "copy")
    copy.folder.mkdir()
    aside.replace(copy.path)
    with copy.open(device=played.keys) as journal:
        assert [info.id for info in journal.sessions()] == [2]
        assert len(journal.resume(2).referee.log) >= 19


def test_what_is_too_damaged_to_delete_in_goes_as_a_whole(played):
    aside = mended(played)
    data = bytearray(aside.read_bytes())
    data[4096 * 3 : 4096 * 5] = b"\xff" * 8192
    aside.write_bytes(data)
    with played.open() as journal:
        expected = everything(journal.resume(2).referee)
        assert journal.delete(1) == (aside,)
    assert not aside.exists()
    with played.open() as journal:
        assert everything(journal.resume(2).referee) == expected


@pytest.mark.parametrize("make", [mended, restored])
def test_everything_means_the_copies_and_their_keys(played, make):
    folder = export(played)
    aside = make(played)
    copied = played.folder / "copied.sqlite"
    copied.write_bytes(aside.read_bytes())
    with played.open() as journal:
        journal.delete_everything()
        with pytest.raises(JournalError, match="closed"):
            journal.sessions()
    left = {path.name for path in played.folder.rglob("*") if path.is_file()}
    assert left == {"copied.sqlite", "deck.pdf"}
    assert folder.exists()
    # The copy that somebody made of it does not open: its key is gone.
    with Journal(copied, device=played.keys) as journal:
        session = journal.resume(1)
        assert "sealed" in session.damage
        assert session.referee.log == ()
        assert session.public_lines()
    with played.open() as journal:
        assert journal.sessions() == ()


def test_files_of_others_stay(played):
    names = ("journal.sqlite.bak", "journal.damaged-yesterday.sqlite", "games.backup", "other.txt")
    for name in names:
        (played.folder / name).write_text("mine")
    (played.folder / EXPORTS).mkdir()
    sql(played.path, "INSERT INTO exports VALUES (1, '../other.txt')")
    with played.open() as journal:
        journal.delete(1)
        journal.delete_everything()
    assert {name for name in names if (played.folder / name).exists()} == set(names)


def test_keys_go_first_in_the_copies_too(played, monkeypatch):
    aside = restored(played)
    monkeypatch.setattr("companion.journal.deletion.remove_files", lambda path: cut())

    def cut():
        raise KeyboardInterrupt

    journal = played.open()
    with pytest.raises(KeyboardInterrupt):
        journal.delete_everything()
    assert list(played.keys.folder.glob("*.key")) == []
    assert aside.exists()
