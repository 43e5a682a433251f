"""Names on the camera's picture: each can be read, however close the cards lie."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobile.model.labels import WHOLE_FRAME, free_box, window_round

AREA = (10.0, 20.0, 170.0, 180.0)
PLACES = st.tuples(st.floats(0, 200), st.floats(0, 200), st.floats(1, 40), st.floats(1, 60))


@given(st.lists(PLACES, max_size=20))
def test_no_name_lies_over_another_or_beyond_the_picture(things):
    taken = []
    for left, bottom, width, height in things:
        thing = left, bottom, left + width, bottom + height
        box = free_box(thing, (38.0, 15.0), AREA, taken)
        if box is not None:
            taken.append(box)
            assert AREA[0] <= box[0] <= box[2] <= AREA[2] + 1e-9
            assert AREA[1] <= box[1] <= box[3] <= AREA[3] + 1e-9
    for one, other in combinations(taken, 2):
        beside = one[2] <= other[0] + 1e-9 or other[2] <= one[0] + 1e-9
        assert beside or one[3] <= other[1] + 1e-9 or other[3] <= one[1] + 1e-9


def test_a_row_of_twelve_in_a_small_picture_is_named_whole():
    taken = []
    for number in range(12):
        left = 20.0 + 11 * number
        box = free_box((left, 90.0, left + 30, 130.0), (38.0, 15.0), AREA, taken)
        assert box is not None
        taken.append(box)


def test_a_name_stands_right_above_its_card_where_nothing_hinders():
    assert free_box((50.0, 60.0, 80.0, 100.0), (38.0, 15.0), AREA, ()) == (50, 100, 88, 115)


SHARES = st.floats(0, 1)


@given(SHARES, SHARES, SHARES, SHARES, st.floats(0.3, 1), st.booleans())
def test_what_is_read_is_shown_and_nothing_beyond_the_frame(a, b, c, d, share, is_wide):
    left, right, top, bottom = *sorted((a, b)), *sorted((c, d))
    most = (1.0, share) if is_wide else (share, 1.0)
    shown = window_round((left, top, right, bottom), most)
    x, y, width, height = shown
    beyond = left - x, x + width - right, top - y, y + height - bottom
    assert min(beyond) >= -1e-9
    assert min(x, y, 1 - x - width, 1 - y - height) >= -1e-9
    assert shown == WHOLE_FRAME or width / height == pytest.approx(most[0] / most[1])
