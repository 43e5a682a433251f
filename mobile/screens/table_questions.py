"""What was seen and not recorded: put to the people, and what they answer."""

from __future__ import annotations

from kivy.properties import BooleanProperty, StringProperty

from companion.cards import Card
from companion.core.events import Event
from companion.core.question import SightingQuestion
from mobile.resources import texts
from mobile.screens.table_entries import TableEntries
from mobile.widgets.basic import card_name
from mobile.widgets.fields import confirm


class TableQuestions(TableEntries):
    """A table's screen as far as sightings are asked about on it."""

    question = StringProperty()
    accept_text = StringProperty()
    can_record = BooleanProperty(False)
    can_fix = BooleanProperty(False)

    #: The question that is on the screen, which an answer is meant for.
    _asked: SightingQuestion | None = None

    def _ask(self) -> None:
        """Puts what was seen and not recorded to the people."""
        question = self.table.question if self.table is not None else None
        self._asked = question
        self.can_record = question is not None and question.is_possible
        self.can_fix, self.accept_text = question is not None and not question.is_early, ""
        if question is None or self.table is None:
            self.question = ""
            return
        card = card_name(question.card)
        if question.is_early:
            asked = self.table.start_question
            self.question = asked or texts.LAY_EARLIER.format(card=card)
            self.accept_text = texts.START_NOW if asked else texts.IT_COUNTS
            return
        if question.old is not None and self.table is not None:
            row = [c for z in self.table.zones if z.name == question.zone for c in z.cards]
            n = row.index(question.old) + 1 if question.old in row else question.replaces
            self.question = texts.SEEN_OTHER.format(n=n, card=card, old=card_name(question.old))
        elif question.why:
            why = self.table.plain(texts.told(question.why))
            self.question = texts.SEEN_BUT.format(card=card, why=why)
        else:
            self.question = self._meaning(question, card)

    def _meaning(self, question: SightingQuestion, card: str) -> str:
        """What was seen and, where that is more than the card itself, what it would mean."""
        assert self.table is not None
        sure = min(99, round(question.confidence * 100))
        if question.event is None or question.zone == self.table.watched_zone:
            return texts.SEEN.format(card=card, sure=sure)
        what = self.table.words(question.event)
        return texts.SEEN_MEANS.format(what=what, card=card, sure=sure)

    def _answered(self) -> SightingQuestion | None:
        """The question that people answer; None where another one has taken its place."""
        asked, table = self._asked, self.table
        if table is None or asked is None:
            return None
        if table.question is None or table.question.meant != asked.meant:
            table.message = texts.SEEN_CHANGED
            self.refresh()
            return None
        return asked

    def accept(self) -> None:
        """The proposal is right."""
        question = self._answered()
        if self.table is None or question is None:
            return
        if question.replaces:
            self.replace(question.replaces, question.card, question.old)
        else:
            self.table.accept_question(asked=question)
            self.refresh()

    def replace(self, number: int, card: Card, old: Card | None = None) -> None:
        """A recorded card was another one; asks where the table knows better."""
        table = self.table
        event = None if table is None else table.replacing(number, card, old)
        if table is None or event is None:
            return
        table.message = table.refusal(event)
        if table.message:
            self.refresh()
            return

        def correct(_event: Event) -> None:
            table.question = None
            table.replace(number, card, old)
            self.refresh()

        confirm(table, None, event, correct)

    def dismiss(self) -> None:
        """The proposal is not so."""
        if self.table is not None and self._answered() is not None:
            self.table.dismiss_question()
            self.refresh()

    def fix(self) -> None:
        """The proposal is another card."""
        question = self._answered()
        if self.table is not None and question is not None:
            family = question.card.family
            number, old = question.replaces, question.old

            def chosen(card: Card) -> None:
                if card is not question.card:
                    self.keep_misread(question.card, card)
                if number:
                    self.replace(number, card, old)
                elif self.table is not None:
                    self.table.accept_question(card, asked=question)

            self.pick(chosen, family=family)
