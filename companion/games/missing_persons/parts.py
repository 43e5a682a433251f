"""Parts of verbs that only Missing Persons has: a question in words, a card as it is named."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.question_grammar import parse_question
from companion.questions import Question
from companion.setup import Setup
from companion.syntax import CardPart, Part, QuotedPart

_QUOTED = QuotedPart("QUESTION")


@dataclass(frozen=True, slots=True)
class QuestionPart(Part):
    """A question in quotation marks; the argument is its set with the asker's words."""

    def read(self, words: list[str], setup: Setup) -> tuple[Question, int]:
        """See `Part.read`."""
        text, used = _QUOTED.read(words, setup)
        return parse_question(text), used

    def write(self, value: Question, setup: Setup) -> str:
        """See `Part.write`."""
        return _QUOTED.write(value.asked, setup)

    @property
    def label(self) -> str:
        """See `Part.label`."""
        return _QUOTED.label


@dataclass(frozen=True, slots=True)
class IdentityPart(CardPart):
    """One card as naming it goes: either joker is `JK`."""

    def read(self, words: list[str], setup: Setup) -> tuple[Card, int]:
        """See `Part.read`."""
        # A slotted dataclass is made anew, which breaks the bare super().
        card, used = CardPart.read(self, words, setup)
        return card.identity, used

    def write(self, value: Card, setup: Setup) -> str:
        """See `Part.write`."""
        return value.identity.code
