"""One card, one name: of reads that share an outline one stands, and of a name one read.

Corners of one card may read differently: a 6 that stands on its head, a suit in glare. The rules
before this one join only what reads alike, so one card may come out under two names. Here the last
word is the outline's: where two reads may be corners of one card by their places, the network of
outlines is asked which card lies about each, and where that is one card, one name stands. If both
were sure of theirs, neither is accepted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from companion.cards import Card
from vision.arrays import FloatArray
from vision.cards.corners import CARD_REACH, are_opposite_ends
from vision.geometry import within
from vision.outlines.flat import index_place
from vision.types import CardRead, IndexRead, Reason

Outlines = Callable[[Sequence[IndexRead]], Sequence[FloatArray | None]]
"""(4, 2) corners of the card about each of some indices; None where none is sure."""


@dataclass(frozen=True, slots=True)
class OneNameRule:
    """When two reads are of one card.

    Attributes:
        both_sure: reads that are both so sure of their names make each other doubtful; as sure as a
            read that is believed by itself.
        as_printed: indices of one deck are printed as far from their corners, but for this share of
            the card; nine outlines in ten are half as far off at most.
    """

    both_sure: float = 0.95
    as_printed: float = 0.1


RULE = OneNameRule()


def one_name_a_card(
    cards: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    counts: Mapping[Card, int],
    *,
    accept: float,
    outlines: Outlines | None,
    refused: list[CardRead] | None = None,
) -> tuple[list[CardRead], list[CardRead]]:
    """The reads of a picture with one name a card, and each name as often as the deck has it.

    Args:
        cards: what was accepted.
        doubtful: what was not.
        counts: how many of each card the deck has.
        accept: least confidence of an accepted read.
        outlines: looks for the cards about indices; None where they cover each other.
        refused: collects what is given up, with the reasons; None if nobody asks.

    Returns:
        What is accepted now, and what is in doubt, the surest first.
    """
    refused = [] if refused is None else refused
    reads = sorted([*cards, *doubtful], key=lambda read: -read.confidence)
    kept: list[CardRead] = []
    rivals = {} if outlines is None else _of_one_card(reads, outlines)
    gone: set[int] = set()
    for k, read in enumerate(reads):
        if k in gone:
            continue
        others = [j for j in rivals.get(k, ()) if j > k]
        gone |= set(others)
        refused += [replace(reads[j], reason=Reason.OTHER_END) for j in others]
        kept.append(_with_rivals(read, [reads[j] for j in others], accept))
    left, sure, asked = Counter(dict(counts)), [], []
    for read in sorted(kept, key=lambda read: -read.confidence):
        if read.confidence >= accept and left[read.card] > 0:
            sure.append(read)
            left[read.card] -= 1
        elif read.confidence < accept and left[read.card] > 0:
            asked.append(read)
        else:
            refused.append(replace(read, reason=Reason.NAME_TAKEN))
    return sure, asked


def _of_one_card(reads: Sequence[CardRead], outlines: Outlines) -> dict[int, list[int]]:
    """For each read the others with another name that are on its card, by the outlines."""
    pairs = [
        (i, j)
        for i, j in combinations(range(len(reads)), 2)
        if reads[i].card != reads[j].card and _may_share(reads[i], reads[j])
    ]
    asked = sorted({k for pair in pairs for k in pair})
    found = outlines([reads[k].indices[0] for k in asked]) if asked else []
    about = {k: quad for k, quad in zip(asked, found, strict=True) if quad is not None}
    out: dict[int, list[int]] = {}
    for i, j in pairs:
        first, second = reads[i].indices[0], reads[j].indices[0]
        quads = [about[k] for k in (i, j) if k in about]
        others = np.array(
            [r.indices[0].centre for k, r in enumerate(reads) if k not in (i, j) and r.indices]
        ).reshape(-1, 2)
        if quads and all(
            # Where the index of a third card stands upon it, it is not seen whole.
            _are_at_ends(quad, first, second) and not within(quad, others).any()
            for quad in quads
        ):
            out.setdefault(i, []).append(j)
    return out


def _are_at_ends(quad: FloatArray, first: IndexRead, second: IndexRead) -> bool:
    """Whether two indices stand on a card as one deck prints them: the one turned about."""
    a, b = index_place(quad, first), 1 - index_place(quad, second)
    across = min(abs(float(a[0] - b[0])), abs(float(a[0] - 1 + b[0])))
    return max(across, abs(float(a[1] - b[1]))) < RULE.as_printed


def _may_share(first: CardRead, second: CardRead) -> bool:
    """Whether two reads may be of one card: alike in rank or suit, or one hardly sure, in place."""
    if not first.indices or not second.indices or min(len(first.indices), len(second.indices)) > 1:
        return False
    a, b = first.card, second.card
    alike = a.rank == b.rank or a.suit == b.suit
    if not alike and min(first.confidence, second.confidence) >= RULE.both_sure:
        return False
    one, other = first.indices[0], second.indices[0]
    near = math.dist(one.centre, other.centre) < CARD_REACH * max(one.size, other.size)
    return near and are_opposite_ends(one, other)


def _with_rivals(read: CardRead, others: Sequence[CardRead], accept: float) -> CardRead:
    """A read with the other names of its card among its alternatives."""
    if not others:
        return read
    chances = dict(read.alternatives)
    for other in others:
        chances[other.card] = max(chances.get(other.card, 0.0), other.confidence)
    if max(other.confidence for other in others) >= RULE.both_sure:
        read = read.held_back(Reason.TWO_NAMES, accept=accept)
    rest = max(0.0, 1.0 - read.confidence)
    total = sum(chances.values())
    scale = min(1.0, rest / total) if total else 0.0
    order = sorted(chances.items(), key=lambda pair: -pair[1])
    return replace(
        read,
        alternatives=tuple((card, float(np.round(p * scale, 6))) for card, p in order),
    )
