"""Lone indices that are further corners of cards which are read already.

In a row every card shows the index by which it lies in line. The last card of a line shows its
other corners as well, and there a half-covered or blurred index may read as some card of its own.
Where such corners must be, the other cards of the picture tell: all have one size and one layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array, FloatArray
from vision.cards.corners import apart, frame, on_one_edge, stands_between
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates


@dataclass(frozen=True, slots=True)
class CornerRule:
    """Which lone index is a corner of a surer card; from so sure on it is believed to be a card.

    Attributes:
        sure: cards so sure tell where corners are, and have corners.
        believed: of an index of another rank than the card's.
        believed_turned: of one that stands turned about to its line: most are far corners, half
            covered by the next line.
        believed_beside: of one beside a card that shows one corner only, of any rank.
        believed_upright: of one of any rank that stands as the line does: it leads a card.
        believed_like: of one of the card's rank but another suit, where the card shows an upper and
            a lower corner: which side of them it lies on is not known.
        some: what is less likely any card is never read as one.
        likely: so sure an index may well be a card that lies between.
        begins: from so much of the way to the corner on.
        same: cosine of directions that are the same.
        opposite: and opposite.
        off: so far from its place, in index heights, a corner of a four-index card may be found.
        off_share: of a two-index card, as a share of the way across the card: all of a steep view
            lies in that.
        off_edge: for the foot of an edge of which one end is known, as a share of the edge.
        on: a second read of one and the same corner is nearer than that, index heights.
        least_cards: so many sure cards make a row.
        least_of_still: so many show how the cards of a still are printed.
    """

    sure: float = 0.9
    believed: float = 0.97
    believed_turned: float = 0.99
    believed_beside: float = 0.9
    believed_upright: float = 0.95
    believed_like: float = 0.99
    some: float = 0.05
    likely: float = 0.3
    begins: float = 0.1
    same: float = 0.8
    opposite: float = -0.8
    off: float = 0.7
    off_share: float = 0.35
    off_edge: float = 0.22
    on: float = 0.6
    least_cards: int = 6
    least_of_still: int = 2


RULE = CornerRule()


def extra_corners(
    groups: Sequence[Sequence[int]],
    alone: Sequence[Float32Array],
    found: Candidates,
    hypotheses: Hypotheses,
) -> set[int] | None:
    """Which groups are further corners of surer cards, where cards with four indices lie about.

    Of a card that shows one corner only a row says more: it lies as the others do.

    Args:
        groups: candidates of one physical card each, the surest first.
        alone: (cards,) chances of each group.
        found: the candidates.
        hypotheses: what they read as.

    Returns:
        Numbers of lone groups; None where the picture shows too few cards to say.
    """
    best = np.array([float(chances.max(initial=0)) for chances in alone])
    sure = np.flatnonzero(best >= RULE.sure).tolist()
    if len(sure) < RULE.least_of_still:
        return None
    places = _places_of_four(groups, best, [g for g in sure if len(groups[g]) > 1], sure, found)
    return _spare(groups, alone, found, hypotheses, places, four=True, leads=set())


def spare_in_row(
    groups: Sequence[Sequence[int]],
    alone: Sequence[Float32Array],
    found: Candidates,
    hypotheses: Hypotheses,
    *,
    four: bool,
) -> set[int] | None:
    """The same in a row, also where the deck prints but two indices (``four`` is false)."""
    best = np.array([float(chances.max(initial=0)) for chances in alone])
    sure = np.flatnonzero(best >= RULE.sure).tolist()
    if len(sure) < RULE.least_cards:
        return None
    if four:
        places = _places_of_four(groups, best, sure, sure, found)
        return _spare(groups, alone, found, hypotheses, places, four=True, leads=set())
    likely = np.flatnonzero(best >= RULE.likely).tolist()
    places = {g: _far_corners(g, sure, groups, found) for g in likely}
    leads = _leading(_upright(groups, sure, found), best)
    return _spare(groups, alone, found, hypotheses, places, four=False, leads=leads)


def _places_of_four(
    groups: Sequence[Sequence[int]],
    best: FloatArray,
    tell: Sequence[int],
    sure: Sequence[int],
    found: Candidates,
) -> dict[int, list[_Place]]:
    """Where the missing corners of sure cards must be, of those that ``tell``; none of the rest."""
    likely = np.flatnonzero(best >= RULE.likely).tolist()
    between = np.array([j for g in likely for j in groups[g]], np.intp)
    edge, across = (_usual(sure, groups, found, opposite=along) for along in (True, False))
    return {
        g: _four_corners(groups[g], between, found, edge=edge, across=across) if g in tell else []
        for g in sure
    }


def _spare(
    groups: Sequence[Sequence[int]],
    alone: Sequence[Float32Array],
    found: Candidates,
    hypotheses: Hypotheses,
    places: Mapping[int, list[_Place]],
    *,
    four: bool,
    leads: set[int],
) -> set[int]:
    """Which lone groups stand where corners of other cards must be.

    ``places`` says by group where its missing corners must be, ``four`` whether the deck prints an
    index in all four corners, and ``leads`` which groups lead a card for certain.
    """
    ranks, suits = hypotheses.ranks, hypotheses.suits
    best = np.array([float(chances.max(initial=0)) for chances in alone])
    sure = np.flatnonzero(best >= RULE.sure).tolist()
    likely = np.flatnonzero(best >= RULE.likely).tolist()
    out = set()
    upright = _upright(groups, sure, found)
    for k, group in enumerate(groups):
        if len(group) > 1 or best[k] < RULE.some or k in leads:
            continue
        owners = sure
        if not four:
            # The far corners of neighbours lie near to each other: it is the nearest one's.
            others = [g for g in likely if g != k]
            off = [_miss(group[0], places[g], found) for g in others]
            owners = [others[int(np.argmin(off))]] if others else []
        name = int(alone[k].argmax())
        for g in owners:
            own = int(alone[g].argmax())
            same_rank = bool(ranks[own] == ranks[name])
            # What is half seen keeps its rank or its suit, rarely neither.
            if g == k or not (same_rank or suits[own] == suits[name]):
                continue
            surer = len(groups[g]) > 1 or best[g] >= best[k]  # else either may be the other's
            # However it lies, a card of two indices shows one that stands as the row does: what
            # stands turned about and is of its rank is its other end, sure of its suit or not.
            surer |= not four and same_rank and bool(upright[g] and not upright[k])
            if not surer or best[g] < RULE.sure:
                continue
            open_to = [p for p in places[g] if best[k] <= (p.like if same_rank else p.believed)]
            beside = best[k] <= RULE.believed or same_rank
            if _belongs(group[0], groups[g] if beside else (), open_to, found):
                out.add(k)
                break
    return out


def _upright(
    groups: Sequence[Sequence[int]], sure: Sequence[int], found: Candidates
) -> NDArray[np.bool_]:
    """Which groups stand as most sure ones do."""
    first = np.array([group[0] for group in groups], np.intp)
    way = found.direction[first[sure]].sum(axis=0)
    return np.asarray(found.direction[first] @ way > 0)


def _leading(upright: NDArray[np.bool_], best: NDArray[np.floating]) -> set[int]:
    """Groups that are sure enough and stand as the row does."""
    return set(np.flatnonzero(upright & (best > RULE.believed_upright)).tolist())


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a corner must be, beside an index of the card.

    Attributes:
        start: the index, pixels.
        step: from there to the corner, in index heights.
        size: the index's height, pixels; towards the corner it changes as the corner's own says.
        way: how the corner's index stands.
        off: how far off it may be, in index heights.
        believed: an index of another rank that is surer is no corner of this card.
        like: the same for one of this card's rank.
    """

    start: FloatArray
    step: FloatArray
    size: float
    way: FloatArray
    off: float
    believed: float = RULE.believed
    like: float = 1.0


def _miss(k: int, places: Sequence[_Place], found: Candidates) -> float:
    """How far an index is off the nearest of the places where it might stand, in tolerances."""
    size = float(found.size[k])
    misses = [
        float(np.hypot(*(found.centre[k] - p.start - p.step * np.sqrt(p.size * size))))
        / (p.off * np.sqrt(p.size * size))
        for p in places
        if float(found.direction[k] @ p.way) > RULE.same
    ]
    return min(misses, default=float("inf"))


def _belongs(k: int, group: Sequence[int], places: Sequence[_Place], found: Candidates) -> bool:
    """Whether an index stands where a corner of a card must be, or on one that is not its first."""
    if _miss(k, places, found) < 1:
        return True
    return any(
        np.hypot(*(found.centre[k] - found.centre[j])) < RULE.on * found.size[j]
        and float(found.direction[k] @ found.direction[j]) > RULE.same
        for j in group[1:]
    )


def _four_corners(
    group: Sequence[int],
    between: NDArray[np.intp],
    found: Candidates,
    *,
    edge: FloatArray | None,
    across: FloatArray | None,
) -> list[_Place]:
    """Where the corners of a four-index card must be that were not joined to it.

    Args:
        group: the card's indices.
        between: indices of all groups that may well be cards.
        found: all indices.
        edge: the way along a card's long side, see `_usual`.
        across: the way from one upper corner to the other.
    """
    if len(group) == 3:
        ends = max(combinations(group, 2), key=lambda p: _far(found, *p))
        (middle,) = set(group) - set(ends)
        # A parallelogram; in a steep view the far side is shorter, which the tolerance covers.
        step = found.centre[ends[0]] + found.centre[ends[1]] - 2 * found.centre[middle]
        size = float(found.size[middle])
        way = -np.asarray(found.direction[middle], np.float64)
        at = np.asarray(found.centre[middle] + step, np.float64)
        return [_Place(at, np.zeros(2), size, way, RULE.off)]
    if len(group) == 1:
        if edge is None:
            return []
        off = max(RULE.off, RULE.off_edge * float(np.hypot(*edge)))
        below = _place(found, group[0], edge, turned=True, off=off, believed=RULE.believed_turned)
        beside = _beside(group, between, found, across)
        return [
            below,
            *(replace(p, believed=RULE.believed_beside, like=RULE.believed_beside) for p in beside),
        ]
    if len(group) != 2:
        return []
    i, j = group
    turn = float(found.direction[i] @ found.direction[j])
    if turn > RULE.same:  # both upper corners: the lower ones lie straight below
        if edge is None:
            return []
        return [_place(found, k, edge, turned=True, believed=RULE.believed_turned) for k in group]
    if turn > RULE.opposite:
        return []
    return [replace(p, like=RULE.believed_like) for p in _beside(group, between, found, across)]


def _beside(
    group: Sequence[int], between: NDArray[np.intp], found: Candidates, across: FloatArray | None
) -> list[_Place]:
    """Where the other corners of a four-index card's upper or lower edges must be.

    Of an edge that shows nothing is known of which side of it the card lies on but that no other
    card of the row stands there.
    """
    if across is None:
        return []
    return [
        _place(found, k, side * across, turned=False)
        for k in group
        for side in (1.0, -1.0)
        if not stands_between(
            found, k, side * found.size[k] * (across @ frame(found, k)), between, begins=RULE.begins
        ).any()
    ]


def _place(
    found: Candidates,
    i: int,
    step: FloatArray,
    *,
    turned: bool,
    off: float = RULE.off,
    believed: float = RULE.believed,
) -> _Place:
    """The corner that lies a step, in right and down of an index, beside it."""
    way = np.asarray(found.direction[i], np.float64)
    return _Place(
        np.asarray(found.centre[i], np.float64),
        step @ frame(found, i),
        float(found.size[i]),
        -way if turned else way,
        off,
        believed,
    )


def _usual(
    sure: Sequence[int], groups: Sequence[Sequence[int]], found: Candidates, *, opposite: bool
) -> FloatArray | None:
    """Right and down, in index heights, from one corner of a card to the next.

    Args:
        sure: groups that are cards.
        groups: their indices.
        found: all indices.
        opposite: along the card's long side, where the two indices stand turned to each other; else
            from one upper corner to the other.
    """
    seen = []
    for g in sure:
        for i, j in combinations(groups[g], 2):
            turn = float(found.direction[i] @ found.direction[j])
            v = apart(found, i, j)
            if opposite and turn < RULE.opposite and on_one_edge(v):
                seen.append(v)
            elif not opposite and turn > RULE.same:
                seen.append(v if v[0] > 0 else -v)
    return np.median(seen, axis=0) if seen else None


def _far_corners(
    g: int, sure: Sequence[int], groups: Sequence[Sequence[int]], found: Candidates
) -> list[_Place]:
    """Where the far corner of a two-index card must be, if it was not joined to it."""
    if len(groups[g]) > 1:
        return []
    seen = []
    for other in sure:
        if len(groups[other]) == 2:
            i, j = groups[other]
            if float(found.direction[i] @ found.direction[j]) < RULE.opposite:
                seen.append((_far(found, i, groups[g][0]), apart(found, i, j)))
    if not seen:
        return []
    step = min(seen, key=lambda s: s[0])[1]
    off = RULE.off_share * float(np.hypot(*step))
    return [_place(found, groups[g][0], step, turned=True, off=off, believed=RULE.believed_turned)]


def _far(found: Candidates, i: int, j: int) -> float:
    return float(np.hypot(*(found.centre[i] - found.centre[j])))
