"""What a cribbage hand is worth: four cards and the starter, or the crib.

Fifteens, pairs, runs, a flush and his nobs, as usually counted; a hand is worth 0 to 29.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, product
from math import dist

from companion.cards import Card, Family
from companion.errors import UsageError

#: Cards in a hand without the starter, what some cards are to add up to, and a court's value.
HAND, FIFTEEN, _COURT = 4, 15, 10
_LEAST_RUN, _JACK = 3, 11
#: The starter lies this many times as far from the hand as the hand's cards from each other.
_APART = 1.4


@dataclass(frozen=True, slots=True)
class Part:
    """Something that scores.

    Attributes:
        points: at least 1.
        cards: those that make it.
        why: its name: `fifteen`, `pair`, `run of 3`, `flush`, `his nobs`.
    """

    points: int
    cards: tuple[Card, ...]
    why: str


def count(hand: tuple[Card, ...], starter: Card, *, crib: bool = False) -> tuple[Part, ...]:
    """Everything that scores, each named, in the order in which people count it.

    Args:
        hand: four standard cards without jokers.
        starter: the card turned up.
        crib: whether it is the crib, in which a flush needs the starter too.

    Returns:
        Its parts; their points add up to 0 to 29.

    Raises:
        UsageError: they are no four cards and a starter, each known and there once.

    >>> from companion.cards import card, parse_cards
    >>> parts = count(parse_cards("5H 5S 5D JC"), card("5C"))
    >>> sum(part.points for part in parts)
    29
    """
    _check(hand, starter)
    return (
        *_fifteens((*hand, starter)),
        *_pairs((*hand, starter)),
        *_runs((*hand, starter)),
        *_flush(hand, starter, crib=crib),
        *_nobs(hand, starter),
    )


def _check(hand: tuple[Card, ...], starter: Card) -> None:
    if len(hand) != HAND:
        raise UsageError(f"A cribbage hand has {HAND} cards; this one has {len(hand)}.")
    for card in (every := (*hand, starter)):
        if card.family is not Family.STANDARD or not card.is_known or card.is_joker:
            raise UsageError(f"{card.code} does not count in cribbage: name rank and suit.")
        if every.count(card) > 1:
            raise UsageError(f"{card.code} is there twice.")


def _rank(card: Card) -> int:
    assert card.rank is not None
    return card.rank


def _fifteens(cards: tuple[Card, ...]) -> Iterator[Part]:
    for size in range(2, len(cards) + 1):
        for some in combinations(cards, size):
            if sum(min(_rank(card), _COURT) for card in some) == FIFTEEN:
                yield Part(2, some, "fifteen")


def _pairs(cards: tuple[Card, ...]) -> Iterator[Part]:
    for one, other in combinations(cards, 2):
        if one.rank == other.rank:
            yield Part(2, (one, other), "pair")


def _runs(cards: tuple[Card, ...]) -> Iterator[Part]:
    """The longest stretch of ranks, once for each choice among cards of one rank."""
    ordered = sorted(cards, key=_rank)
    ranks = {rank: tuple(same) for rank, same in groupby(ordered, key=_rank)}
    stretches = groupby(enumerate(sorted(ranks)), key=lambda pair: pair[1] - pair[0])
    for _, stretch in stretches:
        there = [rank for _, rank in stretch]
        if len(there) >= _LEAST_RUN:
            for run in product(*(ranks[rank] for rank in there)):
                yield Part(len(run), run, f"run of {len(run)}")


def _flush(hand: tuple[Card, ...], starter: Card, *, crib: bool) -> Iterator[Part]:
    """Four of a suit in the hand, five with the starter; in the crib five alone."""
    if len({card.suit for card in hand}) > 1:
        return
    if starter.suit == hand[0].suit:
        yield Part(5, (*hand, starter), "flush")
    elif not crib:
        yield Part(4, hand, "flush")


def _nobs(hand: tuple[Card, ...], starter: Card) -> Iterator[Part]:
    """The jack of the starter's suit, in the hand."""
    for card in hand:
        if card.rank == _JACK and card.suit == starter.suit:
            yield Part(1, (card,), "his nobs")


def apart(outlines: Sequence[Sequence[tuple[float, float]]]) -> int | None:
    """Which card lies apart from all others, None where none clearly does.

    Args:
        outlines: of at least three cards, each its corners as (x, y).
    """
    places = [tuple(sum(axis) / len(axis) for axis in zip(*one, strict=True)) for one in outlines]
    found = []
    for k, alone in enumerate(places):
        others = [place for place in places if place is not alone]
        if min(dist(alone, place) for place in others) > _APART * _widest_gap(others):
            found.append(k)
    return found[0] if len(found) == 1 else None


def _widest_gap(places: Sequence[tuple[float, ...]]) -> float:
    """The widest gap that joins all places: the longest edge of their smallest spanning tree."""
    groups = [{place} for place in places]
    widest = 0.0
    for gap, one, other in sorted((dist(a, b), a, b) for a, b in combinations(places, 2)):
        first = next(group for group in groups if one in group)
        second = next(group for group in groups if other in group)
        if first is not second:
            groups.remove(second)
            first |= second
            widest = gap
    return widest
