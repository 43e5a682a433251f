"""Gotcha's record: each answered guess, and how likely it was."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.attempts import Attempt
from companion.games.gotcha.notepad import GotchaPad
from companion.games.gotcha.state import GotchaState


def attempts(before: GotchaState, after: GotchaState) -> Iterator[Attempt]:
    """The guess that one event answered; both states are what everybody knows."""
    guess = before.pending
    if guess is None or len(after.guesses) != len(before.guesses) or after.pending is not None:
        return
    held = GotchaPad(before, None).held(before.setup.players[guess.of])
    chance = held[guess.index][1].get(guess.rank, 0.0) if guess.index < len(held) else None
    yield Attempt(guess.by, after.guesses[-1].right, chance)
