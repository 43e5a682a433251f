"""Bots for trick-taking games; both judge by their own seat's hand and what lies open."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.cards import Card
from companion.core.events import Event, private
from companion.games.tricks.rules import winner
from companion.games.tricks.state import Play, TricksState, strength

#: How often a card takes a trick, by its strength, outside trumps and as a trump.
_PLAIN = {14: 0.85, 13: 0.55, 12: 0.2}
_TRUMP = {14: 1.0, 13: 0.9, 12: 0.7, 11: 0.5}
_LOW_TRUMP = 0.35


def expected_tricks(state: TricksState, cards: Sequence[Card]) -> float:
    """About how many tricks a hand takes."""
    trump = state.trump
    total = 0.0
    for card in cards:
        if card.suit == trump:
            total += _TRUMP.get(strength(card), _LOW_TRUMP)
        else:
            total += _PLAIN.get(strength(card), 0.0)
    return total


def random_bot(
    state: TricksState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Bids about what its hand is worth, so that games end; all else is chosen at random."""
    if actions[0].verb != "bid":
        return rng.choice(actions)
    return _bid(state, seat, actions, rng.uniform(-1.5, 0.5))


def sensible_bot(
    state: TricksState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Takes tricks as cheaply as it can where it wants them, and ducks where it does not."""
    if actions[0].verb == "bid":
        return _bid(state, seat, actions, -0.3)
    if actions[0].verb == "pass":
        held = state.whole_hand(seat) or ()
        if len(held) < state.law.passed:
            return actions[0]
        return private(seat, "pass", worst_cards(state, held))
    cards = {event.args[0]: event for event in actions}
    return cards[_play(state, seat, list(cards))]


def worst_cards(state: TricksState, held: Sequence[Card]) -> tuple[Card, ...]:
    """The cards to pass: the dearest, and of equal ones the highest."""
    worst = sorted(held, key=lambda card: (state.law.costs(card), strength(card)))
    return tuple(worst[-state.law.passed :])


def _bid(state: TricksState, seat: int, actions: Sequence[Event], shift: float) -> Event:
    """The bid nearest to what the hand is worth; no nil, unless all other bids are further off."""
    value = expected_tricks(state, state.held[seat] or ()) + shift
    return min(
        actions,
        key=lambda event: abs(event.args[0] - value) + bool(state.law.nil and not event.args[0]),
    )


def wants_tricks(state: TricksState, seat: int) -> bool:
    """Whether a seat tries to take tricks now."""
    if state.law.info.low_wins:
        return False
    bid = state.bids[seat]
    if bid is None:
        return True
    if bid == 0:
        return False
    side = state.side(seat)
    return sum(state.taken(other) for other in side) < sum(state.bids[s] or 0 for s in side)


def _play(state: TricksState, seat: int, cards: list[Card]) -> Card:
    """A card of those that may be played."""
    by_cost = sorted(cards, key=lambda card: (state.law.costs(card), strength(card)))
    by_strength = sorted(cards, key=lambda card: (card.suit == state.trump, strength(card)))
    trick, want = state.trick, wants_tricks(state, seat)
    if not trick:
        return by_strength[-1] if want else by_strength[0]
    takes = [card for card in by_strength if winner(state, (*trick, Play(0, seat, card))) == seat]
    ducks = [card for card in by_cost if card not in takes]
    if want:
        partner_has_it = winner(state, trick) in state.side(seat)
        if takes and not partner_has_it:
            return takes[0]
        return (ducks or by_strength)[0]
    if ducks:
        led = [card for card in ducks if card.suit == state.led]
        return max(led, key=strength) if led else ducks[-1]
    is_last = len(trick) == len(state.hands) - 1
    return takes[-1] if is_last else takes[0]
