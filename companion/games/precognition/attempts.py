"""Precognition's record: each prediction, its length, and how likely it was to occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from companion.core.attempts import Attempt
from companion.core.state import evolve
from companion.errors import CompanionError
from companion.games.precognition.engine.solve import complete_rows
from companion.games.precognition.notepad import knowledge_of
from companion.games.precognition.rules import initial, stretches
from companion.games.precognition.state import PrecognitionState


def attempts(before: PrecognitionState, after: PrecognitionState) -> Iterator[Attempt]:
    """The predictions that are compared as a match ends; both states are everybody's.

    The chance is that in a row of cards shuffled afresh: everybody writes before the first card.
    """
    if before.table.match_over or not after.table.match_over or not after.is_complete:
        return
    fresh = evolve(initial(after.setup), seats=after.seats, table=after.table)
    chances: dict[str, float] = {}
    with suppress(CompanionError):
        rows = complete_rows(knowledge_of(fresh))
        texts = {p.text for p in after.predictions if p is not None and p.text is not None}
        chances = {text: rows.chance(text).p for text in texts}
    for seat, stretch in stretches(after).items():
        prediction = after.predictions[seat]
        if prediction is not None and prediction.text is not None:
            length = stretch.length if stretch is not None else 0
            yield Attempt(seat, stretch is not None, chances.get(prediction.text), length)
