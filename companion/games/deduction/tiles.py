"""Tiles that become known: turned up for all, recorded in a hand, turned up at the end."""

from __future__ import annotations

from companion.cards import Card, Family
from companion.core.events import Event
from companion.core.state import FindingKind, evolve, find, put, record, say, take
from companion.core.syntax import CardsPart
from companion.core.verb import VerbTable, Who
from companion.errors import IllegalError
from companion.games.deduction import audit
from companion.games.deduction.state import CENTRE, DeductionState
from companion.phrases import N_, joined, phrase

VERBS = VerbTable[DeductionState]()


def verify_tiles(state: DeductionState, tiles: tuple[Card, ...]) -> None:
    """Refuses tiles that are not in play (with a custom deck)."""
    for tile in tiles:
        if tile.is_known and tile not in state.deck:
            raise state.illegal("{tile} is not among the tiles of this match.", tile=tile)


def verify_up(state: DeductionState, event: Event) -> None:
    """As many tiles as are left over, once."""
    tiles = event.args[0]
    if state.up is not None:
        raise IllegalError("The tiles turned up are recorded already; correct that event instead.")
    if len(tiles) != state.left_over:
        text = N_("{left_over} tiles are left over and turned up, not {count}.")
        raise state.illegal(text, left_over=state.left_over, count=len(tiles))
    verify_tiles(state, tiles)


@VERBS(
    "up",
    "Record the left-over tiles that are turned up for all.",
    verify_up,
    CardsPart(Family.TILE, "TILES"),
    who=Who.TABLE,
)
def apply_up(state: DeductionState, event: Event) -> DeductionState:
    """Turns up the left-over tiles."""
    tiles = event.args[0]
    state = record(state, tiles, CENTRE, event.n)
    state = evolve(state, up=tiles, up_event=event.n)
    names = joined(", ", (tile.name for tile in tiles))
    state = say(state, "Turned up for all: {name}.", name=names)
    state = audit.check_missing(state, event.n)
    return audit.check_facts(state, event.n, phrase("the tiles turned up ({n})", n=event.n))


def on_hand(state: DeductionState, event: Event) -> DeductionState:
    """A hand was recorded: compares it with what was said and shown before."""
    if event.hidden:
        return state
    seat, n = event.actor, event.n
    state = _compare_known(state, seat, event.args[0], n)
    state = audit.check_seen(state, seat, n)
    lead = state.phrase("{name}'s recorded hand ({n})", name=seat, n=n)
    return audit.check_facts(state, n, lead)


def _compare_known(
    state: DeductionState, seat: int, tiles: tuple[Card, ...], n: int
) -> DeductionState:
    """Tiles seen in a hand before must be among all of its tiles, once these are listed."""
    if len(tiles) != state.hand_size:
        return state
    rest: tuple[Card, ...] | None = tiles
    for tile in state.known_tiles(seat):
        place = state.ledger[tile]
        left = take(rest, tile) if rest is not None else None
        if left is None and place.n != n and tile not in state.reported:
            state = find(
                state,
                n,
                FindingKind.IMPOSSIBLE,
                "{name} was seen with {tile} ({n}), but the hand listed at {n2} has no such tile.",
                name=seat,
                tile=tile,
                n=place.n,
                n2=n,
            )
            state = evolve(state, reported=state.reported | {tile}, muddled=True)
        rest = left if left is not None else rest
    return state


def verify_reveal(state: DeductionState, event: Event) -> None:
    """At most a whole hand can be turned up."""
    tiles = event.args[0]
    if len(tiles) > state.hand_size:
        text = N_("{name} holds {hand_size} tiles, not {count}.")
        raise state.illegal(text, name=event.actor, hand_size=state.hand_size, count=len(tiles))
    verify_tiles(state, tiles)


def on_reveal(state: DeductionState, event: Event) -> DeductionState:
    """A hand, or a part of it, was turned up: the audit of everything said about it."""
    if event.hidden:
        return state
    seat, tiles, n = event.actor, event.args[0], event.n
    held = state.held[seat]
    before = len(state.findings)
    for tile in tiles if held is not None else ():
        rest = take(held, tile) if held is not None else None
        if rest is None and tile not in state.reported:
            state = find(
                state,
                n,
                FindingKind.IMPOSSIBLE,
                "{name} turns up {tile} ({n}), but {name}'s recorded hand ({hand_events}) "
                "has no such tile.",
                name=seat,
                tile=tile,
                n=n,
                hand_events=state.hand_events[seat],
            )
            state = evolve(state, reported=state.reported | {tile})
        held = rest if rest is not None else held
    if len(tiles) == state.hand_size and all(tile.is_known for tile in tiles):
        if len(state.findings) == before:
            state = _compare_known(state, seat, tiles, n)
        turned = put(state.turned, seat, n)
        state = evolve(state, held=put(state.held, seat, tiles), turned=turned)
    state = evolve(state, muddled=state.muddled or len(state.findings) > before)
    state = audit.check_seen(state, seat, n)
    lead = state.phrase("the tiles that {name} turns up ({n})", name=seat, n=n)
    return audit.check_facts(state, n, lead)
