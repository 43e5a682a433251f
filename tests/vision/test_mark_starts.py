"""Where cards are laid about marks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.test_search_again import candidates
from vision.mark_starts import starts_about_marks
from vision.outline_guesses import Taken

SIZE = (800, 600)
READ = np.array([[40.0, 40.0], [103.0, 40.0], [103.0, 128.0], [40.0, 128.0]])
NOTHING = np.zeros((0, 2))


def laid(*marks, cards=(READ,), taken=None, upon=0):
    taken = taken or Taken([READ], NOTHING, SIZE)
    return starts_about_marks(candidates(*marks), cards, taken, upon=upon)


def test_cards_of_the_usual_size_are_laid_about_a_mark():
    quads = laid((400, 300, 12))
    assert len(quads) == 5
    wide = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    high = np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1)
    assert wide == pytest.approx(np.full(5, 63.0))
    assert high == pytest.approx(np.full(5, 88.0))
    # First as if the mark were its upper left index, then with the mark in its middle.
    assert quads[0, 0] == pytest.approx([400 - 0.12 * 63, 300 - 0.14 * 88])
    assert quads[1:].mean(axis=1) == pytest.approx(np.tile([400.0, 300.0], (4, 1)))
    turns = np.degrees(np.arctan2(*(quads[1:, 1] - quads[1:, 0]).T[::-1]))
    assert sorted(turns.round()) == [0, 45, 90, 135]


def test_marks_on_cards_that_were_read_are_left_alone():
    assert len(laid((70, 90, 12))) == 0
    assert len(laid((70, 90, 12), (400, 300, 12))) == 5


def test_no_card_is_laid_over_another_or_beyond_the_picture():
    assert len(laid((790, 300, 12))) == 0
    own = np.array([[400.0, 300.0]])
    assert len(laid((400, 300, 12), taken=Taken([READ], own, SIZE))) == 0
    # Nor where the other's index would be its own; in its middle one may be.
    assert len(laid((400, 300, 12), taken=Taken([READ], own, SIZE), upon=1)) == 4


def test_of_many_marks_the_hottest_are_looked_at_and_all_of_them_once_first():
    quads = laid(*((150 + 120 * (k % 5), 200 + 120 * (k // 5), 12) for k in range(15)))
    assert len(quads) == 8
    first = quads[:3, 0] + [0.12 * 63, 0.14 * 88]
    assert len({tuple(corner) for corner in first.round().tolist()}) == 3


def test_without_marks_none_is_laid():
    assert laid().shape == (0, 4, 2)
