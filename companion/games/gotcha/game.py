"""Gotcha behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from companion.cards import RANKS, Card
from companion.core.events import Event, private, public
from companion.core.game import Bot, Game, dealt, hand_as_zone, unknowns, without_jokers
from companion.core.setup import COACH, STARTER, GameInfo, Preset, Setup
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind, owned_zone
from companion.core.unchecked import Unchecked
from companion.core.verb import Verb
from companion.games.gotcha import rules, scoring
from companion.games.gotcha.bots import guessing_bot, sensible_bot
from companion.games.gotcha.state import (
    ASIDE,
    DEAL,
    ON_ENDS,
    ONE_OF_RANK,
    PILE,
    SHOWN,
    STOCK,
    GotchaState,
    by_rank,
    place_words,
)
from companion.phrases import N_, Name, phrase


class Gotcha(Game[GotchaState]):
    """Guesses at cards by their places in hands held in ascending order."""

    info = GameInfo(
        name="gotcha",
        title="Gotcha",
        summary="Guess the others' cards by their places.",
        min_players=2,
        max_players=5,
        minutes=25,
        decks=("standard", "four-index", "french", "german", "dutch", "russian", "nordic"),
    )
    options = (STARTER, DEAL, ON_ENDS, SHOWN, COACH)
    presets = (
        Preset("Short game: 10 cards each", "None is discarded.", {"deal": "10"}),
        Preset("Quick game: 6 cards each", "None is discarded.", {"deal": "6"}),
    )
    begins = N_("Match {match}: {name} guesses first.")
    bots: ClassVar[Mapping[str, Bot]] = {"random": guessing_bot, "sensible": sensible_bot}
    folder = __package__

    def own_verbs(self) -> Iterable[Verb[GotchaState]]:
        return rules.VERBS

    all_cards = staticmethod(without_jokers)
    initial = staticmethod(scoring.initial)
    on_hand = staticmethod(rules.on_hand)
    verify_reveal = staticmethod(rules.verify_reveal)
    on_reveal = staticmethod(rules.on_reveal)

    def hand_size(self, state: GotchaState, seat: int) -> int | None:
        return state.dealt

    def verify_hand(self, state: GotchaState, event: Event) -> None:
        """Refuses jokers."""
        for card in event.args[0]:
            rules.verify_card(card)

    def gone_from_hand(self, state: GotchaState, seat: int) -> frozenset[Card]:
        """Cards shown after a right guess, and discards."""
        return frozenset(state.shown(seat)) | frozenset(state.aside[seat] or ())

    def on_agree(self, state: GotchaState, event: Event) -> GotchaState:
        """Scores stand: the top scorers win."""
        return scoring.finish(state, N_("All agreed to stop."))

    def awaits_answer(self, state: GotchaState) -> bool:
        """A guess waits for its answer."""
        return state.pending is not None and not state.table.match_over

    def automatic(self, state: GotchaState) -> Event | None:
        """The answer of a player who trusts the referee."""
        guess = state.pending
        if guess is None or state.table.match_over or not state.setup.trusted[guess.of]:
            return None
        return self._truth(state)

    def _truth(self, state: GotchaState) -> Event | None:
        """The true answer that is due, None if the hand is not known."""
        guess = state.pending
        hand = state.sorted_hand(guess.of) if guess is not None else None
        if guess is None or hand is None:
            return None
        card = hand[guess.index]
        if card.rank == guess.rank:
            return public(guess.of, "right", card)
        return public(guess.of, "wrong")

    def unchecked(self, state: GotchaState) -> tuple[Unchecked, ...]:
        """Answers about hands that nobody has seen; a card that was shown proves a rank alone."""
        found = []
        for seat in range(len(state.points)):
            count = sum(g.of == seat and bool(g.answer) for g in state.guesses)
            left = state.left(seat)
            is_known = not left or state.sorted_hand(seat) is not None
            if count and not is_known and not state.setup.trusted[seat]:
                found.append(Unchecked(seat, count, left))
        return tuple(found)

    def told(self, setup: Setup, event: Event) -> str:
        """A guess as people say it."""
        if event.verb not in ("guess", "gotcha") or event.seat is None or event.hidden:
            return ""
        of, end, place, rank = event.args
        if None in (of, end, place):
            return ""
        return phrase(
            N_("{name} calls Gotcha: {other}'s {place} is {one}.")
            if event.verb == "gotcha"
            else N_("{name} guesses: {other}'s {place} is {one}."),
            name=Name(setup.players[event.seat]),
            other=Name(setup.players[of]),
            place=place_words(place, smallest=end == "smallest"),
            one="…" if rank is None else ONE_OF_RANK[rank - 1],
        )

    def zones(self, state: GotchaState) -> tuple[Zone, ...]:
        """The guessed cards face up, each hand, each player's discards, the cards not dealt."""
        shown = tuple(g.card for g in state.guesses if g.card is not None)
        seats, kinds = range(len(state.points)), ZoneKind
        zones = [Zone(PILE, N_("the guessed cards"), kinds.DISCARD, None, shown, face_up=True)]
        zones += [hand_as_zone(state, seat, _hand_cards(state, seat)) for seat in seats]
        for seat in seats if state.discarded else ():
            cards: tuple[Card, ...] = ()
            if state.has_discarded(seat) or not _is_whole(state, seat):
                cards = state.aside[seat] or unknowns(state.discarded)
            zone, title = owned_zone(ASIDE, seat), state.phrase("{name}'s discards", name=seat)
            zones.append(Zone(zone, title, kinds.DISCARD, seat, cards, face_up=False))
        rest = unknowns(len(self.all_cards(state.setup)) - state.dealt * len(seats))
        zones.append(Zone(STOCK, N_("the cards not dealt"), kinds.PILE, None, rest, face_up=False))
        return tuple(zones)

    def actors(self, state: GotchaState) -> tuple[int, ...]:
        """Who has to answer; before the first guess those who discard; else whose turn it is."""
        if state.table.match_over:
            return ()
        if state.pending is not None:
            return (state.pending.of,)
        if state.discarded and not state.guesses:
            waiting = tuple(
                seat
                for seat in range(len(state.points))
                if not state.aside_events[seat]
                and (state.setup.trusted[seat] or state.hand_events[seat])
            )
            if waiting:
                return waiting
        return super().actors(state)

    def legal(self, state: GotchaState, seat: int) -> Iterable[Event]:
        """Every card of every opponent with every rank; some discards; both answers."""
        if state.table.match_over:
            return
        guess = state.pending
        if guess is not None:
            if guess.of == seat:
                yield from self._answers(state, seat)
            return
        held = state.held[seat]
        if state.discarded and not state.guesses and not state.aside_events[seat] and held:
            yield private(seat, "discard", held[: state.discarded])
            yield private(seat, "discard", held[-state.discarded :])
        trusted = state.setup.trusted[seat]
        ready = held is not None and (not state.discarded or bool(state.aside_events[seat]))
        if state.table.to_move != seat or (trusted and not ready):
            return
        for other in range(len(state.points)):
            if other != seat:
                yield from self._guesses(state, seat, other)

    def _guesses(self, state: GotchaState, seat: int, other: int) -> Iterable[Event]:
        """Each card once, counted from its nearer end, first without and then with a Gotcha."""
        size = state.left(other)
        on_ends = state.setup.is_on("gotcha_on_ends")
        for x in range(1, size + 1):
            top = size + 1 - x
            end, count = ("smallest", x) if x <= top else ("biggest", top)
            for rank in range(1, len(RANKS) + 1):
                yield public(seat, "guess", other, end, count, rank)
                if count > 1 or on_ends:
                    yield public(seat, "gotcha", other, end, count, rank)

    def _answers(self, state: GotchaState, seat: int) -> Iterable[Event]:
        """The truth if the seat's hand is recorded, else both answers."""
        truth = self._truth(state)
        if truth is not None:
            yield truth
        elif not state.setup.trusted[seat]:
            yield public(seat, "wrong")
            yield public(seat, "right")

    def deal(self, state: GotchaState, rng: random.Random) -> tuple[tuple[Card, ...], ...]:
        """The hand dealt to each seat."""
        cards = list(self.all_cards(state.setup))
        rng.shuffle(cards)
        hands = dealt(cards, state.dealt, len(state.points))
        return tuple(tuple(sorted(hand, key=lambda c: (c.rank or 0, c))) for hand in hands)

    def forced(
        self, state: GotchaState, world: tuple[tuple[Card, ...], ...], rng: random.Random
    ) -> Event | None:
        """The deal, then truthful answers."""
        if state.table.match_over:
            return None
        for seat, hand in enumerate(world):
            if not state.hand_events[seat]:
                return private(seat, "hand", hand)
        return self._truth(state)

    def proposals(self, state: GotchaState, sighting: Sighting) -> tuple[Proposal, ...]:
        """A card that joins the guessed ones is the answer to the guess, if one was made."""
        guess, mover = state.pending, state.table.to_move
        shown = (card for seat in range(len(state.points)) for card in state.shown(seat))
        if sighting.zone != PILE or sighting.card in shown:
            return ()
        if guess is not None:
            seat = guess.of
        elif mover is not None:
            seat = (mover + 1) % len(state.points)
        else:
            return ()
        return tuple(
            Proposal(public(seat, "right", card), confidence)
            for card, confidence in readings(sighting)
        )

    def opening(self, state: GotchaState) -> str:
        """The deal and the discard; see `Game.opening`."""
        count, kept = state.dealt, state.discarded
        if not kept:
            return state.phrase(
                "Deal {count} cards to each. Hold them in ascending order.", count=count
            )
        if kept == 1:
            return state.phrase(
                "Deal {count} cards to each. Everybody discards one unseen and holds the rest in "
                "ascending order.",
                count=count,
            )
        return state.phrase(
            "Deal {count} cards to each. Everybody discards {kept} unseen and holds the rest in "
            "ascending order.",
            count=count,
            kept=kept,
        )


def _is_whole(state: GotchaState, seat: int) -> bool:
    """Whether the referee waits for a seat's discards: all cards dealt are in the hand until then.

    Else nothing is said of them, and the cards that can be guessed are what is left.
    """
    return state.setup.trusted[seat] or bool(state.hand_events[seat])


def _hand_cards(state: GotchaState, seat: int) -> tuple[Card, ...]:
    """A hand for its zone: in ascending order where known."""
    held = state.held[seat]
    if not state.has_discarded(seat):
        count = state.dealt if _is_whole(state, seat) else state.left(seat)
        return by_rank(held) if held else unknowns(count)
    known = state.sorted_hand(seat)
    if known is not None:
        return known
    left = state.left(seat)
    if held is not None and state.is_settled(seat) and len(held) == left:
        return held
    return unknowns(left)


GAME = Gotcha()
