"""The verbs every game has: `hand`, `reveal`, `agree`, `disclose` and `match`.

Games shape them through the hooks of `companion.game.Game` (`hand_size`, `on_reveal`, …) or
replace one by a verb of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.errors import IllegalError
from companion.events import DISCLOSE, Event
from companion.game import HAND, MATCH, REVEAL, Secrecy, Verb, Who
from companion.phrases import phrase
from companion.state import StateT, evolve, hand_zone, put, record, say
from companion.syntax import CardsPart, PlayerPart

if TYPE_CHECKING:
    from companion.game import Game


def common_verbs(game: Game[StateT]) -> tuple[Verb[StateT], ...]:
    """The five verbs, bound to a game's hooks."""
    cards = CardsPart(game.family)
    return (
        Verb(
            HAND,
            "Record what a player was dealt, once a match; nobody else is told.",
            ((cards,),),
            verify=lambda state, event: _verify_hand(game, state, event),
            apply=lambda state, event: _apply_hand(game, state, event),
            secrecy=Secrecy.PRIVATE,
        ),
        Verb(
            REVEAL,
            "Turn up hidden cards; with NAME*: to the referee alone.",
            ((cards,),),
            verify=game.verify_reveal,
            apply=lambda state, event: _apply_reveal(game, state, event),
            secrecy=Secrecy.EITHER,
            late=True,
        ),
        Verb(
            "agree",
            "All agree to stop here.",
            ((),),
            verify=lambda state, event: _verify_agree(game, state, event),
            apply=game.on_agree,
            who=Who.TABLE,
            late=True,
        ),
        Verb(
            DISCLOSE,
            "After the match, by consent of all: what is private becomes public for good.",
            ((),),
            verify=_verify_disclose,
            apply=lambda state, event: _apply_disclose(game, state, event),
            who=Who.TABLE,
            late=True,
        ),
        Verb(
            MATCH,
            "Begin the next match of the session, the starter named or the next in turn.",
            ((), (PlayerPart("STARTER"),)),
            verify=game.verify_match,
            apply=lambda state, event: _apply_match(game, state, event),
            who=Who.TABLE,
            late=True,
        ),
    )


def _verify_hand(game: Game[StateT], state: StateT, event: Event) -> None:
    seat = event.seat
    assert seat is not None
    name = state.setup.players[seat]
    size = game.hand_size(state, seat)
    if size is None:
        raise IllegalError(phrase("{name} is dealt no hand in this match.", name=name))
    if state.hands[seat] is not None:
        raise IllegalError(
            phrase("{name}'s hand is recorded already; correct that event instead.", name=name)
        )
    count = len(event.args[0])
    if count != size:
        raise IllegalError(
            phrase(
                "{name} was dealt {size} cards, not {count} (write ?? for unread ones).",
                name=name,
                size=size,
                count=count,
            )
        )
    game.verify_hand(state, event)


def _apply_hand(game: Game[StateT], state: StateT, event: Event) -> StateT:
    if event.hidden:
        return game.on_hand(state, event)
    seat = event.seat
    assert seat is not None
    cards = event.args[0]
    gone = game.gone_from_hand(state, seat)
    fresh = [card for card in cards if card not in gone]
    state = record(state, fresh, hand_zone(seat), event.n)
    state = evolve(state, hands=put(state.hands, seat, cards), held=put(state.held, seat, cards))
    return game.on_hand(state, event)


def _apply_reveal(game: Game[StateT], state: StateT, event: Event) -> StateT:
    if not event.hidden and event.seat is not None:
        zone = hand_zone(event.seat)
        state = record(state, event.args[0], zone, event.n, come_from=(zone,))
    return game.on_reveal(state, event)


def _verify_agree(game: Game[StateT], state: StateT, event: Event) -> None:
    if state.table.over:
        raise IllegalError("The game is over already.")
    game.verify_agree(state, event)


def _verify_disclose(state: StateT, event: Event) -> None:
    if not state.table.match_over:
        raise IllegalError("Secrets are disclosed when the match is over, not before.")


def _apply_disclose(game: Game[StateT], state: StateT, event: Event) -> StateT:
    withheld = state.withheld | game.withheld(state)
    state = evolve(state, disclosed_to=event.n, withheld=withheld)
    return say(state, "Everything private is disclosed: everybody may read it now.")


def _apply_match(game: Game[StateT], state: StateT, event: Event) -> StateT:
    starter = event.args[0] if event.args else game.starts_next(state)
    withheld = state.withheld | game.withheld(state)
    after = game.next_match(state, starter)
    return evolve(
        after,
        disclosed=state.disclosed,
        disclosed_to=state.disclosed_to,
        withheld=withheld,
        handed=state.handed,
    )
