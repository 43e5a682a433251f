"""The notepad of trick-taking games: a viewer's knowledge as facts, its chances and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from companion.cards import Card, Family
from companion.core.state import hand_zone
from companion.games.tricks.coach import advise
from companion.games.tricks.engine.facts import (
    TURNED,
    UNDEALT,
    CardAt,
    NoneOf,
    TrickFact,
    TrickKnowledge,
    played_by,
)
from companion.games.tricks.engine.solve import TrickChances, conflict, solve, why, worlds
from companion.games.tricks.state import TURNED as TURNED_ZONE
from companion.games.tricks.state import TricksState
from companion.notepad.base import (
    NO_ADVICE,
    Advice,
    Grid,
    Layout,
    Reason,
    StatePad,
    Supposition,
    card_cell_of,
    reason_of,
    supposed_to_hold,
)
from companion.phrases import N_, phrase


def knowledge_of(state: TricksState) -> TrickKnowledge:
    """Everything the state's owner knows of the deal, contradictions included."""
    names, seats = state.setup.players, range(len(state.hands))
    room = [(name, state.left(seat)) for seat, name in enumerate(names)]
    room += [(played_by(name), state.size - state.left(seat)) for seat, name in enumerate(names)]
    stock = len(state.deck) - state.size * len(seats)
    if state.turned is not None and state.law.turned_owner(state) is None:
        room.append((TURNED, 1))
        stock -= 1
    if stock:
        room.append((UNDEALT, stock))
    facts = sorted(_facts(state), key=lambda fact: fact.event)
    return TrickKnowledge(names, state.deck, tuple(room), tuple(facts))


def _facts(state: TricksState) -> Iterator[TrickFact]:
    for play in state.plays:
        text = state.phrase("{name} played {card} ({n})", name=play.seat, card=play.card, n=play.n)
        place = played_by(state.setup.players[play.seat])
        yield CardAt(event=play.n, text=text, card=play.card, place=place)
    hands = {hand_zone(seat): seat for seat in range(len(state.hands))}
    for card, at in state.ledger.items():
        if at.zone in hands:
            seat = hands[at.zone]
            text = state.phrase("{name} holds {card} ({n})", name=seat, card=card, n=at.n)
            name = state.setup.players[seat]
            yield CardAt(event=at.n, text=text, card=card, place=name)
        elif at.zone == TURNED_ZONE:
            text = state.phrase("{card} is turned up ({n})", card=card, n=at.n)
            yield CardAt(event=at.n, text=text, card=card, place=TURNED)
    for limit in state.limits:
        if not limit.doubted:
            bar = limit.bar
            fields = {"suit": bar.suit_name, "trick": limit.trick, "n": limit.n}
            text = state.phrase(bar.rule.fact, name=limit.seat, **fields)
            name = state.setup.players[limit.seat]
            yield NoneOf(event=limit.n, text=text, player=name, cards=bar.cards)


class TricksPad(StatePad[TricksState]):
    """Every hidden hand, exactly."""

    def __init__(
        self, state: TricksState, viewer: int | None, public: TricksState | None = None
    ) -> None:
        super().__init__(state, viewer, public)
        self.game = state.setup.game

    title = "tricks"

    @cached_property
    def knowledge(self) -> TrickKnowledge:
        """The viewer's knowledge as facts."""
        known = knowledge_of(self.state)
        return replace(known, facts=(*known.facts, *map(self.fact_of, self.supposed)))

    @cached_property
    def solved(self) -> TrickChances:
        """The counts."""
        return solve(self.knowledge)

    @property
    def worlds(self) -> int:
        """Deals of the hidden cards."""
        return self.solved.worlds

    def _hidden(self) -> tuple[str, ...]:
        """Hands that the viewer does not know, and the cards not dealt if there are any."""
        is_left = any(place == UNDEALT for place, _ in self.knowledge.room)
        return (*self.hidden_hands(), UNDEALT) if is_left else self.hidden_hands()

    def _out(self) -> tuple[Card, ...]:
        """Cards that are still out: neither played, nor turned up, nor in the viewer's own hand."""
        hidden = self._hidden()
        elsewhere = {
            fact.card
            for fact in self.knowledge.facts
            if isinstance(fact, CardAt) and fact.holds and fact.place not in hidden
        }
        return tuple(card for card in self.state.deck if card not in elsewhere)

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        solved, cards = self.solved, self._out() if self.worlds else ()
        rows = {
            name: {card.code: solved.chances(name).get(card, 0.0) for card in cards}
            for name in self._hidden()
        }
        found: dict[str, Any] = {}
        if UNDEALT in rows:
            found["undealt"] = rows.pop(UNDEALT)
        return {"hands": rows, **found}

    def grids(self) -> tuple[Grid, ...]:
        """Cards by hands."""
        columns = self._hidden()
        cells = {
            (card.code, name): chance
            for name in columns
            for card, chance in self.solved.chances(name).items()
        }
        rows = tuple(card.code for card in sorted(self.state.deck))
        return (Grid(N_("Where each card is"), rows, columns, cells, Layout.CARDS),)

    def conflict(self) -> Reason | None:
        found = conflict(self.knowledge)
        return None if found is None else reason_of(found)

    def why(self, row: str, column: str) -> Reason:
        """Whether a card (row) is in a hand (column)."""
        return reason_of(why(self.knowledge, *self._cell(row, column)))

    def _cell(self, row: str, column: str) -> tuple[Card, str]:
        return card_cell_of(Family.STANDARD, (*self.players, UNDEALT), row, column)

    def fact_of(self, supposition: Supposition) -> CardAt:
        card, name = self._cell(supposition.row, supposition.column)
        if name == UNDEALT:
            dealt = N_("you suppose that {card} was dealt")
            text = N_("you suppose that {card} was not dealt") if supposition.holds else dealt
            text = phrase(text, card=card.code)
        else:
            text = supposed_to_hold(name, card, holds=supposition.holds)
        return CardAt(text=text, card=card, place=name, holds=supposition.holds)

    def others(self) -> dict[str, int]:
        """See `Notepad.others`; hands that only their holders know change nothing here."""
        if self.public is None:
            return {}
        number = worlds(knowledge_of(self.public))
        return dict.fromkeys(self.opponents(), number)

    def advice(self) -> Advice:
        """Which card to play, how many tricks to bid, or what to pass."""
        return advise(self.state, self.viewer, self.knowledge) if self.worlds else NO_ADVICE


notepad = TricksPad.of
