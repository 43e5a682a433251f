"""The Deduction notepad: exact chances of every tile in every place, and why.

Typical use: build a `DeductionKnowledge` from what the viewer knows, `solve` it, ask `why` about a
cell. The coach's questions are valued in
`companion.games.deduction.engine.values`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from companion.cards import Card
from companion.games.deduction.engine.count import (
    Hands,
    TileCounts,
    count_tiles,
    count_total,
    is_wide,
)
from companion.games.deduction.engine.facts import (
    MISSING,
    DeductionFact,
    DeductionKnowledge,
    TileProblem,
    TileShown,
    tile_problem,
)
from companion.games.deduction.engine.reduce import reduce_tiles
from companion.games.deduction.engine.search import SearchTooLongError, find_world
from companion.games.deduction.engine.sweep import sweep
from companion.notepad.facts import CardAt, Oracle, Why, settling_place, smallest_core
from companion.phrases import N_


@dataclass(frozen=True, slots=True)
class DeductionChances:
    """Everything that follows from a knowledge.

    Attributes:
        worlds: number of deals (missing tile and all unknown hands) that fit, exact.
        weight: total weight of the worlds; equals `worlds` unless shown tiles are weighed.
        place_weights: for each place, for each tile that can lie there, the weight of the worlds
            in which it does; exact integers on the scale of `weight`.
    """

    worlds: int
    weight: int
    place_weights: dict[str, dict[Card, int]]

    @property
    def missing(self) -> dict[Card, float]:
        """The chance of each tile to be the missing one; tiles with none are left out."""
        return self.chances(MISSING)

    def chances(self, place: str) -> dict[Card, float]:
        """The chance of each tile to lie in a place; empty when the knowledge is contradictory."""
        weights = self.place_weights[place]
        return {tile: number / self.weight for tile, number in weights.items()}


@lru_cache(maxsize=64)
def solve(knowledge: DeductionKnowledge) -> DeductionChances:
    """Counts all worlds that fit.

    Returns:
        The chances; with contradictory facts `worlds` is 0 and all chances are empty.

    Raises:
        UsageError: a fact names a player or tile that is not part of the match.
    """
    problem = tile_problem(knowledge)
    weighted = knowledge.shown_random and bool(problem.shown)
    swept = None if weighted else _swept(problem)
    if swept is not None:
        return swept
    counts = count_tiles(problem)
    total = counts.total
    if weighted and total:
        counts = count_tiles(problem, weighted=True)
    return DeductionChances(total, counts.total, _cells(counts))


def _swept(problem: TileProblem) -> DeductionChances | None:
    """The chances of a wide state, tile by tile; None if another way is better."""
    residual = reduce_tiles(problem, weighted=False)
    if residual is None or not is_wide(residual):
        return None
    found = sweep(problem, residual, cells=True)
    if found is None:
        return None
    total, by_tile = found
    cells: dict[str, dict[Card, int]] = {name: {} for name in problem.names}
    if total:
        for place, mask in enumerate(residual.settled):
            for index, tile in enumerate(problem.deck):
                if mask >> index & 1:
                    cells[problem.names[place]][tile] = total
        for (place, index), number in by_tile.items():
            cells[problem.names[place]][problem.deck[index]] = number
    ordered = {name: dict(sorted(row.items())) for name, row in cells.items()}
    return DeductionChances(total, total, ordered)


@lru_cache(maxsize=64)
def worlds(knowledge: DeductionKnowledge) -> int:
    """The number of worlds alone: what another player, or the public, has narrowed it down to."""
    return count_total(tile_problem(knowledge))


def _cells(counts: TileCounts) -> dict[str, dict[Card, int]]:
    """The weight of the worlds for each tile in each place where it can lie."""
    problem = counts.problem
    cells: dict[str, dict[Card, int]] = {name: {} for name in problem.names}
    if not counts.total:
        return cells
    for name, mask in zip(problem.names, counts.settled, strict=True):
        for index, tile in enumerate(problem.deck):
            if mask >> index & 1:
                cells[name][tile] = counts.total
    rows = [(problem.names[hands.place], _by_class(hands)) for hands in counts.hands]
    rows.append((MISSING, list(counts.missing)))
    for name, by_class in rows:
        for members, weight in zip(counts.classes, by_class, strict=False):
            share = weight // len(members)
            if share:
                cells[name].update((problem.deck[index], share) for index in members)
    return {name: dict(sorted(row.items())) for name, row in cells.items()}


def _by_class(hands: Hands) -> list[int]:
    """Over all worlds, how many tiles of each class lie in the place (weighted)."""
    totals = hands.joint.sum(axis=1)
    return [int(number) for number in totals @ hands.kinds.astype(hands.joint.dtype)]


def holds(fact: DeductionFact, world: dict[str, frozenset[Card]]) -> bool:
    """Whether a fact is true in a world (place to tiles)."""
    if isinstance(fact, CardAt):
        return (fact.card in world[fact.place]) == fact.holds
    matching = sum(fact.what.matches(tile) for tile in world[fact.player])
    if isinstance(fact, TileShown):
        return fact.card in world[fact.player] and fact.what.matches(fact.card)
    return fact.low <= matching <= fact.high


def _oracle(knowledge: DeductionKnowledge, extra: tuple[DeductionFact, ...]) -> Oracle:
    """Looks for a world in which chosen facts and the extra ones hold."""
    facts = knowledge.facts

    def look(mask: int) -> int | None:
        chosen = [fact for index, fact in enumerate(facts) if mask >> index & 1]
        problem = tile_problem(knowledge, [*chosen, *extra])
        try:
            found = find_world(problem)
        except SearchTooLongError:
            return mask if count_total(problem) else None
        if found is None:
            return None
        world = {
            name: frozenset(tile for i, tile in enumerate(problem.deck) if tiles >> i & 1)
            for name, tiles in zip(problem.names, found, strict=True)
        }
        return sum(1 << index for index, fact in enumerate(facts) if holds(fact, world)) | mask

    return look


def why(knowledge: DeductionKnowledge, tile: Card, place: str) -> Why[DeductionFact]:
    """A smallest set of facts that settles whether a tile lies in a place.

    Raises:
        UsageError: the cell is neither 0 nor 1 yet.
    """
    still_open = N_("Whether the {tile} lies there is still open: nothing forces it.")
    return settling_place(
        knowledge.facts, lambda refuted: _oracle(knowledge, (refuted,)), tile, place, still_open
    )


def conflict(knowledge: DeductionKnowledge) -> Why[DeductionFact] | None:
    """A smallest set of facts that contradict each other, None when all fit together."""
    return smallest_core(knowledge.facts, _oracle(knowledge, ()))
