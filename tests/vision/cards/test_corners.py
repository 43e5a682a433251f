"""How the indices of one card lie to each other."""

import numpy as np
import pytest

from vision.cards.corners import apart, are_opposite_ends, parted
from vision.indices.locate import Candidates
from vision.types import IndexRead

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


def test_what_lies_between_is_measured_in_the_index_own_frame():
    found = row_of(3)
    assert apart(found, 2, 3) == pytest.approx((ACROSS, ALONG), abs=1e-4)
    assert apart(found, 3, 2) == pytest.approx((ACROSS, ALONG), abs=1e-4)


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


@pytest.mark.parametrize(
    ("x", "y", "way", "size", "is_so"),
    [
        (137, 150, (0.0, -1.0), 30, True),
        (50, 170, (0.0, -1.0), 30, True),
        (150, 50, (0.0, 1.0), 30, False),  # another upper corner
        (137, 150, (1.0, 0.0), 30, False),  # a card that lies across
        (137, 150, (0.0, -1.0), 80, False),  # a card much nearer
        (600, 700, (0.0, -1.0), 30, False),
    ],
)
def test_which_indices_can_be_at_the_two_ends_of_a_card(x, y, way, size, is_so):
    none = np.zeros(0, np.float32)
    first = IndexRead((50.0, 50.0), (0.0, 1.0), 30.0, none, none, 0.9)
    second = IndexRead((float(x), float(y)), way, float(size), none, none, 0.9)
    assert are_opposite_ends(first, second) is is_so
    assert are_opposite_ends(second, first) is is_so
