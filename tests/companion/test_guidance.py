"""Guidance at every step of play: it always says something, its first line may be typed, and it
tells nobody's secrets."""

import random
import re
from itertools import islice

import pytest

from companion.core import registry
from companion.core.guidance.generic import guidance_of
from companion.core.guidance.steps import tell
from companion.core.referee import Referee
from companion.simulate import play_events
from tests.companion.hidden import knows, scramble
from tests.companion.table_play import random_setup
from tests.companion.test_outside_game import OUTSIDE

NAMES = [*(game.name for game in registry.all_games()), "high-card"]
#: Tables played at random for each game.
TABLES = 3
#: At most so many moments of each.
MOST = 120
#: What stands in a line of a match, and never in a title or a headline.
NOTATION = re.compile(
    r"\*:|\?\?|\bJK\d?\b|\b(?:[AJQK]|10|[2-9])[SHDCM]\b|\b[WB][1-6]\b|\b0[SMCH]\b"
    r"|\b1 (?:cards|tiles|points)\b|_|\bNAME\b|\bCARDS?\b"
)


@pytest.fixture(params=NAMES)
def game(request, monkeypatch):
    if request.param != "high-card":
        yield registry.get_game(request.param)
        return
    monkeypatch.syspath_prepend(str(OUTSIDE))
    monkeypatch.setattr(registry, "_loaded", False)
    yield registry.get_game("high-card")
    registry.unregister("high-card")


def tables(game, count=TABLES):
    """So many tables with random settings, each with its source of chance."""
    for seed in range(count):
        rng = random.Random(f"{game.name}/{seed}")
        yield random_setup(game, rng), rng


def moments(game, setup, rng, *, matches=2):
    """A referee at every step of random play, of so many matches."""
    referee = Referee(game, setup)
    bots = [game.bots["random"]] * len(setup.players)
    yield referee
    while referee.state.table.match <= matches:
        for event in play_events(referee, bots, rng):
            referee.accept(event)
            yield referee
            if referee.state.table.match > matches:
                return
        referee.accept("table: disclose")
        yield referee
        if not referee.submit("table: match").applied:
            return
        yield referee


def viewers(setup):
    return (None, *range(len(setup.players)))


def check(game, referee, guidance):
    """What holds of the guidance of any moment."""
    assert guidance.headline.rstrip("”").endswith((".", "?", "!"))
    assert guidance.waiting
    assert guidance.steps or referee.state.table.over
    assert tell(guidance, referee.setup)[0].startswith(guidance.headline)
    texts = [guidance.headline]
    for step in guidance.steps:
        texts += [step.title, *(need.title for need in step.needs)]
        assert step.title == step.title.strip().rstrip(".")
        assert step.verb in game.verbs
        if step.example is not None:
            event = referee.parse(step.example)
            assert event == step.event
            assert (event.seat, event.audience) == (step.seat, step.audience)
    return texts


def test_it_always_says_something_and_its_first_line_may_be_typed(game):
    for setup, rng in tables(game):
        for count, referee in enumerate(islice(moments(game, setup, rng), MOST)):
            for viewer in viewers(setup) if count % 5 == 0 else (None,):
                guidance = guidance_of(game, referee.view(viewer))
                for text in check(game, referee, guidance):
                    assert not NOTATION.search(text), text
                for first in guidance.steps[:1]:
                    verdict = referee.propose(referee.parse(first.example))
                    assert verdict.error is None, (first, verdict.error.message)


def test_every_step_that_is_offered_may_be_typed(game):
    for setup, rng in tables(game):
        for referee in islice(moments(game, setup, rng, matches=1), MOST):
            for step in guidance_of(game, referee.view(None)).steps:
                if step.example is not None:
                    verdict = referee.propose(referee.parse(step.example))
                    assert verdict.error is None, (step, verdict.error.message)


def test_it_follows_from_what_its_viewer_may_know(game):
    """Two matches that differ in what a viewer may not know are guided alike."""
    compared = 0
    for setup, rng in tables(game):
        viewer = rng.choice(viewers(setup))
        other = Referee(game, setup)
        known = 0
        for one in islice(moments(game, setup, rng, matches=1), MOST):
            if one.state.table.match_over:
                break
            for entry in one.log[known:]:
                event = entry.event
                if not knows(game, one.state, event, viewer):
                    event = scramble(game, other.state, event, rng)
                if not other.submit(event).applied:
                    break
            else:
                known = len(one.log)
                assert guidance_of(game, one.view(viewer)) == guidance_of(game, other.view(viewer))
                compared += 1
                continue
            break  # the other secret does not fit a trusted verdict
    assert compared > 10


def test_public_steps_follow_from_public_knowledge_alone(game):
    for setup, rng in tables(game):
        for referee in islice(moments(game, setup, rng, matches=1), MOST):
            public = guidance_of(game, referee.view(None))
            for seat in range(len(setup.players)):
                own = guidance_of(game, referee.view(seat))
                assert (own.headline, own.waiting) == (public.headline, public.waiting)
                openly = [step for step in own.steps if not step.secret]
                assert openly == [step for step in public.steps if not step.secret]
