"""A bot that plays Missing Persons by its coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.core.events import Event, public
from companion.games.missing_persons.coach import best_guess, plan
from companion.games.missing_persons.engine.knowledge import knowledge_of
from companion.games.missing_persons.engine.solve import candidates
from companion.games.missing_persons.state import MissingState


def coach_bot(
    state: MissingState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Plays the race: turns all suspects over, so that a Yes shows many cards; asks boldly.

    Args:
        state: what the seat knows.
        seat: whose bot it is.
        actions: what the seat may do.
        rng: decides between actions that the coach says nothing of.
    """
    verbs = {event.verb for event in actions}
    if not verbs & {"ask", "guess"}:
        return rng.choice(actions)
    knowledge = knowledge_of(state, 1 - seat)
    left = candidates(knowledge)
    if not left:
        return rng.choice(actions)
    guess, chance = best_guess(state, left)
    mine = state.table.to_move == seat
    if "guess" in verbs and (chance == 1 or state.forced):
        return public(seat, "guess", guess)
    suspects = state.suspects(seat)
    if suspects and state.pile and mine:
        return public(seat, "turn", suspects)
    _, best = plan(state, seat, knowledge)
    if best is None:
        if "guess" in verbs:
            return public(seat, "guess", guess)
        return next((e for e in actions if e.verb == "done"), actions[0])
    if "ask" not in verbs:
        return rng.choice([e for e in actions if e.verb == "done"] or list(actions))
    return public(seat, "ask", best.question)
