"""Suspense behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from companion.cards import Card, Family
from companion.core.events import Event, private, public
from companion.core.game import Bot, Game, dealt, hand_as_zone, hand_cards, random_bot, unknowns
from companion.core.match import end_match
from companion.core.setup import COACH, GameInfo, Option, OptionKind, Preset
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind, hand_zone
from companion.core.verb import Verb
from companion.errors import IllegalError
from companion.games.suspense import rules, scoring
from companion.games.suspense.bots import sensible_bot
from companion.games.suspense.deckfile import check_conditions, read_conditions, write_conditions
from companion.games.suspense.state import SECRET, Stage, SuspenseState, initial, play_zone
from companion.phrases import N_


@dataclass(frozen=True, slots=True)
class World:
    """Where every card of a simulated match is: dealt by seat, and the secret one."""

    hands: tuple[tuple[Card, ...], ...]
    secret: Card


class Suspense(Game[SuspenseState]):
    """Cards in play and in hand against a condition that lies face down."""

    info = GameInfo(
        name="suspense",
        title="Suspense",
        summary="Guess what lies face down; fold or stay.",
        min_players=2,
        max_players=3,
        minutes=15,
        decks=("suspense",),
    )
    options = (
        Option(
            "fold",
            "at_end",
            "Folding is declared when the match has ended, or instead of any turn but the first.",
            OptionKind.CHOICE,
            ("at_end", "any_turn"),
        ),
        Option("target", "6", "Points that win the game.", OptionKind.NUMBER, bounds=(1, 100)),
        Option(
            "exclamation",
            "fixed",
            "The ! bears the condition of its deck, or one of twenty that a d20 picks each match.",
            OptionKind.CHOICE,
            ("fixed", "d20"),
        ),
        Option(
            "conditions",
            "",
            "Which card bears which condition: a deck file, or changes to the bundled deck.",
            OptionKind.FILE,
            check=check_conditions,
            written_out=lambda value: write_conditions(read_conditions(value)),
        ),
        COACH,
    )
    family = Family.SUSPENSE
    presets = (
        Preset("Short game: 3 points", "The first player with three points wins.", {"target": "3"}),
        Preset("Long game: 10 points", "The first player with ten points wins.", {"target": "10"}),
    )
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot, "sensible": sensible_bot}
    folder = __package__

    def own_verbs(self) -> Iterable[Verb[SuspenseState]]:
        return (*rules.VERBS, *scoring.VERBS)

    initial = staticmethod(initial)
    next_match = staticmethod(rules.start)
    verify_hand = staticmethod(rules.verify_hand)
    on_hand = staticmethod(rules.on_hand)
    withheld = staticmethod(rules.withheld)
    verify_reveal = staticmethod(scoring.verify_reveal)
    on_reveal = staticmethod(scoring.on_reveal)

    def verify_match(self, state: SuspenseState, event: Event) -> None:
        """The next match, until somebody has won the game."""
        super().verify_match(state, event)
        if state.table.over:
            raise IllegalError("The game is over: set up a new one.")

    def hand_size(self, state: SuspenseState, seat: int) -> int | None:
        return state.hand_size

    def gone_from_hand(self, state: SuspenseState, seat: int) -> frozenset[Card]:
        """Cards in play were dealt to their player."""
        return frozenset(state.played[seat])

    def on_agree(self, state: SuspenseState, event: Event) -> SuspenseState:
        """All stop; nobody has reached the target."""
        best = state.table.match_winners if state.table.match_over else ()
        return end_match(state, N_("All agreed to stop."), match_winners=best)

    def zones(self, state: SuspenseState) -> tuple[Zone, ...]:
        """Cards in play and hands of everybody, and the secret card."""
        zones = []
        for seat in range(len(state.setup.players)):
            title = state.phrase("{name}'s cards in play", name=seat)
            played, kind = state.played[seat], ZoneKind.DISPLAY
            zones.append(Zone(play_zone(seat), title, kind, seat, played, face_up=True))
            held = hand_cards(state.held[seat], state.left(seat), Family.SUSPENSE)
            zones.append(hand_as_zone(state, seat, held))
        card = state.secret
        if card is None and state.look is not None:
            card = state.look.card
        secret = unknowns(1, Family.SUSPENSE) if card is None else (card,)
        up = state.secret is not None
        return (*zones, Zone(SECRET, "the secret card", ZoneKind.SECRET, None, secret, face_up=up))

    def standing(self, state: SuspenseState, seat: int) -> str:
        """Whether a player has folded or stays, and who may look at the secret card."""
        if seat in state.folded:
            return N_("folded")
        if seat in state.stayed:
            return N_("stays")
        is_on = state.stage in (Stage.PLAY, Stage.DECLARE) and not state.table.match_over
        may_look = is_on and seat == state.table.starter and state.look is None
        return N_("may look at the secret card") if may_look else ""

    def meaning(self, state: SuspenseState, card: Card) -> str:
        """The victory condition that a card bears."""
        bears = state.conditions.get(card)
        return "" if bears is None else str(bears)

    def actors(self, state: SuspenseState) -> tuple[int, ...]:
        """The one to move; at the end those whose hands decide."""
        if state.table.match_over:
            return ()
        if state.stage is Stage.REVEAL:
            return scoring.wanted_hands(state)
        return super().actors(state)

    def legal(self, state: SuspenseState, seat: int) -> Iterable[Event]:
        """Every card the seat can hold, passing, folding, staying; turning up a known hand."""
        if state.table.match_over:
            return
        held = state.held[seat]
        if state.stage is Stage.REVEAL:
            if seat in scoring.wanted_hands(state) and held is not None:
                yield public(seat, "reveal", held)
            return
        cards = self._can_hold(state, seat)
        events = [public(seat, "play", card) for card in cards]
        events += [public(seat, verb) for verb in ("pass", "fold", "stay")]
        yield from (event for event in events if self.can(state, event))

    def _can_hold(self, state: SuspenseState, seat: int) -> tuple[Card, ...]:
        """The cards of a hand; if it is not known, all that were not seen elsewhere."""
        held = state.whole_hand(seat)
        if held is not None:
            return held
        own = hand_zone(seat)
        return tuple(
            card
            for card in self.all_cards(state.setup)
            if (place := state.ledger.get(card)) is None or place.zone == own
        )

    def deal(self, state: SuspenseState, rng: random.Random) -> World:
        """Shuffles and deals evenly; the last card is the secret."""
        cards = list(self.all_cards(state.setup))
        rng.shuffle(cards)
        return World(dealt(cards, state.hand_size, len(state.hands)), cards[-1])

    def forced(self, state: SuspenseState, world: World, rng: random.Random) -> Event | None:
        """The dealer, the d20, the deal, the dealer's look, and all that is turned up."""
        if state.stage is Stage.DEALER:
            return public(None, "dealer", rng.randrange(len(state.setup.players)))
        if state.table.match_over:
            return public(None, "dealer", self.starts_next(state))
        if state.setup.options["exclamation"] == "d20" and state.exclamation is None:
            return public(None, "exclamation", rng.randint(1, 20))
        for seat in state.order:
            if not state.hand_events[seat]:
                return private(seat, "hand", world.hands[seat])
        if state.look is None:
            return private(state.table.starter, "secret", world.secret)
        if state.stage is not Stage.REVEAL:
            return None
        if state.secret is None:
            return public(None, "secret", world.secret)
        for seat in scoring.wanted_hands(state):
            left = tuple(c for c in world.hands[seat] if c not in state.played[seat])
            return public(seat, "reveal", left)
        return None

    def automatic(self, state: SuspenseState) -> Event | None:
        """The secret card is turned up by the referee if it was entrusted with it."""
        if state.table.match_over or state.stage is not Stage.REVEAL or state.secret is not None:
            return None
        look = state.look
        if look is None or look.card is None or not state.setup.trusted[state.table.starter]:
            return None
        return public(None, "secret", look.card)

    def proposals(self, state: SuspenseState, sighting: Sighting) -> tuple[Proposal, ...]:
        """A new card in front of somebody was played; the secret card and hands are turned up."""
        found: list[tuple[Event, float]] = []
        for seat, played in enumerate(state.played):
            if sighting.zone == play_zone(seat) and sighting.card not in played:
                found = [(public(seat, "play", c), p) for c, p in readings(sighting)]
        if sighting.zone == SECRET and state.secret is None:
            found = [(public(None, "secret", c), p) for c, p in readings(sighting)]
        for seat in scoring.wanted_hands(state):
            if sighting.zone == hand_zone(seat) and state.left(seat) == 1:
                found += [(public(seat, "reveal", (c,)), p) for c, p in readings(sighting)]
            elif sighting.zone == hand_zone(seat) and len(sighting.lying) == state.left(seat):
                cards = tuple(card for card, _ in sighting.lying)
                least = min(chance for _, chance in sighting.lying)
                found.append((public(seat, "reveal", cards), least))
        return tuple(Proposal(event, confidence) for event, confidence in found)


GAME = Suspense()
