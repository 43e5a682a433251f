"""Gotcha's sums over the box of states that every hand can reach and complete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from companion.games.gotcha.engine.passes import (
    Array,
    Box,
    GotchaProblem,
    Passes,
    Ranges,
    hand_ranges,
)


@dataclass(frozen=True, slots=True)
class _Move:
    """What can happen to a card: the hand that takes it (-1: none), and the states affected."""

    hand: int
    source: Box
    target: Box
    span: slice
    shape: tuple[int, ...]


class BoxPasses(Passes):
    """States are an array with an axis of size kept + 1 for each hand."""

    def __init__(self, problem: GotchaProblem, ranges: Sequence[Ranges] | None = None) -> None:
        super().__init__(problem, tuple(size + 1 for size in problem.kept))
        if ranges is None:
            ranges = [hand_ranges(problem, hand) for hand in range(len(self.shape))]
        self.boxes = [
            tuple(slice(low, high) for low, high in card) for card in zip(*ranges, strict=True)
        ]
        self.moves = [list(self._moves(at, ranges)) for at in range(len(problem.cards))]

    def _moves(self, at: int, ranges: Sequence[Ranges]) -> Iterator[_Move]:
        """The moves of one card between the boxes before and after it."""
        rank, owner = self.problem.cards[at]
        spans: list[list[tuple[slice, slice]]] = [[], []]
        for (low, high), (least, most) in ((hand[at], hand[at + 1]) for hand in ranges):
            for shift in (0, 1):
                first = max(low, least - shift)
                last = max(first, min(high, most - shift))
                spans[shift].append((slice(first, last), slice(first + shift, last + shift)))
        stay = spans[0]
        if owner < 0:
            source, target = zip(*stay, strict=True)
            yield _Move(-1, source, target, slice(0), ())
        for hand in range(len(self.shape)) if owner < 0 else (owner,):
            span = spans[1][hand][0]
            if self.problem.allowed[hand][rank][span].any():
                source, target = zip(*stay[:hand], spans[1][hand], *stay[hand + 1 :], strict=True)
                shape = tuple(-1 if axis == hand else 1 for axis in range(len(self.shape)))
                yield _Move(hand, source, target, span, shape)

    def _ends(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (0,) * len(self.shape), self.problem.kept

    def _part(self, values: Array, at: int) -> Array:
        return values[self.boxes[at]]

    def _taken(self, values: Array, at: int, move: _Move) -> Array:
        """The values of the states from or to which the move of the at-th card is allowed."""
        if move.hand < 0:
            return values
        row = self.problem.allowed[move.hand][self.problem.cards[at][0], move.span]
        return values if row.all() else values * row.reshape(move.shape)

    def _rise(self, at: int, before: Array, after: Array) -> None:
        after[self.boxes[at + 1]] = 0
        for move in self.moves[at]:
            after[move.target] += self._taken(before[move.source], at, move)

    def _sink(self, at: int, after: Array, before: Array) -> None:
        before[self.boxes[at]] = 0
        for move in self.moves[at]:
            before[move.source] += self._taken(after[move.target], at, move)

    def _by_held(self, worlds: Array, at: int) -> list[Array]:
        found = [np.zeros(size) for size in self.shape]
        axes = range(len(self.shape))
        for hand, span in enumerate(self.boxes[at]):
            found[hand][span] = worlds.sum(axis=tuple(axis for axis in axes if axis != hand))
        return found
