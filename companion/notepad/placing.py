"""Whether cards can be laid so that each lies in a place that is open to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
