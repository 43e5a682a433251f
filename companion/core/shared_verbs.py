"""The verbs every game has: `hand`, `reveal`, `agree`, `disclose` and `match`.

Games adapt them through hooks (`hand_size`, `on_reveal`, …) or replace one with a verb of the same
name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic

from companion.cards import Card, Family
from companion.core.events import DISCLOSE, Event
from companion.core.state import StateT, evolve, hand_zone, put, record, say
from companion.core.syntax import CardsPart, PlayerPart
from companion.core.verb import HAND, MATCH, REVEAL, Secrecy, Verb, Who
from companion.errors import IllegalError
from companion.phrases import N_, number_of_cards


class SharedVerbs(ABC, Generic[StateT]):
    """What the verbs that all games share ask of a game; a game overrides what differs."""

    #: Family of the cards in hands, piles and rows.
    family: ClassVar[Family] = Family.STANDARD

    @abstractmethod
    def next_match(self, state: StateT, starter: int) -> StateT:
        """The state at the start of the session's next match (`table: match`)."""

    def hand_size(self, state: StateT, seat: int) -> int | None:
        """Number of cards `hand` must list for the seat; None if the seat is dealt none."""
        return None

    def starts_next(self, state: StateT) -> int:
        """The seat that starts the next match unless another is named: the next clockwise."""
        return (state.table.starter + 1) % len(state.setup.players)

    def verify_match(self, state: StateT, event: Event) -> None:
        """Raises where `table: match` may not happen; by default while a match is running."""
        if not state.table.match_over:
            raise IllegalError("This match is not over yet: finish it, or stop it with “agree”.")

    def verify_hand(self, state: StateT, event: Event) -> None:
        """Further reasons against a `hand`, beyond its number of cards and being the first."""

    def on_hand(self, state: StateT, event: Event) -> StateT:
        """After a `hand` was recorded."""
        return state

    def gone_from_hand(self, state: StateT, seat: int) -> frozenset[Card]:
        """Cards already recorded that this seat was dealt, for a `hand` that comes late."""
        return frozenset()

    def verify_reveal(self, state: StateT, event: Event) -> None:
        """Reasons against a `reveal`."""

    def on_reveal(self, state: StateT, event: Event) -> StateT:
        """After a `reveal` was recorded: the audit of what it shows belongs here."""
        return state

    def withheld(self, state: StateT) -> frozenset[int]:
        """Numbers of private events of this match that stay hidden when all else is disclosed."""
        return frozenset()

    def verify_agree(self, state: StateT, event: Event) -> None:
        """Reasons against `table: agree` beyond the match being over."""

    def on_agree(self, state: StateT, event: Event) -> StateT:
        """All agreed to stop: the match (and the session's game) ends as it stands."""
        table = evolve(state.table, match_over=True, over=True, to_move=None)
        return evolve(state, table=table)

    def shared_verbs(self) -> tuple[Verb[StateT], ...]:
        """The five verbs, bound to the game's hooks."""
        cards = CardsPart(self.family)
        return (
            Verb(
                HAND,
                "Record what a player was dealt, once per match; nobody else is told.",
                ((cards,),),
                verify=lambda state, event: _verify_hand(self, state, event),
                apply=lambda state, event: _apply_hand(self, state, event),
                secrecy=Secrecy.PRIVATE,
            ),
            Verb(
                REVEAL,
                "Turn up hidden cards; with NAME*: to the referee alone.",
                ((cards,),),
                verify=self.verify_reveal,
                apply=lambda state, event: _apply_reveal(self, state, event),
                secrecy=Secrecy.EITHER,
                late=True,
            ),
            Verb(
                "agree",
                "All agree to stop here.",
                ((),),
                verify=lambda state, event: _verify_agree(self, state, event),
                apply=self.on_agree,
                who=Who.TABLE,
                late=True,
            ),
            Verb(
                DISCLOSE,
                "After the match, if all agree: what is private becomes public permanently.",
                ((),),
                verify=_verify_disclose,
                apply=lambda state, event: _apply_disclose(self, state, event),
                who=Who.TABLE,
                late=True,
            ),
            Verb(
                MATCH,
                "Begin the next match of the session, the starter named or the next in turn.",
                ((), (PlayerPart("STARTER"),)),
                verify=self.verify_match,
                apply=lambda state, event: _apply_match(self, state, event),
                who=Who.TABLE,
                late=True,
            ),
        )


def _verify_hand(game: SharedVerbs[StateT], state: StateT, event: Event) -> None:
    seat = event.actor
    size = game.hand_size(state, seat)
    if size is None:
        raise state.illegal("{name} is dealt no hand in this match.", name=seat)
    if (state.table.match, seat) in state.handed:
        raise state.illegal(
            "{name}'s hand is recorded already; correct that event instead.", name=seat
        )
    count = len(event.args[0])
    if count != size:
        text = N_("{name} was dealt {cards}, not {count} (write ?? for unread ones).")
        raise state.illegal(text, name=seat, cards=number_of_cards(size), count=count)
    game.verify_hand(state, event)


def _apply_hand(game: SharedVerbs[StateT], state: StateT, event: Event) -> StateT:
    seat = event.actor
    events = state.hand_events or (0,) * len(state.setup.players)
    state = evolve(state, hand_events=put(events, seat, event.n))
    if event.hidden:
        return game.on_hand(state, event)
    cards = event.args[0]
    gone = game.gone_from_hand(state, seat)
    fresh = [card for card in cards if card not in gone]
    state = record(state, fresh, hand_zone(seat), event.n)
    state = evolve(state, hands=put(state.hands, seat, cards), held=put(state.held, seat, cards))
    return game.on_hand(state, event)


def _apply_reveal(game: SharedVerbs[StateT], state: StateT, event: Event) -> StateT:
    if not event.hidden:
        zone = hand_zone(event.actor)
        state = record(state, event.args[0], zone, event.n, come_from=(zone,))
    return game.on_reveal(state, event)


def _verify_agree(game: SharedVerbs[StateT], state: StateT, event: Event) -> None:
    if state.table.over:
        raise IllegalError("The game is over already.")
    game.verify_agree(state, event)


def _verify_disclose(state: StateT, event: Event) -> None:
    if not state.table.match_over:
        raise IllegalError("Secrets are disclosed when the match is over, not before.")


def _apply_disclose(game: SharedVerbs[StateT], state: StateT, event: Event) -> StateT:
    withheld = state.withheld | game.withheld(state)
    state = evolve(state, disclosed_to=event.n, withheld=withheld)
    return say(state, "Everything private is disclosed: everybody may read it now.")


def _apply_match(game: SharedVerbs[StateT], state: StateT, event: Event) -> StateT:
    starter = event.args[0] if event.args else game.starts_next(state)
    before = evolve(state, withheld=state.withheld | game.withheld(state))
    after = game.next_match(before, starter)
    return evolve(
        after,
        disclosed=before.disclosed,
        shared=before.shared,
        disclosed_to=before.disclosed_to,
        withheld=before.withheld,
        handed=before.handed,
    )
