"""Notepads that reason from facts, and among them those of cards that lie in places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from companion.cards import Card, Family
from companion.core.state import StateT
from companion.notepad.base import (
    Grid,
    Layout,
    Notepad,
    Reason,
    Supposition,
    card_cell_of,
    reason_of,
    supposed_to_hold,
)
from companion.notepad.facts import CardAt
from companion.phrases import N_, phrase


class Knowledge(Protocol):
    """A dataclass of what one viewer knows."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def facts(self) -> tuple[Any, ...]:
        """What is known, in the order of the events."""


class Chances(Protocol):
    """What follows from what is known of cards in places."""

    @property
    def worlds(self) -> int:
        """The exact number of deals that fit."""

    def chances(self, place: str) -> Mapping[Card, float]:
        """The chance of each card to lie in a place."""


KnowledgeT = TypeVar("KnowledgeT", bound=Knowledge)
ChancesT = TypeVar("ChancesT", bound=Chances)


class FactPad(Notepad[StateT], Generic[StateT, KnowledgeT]):
    """A notepad whose knowledge is one tuple of facts."""

    #: The module whose `why` and `conflict` give a smallest set of facts for the game's knowledge:
    #: one that settles a cell, and one that contradicts itself.
    engine: ModuleType

    @abstractmethod
    def known(self, state: StateT, viewer: int | None) -> KnowledgeT:
        """Everything a state's owner knows, contradictions included."""

    @cached_property
    def recorded(self) -> KnowledgeT:
        """The viewer's knowledge without what is only supposed."""
        return self.known(self.state, self.viewer)

    @cached_property
    def knowledge(self) -> KnowledgeT:
        """The viewer's knowledge as facts."""
        facts = (*self.recorded.facts, *map(self.fact_of, self.supposed))
        return replace(self.recorded, facts=facts)

    def conflict(self) -> Reason | None:
        """See `Notepad.conflict`."""
        found = self.engine.conflict(self.knowledge)
        return None if found is None else reason_of(found)


class CardPad(FactPad[StateT, KnowledgeT], Generic[StateT, KnowledgeT, ChancesT]):
    """Cards that lie in hands, and in a few places of the game's own."""

    #: It also has `solve`, which gives the chances, and `worlds`, their number alone.
    engine: ModuleType
    family: ClassVar[Family] = Family.STANDARD
    #: What its table is called.
    caption: ClassVar[str] = N_("Where each card is")
    #: The places beside the hands; no player has such a name.
    own_places: ClassVar[tuple[str, ...]] = ()
    #: For places that are no hands: a card (`card` or `tile`) is supposed to lie there, or not to.
    supposes: ClassVar[Mapping[str, tuple[str, str]]] = {}

    @cached_property
    def solved(self) -> ChancesT:
        """The counts."""
        found: ChancesT = self.engine.solve(self.knowledge)
        return found

    @property
    def worlds(self) -> int:
        """Deals of the hidden cards."""
        return self.solved.worlds

    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The places whose chances are shown."""

    @abstractmethod
    def cards(self) -> tuple[Card, ...]:
        """All cards, as the table lists them."""

    def grids(self) -> tuple[Grid, ...]:
        """Cards by places."""
        columns = self.columns()
        cells = {
            (card.code, place): chance
            for place in columns
            for card, chance in self.solved.chances(place).items()
        }
        rows = tuple(card.code for card in self.cards())
        return (Grid(self.caption, rows, columns, cells, Layout.CARDS),)

    def why(self, row: str, column: str) -> Reason:
        """Whether a card (row) lies in a place (column)."""
        return reason_of(self.engine.why(self.knowledge, *self._cell(row, column)))

    def _cell(self, row: str, column: str) -> tuple[Card, str]:
        return card_cell_of(self.family, (*self.own_places, *self.players), row, column)

    def others(self) -> dict[str, int]:
        """See `Notepad.others`; hands that only their holders know change nothing here."""
        if self.public is None:
            return {}
        return dict.fromkeys(self.opponents(), self.engine.worlds(self.known(self.public, None)))

    def fact_of(self, supposition: Supposition) -> CardAt:
        """See `Notepad.fact_of`."""
        card, place = self._cell(supposition.row, supposition.column)
        holds = supposition.holds
        if place in self.supposes:
            text = self.supposes[place][0 if holds else 1]
            text = phrase(text, card=card.code, tile=card.code)
        else:
            text = supposed_to_hold(place, card, holds=holds)
        return CardAt(text=text, card=card, place=place, holds=holds)
