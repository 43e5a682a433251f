"""View-model of a table before eyes: what they propose, what waits for a person.

Plain Python, no window; knows no game by name. What becomes of a sighting is decided by
`companion.core.watched_match`; here it is shown and answered.
"""

from __future__ import annotations

from typing import Any

from companion.cards import Card
from companion.core.events import Event
from companion.core.game import Game
from companion.core.question import SightingQuestion, laid_by, with_card
from companion.core.setup import Setup
from companion.core.watched_match import WatchedMatch
from companion.errors import CompanionError
from mobile.model import wording
from mobile.model.camera_worker import FrameReport
from mobile.model.match_model import MatchModel
from mobile.resources import texts


class Table(MatchModel):
    """One session at a table that eyes may watch."""

    def __init__(
        self, game: Game[Any], setup: Setup, session: Any = None, journal: Any = None
    ) -> None:
        super().__init__(game, setup, session, journal)
        self._watched = WatchedMatch(lambda: self.referee, self.do, guidance=lambda: self.guidance)

    @property
    def question(self) -> SightingQuestion | None:
        """What was seen that people should decide; None where there is nothing."""
        return self._watched.question

    @question.setter
    def question(self, question: SightingQuestion | None) -> None:
        self._watched.question = question

    @property
    def is_gathering(self) -> bool:
        """Whether cards that do not count still lie there; until they are gone nothing is taken."""
        return self._watched.is_gathering

    @property
    def is_waiting_to_start(self) -> bool:
        """Whether cards lie there that were laid before play began."""
        return self._watched.is_waiting_to_start

    # -- before play starts ------------------------------------------------------------------

    def is_early(self, event: Event) -> bool:
        """Whether an event would begin play before what is secret was written or recorded."""
        return self._watched.is_early(event)

    @property
    def start_question(self) -> str:
        """Asks whether play starts though somebody has not written; empty where all have."""
        return texts.told(wording.start_question(self.setup, (a.seat for a in self.due())))

    def start_anyway(self) -> None:
        """Play starts though something secret is missing, or with what lay there before."""
        self._watched.start_anyway()

    # -- what people do ----------------------------------------------------------------------

    def _goes_on(self, lying: frozenset[Card], *, is_new: bool) -> None:
        """What lay there at the end of a match is gathered before the next one is watched."""
        if is_new:
            self._watched.new_match(lying)

    def tap(self, card: Card, zone: str | None = None) -> bool:
        """Records a card that somebody tapped in, in whichever place it can lie now."""
        event = self.meaning(card, zone)
        if event is None:
            return False
        self._watched.settled_by_hand(card)
        return self.do(event)

    def undo(self) -> bool:
        """Takes back the last thing done; the eyes do not put the same card there again."""
        before = self._known()
        try:
            self.referee.undo()
        except CompanionError as error:
            self.message = texts.told(error.message)
            return False
        self._watched.taken_back(before)
        self.message = ""
        return True

    def look_again(self) -> None:
        """Takes the eyes' word anew for everything that was waved aside."""
        self._watched.look_again()

    # -- what the eyes see -------------------------------------------------------------------

    def see(self, look: FrameReport) -> bool:
        """Takes in a message of the eyes; returns whether anything was recorded or asked."""
        if look.stamp.match != self.number:
            return False
        before = self.referee.stands, self.question
        reads = (*look.reading.cards, *look.reading.doubtful)
        self._watched.see(
            (*look.lying, *look.turned), now=look.t, in_sight={read.card for read in reads}
        )
        return (self.referee.stands, self.question) != before

    def accept_question(
        self, card: Card | None = None, *, asked: SightingQuestion | None = None
    ) -> bool:
        """Records what was seen, or another card in its place.

        Args:
            card: the other card; None for what was seen.
            asked: the question that people answer, by default the one that stands. Where another
                one has taken its place, nothing is recorded.
        """
        question = self.question
        if question is None or (asked is not None and asked.meant != question.meant):
            self.message = texts.SEEN_CHANGED
            return False
        chosen = card or question.card
        if question.is_early:
            self.start_anyway()
            return True
        if question.replaces:
            done = self.replace(question.replaces, chosen, question.old)
        elif question.zone == self.watched_zone or question.event is None:
            done = self.tap(chosen, question.zone)
        else:
            done = self.do(with_card(question.event, question.card, chosen))
        if done:
            if chosen is not question.card:
                self._watched.set_aside([question.card])
            self.question = None
        return done

    def dismiss_question(self) -> None:
        """What was seen is not so."""
        self._watched.wave_aside()

    def replace(self, n: int, card: Card, old: Card | None = None) -> bool:
        """Corrects the card of a standing event; see `replacing`."""
        correction = self.replacing(n, card, old)
        if correction is None:
            return False
        if old is None:
            old = next(laid_by(event) for event in self.referee.events if event.n == n)
        try:
            self.referee.accept(correction)
        except CompanionError as error:
            self.message = texts.told(error.message)
            return False
        self._watched.set_aside([] if old is None else [old])
        self._watched.settled_by_hand(card)
        self.message = ""
        return True
