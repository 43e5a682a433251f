"""How Missing Persons writes questions and guesses."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.core.setup import Setup
from companion.core.syntax import CardPart, Part, QuotedPart
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import Question

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
