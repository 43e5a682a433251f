"""A bot that plays Deduction by its coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.cards import Card
from companion.core.events import Event, public
from companion.games.deduction.coach import next_values, opponents_of, stand
from companion.games.deduction.engine.values import question_values
from companion.games.deduction.notepad import DeductionPad
from companion.games.deduction.rules import coin_faces
from companion.games.deduction.state import FACES, DeductionState, face_name


def coach_bot(
    state: DeductionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Asks the most informative question; announces when waiting is the worse chance."""
    verb = actions[0].verb
    if verb == "show":
        return _show(state, actions, rng)
    if verb not in ("ask", "done"):
        return rng.choice(actions)
    pad = DeductionPad(state, seat)
    if not pad.worlds:
        return actions[0]
    if verb == "ask":
        assert state.coin is not None
        faces = tuple(FACES[what] for what in coin_faces(state.coin))
        best = question_values(pad.knowledge, faces, opponents_of(state, seat))[0]
        other = state.setup.players.index(best.player)
        kind = "count" if best.count else "have"
        return public(seat, "ask", other, kind, face_name(best.what))
    missing = pad.solved.missing
    values = [] if len(missing) == 1 else next_values(state, seat, pad.knowledge)
    found = stand(state, seat, pad.solved, values)
    return public(seat, "announce", found.tile) if found.announce else actions[0]


def _show(state: DeductionState, actions: Sequence[Event], rng: random.Random) -> Event:
    """Shows again what that player has been shown before, where it can."""
    question = state.question
    assert question is not None
    before: set[Card | None] = {
        q.tile for q in state.questions if q.by == question.by and q.of == question.of
    }
    again = [action for action in actions if action.args[0] in before]
    return rng.choice(again or list(actions))
