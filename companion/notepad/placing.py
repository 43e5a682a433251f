"""Cards for facts: whether all find a place, and a particular one for a rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.cards import Card
from companion.notepad.facts import bits


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that may lie in the same places.

    Attributes:
        size: how many.
        places: a mask of the places.
    """

    size: int
    places: int


def fits(groups: Sequence[Group], room: Sequence[int]) -> bool:
    """Whether there is any deal, by moving cards until all have a place (augmenting paths)."""
    left = list(room)
    lies = [[0] * len(room) for _ in groups]

    def place_one(group: int, tried: set[int]) -> bool:
        for place in bits(groups[group].places):
            if place in tried:
                continue
            tried.add(place)
            if left[place] > 0:
                left[place] -= 1
            else:
                other = next(
                    (k for k, row in enumerate(lies) if row[place] and _moves(k, place, tried)),
                    None,
                )
                if other is None:
                    continue
            lies[group][place] += 1
            return True
        return False

    def _moves(group: int, place: int, tried: set[int]) -> bool:
        lies[group][place] -= 1
        if place_one(group, tried):
            return True
        lies[group][place] += 1
        return False

    return all(place_one(k, set()) for k, group in enumerate(groups) for _ in range(group.size))


class Suits:
    """Finds a particular card for one that is known only by its rank, where suits do not matter.

    Args:
        deck: the cards in play.
        seen: the cards that are known; any other of the rank will do.
    """

    def __init__(self, deck: Iterable[Card], seen: Iterable[Card]) -> None:
        self.deck = tuple(deck)
        self.used = {card for card in seen if card.is_known}

    def particular(self, known: Card) -> Card | None:
        """The card itself, or an unseen one of its rank; None if not even a rank is known."""
        if known.is_known or known.rank is None:
            return known if known.is_known else None
        of_rank = [card for card in self.deck if card.rank == known.rank]
        found = next((card for card in of_rank if card not in self.used), None)
        if found is None:
            return of_rank[0] if of_rank else None
        self.used.add(found)
        return found
