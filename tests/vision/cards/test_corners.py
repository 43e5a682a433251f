"""How the indices of one card lie to each other."""

import numpy as np
import pytest

from tests.vision.layouts import candidates
from vision.cards.corners import apart, parted

SIZE, ACROSS, ALONG = 30.0, 2.6, 4.2


def test_what_lies_between_is_measured_in_the_index_own_frame():
    """The leading and the far index of a card that lies a little turned."""
    c, s = np.cos(0.3), np.sin(0.3)
    x, y = 400 + (c * ACROSS - s * ALONG) * SIZE, 300 + (s * ACROSS + c * ALONG) * SIZE
    turn = float(np.degrees(0.3))
    found = candidates((400, 300, SIZE, turn), (x, y, SIZE, 180 + turn))
    assert apart(found, 0, 1) == pytest.approx((ACROSS, ALONG), abs=1e-4)
    assert apart(found, 1, 0) == pytest.approx((ACROSS, ALONG), abs=1e-4)


def pairs_of(widths):
    """Upper corners of cards of so many index heights' width, the i-th card's are 2i and 2i + 1."""
    pairs = [(300, 300 + width * SIZE) for width in widths]
    return candidates(
        *(
            (x, 200 + 150 * k + 4 * end, SIZE)
            for k, xs in enumerate(pairs)
            for end, x in enumerate(xs)
        )
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
