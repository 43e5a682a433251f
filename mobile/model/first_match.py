"""A first match: what the person is asked to do next, judged by what the app shows.

The app is really driven: the person writes a prediction, lays a card by hand, takes it back, puts
it back, and the bundled clip lays the rest. Nothing of it is kept in the journal.
"""

from __future__ import annotations

from enum import Enum, auto

from companion.cards import Card
from mobile.model import demo_script
from mobile.model.table import Table

#: Seats of the person and of the other one, whose prediction is written already.
YOU, OTHER = 0, 1


class Lesson(Enum):
    """What is to be done now; each has a sentence (`texts.LESSONS`)."""

    WRITE = auto()
    COVER = auto()
    PREDICT = auto()
    LAY = auto()
    OTHER_CARD = auto()
    ONE_TOO_MANY = auto()
    TAKE_BACK = auto()
    PUT_BACK = auto()
    WATCH = auto()
    ANSWER = auto()
    FINISH = auto()
    END = auto()


#: What is done with “Undo” or “Redo”: no other button is lit then.
_BACK_AND_FORTH = (
    *(Lesson.OTHER_CARD, Lesson.ONE_TOO_MANY),
    *(Lesson.TAKE_BACK, Lesson.PUT_BACK),
)


class FirstMatch:
    """The match and how far the person is."""

    def __init__(self, script: demo_script.Script) -> None:
        self.table = Table(script.game, script.setup)
        self.cards: tuple[Card, ...] = script.setup.cards or ()
        self.table.referee.accept(script.predictions[OTHER])
        self._was_laid = self._was_undone = self._was_restored = False

    @property
    def first_card(self) -> Card:
        """The card that the clip shows first."""
        return self.cards[0]

    @property
    def plays_clip(self) -> bool:
        """Whether the clip lays the cards now."""
        return self._was_restored

    def follow(self, screen: str, *, covered: bool = False, ended: bool = False) -> Lesson:
        """What is to be done, by what stands at the table and what is on the screen.

        Args:
            screen: the screen's name.
            covered: whether a cover hides what is private.
            ended: whether the clip has come to its end.
        """
        state = self.table.state
        if state.table.match_over:
            return Lesson.END
        if state.predictions[YOU] is None:
            if state.row:  # begun without it: it can be written once that is undone
                return Lesson.ONE_TOO_MANY
            if screen != "private":
                return Lesson.WRITE
            return Lesson.COVER if covered else Lesson.PREDICT
        if self._was_restored:
            if self.table.question is not None:
                return Lesson.ANSWER
            return Lesson.FINISH if ended else Lesson.WATCH
        return self._by_hand(tuple(state.row))

    @property
    def goes_back_and_forth(self) -> bool:
        """Whether “Undo” or “Redo” is asked for at the table now."""
        return self.follow("table") in _BACK_AND_FORTH

    def _by_hand(self, row: tuple[Card, ...]) -> Lesson:
        """Lays a card, takes it back, puts it back."""
        if row and row != (self.first_card,):
            is_first = row[0] == self.first_card
            return Lesson.ONE_TOO_MANY if is_first else Lesson.OTHER_CARD
        if row:
            self._was_restored = self._was_undone
            self._was_laid = True
            return Lesson.WATCH if self._was_restored else Lesson.TAKE_BACK
        if self._was_laid:
            self._was_undone = True
            return Lesson.PUT_BACK
        return Lesson.LAY
