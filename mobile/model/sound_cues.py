"""What at a table is worth a sound: what everybody may know is compared, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mobile.model.table import Table


class Cue(StrEnum):
    """What has just happened."""

    TAKEN = "taken"
    REFUSED = "refused"
    TURN = "turn"
    WIN = "win"


@dataclass(frozen=True, slots=True)
class _Heard:
    """A table as far as it is heard; nothing of it is hidden from anybody."""

    number: int
    stands: int
    lying: int
    waiting: tuple[int | None, ...]
    is_over: bool
    message: str
    is_undone: bool


class Cues:
    """Tells what has happened since it was last asked."""

    def __init__(self) -> None:
        self._before: _Heard | None = None

    def news(self, table: Table) -> Cue | None:
        """What has happened at a table; None where nothing is to be heard.

        Another table, and what was taken back, are silent.
        """
        now = _Heard(
            id(table),
            table.referee.stands,
            sum(len(zone.cards) for zone in table.zones if zone.face_up),
            table.guidance.waiting,
            table.state.table.match_over,
            table.message,
            table.took_back,
        )
        before, self._before = self._before, now
        if before is None or before.number != now.number or now.is_undone:
            return None
        if now.stands == before.stands:
            return Cue.REFUSED if now.message and now.message != before.message else None
        if now.is_over and not before.is_over:
            return Cue.WIN
        if now.lying > before.lying:
            return Cue.TAKEN
        return Cue.TURN if now.waiting != before.waiting else None
