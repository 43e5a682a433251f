"""Suspense behind the protocol that all games share."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from companion.cards import Card, Family
from companion.core.events import Event, private, public
from companion.core.game import Bot, Game, hand_cards, random_bot, unknowns
from companion.core.setup import COACH, GameInfo, Option, OptionKind, Setup
from companion.core.sightings import Proposal, Sighting, readings
from companion.core.state import Zone, ZoneKind, evolve, fresh_table, hand_zone, say
from companion.core.syntax import CardPart, NumberPart, PlayerPart
from companion.core.verb import Secrecy, Verb, Who
from companion.errors import IllegalError
from companion.games.suspense import rules, scoring
from companion.games.suspense.bots import sensible_bot
from companion.games.suspense.deckfile import check_conditions, read_conditions, write_conditions
from companion.games.suspense.state import SECRET, Stage, SuspenseState, play_zone
from companion.phrases import phrase

if TYPE_CHECKING:
    from companion.core.guidance import Guidance
    from companion.core.view import View
    from companion.notepad.base import Notepad

_CARD = ((CardPart(Family.SUSPENSE),),)


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
        summary="Play cards face up, guess which condition lies face down, and fold or stay.",
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
        Option(
            "target",
            "6",
            "Points that win the game.",
            OptionKind.NUMBER,
            bounds=(1, 100),
        ),
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
    bots: ClassVar[Mapping[str, Bot]] = {"random": random_bot, "sensible": sensible_bot}

    def own_verbs(self) -> Iterable[Verb[SuspenseState]]:
        """See `Game.own_verbs`."""
        return (*_match_verbs(), *_turn_verbs())

    def initial(self, setup: Setup) -> SuspenseState:
        """See `Game.initial`."""
        count = len(setup.players)
        return SuspenseState(
            setup=setup,
            table=evolve(fresh_table(setup), to_move=None),
            hands=(None,) * count,
            held=(None,) * count,
            printed=read_conditions(setup.options["conditions"]),
            played=((),) * count,
            turns=(0,) * count,
            shown=(None,) * count,
        )

    def verify_match(self, state: SuspenseState, event: Event) -> None:
        """The next match, until somebody has won the game."""
        super().verify_match(state, event)
        if state.table.over:
            raise IllegalError("The game is over: set up a new one.")

    def next_match(self, state: SuspenseState, starter: int) -> SuspenseState:
        """The starter deals."""
        return rules.start(state, starter)

    def hand_size(self, state: SuspenseState, seat: int) -> int | None:
        """See `Game.hand_size`."""
        return state.hand_size

    def verify_hand(self, state: SuspenseState, event: Event) -> None:
        """See `Game.verify_hand`."""
        rules.verify_hand(state, event)

    def on_hand(self, state: SuspenseState, event: Event) -> SuspenseState:
        """See `Game.on_hand`."""
        return rules.on_hand(state, event)

    def gone_from_hand(self, state: SuspenseState, seat: int) -> frozenset[Card]:
        """Cards in play were dealt to their player."""
        return frozenset(state.played[seat])

    def withheld(self, state: SuspenseState) -> frozenset[int]:
        """A folded hand stays folded: its owner may turn it up, nobody else."""
        numbers = [state.hand_events[seat] for seat in state.folded if state.hand_events]
        numbers += [shown.n for seat in state.folded if (shown := state.shown[seat]) is not None]
        return frozenset(numbers) - {0}

    def on_agree(self, state: SuspenseState, event: Event) -> SuspenseState:
        """All stop; nobody has reached the target."""
        reason = "All agreed to stop."
        table = evolve(
            state.table,
            match_over=True,
            over=True,
            to_move=None,
            match_winners=state.table.match_winners if state.table.match_over else (),
            reasons=(*state.table.reasons, reason),
        )
        return say(evolve(state, table=table), reason)

    def zones(self, state: SuspenseState) -> tuple[Zone, ...]:
        """Cards in play and hands of everybody, and the secret card."""
        zones = []
        for seat, name in enumerate(state.setup.players):
            held = hand_cards(state.held[seat], state.left(seat), Family.SUSPENSE)
            zones.append(
                Zone(
                    play_zone(seat),
                    phrase("{name}'s cards in play", name=name),
                    ZoneKind.DISPLAY,
                    seat,
                    state.played[seat],
                    face_up=True,
                )
            )
            title = phrase("{name}'s hand", name=name)
            zones.append(Zone(hand_zone(seat), title, ZoneKind.HAND, seat, held, face_up=False))
        card = state.secret
        if card is None and state.look is not None:
            card = state.look.card
        secret = unknowns(1, Family.SUSPENSE) if card is None else (card,)
        up = state.secret is not None
        return (*zones, Zone(SECRET, "the secret card", ZoneKind.SECRET, None, secret, face_up=up))

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
        held = state.held[seat]
        if held is not None and all(card.is_known for card in held):
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
        size = state.hand_size
        hands = tuple(
            tuple(sorted(cards[seat * size : (seat + 1) * size]))
            for seat in range(len(state.setup.players))
        )
        return World(hands, cards[-1])

    def forced(self, state: SuspenseState, world: World, rng: random.Random) -> Event | None:
        """The dealer, the d20, the deal, the dealer's look, and all that is turned up."""
        if state.stage is Stage.DEALER:
            return public(None, "dealer", rng.randrange(len(state.setup.players)))
        if state.table.match_over:
            return public(None, "dealer", self.starts_next(state))
        if state.setup.options["exclamation"] == "d20" and state.exclamation is None:
            return public(None, "exclamation", rng.randint(1, 20))
        for seat in state.order:
            if seat not in state.given:
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

    def verify_reveal(self, state: SuspenseState, event: Event) -> None:
        """See `companion.games.suspense.scoring`."""
        scoring.verify_reveal(state, event)

    def on_reveal(self, state: SuspenseState, event: Event) -> SuspenseState:
        """See `companion.games.suspense.scoring`."""
        return scoring.on_reveal(state, event)

    def guidance(self, view: View[SuspenseState]) -> Guidance:
        """See `companion.games.suspense.guidance`."""
        from companion.games.suspense.guidance import guidance

        return guidance(self, view)

    def notepad(self, view: View[SuspenseState]) -> Notepad | None:
        """See `companion.games.suspense.notepad`."""
        from companion.games.suspense.notepad import SuspensePad

        return SuspensePad(view.state, view.viewer, view.public)

    def coach_bot(self) -> Bot | None:
        """See `companion.games.suspense.coach_bot`."""
        from companion.games.suspense.coach_bot import coach_bot

        return coach_bot


def _match_verbs() -> tuple[Verb[SuspenseState], ...]:
    """The dealer, the d20 and the secret card."""
    return (
        Verb(
            "dealer",
            "Name the dealer, which begins each match.",
            ((PlayerPart(),),),
            rules.verify_dealer,
            rules.apply_dealer,
            who=Who.TABLE,
            late=True,
        ),
        Verb(
            "exclamation",
            "The d20 picks the condition of the ! for this match.",
            ((NumberPart(1, 20),),),
            rules.verify_exclamation,
            rules.apply_exclamation,
            who=Who.TABLE,
        ),
        Verb(
            "secret",
            "The dealer looks at the secret card (NAME*), or it is turned up for all (table).",
            _CARD,
            rules.verify_secret,
            scoring.apply_secret,
            who=Who.ANY,
            secrecy=Secrecy.EITHER,
        ),
    )


def _turn_verbs() -> tuple[Verb[SuspenseState], ...]:
    """Playing, passing, declaring."""
    declare = (((),), rules.verify_declare, rules.apply_declare)
    return (
        Verb("play", "Play a card face up.", _CARD, rules.verify_play, rules.apply_play),
        Verb("pass", "Skip the turn.", ((),), rules.verify_pass, rules.apply_pass),
        Verb("fold", "Fold: 1 point unless you meet the condition.", *declare),
        Verb("stay", "Stay: 2 points if you meet the condition, 1 each if several do.", *declare),
    )


GAME = Suspense()
