"""Bots for Gotcha: both reason about one hand at a time, from their own seat's knowledge."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.cards import Card
from companion.core.events import Event, private, public
from companion.games.gotcha.audit import hidden_hands, recorded
from companion.games.gotcha.engine.fit import rank_ways
from companion.games.gotcha.state import GotchaState

Candidate = tuple[int, int, int, float]


def candidates(state: GotchaState, seat: int) -> list[Candidate]:
    """Every rank that a card of an opponent can have, as the seat knows.

    Returns:
        (opponent, x counted from the smallest, rank, chance), the chance judged for each hand by
        itself; empty if what is recorded contradicts itself.
    """
    hands, _, known = hidden_hands(recorded(state))
    found: list[Candidate] = []
    for other, hand in hands.items():
        if other == seat or other in known or not state.left(other):
            continue
        gone = state.gone(other)
        x = 0
        for position, row in enumerate(rank_ways(hand), 1):
            if position in gone:
                continue
            x += 1
            total = sum(row.values())
            found += [(other, x, rank, ways / total) for rank, ways in row.items()]
    return found


def _as_event(state: GotchaState, seat: int, choice: Candidate, *, call: bool) -> Event:
    """The candidate as a guess, counted from the nearer end."""
    other, x, rank, _ = choice
    size = state.left(other)
    from_top = size + 1 - x
    end, count = ("smallest", x) if x <= from_top else ("biggest", from_top)
    return public(seat, "gotcha" if call else "guess", other, end, count, rank)


def _depth(state: GotchaState, choice: Candidate) -> int:
    other, x, _, _ = choice
    return min(x, state.left(other) + 1 - x)


def guessing_bot(
    state: GotchaState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Guesses at random whatever it does not know to be wrong; calls Gotcha now and then."""
    if actions[0].verb == "discard":
        return private(seat, "discard", _random_discards(state, seat, rng))
    possible = candidates(state, seat)
    if not possible:
        return rng.choice(actions)
    choice = rng.choice(possible)
    call = _depth(state, choice) > 1 and rng.random() < 0.2
    return _as_event(state, seat, choice, call=call)


def sensible_bot(
    state: GotchaState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Makes the guess with the most expected points; calls Gotcha if that gains more than it risks.

    Discards at random, which gives an opponent nothing to read from the gaps.
    """
    if actions[0].verb == "discard":
        return private(seat, "discard", _random_discards(state, seat, rng))
    possible = candidates(state, seat)
    if not possible:
        return rng.choice(actions)

    def worth(choice: Candidate) -> float:
        chance, depth = choice[3], _depth(state, choice)
        gain = chance * (3 + depth)
        return gain + max(0.0, chance - (1 - chance) * depth) if depth > 1 else gain

    best = max(possible, key=worth)
    chance, depth = best[3], _depth(state, best)
    return _as_event(state, seat, best, call=depth > 1 and chance > (1 - chance) * depth)


def _random_discards(state: GotchaState, seat: int, rng: random.Random) -> tuple[Card, ...]:
    held = state.held[seat]
    assert held is not None
    return tuple(sorted(rng.sample(held, state.discarded)))
