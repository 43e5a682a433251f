"""A bot that plays Missing Persons by its coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.events import Event, public
from companion.games.missing_persons.advice import plan
from companion.games.missing_persons.bots import middle
from companion.games.missing_persons.knowledge import knowledge_of
from companion.games.missing_persons.state import MissingState
from companion.notepad.missing_persons import candidates


def coach_bot(
    state: MissingState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Plays the race: turns all suspects over, so that a Yes shows many cards; asks boldly."""
    verbs = {event.verb for event in actions}
    if not verbs & {"ask", "guess"}:
        return rng.choice(actions)
    knowledge = knowledge_of(state, 1 - seat)
    identities = list(dict.fromkeys(c.identity for c in candidates(knowledge)))
    if not identities:
        return rng.choice(actions)
    sure = len(identities) == 1 or state.forced
    mine = state.table.to_move == seat
    if "guess" in verbs and sure:
        return public(seat, "guess", middle(identities))
    suspects = state.suspects(seat)
    if suspects and state.pile and mine:
        return public(seat, "turn", suspects)
    _, best = plan(state, seat, knowledge)
    if best is None:
        if "guess" in verbs:
            return public(seat, "guess", middle(identities))
        return next((e for e in actions if e.verb == "done"), actions[0])
    if "ask" not in verbs:
        return rng.choice([e for e in actions if e.verb == "done"] or list(actions))
    return public(seat, "ask", best.question)
