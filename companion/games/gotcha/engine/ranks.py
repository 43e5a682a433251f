"""Gotcha under the other model of discarding: by rank instead of by card.

By card, every choice of discarded cards counts the same, so a player with three sevens is three
times as likely to discard one. By rank, players choose ranks: every pair of a deal and a multiset
of discarded ranks counts once. If the viewer knows the deal except for the discards (26-6), every
multiset of ranks is equally likely to have been discarded.

The sums run rank by rank over how many cards of it each hidden hand was dealt, kept and discarded;
meant for one or two hidden hands, and slow (seconds) for four.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, factorial, prod

import numpy as np

from companion.errors import UsageError
from companion.games.gotcha.engine.facts import GotchaKnowledge
from companion.games.gotcha.engine.problem import Array, GotchaProblem
from companion.games.gotcha.engine.solve import gotcha_problem

Box = tuple[slice, ...]


@dataclass(frozen=True, slots=True)
class _Move:
    """What each hidden hand keeps and discards of one rank, with the number of ways."""

    kept: tuple[int, ...]
    source: Box
    target: Box
    weight: Array


def rank_model_chances(
    knowledge: GotchaKnowledge, discarded: int | Mapping[str, int]
) -> dict[str, dict[int, dict[int, float]]]:
    """The chance of every rank at every original position when discards go by rank.

    Args:
        knowledge: what the viewer knows, free of contradictions.
        discarded: how many cards each hidden hand has discarded that the viewer does not know,
            one number for all of them or by name.

    Returns:
        For each hidden hand and original position the chances of the ranks.

    Raises:
        UsageError: the facts contradict each other.
    """
    problem = gotcha_problem(knowledge)
    limits = [discarded if isinstance(discarded, int) else discarded[n] for n in problem.names]
    # Axes: for each hand the cards kept so far, then the cards discarded so far.
    shape = tuple(
        n for kept, most in zip(problem.kept, limits, strict=True) for n in (kept + 1, most + 1)
    )
    moves = [list(_moves(problem, limits, rank)) for rank in range(1, 14)]
    ups = [np.zeros(shape)]
    ups[0][(0,) * len(shape)] = 1
    for options in moves:
        after = np.zeros(shape)
        for move in options:
            after[move.target] += ups[-1][move.source] * move.weight
        ups.append(after)
    down = np.zeros(shape)
    down[(-1,) * len(shape)] = 1
    if not problem.possible or not (ups[-1] * down).any():
        raise UsageError("The known guesses contradict each other; correct them first.")
    tables: list[Array] = [np.zeros(rows.shape) for rows in problem.allowed]
    for at in range(12, -1, -1):
        before = np.zeros(shape)
        for move in moves[at]:
            onward = down[move.target] * move.weight
            before[move.source] += onward
            _spread(tables, ups[at][move.source] * onward, move, at + 1)
        down = before
    return {
        name: {
            at + 1: {
                int(rank): float(table[rank, at] / table[:, at].sum())
                for rank in np.flatnonzero(table[:, at])
            }
            for at in range(table.shape[1])
        }
        for name, table in zip(problem.names, tables, strict=True)
    }


def _spread(tables: list[Array], worlds: Array, move: _Move, rank: int) -> None:
    """Adds the weight of worlds to the positions that the kept cards take."""
    axes = range(worlds.ndim)
    for hand, kept in enumerate(move.kept):
        if not kept:
            continue
        by_start = worlds.sum(axis=tuple(axis for axis in axes if axis != 2 * hand))
        for start, weight in enumerate(by_start):
            tables[hand][rank, start : start + kept] += weight


def _moves(problem: GotchaProblem, limits: Sequence[int], rank: int) -> Iterator[_Move]:
    """All ways in which the unseen cards of a rank are dealt, kept and discarded."""
    owners = [owner for at, owner in problem.cards if at == rank]
    hands = range(len(problem.kept))
    held = [owners.count(hand) for hand in hands]
    pairs = [
        [(k, d) for k in range(held[hand], len(owners) + 1) for d in range(limits[hand] + 1)]
        for hand in hands
    ]
    free = len(owners) - sum(held)
    for choice in product(*pairs):
        extra = [k + d - h for (k, d), h in zip(choice, held, strict=True)]
        if sum(extra) > free:
            continue
        ways = factorial(free) / prod(map(factorial, (*extra, free - sum(extra))))
        for (k, d), h in zip(choice, held, strict=True):
            # The suits kept are any of those dealt; the cards known to be kept must be among them.
            ways *= comb(k + d - h, k - h) / comb(k + d, k)
        move = _move(problem, limits, rank, choice, ways)
        if move is not None:
            yield move


def _move(
    problem: GotchaProblem,
    limits: Sequence[int],
    rank: int,
    choice: tuple[tuple[int, int], ...],
    ways: float,
) -> _Move | None:
    """The move between states, None if the hands are too small for it."""
    source: list[slice] = []
    target: list[slice] = []
    weight: Array = np.full((1,) * (2 * len(choice)), ways)
    for hand, (kept, thrown) in enumerate(choice):
        size, most = problem.kept[hand], limits[hand]
        if kept > size or thrown > most:
            return None
        source += [slice(0, size + 1 - kept), slice(0, most + 1 - thrown)]
        target += [slice(kept, size + 1), slice(thrown, most + 1)]
        row = problem.allowed[hand][rank]
        fits = np.array([row[start : start + kept].all() for start in range(size + 1 - kept)])
        line = [1] * (2 * len(choice))
        line[2 * hand] = -1
        weight = weight * fits.reshape(line)
    return _Move(tuple(k for k, _ in choice), tuple(source), tuple(target), weight)
