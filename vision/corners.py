"""Corners of one card that read differently: joined by exact geometry alone.

Cards of one deck are of one size. Once a card of the picture shows two opposite indices, it is
known where the opposite corner of any other card is; an index that stands just there, turned
about, is on the same card. (A different card would have to cover that one exactly.) One of the two
may be half covered, blurred or in glare and read as something else, so their evidence is added up
instead of taking the second for a further card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.card_geometry import apart
from vision.locate import Candidates

FloatArray = NDArray[np.float32]

_TURNED, _UPRIGHT = -0.9, 0.8
_LIKE_SIZE = 1.6
#: Tolerance across and along, index heights. Half the step of a close row is 0.45.
_ACROSS, _ALONG = 0.4, 0.55
#: How much wider it is for two that read alike in rank or suit.
_LIKE = 1.4


#: Two upright indices are no corners of one card if they stand nearer to each other than so much of
#: what is usual; that is told by so many cards.
_NARROWEST, _FEWEST = 0.8, 3


def parted(groups: Sequence[list[int]], found: Candidates) -> list[list[int]]:
    """Groups of a four-index deck without pairs of upper corners that stand too near.

    Cards are of one width. Two neighbours that read alike, the nine of clubs and that of spades in
    bad light, stand nearer to each other than the two upper corners of a card.

    Args:
        groups: candidates joined by equal reading and fitting geometry.
        found: all candidates.

    Returns:
        The groups; what was taken from one stands right behind it.
    """
    wide = [_upper_width(group, found) for group in groups]
    seen = [width for width in wide if width is not None]
    if len(seen) <= _FEWEST:
        return list(groups)
    least = _NARROWEST * float(np.median(seen))
    out: list[list[int]] = []
    for group, width in zip(groups, wide, strict=True):
        if width is None or width >= least:
            out.append(group)
            continue
        alone = _standing_as_first(group, found)[0]
        out += [[k for k in group if k != alone], [alone]]
    return out


def _standing_as_first(group: Sequence[int], found: Candidates) -> list[int]:
    """The other indices of a card that stand as its surest one does."""
    return [k for k in group[1:] if found.direction[group[0]] @ found.direction[k] > _UPRIGHT]


def _upper_width(group: Sequence[int], found: Candidates) -> float | None:
    """How far two upright indices of a card stand apart, in heights; None without such a pair."""
    upright = _standing_as_first(group, found)
    return abs(float(apart(found, group[0], upright[0])[0])) if upright else None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two joined indices of one card: where, and how they lie to each other."""

    at: FloatArray
    x: float
    y: float


def _pairs(groups: Sequence[Sequence[int]], found: Candidates, *, four: bool) -> list[_Pair]:
    """The cards that show two opposite indices (or, with four, the two of one edge)."""
    pairs = []
    for group in groups:
        if len(group) == 2 and found.direction[group[0]] @ found.direction[group[1]] < _TURNED:
            x, y = apart(found, group[0], group[1])
            if y > 1.0 and (x > 1.0 or (four and abs(x) < 1.0)):
                pairs += [_Pair(found.centre[k], x, y) for k in group]
    return pairs


def joined_by_place(
    groups: Sequence[list[int]],
    found: Candidates,
    like: Callable[[int, int], bool],
    *,
    four: bool,
    unlike: Callable[[int, int], bool] | None = None,
) -> list[list[int]]:
    """Groups of candidates with those lone ones joined that must be corners of one card.

    Args:
        groups: candidates joined by equal reading and fitting geometry, surest first.
        found: all candidates.
        like: whether two candidates read alike in rank or suit; then the place need not fit as
            closely, because light that spoils a reading spoils the pose as well.
        four: the deck has an index in each corner.
        unlike: whether two candidates are surely read as different cards, so that they are not
            joined wherever they lie.

    Returns:
        The groups; where two became one, it stands in the surer one's place.
    """
    pairs = _pairs(groups, found, four=four)
    if not pairs:
        return list(groups)
    partner: dict[int, int] = {}
    lone = [g for g, group in enumerate(groups) if len(group) == 1]
    first = np.array([groups[g][0] for g in lone], int)
    # By the nearest card that shows both ends: in a steep view the answer changes over the picture.
    gap = found.centre[first][:, None] - np.array([pair.at for pair in pairs])[None]
    places = [_places(pairs[k], four=four) for k in (gap**2).sum(axis=2).argmin(axis=1)]
    turned = found.direction[first] @ found.direction[first].T <= _TURNED
    for n, h in enumerate(lone):
        j = groups[h][0]
        best, least = -1, 1.0
        for m in np.flatnonzero(turned[n, :n]).tolist():
            g, i = lone[m], int(first[m])
            if g in partner or (unlike is not None and unlike(i, j)):
                continue
            miss = _miss(found, i, j, places[m]) / (_LIKE if like(i, j) else 1.0)
            if miss < least:
                best, least = g, miss
        if best >= 0:
            partner[h] = best
    joined = [list(group) for group in groups]
    for h, g in partner.items():
        joined[g] += joined[h]
    return [group for g, group in enumerate(joined) if g not in partner]


def _places(near: _Pair, *, four: bool) -> list[tuple[float, float]]:
    """Where a card's other end is from its index, as a card near it has it."""
    if not four or abs(near.x) < 1.0:
        return [(near.x, near.y)]
    return [(near.x, near.y), (0.0, near.y), (-near.x, near.y)]


def _miss(found: Candidates, i: int, j: int, places: Sequence[tuple[float, float]]) -> float:
    """How far index ``j`` is off the nearest of the places, in tolerances."""
    ratio = float(found.size[i] / found.size[j])
    if not 1 / _LIKE_SIZE < ratio < _LIKE_SIZE:
        return float("inf")
    across, along = apart(found, i, j)
    return min(max(abs(across - x) / _ACROSS, abs(along - y) / _ALONG) for x, y in places)
