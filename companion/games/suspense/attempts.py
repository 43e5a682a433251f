"""Suspense's record: each declaration to stay, and how likely it was to meet the condition."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.attempts import Attempt
from companion.games.suspense.notepad import SuspensePad
from companion.games.suspense.state import SuspenseState


def attempts(before: SuspenseState, after: SuspenseState) -> Iterator[Attempt]:
    """Who stayed and, once the secret card lies open, met its condition or did not.

    Both states are what everybody knows. The secret card may be turned up some events before the
    match is scored (hands decide); the chance is that from before any of them, so it is worked out
    where the card was still hidden and otherwise left open.
    """
    if before.table.match_over or not after.table.match_over or after.condition is None:
        return
    solved = SuspensePad(before, None).solved if before.secret is None else None
    for seat in sorted(after.stayed):
        name = after.setup.players[seat]
        chance = solved.meets(name) if solved is not None and solved.worlds else None
        yield Attempt(seat, seat in after.table.match_winners, chance)
