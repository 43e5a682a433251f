"""Chances, reasons and contradictions from a notepad's facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from companion.cards import Card
from companion.games.tricks.engine.count import Counts, count, count_where
from companion.games.tricks.engine.facts import NoneOf, TrickFact, TrickKnowledge
from companion.notepad.facts import Oracle, Why, bits, by_trial, settling_place, smallest_core
from companion.notepad.placing import Group, fits


@dataclass(frozen=True, slots=True)
class TrickChances:
    """What follows from what is known.

    Attributes:
        worlds: number of deals.
        places: by name of the place, each card's chance; those of no chance are left out.
    """

    worlds: int
    places: Mapping[str, Mapping[Card, float]]

    def chances(self, place: str) -> Mapping[Card, float]:
        """The chances of a place."""
        return self.places.get(place, {})


class _Deals:
    """The cards of a deal with the places that facts leave open to them."""

    def __init__(self, known: TrickKnowledge) -> None:
        self.known = known
        self.names = [name for name, _ in known.room]
        self.room = [size for _, size in known.room]
        self.all = (1 << len(self.names)) - 1
        self.bit = {name: 1 << k for k, name in enumerate(self.names)}

    def masks(self, facts: Iterable[TrickFact]) -> dict[Card, int]:
        """For each card that a fact speaks of, the places open to it."""
        found: dict[Card, int] = {}
        for fact in facts:
            if isinstance(fact, NoneOf):
                closed = self.bit[fact.player]
                for card in fact.cards:
                    found[card] = found.get(card, self.all) & ~closed
            else:
                place = self.bit.get(fact.place, 0)
                allowed = place if fact.holds else self.all & ~place
                found[fact.card] = found.get(fact.card, self.all) & allowed
        return found

    def groups(self, facts: Iterable[TrickFact]) -> list[Group]:
        """The cards by the places open to them."""
        masks = self.masks(facts)
        sizes = Counter(masks.values())
        sizes[self.all] += len(self.known.deck) - len(masks)
        return [Group(size, mask) for mask, size in sizes.items() if size]

    def can_be(self, facts: Iterable[TrickFact]) -> bool:
        """Whether any deal fits."""
        loose, room = _laid(self.groups(facts), self.room)
        return min(room) >= 0 and fits(loose, room)

    def counted(self) -> tuple[dict[int, int], dict[Card, int], Counts]:
        """The number of each mask's group, each card's mask, and the counts."""
        loose, room = _laid(self.groups(self.known.facts), self.room)
        order = {group.places: number for number, group in enumerate(loose)}
        cards = dict.fromkeys(self.known.deck, self.all) | self.masks(self.known.facts)
        if 0 in order or min(room) < 0:
            return order, cards, Counts(0, ())
        return order, cards, count(loose, room)


def _laid(groups: Iterable[Group], room: Sequence[int]) -> tuple[list[Group], list[int]]:
    """Lays the cards that have one place only, which most have; the others, and their room."""
    left, loose = list(room), []
    for group in groups:
        if group.places.bit_count() == 1:
            left[group.places.bit_length() - 1] -= group.size
        else:
            loose.append(group)
    return loose, left


#: A condition on a hand, as a sum of terms: each a sign, and cards of which the hand holds none.
Terms = tuple[tuple[int, frozenset[Card]], ...]


def worlds_where(known: TrickKnowledge, asked: Mapping[str, Terms]) -> int:
    """The number of deals that fit and in which all conditions hold.

    Args:
        known: what is known.
        asked: by player, the condition on the hand.
    """
    deals = _Deals(known)
    cards = dict.fromkeys(known.deck, deals.all) | deals.masks(known.facts)
    sets = [some for terms in asked.values() for _, some in terms]
    kinds = Counter(
        (mask, sum(1 << k for k, some in enumerate(sets) if card in some))
        for card, mask in cards.items()
    )
    groups = [Group(size, mask) for (mask, _), size in kinds.items()]
    by_place: dict[int, list[tuple[int, int]]] = {}
    for player, terms in asked.items():
        place = deals.names.index(player)
        for sign, some in terms:
            number = sets.index(some)
            closed = sum(1 << g for g, (_, kind) in enumerate(kinds) if kind >> number & 1)
            by_place.setdefault(place, []).append((sign, closed))
    loose, room, by_place = _without_fixed(groups, deals.room, by_place)
    return 0 if loose is None else count_where(loose, room, by_place)


def _without_fixed(
    groups: list[Group], room: Sequence[int], terms: dict[int, list[tuple[int, int]]]
) -> tuple[list[Group] | None, list[int], dict[int, list[tuple[int, int]]]]:
    """Takes out cards that have one place only, and the terms that they refute."""
    kept, left = _laid(groups, room)
    numbers: dict[int, int] = {}
    held: Counter[int] = Counter()
    for number, group in enumerate(groups):
        if group.places.bit_count() == 1:
            held[group.places.bit_length() - 1] += 1 << number
        else:
            numbers[number] = len(numbers)
    if min(left) < 0 or any(not group.places for group in kept):
        return None, left, {}
    fresh: dict[int, list[tuple[int, int]]] = {}
    for place, asked in terms.items():
        fresh[place] = [
            (sign, sum(1 << numbers[g] for g in bits(closed) if g in numbers))
            for sign, closed in asked
            if not closed & held[place]
        ]
    return kept, left, fresh


@lru_cache(maxsize=64)
def solve(known: TrickKnowledge) -> TrickChances:
    """The number of deals that fit, and the chance of each card in each place."""
    deals = _Deals(known)
    order, cards, counts = deals.counted()
    places: dict[str, dict[Card, float]] = {name: {} for name in deals.names}
    if not counts.deals:
        return TrickChances(0, places)
    shares = {
        mask: [number / counts.deals for number in counts.at[index]]
        for mask, index in order.items()
    }
    for card, mask in cards.items():
        if mask.bit_count() == 1:
            places[deals.names[mask.bit_length() - 1]][card] = 1.0
            continue
        for name, chance in zip(deals.names, shares[mask], strict=True):
            if chance:
                places[name][card] = chance
    return TrickChances(counts.deals, places)


def worlds(known: TrickKnowledge) -> int:
    """The number of deals that fit."""
    return solve(known).worlds


def deals(known: TrickKnowledge) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Every deal that fits: the hands as they are now, in seat order.

    There are `worlds` of them.
    """
    found = _Deals(known)
    masks = dict.fromkeys(known.deck, found.all) | found.masks(known.facts)
    cards = sorted(known.deck, key=lambda card: masks[card].bit_count())
    room, lies = list(found.room), [[] for _ in found.room]  # type: list[int], list[list[Card]]
    hands = [found.names.index(name) for name in known.players]

    def place(number: int) -> Iterator[tuple[tuple[Card, ...], ...]]:
        if number == len(cards):
            yield tuple(tuple(lies[hand]) for hand in hands)
            return
        for at in bits(masks[cards[number]]):
            if room[at]:
                room[at] -= 1
                lies[at].append(cards[number])
                yield from place(number + 1)
                lies[at].pop()
                room[at] += 1

    return place(0)


def conflict(known: TrickKnowledge) -> Why[TrickFact] | None:
    """A smallest set of facts that no deal fits; None if all fit together."""
    return smallest_core(known.facts, _oracle(known, ()))


def why(known: TrickKnowledge, card: Card, place: str) -> Why[TrickFact]:
    """A smallest set of facts by which a card is in a place, or is not.

    Raises:
        UsageError: it is still open.
    """
    return settling_place(known.facts, lambda refuted: _oracle(known, (refuted,)), card, place)


def _oracle(known: TrickKnowledge, extra: tuple[TrickFact, ...]) -> Oracle:
    """Whether chosen facts and the extra ones have a deal."""
    deals = _Deals(known)
    return by_trial(known.facts, lambda facts: deals.can_be((*facts, *extra)))
