"""Simulated play of Missing Persons: the physical cards, truthful answers, what may be done."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from companion.cards import SUITS, Card
from companion.core.events import Event, private, public
from companion.core.game import unknowns
from companion.games.missing_persons.questions.question import (
    COLOURS,
    EVEN,
    NUMBER_CARD,
    ROYAL,
    Question,
    arc_down_round,
    arc_up,
    tapped,
    why_not_plain,
)
from companion.games.missing_persons.state import MissingState


@dataclass(frozen=True, slots=True)
class World:
    """Where every card of a simulated match is.

    Attributes:
        persons: the missing persons by seat.
        displays: the cards dealt by seat.
        pile: the pick-up pile, the next card first.
    """

    persons: tuple[Card, ...]
    displays: tuple[tuple[Card, ...], ...]
    pile: tuple[Card, ...]


def set_up(state: MissingState, world: World) -> Event:
    """The next step of the set-up."""
    for seat in (0, 1):
        if not state.hidden[seat]:
            return private(seat, "hide", world.persons[seat])
    seat = 1 if state.displays[0] else 0
    return public(None, "deal", seat, world.displays[seat])


def draw(state: MissingState, world: World, rng: random.Random) -> Event | None:
    """The draw that a Yes allows, None if there is none."""
    mover = state.table.to_move
    if mover is None or not state.may_draw or not (count := state.to_draw(mover)):
        return None
    cards = world.pile[state.drawn : state.drawn + count]
    if state.setup.options["draw"] == "one":
        place = state.displays[mover][rng.choice(state.turned(mover))]
        return public(mover, "draw", cards[0], place.card)
    return public(mover, "draw", cards)


def truth(state: MissingState, seat: int, person: Card) -> Event | None:
    """A seat's true answer to the question or guess; None for a cryptic question."""
    if state.asked is None:
        guess = state.guesses[1 - seat]
        assert guess is not None
        return public(seat, "right" if guess.card is person.identity else "wrong")
    question = state.asked.question
    if question is None and not person.is_joker:
        return None
    return public(seat, "yes" if question is not None and question.answer(person) else "no")


def draws(state: MissingState, seat: int) -> Iterable[Event]:
    """Draws of cards that nobody has read yet."""
    busy = state.asked is not None or state.open_guess is not None
    if busy or state.table.to_move != seat or not state.may_draw:
        return
    count = state.to_draw(seat)
    if not count:
        return
    cards = unknowns(count)
    if state.setup.options["draw"] == "all":
        yield public(seat, "draw", cards)
        return
    for place in state.turned(seat):
        yield public(seat, "draw", cards[0], state.displays[seat][place].card)


def turnings(state: MissingState, seat: int) -> Iterable[Event]:
    """What the answers exclude at once; any single suspect over or up."""
    excluded = state.ruled_out(seat)
    if len(excluded) > 1:
        yield public(seat, "turn", excluded)
    for verb, up in (("turn", True), ("unturn", False)):
        spots = (spot.card for spot in state.displays[seat] if spot.up is up)
        for suspect in dict.fromkeys(spots):
            yield public(seat, verb, (suspect,))


@cache
def representative_questions() -> tuple[Question, ...]:
    """Plain questions for every situation: colours, suits, named ranks, arcs, and mixtures."""
    sides = (frozenset(SUITS), *COLOURS.values())
    ranks = [ROYAL, NUMBER_CARD, EVEN, *(arc_up(1, high) for high in range(2, 12))]
    ranks += [arc_up(low, low + 1) for low in range(2, 11, 2)]
    ranks += [arc_up(low, low + 3) for low in range(3, 9, 2)]
    ranks += [arc_down_round(3, 12), arc_down_round(5, 11)]
    found = [tapped(suits=members) for members in (*COLOURS.values(), *SUITS)]
    for side in sides:
        found += [tapped(ranks=chosen, suits=side) for chosen in ranks]
    found += [tapped(suits=suit, ranks=arc_up(1, 6)) for suit in SUITS]
    unique = {question.cards: question for question in found}
    return tuple(q for q in unique.values() if why_not_plain(q) is None)
