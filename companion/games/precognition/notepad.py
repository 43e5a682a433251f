"""Precognition's notepad: hidden hands, and how likely strings of changes are."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from companion.cards import RANKS, Card
from companion.core.attempts import Attempt
from companion.core.events import Event, private, public
from companion.core.game import without_jokers
from companion.core.state import Place, evolve
from companion.errors import CompanionError, UnreadableError, UsageError
from companion.games.precognition.coach import advise, best_card, best_prediction, progress
from companion.games.precognition.engine import reasons
from companion.games.precognition.engine.facts import (
    Dealt,
    InHand,
    Laid,
    OfRank,
    RowFact,
    RowKnowledge,
)
from companion.games.precognition.engine.solve import (
    Rows,
    best_strings,
    complete_rows,
    holding,
    worlds,
)
from companion.games.precognition.rules import initial, stretches
from companion.games.precognition.scoring import read_prediction
from companion.games.precognition.state import ROW, PrecognitionState
from companion.notepad.base import Advice, Grid, Reason, Supposition, cell_of, reason_of
from companion.notepad.fact_pad import FactPad
from companion.notepad.placing import Suits
from companion.phrases import N_, phrase

#: Simulated rows among which good strings are searched; others value them.
_SEARCHED = 1500


def knowledge_of(state: PrecognitionState) -> RowKnowledge:
    """Everything the state's owner knows, contradictions included."""
    players = state.setup.players
    first = state.seats.index(state.table.starter) if state.table.starter in state.seats else 0
    order = (*state.seats[first:], *state.seats[:first])
    deck = without_jokers(state.setup)
    facts = sorted(_facts(state, deck), key=lambda fact: fact.event)
    return RowKnowledge(tuple(players[seat] for seat in order), len(state.row), tuple(facts), deck)


def _placed(name: str, card: Card, n: int) -> str:
    """Who laid a card, with its event if that is known."""
    if not n:
        return phrase("{name} placed {card}", name=name, card=card.code)
    return phrase("{name} placed {card} ({n})", name=name, card=card.code, n=n)


def _facts(state: PrecognitionState, deck: Sequence[Card]) -> Iterator[RowFact]:
    """The row and the hands; a card known only by its rank stands for an unseen one."""
    seen = (c for cards in (state.row, *state.held) for c in cards or ())
    particular = Suits(deck, seen).particular
    for position, card in enumerate(state.row):
        found = particular(card)
        if found is not None:
            name = state.setup.players[state.owner(position)]
            n = _event_of(state.ledger.get(card), ROW)
            text = _placed(name, card, n)
            yield Laid(event=n, text=text, card=found, position=position)
    for seat in state.seats:
        name = state.setup.players[seat]
        n = state.hand_events[seat]
        for card in state.hands[seat] or () if n else ():
            # Laid since; a reason may need the hand alone.
            if card in state.row and card.is_known:
                text = phrase("{name} was dealt {card} ({n})", name=name, card=card.code, n=n)
                yield Dealt(event=n, text=text, card=card, player=name)
        for card in state.held[seat] or ():
            found = particular(card)
            if found is not None:
                text = phrase("{name} holds {card} ({n})", name=name, card=card.code, n=n)
                yield InHand(event=n, text=text, card=found, player=name)


def _event_of(place: Place | None, zone: str) -> int:
    return place.n if place is not None and place.zone == zone else 0


class PrecognitionPad(FactPad[PrecognitionState, RowKnowledge]):
    """Hidden hands, and the chance of strings over random orders of play."""

    engine = reasons

    def known(self, state: PrecognitionState, viewer: int | None) -> RowKnowledge:
        return knowledge_of(state)

    def fact_of(self, supposition: Supposition) -> OfRank:
        grid = Grid("", RANKS, self.players, {})
        rank, player = cell_of([grid], supposition.row, supposition.column)
        words = (
            N_("you suppose that {name} holds a card of rank {rank}")
            if supposition.holds
            else N_("you suppose that {name} holds no card of rank {rank}")
        )
        text = phrase(words, name=player, rank=rank)
        number = RANKS.index(rank) + 1
        return OfRank(text=text, rank=number, player=player, holds=supposition.holds)

    @cached_property
    def worlds(self) -> int:
        """Possible contents of the hidden hands as now held."""
        return worlds(self.knowledge)

    @property
    def _valued(self) -> bool:
        """Whether strings can be valued: no contradiction, and every card of the row known.

        What is supposed may also be so rare that no simulated row has it.
        """
        laid = sum(isinstance(fact, Laid) for fact in self.knowledge.facts)
        return bool(self.worlds) and laid == self.knowledge.laid and bool(self.rows.count)

    @cached_property
    def rows(self) -> Rows:
        """Completions of the row."""
        return complete_rows(self.knowledge)

    def _strings(self, strings: Sequence[str]) -> list[str]:
        own = None if self.viewer is None else self.state.predictions[self.viewer]
        written = [own.text] if own is not None and own.text is not None else []
        try:
            asked = [read_prediction(text) for text in strings]
        except UnreadableError as error:
            raise UsageError(error.message) from None
        return list(dict.fromkeys([*written, *asked]))

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        wanted = self._strings(strings)
        if not self._valued:
            return {"match_chance": {}, "best": []}
        chance = {}
        for text in wanted:
            found = self.rows.chance(text)
            chance[text] = {"p": found.p, "stderr": found.stderr}
        others = None if self.rows.exact else complete_rows(self.knowledge, seed=1)
        check = others if others is not None and others.count else None
        best = [
            {"length": len(text), "string": text, "p": chance.p}
            for text, chance in best_strings(self.rows.part(_SEARCHED), check=check).items()
        ]
        return {"match_chance": chance, "best": best}

    def grids(self) -> tuple[Grid, ...]:
        """Ranks by players whose hands are hidden: the chance to hold at least one."""
        cells = {(RANKS[rank - 1], name): p for (name, rank), p in holding(self.knowledge).items()}
        held = {name for _, name in cells}
        columns = tuple(name for name in self.knowledge.players if name in held)
        return (Grid(N_("Chance to hold at least one of a rank"), RANKS, columns, cells),)

    def why(self, row: str, column: str) -> Reason:
        """Whether a player (column) holds a card of a rank (row)."""
        grid = self.grids()[0]
        column = {name.casefold(): name for name in grid.columns}.get(column.casefold(), column)
        settled = grid.settled(row.upper(), column) if column in grid.columns else None
        if row.upper() not in RANKS or settled is None:
            raise UsageError(
                "“{row} @ {column}” is no cell, or still open: nothing forces it.",
                row=row,
                column=column,
            )
        return reason_of(reasons.why(self.knowledge, RANKS.index(row.upper()) + 1, column))

    def others(self) -> dict[str, int]:
        if self.public is None:
            return {}
        number = worlds(knowledge_of(self.public))
        seats = self.state.seats
        return {
            name: number
            for seat, name in enumerate(self.players)
            if seat != self.viewer and seat in seats
        }

    def advice(self) -> Advice:
        """What to predict, or which card to lay."""
        return advise(self.state, self.viewer, without_jokers(self.state.setup))


notepad = PrecognitionPad.of


def coach_bot(
    state: PrecognitionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Predicts the longest string that it can steer for, and lays cards for it."""
    if state.held[seat] is None:
        return rng.choice(actions)
    deck = without_jokers(state.setup)
    prediction = state.predictions[seat]
    if actions[0].verb == "predict":
        if state.row:
            return rng.choice(actions)
        return private(seat, "predict", best_prediction(state, seat, deck)[0])
    text = prediction.text if prediction is not None else None
    if text is None or progress(text, state.changes) == len(text):
        return rng.choice(actions)
    found = best_card(state, seat, text, deck)
    return rng.choice(actions) if found is None else public(seat, "place", found[0])


def attempts(before: PrecognitionState, after: PrecognitionState) -> Iterator[Attempt]:
    """The predictions that are compared as a match ends; both states are everybody's.

    The chance is that in a row of cards shuffled afresh: everybody writes before the first card.
    """
    if before.table.match_over or not after.table.match_over or not after.is_complete:
        return
    fresh = evolve(initial(after.setup), seats=after.seats, table=after.table)
    chances: dict[str, float] = {}
    with suppress(CompanionError):
        rows = complete_rows(knowledge_of(fresh))
        texts = {p.text for p in after.predictions if p is not None and p.text is not None}
        chances = {text: rows.chance(text).p for text in texts}
    for seat, stretch in stretches(after).items():
        prediction = after.predictions[seat]
        if prediction is not None and prediction.text is not None:
            length = stretch.length if stretch is not None else 0
            yield Attempt(seat, stretch is not None, chances.get(prediction.text), length)
