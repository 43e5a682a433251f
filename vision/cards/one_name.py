"""One card, one name: of reads that share an outline one stands, and of a name one read.

Corners of one card may read differently: a 6 that stands on its head, a suit in glare, a letter
that looks like a number. The rules before this one join only what reads alike, so one card may come
out under two names. Here the last word is the outline's: where two reads may be of one card by
their places, the network of outlines is asked which card lies about each, and where that is one
card, one name stands. If both were sure of theirs, all the corners together decide, and where they
contradict each other neither is accepted. What looks like a joker's mark upon a card that is read
is none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import cv2
import numpy as np

from companion.cards import Card
from vision.arrays import FloatArray
from vision.cards.corners import CARD_REACH, are_opposite_ends, are_side_by_side
from vision.geometry import card_outline, within
from vision.outlines.faces import lies_open
from vision.outlines.flat import index_place
from vision.types import SUIT_LABELS, CardRead, IndexRead, Reason

Outlines = Callable[[Sequence[IndexRead]], Sequence[FloatArray | None]]
"""(4, 2) corners of the card about each of some indices; None where none is sure."""


@dataclass(frozen=True, slots=True)
class OneNameRule:
    """When two reads are of one card.

    Attributes:
        both_sure: where both reads are so sure of their names all the corners decide between them;
            as sure as a read that is believed by itself.
        as_printed: indices of one deck are printed as far from their corners, but for this share of
            the card; nine outlines in ten are half as far off at most.
        one_outline: outlines whose corners are so near to each other, as a share of their longest
            side, are one card's; outlines that are sure are less than half as far off.
        misread: how seldom a corner reads as another name, for certain; chosen, not measured.
        fills: a card that its two indices put upon so much of the picture fills it: its sides are
            out of sight, and nothing else is in the picture.
    """

    both_sure: float = 0.95
    as_printed: float = 0.1
    one_outline: float = 0.1
    misread: float = 0.002
    fills: float = 0.8


RULE = OneNameRule()


def one_name_a_card(
    cards: Sequence[CardRead],
    doubtful: Sequence[CardRead],
    counts: Mapping[Card, int],
    *,
    size: tuple[int, int],
    accept: float,
    outlines: Outlines | None,
    refused: list[CardRead] | None = None,
) -> tuple[list[CardRead], list[CardRead]]:
    """The reads of a picture with one name a card, and each name as often as the deck has it.

    Args:
        cards: what was accepted.
        doubtful: what was not.
        counts: how many of each card the deck has.
        size: width and height of the picture, pixels.
        accept: least confidence of an accepted read.
        outlines: looks for the cards about indices; None where they cover each other.
        refused: collects what is given up, with the reasons; None if nobody asks.

    Returns:
        What is accepted now, and what is in doubt, the surest first.
    """
    refused = [] if refused is None else refused
    # A joker's mark upon a card that is read is none, however much it looks like one.
    reads = sorted(
        [*cards, *doubtful],
        key=lambda read: (read.card.is_joker or read.confidence < accept, -read.confidence),
    )
    kept: list[CardRead] = []
    rivals = {} if outlines is None else _of_one_card(reads, size, outlines)
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


def _of_one_card(
    reads: Sequence[CardRead], size: tuple[int, int], outlines: Outlines
) -> dict[int, list[int]]:
    """For each read the others with another name that are on its card, by the outlines."""
    first = [read.indices[0] for read in reads if read.indices]
    pairs = [
        (i, j)
        for i, j in combinations(range(len(reads)), 2)
        if reads[i].card != reads[j].card and _may_share(reads[i], reads[j], first)
    ]
    asked = sorted({k for pair in pairs for k in pair})
    found = outlines([reads[k].indices[0] for k in asked]) if asked else []
    about = {k: quad for k, quad in zip(asked, found, strict=True) if quad is not None}
    out: dict[int, list[int]] = {}
    for i, j in pairs:
        own = [about[k] for k in (i, j) if k in about]
        # What is of the same card by its own outline lies not upon it.
        others = np.array(
            [
                read.indices[0].centre
                for k, read in enumerate(reads)
                if k not in (i, j)
                and read.indices
                and not (k in about and any(_are_one(about[k], quad) for quad in own))
            ]
        ).reshape(-1, 2)
        if _share_card(reads[i], reads[j], about.get(i), about.get(j), others) or (
            len(reads) == 2 and _fill(reads[i], reads[j], size)
        ):
            out.setdefault(i, []).append(j)
    return out


def _share_card(
    first: CardRead,
    second: CardRead,
    about: FloatArray | None,
    about_second: FloatArray | None,
    others: FloatArray,
) -> bool:
    """Whether two reads are of one card, by the outlines about their surest indices.

    Args:
        first: the one, that comes first.
        second: the other.
        about: (4, 2) the card about the one's surest index; None where none is found.
        about_second: the same of the other.
        others: (n, 2) where the surest indices of all other reads stand.
    """
    if about is not None and about_second is not None and _are_one(about, about_second):
        return not within(about, others).any()
    if second.card.is_joker:
        return about is not None and about_second is None and _is_upon(about, second, others)
    if first.card.is_joker or not are_opposite_ends(first.indices[0], second.indices[0]):
        return False
    quads = [quad for quad in (about, about_second) if quad is not None]
    return bool(quads) and all(
        # Where the index of a third card stands upon it, it is not seen whole.
        _are_at_ends(quad, first.indices[0], second.indices[0]) and not within(quad, others).any()
        for quad in quads
    )


def _are_one(first: FloatArray, second: FloatArray) -> bool:
    """Whether two outlines are of one card, whichever of its ends each begins with."""
    side = float(np.linalg.norm(np.roll(first, -1, axis=0) - first, axis=1).max())
    off = min(
        float(np.linalg.norm(np.roll(second, k, axis=0) - first, axis=1).max()) for k in range(4)
    )
    return off < RULE.one_outline * side


def _is_upon(quad: FloatArray, joker: CardRead, others: FloatArray) -> bool:
    """Whether a joker's marks stand upon a card that is seen whole."""
    marks = np.array([index.centre for index in joker.indices])
    return bool(within(quad, marks).all() and not within(quad, others).any())


def _fill(first: CardRead, second: CardRead, size: tuple[int, int]) -> bool:
    """Whether two reads are the two ends of a card that fills the picture, of that size."""
    if not are_opposite_ends(first.indices[0], second.indices[0]):
        return False
    quad = card_outline([first.indices[0], second.indices[0]])
    if quad is None:
        return False
    width, height = size
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    covered, _ = cv2.intersectConvexConvex(np.array(quad, np.float32), picture)
    return covered > RULE.fills * width * height


def _are_at_ends(quad: FloatArray, first: IndexRead, second: IndexRead) -> bool:
    """Whether two indices stand on a card as one deck prints them: the one turned about."""
    a, b = index_place(quad, first), 1 - index_place(quad, second)
    across = min(abs(float(a[0] - b[0])), abs(float(a[0] - 1 + b[0])))
    return max(across, abs(float(a[1] - b[1]))) < RULE.as_printed


def _may_share(first: CardRead, second: CardRead, indices: Sequence[IndexRead]) -> bool:
    """Whether two reads may be of one card: alike in rank or suit, or one hardly sure, in place.

    What is read as a joker may be of any card.

    Args:
        first: the one, that comes first.
        second: the other.
        indices: the surest index of every read.
    """
    if not first.indices or not second.indices:
        return False
    one, other = first.indices[0], second.indices[0]
    if not any(
        math.dist(own.centre, other.centre) < CARD_REACH * max(own.size, other.size)
        for own in first.indices
    ):
        return False
    others = [index for index in indices if index is not one and index is not other]
    centres = np.array([index.centre for index in others]).reshape(-1, 2)
    if first.card.is_joker or second.card.is_joker:
        return lies_open(one, centres)
    if min(len(first.indices), len(second.indices)) > 1:
        return False
    a, b = first.card, second.card
    alike = a.rank == b.rank or a.suit == b.suit
    if not alike and min(first.confidence, second.confidence) >= RULE.both_sure:
        return False
    in_place = are_opposite_ends(one, other) or any(
        are_side_by_side(own, other, others) for own in first.indices
    )
    return in_place and lies_open(one, centres) and lies_open(other, centres)


def _with_rivals(read: CardRead, others: Sequence[CardRead], accept: float) -> CardRead:
    """A read with the other names of its card among its alternatives."""
    others = [other for other in others if not other.card.is_joker]
    if not others or read.card.is_joker:
        return read
    chances = dict(read.alternatives)
    for other in others:
        chances[other.card] = max(chances.get(other.card, 0.0), other.confidence)
    if max(other.confidence for other in others) >= RULE.both_sure:
        read = _by_all_corners(read, others, accept)
    rest = max(0.0, 1.0 - read.confidence)
    total = sum(chances.values())
    scale = min(1.0, rest / total) if total else 0.0
    order = sorted(chances.items(), key=lambda pair: -pair[1])
    return replace(
        read,
        alternatives=tuple((card, float(np.round(p * scale, 6))) for card, p in order),
    )


def _by_all_corners(read: CardRead, others: Sequence[CardRead], accept: float) -> CardRead:
    """A read as far as all corners of its card together are sure of its name.

    A corner that reads as one name with a little of the other is outvoted by one that reads as the
    other alone; two that contradict each other leave it open.
    """
    indices = [index for each in (read, *others) for index in each.indices]
    chances = np.array(
        [[_chance(index, each.card) for each in (read, *others)] for index in indices]
    )
    told = np.log(np.maximum(chances, RULE.misread)).sum(axis=0)
    share = float(1 / np.exp(told - told[0]).sum())
    if share < accept:
        return read.held_back(Reason.TWO_NAMES, accept=accept)
    return replace(read, confidence=min(read.confidence, share))


def _chance(index: IndexRead, card: Card) -> float:
    """How likely an index is of a card by itself."""
    rank = float(index.rank_probs[int(card.rank or 0) - 1])
    return rank * float(index.suit_probs[SUIT_LABELS.index(str(card.suit))])
