"""Photos that were misread: which are kept, and what is said of them when they are read again."""

from __future__ import annotations

import json
import stat
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.bounded_io import FileError
from companion.cards import parse_cards
from companion.cli.main import main
from companion.errors import UnreadableError
from tests.vision.layouts import read_of
from vision import commands
from vision.misreads import is_worth_keeping, keep, kept
from vision.types import Reading, Reason

DOWN = np.array([0.0, 30.0])


def reading(names: str, doubtful: str = "") -> Reading:
    reads = [
        read_of(card, [(np.array([60.0 + 40 * k, 60.0]), DOWN)], confidence=0.99)
        for k, card in enumerate(parse_cards(f"{names} {doubtful}"))
    ]
    count = len(names.split())
    held = tuple(r.held_back(Reason.RIVAL, accept=0.85) for r in reads[count:])
    return Reading((800, 100), tuple(reads[:count]), held)


@pytest.fixture
def photo(tmp_path):
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), np.full((40, 60, 3), 90, np.uint8))
    return path


@pytest.mark.parametrize(
    ("read", "cards", "is_kept"),
    [
        (reading("8H 4D"), None, False),
        (reading("8H", "4D"), None, True),
        (replace(reading("8H"), looks_like="german"), None, True),
        (reading("8H 4D"), "4D 8H", False),
        (reading("8H", "4D"), "8H", False),
        (reading("8H"), "8H 4D", True),
        (reading("8H 4D 2C"), "8H 4D", True),
    ],
)
def test_a_photo_is_kept_that_is_misread_or_in_doubt_where_nobody_says(read, cards, is_kept):
    assert is_worth_keeping(read, None if cards is None else parse_cards(cards)) is is_kept


def test_what_is_kept_comes_back_and_is_its_owners_alone(tmp_path, photo):
    folder = tmp_path / "kept" / "here"
    first = keep(folder, photo, reading("8H", "4D"), deck="german", cards=parse_cards("8H JD"))
    second = keep(folder, photo, reading("8H", "4D"), deck="auto", cards=None)
    assert first != second
    assert first.read_bytes() == second.read_bytes() == photo.read_bytes()
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    known, unknown = sorted(kept(folder), key=lambda misread: misread.cards is None)
    assert (known.photo, known.deck) == (first, "german")
    assert [c.code for c in known.cards] == ["8H", "JD"]
    assert known.missed_and_wrong(reading("8H 4D")) == (["JD"], ["4D"])
    assert known.missed_and_wrong(reading("JD 8H")) == ([], [])
    assert unknown.missed_and_wrong(reading("8H")) == ([], [])
    assert unknown.missed_and_wrong(reading("8H 4D")) == ([], ["4D"])


@pytest.mark.parametrize(
    "note",
    [
        "{}",
        "[]",
        '{"photo": "../x.png", "deck": "auto", "cards": null, "read": []}',
        '{"photo": "x.png", "deck": "tarot", "cards": null, "read": []}',
        '{"photo": "x.png", "deck": "auto", "cards": ["??!"], "read": []}',
        '{"photo": "x.png", "deck": "auto", "cards": 7, "read": []}',
    ],
)
def test_a_damaged_note_is_named(tmp_path, note):
    (tmp_path / "x.json").write_text(note)
    with pytest.raises(FileError, match=r"x\.json is damaged"):
        list(kept(tmp_path))


def test_an_empty_folder_says_so(tmp_path):
    with pytest.raises(UnreadableError, match="no misread photo"):
        list(kept(tmp_path))


class Known:
    """A reader that reads the same in every photo."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def read(self, image: np.ndarray) -> Reading:
        return self._reading


def test_photos_are_read_again_and_told_of(tmp_path, photo, monkeypatch, capsys):
    folder = tmp_path / "kept"
    keep(folder, photo, reading("8H"), deck="auto", cards=parse_cards("8H 4D"))
    keep(folder, photo, reading("8H 4D", "2C"), deck="auto", cards=None)
    monkeypatch.setattr(commands, "make_reader", lambda deck: Known(reading("8H 4D")))
    assert commands.replay_misreads(folder) == 0
    first, second, total = capsys.readouterr().out.splitlines()
    assert {first.split(": ")[1], second.split(": ")[1]} == {"right", "read as when it was kept"}
    assert total == "2 of 2 as they should be"
    monkeypatch.setattr(commands, "make_reader", lambda deck: Known(reading("8H 3D")))
    assert commands.replay_misreads(folder, json_output=True) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {(tuple(x["missed"]), tuple(x["wrong"])) for x in lines} == {(("4D",), ("3D",))}
    assert sorted(line["known"] for line in lines) == [False, True]
    next(folder.glob("*.png")).unlink()
    assert commands.replay_misreads(folder) == 2
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "0 of 1 as they should be"
    assert len(err.splitlines()) == 1


def test_a_photo_is_kept_from_the_command_line(tmp_path, photo, monkeypatch, capsys):
    monkeypatch.setattr(commands, "make_reader", lambda deck: Known(reading("8H")))
    folder = tmp_path / "kept"
    assert main(["scan", str(photo), "--keep-misread", str(folder), "--cards", "8H"]) == 0
    assert not folder.exists()
    assert main(["scan", str(photo), "--keep-misread", str(folder), "--cards", "8H 4D"]) == 0
    assert "kept as" in capsys.readouterr().err
    (misread,) = kept(folder)
    assert [c.code for c in misread.cards] == ["8H", "4D"]


@pytest.mark.parametrize(
    "options",
    [
        ["--cards", "8H"],
        ["--explain", "--json"],
        ["--replay-misreads", "x"],
        ["--keep-misread", "x", "--cards", "8H", "second.png"],
        ["-", "--keep-misread", "x"],
    ],
)
def test_options_that_do_not_fit_together_are_refused(photo, capsys, options):
    assert main(["scan", str(photo), *options]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
