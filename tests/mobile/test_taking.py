"""Teaching a deck and measuring a lens, picture by picture, without a window."""

import json

import numpy as np
import pytest

from calibration.embed import Embedder
from calibration.enrolment import load
from mobile.model.enrolling import LensTaking, Stillness, Teaching, taught
from mobile.resources import texts
from tests.calibration.camera import see, table_of_cards
from tests.calibration.test_enrolment import photo
from tests.calibration.test_lens import SPREAD

BARE = np.full((720, 960, 3), (70, 110, 60), np.uint8)


@pytest.fixture(scope="module")
def embedder():
    return Embedder(threads=1)


def lie(taking, image, frames=6):
    """A hand lays something, and it lies for a while."""
    taking.read_frame(BARE)
    readings = [taking.read_frame(image) for _ in range(frames)]
    return readings[-1]


def test_only_what_has_moved_and_lies_still_is_taken():
    still = Stillness()
    picture = photo("suspense", "W1", 1)
    assert not any(still.add(picture) for _ in range(4))
    assert still.add(picture)
    still.taken()
    assert not any(still.add(picture) for _ in range(9))
    still.add(BARE)
    assert not any(still.add(picture) for _ in range(4))
    assert still.add(picture)


def test_a_deck_is_taught_piece_by_piece(tmp_path, embedder):
    taking = Teaching("suspense", tmp_path, embedder)
    assert taking.face.code == "W1"
    assert taking.lead.startswith("1 of 26: lay down white 1")
    lie(taking, BARE)
    assert taking.status == texts.TEACH_NOTHING
    reading = lie(taking, photo("suspense", "W1", 1))
    assert [read.card.code for read in reading.cards] == ["W1"]
    assert taking.lead.startswith("2 of 26: white 1 once more")
    assert not taking.can_finish
    lie(taking, photo("suspense", "W1", 2))
    assert taking.face.code == "W2"
    # The wrong piece: it lies there already, and is said to look like it.
    lie(taking, photo("suspense", "W1", 3))
    assert taking.status == texts.TEACH_ALIKE.format(a="W2", b="W1")
    assert taking.can_insist
    assert taking.face.code == "W2"
    for seed in (4, 5):
        lie(taking, photo("suspense", "W2", seed))
    assert taking.face.code == "W3"
    assert taking.undo()
    assert taking.face.code == "W2"
    taking.insist()
    assert taking.face.code == "W2", "nothing is held back any more"
    lie(taking, photo("suspense", "W2", 6))
    for _ in range(11):
        taking.skip()
    assert taking.face is None
    assert taking.lead == texts.TEACH_ALL
    taking.finish()
    assert taking.result.splitlines() == [
        "Kept: 2 of 13 pieces. They are known from now on.",
        "4 of 4 pictures are named correctly by the others.",
    ]
    assert taught(tmp_path, "suspense") == 2
    assert load(tmp_path / "suspense.json").labels == ("W1", "W1", "W2", "W2")
    assert taught(tmp_path, "piecepack-tiles") == 0


def test_what_looks_alike_can_be_taken_all_the_same(tmp_path, embedder):
    taking = Teaching("suspense", tmp_path, embedder, views=1)
    lie(taking, photo("suspense", "B3", 7))
    lie(taking, photo("suspense", "B3", 8))
    assert taking.can_insist
    taking.insist()
    assert taking.face.code == "W3"
    taking.finish()
    assert "W1 and W2 look too alike" in taking.result


def test_several_pieces_and_a_moving_one_are_not_taken(tmp_path, embedder):
    taking = Teaching("suspense", tmp_path, embedder)
    lie(taking, see(table_of_cards(SPREAD, (460, 320)), 3, (0.1, 0.1, 0.0), 520))
    assert taking.status == texts.TEACH_SEVERAL
    for seed in range(10, 16):
        taking.read_frame(photo("suspense", "W1", seed))
    assert taking.status == texts.TEACH_STILL
    assert not taking.undo()


@pytest.mark.slow
def test_the_lens_is_measured_from_cards(tmp_path):
    taking = LensTaking(tmp_path / "lens.json")
    turns = [(0.6, 0.1, 0.0), (-0.55, 0.15, 0.3), (0.1, 0.6, -0.2)]
    for turn in (*turns, (0.2, -0.5, 0.1)):
        assert taking.can_finish == (turn == (0.2, -0.5, 0.1))
        lie(taking, see(table_of_cards(SPREAD, (460, 320)), 3, turn, 520))
        assert taking.status == texts.LENS_TAKEN
    assert taking.undo()
    assert "3 pictures" in taking.lead
    taking.finish()
    assert taking.result.startswith("The lens is known")
    assert json.loads((tmp_path / "lens.json").read_text())["source"] == "cards"
