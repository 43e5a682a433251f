"""View-model of reading a whole row at once: from one picture, or while the camera pans along."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.state import evolve
from companion.core.syntax import CardsPart
from companion.core.verb import Who
from mobile.model.camera_worker import FrameReport
from mobile.model.table import Table
from vision.rows.join import RowJoiner, RowReading

#: From so many frames on, a card must have been read in two of them.
_MANY = 6


class RowSweep:
    """Joins what the eyes read into one row, each card once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.frames = 0
        # People may lay on while the camera looks.
        self._joiner = RowJoiner(growing=True)
        self._result: RowReading | None = None

    def add(self, look: FrameReport) -> None:
        """Takes in a frame's reading; frames without cards add nothing."""
        if look.reading.cards:
            self.frames += 1
            self._joiner.least = 2 if self.frames >= _MANY else 1
            self._joiner.add(look.reading)
            self._result = None

    @property
    def row(self) -> tuple[Card, ...]:
        """The row as joined so far."""
        return tuple(self._joined().cards)

    @property
    def doubtful(self) -> tuple[int, ...]:
        """Places of the row that a person should look at, from 0."""
        return tuple(self._joined().doubtful)

    def take(self) -> bool:
        """Records the row; where that is refused, the table's message says why.

        A game that takes a whole row in one event gets it so; else card by card.
        """
        cards = self.row
        if not cards:
            return False
        for verb in self.table.game.verbs.values():
            takes = any(len(f) == 1 and isinstance(f[0], CardsPart) for f in verb.forms)
            if verb.who is Who.TABLE and takes:
                event = Event(verb.name, (cards,))
                if self.table.referee.propose(event).error is None:
                    return self.table.do(evolve(event, comment="camera 1.00"))
        return all(self.table.tap(card) for card in cards)

    def _joined(self) -> RowReading:
        if self._result is None:
            self._result = self._joiner.result()
        return self._result
