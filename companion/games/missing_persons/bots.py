"""Bots for Missing Persons."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from companion.cards import Card
from companion.core.events import Event, public
from companion.games.missing_persons.audit import candidates
from companion.games.missing_persons.state import MissingState

#: How often the random bot takes a kind of action, against the others that are open to it.
_WEIGHTS = {"guess": 1, "ask": 20, "ask cryptic": 10, "turn": 12, "unturn": 3, "done": 3}


def random_bot(
    state: MissingState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Chooses a kind of action first, so that fifty possible guesses do not drown the rest."""
    kinds: defaultdict[str, list[Event]] = defaultdict(list)
    for event in actions:
        kinds[event.verb].append(event)
    weights = [_WEIGHTS.get(kind, 10) for kind in kinds]
    kind = rng.choices(list(kinds), weights)[0]
    return rng.choice(kinds[kind])


def sensible_bot(
    state: MissingState, seat: int, actions: Sequence[Event], rng: random.Random
) -> Event:
    """Turns over what is ruled out, asks what halves the candidates best, guesses the last one."""
    verbs = {event.verb for event in actions}
    if not verbs & {"ask", "guess", "turn"}:
        return rng.choice(actions)
    left = candidates(state, 1 - seat)
    identities = list(dict.fromkeys(card.identity for card in left))
    if "guess" in verbs and (len(identities) == 1 or (state.forced and identities)):
        return public(seat, "guess", middle(identities))
    excluded = state.ruled_out(seat)
    if excluded and "turn" in verbs:
        return public(seat, "turn", excluded)
    asks = [event for event in actions if event.verb == "ask"]
    if not asks:
        return rng.choice([e for e in actions if e.verb in ("guess", "done")] or list(actions))

    def imbalance(event: Event) -> tuple[int, float]:
        yes = sum(event.args[0].answer(card) for card in left)
        return abs(2 * yes - len(left)), rng.random()

    best = min(asks, key=imbalance)
    splits = 0 < sum(best.args[0].answer(card) for card in left) < len(left)
    if not splits and identities and "guess" in verbs:
        return public(seat, "guess", middle(identities))
    return best


def middle(cards: list[Card]) -> Card:
    """A card of middle rank: the closest on average, where closeness decides."""
    ranked = sorted(cards, key=lambda card: card.rank or 0)
    return ranked[len(ranked) // 2]
