"""Deduction's notepad: a viewer's knowledge as facts, and its chances, reasons and advice."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from companion.cards import Card, Family
from companion.core.attempts import Attempt
from companion.core.events import Event, public
from companion.core.state import hand_zone
from companion.games.deduction.audit import answer_fact
from companion.games.deduction.coach import advise, next_values, opponents_of, stand
from companion.games.deduction.engine import solve
from companion.games.deduction.engine.facts import (
    FACE_UP,
    MISSING,
    DeductionFact,
    DeductionKnowledge,
    TileShown,
)
from companion.games.deduction.engine.solve import DeductionChances
from companion.games.deduction.engine.values import question_values
from companion.games.deduction.rules import coin_faces
from companion.games.deduction.state import FACES, DeductionState, Question, face_name
from companion.notepad.base import NO_ADVICE, Advice
from companion.notepad.fact_pad import CardPad
from companion.notepad.facts import CardAt
from companion.phrases import N_


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


def _tiles(state: DeductionState) -> Iterator[CardAt]:
    """Tiles turned up for all, and those of hands that were recorded or turned up whole."""
    up_event = state.up_event
    for tile in state.up or ():
        if tile.is_known:
            text = state.phrase("{tile} lies face up ({up_event})", tile=tile, up_event=up_event)
            yield CardAt(event=up_event, text=text, card=tile, place=FACE_UP)
    for seat, name in enumerate(state.setup.players):
        for tiles, n in (
            (state.hands[seat], state.hand_events[seat]),
            (state.held[seat] if state.turned[seat] else None, state.turned[seat]),
        ):
            for tile in tiles or ():
                if tile.is_known:
                    text = state.phrase("{name} holds {card} ({n})", name=name, card=tile, n=n)
                    yield CardAt(event=n, text=text, card=tile, place=name)


def _shown(state: DeductionState, question: Question, viewer: int | None) -> DeductionFact:
    """A tile that was shown; how it was chosen matters only to whom it was shown."""
    name, tile = state.setup.players[question.of], question.tile
    assert tile is not None
    n = question.shown
    text = state.phrase("{name} showed {tile} ({n})", name=question.of, tile=tile, n=n)
    if viewer == question.by:
        return TileShown(event=n, text=text, player=name, what=question.face, card=tile)
    return CardAt(event=n, text=text, card=tile, place=name)


def _missing(state: DeductionState) -> Iterator[CardAt]:
    """Verdicts on announcements, and looks at the missing tile."""
    for item in state.announcements:
        n, tile = item.verdict, item.tile
        if n:
            is_it, is_not = (
                N_("{tile} is missing ({verdict})"),
                N_("{tile} is not missing ({verdict})"),
            )
            text = state.phrase(is_it if item.right else is_not, tile=tile, verdict=n)
            yield CardAt(event=n, text=text, card=tile, place=MISSING, holds=item.right)
    for peek in state.peeks:
        if peek.tile is not None and peek.tile.is_known:
            words = N_("the missing tile was seen to be {tile} ({n})")
            text = state.phrase(words, tile=peek.tile, n=peek.n)
            yield CardAt(event=peek.n, text=text, card=peek.tile, place=MISSING)


def _elsewhere(state: DeductionState, facts: Sequence[DeductionFact]) -> Iterator[CardAt]:
    """Tiles seen in other ways: turned up singly."""
    told = {
        (fact.card, fact.player if isinstance(fact, TileShown) else fact.place)
        for fact in facts
        if isinstance(fact, CardAt | TileShown)
    }
    places = {hand_zone(seat): name for seat, name in enumerate(state.setup.players)}
    for tile, place in state.ledger.items():
        owner = places.get(place.zone, FACE_UP)
        if (tile, owner) not in told:
            up, held = N_("{tile} lies face up ({n})"), N_("{tile} is seen in {owner}'s hand ({n})")
            words = up if owner == FACE_UP else held
            text = state.phrase(words, tile=tile, owner=owner, n=place.n)
            yield CardAt(event=place.n, text=text, card=tile, place=owner)


class DeductionPad(CardPad[DeductionState, DeductionKnowledge, DeductionChances]):
    """The missing tile and every hand, exactly."""

    engine = solve
    family = Family.TILE
    caption = N_("Where each tile is")
    own_places = (MISSING, FACE_UP)
    supposes: ClassVar[Mapping[str, tuple[str, str]]] = {
        MISSING: (
            N_("you suppose that {tile} is missing"),
            N_("you suppose that {tile} is not missing"),
        )
    }

    def known(self, state: DeductionState, viewer: int | None) -> DeductionKnowledge:
        return knowledge_of(state, viewer)

    def chances(self, *, strings: Sequence[str] = ()) -> dict[str, Any]:
        rows = {
            name: {tile.code: p for tile, p in self.solved.chances(name).items()}
            for name in self.hidden_hands()
        }
        missing = {tile.code: p for tile, p in self.solved.missing.items()}
        return {"missing": missing, "hands": rows}

    def columns(self) -> tuple[str, ...]:
        return (MISSING, *self.hidden_hands())

    def cards(self) -> tuple[Card, ...]:
        return self.state.deck

    def advice(self) -> Advice:
        """What to ask for the coin drawn, and whether to announce."""
        return advise(self.state, self.viewer, self.knowledge, self.solved) or NO_ADVICE


notepad = DeductionPad.of


def coach_bot(
    state: DeductionState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Asks the most informative question; announces when waiting is the worse chance."""
    verb = actions[0].verb
    if verb == "show":
        return _show(state, actions, rng)
    if verb not in ("ask", "done"):
        return rng.choice(actions)
    pad = DeductionPad(state, seat)
    if not pad.worlds:
        return actions[0]
    if verb == "ask":
        assert state.coin is not None
        faces = tuple(FACES[what] for what in coin_faces(state.coin))
        best = question_values(pad.knowledge, faces, opponents_of(state, seat))[0]
        other = state.setup.players.index(best.player)
        kind = "count" if best.count else "have"
        return public(seat, "ask", other, kind, face_name(best.what))
    missing = pad.solved.missing
    values = [] if len(missing) == 1 else next_values(state, seat, pad.knowledge)
    found = stand(state, seat, pad.solved, values)
    return public(seat, "announce", found.tile) if found.announce else actions[0]


def _show(state: DeductionState, actions: Sequence[Event], rng: random.Random) -> Event:
    """Shows again what that player has been shown before, where it can."""
    question = state.question
    assert question is not None
    before: set[Card | None] = {
        q.tile for q in state.questions if q.by == question.by and q.of == question.of
    }
    again = [action for action in actions if action.args[0] in before]
    return rng.choice(again or list(actions))


def attempts(before: DeductionState, after: DeductionState) -> Iterator[Attempt]:
    """The announcement that one event judged; both states are what everybody knows."""
    announced = before.announced
    if announced is None or len(after.announcements) != len(before.announcements):
        return
    verdict = after.announcements[-1]
    if not verdict.verdict:
        return
    solved = DeductionPad(before, None).solved
    chance = solved.missing.get(announced.tile, 0.0) if solved.worlds else None
    yield Attempt(announced.by, verdict.right, chance)
