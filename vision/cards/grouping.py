"""Indices put together to physical cards, by what they read as and how they lie to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array
from vision.cards.corners import (
    apart,
    cards_of,
    is_covered,
    on_one_edge,
    parted,
    same_card,
)
from vision.geometry import card_outline, index_box
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.types import CardRead, IndexRead


@dataclass(frozen=True, slots=True)
class GroupRule:
    """How the evidence of one card's indices is put together.

    Attributes:
        likely: an index so sure covers what it lies upon in a row.
        evidence: what is hardly read, below this chance, lends no card a corner.
        second_weight: how much a further index counts; it is seen in the same light.
        floor: least chance that a further index leaves a name, as a share of its best one.
        chance_agrees: how seldom two chance patterns agree on a name in the right place; chosen,
            not measured.
        many_cards: so many cards of one index each say that the deck has two of them.
    """

    likely: float = 0.6
    evidence: float = 0.1
    second_weight: float = 0.7
    floor: float = 0.005
    chance_agrees: float = 0.25
    many_cards: int = 6


RULE = GroupRule()


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Index candidates put together to physical cards.

    Attributes:
        found: the candidates.
        hypotheses: what they read as.
        members: the candidates of each card, the surest first.
        alone: (cards,) what each card reads as by its own indices.
        four: whether the deck may print an index in all four corners.
        copies: how many of each card the deck has.
    """

    found: Candidates
    hypotheses: Hypotheses
    members: list[list[int]]
    alone: list[Float32Array]
    four: bool
    copies: int = 1

    def __len__(self) -> int:
        return len(self.members)

    def without(self, spare: set[int]) -> Groups:
        """The groups but for some."""
        keep = [k for k in range(len(self)) if k not in spare]
        members, alone = [self.members[k] for k in keep], [self.alone[k] for k in keep]
        return replace(self, members=members, alone=alone)

    def read(self, g: int, chances: Float32Array) -> CardRead:
        """A group as the card that it most likely is."""
        card, confidence, alternatives = self.hypotheses.named(chances)
        indices = tuple(
            index_read(
                k,
                self.found,
                self.hypotheses,
                confidence=float(self.hypotheses.probs[k].max(initial=0)),
            )
            for k in self.members[g]
        )
        outline = card_outline(indices)
        return CardRead(
            card=card,
            confidence=confidence,
            quad=outline or index_box(indices[0]),
            indices=indices,
            alternatives=alternatives,
            outlined=outline is not None,
        )


def join(found: Candidates, hypotheses: Hypotheses) -> Groups:
    """The candidates of cards that lie about, put together by reading and geometry."""
    joined = partial(_joined, found, hypotheses, np.zeros(0, np.intp))
    groups, corners = joined(four=False), joined(four=True)
    # Three indices of one name in the corners of one card are no accident.
    if has_four_indices(groups, found) or any(len(group) > 2 for group in corners):
        groups = corners
    return _groups(found, hypotheses, groups, four=has_four_indices(groups, found))


def join_row(found: Candidates, hypotheses: Hypotheses) -> Groups:
    """The candidates of a row's cards, which lie one upon the next."""
    likely = np.flatnonzero(hypotheses.score > RULE.likely)
    joined = partial(_joined, found, hypotheses, likely)
    groups = joined(four=False)
    if row_has_four_indices(groups, found):
        groups = parted(joined(four=True), found)
    return _groups(found, hypotheses, groups, four=row_has_four_indices(groups, found))


def _groups(
    found: Candidates, hypotheses: Hypotheses, members: list[list[int]], *, four: bool
) -> Groups:
    alone = [fuse(group, hypotheses) for group in members]
    return Groups(found, hypotheses, members, alone, four)


def _joined(
    found: Candidates, hypotheses: Hypotheses, likely: NDArray[np.intp], *, four: bool
) -> list[list[int]]:
    # What is hardly read must not lend a card a corner.
    order = np.argsort(-hypotheses.score, kind="stable")
    order = order[hypotheses.score[order] >= RULE.evidence]
    best = hypotheses.best[order]
    groups = [
        group
        for name in np.unique(best)
        for group in cards_of(
            order[best == name].tolist(),
            lambda i, k: same_card(found, i, k, four=four) and not is_covered(found, likely, i, k),
        )
    ]
    place = {k: n for n, k in enumerate(order.tolist())}
    return sorted(groups, key=lambda group: place[group[0]])


def fuse(group: Sequence[int], hypotheses: Hypotheses) -> Float32Array:
    """Card probabilities of a group: evidence added up before any threshold.

    The second and further indices of a card count less than fully (their errors are not
    independent: same light, same blur).
    """
    probs = hypotheses.probs[list(group)].astype(np.float64)
    none = np.clip(1 - probs.sum(axis=1, keepdims=True), 1e-6, 1)
    # A corner that is half covered or blurred may read as anything: it can weaken a name that
    # another corner shows clearly, never rule it out.
    probs[1:] = np.maximum(probs[1:], RULE.floor * probs[1:].max(axis=1, keepdims=True))
    full = np.log(np.clip(np.concatenate([probs, none], axis=1), 1e-9, 1))
    weights = np.array([1.0] + [RULE.second_weight] * (len(group) - 1))
    # Whether anything is there at all is asked of the surest index only: a half-covered second
    # index that reads as "none" does not speak against the first.
    # Two chance patterns rarely agree on one of a deck's names in the right place, so "none" loses.
    full[1:, -1] = np.minimum(full[1:, -1], full[1:, :-1].max(axis=1)) + np.log(RULE.chance_agrees)
    total = (weights[:, None] * full).sum(axis=0)
    e = np.exp(total - total.max())
    return (e / e.sum())[:-1].astype(np.float32)


def has_four_indices(groups: Sequence[Sequence[int]], found: Candidates) -> bool:
    """Whether the deck may print an index in all four corners.

    It does if some card shows two opposite ones straight below each other (a left or right edge)
    or more than two. It is taken to have two where cards show but the diagonal ones, and where
    many cards show one each. A few cards with one index each say nothing.
    """
    edges, pairs = _edges(groups, found)
    return edges > 0 if pairs else len(groups) < RULE.many_cards


def row_has_four_indices(groups: Sequence[Sequence[int]], found: Candidates) -> bool:
    """The same of a row, where the cards of such a deck show edge after edge.

    A single edge among diagonals is an accident there: the indices of two cards, of which one is
    misread.
    """
    edges, pairs = _edges(groups, found)
    return edges > 1 or edges == pairs if pairs else len(groups) < RULE.many_cards


def _edges(groups: Sequence[Sequence[int]], found: Candidates) -> tuple[int, int]:
    """How many cards show an edge, and how many show two indices or more.

    One that shows three indices counts as many edges.
    """
    pairs = [g for g in groups if len(g) > 1]
    if any(len(g) > 2 for g in pairs):
        return len(pairs) + 1, len(pairs)
    return sum(on_one_edge(apart(found, g[0], g[1])) for g in pairs), len(pairs)


def index_read(
    k: int, found: Candidates, hypotheses: Hypotheses, *, confidence: float
) -> IndexRead:
    """A candidate as the index of a card that it is believed to be with that confidence."""
    return IndexRead(
        centre=(float(found.centre[k, 0]), float(found.centre[k, 1])),
        direction=(float(found.direction[k, 0]), float(found.direction[k, 1])),
        size=float(found.size[k]),
        rank_probs=hypotheses.rank_probs[k],
        suit_probs=hypotheses.suit_probs[k],
        confidence=confidence,
    )
