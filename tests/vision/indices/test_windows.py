from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.indices.windows import whole, windows_around

Trace = tuple[float, float, float]
traces = st.lists(
    st.tuples(st.floats(-0.02, 1.02), st.floats(-0.02, 1.02), st.floats(9, 120)),
    min_size=1,
    max_size=30,
)


def placed(found: list[Trace], width: int, height: int) -> list[Trace]:
    """Traces whose places were given in widths and heights of the picture."""
    return [(x * width, y * height, size) for x, y, size in found]


def windows_of(found: list[Trace], width: int, height: int) -> list[tuple[int, int, int, int]]:
    array = np.array(found, np.float32).reshape(-1, 3)
    return windows_around(array[:, :2], array[:, 2], width, height)


@given(traces, st.integers(161, 1300), st.integers(121, 1000))
def test_every_trace_has_its_surroundings_in_one_window(found, width, height):
    found = placed(found, width, height)
    windows = windows_of(found, width, height)
    # A trace may lie a little outside, as an index that the picture's edge cuts does.
    for x, y, size in found:
        assert any(
            left <= max(x - size, 0)
            and top <= max(y - size, 0)
            and right >= min(x + size, width)
            and bottom >= min(y + size, height)
            for left, top, right, bottom in windows
        )


@given(traces, st.integers(161, 1300), st.integers(121, 1000))
def test_windows_lie_in_the_picture_and_apart(found, width, height):
    windows = windows_of(placed(found, width, height), width, height)
    for left, top, right, bottom in windows:
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
        assert left % 32 == top % 32 == 0
        assert right % 32 == 0 or right == width
        assert bottom % 32 == 0 or bottom == height
    for a, b in itertools.combinations(windows, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_no_trace_needs_no_window():
    assert windows_of([], 640, 480) == []


def test_traces_all_over_need_the_whole_picture():
    found = [(float(x), float(y), 40.0) for x in range(0, 640, 80) for y in range(0, 480, 80)]
    assert windows_of(found, 640, 480) == whole(640, 480)


def test_what_lies_apart_is_searched_apart():
    assert windows_of([(100, 100, 20), (500, 400, 20)], 640, 480) == [
        (64, 64, 160, 160),
        (448, 352, 544, 448),
    ]
