"""What was said in a match and could not be checked, because a hidden card was not turned up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.cards import Card
from companion.core.events import Event, public
from companion.core.verb import REVEAL
from companion.phrases import N_, phrase


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A seat's answers that nobody could check.

    Attributes:
        seat: who answered.
        answers: how many answers.
        cards: how many cards would have to be turned up to check them.
        one: whether a single card answers for the seat, its missing person, rather than a hand.
    """

    seat: int
    answers: int
    cards: int
    one: bool = False

    def told(self, state: Any) -> str:
        """It in a sentence."""
        if self.one:
            text = (
                N_("{count} answer could not be checked: {name}'s missing person is hidden.")
                if self.answers == 1
                else N_("{count} answers could not be checked: {name}'s missing person is hidden.")
            )
        else:
            text = (
                N_("{count} answer could not be checked: {name}'s hand was not turned up.")
                if self.answers == 1
                else N_("{count} answers could not be checked: {name}'s hand was not turned up.")
            )
        words: str = state.phrase(text, count=self.answers, name=self.seat)
        return words

    def title(self, state: Any) -> str:
        """What would check it, as on a button."""
        text = N_("Turn up {name}'s missing person") if self.one else N_("Turn up {name}'s hand")
        words: str = state.phrase(text, name=self.seat)
        return words

    def asked(self) -> str:
        """What has to be told for it."""
        return phrase("the missing person") if self.one else phrase("the hand")

    def event(self, cards: tuple[Card, ...]) -> Event:
        """The event that turns it up.

        Args:
            cards: as many as have to be turned up, or more.
        """
        shown = cards[0] if self.one else cards[: self.cards]
        return public(self.seat, REVEAL, shown)
