"""Indices joined by their place alone."""

import numpy as np
import pytest

from vision.card_geometry import apart
from vision.corners import joined_by_place, parted
from vision.locate import Candidates

SIZE, ACROSS, ALONG = 30.0, 2.6, 4.2


def row_of(cards, *, step=1.2, turn=0.3):
    """Leading and far indices of a row's cards, turned; the i-th card's are 2i and 2i + 1."""
    down = np.array([-np.sin(turn), np.cos(turn)])
    right = np.array([down[1], -down[0]])
    at = [np.array([400.0, 300.0]) + right * step * SIZE * k for k in range(cards)]
    far = [p + right * ACROSS * SIZE + down * ALONG * SIZE for p in at]
    centre = np.array([c for pair in zip(at, far, strict=True) for c in pair], np.float32)
    direction = np.array([d for _ in at for d in (down, -down)], np.float32)
    count = len(centre)
    return Candidates(
        centre, direction, np.full(count, SIZE, np.float32), np.ones(count, np.float32)
    )


def unlike(_i, _j):
    return False


def test_what_lies_between_is_measured_in_the_index_own_frame():
    found = row_of(3)
    assert apart(found, 2, 3) == pytest.approx((ACROSS, ALONG), abs=1e-4)
    assert apart(found, 3, 2) == pytest.approx((ACROSS, ALONG), abs=1e-4)


def test_far_corners_join_their_own_cards_only():
    found = row_of(6)
    groups = [[0, 1], *([k] for k in range(2, 12))]
    joined = joined_by_place(groups, found, unlike, four=False)
    assert sorted(map(sorted, joined)) == [[2 * k, 2 * k + 1] for k in range(6)]


def test_without_a_card_that_shows_both_ends_nothing_is_joined():
    found = row_of(4)
    groups = [[k] for k in range(8)]
    assert joined_by_place(groups, found, unlike, four=False) == groups


@pytest.mark.parametrize(
    ("off", "alike", "count"), [(0.6, False, 3), (0.5, True, 2), (1.0, True, 3)]
)
def test_a_card_that_lies_elsewhere_stays_apart(off, alike, count):
    found = row_of(2)
    across = np.array([found.direction[2][1], -found.direction[2][0]])
    found.centre[3] += across * off * SIZE
    joined = joined_by_place([[0, 1], [2], [3]], found, lambda _i, _j: alike, four=False)
    assert len(joined) == count


def test_two_misread_ends_of_one_card_join_the_surest():
    found = row_of(2)
    twice = Candidates(
        np.concatenate([found.centre, found.centre[3:] + 6]),
        np.concatenate([found.direction, found.direction[3:]]),
        np.concatenate([found.size, found.size[3:]]),
        np.concatenate([found.heat, found.heat[3:]]),
    )
    joined = joined_by_place([[0, 1], [2], [3], [4]], twice, unlike, four=False)
    assert joined == [[0, 1], [2, 3, 4]]


def test_edge_of_a_four_index_card():
    found = row_of(3)
    for k in (1, 3, 5):
        found.centre[k] = found.centre[k - 1] + found.direction[k - 1] * ALONG * SIZE
    groups = [[0, 1], [2], [3], [4], [5]]
    assert joined_by_place(groups, found, unlike, four=True) == [[0, 1], [2, 3], [4, 5]]
    assert joined_by_place(groups, found, unlike, four=False) == groups


def pairs_of(widths):
    """Upper corners of cards of so many index heights' width, the i-th card's are 2i and 2i + 1."""
    lefts = [np.array([300.0, 200.0 + 150 * k]) for k in range(len(widths))]
    rights = [
        left + np.array([width * SIZE, 4.0]) for left, width in zip(lefts, widths, strict=True)
    ]
    centre = np.array([c for pair in zip(lefts, rights, strict=True) for c in pair], np.float32)
    down, count = np.float32([0, 1]), len(centre)
    return Candidates(
        centre, np.tile(down, (count, 1)), np.full(count, SIZE, np.float32), np.ones(count)
    )


@pytest.mark.parametrize(("width", "is_one"), [(2.4, False), (2.9, True), (3.4, True)])
def test_two_that_stand_nearer_than_the_upper_corners_of_a_card_are_two_cards(width, is_one):
    groups = [[0, 1], [2, 3], [5, 4], [6, 7]]
    found = pairs_of([3.2, 3.4, width, 3.3])
    two = [[0, 1], [2, 3], [5], [4], [6, 7]]
    assert parted(groups, found) == (groups if is_one else two)


def test_of_few_cards_the_width_is_not_known():
    groups = [[0, 1], [2, 3], [4, 5]]
    assert parted(groups, pairs_of([3.2, 3.4, 2.4])) == groups


def test_the_lower_corners_stay_with_the_surer_of_the_two():
    found = pairs_of([3.2, 3.4, 2.4, 3.3, 3.2])
    found.direction[8] = -found.direction[8]
    groups = [[0, 1], [2, 3], [4, 8, 5], [6, 7]]
    assert parted(groups, found) == [[0, 1], [2, 3], [4, 8], [5], [6, 7]]
