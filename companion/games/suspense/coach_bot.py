"""A bot that plays Suspense by its coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.core.events import Event
from companion.games.suspense.coach import declaration, turn_options
from companion.games.suspense.notepad import SuspensePad
from companion.games.suspense.state import Stage, SuspenseState


def coach_bot(
    state: SuspenseState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Plays for the greatest lead over the best opponent; folds when that brings more of a lead."""
    by_verb = {event.verb: event for event in actions}
    if not {"play", "pass", "stay"} & by_verb.keys():
        return rng.choice(actions)
    pad = SuspensePad(state, seat)
    if not pad.worlds:
        return actions[0]
    if state.stage is Stage.DECLARE:
        return by_verb[declaration(state, seat, pad.solved).verdict]
    lead = {
        option.action: round(option.lead, 9)
        for option in turn_options(state, seat, pad.knowledge, pad.solved)
    }

    def worth(event: Event) -> float:
        text = event.verb if event.verb != "play" else f"play {event.args[0].code}"
        return lead.get(text, -10.0)

    return max(actions, key=worth)
