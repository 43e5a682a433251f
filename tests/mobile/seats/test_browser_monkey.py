"""A monkey at the pages of every game: a few touches; `make monkey` gives it two thousand."""

import os

import pytest

from tests.mobile.seats.browser import browser, needs_browser
from tests.mobile.seats.looks import MATCHES
from tests.mobile.seats.monkey import touched

pytestmark = [needs_browser(), pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("game", MATCHES)
def test_a_monkey_finds_nothing(game, tmp_path):
    touches, seed = (
        int(os.environ.get(name, n)) for name, n in (("MONKEY", 50), ("MONKEY_SEED", 1))
    )
    with browser() as running:
        assert touched(running, tmp_path, game, touches, seed) > 0
