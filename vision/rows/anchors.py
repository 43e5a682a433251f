"""The index that leads each card of a row: its upper left one as the row stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray
from vision.geometry import OPPOSITE
from vision.types import CardRead, IndexRead


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """How a row is believed to stand.

    Attributes:
        straight: how much all axes agree, from which on a row is straight: mean of doubled angles.
        alike: cosine from which on neighbours may be of one bent row.
        fewest: fewest cards with one index that say how a row stands.
        most: what share of them must say the same.
    """

    straight: float = 0.8
    alike: float = 0.6
    fewest: int = 6
    most: float = 0.7


RULE = AnchorRule()


def ways_of_cards(middle: FloatArray, down: FloatArray, two_sided: NDArray[np.bool_]) -> FloatArray:
    """For each card a unit vector that points down as the row there stands, (n, 2).

    Args:
        middle: (n, 2) where the cards lie, pixels.
        down: (n, 2) how an index of each stands, of any length.
        two_sided: (n,) which cards show an index of the other end, too.
    """
    unit = down / np.linalg.norm(down, axis=1, keepdims=True)
    single = np.flatnonzero(~two_sided)
    if len(single) and len(single) * 2 >= len(unit):
        gap = np.linalg.norm(middle[:, None] - middle[None, single], axis=2)
        gap[single, np.arange(len(single))] = np.inf
        near = np.argsort(gap, axis=1)[:, :5]
        others = np.isfinite(np.take_along_axis(gap, near, axis=1))
        total = (unit[single[near]] * others[..., None]).sum(axis=1)
        length, count = np.linalg.norm(total, axis=1), others.sum(axis=1)
        use = (length > 0.6 * count) & (count > 2) | (two_sided & (length > 0))
        way = np.where(use[:, None], total / np.maximum(length, 1e-9)[:, None], unit)
        majority = _majority(unit[single])
        if not majority.any():
            bent = _bent_majority(middle, unit, single)
            return way if bent is None else bent
        return way * np.where(way @ majority < 0, -1.0, 1.0)[:, None]
    # The mean axis of all indices, the end of it that is nearer to the picture's down.
    axis, agreement = _mean_axis(unit)
    if agreement < RULE.straight and (bent := _agreeing(middle, unit)) is not None:
        axis, unit = bent.sum(axis=0), bent
        return -unit if (axis[1], axis[0]) < (0, 0) else unit
    axis = -axis if (axis[1], axis[0]) < (0, 0) else axis
    return unit * np.where(unit @ axis < 0, -1.0, 1.0)[:, None]


def _bent_majority(
    middle: FloatArray, unit: FloatArray, single: NDArray[np.intp]
) -> FloatArray | None:
    """The ways of a bent row's cards (n, 2), as most of those have it that show one index.

    Args:
        middle: (n, 2) where the cards lie.
        unit: (n, 2) how an index of each stands.
        single: those that show but one.

    Returns:
        None where it is no such row, or most do not agree.
    """
    bent = _agreeing(middle, unit)
    if bent is None or len(single) < RULE.fewest:
        return None
    share = float(((unit[single] * bent[single]).sum(axis=1) > 0).mean())
    return None if 1 - RULE.most < share < RULE.most else bent if share > 0.5 else -bent


def _agreeing(middle: FloatArray, way: FloatArray) -> FloatArray | None:
    """Ways (n, 2), turned about so that neighbours stand alike, from card to nearest card.

    None where the axes of neighbours differ too much for that.
    """
    gap = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    out = np.array(way, float)
    near, nearest = np.full(len(out), np.inf), np.zeros(len(out), np.intp)
    left = np.ones(len(out), bool)
    card = 0
    for _ in range(len(out) - 1):  # Prim's minimum spanning tree
        left[card] = False
        closer = gap[card] < near
        near[closer], nearest[closer] = gap[card][closer], card
        card = int(np.argmin(np.where(left, near, np.inf)))
        cosine = float(out[card] @ out[nearest[card]])
        if abs(cosine) < RULE.alike:
            return None
        out[card] *= np.sign(cosine)
    return out


def standing(reads: Sequence[CardRead]) -> FloatArray:
    """The way most cards of a row stand, a unit vector (2,); zero where there is no such way."""
    ways = [read.indices[0].direction for read in reads if len(read.indices) == 1]
    return _majority(np.array(ways, float)) if ways else np.zeros(2)


def _majority(singles: FloatArray) -> FloatArray:
    """The way most cards of the picture stand, (2,); zero where there is no such way.

    There is one only where all indices lie along one axis and most of them one way round: then a
    few cards of which the far end alone shows (a hand covers the other) do not turn their line
    about. In a fan, or where cards are laid towards both sides of a table, there is none.
    """
    axis, agreement = _mean_axis(singles)
    along = singles @ axis
    share = float((along > 0).mean())
    if len(singles) < RULE.fewest or agreement < RULE.straight or 1 - RULE.most < share < RULE.most:
        return np.zeros(2)
    return axis * np.sign(np.median(along))


def _mean_axis(ways: FloatArray) -> tuple[FloatArray, float]:
    """The axis along which ways (n, 2) lie, whichever way round, by doubled angles.

    Returns:
        A unit vector (2,), and how much they agree, 0 to 1.
    """
    double = 2 * np.arctan2(ways[:, 1], ways[:, 0])
    mean = np.array([np.cos(double).mean(), np.sin(double).mean()])
    angle = np.arctan2(mean[1], mean[0]) / 2
    return np.array([np.cos(angle), np.sin(angle)]), float(np.hypot(*mean))


#: Furthest, in index heights, that two upright indices of one card lie apart, where only few cards
#: seem to have two: one of them is then more likely a misread pip or court figure.
_WIDEST = 4.3
#: Cards with two indices on their left edge from which on the deck is taken to have four.
_EDGE_CARDS = 3
#: So far to the right of the place over its lower left index, in index heights, a card's upper one
#: is its right one.
_ASIDE = 1.5
#: Cards beside one of which the lower left index shows that tell where its upper left one is.
_NEAR_FEET = 4
#: Indices of one card differ in height by no more than that, as a factor.
_ONE_SIZE = 1.5
#: Cosine between two indices that stand one way; so many cards that show two of them, as far apart
#: but for this factor, have four corners.
_ONE_WAY, _SEVERAL, _MOST_ALIKE = 0.8, 3, 1.3
#: Another card leads on the way from the place over a lower index to an upper one if it does so
#: within so much of it, and so near to it, index heights.
_ON_THE_WAY, _BESIDE_IT = 0.8, 0.5


@dataclass(frozen=True, slots=True)
class Anchors:
    """The leading index of each card: where it is and its rank-to-suit vector.

    Attributes:
        at: (n, 2) centres in pixels.
        down: (n, 2) vectors, as long as the index is high.
        turned: (n,) whether only indices were found that stand the other way up.
        flipped: (n,) whether of those it is not known where the leading index must be; ``at`` is
            then the opposite one's centre, while ``down`` is already the leading one's.
        spans: (m, 2) vectors from a leading index to the opposite one of the same card.
        span_down: (m, 2) the leading index's vector for each of ``spans``.
    """

    at: FloatArray
    down: FloatArray
    turned: NDArray[np.bool_]
    flipped: NDArray[np.bool_]
    spans: FloatArray
    span_down: FloatArray

    def rectified(self, by: FloatArray) -> tuple[FloatArray, FloatArray]:
        """``at`` and ``down`` after the affine map ``by``, flipped cards put in their place."""
        at, down = self.at @ by.T, self.down @ by.T
        right = np.column_stack([down[:, 1], -down[:, 0]])
        back = OPPOSITE[0] * right + OPPOSITE[1] * down
        return at - back * self.flipped[:, None], down


def leading_indices(reads: Sequence[CardRead]) -> Anchors:
    """Chooses the index by which each card takes its place in a row.

    Cards that show one index only say which way the row stands; where most cards show both ends
    (and nothing tells the ends apart) the way nearer to the picture's own up is taken. A card of
    which only the far index was found is moved to where its leading index must be.
    """
    indices = [_of_one_size(read.indices) for read in reads]
    owner = np.array([k for k, mine in enumerate(indices) for _ in mine])
    centres = np.array([index.centre for mine in indices for index in mine])
    downs = np.array([index.direction for mine in indices for index in mine], float)
    downs *= np.array([index.size for mine in indices for index in mine])[:, None]
    first = np.searchsorted(owner, np.arange(len(reads)))
    opposed = (downs * downs[first[owner]]).sum(axis=1) < 0
    two_sided = np.logical_or.reduceat(opposed, first)
    counts = np.bincount(owner)
    middle = np.add.reduceat(centres, first) / counts[:, None]
    way = ways_of_cards(middle, downs[first], two_sided)
    upright = (downs * way[owner]).sum(axis=1) > 0
    at, down = centres[first], downs[first]
    turned = flipped = ~np.logical_or.reduceat(upright, first)
    down[turned] *= -1
    spans, span_down = [], []
    feet: list[FloatArray] = []
    rises: list[FloatArray] = []
    pairs = np.add.reduceat(upright.astype(int), first) > 1
    # A misread pip makes a second upright index now and then, never a third corner as well.
    corners = pairs & (counts > 2) & ~np.logical_and.reduceat(upright, first)
    many = pairs.sum() >= max(2, len(reads) / 4) or corners.sum() > 1
    many = many or _are_alike(
        [upper_width(mine) for mine, two in zip(indices, pairs, strict=True) if two]
    )
    widest = np.inf if many else _WIDEST
    for k in np.flatnonzero((counts > 1) & ~flipped).tolist():
        mine = slice(first[k], first[k] + counts[k])
        c, d, up = centres[mine], downs[mine], upright[mine]
        across = c @ [way[k, 1], -way[k, 0]]
        surest = int(np.argmax(up))
        top = up & (across > across[surest] - widest * float(np.hypot(*d[surest])))
        lead = int(np.argmin(np.where(top, across, np.inf)))
        at[k], down[k] = c[lead], d[lead]
        foot = _edge_feet(at[k], down[k], c[~up])
        feet.append(foot)
        rises.append(at[k] - foot)
        far = int(np.argmax(np.where(up, -np.inf, across)))
        if not up[far] and across[far] - across[lead] > 0.5 * float(np.hypot(*d[lead])):
            spans.append(c[far] - c[lead])
            span_down.append((d[lead] - d[far]) / 2)
    if sum(map(len, feet)) >= _EDGE_CARDS:
        # A deck with four indices: the lower left one tells the place of the hidden upper left one.
        lower, has_lower = _lower_left(centres, ~upright, way, first, counts)
        lower += _rises_near(lower, np.concatenate(feet), np.concatenate(rises))
        right = np.column_stack([way[:, 1], -way[:, 0]])
        height = np.linalg.norm(down, axis=1)
        aside = ((at - lower) * right).sum(axis=1) / height
        # Where another card leads on the way, that lower one is its foot, half covered and misread.
        between = _have_another_between(lower, at, height)
        use = flipped | (has_lower & (aside > _ASIDE) & ~between)
        at[use] = lower[use]
        flipped = np.zeros(len(reads), bool)
    return Anchors(
        at,
        down,
        turned,
        flipped,
        np.array(spans).reshape(-1, 2),
        np.array(span_down).reshape(-1, 2),
    )


def _of_one_size(indices: Sequence[IndexRead]) -> Sequence[IndexRead]:
    """Those of a card's indices that are as large as its surest one; the others are something else.

    A large pip that passes for an index of its card, say.
    """
    surest = max(indices, key=lambda index: index.confidence).size
    return [index for index in indices if 1 / _ONE_SIZE < index.size / surest < _ONE_SIZE]


def upper_width(indices: Sequence[IndexRead]) -> float | None:
    """How far two indices of a card that stand one way are apart, in heights; None without such."""
    first, *others = indices
    beside = [i for i in others if np.dot(i.direction, first.direction) > _ONE_WAY]
    if not beside:
        return None
    far = np.hypot(*(np.array(beside[0].centre) - first.centre))
    return float(far) / float(np.sqrt(first.size * beside[0].size))


def _are_alike(widths: Sequence[float | None]) -> bool:
    """Whether several cards show two upper indices as far apart: those are their corners."""
    seen = [width for width in widths if width is not None]
    return len(seen) >= _SEVERAL and max(seen) < _MOST_ALIKE * min(seen)


def _edge_feet(at: FloatArray, down: FloatArray, turned: FloatArray) -> FloatArray:
    """Which turned indices stand straight below a leading one, (m, 2) of them."""
    height = float(np.hypot(*down))
    x, y = ((turned - at) @ np.column_stack([[down[1], -down[0]], down]) / height**2).T
    return turned[(np.abs(x) < 0.35 * y) & (y > 2) & (y < 9)]


def _lower_left(
    centres: FloatArray,
    lower: NDArray[np.bool_],
    way: FloatArray,
    first: NDArray[np.intp],
    counts: NDArray[np.intp],
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Where the leftmost lower index of each card is, (n, 2), and which cards show one, (n,)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    right = np.column_stack([way[:, 1], -way[:, 0]])[owner]
    across = np.where(lower, (centres * right).sum(axis=1), np.inf)
    leftmost = np.lexsort((across, owner))[first]
    return centres[leftmost], np.asarray(np.isfinite(across[leftmost]))


def _have_another_between(
    places: FloatArray, at: FloatArray, height: FloatArray
) -> NDArray[np.bool_]:
    """(n,) whether another card leads from between a card's place and its upper index.

    Args:
        places: (n, 2) where the cards might lead, by their lower indices.
        at: (n, 2) where they do, by their upper ones.
        height: (n,) of their indices, pixels.
    """
    way = at - places
    from_place = at[None] - places[:, None]
    long = np.maximum((way**2).sum(axis=1), 1e-9)
    share = np.clip((from_place * way[:, None]).sum(axis=2) / long[:, None], 0, _ON_THE_WAY)
    off = np.linalg.norm(from_place - share[..., None] * way[:, None], axis=2)
    np.fill_diagonal(off, np.inf)
    return np.asarray(off.min(axis=1, initial=np.inf) < _BESIDE_IT * height)


def _rises_near(at: FloatArray, feet: FloatArray, rises: FloatArray) -> FloatArray:
    """The way up from lower indices (n, 2), as other cards near them have it, pixels.

    Cards of a row lie alike and as large as their neighbours; an index's own height and direction,
    a few per cent off, would be out by half a step at the far end of a card.
    """
    if not len(at):
        return np.zeros((0, 2))
    gap = np.linalg.norm(at[:, None] - feet[None], axis=2)
    near = np.argsort(gap, axis=1, kind="stable")[:, :_NEAR_FEET]
    return np.asarray(rises[near].mean(axis=1))
