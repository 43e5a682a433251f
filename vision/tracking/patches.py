"""What lies where a card lay, by what the thumbnail shows there, and where the card's sides are.

The thumbnail tells whether a card that is not read just now is still there, was taken away, was
turned over, or is hidden by a hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import cv2
import numpy as np

from vision.arrays import FloatArray
from vision.geometry import project
from vision.tracking.thumbnails import Grey, sampled

#: Samples of a card's place differ by so many grey levels, or this share of what they were, where
#: something else lies there.
_OTHER, _OTHER_SHARE = 14.0, 0.12
#: Likeness of two pictures of a card from which they show the same one, and below which they do
#: not, in any light.
_ALIKE, _UNLIKE = 0.7, 0.4
#: The same where the best of many places beside it is taken, and where all of a card is seen while
#: the table around has changed.
_BESIDE, _WHOLE_UNLIKE = 0.6, 0.5
#: In light that changed by no more than that, a share of samples that differ tells another card.
_SAME_LIGHT, _PLAINLY = (0.85, 1.18), 0.6
#: A share of samples that differ, and a likeness, of another card though its sides do not show.
_FILLS, _NOTHING_ALIKE = 0.6, 0.15
#: Around a card so little changes where nothing reaches there.
_TOUCHED = 0.05
#: So many samples around it tell how the light changes along it, in so many rounds of fitting; by
#: no more than that, as a logarithm, from one side to the other.
_RING_SEEN, _FITS, _STEEPEST = 16, 5, 0.5
_LEAST_SEEN = 0.6
#: Rows and columns of samples of a card's inside.
_GRID = (13, 9)
_INSIDE = np.stack(np.meshgrid(np.linspace(0.08, 0.92, 9), np.linspace(0.06, 0.94, 13)), -1)
_INSIDE = _INSIDE.reshape(-1, 2)
_SIDE = np.linspace(-0.22, 1.22, 8)[:-1]
_RING = np.concatenate(
    [
        np.column_stack([_SIDE, np.full(7, -0.16)]),
        np.column_stack([np.full(7, 1.22), _SIDE]),
        np.column_stack([1.0 - _SIDE, np.full(7, 1.16)]),
        np.column_stack([np.full(7, -0.22), 1.0 - _SIDE]),
    ]
)

#: A side of a card shows as a step of so many grey levels, and this share of the brighter side.
_STEP, _STEP_SHARE = 9.0, 0.1
#: So many pixels of the thumbnail the side of a card may lie off.
_OFF = 4
#: So far, in pixels of the thumbnail, an outline is moved to the sides that are seen; how much
#: wider or higher it may get; and how far it is turned.
_OFFS, _STRETCH = np.arange(-5.0, 5.1, 0.5), 1.5
_TURNS = np.radians(np.arange(-10.0, 10.1, 2.0))


class There(Enum):
    """What lies at a card's place now."""

    SAME = auto()
    """What lay there when it was last looked at."""
    BARE = auto()
    """The table as it was before the card came."""
    OTHER = auto()
    """Something else that ends where the card ends: the card turned over, or another one."""
    COVERED = auto()
    """Something reaches across: a hand, its shadow, a part of another card."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Grey levels at a card's place; NaN for what lies outside the picture.

    Attributes:
        inside: (117,) samples of the card.
        ring: (28,) samples of the table around it.
        sides: how many of the four sides show as a step from the card to the table.
    """

    inside: Grey
    ring: Grey
    sides: int


def patch(grey: Grey, outline: FloatArray) -> Patch | None:
    """Samples of a card's place.

    Args:
        grey: a thumbnail.
        outline: (4, 2) corners in the thumbnail's pixels, clockwise from the card's top left.

    Returns:
        None where too little of the place lies in the picture.
    """
    matrix = _from_unit(outline)
    inside = sampled(grey, project(matrix, _INSIDE))
    ring = sampled(grey, project(matrix, _RING))
    if np.isfinite(inside).mean() < _LEAST_SEEN or np.isfinite(ring).sum() < 10:
        return None
    return Patch(inside, ring, sides_shown(grey, outline))


def compare(now: Patch, then: Patch, ground: Patch | None) -> There:
    """What lies at a card's place, by what lay there before.

    Args:
        now: the place in this frame.
        then: the place while the card was read.
        ground: the place before the card came, where that is known.
    """
    gain = _gain(now, then)
    likeness = _likeness(now.inside, then.inside)
    if _differing(now.inside, then.inside, gain) < 0.12 or likeness > _ALIKE:
        return There.SAME
    touched = _touched(now, then, gain)
    reached = touched > 0.2
    if reached and now.sides < 3:
        return There.COVERED
    if now.sides < 3 and _is_bare(now, ground):
        return There.BARE
    # Where all of a card is seen, what it shows need not differ as much.
    unlike = _UNLIKE if now.sides < 4 else _WHOLE_UNLIKE if reached else _BESIDE
    if is_plainly_other(now, then):
        return There.OTHER
    # A back as bright as the table shows no sides. But what changes nearly all of a card and
    # nothing around it does not reach across: it lies where the card lay.
    fills = not reached and _differing(now.inside, then.inside, gain) > _FILLS
    if fills and likeness < (_NOTHING_ALIKE if touched > _TOUCHED else _BESIDE):
        return There.OTHER
    return There.OTHER if now.sides >= 2 and likeness < unlike else There.COVERED


def shows_table(now: Patch) -> bool:
    """Whether a place has no sides, and the brightness of what is around it."""
    return now.sides == 0 and _is_bare(now, None)


def is_untouched(now: Patch, then: Patch) -> bool:
    """Whether the table around a place is as it was, in whatever light: nothing reaches there."""
    return _touched(now, then, _gain(now, then)) <= _TOUCHED


def is_plainly_other(now: Patch, then: Patch) -> bool:
    """Whether a whole card has another brightness nearly everywhere, in the same light."""
    gain = _gain(now, then)
    return (
        now.sides >= 3
        and _SAME_LIGHT[0] < gain < _SAME_LIGHT[1]
        # An outline that is a little too small leaves a part of the card in its ring.
        and _differing(now.ring, then.ring, gain) < (0.3 if now.sides == 4 else 0.1)
        and _differing(now.inside, then.inside, gain) > _PLAINLY
    )


def lies_near(grey: Grey, outline: FloatArray, then: Patch) -> bool:
    """Whether what lay at a place lies a little beside it: a camera that moved turns nothing over.

    Args:
        grey: a thumbnail.
        outline: the place, see `patch`.
        then: how it looked.
    """
    steps = range(-_OFF, _OFF + 1, 2)
    points = project(_from_unit(outline), _INSIDE)
    return any(
        _likeness(sampled(grey, points + np.array([dx, dy])), then.inside) > _BESIDE
        for dx in steps
        for dy in steps
    )


def _is_bare(now: Patch, ground: Patch | None) -> bool:
    """Whether the table shows."""
    if ground is not None:
        return _differing(now.inside, ground.inside, _gain(now, ground)) < 0.2
    return abs(float(np.nanmedian(now.inside)) - float(np.nanmedian(now.ring))) < _OTHER


def _touched(now: Patch, then: Patch, gain: float) -> float:
    """Share of the table around a card that shows something else, in whatever light.

    Where a shadow ends the light changes along the card as well. What follows an even slope is
    light; a hand, or another card, has an edge.
    """
    even = _differing(now.ring, then.ring, gain)
    lit = np.isfinite(now.ring) & np.isfinite(then.ring) & (now.ring > 1) & (then.ring > 1)
    if lit.sum() < _RING_SEEN:
        return even
    change = np.log(now.ring[lit] / then.ring[lit])
    slope = np.column_stack([np.ones(int(lit.sum())), _RING[lit] - 0.5])
    found, _ = _resistant_fit(slope, change, rounds=_FITS, least=0.01, power=1.0)
    if np.abs(found[1:]).sum() > _STEEPEST:
        return even
    sloped = np.exp(np.clip(found[0] + (_RING - 0.5) @ found[1:], -0.5, 0.5))
    return min(even, _differing(now.ring, then.ring, sloped.astype(np.float32)))


def _resistant_fit(
    design: FloatArray, values: FloatArray, *, rounds: int, least: float, power: float
) -> tuple[FloatArray, float]:
    """Linear coefficients by rounds of weighted least squares, and how far off values usually are.

    What is farther off than half of the values weighs less in the next round (iteratively
    reweighted least squares).

    Args:
        design: (n, k), n at least k.
        values: (n,) what ``design`` times the coefficients should be.
        rounds: of fitting.
        least: nothing nearer than that weighs less, in the unit of the values.
        power: how fast weights fall with the distance; 0.5 tends to the least sum of absolute
            differences, 1 lets what is far off hardly count.

    Returns:
        (k,) coefficients, and the median distance, ``least`` at least.
    """
    weight = np.ones(len(values))
    for _ in range(rounds):
        found = np.linalg.lstsq(design * weight[:, None], values * weight, rcond=None)[0]
        off = np.abs(values - design @ found)
        usual = max(float(np.median(off)), least)
        weight = np.minimum(1.0, usual / np.maximum(off, 1e-6)) ** power
    return np.asarray(found), usual


def _differing(now: Grey, then: Grey, gain: float | Grey) -> float:
    """Share of samples that show something else."""
    lit = gain * then
    seen = np.isfinite(now) & np.isfinite(lit)
    off = np.abs(now - lit)[seen] > np.maximum(_OTHER, _OTHER_SHARE * lit[seen])
    return float(off.mean()) if len(off) else 1.0


def _likeness(now: Grey, then: Grey) -> float:
    """How far two cards show the same drawing, in whatever light and shadow, -1 to 1."""
    first, second = _drawn(now), _drawn(then)
    scale = float(max((first**2).sum(), (second**2).sum()))
    return float((first * second).sum()) / scale if scale > 1e-6 else 0.0


def _drawn(samples: Grey) -> Grey:
    """What is drawn on a card: its samples over the mean of those around them.

    The outermost ones are left out: there an outline that is a little off shows the table.
    """
    grid = samples.reshape(_GRID)[1:-1, 1:-1]
    known = np.isfinite(grid).astype(np.float32)
    level = np.where(known > 0, grid, 0.0)
    around = cv2.blur(level, (5, 5)) / np.maximum(cv2.blur(known, (5, 5)), 1e-3)
    return np.asarray((level / np.maximum(around, 4.0) - 1.0) * known, np.float32)


def _gain(now: Patch, then: Patch) -> float:
    """How much brighter it is, by the table around; 1 where the table has changed."""
    seen = np.isfinite(now.ring) & np.isfinite(then.ring)
    new, old = now.ring[seen], then.ring[seen]
    # What is dark tells little of the light.
    bright = old >= np.median(old) if len(old) else np.zeros(0, bool)
    if not bright.any():
        return 1.0
    gain = float(np.median(new[bright] / np.maximum(old[bright], 1.0)))
    return gain if 0.6 < gain < 1.6 else 1.0


def _from_unit(outline: FloatArray) -> FloatArray:
    """The homography from a unit square to a quad."""
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(unit, outline.astype(np.float32)), float)


# -- the sides of a card -------------------------------------------------------------------------


def snapped(grey: Grey, outline: FloatArray) -> tuple[FloatArray, float] | None:
    """The outline turned and moved to where the card's sides are seen.

    An outline made from two indices alone is turned where their print is slanted, and lies off by
    some millimetres.

    Args:
        grey: a thumbnail.
        outline: (4, 2) its pixels, as for `patch`.

    Returns:
        The outline and how clear its sides are, in grey levels; None where they do not stand out.
    """
    middle = outline.mean(axis=0)
    best, found = 0.0, None
    for angle in _TURNS:
        c, s = float(np.cos(angle)), float(np.sin(angle))
        turned = middle + (outline - middle) @ np.array([[c, s], [-s, c]])
        rises = [_rises(grey, turned, k) for k in range(4)]
        if not all(np.isfinite(r).all() for r in rises):
            continue
        across, down = _clearest(rises[3], rises[1]), _clearest(rises[0], rises[2])
        clear = min(across[0], down[0]) + 0.25 * (across[0] + down[0])
        clear *= 1.0 - 0.3 * abs(angle)
        if clear > best and min(across[0], down[0]) > 2 * _STEP:
            right = _unit(turned[1] + turned[2] - turned[0] - turned[3])
            below = _unit(turned[2] + turned[3] - turned[0] - turned[1])
            moves = [
                across[u] * right + down[v] * below for u, v in ((1, 1), (2, 1), (2, 2), (1, 2))
            ]
            best, found = clear, turned + np.array(moves)
    return None if found is None else (found, best)


def sides_shown(grey: Grey, outline: FloatArray) -> int:
    """How many sides of a quad show as a step along their whole length, or nearly where they are.

    Grey levels are averaged along lines beside the side, so that a pattern of the table or of the
    card's back makes no step.
    """
    found = 0
    for side in range(4):
        steps = np.arange(-_OFF - 1.0, _OFF + 2)
        lines = _beside(grey, outline, side, steps, ends=0.15, least=7, dense=1.0)
        if not np.isfinite(lines).all():
            continue
        level = lines.mean(axis=1)
        rise = np.abs(level[2:] - level[:-2])
        k = int(np.argmax(rise))
        brighter = float(max(level[k], level[k + 2]))
        # Each stretch of the side has to show it: a thing that reaches across hides some.
        signed = np.sign(level[k] - level[k + 2]) * (lines[k] - lines[k + 2])
        whole = float(np.mean(signed > 0.3 * rise[k]))
        found += rise[k] > max(_STEP, _STEP_SHARE * brighter) and whole > 0.75
    return int(found)


def _rises(grey: Grey, outline: FloatArray, side: int) -> Grey:
    """How much the light changes across lines beside a side, from inside to outside."""
    level = _beside(grey, outline, side, _OFFS, ends=0.1, least=9, dense=0.8).mean(axis=1)
    return np.asarray(np.abs(level[2:] - level[:-2]), np.float32)


def _beside(
    grey: Grey,
    outline: FloatArray,
    side: int,
    offs: FloatArray,
    *,
    ends: float,
    least: int,
    dense: float,
) -> Grey:
    """Grey levels along lines beside a side of a quad; NaN outside the picture.

    Args:
        grey: a thumbnail.
        outline: (4, 2) its pixels.
        side: 0 to 3, beginning at that corner.
        offs: how far outside the lines lie, pixels.
        ends: the part of the side that is left out at either end.
        least: so many samples a line at least,
        dense: else so many a pixel.

    Returns:
        (lines, samples).
    """
    start, end = outline[side], outline[(side + 1) % 4]
    along = end - start
    length = max(float(np.hypot(*along)), 1e-6)
    out = np.array([along[1], -along[0]]) / length
    if float(np.dot(out, (start + end) / 2 - outline.mean(axis=0))) < 0:
        out = -out
    count = max(least, int(dense * length))
    spots = start + np.linspace(ends, 1.0 - ends, count).reshape(-1, 1) * along
    points = spots[None] + offs[:, None, None] * out
    return sampled(grey, points.reshape(-1, 2)).reshape(len(offs), -1)


def _clearest(first: Grey, second: Grey) -> tuple[float, float, float]:
    """How clear two opposite sides are, and how far each lies along the way from one to the other.

    They move together: a card keeps its size, but for a little.
    """
    offs = _OFFS[1:-1]
    both = first[:, None] + second[None, :]
    stretch = np.abs(offs[:, None] + offs[None, :])
    both = np.where(stretch <= _STRETCH, both, 0.0) * (1.0 - 0.02 * np.abs(offs[:, None]))
    i, j = np.unravel_index(int(np.argmax(both)), both.shape)
    return float(both[i, j]), -float(offs[i]), float(offs[j])


def _unit(way: FloatArray) -> FloatArray:
    return np.asarray(way / max(float(np.hypot(*way)), 1e-6), float)
