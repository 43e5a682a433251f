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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.cards import Card
from vision.arrays import FloatArray
from vision.cards.corners import (
    CARD_REACH,
    apart,
    are_opposite_ends,
    are_side_by_side,
    poses_of,
)
from vision.geometry import card_outline, index_box, within
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
        across: no two corners of a card are farther apart, in heights of the larger index: those of
            small indices, of 14 mm, 5.7 where they stand opposite.
        wider: the upper corners of a card are no more than so many times as far apart as its
            diagonal is wide; chosen for steep views.
        off_copy: a copy's middle lies so far off the card's, as a share of its shortest side; in a
            steep view the middles of one card's outlines are within a twentieth.
        off_card: an index so far off an outline, in its heights, is of another card.
        fills: a card that its two indices put upon so much of the picture fills it: its sides are
            out of sight, and nothing else is in the picture.
    """

    both_sure: float = 0.95
    as_printed: float = 0.1
    one_outline: float = 0.1
    misread: float = 0.002
    across: float = 6.5
    wider: float = 1.4
    off_copy: float = 0.25
    off_card: float = 0.5
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
    refused: Sequence[CardRead] = (),
) -> tuple[list[CardRead], list[CardRead], list[CardRead]]:
    """The reads of a picture with one name a card, and each name as often as the deck has it.

    Args:
        cards: what was accepted.
        doubtful: what was not.
        counts: how many of each card the deck has.
        size: width and height of the picture, pixels.
        accept: least confidence of an accepted read.
        outlines: looks for the cards about indices; None where they cover each other.
        refused: what was given up before. What was because its name was taken, though it is as
            sure as a card, may be a copy.

    Returns:
        What is accepted now, what is in doubt, the surest first, and what is given up. A copy that
        the deck does not have is in doubt.
    """
    again = [read for read in refused if _may_be_copy(read, accept)]
    gone = [read for read in refused if not _may_be_copy(read, accept)]
    if outlines is not None:
        outlines = _asked_once(outlines)
        cards, split = _split(cards, {read.card for read in again}, counts, outlines)
        again, more = _split(again, {read.card for read in again}, counts, outlines)
        again += [read for read in (*split, *more) if _may_be_copy(read, accept)]
    # A joker's mark upon a card that is read is none, however much it looks like one.
    reads = sorted(
        [*cards, *doubtful, *again],
        key=lambda read: (
            read.card.is_joker or read.confidence < accept,
            _may_be_copy(read, accept),
            -read.confidence,
        ),
    )
    kept: list[CardRead] = []
    rivals = {} if outlines is None else _of_one_card(reads, size, accept, outlines)
    beaten: set[int] = set()
    for k, read in enumerate(reads):
        if k in beaten:
            continue
        others = [j for j in rivals.get(k, ()) if j > k]
        beaten |= set(others)
        gone += [replace(reads[j], reason=Reason.OTHER_END) for j in others]
        kept.append(_with_rivals(read, [reads[j] for j in others], accept))
    sure, asked, spare = _counted(kept, counts, accept, outlines)
    return sure, asked, [*gone, *spare]


def _counted(
    reads: Sequence[CardRead], counts: Mapping[Card, int], accept: float, outlines: Outlines | None
) -> tuple[list[CardRead], list[CardRead], list[CardRead]]:
    """Reads of one name each, as often as the deck has it: accepted, asked about and given up."""
    sure: list[CardRead] = []
    asked: list[CardRead] = []
    gone: list[CardRead] = []
    copies: list[CardRead] = []
    for read in sorted(reads, key=lambda r: (_may_be_copy(r, accept), -r.confidence)):
        named = [host for host in (*sure, *asked) if host.card == read.card]
        is_left = sum(host.card == read.card for host in sure) < counts.get(read.card, 0)
        if _may_be_copy(read, accept):
            if not named or not all(
                _lie_apart(read, host, outlines, known=all(host is not copy for copy in copies))
                for host in named
            ):
                gone.append(replace(read, reason=Reason.NAME_TAKEN))
                continue
            copies.append(
                replace(read, reason=Reason.SURE)
                if is_left
                else read.held_back(Reason.COPIES, accept=accept)
            )
            (sure if is_left else asked).append(copies[-1])
        elif is_left:
            (sure if read.confidence >= accept else asked).append(read)
        else:
            gone.append(replace(read, reason=Reason.NAME_TAKEN))
    return sure, asked, gone


def _asked_once(outlines: Outlines) -> Outlines:
    """The same, each index looked at once."""
    known: dict[tuple[float, float], FloatArray | None] = {}

    def asked(indices: Sequence[IndexRead]) -> list[FloatArray | None]:
        new = list({index.centre: index for index in indices if index.centre not in known}.values())
        if new:
            known.update(zip((index.centre for index in new), outlines(new), strict=True))
        return [known[index.centre] for index in indices]

    return asked


def _split(
    reads: Sequence[CardRead], twice: set[Card], counts: Mapping[Card, int], outlines: Outlines
) -> tuple[list[CardRead], list[CardRead]]:
    """Reads without the corners that lie on another card of their name, and those by themselves.

    Two cards of one name side by side read like the corners of one.

    Args:
        reads: one a card.
        twice: names that were read more than once.
        counts: how many of each card the deck has.
        outlines: looks for the cards about indices.
    """
    kept: list[CardRead] = []
    split: list[CardRead] = []
    for read in reads:
        several = counts.get(read.card, 0) > 1
        if len(read.indices) < 2 or not (
            read.card in twice or _may_be_two(read.indices, several=several)
        ):
            kept.append(read)
            continue
        first, *others = outlines(read.indices)
        off = [
            first is not None
            and (_is_off(first, index) if quad is None else not _is_same(first, quad))
            for index, quad in zip(read.indices[1:], others, strict=True)
        ]
        rest = zip(read.indices[1:], off, strict=True)
        own = (read.indices[0], *(index for index, is_off in rest if not is_off))
        kept.append(_of_indices(read, own) if any(off) else read)
        split += [
            replace(_of_indices(read, (index,)), reason=Reason.NAME_TAKEN)
            for index, is_off in zip(read.indices[1:], off, strict=True)
            if is_off
        ]
    return kept, split


def _may_be_two(indices: Sequence[IndexRead], *, several: bool) -> bool:
    """Whether the indices, two or more, of a read may be of two cards of its name.

    Two that stand side by side may, where the deck has several such cards; else only what is wider
    than its diagonal tells.
    """
    found = poses_of(indices)
    steps = [apart(found, 0, k) for k in range(1, len(indices))]
    turned = found.direction[1:] @ found.direction[0] < 0
    beside = [abs(float(step[0])) for step, turn in zip(steps, turned, strict=True) if not turn]
    across = [abs(float(step[0])) for step, turn in zip(steps, turned, strict=True) if turn]
    if several and (beside or len(across) > 1):
        return True
    return bool(beside and across) and max(beside) > RULE.wider * max(across)


def _of_indices(read: CardRead, indices: tuple[IndexRead, ...]) -> CardRead:
    """A read by some of its indices, no surer than they are and no surer than it was."""
    outline = card_outline(indices)
    return replace(
        read,
        confidence=min(read.confidence, max(index.confidence for index in indices)),
        indices=indices,
        quad=outline or index_box(indices[0]),
        outlined=outline is not None,
    )


def _may_be_copy(read: CardRead, accept: float) -> bool:
    """Whether a read whose name was given before may be another card of that name."""
    is_again = read.reason in (Reason.NAME_TAKEN, Reason.COPIES)
    return is_again and read.confidence >= accept and bool(read.indices)


def _lie_apart(read: CardRead, host: CardRead, outlines: Outlines | None, *, known: bool) -> bool:
    """Whether two reads of one name are two cards: by their places, or by the outlines seen.

    Args:
        read: what may be a copy.
        host: what was named before.
        outlines: looks for the cards about indices; None where they cover each other.
        known: whether the read's reason says what is so where no outline is seen.
    """
    known = known and read.reason is Reason.COPIES
    if any(
        math.dist(a.centre, b.centre) > RULE.across * max(a.size, b.size)
        for a in read.indices
        for b in host.indices
    ):
        return True
    if outlines is None:
        return known
    first, second = read.indices[0], host.indices[0]
    quads = outlines([first, second])
    if quads[0] is not None and quads[1] is not None:
        return not _is_same(quads[0], quads[1])
    if quads[0] is None and quads[1] is None:
        return known
    return any(
        quad is not None and _is_off(quad, other)
        for quad, other in zip(quads, (second, first), strict=True)
    )


def _is_same(first: FloatArray, second: FloatArray) -> bool:
    """Whether two outlines about indices of one name are of one card: about as far as they go."""
    off = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    sides = np.linalg.norm(np.roll(first, -1, axis=0) - first, axis=1)
    return bool(off < RULE.off_copy * sides.min())


def _is_off(quad: FloatArray, index: IndexRead) -> bool:
    """Whether an index stands well off a card by its corners."""
    off = cv2.pointPolygonTest(quad.astype(np.float32), index.centre, True)
    return bool(-off > RULE.off_card * index.size)


def _of_one_card(
    reads: Sequence[CardRead], size: tuple[int, int], accept: float, outlines: Outlines
) -> dict[int, list[int]]:
    """For each read the others with another name that are on its card, by the outlines."""
    # What may be a further corner of a card does not lie upon one.
    others_of = [k for k, r in enumerate(reads) if r.indices and not _may_be_copy(r, accept)]
    first = [reads[k].indices[0] for k in others_of]
    pairs = [
        (i, j)
        for i, j in np.argwhere(np.triu(_near(reads), 1)).tolist()
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
                reads[k].indices[0].centre
                for k in others_of
                if k not in (i, j)
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


def _near(reads: Sequence[CardRead]) -> NDArray[np.bool_]:
    """(n, n) whether some index of one read and the surest of another are within a card's reach."""
    near = np.zeros((len(reads), len(reads)), bool)
    owner = np.array([k for k, read in enumerate(reads) for _ in read.indices], np.intp)
    leading = [k for k, read in enumerate(reads) if read.indices]
    if leading:
        every = poses_of([index for read in reads for index in read.indices])
        surest = every.take(np.searchsorted(owner, leading))
        far = np.linalg.norm(every.centre[:, None] - surest.centre[None], axis=2)
        within_reach = far < CARD_REACH * np.maximum(every.size[:, None], surest.size[None])
        for k, row in zip(owner, within_reach, strict=True):
            near[k, leading] |= row
    return near


def _may_share(first: CardRead, second: CardRead, indices: Sequence[IndexRead]) -> bool:
    """Whether two reads may be of one card: alike in rank or suit, or one hardly sure, in place.

    What is read as a joker may be of any card.

    Args:
        first: the one, that comes first.
        second: the other.
        indices: the surest index of every read.
    """
    one, other = first.indices[0], second.indices[0]
    others = [index for index in indices if index is not one and index is not other]
    is_joker = first.card.is_joker or second.card.is_joker
    if not is_joker and not _stand_as_one(first, second, others):
        return False
    centres = np.array([index.centre for index in others]).reshape(-1, 2)
    return lies_open(one, centres) and (is_joker or lies_open(other, centres))


def _stand_as_one(first: CardRead, second: CardRead, others: Sequence[IndexRead]) -> bool:
    """Whether two reads, alike or hardly sure, stand as corners of one card do."""
    if min(len(first.indices), len(second.indices)) > 1:
        return False
    a, b = first.card, second.card
    is_alike = a.rank == b.rank or a.suit == b.suit
    if not is_alike and min(first.confidence, second.confidence) >= RULE.both_sure:
        return False
    other = second.indices[0]
    return are_opposite_ends(first.indices[0], other) or any(
        are_side_by_side(own, other, others) for own in first.indices
    )


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
