"""Where a card of a row must stand: true members are told from what lies between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.layouts import DECK, read_of
from vision.rows.row_places import RowPlaces

STEP, HEIGHT = 45.0, 30.0


def member(k: int, *, x: float = 0.0, y: float = 0.0, size: float = HEIGHT, turn: float = 0.0):
    """The read at place ``k`` of a level row, or so far from there, in pixels and degrees."""
    angle = np.deg2rad(turn)
    down = size * np.array([-np.sin(angle), np.cos(angle)])
    return read_of(DECK[k], [(np.array([100 + STEP * k + x, 200 + y]), down)])


def row(strange, count=8):
    """A row with something strange instead of its fifth card, and of which reads we are sure."""
    reads = [member(k) for k in range(count)]
    reads[4] = strange
    return RowPlaces(reads), np.arange(count) != 4


@pytest.mark.parametrize("off", [{}, {"x": 6.0}, {"y": 12.0}, {"turn": 15.0}, {"size": 26.0}])
def test_what_stands_like_its_neighbours_stands_in(off):
    places, sure = row(member(4, **off))
    assert places.stand_in(sure).all()


@pytest.mark.parametrize(
    "off",
    [
        {"y": 40.0},
        {"size": 12.0},
        {"size": 60.0},
        {"turn": 90.0},
        {"x": -STEP + 8, "y": 5.0},
    ],
    ids=["below", "small", "large", "lying", "upon another"],
)
def test_a_pip_or_a_part_of_another_index_does_not(off):
    places, sure = row(member(4, **off))
    stands = places.stand_in(sure)
    assert not stands[4]
    assert stands[[k for k in range(8) if k != 4]].all()


def test_in_a_deck_with_four_indices_a_far_one_may_be_the_right_hand_corner():
    places, sure = row(member(4))
    assert places.stand_in(sure, four=True)[4]
    wide = [member(2 * k) for k in range(5)]
    sure = np.arange(5) != 2
    assert RowPlaces(wide).stand_in(sure, four=True)[2], "no corner of a card of another rank"
    wide[2] = replace(wide[2], alternatives=((wide[1].card, 0.02),))
    assert not RowPlaces(wide).stand_in(sure, four=True)[2]
    assert RowPlaces(wide).stand_in(sure)[2]


def test_what_stands_nearer_than_a_card_is_wide_is_no_right_hand_corner_of_the_one_before():
    near = [member(2 * k) for k in range(5)]  # three heights apart
    near[2] = replace(near[2], alternatives=((near[1].card, 0.02),))
    wide = [member(12 + k, y=300.0 * (k + 1)) for k in range(3)]
    for k, read in enumerate(wide):
        upper = replace(read.indices[0], centre=(500.0, read.indices[0].centre[1]))
        lead = replace(upper, centre=(500.0 - 4.5 * HEIGHT, upper.centre[1]))
        wide[k] = replace(read, indices=(lead, upper))
    sure = np.arange(8) != 2
    assert RowPlaces([*near, *wide]).stand_in(sure, four=True)[2]
    assert not RowPlaces([*near, *wide[:2]]).stand_in(sure[:7], four=True)[2]


def test_in_a_deck_with_four_indices_the_first_of_a_line_is_no_right_hand_corner():
    reads = [member(k) for k in range(6)]
    first, last = np.arange(6) != 0, np.arange(6) != 5
    assert RowPlaces(reads).stand_in(first, four=True)[0]
    assert not RowPlaces(reads).stand_in(last, four=True)[5]


def test_a_card_is_wanting_where_two_lie_two_steps_apart():
    places, sure = row(member(4, x=4.0))
    assert places.fill_gaps(sure).tolist() == [k == 4 for k in range(8)]
    between = RowPlaces([*(member(k) for k in range(8)), member(3, x=STEP / 2)])
    assert not between.fill_gaps(np.arange(9) < 8).any()
    assert not RowPlaces([member(k) for k in range(3)]).fill_gaps(np.arange(3) != 1).any()


def test_a_lower_corner_of_a_card_that_is_read_puts_no_other_card_beside_it():
    """A card of four indices of which the lower ones read as another one."""
    foot = np.array([0.0, 4.5 * HEIGHT])
    down = np.array([0.0, HEIGHT])
    cards = [
        read_of(DECK[k], [(at, down), (at + foot, -down)])
        for k in range(8)
        for at in [np.array([100 + STEP * k, 200.0])]
    ]
    for off, stands in ((0.8, False), (1.5, True)):
        place = np.array([100 + STEP * 7 + off * HEIGHT, 200.0])
        reads = [*cards, read_of(DECK[20], [(place + foot, -down)])]
        assert RowPlaces(reads).turned[8]
        assert RowPlaces(reads).stand_in(np.arange(9) < 8)[8] == stands


def test_what_lies_far_below_a_row_makes_a_line_of_its_own():
    places, _ = row(member(4, y=5 * STEP))
    assert places.alone.tolist() == [k == 4 for k in range(8)]


def test_nothing_read_stands_nowhere():
    places = RowPlaces([])
    assert list(places.lines) == []
    assert places.alone.shape == places.fill_gaps(np.zeros(0, bool)).shape == (0,)
    assert places.stand_in(np.zeros(0, bool)).shape == (0,)


def test_what_stands_closer_than_an_index_is_wide_stands_in_only_where_the_row_is_as_close():
    """A court's pip half a step behind its index, 0.6 index heights away."""
    close = {"x": -STEP + 18}
    places, sure = row(member(4, **close))
    assert not places.stand_in(sure)[4]
    tight = [member(0, x=18.0 * k) for k in range(8)]
    assert RowPlaces(tight).stand_in(np.arange(8) != 4).all()


def test_what_lies_far_from_a_row_lies_apart_and_its_last_card_behind_a_small_gap_does_not():
    places, sure = row(member(4, y=4 * STEP))
    assert places.apart(sure).tolist() == [k == 4 for k in range(8)]
    places, sure = row(member(9))
    assert not places.apart(sure).any()
    loose = RowPlaces([member(4 * k) for k in range(8)])
    assert not loose.apart(np.arange(8) != 3).any()
    few = RowPlaces([member(0), member(9)])
    assert not few.apart(np.array([True, False])).any()


def test_what_lies_behind_a_doubtful_card_of_the_row_does_not_lie_apart():
    """Steps of 3, and of 6 where the card between is doubtful."""
    places = RowPlaces([member(k) for k in (0, 1, 2, 3, 4, 5, 8, 10)])
    assert places.apart(np.arange(8) < 6).tolist() == [False] * 6 + [True, True]
    places = RowPlaces([member(k) for k in (0, 1, 2, 3, 4, 5, 7, 9)])
    assert not places.apart(np.arange(8) < 6).any()


def test_what_lies_across_the_row_is_told_from_what_stands_on_its_head():
    places, sure = row(member(4, turn=80.0))
    assert places.lie_across(sure).tolist() == [k == 4 for k in range(8)]
    for turn in (0.0, 25.0, 175.0):
        places, sure = row(member(4, turn=turn))
        assert not places.lie_across(sure).any()
    assert not RowPlaces([member(0), member(1, turn=90.0)]).lie_across(np.ones(2, bool)).any()


def test_a_lone_index_beyond_the_last_cards_face_lies_beyond_and_one_in_a_gap_does_not():
    every = np.ones(8, bool)
    reads = [member(k) for k in range(8)]
    assert not RowPlaces(reads).beyond(every).any()
    assert RowPlaces([*reads[:7], member(8)]).beyond(every).tolist() == [False] * 7 + [True]
    assert RowPlaces([member(-2), *reads[1:]]).beyond(every).tolist() == [True] + [False] * 7
    gap = [member(k) for k in (0, 1, 2, 3, 5, 6, 7, 8)]
    assert not RowPlaces(gap).beyond(every).any()
    assert not RowPlaces([member(0), member(4)]).beyond(np.ones(2, bool)).any()
