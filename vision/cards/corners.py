"""How the corner indices of one card lie to each other, and the outlines that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray
from vision.indices.locate import Candidates
from vision.types import IndexRead

#: An index stands straight below another if it lies so little beside it, as a share.
EDGE_SLOPE = 0.35
#: What stands between two corners stands upright, and no further than so much of the way.
_UPRIGHT, _BETWEEN = 0.8, 0.8
#: Corners of one card lie no farther apart, index heights; seen steeply, no farther than that.
CARD_REACH, _STEEP_REACH = 9.0, 10.0
#: Cosine of two indices that stand alike. Two of them are no corners of one card if they stand
#: nearer to each other than so much of what is usual; that is told by so many cards.
_ALIKE, _NARROWEST, _FEWEST = 0.8, 0.8, 3
#: The upper corners of a four-index card lie no nearer, heights of the largest indices there are.
_LEAST_ACROSS = 2.0
_MOST_CORNERS = 4


def frame(found: Candidates, i: int) -> FloatArray:
    """(2, 2) right and down of an index, unit vectors."""
    down = np.asarray(found.direction[i], np.float64)
    return np.stack([np.array([down[1], -down[0]]), down])


def apart(found: Candidates, i: int, j: int) -> FloatArray:
    """Right and down from one index to another, in heights of an index half way between them."""
    size = np.sqrt(float(found.size[i]) * float(found.size[j]))
    v = frame(found, i) @ (found.centre[j] - found.centre[i]) / size
    return np.asarray(v, np.float64)


def on_one_edge(step: FloatArray) -> bool:
    """Whether a step from one index to another goes along a card's edge, not its diagonal."""
    return bool(abs(step[0]) < EDGE_SLOPE * abs(step[1]))


def stands_between(
    found: Candidates, i: int, step: FloatArray, others: NDArray[np.intp], *, begins: float
) -> NDArray[np.bool_]:
    """Which other indices stand on the way from an index to a place, less than a height beside it.

    Args:
        found: the indices.
        i: where the way begins.
        step: from there to the place, pixels.
        others: (n,) the indices that are asked about.
        begins: share of the way from which on it counts.
    """
    long = float(np.hypot(*step))
    v = found.centre[others] - found.centre[i]
    along = v @ step / long
    off = np.abs(v[:, 0] * step[1] - v[:, 1] * step[0]) / long
    inside = (along > begins * long) & (along < _BETWEEN * long) & (off < found.size[i])
    return np.asarray(inside)


def is_covered(found: Candidates, likely: NDArray[np.intp], i: int, j: int) -> bool:
    """Whether one of two indices, as corners of one card, would lie under another card of its row.

    The cards of a row lie one upon the next, so where the index of another one stands between two
    corners, along the upper or the lower edge, one of them is covered.
    """
    for first, second in ((i, j), (j, i)):
        right, down = frame(found, first)
        across = float((found.centre[second] - found.centre[first]) @ right)
        if abs(across) < float(found.size[first]):
            continue
        upright = found.direction[likely] @ down > _UPRIGHT
        if (upright & stands_between(found, first, right * across, likely, begins=0.2)).any():
            return True
    return False


def same_card(found: Candidates, i: int, j: int, *, four: bool = True) -> bool:
    """Whether two indices can be corners of one card by their geometry.

    Measured in the first index's frame and in index heights: opposite corners lie right and down
    of each other in a ratio of about 52 : 60 (more or less with the tilt), neighbouring corners of
    four-index cards lie along one axis. Where the deck has but two (``four`` is false), two
    upright indices side by side are two cards of a row.
    """
    ratio = float(found.size[i] / found.size[j])
    if not 0.5 < ratio < 2.0:
        return False
    x, y = apart(found, i, j).tolist()
    turn = float(found.direction[j] @ found.direction[i])
    far = float(np.hypot(x, y))
    if not 1.2 < far < CARD_REACH:
        return False
    if turn < -0.6:  # opposite ends: diagonal corners, or one side of a four-index card
        return y > 0.8 and x > -0.6 * abs(y) and x < 3.5 * y + 2
    if turn > 0.6 and four:  # the two upper corners of a four-index card
        return abs(y) < 0.6 * abs(x) and abs(x) > 1.0
    return False


def are_opposite_ends(first: IndexRead, second: IndexRead) -> bool:
    """Whether two indices can be at the two ends of one card, by their geometry."""
    is_turned = np.dot(first.direction, second.direction) < 0
    return bool(is_turned) and same_card(poses_of((first, second)), 0, 1)


def are_side_by_side(first: IndexRead, second: IndexRead, others: Sequence[IndexRead]) -> bool:
    """Whether two indices can be the upper, or the lower, corners of one four-index card.

    Args:
        first: the one.
        second: the other.
        others: the indices of other cards: one that stands between tells that these are two cards.
    """
    if np.dot(first.direction, second.direction) < _ALIKE:
        return False
    found = poses_of((first, second))
    if not same_card(found, 0, 1) or abs(float(apart(found, 0, 1)[0])) < _LEAST_ACROSS:
        return False
    found = poses_of((first, second, *others))
    step = np.asarray(found.centre[1] - found.centre[0], np.float64)
    rest = np.arange(2, len(found), dtype=np.intp)
    return not stands_between(found, 0, step, rest, begins=1 - _BETWEEN).any()


def poses_of(indices: Sequence[IndexRead]) -> Candidates:
    """Indices that were read, as poses."""
    return Candidates(
        np.array([index.centre for index in indices], np.float32),
        np.array([index.direction for index in indices], np.float32),
        np.array([index.size for index in indices], np.float32),
        np.ones(len(indices), np.float32),
    )


def cards_of(order: Iterable[int], fit: Callable[[int, int], bool]) -> list[list[int]]:
    """Indices put together to cards of at most four corners.

    Args:
        order: the indices, the surest first; each joins the first card that it fits.
        fit: whether an index can be a corner of one card with another that has come before.

    Returns:
        Groups of indices, in the order of their first ones.
    """
    cards: list[list[int]] = []
    for k in order:
        for card in cards:
            if len(card) < _MOST_CORNERS and all(fit(i, k) for i in card):
                card.append(k)
                break
        else:
            cards.append([k])
    return cards


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
    return [k for k in group[1:] if found.direction[group[0]] @ found.direction[k] > _ALIKE]


def _upper_width(group: Sequence[int], found: Candidates) -> float | None:
    """How far two upright indices of a card stand apart, in heights; None without such a pair."""
    upright = _standing_as_first(group, found)
    return abs(float(apart(found, group[0], upright[0])[0])) if upright else None


def may_share_card(found: Candidates, indices: Sequence[int], *, four: bool) -> NDArray[np.bool_]:
    """(n, n): whether two indices that were not joined may be corners of one card after all.

    Wider than :func:`same_card`: in a steep view the corners of a card do not lie as on paper.
    """
    which = found.take(np.asarray(indices, np.intp))
    x, y = which.centre.T
    far = np.hypot(x[:, None] - x[None], y[:, None] - y[None])
    far /= np.maximum(which.size[:, None], which.size[None])
    turn = which.direction @ which.direction.T
    return np.asarray((far < _STEEP_REACH) & ((np.abs(turn) > 0.4) if four else (turn < -0.3)))
