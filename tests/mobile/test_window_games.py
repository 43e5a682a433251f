"""Every game in a real offscreen window: played by touches, by a monkey, and before the camera."""

import pytest

from tests.mobile.offscreen import run

GAMES = ("precognition", "gotcha", "missing_persons", "deduction", "suspense")
#: The family: one that passes and one that bids.
TRICKS = ("hearts", "oh_hell")
#: Partners play the same, with few cards.
PARTNERS = ("spades", "whist")
#: Played in `make test`; the others, which take longer or do the same, in `make test-slow`.
QUICK = ("precognition", "missing_persons", "suspense", "hearts")


def _slow(*names):
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


ALL = (*GAMES, *TRICKS, *PARTNERS)
PLAYED = [*QUICK, *_slow(*(name for name in ALL if name not in QUICK))]


@pytest.mark.ui
@pytest.mark.parametrize("game", PLAYED)
def test_a_match_is_played_to_its_end(game, tmp_path):
    run(f"plays_{game}", "scenes", tmp_path)


@pytest.mark.ui
@pytest.mark.parametrize("game", _slow(*GAMES, *TRICKS))
def test_a_monkey_finds_nothing(game, tmp_path):
    run(f"monkey_{game}", "scenes", tmp_path)


@pytest.mark.ui
@pytest.mark.parametrize("game", _slow(*GAMES))
def test_a_filmed_match_is_recorded(game, tmp_path):
    run(f"films_{game}", "live_scenes", tmp_path)
