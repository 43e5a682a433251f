"""The Gotcha notepad: the chance of every rank at every position of every hidden hand.

A world is the sets of cards the hidden hands may have held after discarding. Every choice of
discarded cards counts the same, and whatever was discarded or left out of the deal can be completed
in the same number of ways for every world, so all worlds are equally likely.

Positions are the original ones: 1 is the smallest card of the hand before any was guessed. A guess
about a renumbered hand is translated once and then stays valid.

Counting goes through the unseen cards in rising order. The state is how many cards each hidden hand
holds so far; the next card stays out, or becomes the next position of one of the hands, if no guess
forbids that rank there. One pass up and one pass down give all marginals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from companion.cards import RANKS, Card
from companion.errors import UsageError
from companion.games.gotcha.engine.facts import (
    CardKept,
    CardOut,
    GotchaFact,
    GotchaKnowledge,
    GuessRight,
    GuessWrong,
    RankHere,
    all_sightings,
)
from companion.games.gotcha.engine.passes import Passes
from companion.games.gotcha.engine.problem import GotchaProblem
from companion.notepad.facts import Oracle, Why, by_trial, settling, smallest_core
from companion.phrases import N_, phrase


def gotcha_problem(
    knowledge: GotchaKnowledge, facts: Sequence[GotchaFact] | None = None
) -> GotchaProblem:
    """Turns facts into a counting problem.

    Args:
        knowledge: the match.
        facts: the facts to use instead of the knowledge's own.

    Raises:
        UsageError: a fact names a hand, card or position that does not exist.
    """
    names = tuple(name for name, _ in knowledge.hands)
    kept = tuple(size for _, size in knowledge.hands)
    allowed = tuple(np.ones((len(RANKS) + 1, size), np.bool_) for size in kept)
    owner: dict[Card, int] = dict.fromkeys(knowledge.deck, -1)
    out: set[Card] = set()
    possible = True
    shown_at: dict[tuple[str, int], Card] = {}
    for fact in knowledge.facts if facts is None else facts:
        try:
            if isinstance(fact, CardOut):
                owner[fact.card]
                out.add(fact.card)
                continue
            hand = names.index(fact.player)
            if isinstance(fact, CardKept | GuessRight) and fact.card.is_known:
                possible &= owner[fact.card] in (-1, hand)
                owner[fact.card] = hand
            if isinstance(fact, CardKept):
                continue
            if not 1 <= fact.position <= kept[hand]:
                raise KeyError(phrase("position {position}", position=fact.position))
        except (KeyError, ValueError) as error:
            raise UsageError("{args} is not part of this match.", args=error.args[0]) from None
        column = allowed[hand][:, fact.position - 1]
        if isinstance(fact, GuessWrong):
            column[fact.rank] = False
            continue
        rank = fact.card.rank if isinstance(fact, GuessRight) else fact.rank
        column &= np.arange(len(column)) == rank
        if isinstance(fact, GuessRight) and fact.card.is_known:
            possible &= shown_at.setdefault((fact.player, fact.position), fact.card) is fact.card
    possible &= all(owner[card] == -1 for card in out)
    possible &= len(set(shown_at.values())) == len(shown_at)  # one card leaves one position
    cards = sorted((card.rank or 0, owner[card]) for card in knowledge.deck if card not in out)
    return GotchaProblem(names, kept, tuple(cards), allowed, possible)


@dataclass(frozen=True, slots=True)
class GotchaChances:
    """Everything that follows from what is known.

    Attributes:
        worlds: number of possible contents of the hidden hands, exact.
        positions: for each hidden hand, for each original position (1 the smallest), the chance of
            each rank (1–13) that can stand there; guessed cards included. Empty when contradictory.
        gone: the original positions that have left each hand.
    """

    worlds: int
    positions: dict[str, dict[int, dict[int, float]]]
    gone: dict[str, frozenset[int]]

    def held(self, player: str) -> list[tuple[int, dict[int, float]]]:
        """The positions still held, smallest first: (original position, chances)."""
        rows = self.positions.get(player, {})
        return [(at, row) for at, row in rows.items() if at not in self.gone[player]]


@lru_cache(maxsize=16)
def solve(knowledge: GotchaKnowledge) -> GotchaChances:
    """Counts all worlds that fit and the chances of every rank at every position.

    Raises:
        UsageError: a fact names a hand, card or position that does not exist.
    """
    problem = gotcha_problem(knowledge)
    passes = Passes(problem)
    number = passes.count() if problem.possible else 0
    if not number:
        return GotchaChances(0, {name: {} for name in problem.names}, knowledge.gone)
    return GotchaChances(number, rank_chances(passes), knowledge.gone)


@lru_cache(maxsize=64)
def worlds(knowledge: GotchaKnowledge) -> int:
    """The number of worlds alone: what another player, or the public, has narrowed it down to."""
    problem = gotcha_problem(knowledge)
    return Passes(problem).count() if problem.possible else 0


def rank_chances(passes: Passes) -> dict[str, dict[int, dict[int, float]]]:
    """For each hand and original position the chances of the ranks.

    Args:
        passes: a problem that was counted and has a world.
    """
    found: dict[str, dict[int, dict[int, float]]] = {}
    marginals = passes.marginals()
    for name, table in zip(passes.problem.names, marginals, strict=True):
        shares = table / table.sum(axis=0)
        found[name] = {
            at + 1: {int(rank): float(shares[rank, at]) for rank in np.flatnonzero(shares[:, at])}
            for at in range(table.shape[1])
        }
    return found


def why(knowledge: GotchaKnowledge, player: str, position: int, rank: int) -> Why[GotchaFact]:
    """A smallest set of facts that settles whether a rank stands at an original position.

    Raises:
        UsageError: it is not settled.
    """
    return settling(
        knowledge.facts,
        lambda refuted: _oracle(knowledge, (refuted,)),
        (kind(player=player, position=position, rank=rank) for kind in (RankHere, GuessWrong)),
        N_("Whether that rank stands there is still open: nothing forces it."),
        max_checks=400,
    )


def conflict(knowledge: GotchaKnowledge) -> Why[GotchaFact] | None:
    """A smallest set of facts that contradict each other, None when all fit together.

    One card in two places stays two facts; see `all_sightings`.
    """
    why = smallest_core(knowledge.facts, _oracle(knowledge, ()), max_checks=400)
    if why is None:
        return None
    sightings = [f.card for f in why.facts if isinstance(f, GuessRight | CardOut | CardKept)]
    named = [card for card in sightings if card.is_known]
    if len(set(named)) != len(named):
        return why
    return replace(why, facts=all_sightings(why.facts, knowledge.facts))


def _oracle(knowledge: GotchaKnowledge, extra: tuple[GotchaFact, ...]) -> Oracle:
    """Whether chosen facts and the extra ones have a world."""

    def fit(facts: tuple[GotchaFact, ...]) -> bool:
        problem = gotcha_problem(knowledge, (*facts, *extra))
        return problem.possible and bool(Passes(problem).count())

    return by_trial(knowledge.facts, fit)
