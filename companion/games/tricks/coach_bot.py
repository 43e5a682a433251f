"""A bot that plays trick-taking games by their coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.core.events import Event
from companion.games.tricks.bots import sensible_bot
from companion.games.tricks.coach import best_card, card_values
from companion.games.tricks.notepad import TricksPad
from companion.games.tricks.state import TricksState


def coach_bot(state: TricksState, seat: int, actions: Sequence[Event], rng: random.Random) -> Event:
    """Plays the card advised; bids and passes as the coach says, which is as the sensible bot."""
    if actions[0].verb != "play" or state.whole_hand(seat) is None:
        return sensible_bot(state, seat, actions, rng)
    if len(actions) == 1:
        return actions[0]
    pad = TricksPad(state, seat)
    if not pad.worlds:
        return sensible_bot(state, seat, actions, rng)
    best = best_card(state, seat, card_values(state, seat, pad.knowledge))
    return next(event for event in actions if event.args[0] is best.card)
