"""Bots for Suspense."""

from __future__ import annotations

import random
from collections.abc import Sequence

from companion.cards import Card, Family, family_cards
from companion.core.events import Event
from companion.games.suspense.conditions import CountedIn
from companion.games.suspense.state import Stage, SuspenseState

#: Deals of the unseen cards that the sensible bot imagines for each decision.
SAMPLES = 24


def sensible_bot(
    state: SuspenseState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Plays what meets the condition most often over imagined deals, and stays if that is likely.

    Staying brings 2 with the chance p to meet it and folding 1 with 1 − p, so it stays from a
    third on.
    """
    deals = [_imagine(state, seat, rng) for _ in range(SAMPLES)]
    if state.stage is Stage.DECLARE:
        wanted = "stay" if 3 * _chance(state, seat, deals, None) >= 1 else "fold"
        return next((event for event in actions if event.verb == wanted), actions[0])
    turns = [event for event in actions if event.verb in ("play", "pass")]
    if not turns:
        return rng.choice(actions)

    def promise(event: Event) -> float:
        card = event.args[0] if event.verb == "play" else None
        return _chance(state, seat, deals, card)

    return max(turns, key=promise)


_Deal = tuple[Card, tuple[tuple[Card, ...], ...]]


def _imagine(state: SuspenseState, seat: int, rng: random.Random) -> _Deal:
    """A secret card and hands that fit what the seat knows."""
    own = state.held[seat] or ()
    seen = {card for cards in state.played for card in cards} | set(own)
    secret = state.look.card if state.look is not None else None
    deck = family_cards(Family.SUSPENSE) if state.setup.cards is None else state.setup.cards
    rest = [card for card in deck if card not in seen and card is not secret]
    rng.shuffle(rest)
    if secret is None:
        secret = rest.pop()
    hands = []
    for other in range(len(state.setup.players)):
        count = state.left(other)
        if other == seat and state.held[seat] is not None:
            hands.append(own)
        else:
            hands.append(tuple(rest[:count]))
            del rest[:count]
    return secret, tuple(hands)


def _chance(state: SuspenseState, seat: int, deals: Sequence[_Deal], card: Card | None) -> float:
    """How often the seat meets the condition if the match ended after playing a card (or none)."""
    hits = 0
    for secret, hands in deals:
        condition = state.conditions[secret]
        piles = list(state.played if condition.place is CountedIn.PLAY else hands)
        if card is not None and condition.place is CountedIn.PLAY:
            piles[seat] = (*piles[seat], card)
        elif card is not None:
            piles[seat] = tuple(own for own in piles[seat] if own is not card)
        values = [condition.value(pile) for pile in piles]
        best = max((value for value in values if value is not None), default=None)
        hits += best is not None and values[seat] == best
    return hits / len(deals)
