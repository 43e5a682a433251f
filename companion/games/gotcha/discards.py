"""What to discard in Gotcha: cards without which the hand looks least as others must expect it.

Before the first guess an opponent can only reckon with every choice of discards alike. A hand is
the better the fewer points its cards are worth by those chances: the sum over its positions of the
chance of the true rank there times the points for naming it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from companion.cards import Card
from companion.games.gotcha.checks import deck_of
from companion.games.gotcha.state import GotchaState
from companion.notepad.gotcha import GotchaKnowledge, solve

#: Choices tried, and how many of the best are left to chance, so that nobody can read them.
_TRIED = 200
_LEFT = 4


@lru_cache(maxsize=8)
def _expected(stock: tuple[Card, ...], kept: int) -> tuple[dict[int, float], ...]:
    """The chance of each rank at each position of a hand of so many cards out of a stock."""
    rows = solve(GotchaKnowledge((("hand", kept),), deck=stock)).positions["hand"]
    return tuple(rows[at] for at in range(1, kept + 1))


def exposure(hand: Sequence[Card], expected: Sequence[dict[int, float]]) -> float:
    """Points that a hand is worth to others by their first chances.

    Args:
        hand: in ascending order.
        expected: the chance of each rank at each position.
    """
    total, size = 0.0, len(hand)
    for at, (card, row) in enumerate(zip(hand, expected, strict=True)):
        total += row.get(card.rank or 0, 0.0) * (3 + min(at + 1, size - at))
    return total


def best_discards(state: GotchaState, seat: int, rng: random.Random) -> list[tuple[Card, ...]]:
    """The best few choices of discards from the seat's recorded hand, the best first."""
    held = state.held[seat]
    assert held is not None
    cards = sorted(held, key=lambda card: (card.rank or 0, card))
    deck = deck_of(state.setup)
    # Where everything is dealt to two players, each knows what the other was dealt.
    all_dealt = len(state.points) == 2 and 2 * state.dealt == len(deck)
    stock = tuple(cards) if all_dealt and all(c.is_known for c in cards) else deck
    expected = _expected(stock, state.kept)

    def worth(chosen: frozenset[int]) -> float:
        hand = [card for at, card in enumerate(cards) if at not in chosen]
        return exposure(hand, expected)

    choices = set(_choices(len(cards), state.discarded, rng))
    ranked = sorted(choices, key=lambda chosen: (worth(chosen), sorted(chosen)))
    return [tuple(sorted(cards[at] for at in chosen)) for chosen in ranked[:_LEFT]]


def _choices(size: int, count: int, rng: random.Random) -> Iterable[frozenset[int]]:
    """Blocks, pairs of blocks and random choices of positions; all of them where they are few."""
    if count == 1:
        yield from map(frozenset, combinations(range(size), 1))
        return
    for first in range(size - count + 1):
        yield frozenset(range(first, first + count))
    for low in range(count + 1):
        yield frozenset([*range(low), *range(size - count + low, size)])
    for _ in range(_TRIED):
        yield frozenset(rng.sample(range(size), count))
