"""The notepad of trick-taking games: a viewer's knowledge as facts, its chances and reasons."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from companion.cards import Card
from companion.core.attempts import Attempt
from companion.core.events import Event
from companion.core.state import hand_zone
from companion.games.tricks.bots import sensible_bot
from companion.games.tricks.coach import advise, best_card, card_values
from companion.games.tricks.engine import solve
from companion.games.tricks.engine.facts import (
    TURNED,
    UNDEALT,
    NoneOf,
    TrickFact,
    TrickKnowledge,
    played_by,
)
from companion.games.tricks.engine.solve import TrickChances
from companion.games.tricks.state import TURNED as TURNED_ZONE
from companion.games.tricks.state import TricksState
from companion.notepad.base import NO_ADVICE, Advice
from companion.notepad.fact_pad import CardPad
from companion.notepad.facts import CardAt
from companion.phrases import N_


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


class TricksPad(CardPad[TricksState, TrickKnowledge, TrickChances]):
    """Every hidden hand, exactly."""

    engine = solve
    own_places = (UNDEALT,)
    supposes: ClassVar[Mapping[str, tuple[str, str]]] = {
        UNDEALT: (
            N_("you suppose that {card} was not dealt"),
            N_("you suppose that {card} was dealt"),
        )
    }

    def known(self, state: TricksState, viewer: int | None) -> TrickKnowledge:
        return knowledge_of(state)

    def columns(self) -> tuple[str, ...]:
        """Hands that the viewer does not know, and the cards not dealt if there are any."""
        is_left = any(place == UNDEALT for place, _ in self.knowledge.room)
        return (*self.hidden_hands(), UNDEALT) if is_left else self.hidden_hands()

    def _out(self) -> tuple[Card, ...]:
        """Cards that are still out: neither played, nor turned up, nor in the viewer's own hand."""
        hidden = self.columns()
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
            for name in self.columns()
        }
        found: dict[str, Any] = {}
        if UNDEALT in rows:
            found["undealt"] = rows.pop(UNDEALT)
        return {"hands": rows, **found}

    def cards(self) -> tuple[Card, ...]:
        return tuple(sorted(self.state.deck))

    def advice(self) -> Advice:
        """Which card to play, how many tricks to bid, or what to pass."""
        return advise(self.state, self.viewer, self.knowledge) if self.worlds else NO_ADVICE


notepad = TricksPad.of


def coach_bot(state: TricksState, seat: int, actions: Sequence[Event], rng: random.Random) -> Event:
    """Plays the card advised; bids and passes as the coach says, which is as the sensible bot."""
    if actions[0].verb != "play" or state.whole_hand(seat) is None:
        return sensible_bot(state, seat, actions, rng)
    if len(actions) == 1:
        return actions[0]
    pad = TricksPad(state, seat)
    if not pad.worlds:
        return sensible_bot(state, seat, actions, rng)
    best = best_card(state, seat, card_values(state, seat, pad.knowledge))
    return next(event for event in actions if event.args[0] is best.card)


def attempts(before: TricksState, after: TricksState) -> Iterator[Attempt]:
    """The bids that the end of a match decided; both states are what everybody knows.

    No chance is given: how likely a bid is depends on how everybody plays.
    """
    ended = after.table.match_over and not before.table.match_over
    played_out = after.claim is not None or len(after.takers) == after.size
    if not ended or not played_out:
        return
    for seat, bid in enumerate(after.bids):
        if bid is None:
            continue
        if after.law.partners and bid:
            side = after.side(seat)
            made = after.tricks_of(seat) >= sum(after.bids[other] or 0 for other in side)
        else:
            made = after.taken(seat) == bid
        yield Attempt(seat, made, None)
