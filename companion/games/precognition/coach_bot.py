"""A bot that plays Precognition by its coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.core.events import Event, private, public
from companion.games.precognition.coach import best_card, best_prediction, progress
from companion.games.precognition.notepad import deck_of
from companion.games.precognition.state import PrecognitionState


def coach_bot(
    state: PrecognitionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Predicts the longest string that it can steer for, and lays cards for it."""
    if state.held[seat] is None:
        return rng.choice(actions)
    deck = deck_of(state)
    prediction = state.predictions[seat]
    if actions[0].verb == "predict":
        if state.row:
            return rng.choice(actions)
        return private(seat, "predict", best_prediction(state, seat, deck)[0])
    text = prediction.text if prediction is not None else None
    if text is None or progress(text, state.changes) == len(text):
        return rng.choice(actions)
    found = best_card(state, seat, text, deck)
    return rng.choice(actions) if found is None else public(seat, "place", found[0])
