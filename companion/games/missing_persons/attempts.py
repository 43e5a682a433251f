"""Missing Persons' record: each answered guess, and how likely it was."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.attempts import Attempt
from companion.games.missing_persons.notepad import MissingPad
from companion.games.missing_persons.state import MissingState


def attempts(before: MissingState, after: MissingState) -> Iterator[Attempt]:
    """The guess that one event answered; both states are what everybody knows."""
    for old, new in zip(before.guesses, after.guesses, strict=True):
        if old is None or old.right is not None or new is None or new.right is None:
            continue
        pad = MissingPad(before, None)
        row = pad.chances()["candidates_by_player"][pad.players[1 - old.seat]]
        yield Attempt(old.seat, new.right, row.get(old.card.identity.code, 0.0) if row else None)
