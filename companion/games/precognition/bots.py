"""Bots for Precognition."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.core.events import Event, private
from companion.games.precognition.scoring import change
from companion.games.precognition.state import PrecognitionState


def sensible_bot(
    state: PrecognitionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Writes a prediction of middle length and places cards that let it come true.

    Up and down alternate often in a row of many hands, so the prediction does; in its own turns
    the bot plays the card whose change goes on with the longest begun part of it.
    """
    if actions[0].verb == "predict":
        if state.row:
            return rng.choice(actions)
        text = "".join(rng.choice(("UD", "DU")) for _ in range(3))[
            : max(1, min(5, state.length - 1))
        ]
        return private(seat, "predict", text)
    prediction = state.predictions[seat]
    if prediction is None or prediction.text is None or not state.row:
        return rng.choice(actions)
    text, last = prediction.text, state.row[-1].rank

    def begun(event: Event) -> int:
        row_changes = state.changes + change(last, event.args[0].rank)
        return max((n for n in range(len(text) + 1) if row_changes.endswith(text[:n])), default=0)

    return max(actions, key=begun)
