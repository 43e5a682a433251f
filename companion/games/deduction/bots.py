"""Bots for Deduction. Both narrow down which tiles can be missing; neither counts worlds."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.cards import Card
from companion.core.events import Event, public
from companion.games.deduction.audit import knowledge_of
from companion.games.deduction.engine.facts import tile_problem
from companion.games.deduction.engine.search import propagate, with_sizes
from companion.games.deduction.rules import coin_faces
from companion.games.deduction.state import FACES, DeductionState

#: Number of its own questions after which the sensible bot guesses.
MOST_QUESTIONS = 40
#: How often the random bot announces at the end of a turn.
RASHNESS = 0.05


def candidates(state: DeductionState) -> list[Card]:
    """Tiles that can be the missing one, as far as plain narrowing tells."""
    problem = tile_problem(knowledge_of(state))
    possible = list(problem.possible)
    fits = propagate(possible, with_sizes(problem), (1 << len(problem.deck)) - 1)
    mask = possible[-1] if fits else problem.possible[-1]
    return [tile for index, tile in enumerate(problem.deck) if mask >> index & 1]


def rash_bot(
    state: DeductionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Asks and shows at random; now and then announces a tile that it has not seen."""
    done = next((action for action in actions if action.verb == "done"), None)
    if done is not None and rng.random() >= RASHNESS:
        return done
    return rng.choice(actions)


def sensible_bot(
    state: DeductionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Asks for the larger group of unseen tiles; announces when one candidate is left."""
    verb = actions[0].verb
    if verb == "ask":
        return _question(state, seat, rng)
    if verb != "done":
        return rng.choice(actions)
    left = candidates(state)
    patient = sum(question.by == seat for question in state.questions) < MOST_QUESTIONS
    if len(left) == 1 or (left and not patient):
        return public(seat, "announce", rng.choice(left))
    return actions[0]


def _question(state: DeductionState, seat: int, rng: random.Random) -> Event:
    """The coin's face with more unseen tiles: first how many, later one to be shown."""
    assert state.coin is not None
    unseen = [tile for tile in state.deck if tile not in state.ledger]
    what = max(coin_faces(state.coin), key=lambda name: sum(map(FACES[name].matches, unseen)))
    others = [other for other in range(len(state.setup.players)) if other != seat]
    least = {other: len(state.known_tiles(other)) for other in others}
    other = min(rng.sample(others, len(others)), key=lambda one: least[one])
    counted = any(
        q.count and q.of == other and q.face is FACES[what] and q.answer for q in state.questions
    )
    return public(seat, "ask", other, "have" if counted else "count", what)
