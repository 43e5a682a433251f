"""Days as people say them."""

import time

import pytest

from mobile.model.days import said_day, said_evening

NOW = time.mktime((2026, 11, 27, 22, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ((2026, 11, 27, 9, 5), "today, 9:05"),
        ((2026, 11, 26, 21, 15), "yesterday, 21:15"),
        ((2026, 11, 24, 20, 0), "Tuesday, 20:00"),
        ((2026, 11, 20, 20, 0), "20 November"),
        ((2025, 12, 31, 23, 59), "31 December 2025"),
        ((2026, 11, 28, 9, 0), "28 November"),  # the clock was set back
    ],
)
def test_a_day_is_said(then, said):
    assert said_day(time.mktime((*then, 0, 0, 0, -1)), NOW) == said


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ((2026, 11, 27, 9, 5), "Today"),
        ((2026, 11, 27, 2, 0), "Yesterday"),  # it began before midnight
        ((2026, 11, 24, 20, 0), "Tuesday"),
        ((2026, 11, 20, 20, 0), "20 November"),
        ((2025, 12, 31, 23, 59), "31 December 2025"),
    ],
)
def test_an_evening_is_a_heading(then, said):
    assert said_evening(time.mktime((*then, 0, 0, 0, -1)), NOW) == said


def test_a_day_in_german(german):
    then = time.mktime((2026, 11, 20, 20, 0, 0, 0, 0, -1))
    assert said_day(then, NOW) == "20. November"
