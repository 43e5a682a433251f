"""Who starts, shorter games, and the turn clock, without a window."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.journal import SessionInfo
from companion.simulate import play_events
from mobile.model import people, seating, starting
from mobile.model.turn_clock import TurnClock
from tests.mobile.test_people import services_of

PRESETS = [(game, preset) for game in all_games() for preset in game.presets]


def ended(names, winners, scores, game="gotcha", over=True):
    points = dict(zip(names, scores, strict=True))
    return SessionInfo(1, game, tuple(names), 0, 0, 9, 1, over, tuple(winners), points, ())


@pytest.mark.parametrize(("game", "title"), [("hearts", "Who deals"), ("whist", "Who starts")])
def test_the_first_of_the_players_is_asked_for_by_what_falls_to_them(game, title):
    assert seating.option_title(get_game(game).options[0]) == title


def test_who_lost_last_is_of_the_same_people_and_game():
    sessions = [
        ended(["Ann", "Bo"], [], [0, 0], over=False),
        ended(["Ann", "Bo"], ["Bo"], [1, 2], game="suspense"),
        ended(["Ann", "Bo", "Cy"], ["Ann"], [3, 2, 1]),
        ended(["bo", "Ann"], ["Ann"], [1, 3]),
    ]
    assert starting.last_losers(sessions, "gotcha", ["Ann", "Bo"]) == ["Bo"]
    assert starting.last_losers(sessions, "gotcha", ["Cy", "Bo", "Ann"]) == ["Cy"]
    assert starting.last_losers(sessions, "suspense", ["Ann", "Bo"]) == ["Ann"]
    assert starting.last_losers(sessions, "suspense", ["Ann", "Cy"]) == []


def test_all_with_the_fewest_points_lost_last():
    sessions = [ended(["Ann", "Bo", "Cy"], ["Ann"], [3, 1, 1])]
    assert starting.last_losers(sessions, "gotcha", ["Ann", "Bo", "Cy"]) == ["Bo", "Cy"]


def test_a_draw_of_all_has_no_loser():
    sessions = [ended(["Ann", "Bo"], ["Ann", "Bo"], [1, 1])]
    assert starting.last_losers(sessions, "gotcha", ["Ann", "Bo"]) == []


@given(st.integers(), st.lists(st.sampled_from("ABCDE"), min_size=2, unique=True))
def test_a_lot_is_drawn_among_those_who_play(seed, names):
    assert starting.by_lot(names, random.Random(seed)) in names


def test_a_lot_can_fall_on_everybody():
    drawn = {starting.by_lot(["Ann", "Bo", "Cy"], random.Random(seed)) for seed in range(40)}
    assert drawn == {"Ann", "Bo", "Cy"}


def test_the_youngest_is_asked_for_once(tmp_path):
    services = services_of(tmp_path)
    services.meet(("Ann", "Bo"))
    services.keep_youngest(starting.with_youngest(services.youngest, ["Ann", "Bo"], "Bo"))
    known = services_of(tmp_path).youngest
    assert starting.youngest(known, ["Bo", "Ann"]) == "Bo"
    assert starting.youngest(known, ["Bo", "Ann", "Cy"]) == ""


def test_the_youngest_is_renamed_and_forgotten(tmp_path):
    services = services_of(tmp_path)
    services.meet(("Ann", "Bo"))
    services.keep_youngest(starting.with_youngest({}, ["Ann", "Bo"], "Bo"))
    services.rename_person("Bo", "Bob")
    assert starting.youngest(services_of(tmp_path).youngest, ["Ann", "Bob"]) == "Bob"
    services.forget_person("Bob")
    assert services_of(tmp_path).youngest == {}
    assert b"bob" not in (tmp_path / people.FILE).read_bytes().lower()


@pytest.mark.parametrize(
    ("game", "preset"), PRESETS, ids=[f"{game.name}: {preset.title}" for game, preset in PRESETS]
)
def test_a_shorter_game_can_be_played_to_its_end(game, preset):
    """For as few and as many players as it is said to be for."""
    most = min(preset.max_players, game.info.max_players)
    for count in {game.info.min_players, most}:
        names = [f"P{n}" for n in range(1, count + 1)]
        setup = game.setup(names, preset.options, cards=preset.cards)
        referee = Referee(game, setup)
        bots = [game.bots["sensible"]] * count
        for event in play_events(referee, bots, random.Random(1)):
            referee.accept(event)
            if referee.state.table.match_over:
                break
        assert referee.state.table.match_over


def test_there_are_shorter_games():
    assert {"precognition", "gotcha", "suspense"} <= {game.name for game, _ in PRESETS}


def test_the_clock_counts_down_and_stays_at_nothing():
    clock = TurnClock(60)
    assert clock.text(5) == ""  # nobody is waited for
    clock.follow("Ann", 10)
    assert clock.text(10) == "1:00"
    clock.follow("Ann", 30)
    assert clock.text(30.5) == "0:40"
    assert clock.text(69.9) == "0:01"
    assert clock.text(500) == "0:00"
    clock.follow("Bo", 500)
    assert clock.text(500) == "1:00"
    clock.follow(None, 510)
    assert clock.text(511) == ""


def test_no_clock_says_nothing():
    clock = TurnClock(0)
    clock.follow("Ann", 0)
    assert clock.text(3) == ""
