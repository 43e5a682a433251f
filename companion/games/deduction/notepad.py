"""Deduction's notepad: a viewer's knowledge as facts, and its chances, reasons and advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

from companion.cards import Card, Family
from companion.core.state import hand_zone
from companion.games.deduction.audit import answer_fact
from companion.games.deduction.coach import advise
from companion.games.deduction.engine.facts import (
    FACE_UP,
    MISSING,
    DeductionFact,
    DeductionKnowledge,
    TileAt,
    TileShown,
)
from companion.games.deduction.engine.solve import DeductionChances, conflict, solve, why, worlds
from companion.games.deduction.state import DeductionState, Question
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


def knowledge_of(state: DeductionState, viewer: int | None) -> DeductionKnowledge:
    """Everything a viewer knows, contradictions included.

    Args:
        state: the viewer's own fold.
        viewer: the seat; tiles shown to it are distinguished from tiles only seen.
    """
    facts: list[DeductionFact] = [*_tiles(state)]
    for question in state.questions:
        if question.answer:
            facts.append(answer_fact(state, question))
        if question.tile is not None and question.tile.is_known:
            facts.append(_shown(state, question, viewer))
    facts += _missing(state)
    facts += _elsewhere(state, facts)
    facts.sort(key=lambda fact: fact.event)
    return DeductionKnowledge(
        state.setup.players,
        tuple(facts),
        shown_random=state.setup.options["shown"] == "random",
        deck=state.deck,
        hand_size=state.hand_size,
    )


def _tiles(state: DeductionState) -> Iterator[TileAt]:
    """Tiles turned up for all, and those of hands that were recorded or turned up whole."""
    up_event = state.up_event
    for tile in state.up or ():
        if tile.is_known:
            text = state.phrase("{tile} lies face up ({up_event})", tile=tile, up_event=up_event)
            yield TileAt(event=up_event, text=text, tile=tile, place=FACE_UP)
    for seat, name in enumerate(state.setup.players):
        for tiles, n in (
            (state.hands[seat], state.hand_events[seat]),
            (state.held[seat] if state.turned[seat] else None, state.turned[seat]),
        ):
            for tile in tiles or ():
                if tile.is_known:
                    text = state.phrase("{name} holds {tile} ({n})", name=name, tile=tile, n=n)
                    yield TileAt(event=n, text=text, tile=tile, place=name)


def _shown(state: DeductionState, question: Question, viewer: int | None) -> DeductionFact:
    """A tile that was shown; how it was chosen matters only to whom it was shown."""
    name, tile = state.setup.players[question.of], question.tile
    assert tile is not None
    n = question.shown
    text = state.phrase("{name} showed {tile} ({n})", name=question.of, tile=tile, n=n)
    if viewer == question.by:
        return TileShown(event=n, text=text, player=name, what=question.face, tile=tile)
    return TileAt(event=n, text=text, tile=tile, place=name)


def _missing(state: DeductionState) -> Iterator[TileAt]:
    """Verdicts on announcements, and looks at the missing tile."""
    for item in state.announcements:
        n, tile = item.verdict, item.tile
        if n:
            is_it, is_not = (
                N_("{tile} is missing ({verdict})"),
                N_("{tile} is not missing ({verdict})"),
            )
            text = state.phrase(is_it if item.right else is_not, tile=tile, verdict=n)
            yield TileAt(event=n, text=text, tile=tile, place=MISSING, holds=item.right)
    for peek in state.peeks:
        if peek.tile is not None and peek.tile.is_known:
            words = N_("the missing tile was seen to be {tile} ({n})")
            text = state.phrase(words, tile=peek.tile, n=peek.n)
            yield TileAt(event=peek.n, text=text, tile=peek.tile, place=MISSING)


def _elsewhere(state: DeductionState, facts: Sequence[DeductionFact]) -> Iterator[TileAt]:
    """Tiles seen in other ways: turned up singly."""
    told = {
        (fact.tile, fact.player if isinstance(fact, TileShown) else fact.place)
        for fact in facts
        if isinstance(fact, TileAt | TileShown)
    }
    places = {hand_zone(seat): name for seat, name in enumerate(state.setup.players)}
    for tile, place in state.ledger.items():
        owner = places.get(place.zone, FACE_UP)
        if (tile, owner) not in told:
            up, held = N_("{tile} lies face up ({n})"), N_("{tile} is seen in {owner}'s hand ({n})")
            words = up if owner == FACE_UP else held
            text = state.phrase(words, tile=tile, owner=owner, n=place.n)
            yield TileAt(event=place.n, text=text, tile=tile, place=owner)


@lru_cache(maxsize=64)
def _solved(knowledge: DeductionKnowledge) -> DeductionChances:
    """`solve`, cached: several readers ask about the same knowledge."""
    return solve(knowledge)


@lru_cache(maxsize=64)
def _public_worlds(knowledge: DeductionKnowledge) -> int:
    return worlds(knowledge)


class DeductionPad(StatePad[DeductionState]):
    """The missing tile and every hand, exactly."""

    title = "deduction"

    @cached_property
    def knowledge(self) -> DeductionKnowledge:
        """The viewer's knowledge as facts."""
        known = knowledge_of(self.state, self.viewer)
        return replace(known, facts=(*known.facts, *map(self.fact_of, self.supposed)))

    @cached_property
    def solved(self) -> DeductionChances:
        """The counts."""
        return _solved(self.knowledge)

    @property
    def worlds(self) -> int:
        """Deals of the missing tile and the other hands."""
        return self.solved.worlds

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        rows = {
            name: {tile.code: p for tile, p in self.solved.chances(name).items()}
            for name in self.hidden_hands()
        }
        missing = {tile.code: p for tile, p in self.solved.missing.items()}
        return {"missing": missing, "hands": rows}

    def grids(self) -> tuple[Grid, ...]:
        """Tiles by places."""
        rows = tuple(tile.code for tile in self.state.deck)
        columns = (MISSING, *self.hidden_hands())
        cells = {
            (tile.code, place): p
            for place in columns
            for tile, p in self.solved.chances(place).items()
        }
        return (Grid(N_("Where each tile is"), rows, columns, cells, Layout.CARDS),)

    def conflict(self) -> Reason | None:
        found = conflict(self.knowledge)
        return None if found is None else reason_of(found)

    def why(self, row: str, column: str) -> Reason:
        """Whether a tile (row) lies in a place (column)."""
        return reason_of(why(self.knowledge, *self._cell(row, column)))

    def _cell(self, row: str, column: str) -> tuple[Card, str]:
        return card_cell_of(Family.TILE, (MISSING, FACE_UP, *self.players), row, column)

    def fact_of(self, supposition: Supposition) -> TileAt:
        tile, place = self._cell(supposition.row, supposition.column)
        holds = supposition.holds
        if place == MISSING:
            words = (
                N_("you suppose that {tile} is missing")
                if holds
                else N_("you suppose that {tile} is not missing")
            )
            text = phrase(words, tile=tile.code)
        else:
            text = supposed_to_hold(place, tile, holds=holds)
        return TileAt(text=text, tile=tile, place=place, holds=holds)

    def others(self) -> dict[str, int]:
        """See `Notepad.others`; hands that only their holders know change nothing here."""
        if self.public is None:
            return {}
        number = _public_worlds(knowledge_of(self.public, None))
        return dict.fromkeys(self.opponents(), number)

    def advice(self) -> Advice:
        """What to ask for the coin drawn, and whether to announce."""
        return advise(self.state, self.viewer, self.knowledge, self.solved) or NO_ADVICE


notepad = DeductionPad.of
