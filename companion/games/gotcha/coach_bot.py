"""A bot that plays Gotcha by its coach's advice."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.core.events import Event, private, public
from companion.games.gotcha.coach import best_discards, quick_guess
from companion.games.gotcha.notepad import GotchaPad
from companion.games.gotcha.state import GotchaState


def coach_bot(state: GotchaState, seat: int, actions: Sequence[Event], rng: random.Random) -> Event:
    """Discards so that the others' first guesses fail; then guesses by expected points."""
    if actions[0].verb == "discard":
        return private(seat, "discard", rng.choice(best_discards(state, seat, rng)))
    if actions[0].verb not in ("guess", "gotcha"):
        return rng.choice(actions)
    pad = GotchaPad(state, seat)
    guess = quick_guess(pad.solved, pad.opponents()) if pad.worlds else None
    if guess is None:
        return rng.choice(actions)
    other = state.setup.players.index(guess.player)
    verb, end = ("gotcha" if guess.call else "guess"), "smallest" if guess.smallest else "biggest"
    return public(seat, verb, other, end, guess.x, guess.rank)
