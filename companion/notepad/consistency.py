"""Whether the record is possible at all; if not, what conflicts and which answers to doubt.

A world that fits everything known is kept in the state as a *witness*: while a new answer agrees
with it, nothing needs to be searched. A game that does this derives its state from `Witnessed` and
gives its solver to a `Consistency`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from companion.core.state import FindingKind, State, evolve, find
from companion.notepad.facts import FactT
from companion.phrases import N_, joined, phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed(State):
    """State of a game whose answers are checked against each other.

    Attributes:
        witness: one world that fits everything known; None if it must be searched again.
        muddled: whether the record contradicts itself without any answer, so that nothing more is
            concluded from it.
    """

    witness: Any = None
    muddled: bool = False


WitnessedT = TypeVar("WitnessedT", bound=Witnessed)


class Consistency(ABC, Generic[WitnessedT, FactT]):
    """Checks what is new in a state against everything its owner knows."""

    @abstractmethod
    def search(self, state: WitnessedT) -> tuple[Any, bool]:
        """A witness where a search found one, and whether there is any world."""

    @abstractmethod
    def conflict(self, state: WitnessedT) -> tuple[FactT, ...]:
        """A smallest set of facts that fit no world."""

    @abstractmethod
    def doubt(self, state: WitnessedT, events: set[int]) -> WitnessedT:
        """The state in which nothing is concluded from the answers that these events gave."""

    def in_words(self, state: WitnessedT, facts: Sequence[FactT]) -> list[str]:
        """Conflicting facts as they are quoted."""
        return [fact.text for fact in facts]

    def check_answer(self, state: WitnessedT, n: int, lead: str) -> WitnessedT:
        """Keeps a witness for the answer of event `n`, or finds it impossible and doubts it.

        Args:
            state: with the answer.
            n: its event.
            lead: the finding's beginning, e.g. `Bo says wrong (7), which no deal allows`.
        """
        witness, possible = self.search(state)
        if possible:
            return evolve(state, witness=witness)
        others, _ = self._blamed(state, n)
        rest = phrase(": it conflicts with {others}", others=others) if others else ""
        state = find(state, n, FindingKind.IMPOSSIBLE, "{lead}{rest}.", lead=lead, rest=rest)
        return self.doubt(state, {n})

    def check_cards(self, state: WitnessedT, n: int, lead: str) -> WitnessedT:
        """Keeps a witness for the cards of event `n`, or doubts the answers that they contradict.

        Args:
            state: with the cards.
            n: the event that showed them.
            lead: the event in words, e.g. `Bo's discards (7)`.
        """
        witness, possible = self.search(state)
        if possible:
            return evolve(state, witness=witness)
        others, events = self._blamed(state, n)
        text = N_("With {lead} these cannot all be true: {others}.")
        message = phrase(text, lead=lead, others=others)
        if not others:
            message = phrase("No deal allows {lead}.", lead=lead)
        state = find(state, n, FindingKind.IMPOSSIBLE, message)
        doubted = self.doubt(state, events)
        return evolve(doubted, witness=None, muddled=doubted == state)

    def _blamed(self, state: WitnessedT, n: int) -> tuple[str, set[int]]:
        """What conflicts with event `n`, in words, and the events of the whole conflict."""
        facts = self.conflict(state)
        others = [fact for fact in facts if fact.event != n]
        return joined("; ", self.in_words(state, others)), {fact.event for fact in facts}
