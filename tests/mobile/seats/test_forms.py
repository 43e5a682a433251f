"""Forms of every game: each can be filled, and a filled one means the event it shows."""

import random
from types import SimpleNamespace

import pytest

from companion.cards import RANKS, Card
from companion.core import arguments
from companion.core.guidance.generic import guidance_of
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.errors import CompanionError
from companion.simulate import play_events
from mobile.seats import forms, pages
from mobile.seats.form_answers import event_of
from mobile.seats.language import language
from tests.companion.table_play import random_setup

EVENTS = 60
ENGLISH = language("en")


def moments(game, seed):
    """Referees on the way through a random session."""
    rng = random.Random(seed)
    setup = random_setup(game, rng)
    referee = Referee(game, setup)
    yield referee
    bots = [game.bots["random"]] * len(setup.players)
    for count, event in enumerate(play_events(referee, bots, rng)):
        referee.submit(event)
        yield referee
        if count > EVENTS or referee.state.table.over:
            return


def filled(game, setup, step):
    """What a page sends for the example of a step, None where it holds what cannot be chosen."""
    sent = []
    for need, place in zip(step.needs, arguments.positions_of(game, step), strict=True):
        value, part = step.event.args[place], arguments.parts_of(game, step)[place]
        if not need.candidates:
            sent.append(part.write(value, setup).strip('"'))
            continue
        values = value if isinstance(value, tuple) else (value,)
        if any(one not in need.candidates for one in values):
            assert isinstance(values[0], Card)  # an unknown one, or one of another need
            return None
        sent.append([need.candidates.index(one) for one in values])
    return sent


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_a_filled_form_means_the_event_it_shows(game):
    tried = 0
    for seed in range(2):
        for referee in moments(game, seed):
            for viewer in (None, 0):
                view = referee.view(viewer)
                guidance = guidance_of(game, view)
                for number, step in enumerate(guidance.steps):
                    shown = forms.form(game, view, step, number, ENGLISH)
                    assert len(shown.fields) == len(step.needs)
                    for field in shown.fields:
                        assert field.rows or field.kind == "text", (step.title, field)
                    sent = filled(game, referee.setup, step)
                    if sent is None:
                        continue
                    found, event = event_of(game, referee.setup, guidance, number, sent)
                    assert found is step
                    assert event == step.event, (step.title, sent)
                    tried += 1
    assert tried > 50


@pytest.mark.parametrize(
    "values",
    [None, [], [[0]], [[0], [0], [0, 1]], [[0], [0], [99]], [[0], [0], [-1]], ["x", [0], [0]],
     [[0], [0], [True]], [[0], [0], []], {"0": 1}, [[0.0], [0], [0]]],
)  # fmt: skip
def test_what_is_no_filled_form_is_refused_in_words(values):
    game = next(game for game in all_games() if game.name == "gotcha")
    referee = Referee(game, game.setup(["Ann", "Bo"]))
    guidance = guidance_of(game, referee.view(0))
    assert len(guidance.steps[0].needs) == 3
    with pytest.raises(CompanionError):
        event_of(game, referee.setup, guidance, 0, values)


@pytest.mark.parametrize("number", [-1, 99, "0", None, True, 0.0])
def test_only_steps_that_are_offered_are_taken(number):
    game = next(game for game in all_games() if game.name == "gotcha")
    referee = Referee(game, game.setup(["Ann", "Bo"]))
    guidance = guidance_of(game, referee.view(0))
    with pytest.raises(CompanionError):
        event_of(game, referee.setup, guidance, number, [[0], [0], [0]])


def test_letters_become_keys():
    game = next(game for game in all_games() if game.name == "precognition")
    referee = Referee(game, game.setup(["Ann", "Bo"]))
    view = referee.view(0)
    step = guidance_of(game, view).steps[0]
    (field,) = forms.form(game, view, step, 0, ENGLISH).fields
    assert [letter for letter, _ in field.keys] == ["U", "D", "S"]


def test_what_others_do_says_whose_it_is():
    game = get_game("spades")
    referee = Referee(game, game.setup(["Ann", "Bo", "Cy", "Dee"], {"starter": "Ann"}))
    table = SimpleNamespace(consents=None, undo="", redo="", undo_own="")
    for seat in (1, None):
        view = referee.view(seat)
        moment = SimpleNamespace(view=view, guidance=guidance_of(game, view), **vars(table))
        groups = dict(pages.page(game, moment, ENGLISH).more)
        if seat is None:
            assert "What the others do" not in groups
        else:
            assert [one.title for one in groups["What the others do"]] == ["Ann: Bid"]


def test_only_a_hand_is_kept_secret():
    game = get_game("hearts")
    referee = Referee(game, game.setup(["Ann", "Bo", "Cy", "Dee"], {"starter": "Ann"}))
    found = {}
    for _ in range(2):
        view = referee.view(0)
        for number, step in enumerate(guidance_of(game, view).steps):
            shown = forms.form(game, view, step, number, ENGLISH)
            found[step.verb] = shown.keeps
        if not view.events:
            hand = " ".join(f"{rank}C" for rank in RANKS)
            referee.submit(referee.parse_typed(f"Ann*: hand {hand}"))
    assert found["hand"] == 13
    assert found["pass"] == 0
