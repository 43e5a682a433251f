"""Precognition behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from companion.cards import Card, Family, family_cards
from companion.core.events import Event, private, public
from companion.core.game import (
    Bot,
    Game,
    dealt,
    hand_as_zone,
    hand_cards,
    random_bot,
    without_jokers,
)
from companion.core.match import end_match
from companion.core.setup import COACH, STARTER, GameInfo, Preset
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind, evolve
from companion.core.verb import Verb
from companion.games.precognition import rules
from companion.games.precognition.bots import sensible_bot
from companion.games.precognition.state import ROW, PrecognitionState
from companion.phrases import N_


class Precognition(Game[PrecognitionState]):
    """A row laid together, and the longest prediction that occurs in it."""

    info = GameInfo(
        name="precognition",
        title="Precognition",
        summary="Predict the ups and downs of the row.",
        min_players=2,
        max_players=26,
        minutes=15,
        decks=("standard", "four-index", "french", "german", "dutch", "russian", "nordic"),
        table_widget="mobile.games.precognition:RowBoard",
    )
    options = (STARTER, COACH)
    presets = (
        Preset(
            "Short game: 26 cards",
            "Spades and hearts alone: take the other cards out of the deck.",
            cards=tuple(card for card in family_cards(Family.STANDARD) if card.suit in ("S", "H")),
            max_players=13,
        ),
        Preset(
            "Quick game: 13 cards",
            "Hearts alone: take the other cards out of the deck.",
            cards=tuple(card for card in family_cards(Family.STANDARD) if card.suit == "H"),
            max_players=6,
        ),
    )
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot, "sensible": sensible_bot}
    folder = __package__

    def own_verbs(self) -> Iterable[Verb[PrecognitionState]]:
        return rules.VERBS

    all_cards = staticmethod(without_jokers)
    initial = staticmethod(rules.initial)
    on_hand = staticmethod(rules.on_late_hand)

    def hand_size(self, state: PrecognitionState, seat: int) -> int | None:
        return state.hand_size if seat in state.seats else None

    def verify_hand(self, state: PrecognitionState, event: Event) -> None:
        """Jokers are out; an open hand may come late, a trusted one before its first card."""
        for card in event.args[0]:
            rules.verify_card(card)

    def gone_from_hand(self, state: PrecognitionState, seat: int) -> frozenset[Card]:
        """Cards of the row that this seat placed."""
        return frozenset(rules.placed_cards(state, seat))

    def verify_match(self, state: PrecognitionState, event: Event) -> None:
        """A tie is played off first, unless it is everybody's."""
        super().verify_match(state, event)
        if state.tied and not state.table.over and len(state.tied) < len(state.setup.players):
            names = " ".join(state.setup.players[seat] for seat in state.tied)
            raise state.illegal(
                "The tie comes first: “table: playoff {name}”, or “table: agree”.", name=names
            )

    def next_match(self, state: PrecognitionState, starter: int) -> PrecognitionState:
        return rules.start(state, tuple(range(len(state.setup.players))), starter)

    def on_agree(self, state: PrecognitionState, event: Event) -> PrecognitionState:
        """A tie ends as a draw of those tied; a match that is running, without a winner."""
        drawn = state.tied if state.table.match_over else ()
        text = N_("{names} agree on a draw.")
        reason = state.phrase(text, names=drawn) if drawn else N_("All agreed to stop.")
        return end_match(evolve(state, tied=()), reason, winners=drawn)

    def extra(self, state: PrecognitionState) -> dict[str, Any]:
        """The row's changes and each player's matching length."""
        lengths = {
            state.setup.players[seat]: stretch.length if stretch else 0
            for seat, stretch in rules.stretches(state).items()
        }
        return {"changes": state.changes, "lengths": lengths}

    def stretches(self, state: PrecognitionState) -> dict[str, tuple[int, int]]:
        """Where each prediction that is known occurs."""
        found = {}
        for seat, stretch in rules.stretches(state).items():
            prediction = state.predictions[seat]
            if stretch is not None and prediction is not None and state.table.match_over:
                caption = state.phrase(
                    "{name}: {text}, cards {start} to {end}, length {length}",
                    name=seat,
                    text=prediction.text,
                    start=stretch.start,
                    end=stretch.end,
                    length=stretch.length,
                )
                found[caption] = (stretch.start, stretch.end)
        return found

    def standing(self, state: PrecognitionState, seat: int) -> str:
        """What a player has written, as far as the state's owner knows it, until it is scored."""
        prediction = state.predictions[seat]
        if prediction is None or prediction.text is None or state.table.match_over:
            return ""
        words: str = state.phrase("prediction {text}", text=prediction.text)
        return words

    def zones(self, state: PrecognitionState) -> tuple[Zone, ...]:
        """The row and one hand per player."""
        zones = [Zone(ROW, N_("the row"), ZoneKind.ROW, None, state.row, face_up=True)]
        for seat in state.seats:
            held = hand_cards(state.held[seat], state.hand_size - state.placed_by(seat))
            zones.append(hand_as_zone(state, seat, held))
        return tuple(zones)

    def actors(self, state: PrecognitionState) -> tuple[int, ...]:
        """Those who have yet to write (or show) a prediction, then the one to place."""
        if state.table.match_over:
            return ()
        waiting = tuple(seat for seat in state.seats if state.predictions[seat] is None)
        if state.row and not state.is_complete:
            waiting = ()
        mover = () if state.table.to_move is None else (state.table.to_move,)
        return waiting + tuple(seat for seat in mover if seat not in waiting)

    def legal(self, state: PrecognitionState, seat: int) -> Iterable[Event]:
        """Every prediction of up to three letters; every card that the seat can hold."""
        if state.table.match_over or seat not in state.seats:
            return
        if state.predictions[seat] is None and (not state.row or state.is_complete):
            shown = state.is_complete
            for text in _short_predictions(min(3, state.length)):
                yield public(seat, "predict", text) if shown else private(seat, "predict", text)
        if state.table.to_move == seat and not state.is_complete:
            held = state.held[seat]
            if held is None and state.setup.trusted[seat]:
                return
            placed = set(state.row)
            cards = self.all_cards(state.setup) if held is None else held
            for card in cards:
                if card not in placed or not card.is_known:
                    yield public(seat, "place", card)

    def deal(self, state: PrecognitionState, rng: random.Random) -> tuple[tuple[Card, ...], ...]:
        """A hand for each seat (empty for those not in the play-off)."""
        cards = list(self.all_cards(state.setup))
        rng.shuffle(cards)
        hands = dict(zip(state.seats, dealt(cards, state.hand_size, len(state.seats)), strict=True))
        return tuple(hands.get(seat, ()) for seat in range(len(state.hands)))

    def forced(
        self, state: PrecognitionState, world: tuple[tuple[Card, ...], ...], rng: random.Random
    ) -> Event | None:
        """The deal; after a tie, the play-off."""
        if state.table.match_over:
            return public(None, "playoff", state.tied) if state.tied else None
        for seat in state.seats:
            if state.hands[seat] is None:
                return private(seat, "hand", world[seat])
        return None

    def proposals(self, state: PrecognitionState, sighting: Sighting) -> tuple[Proposal, ...]:
        """A new card in the row is a placement by the one to move."""
        mover = state.table.to_move
        if sighting.zone != ROW or mover is None or sighting.card in state.row:
            return ()
        return tuple(
            Proposal(public(mover, "place", card), confidence)
            for card, confidence in readings(sighting)
        )

    def opening(self, state: PrecognitionState) -> str:
        """The deal; see `Game.opening`."""
        return state.phrase("Deal {count} cards to each, face down.", count=state.hand_size)


def _short_predictions(limit: int) -> list[str]:
    """All strings over U, D, S up to a length, shorter ones first."""
    result: list[str] = []
    layer = [""]
    for _ in range(limit):
        layer = [text + letter for text in layer for letter in "UDS"]
        result += layer
    return result


GAME = Precognition()
