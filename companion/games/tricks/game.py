"""Trick-taking games behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from companion.cards import Card
from companion.core.events import Event, private, public
from companion.core.game import Bot, Game, dealt, hand_as_zone, hand_cards, unknowns
from companion.core.setup import Setup
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind, evolve, hand_zone, owned_zone
from companion.core.unchecked import Unchecked
from companion.core.verb import Verb
from companion.errors import IllegalError
from companion.games.tricks import audit, rules, scoring
from companion.games.tricks.bots import random_bot, sensible_bot
from companion.games.tricks.state import (
    MIDDLE,
    STOCK,
    TAKEN,
    TURNED,
    Law,
    Stage,
    TricksState,
)
from companion.phrases import N_, Name, phrase


@dataclass(frozen=True, slots=True)
class World:
    """Where every card of a simulated match is: dealt by seat, and the one turned up."""

    hands: tuple[tuple[Card, ...], ...]
    turned: Card | None


class TrickGame(Game[TricksState], Law):
    """The kernel of all trick-taking games. A game derives from it and overrides parts of `Law`."""

    seen_changes: ClassVar[frozenset[str]] = frozenset({"laid", "moved", "turned up", "read anew"})
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot, "sensible": sensible_bot}
    folder = __package__

    verify_hand = staticmethod(rules.verify_hand)
    on_hand = staticmethod(rules.on_hand)
    verify_reveal = staticmethod(rules.verify_reveal)
    on_reveal = staticmethod(rules.on_reveal)

    def own_verbs(self) -> Iterable[Verb[TricksState]]:
        """Playing and claiming, and what the game has of passing, trumps and bids."""
        has = {"pass": self.passed, "trump": self.turns_up, "bid": self.has_bids}
        for verb in rules.VERBS:
            if verb.name == "bid" and self.nil:
                yield evolve(verb, forms=((rules.BidPart(0, 26, has_nil=True),),))
            elif has.get(verb.name, True):
                yield verb

    def all_cards(self, setup: Setup) -> tuple[Card, ...]:
        """The cards without jokers, and without those that so many players leave out."""
        if setup.cards is not None:
            return setup.cards
        return self.pack(
            len(setup.players), tuple(card for card in self.deck.cards if not card.is_joker)
        )

    def initial(self, setup: Setup) -> TricksState:
        return scoring.unplayed(self, setup, self.all_cards(setup))

    def next_match(self, state: TricksState, starter: int) -> TricksState:
        fresh = super().next_match(state, starter)
        return scoring.dealt(evolve(fresh, kept=state.kept))

    def verify_match(self, state: TricksState, event: Event) -> None:
        """The next match, until the target is reached."""
        super().verify_match(state, event)
        if state.table.over and self.has_target(state.setup):
            raise IllegalError("The game is over: set up a new one.")

    def hand_size(self, state: TricksState, seat: int) -> int | None:
        return state.size

    def readers_later(self, state: TricksState, event: Event) -> tuple[int, ...]:
        """Who is passed cards sees them after passing too."""
        places = self.passes_to(state)
        if event.verb != "pass" or event.seat is None or not places:
            return ()
        return ((event.seat + places) % len(state.hands),)

    def on_agree(self, state: TricksState, event: Event) -> TricksState:
        """All stop; who leads after the matches played out wins."""
        return scoring.agreed(state)

    # -- what lies where ----------------------------------------------------------------------

    def zones(self, state: TricksState) -> tuple[Zone, ...]:
        """The trick, hands, tricks taken, the card turned up, and the cards not dealt."""
        size, seats = len(state.hands), range(len(state.hands))
        open_trick = state.trick or state.last_trick
        cards = tuple(play.card for play in open_trick)
        title, laid_by = N_("the trick"), tuple(play.seat for play in open_trick)
        if open_trick:
            text = N_("the trick: {names}") if state.trick else N_("the last trick: {names}")
            title = state.phrase(text, names=laid_by)
        zones = [Zone(MIDDLE, title, ZoneKind.DISPLAY, None, cards, face_up=True, laid_by=laid_by)]
        stock = len(state.deck) - state.size * size
        if self.has_turned(state) and self.turned_owner(state) is None and stock:
            turned = unknowns(1) if state.turned is None else (state.turned,)
            kind = ZoneKind.DISPLAY
            zones.append(Zone(TURNED, N_("the card turned up"), kind, None, turned, face_up=True))
            stock -= 1
        zones += [
            hand_as_zone(state, seat, hand_cards(state.held[seat], state.left(seat)))
            for seat in seats
        ]
        for seat in seats:
            count = state.takers.count(seat) * size
            if not state.trick and state.takers and state.takers[-1] == seat:
                count -= size  # it still lies in the middle, to be looked at
            title, zone = state.phrase("the cards {name} took", name=seat), owned_zone(TAKEN, seat)
            pile = ZoneKind.PILE
            zones.append(Zone(zone, title, pile, seat, unknowns(count), face_up=False))
        if stock:
            title, pile = N_("the cards not dealt"), ZoneKind.PILE
            zones.append(Zone(STOCK, title, pile, None, unknowns(stock), face_up=False))
        return tuple(zones)

    def told(self, setup: Setup, event: Event) -> str:
        """A nil as such, and a claim with the number of its tricks."""
        if event.verb == "bid" and event.args == (0,) and event.seat is not None and self.nil:
            return phrase(rules.NIL_BID, name=Name(setup.players[event.seat]))
        if event.verb != "claim" or event.seat is None or event.args in ((), (None,)):
            return ""
        (count,) = event.args
        return phrase(rules.claims(count), name=Name(setup.players[event.seat]), count=count)

    def standing(self, state: TricksState, seat: int) -> str:
        """Bid and tricks taken."""
        return "" if state.table.match_over else self.says(state, seat)

    def proposals(self, state: TricksState, sighting: Sighting) -> tuple[Proposal, ...]:
        """A new card in the middle is the next player's; a card turned up decides the trumps."""
        if sighting.zone == TURNED and state.stage is Stage.TRUMP:
            return tuple(Proposal(public(None, "trump", c), p) for c, p in readings(sighting))
        # The last trick may still lie there when the next card is led.
        lying = {play.card for play in (*state.last_trick, *state.trick)}
        if sighting.zone != MIDDLE or sighting.card in lying or state.stage is not Stage.PLAY:
            return ()
        seats, near = self.actors(state), sighting.seats
        if len(seats) > 1:
            # Whoever has the card that leads: its place tells whose it was, if it is clear.
            seats = tuple(sorted(seats, key=lambda s: near.index(s) if s in near else len(near)))
            if len(near) != 1 or near[0] not in seats:
                card, sure = sighting.card, sighting.confidence
                return tuple(Proposal(public(seat, "play", card), sure) for seat in seats)
        found = tuple(Proposal(public(seats[0], "play", c), p) for c, p in readings(sighting))
        if len(near) != 1 or near[0] == seats[0]:
            return found
        # It lies before somebody else: either it is that one's, out of turn, or it lies astray.
        astray = Proposal(public(near[0], "play", sighting.card), sighting.confidence / 2)
        return (*(evolve(one, confidence=one.confidence / 2) for one in found), astray)

    def unchecked(self, state: TricksState) -> tuple[Unchecked, ...]:
        """Plays and a claim that hidden cards could belie."""
        return tuple(audit.unchecked(state)) if state.table.match_over else ()

    # -- who may do what -----------------------------------------------------------------------

    def actors(self, state: TricksState) -> tuple[int, ...]:
        """Those who pass; the one to move; who may hold the card that has to lead."""
        stage = state.stage
        if stage is Stage.PASS:
            return state.passers
        if stage in (Stage.TRUMP, Stage.OVER):
            return ()
        first = self.first_card(state) if not state.plays else None
        if first is None:
            return super().actors(state)
        return tuple(s for s in range(len(state.hands)) if first in self.can_hold(state, s))

    def can_hold(self, state: TricksState, seat: int) -> tuple[Card, ...]:
        """The cards of a hand; if it is not known, those that can be in it."""
        held = state.whole_hand(seat)
        if held is not None:
            return held
        zone = hand_zone(seat)
        gone = {c for limit in state.limits if limit.seat == seat and not limit.doubted
                for c in limit.bar.cards}  # fmt: skip
        unseen = [
            card
            for card in self.all_cards(state.setup)
            if (place := state.ledger.get(card)) is None or place.zone == zone
        ]
        return tuple(card for card in unseen if card not in gone) or tuple(unseen)

    def legal(self, state: TricksState, seat: int) -> Iterable[Event]:
        """Every card, every number of tricks, every choice of cards to pass; no claims."""
        stage = state.stage
        if stage is Stage.PASS and seat in state.passers:
            yield from self._passes(state, seat)
        elif stage is Stage.BID:
            bids = (public(seat, "bid", count) for count in range(state.size + 1))
            yield from (bid for bid in bids if self.can(state, bid))
        elif stage is Stage.PLAY:
            cards = self.can_hold(state, seat)
            known = state.held[seat] is not None
            for card in cards:
                is_kept = not known or audit.broken(state, seat, card) is None
                if is_kept and self.can(state, play := public(seat, "play", card)):
                    yield play

    def _passes(self, state: TricksState, seat: int) -> Iterable[Event]:
        hand = state.hands[seat]
        if hand is not None and all(card.is_known for card in hand):
            for cards in combinations(hand, self.passed):
                yield private(seat, "pass", cards)
        elif not state.setup.trusted[seat] or hand is not None:
            yield private(seat, "pass", unknowns(self.passed))

    # -- simulated play ------------------------------------------------------------------------

    def deal(self, state: TricksState, rng: random.Random) -> World:
        """Shuffles and deals; the dealer's last card or the next one of the pack is turned up."""
        cards = list(self.all_cards(state.setup))
        rng.shuffle(cards)
        hands = dealt(cards, state.size, len(state.hands))
        if not self.has_turned(state):
            return World(hands, None)
        owner = self.turned_owner(state)
        at = state.size * len(hands)
        return World(hands, cards[at] if owner is None else rng.choice(hands[owner]))

    def forced(self, state: TricksState, world: World, rng: random.Random) -> Event | None:
        """The deal, and the card turned up."""
        if state.table.match_over:
            return None
        for seat, hand in enumerate(world.hands):
            if not state.hand_events[seat] and not state.plays:
                return private(seat, "hand", hand)
        if state.stage is Stage.TRUMP:
            return public(None, "trump", world.turned)
        return None

    def opening(self, state: TricksState) -> str:
        """The deal, and who play together; see `Game.opening`."""
        deal = self._deals(state)
        if not self.partners:
            return deal
        text = N_("{deal} {names} play against {names2}.")
        return state.phrase(text, deal=deal, names=state.side(0), names2=state.side(1))

    def _deals(self, state: TricksState) -> str:
        """What is taken out, and who deals."""
        full = tuple(card for card in self.deck.cards if not card.is_joker)
        kept = self.pack(len(state.hands), full) if state.setup.cards is None else full
        gone = [card.name for card in full if card not in kept]
        fields = {"name": state.dealer, "count": state.size}
        if state.size == 1:
            return state.phrase(N_("{name} deals {count} card to each."), **fields)
        if not gone:
            return state.phrase(N_("{name} deals {count} cards to each."), **fields)
        text = (
            N_("Take the {card} out; {name} deals {count} cards to each.")
            if len(gone) == 1
            else N_("Take the {card} and the {card2} out; {name} deals {count} cards to each.")
        )
        return state.phrase(text, card=gone[0], card2=gone[-1], **fields)

    def extra(self, state: TricksState) -> dict[str, Any]:
        """Tricks taken, and bids where there are any."""
        names = state.setup.players
        found: dict[str, Any] = {"tricks": {n: state.taken(s) for s, n in enumerate(names)}}
        if self.has_bids:
            found["bids"] = dict(zip(names, state.bids, strict=True))
        return found
