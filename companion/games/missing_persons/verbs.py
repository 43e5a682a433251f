"""The verbs of Missing Persons with their forms."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.core.setup import Setup
from companion.core.syntax import CardPart, CardsPart, Literal, Part, PlayerPart, QuotedPart
from companion.core.verb import Secrecy, Verb, Who
from companion.games.missing_persons import scoring, setting_up, turns
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import Question
from companion.games.missing_persons.state import MissingState
from companion.phrases import phrase


def all_verbs() -> tuple[Verb[MissingState], ...]:
    """All verbs but those every game shares."""
    return (*set_up_verbs(), *turn_verbs(), *ending_verbs())


def set_up_verbs() -> tuple[Verb[MissingState], ...]:
    """Taking, dealing, turning up."""
    return (
        Verb(
            "hide",
            "Take a missing person: NAME*: with the card, or NAME: hide ?? for all to know that.",
            ((CardPart(),),),
            setting_up.verify_hide,
            setting_up.apply_hide,
            secrecy=Secrecy.EITHER,
        ),
        Verb(
            "hand",
            "Record which card was taken as missing person; nobody else is told.",
            ((CardPart(),),),
            setting_up.verify_hand,
            setting_up.apply_hide,
            secrecy=Secrecy.PRIVATE,
        ),
        Verb(
            "deal",
            "Deal a player's ten suspects, face up.",
            ((PlayerPart(), CardsPart()),),
            setting_up.verify_deal,
            setting_up.apply_deal,
            who=Who.TABLE,
        ),
        Verb(
            "reveal",
            "Turn up the missing person; with NAME*: to the referee alone.",
            ((CardPart(),),),
            setting_up.verify_reveal,
            setting_up.apply_reveal,
            secrecy=Secrecy.EITHER,
            late=True,
        ),
    )


def turn_verbs() -> tuple[Verb[MissingState], ...]:
    """Asking, answering, turning over, drawing."""
    cards = ((CardsPart(),),)
    answers = tuple(
        Verb(
            word,
            phrase("Answer {word} to the question.", word=word.capitalize()),
            ((),),
            turns.verify_answer,
            turns.apply_answer,
        )
        for word in ("yes", "no")
    )
    return (
        Verb(
            "ask",
            "Ask a question about number or suit.",
            ((QuestionPart(),),),
            turns.verify_ask,
            turns.apply_ask,
        ),
        Verb(
            "ask cryptic",
            "Ask a question in any wording.",
            ((QuotedPart(),),),
            turns.verify_cryptic,
            turns.apply_cryptic,
        ),
        Verb(
            "sketch",
            "Note in private what a cryptic answer rules out.",
            cards,
            turns.verify_sketch,
            turns.apply_sketch,
            secrecy=Secrecy.PRIVATE,
            announced=False,
        ),
        *answers,
        Verb("turn", "Turn over suspects.", cards, turns.verify_turn, turns.apply_turn),
        Verb(
            "unturn",
            "Turn suspects up again.",
            cards,
            turns.verify_unturn,
            turns.apply_unturn,
        ),
        Verb(
            "draw",
            "Draw from the pile onto turned-over places after a Yes.",
            ((CardPart(), Literal("on"), CardPart()), (CardsPart(),)),
            turns.verify_draw,
            turns.apply_draw,
        ),
        Verb("done", "End the turn after a Yes.", ((),), turns.verify_done, turns.apply_done),
    )


def ending_verbs() -> tuple[Verb[MissingState], ...]:
    """Guesses and what is said of them."""
    answers = tuple(
        Verb(
            word,
            phrase("Say that the guess is {word}.", word=word),
            ((),),
            scoring.verify_verdict,
            scoring.apply_verdict,
        )
        for word in ("right", "wrong")
    )
    guess = Verb(
        "guess",
        "Guess the other's missing person, once a game.",
        ((IdentityPart(),),),
        scoring.verify_guess,
        scoring.apply_guess,
    )
    return (guess, *answers)


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
        # A slotted dataclass is made again, which breaks the bare super().
        card, used = CardPart.read(self, words, setup)
        return card.identity, used

    def write(self, value: Card, setup: Setup) -> str:
        """See `Part.write`."""
        return value.identity.code
