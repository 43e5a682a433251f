"""What was said and could not be checked is told; what was turned up is checked."""

import random

import pytest

from companion.core.audit import audit_view, unchecked, unchecked_in_view
from companion.core.events import public
from companion.core.guidance.generic import guidance_of
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.verb import REVEAL
from companion.simulate import play_events
from tests.companion.seating import fewest

ASKING = ("gotcha", "missing-persons", "deduction")


def played(name, *, trusted=False, seed=3):
    """A match to its end by bots."""
    game = get_game(name)
    names = fewest(game)
    whole = Referee(game, game.setup(names, trusted=trusted))
    bots = [game.bots["sensible"]] * len(names)
    for event in play_events(whole, bots, random.Random(seed)):
        whole.accept(event)
        if whole.state.table.match_over:
            break
    return whole


@pytest.mark.parametrize("name", ASKING)
def test_answers_about_hidden_cards_are_told(name):
    whole = played(name)
    told = unchecked_in_view(whole.game, whole.view(None))
    assert told, "nothing was turned up, so nobody has checked anything"
    assert all("could not be checked" in sentence for sentence in told)
    assert unchecked(whole) == (), "whoever knows all hands has checked all answers"


@pytest.mark.parametrize("name", ASKING)
def test_turning_up_checks_them(name):
    whole = played(name)
    game = whole.game
    steps = [s for s in guidance_of(game, whole.view(None)).steps if s.verb == REVEAL]
    wanted = game.unchecked(whole.view(None).state)
    assert [step.seat for step in steps] == [item.seat for item in wanted]
    for item in wanted:
        held = game.remaining(whole.state, item.seat)
        if item.one:
            held = (whole.state.person(item.seat)[0],)
        whole.accept(public(item.seat, REVEAL, held[0] if item.one else tuple(held)))
    assert unchecked_in_view(game, whole.view(None)) == ()
    assert audit_view(whole.view(None)) == (), "the bots told the truth"


@pytest.mark.parametrize("name", ASKING)
def test_the_referee_has_checked_whom_it_is_trusted_by(name):
    whole = played(name, trusted=True)
    assert unchecked_in_view(whole.game, whole.view(None)) == ()


@pytest.mark.parametrize("name", ["precognition", "suspense"])
def test_where_nothing_is_answered_nothing_is_open(name):
    whole = played(name)
    assert unchecked(whole) == ()
