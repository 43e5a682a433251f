"""Bounds propagation and search for one world of a Deduction state.

Counting needs every world; explaining needs to know, for many subsets of the facts, whether there
is any. Both start with the same propagation.
"""

from __future__ import annotations

from companion.errors import CompanionError
from companion.games.deduction.engine.facts import Bounds, TileProblem


def with_sizes(problem: TileProblem) -> tuple[Bounds, ...]:
    """The problem's bounds and, as bounds on the whole deck, the size of every place."""
    everything = (1 << len(problem.deck)) - 1
    sizes = (Bounds(place, everything, n, n) for place, n in enumerate(problem.sizes))
    return (*sizes, *problem.bounds)


def propagate(possible: list[int], bounds: tuple[Bounds, ...], everything: int) -> bool:
    """Narrows the possible tiles of each place in place until nothing follows any more.

    Args:
        possible: a mask for each place; narrowed.
        bounds: all bounds, sizes included.
        everything: the mask of the whole deck.

    Returns:
        False when some bound cannot be met or a tile has no place left.
    """
    while True:
        before = tuple(possible)
        once = twice = 0
        for mask in possible:
            twice |= once & mask
            once |= mask
        if once != everything:
            return False
        single = once & ~twice
        for bound in bounds:
            forced = _apply(possible, bound, single)
            if forced is None:
                return False
            single |= forced
        if tuple(possible) == before:
            return True


def _apply(possible: list[int], bound: Bounds, single: int) -> int | None:
    """Narrows by one bound in place.

    Args:
        possible: a mask for each place; narrowed.
        bound: the bound.
        single: tiles that have one possible place.

    Returns:
        The tiles that the bound forces into its place, None when it cannot be met.
    """
    place = bound.place
    here = possible[place] & bound.mask
    sure = here & single
    room, certain = here.bit_count(), sure.bit_count()
    if certain > bound.high or room < bound.low:
        return None
    if certain == room:
        return 0
    if certain == bound.high:
        possible[place] &= ~(here ^ sure)
    elif room == bound.low:
        for other in range(len(possible)):
            if other != place:
                possible[other] &= ~here
        return here
    return 0


#: How many branches of the search are tried.
_MOST_BRANCHES = 150


class SearchTooLongError(CompanionError):
    """The search for a world was given up; counting decides in its place."""


def find_world(problem: TileProblem) -> tuple[int, ...] | None:
    """One world that satisfies the problem, as a mask of tiles for each place, or None.

    Raises:
        SearchTooLongError: too many branches were tried.
    """
    search = _Search(with_sizes(problem), (1 << len(problem.deck)) - 1, _MOST_BRANCHES)
    return search.run(list(problem.possible))


class _Search:
    """Depth-first search with propagation; branches on the tile with the fewest places."""

    def __init__(self, bounds: tuple[Bounds, ...], everything: int, limit: int) -> None:
        self.bounds = bounds
        self.everything = everything
        self.left = limit

    def run(self, possible: list[int]) -> tuple[int, ...] | None:
        """A world within the possible tiles of each place, or None."""
        self.left -= 1
        if self.left < 0:
            raise SearchTooLongError("Too many cases to try one by one.")
        if not propagate(possible, self.bounds, self.everything):
            return None
        best, fewest = 0, len(possible) + 1
        for tile in range(self.everything.bit_length()):
            places = sum(mask >> tile & 1 for mask in possible)
            if 1 < places < fewest:
                best, fewest = tile, places
                if places == 2:
                    break
        if fewest > len(possible):
            return tuple(possible)
        for place in range(len(possible)):
            if not possible[place] >> best & 1:
                continue
            branch = [mask & ~(1 << best) for mask in possible]
            branch[place] |= 1 << best
            found = self.run(branch)
            if found is not None:
                return found
        return None
