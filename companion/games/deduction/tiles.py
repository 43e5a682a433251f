"""Tiles that become known: turned up for all, recorded in a hand, turned up at the end."""

from __future__ import annotations

from companion.cards import Card
from companion.core.events import Event
from companion.core.state import FindingKind, evolve, find, put, record, say, take
from companion.errors import IllegalError
from companion.games.deduction import audit
from companion.games.deduction.state import CENTRE, DeductionState
from companion.phrases import joined, phrase


def verify_tiles(state: DeductionState, tiles: tuple[Card, ...]) -> None:
    """Refuses tiles that are not in play (with a deck of one's own)."""
    for tile in tiles:
        if tile.is_known and tile not in state.deck:
            raise IllegalError(
                phrase("{tile} is not among the tiles of this match.", tile=tile.code)
            )


def verify_up(state: DeductionState, event: Event) -> None:
    """As many tiles as are left over, once."""
    tiles = event.args[0]
    if state.up is not None:
        raise IllegalError("The tiles turned up are recorded already; correct that event instead.")
    if len(tiles) != state.left_over:
        raise IllegalError(
            phrase(
                "{left_over} tiles are left over and turned up, not {count}.",
                left_over=state.left_over,
                count=len(tiles),
            )
        )
    verify_tiles(state, tiles)


def apply_up(state: DeductionState, event: Event) -> DeductionState:
    """Turns up the left-over tiles."""
    tiles = event.args[0]
    state = record(state, tiles, CENTRE, event.n)
    state = evolve(state, up=tiles, up_event=event.n)
    names = joined(", ", (tile.name for tile in tiles))
    state = say(state, phrase("Turned up for all: {name}.", name=names))
    state = audit.check_missing(state, event.n)
    return audit.check_facts(state, event.n, phrase("the tiles turned up ({n})", n=event.n))


def on_hand(state: DeductionState, event: Event) -> DeductionState:
    """A hand was recorded: compares it with what was said and shown before."""
    seat = event.seat
    assert seat is not None
    state = evolve(state, hand_events=put(state.hand_events, seat, event.n))
    if event.hidden:
        return state
    tiles = event.args[0]
    state = _compare_known(state, seat, tiles, event.n)
    state = audit.check_seen(state, seat, event.n)
    name = state.setup.players[seat]
    return audit.check_facts(
        state, event.n, phrase("{name}'s recorded hand ({n})", name=name, n=event.n)
    )


def _compare_known(
    state: DeductionState, seat: int, tiles: tuple[Card, ...], n: int
) -> DeductionState:
    """Tiles seen in a hand before must be among all of its tiles, once these are listed."""
    if len(tiles) != state.hand_size:
        return state
    name = state.setup.players[seat]
    rest: tuple[Card, ...] | None = tiles
    for tile in state.known_tiles(seat):
        place = state.ledger[tile]
        left = take(rest, tile) if rest is not None else None
        if left is None and place.n != n and tile not in state.reported:
            message = phrase(
                "{name} was seen with {tile} ({n}), but the hand listed at {n2} has no such tile.",
                name=name,
                tile=tile.code,
                n=place.n,
                n2=n,
            )
            state = find(state, n, FindingKind.IMPOSSIBLE, message)
            state = evolve(state, reported=state.reported | {tile}, muddled=True)
        rest = left if left is not None else rest
    return state


def verify_reveal(state: DeductionState, event: Event) -> None:
    """At most a whole hand can be turned up."""
    assert event.seat is not None
    tiles = event.args[0]
    if len(tiles) > state.hand_size:
        name = state.setup.players[event.seat]
        raise IllegalError(
            phrase(
                "{name} holds {hand_size} tiles, not {count}.",
                name=name,
                hand_size=state.hand_size,
                count=len(tiles),
            )
        )
    verify_tiles(state, tiles)


def on_reveal(state: DeductionState, event: Event) -> DeductionState:
    """A hand, or a part of it, was turned up: the audit of everything said about it."""
    seat = event.seat
    if event.hidden or seat is None:
        return state
    tiles = event.args[0]
    name = state.setup.players[seat]
    held = state.held[seat]
    before = len(state.findings)
    for tile in tiles if held is not None else ():
        rest = take(held, tile) if held is not None else None
        if rest is None and tile not in state.reported:
            message = phrase(
                "{name} turns up {tile} ({n}), but {name}'s recorded hand ({hand_events}) "
                "has no such tile.",
                name=name,
                tile=tile.code,
                n=event.n,
                hand_events=state.hand_events[seat],
            )
            state = find(state, event.n, FindingKind.IMPOSSIBLE, message)
            state = evolve(state, reported=state.reported | {tile})
        held = rest if rest is not None else held
    if len(tiles) == state.hand_size and all(tile.is_known for tile in tiles):
        if len(state.findings) == before:
            state = _compare_known(state, seat, tiles, event.n)
        state = evolve(
            state,
            held=put(state.held, seat, tiles),
            turned=put(state.turned, seat, event.n),
        )
    muddled = state.muddled or len(state.findings) > before
    state = evolve(state, muddled=muddled)
    state = audit.check_seen(state, seat, event.n)
    return audit.check_facts(
        state, event.n, phrase("the tiles that {name} turns up ({n})", name=name, n=event.n)
    )
