"""What undo and redo would take back or restore, in words, and when to ask first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.core.referee import Referee
from companion.core.timeline import UndoStep


def lines_of(referee: Referee[Any], numbers: Iterable[int]) -> tuple[str, ...]:
    """Lines of a step as everybody may read them; none if nobody else may know of it."""
    lines = {referee.number_of(None, line.step): line for line in referee.view(None).log}
    return tuple(f"{lines[n].step} {lines[n].text}" for n in numbers if n in lines)


def is_weighty(referee: Referee[Any], step: UndoStep) -> bool:
    """Whether to ask before it is taken back: it was private, an answer, or brought a result."""
    if step.new is not None:
        return not step.new.is_public
    if len(step.events) > 1 or not step.events[0].is_public:
        return True
    first = step.events[0].n
    nodes = referee.nodes
    index = next((k for k, node in enumerate(nodes) if node.event.n == first), None)
    if index is None:
        return False
    answered = index > 0 and referee.game.awaits_answer(nodes[index - 1].state)
    return answered or nodes[index].state.table.match_over
