from contextlib import closing

import pytest

from companion.core.registry import get_game
from companion.errors import UsageError
from companion.journal import FileDeviceKeys, Journal
from companion.notepad.marks import MAX_MARK, Marks, load_marks, save_marks


class Memory:
    """A store that keeps texts by name."""

    def __init__(self, marks=None):
        self.marks = dict(marks or {})

    def all(self):
        return dict(self.marks)

    def replace(self, marks):
        self.marks = dict(marks)


def test_marks_are_values():
    empty = Marks()
    one = empty.put("5C", "Bo", " ? ")
    two = one.put("5C", "Cy", "no!")
    assert len(empty) == 0
    assert one.at("5C", "Bo") == "?"
    assert list(two) == [("5C", "Bo", "?"), ("5C", "Cy", "no!")]
    assert two.put("5C", "Bo", "").at("5C", "Bo") == ""
    assert one == Marks({("5C", "Bo"): "?"})


@pytest.mark.parametrize("text", ["x" * (MAX_MARK + 1), "two\nlines"])
def test_long_marks_are_refused(text):
    with pytest.raises(UsageError):
        Marks().put("5C", "Bo", text)


def test_a_store_keeps_them_beside_other_texts():
    store = Memory({"note": "hello"})
    marks = Marks().put("K", "Bo 3", "sure").put("5C", "the missing tile", "?")
    save_marks(store, marks)
    assert load_marks(store) == marks
    assert store.marks["note"] == "hello"
    save_marks(store, marks.put("K", "Bo 3", ""))
    assert list(load_marks(store)) == [("5C", "the missing tile", "?")]
    assert store.marks["note"] == "hello"


def test_the_journal_seals_them(tmp_path):
    game = get_game("suspense")
    with closing(
        Journal(tmp_path / "journal.db", device=FileDeviceKeys(tmp_path / "keys"))
    ) as journal:
        session = journal.begin(game, game.setup(("Ann", "Bo")))
        ann = session.unlock(0, "")
        save_marks(session.marks(ann), Marks().put("W3", "the secret card", "I bet"))
        assert list(load_marks(session.marks(ann))) == [("W3", "the secret card", "I bet")]
        assert load_marks(session.marks(session.unlock(1, ""))) == Marks()
