"""Missing Persons' notepad: a viewer's knowledge as facts, and its chances, reasons and advice."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from companion.cards import Card, Family
from companion.core.attempts import Attempt
from companion.core.events import Event, public
from companion.games.missing_persons.coach import advise, best_guess, plan
from companion.games.missing_persons.engine.facts import Identity, PersonKnowledge, knowledge_of
from companion.games.missing_persons.engine.solve import candidates, conflict, why
from companion.games.missing_persons.state import MissingState
from companion.notepad.base import (
    NO_ADVICE,
    Advice,
    Grid,
    Layout,
    Notepad,
    Reason,
    Supposition,
    card_cell_of,
    reason_of,
)
from companion.phrases import N_, phrase


class MissingPad(Notepad[MissingState]):
    """The cards that the opponent's missing person can be; for spectators both players'."""

    @property
    def seats(self) -> tuple[int, ...]:
        """Whose missing persons are looked for."""
        return (0, 1) if self.viewer is None else (1 - self.viewer,)

    @cached_property
    def knowledge(self) -> tuple[PersonKnowledge, ...]:
        """The viewer's knowledge of each of them as facts."""
        return tuple(self._knowledge(seat) for seat in self.seats)

    def _knowledge(self, seat: int) -> PersonKnowledge:
        known = knowledge_of(self.state, seat)
        about = (cell for cell in self.supposed if self._cell(cell.row, cell.column)[0] == seat)
        more = tuple(map(self.fact_of, about))
        return replace(known, facts=(*known.facts, *more))

    def fact_of(self, supposition: Supposition) -> Identity:
        seat, found = self._cell(supposition.row, supposition.column)
        words = (
            N_("you suppose that {name}'s missing person is {card}")
            if supposition.holds
            else N_("you suppose that {name}'s missing person is not {card}")
        )
        text = phrase(words, name=self.players[seat], card=found.code)
        return Identity(text=text, card=found, holds=supposition.holds)

    @cached_property
    def left(self) -> tuple[tuple[Card, ...], ...]:
        """For each missing person sought the cards that remain."""
        return tuple(candidates(knowledge) for knowledge in self.knowledge)

    @property
    def worlds(self) -> int:
        """Cards that remain; for spectators pairs of different ones."""
        if len(self.left) == 1:
            return len(self.left[0])
        first, second = self.left
        return len(first) * len(second) - len(set(first) & set(second))

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        if self.viewer is None:
            rows = zip(self.seats, self._rows(), strict=True)
            return {"candidates_by_player": {self.players[seat]: row for seat, row in rows}}
        return {"candidates": self._rows()[0]}

    def _rows(self) -> tuple[dict[str, float], ...]:
        """For each missing person the chance of each identity."""
        if len(self.left) == 1:
            weights = [[(c, 1) for c in self.left[0]]]
        else:
            # Two players never have the same card.
            weights = [
                [(c, len(others) - (c in others)) for c in own]
                for own, others in (self.left, self.left[::-1])
            ]
        found = []
        for cells in weights:
            total = sum(number for _, number in cells)
            row: dict[str, float] = {}
            for c, number in cells:
                if number:
                    row[c.identity.code] = row.get(c.identity.code, 0.0) + number / total
            found.append(row)
        return tuple(found)

    def grids(self) -> tuple[Grid, ...]:
        """Cards by missing persons."""
        columns = tuple(self.players[seat] for seat in self.seats)
        cells = {
            (code, name): p
            for name, row in zip(columns, self._rows(), strict=True)
            for code, p in row.items()
        }
        rows = tuple(dict.fromkeys(c.identity.code for c in self.knowledge[0].deck))
        return (Grid(N_("Who the missing person is"), rows, columns, cells, Layout.CARDS),)

    def conflict(self) -> Reason | None:
        found = [conflict(knowledge) for knowledge in self.knowledge]
        clash = next((one for one in found if one is not None), None)
        return None if clash is None else reason_of(clash)

    def why(self, row: str, column: str) -> Reason:
        """Whether a player's (column) missing person is a card (row)."""
        seat, found = self._cell(row, column)
        return reason_of(why(self.knowledge[self.seats.index(seat)], found))

    def _cell(self, row: str, column: str) -> tuple[int, Card]:
        """Whose missing person a column is about, and the card of a row.

        Raises:
            UsageError: there is no such cell.
        """
        names = [self.players[seat] for seat in self.seats]
        found, name = card_cell_of(Family.STANDARD, names, row, column)
        return self.players.index(name), found

    def others(self) -> dict[str, int]:
        """See `Notepad.others`: candidates for the person whom an opponent looks for."""
        if self.public is None:
            return {}
        return {
            name: len(candidates(knowledge_of(self.public, 1 - seat)))
            for seat, name in enumerate(self.players)
            if seat != self.viewer
        }

    def advice(self) -> Advice:
        """What to ask, or to guess; and which suspects to turn over."""
        if not self.worlds:
            return NO_ADVICE
        if self.viewer is None:
            return Advice("A coach advises players, not spectators.")
        return advise(self.state, self.viewer, self.knowledge[0])


notepad = MissingPad.of


def coach_bot(
    state: MissingState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Plays the race: turns all suspects over, so that a Yes shows many cards; asks boldly."""
    verbs = {event.verb for event in actions}
    if not verbs & {"ask", "guess"}:
        return rng.choice(actions)
    knowledge = knowledge_of(state, 1 - seat)
    left = candidates(knowledge)
    if not left:
        return rng.choice(actions)
    guess, chance = best_guess(state, left)
    mine = state.table.to_move == seat
    if "guess" in verbs and (chance == 1 or state.forced):
        return public(seat, "guess", guess)
    suspects = state.suspects(seat)
    if suspects and state.pile and mine:
        return public(seat, "turn", suspects)
    _, best = plan(state, seat, knowledge)
    if best is None:
        if "guess" in verbs:
            return public(seat, "guess", guess)
        return next((e for e in actions if e.verb == "done"), actions[0])
    if "ask" not in verbs:
        return rng.choice([e for e in actions if e.verb == "done"] or list(actions))
    return public(seat, "ask", best.question)


def attempts(before: MissingState, after: MissingState) -> Iterator[Attempt]:
    """The guess that one event answered; both states are what everybody knows."""
    for old, new in zip(before.guesses, after.guesses, strict=True):
        if old is None or old.right is not None or new is None or new.right is None:
            continue
        pad = MissingPad(before, None)
        row = pad.chances()["candidates_by_player"][pad.players[1 - old.seat]]
        yield Attempt(old.seat, new.right, row.get(old.card.identity.code, 0.0) if row else None)
