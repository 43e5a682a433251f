"""Joins what several pictures show of one row into the whole row.

Cards are unique, so pictures overlap where they share cards: no picture registration is needed.
Every picture votes on which of its cards lie in one line and which comes before which. Votes are
settled the surest first, a vote that contradicts surer ones is dropped (Tideman's ranked pairs).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from companion.cards import Card
from vision.row_places import RowPlaces
from vision.rows import reading_lines, standing
from vision.types import CardRead, Reading

#: Least confidence of an unaccepted read that is taken into a row, marked doubtful.
PLAUSIBLE = 0.4
#: Below this a card of a row is marked doubtful.
SURE = 0.9
#: Least part of the pictures of its neighbour in which a card must stand beside it.
_SUPPORT = 0.25
#: Least cosine between a doubtful index and the way the row stands.
_ALIGNED = 0.5


@dataclass(frozen=True, slots=True)
class RowReading:
    """One row, read.

    Attributes:
        cards: the cards in order.
        confidences: for each card the chance that it is right, 0 to 1.
        doubtful: positions, from 0, of cards whose name or place is not sure.
        lines: number of cards of each line, top to bottom.
    """

    cards: tuple[Card, ...]
    confidences: tuple[float, ...]
    doubtful: tuple[int, ...]
    lines: tuple[int, ...] = ()

    @property
    def changes(self) -> str:
        """U, D or S for each neighbouring pair, by rank; ``?`` beside a joker."""
        return "".join(_change(a, b) for a, b in pairwise(self.cards))


def _change(left: Card, right: Card) -> str:
    if left.rank is None or right.rank is None:
        return "?"
    return "U" if right.rank > left.rank else "D" if right.rank < left.rank else "S"


def row_lines(reading: Reading) -> list[list[CardRead]]:
    """The lines of one picture, with doubtful reads where they fit among the accepted ones."""
    reads = list(reading.cards)
    names = {read.card for read in reads}
    sizes = [read.indices[0].size for read in reads]
    usual = float(np.median(sizes)) if sizes else 0.0
    way = standing(reads)
    for read in sorted(reading.doubtful, key=lambda r: -r.confidence):
        fits = not sizes or 0.6 * usual < read.indices[0].size < 1.6 * usual
        # The far end of a card that is read already looks like a card that lies turned about.
        fits = fits and (not way.any() or float(way @ read.indices[0].direction) > _ALIGNED)
        if fits and read.confidence >= PLAUSIBLE and read.card not in names:
            reads.append(read)
            names.add(read.card)
    places = RowPlaces(reads)
    sure = np.arange(len(reads)) < len(reading.cards)
    stands = sure | places.stand_in(sure)
    if stands.all():
        return [[reads[k] for k in line] for line in places.lines]
    reads = [read for read, keep in zip(reads, stands, strict=True) if keep]
    return [[reads[k] for k in line] for line in reading_lines(reads)]


def read_of_still(reading: Reading) -> RowReading:
    """The row of a single picture."""
    lines = row_lines(reading)
    reads = [read for line in lines for read in line]
    accepted = {read.card for read in reading.cards}
    doubtful = tuple(
        k for k, r in enumerate(reads) if r.card not in accepted or r.confidence < SURE
    )
    return RowReading(
        tuple(r.card for r in reads),
        tuple(r.confidence for r in reads),
        doubtful,
        tuple(len(line) for line in lines),
    )


class RowJoiner:
    """Collects the readings of several stills or of a sweep.

    Args:
        least: pictures in which a card must be read to be believed; 1 for stills, more for the
            many frames of a video.
    """

    def __init__(self, *, least: int = 1) -> None:
        self._least = least
        self._doubt: defaultdict[Card, float] = defaultdict(float)
        self._best: defaultdict[Card, float] = defaultdict(float)
        self._seen: Counter[Card] = Counter()
        self._first: dict[Card, int] = {}
        self._before: Counter[tuple[Card, Card]] = Counter()
        self._above: Counter[tuple[Card, Card]] = Counter()
        self._next: Counter[tuple[Card, Card]] = Counter()
        self._pictures = 0

    def add(self, reading: Reading) -> None:
        """Takes in one picture."""
        lines = row_lines(reading)
        for line in lines:
            names = [read.card for read in line]
            self._before.update(combinations(names, 2))
            self._next.update(pairwise(names))
            for read in line:
                self._seen[read.card] += 1
                self._best[read.card] = max(self._best[read.card], read.confidence)
                # Views of one card err alike, so later ones remove less doubt than the first.
                weight = 1 if self._seen[read.card] == 1 else 0.35
                self._doubt[read.card] += weight * math.log(max(1 - read.confidence, 1e-4))
                self._first.setdefault(read.card, len(self._first))
        for upper, lower in combinations(lines, 2):
            self._above.update((a.card, b.card) for a in upper for b in lower)
        self._pictures += 1

    def result(self) -> RowReading:
        """The row as all pictures together have it."""
        cards = [card for card in self._first if self._is_supported(card)]
        lines = self._order_lines(self._lines(cards))
        ordered: list[Card] = []
        unsure: set[Card] = set()
        for line in lines:
            part = _ranked(line, self._before, self._next, self._first)
            unsure.update(b for a, b in pairwise(part) if not self._before[a, b])
            ordered += part
        confidences = [self._confidence(card) for card in ordered]
        doubtful = tuple(
            k
            for k, (card, confidence) in enumerate(zip(ordered, confidences, strict=True))
            if confidence < SURE or card in unsure
        )
        return RowReading(
            tuple(ordered), tuple(confidences), doubtful, tuple(len(line) for line in lines)
        )

    def _confidence(self, card: Card) -> float:
        joint = 1 - math.exp(self._doubt[card])
        return max(self._best[card], joint) if self._share(card) > 0.6 else joint

    def _share(self, card: Card) -> float:
        """How often it is this card, and no other, that stands beside its neighbour.

        A wrong name takes the place of the right one in a few pictures only.
        """
        shares = [0.0] if len(self._seen) > 1 else [1.0]
        for side in (0, 1):
            beside = {p[side]: n for p, n in self._next.items() if p[1 - side] is card}
            if not beside:
                continue
            neighbour = max(beside, key=lambda c: beside[c] * self._seen[c])
            there = sum(n for p, n in self._next.items() if p[side] is neighbour)
            shares.append(beside[neighbour] / there)
        return max(shares)

    def _is_supported(self, card: Card) -> bool:
        if self._seen[card] < min(self._least, self._pictures):
            return False
        return self._least <= 1 or self._share(card) >= _SUPPORT

    def _lines(self, cards: Sequence[Card]) -> list[list[Card]]:
        """Groups cards that mostly lie in one line, over all pictures."""
        group = {card: {card} for card in cards}
        for (a, b), _ in sorted(self._next.items(), key=lambda item: -item[1]):
            if a not in group or b not in group or group[a] is group[b]:
                continue
            one, other = group[a], group[b]
            if sum(self._togetherness(x, y) for x in one for y in other) > 0:
                one |= other
                group.update(dict.fromkeys(other, one))
        unique = {id(line): line for line in group.values()}
        return [[card for card in cards if card in line] for line in unique.values()]

    def _togetherness(self, a: Card, b: Card) -> int:
        """Pictures that show two cards in one line, less those that show them in different ones."""
        together = self._before[a, b] + self._before[b, a]
        return together - self._above[a, b] - self._above[b, a]

    def _order_lines(self, lines: list[list[Card]]) -> list[list[Card]]:
        def height(line: list[Card]) -> tuple[int, int]:
            below = 0
            for other in lines:
                if other is not line:
                    votes = sum(self._above[b, a] - self._above[a, b] for a in line for b in other)
                    below += votes > 0
            return below, min(self._first[card] for card in line)

        return sorted(lines, key=height)


def _ranked(
    cards: Sequence[Card],
    before: Counter[tuple[Card, Card]],
    following: Counter[tuple[Card, Card]],
    first: dict[Card, int],
) -> list[Card]:
    """Orders cards by pairwise votes, the surest first, without contradictions."""
    number = {card: k for k, card in enumerate(cards)}
    votes = [
        (before[a, b] - before.get((b, a), 0), a, b)
        for a, b in before
        if a in number and b in number and before[a, b] > before.get((b, a), 0)
    ]
    votes.sort(key=lambda vote: (-vote[0], first[vote[1]], first[vote[2]]))
    reach = np.eye(len(cards), dtype=bool)
    for _, a, b in votes:
        i, j = number[a], number[b]
        if not reach[j, i] and not reach[i, j]:
            reach[reach[:, i]] |= reach[j]
    waiting = list(cards)
    ordered: list[Card] = []
    while waiting:
        free = [
            c
            for c in waiting
            if not any(reach[number[o], number[c]] for o in waiting if o is not c)
        ]
        last = ordered[-1] if ordered else None
        chosen = min(free, key=lambda c: (-following[last, c] if last else 0, first[c]))
        ordered.append(chosen)
        waiting.remove(chosen)
    return ordered
