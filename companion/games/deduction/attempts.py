"""Deduction's record: each announcement, and how likely it was."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.attempts import Attempt
from companion.games.deduction.notepad import DeductionPad
from companion.games.deduction.state import DeductionState


def attempts(before: DeductionState, after: DeductionState) -> Iterator[Attempt]:
    """The announcement that one event judged; both states are what everybody knows."""
    announced = before.announced
    if announced is None or len(after.announcements) != len(before.announcements):
        return
    verdict = after.announcements[-1]
    if not verdict.verdict:
        return
    solved = DeductionPad(before, None).solved
    chance = solved.missing.get(announced.tile, 0.0) if solved.worlds else None
    yield Attempt(announced.by, verdict.right, chance)
