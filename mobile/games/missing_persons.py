"""The pad on which a question about number and suit is made by tapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import BooleanProperty, StringProperty

from companion.cards import RANKS, SUITS, SYMBOLS
from companion.games.missing_persons.questions.question import (
    ALL_RANKS,
    ALL_SUITS,
    EVEN,
    NUMBER_CARD,
    ROYAL,
    Question,
    tapped,
    why_not_plain,
)
from mobile import texts
from mobile.actions import Action
from mobile.table import Table
from mobile.widgets.basic import Key
from mobile.widgets.board import Board
from mobile.widgets.fields import Entry, FormEntry

#: Ranks that are asked for together.
_GROUPS = {"ROYAL": ROYAL, "NUMBERS": NUMBER_CARD, "EVEN": EVEN}


class QuestionPad(Entry):
    """Suits and ranks to tap; the question stands below in words."""

    words = StringProperty()
    trouble = StringProperty()
    negated = BooleanProperty(False)

    def open(self, table: Table, due: Action, done: Callable[[], None]) -> None:
        """Begins with nothing tapped, which means everything."""
        super().open(table, due, done)
        self._plain = table.setup.options.get("questions") == "plain"
        for suit in SUITS:
            self._key(self.ids.suits, SYMBOLS[suit], suit)
        for number, rank in enumerate(RANKS, 1):
            self._key(self.ids.ranks, rank, number)
        for name in _GROUPS:
            self._key(self.ids.groups, texts.QUESTION_GROUPS[name], name)
        self._refresh()

    @property
    def question(self) -> Question:
        """What is asked as it stands."""
        return tapped(
            suits=self._chosen(self.ids.suits),
            ranks=self._chosen(self.ids.ranks),
            negate=self.negated,
        )

    def negate(self) -> None:
        """Asks for all other cards."""
        self.negated = not self.negated
        self._refresh()

    def ask(self) -> None:
        """Asks the question."""
        self.submit((self.question,))

    def _key(self, box: Any, label: str, value: Any) -> None:
        key = Key(text=label, value=value)
        key.bind(on_release=self._press)
        box.add_widget(key)

    def _press(self, key: Key) -> None:
        if key.value in _GROUPS:
            wanted = _GROUPS[key.value]
            for other in self.ids.ranks.children:
                other.chosen = other.value in wanted
        else:
            key.chosen = not key.chosen
        self._refresh()

    def _refresh(self) -> None:
        question = self.question
        self.error = ""
        if not (self._chosen(self.ids.suits) or self._chosen(self.ids.ranks)):
            self.words, self.trouble = texts.QUESTION_LEAD, ""
            return
        self.words = question.text
        self.trouble = texts.told(why_not_plain(question) or "") if self._plain else ""

    @staticmethod
    def _chosen(box: Any) -> frozenset[Any]:
        return frozenset(key.value for key in box.children if key.chosen)


class PersonsBoard(Board):
    """The table of a game whose questions are tapped."""

    def entry(self, due: Action) -> Entry:
        """Questions have their own pad."""
        return QuestionPad() if due.verb == "ask" else FormEntry()


def taps_of(question: Question) -> tuple[frozenset[str], frozenset[int]]:
    """Suits and ranks whose taps make a question; none where all are meant.

    Raises:
        ValueError: it is no product of suits and ranks.
    """
    suits = frozenset(card.suit for card in question.cards if card.suit)
    ranks = frozenset(card.rank for card in question.cards if card.rank)
    if tapped(suits=suits, ranks=ranks) != question:
        raise ValueError(question.text)
    return (
        frozenset() if suits == ALL_SUITS else suits,
        frozenset() if ranks == ALL_RANKS else ranks,
    )


for kind in (QuestionPad, PersonsBoard):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
