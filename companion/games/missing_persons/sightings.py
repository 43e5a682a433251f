"""What a card seen on the table of Missing Persons could mean."""

from __future__ import annotations

from companion.cards import Card, Change
from companion.core.events import Event, public
from companion.core.game import unknowns
from companion.core.sightings import Proposal, Sighting, readings
from companion.games.missing_persons.state import MissingState, display_zone, hideout

#: Chance of a card that the eyes did not think of.
_BARELY = 0.002


def proposals(state: MissingState, sighting: Sighting) -> tuple[Proposal, ...]:
    """A display was dealt, drawn onto or turned over; a missing person was turned up."""
    found: list[tuple[Event, float]] = []
    for seat in (0, 1):
        if sighting.zone == hideout(seat) and state.shown[seat] is None:
            found = [(public(seat, "reveal", c), p) for c, p in readings(sighting)]
        elif sighting.zone == display_zone(seat):
            found = _on_display(state, seat, sighting)
    return tuple(Proposal(event, confidence) for event, confidence in found)


def _on_display(state: MissingState, seat: int, sighting: Sighting) -> list[tuple[Event, float]]:
    card, sure = sighting.card, sighting.confidence
    if not state.displays[seat]:
        return _deal(state, seat, sighting)
    up = card in state.suspects(seat)
    if sighting.change == Change.TURNED_OVER:
        return [(public(seat, "turn", (card,)), _turned(state, seat, sighting))] if up else []
    if up:
        return []
    if any(card is spot.card and not spot.up for spot in state.displays[seat]):
        # Only seen to be turned up: eyes that never saw it turned over take nothing back.
        up_again = sighting.change == Change.TURNED_UP
        return [(public(seat, "unturn", (card,)), sure)] if up_again else []
    return _draw(state, seat, sighting)


def _turned(state: MissingState, seat: int, sighting: Sighting) -> float:
    """How sure it is which suspect was turned over.

    It lay face up among the others, and those that still lie there were not turned over.
    """
    lying = {card for card, _ in sighting.lying}
    if not lying:
        return sighting.confidence
    rest = dict(readings(sighting))
    others = [card for card in state.suspects(seat) if card not in lying]
    whole = sum(rest.get(card, _BARELY) for card in others)
    return max(sighting.confidence, rest[sighting.card] / whole) if whole > 0 else 0.0


def _deal(state: MissingState, seat: int, sighting: Sighting) -> list[tuple[Event, float]]:
    """The whole display at once, as soon as it lies there."""
    if len(sighting.lying) != state.display_size:
        return []
    cards = tuple(card for card, _ in sighting.lying)
    return [(public(None, "deal", seat, cards), min(sure for _, sure in sighting.lying))]


def _draw(state: MissingState, seat: int, sighting: Sighting) -> list[tuple[Event, float]]:
    """Cards drawn onto turned-over places: one by one, or all of a Yes together."""
    mover, count = state.table.to_move, state.to_draw(seat)
    if state.setup.options["draw"] == "one":
        places = [state.displays[seat][i].card for i in state.turned(seat)]
        return [
            (public(seat, "draw", seen, place), sure)
            for seen, sure in readings(sighting)
            for place in places
        ]
    new = [(c, p) for c, p in sighting.lying if c not in state.suspects(seat)]
    expected = mover == seat and state.may_draw and count > 0
    if expected and len(new) < count and sighting.lying:
        return []
    if len(new) > 1:
        cards = tuple(card for card, _ in new)
        return [(public(seat, "draw", cards), min(sure for _, sure in new))]
    rest: tuple[Card, ...] = unknowns(max(0, count - 1))
    return [(public(seat, "draw", (seen, *rest)), sure) for seen, sure in readings(sighting)]
