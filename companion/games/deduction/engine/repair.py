"""Repairs a deal that almost fits: local search by swapping two tiles.

A deal that fitted everything before a new answer is usually close to one that fits the answer too,
so a few swaps repair it; that is much faster than a search from scratch. Finding nothing proves
nothing.
"""

from __future__ import annotations

from itertools import product

from companion.games.deduction.engine.facts import Bounds, TileProblem

STEPS = 30


def repair(problem: TileProblem, deal: tuple[int, ...]) -> tuple[int, ...] | None:
    """A deal near the given one that satisfies the problem.

    Args:
        problem: what must hold.
        deal: a mask of tiles for each place, of the places' sizes.

    Returns:
        Such a deal, or None if a few swaps do not reach one.
    """
    work = _Repair(problem, list(deal))
    for _ in range(STEPS):
        if not any(work.costs):
            return tuple(work.places)
        if not work.step():
            return None
    return None


class _Repair:
    """A deal being mended, with what is wrong at each place."""

    def __init__(self, problem: TileProblem, places: list[int]) -> None:
        self.possible = problem.possible
        self.places = places
        self.bounds: list[list[Bounds]] = [[] for _ in places]
        for bound in problem.bounds:
            self.bounds[bound.place].append(bound)
        self.costs = [self.cost(place, mask) for place, mask in enumerate(places)]
        self.tried: set[tuple[int, int]] = set()

    def cost(self, place: int, mask: int) -> int:
        """How much is wrong with a place: misplaced tiles, and counts outside their bounds."""
        total = (mask & ~self.possible[place]).bit_count()
        for bound in self.bounds[place]:
            number = (mask & bound.mask).bit_count()
            total += max(0, bound.low - number, number - bound.high)
        return total

    def step(self) -> bool:
        """Makes the best swap with the worst place that was not made yet; False if none is left."""
        place = self.costs.index(max(self.costs))
        mine_all = self.places[place]
        best: tuple[int, int, int, int] | None = None
        for other, mask in enumerate(self.places):
            if other == place:
                continue
            before = self.costs[place] + self.costs[other]
            for mine, theirs in product(_bits(mine_all), _bits(mask)):
                swap = mine | theirs
                gain = self.cost(place, mine_all ^ swap) + self.cost(other, mask ^ swap) - before
                if (mine, theirs) not in self.tried and (best is None or gain < best[0]):
                    best = (gain, other, mine, theirs)
        if best is None:
            return False
        _, other, mine, theirs = best
        self.tried |= {(mine, theirs), (theirs, mine)}
        for changed in (place, other):
            self.places[changed] ^= mine | theirs
            self.costs[changed] = self.cost(changed, self.places[changed])
        return True


def _bits(mask: int) -> list[int]:
    """The single bits of a mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low)
        mask ^= low
    return found
