"""Whatever a player enters, the answer tells nothing that the player may not know.

Two tables differ only in what one player may not know: in hands that others trusted to the referee,
too. Every line that this player can enter gets the same answer at both, byte for byte, and leaves
the same view, guidance, offered actions and page. The one exception of a trusted referee: whether a
public answer or claim stands that is due.
"""

import json
import os
import random
from dataclasses import replace

import pytest

from companion.cards import Card, family_cards
from companion.core.events import CORRECT, DISCLOSE, REDO, UNDO, Event
from companion.core.guidance.generic import guidance_of
from companion.core.notation import write_event
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from companion.errors import CompanionError, HiddenError
from companion.games.tricks.game import TrickGame
from companion.simulate import play_events
from mobile.kept.page import page
from mobile.model import actions
from tests.companion.hidden import knows, scramble
from tests.companion.table_play import fork, random_setup

#: Public answers and claims on whose truth a trusted referee decides.
CLAIMS = {
    "gotcha": {"right", "wrong"},
    "missing-persons": {"yes", "no", "right", "wrong", "reveal"},
    "deduction": {"yes", "no", "number", "right", "wrong"},
    "suspense": {"reveal"},
}
EVENTS = int(os.environ.get("SOAK_EVENTS", "150"))


def claims_of(game):
    """The verbs on whose truth a trusted referee of a game decides in public."""
    # Whether suit was followed; the try stands in the log for all to see.
    return {"play"} if isinstance(game, TrickGame) else CLAIMS.get(game.name, set())


def tables_alike(game, rng):
    """Two referees that one viewer cannot tell apart, and that viewer."""
    setup = random_setup(game, rng)
    setup = replace(setup, trusted=tuple(rng.random() < 0.7 for _ in setup.players))
    viewer = rng.choice((None, *range(len(setup.players))))
    one, other = Referee(game, setup), Referee(game, setup)
    length = rng.randint(0, 40)
    bots = [game.bots["random"]] * len(setup.players)
    for event in play_events(one, bots, rng):
        if len(one.log) >= length or one.state.table.match_over:
            break
        changed = event
        if not knows(game, one.state, event, viewer):
            try:
                changed = scramble(game, other.state, event, rng)
            except (AttributeError, IndexError):
                changed = event
        before = fork(one), fork(other)
        entries = one.submit(event), other.submit(changed)
        if not all(entry.applied for entry in entries) or one.view(viewer) != other.view(viewer):
            # What was hidden decided an answer: as far as before it they are alike.
            return (*before, viewer)
    return one, other, viewer


def any_line(referee, viewer, rng):
    """A line that the viewer may enter: public, or the viewer's own."""
    game, setup = referee.game, referee.setup
    seats = range(len(setup.players))
    kind = rng.random()
    if kind < 0.06:
        return Event(rng.choice((UNDO, REDO, UNDO, DISCLOSE)))
    if kind < 0.1 and viewer is not None:
        return Event(UNDO, (), viewer, frozenset({viewer}))
    seat = rng.choice(seats)
    own = rng.random() < 0.3 and viewer is not None
    state = referee.knowledge(viewer if own else None)
    found = [e for s in ((viewer,) if own else seats) for e in list(game.legal(state, s))[:40]]
    found += [
        entry.event
        for entry in referee.log
        if entry.event is not None
        and entry.event.verb not in (UNDO, REDO, CORRECT)
        and entry.event.may_be_read_by(viewer)
    ]
    deck = list(game.all_cards(setup))
    found += [
        Event("reveal", (tuple(rng.sample(deck, rng.randint(1, 5))),), seat),
        Event("agree"),
        Event("match"),
    ]
    event = replace(rng.choice(found), n=0, comment="")
    if rng.random() < 0.6:
        event = mutated(event, deck, game, rng)
    public = event.may_be_read_by(None)
    if not public and event.seat != viewer:
        return Event("agree")
    log = referee.view(viewer if not public else None).log
    if log and rng.random() < 0.25:
        n = referee.number_of(viewer if not public else None, rng.choice(log).step)
        return Event(CORRECT, (n, event), event.seat if event.audience else None, event.audience)
    return event


def mutated(event, deck, game, rng):
    def other(value):
        if isinstance(value, Card):
            return rng.choice(deck if value.family is game.family else family_cards(value.family))
        if isinstance(value, tuple) and value and all(isinstance(c, Card) for c in value):
            return tuple(rng.sample(deck, len(value)))
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        return value if value < 2 else value + rng.randint(-2, 2)

    changed = replace(event, args=tuple(other(value) for value in event.args))
    if rng.random() < 0.2 and changed.seat is not None and changed.is_public:
        changed = replace(changed, seat=rng.randrange(2))
    return changed


def answer_to(referee, viewer, event):
    """What whoever enters the event is answered: applied, or why not."""
    try:
        entry = referee.accept(event)
    except CompanionError as error:
        return type(error), error.message
    return "applied", entry.affects if event.is_public else ()


def all_that_is_seen(referee, viewer):
    view = referee.view(viewer)
    guidance = guidance_of(referee.game, view)
    return (
        json.dumps(view.as_dict()),
        view.state,
        guidance,
        actions.offered(referee) if viewer is None else None,
    )


def probe(game, seed):
    """Probes one pair of tables; returns how many lines were tried."""
    rng = random.Random(seed)
    one, other, viewer = tables_alike(game, rng)
    assert all_that_is_seen(one, viewer) == all_that_is_seen(other, viewer)
    for count in range(1, 13):
        event = any_line(one, viewer, rng)
        try:
            line = write_event(game, one.setup, event)
            one.parse(line)
        except (CompanionError, IndexError):  # no seat of that number, or a die with 21 faces
            continue
        told = [referee.propose(event) for referee in (one, other)]
        assert str(told[0].error) == str(told[1].error), (seed, line)
        assert told[0].findings == told[1].findings, (seed, line)
        answers = [answer_to(referee, viewer, event) for referee in (one, other)]
        if answers[0] != answers[1]:
            inner = event.args[1] if event.verb == CORRECT else event
            assert HiddenError in (answers[0][0], answers[1][0]), (seed, line, answers)
            assert inner.verb in claims_of(game) or event.verb == CORRECT, (seed, line, answers)
            assert any(one.setup.trusted), (seed, line)
            return count
        if one.state.table.match_over or event.verb == DISCLOSE:
            return count  # a result may depend on what was hidden, and discloses some of it
        assert all_that_is_seen(one, viewer) == all_that_is_seen(other, viewer), (seed, line)
    assert page(one.match_text(), viewer) == page(other.match_text(), viewer), seed
    return count


@pytest.mark.soak
@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_no_line_that_a_player_enters_tells_a_secret(game):
    tried = seed = 0
    while tried < EVENTS:
        tried += probe(game, seed)
        seed += 1
    assert seed > EVENTS // 50


@pytest.mark.parametrize(("name", "seed"), [("gotcha", 10714), ("suspense", 8805)])
def test_lines_that_once_told_something(name, seed):
    """A second correction, and asking first whether a correction fits."""
    assert probe(get_game(name), seed)
