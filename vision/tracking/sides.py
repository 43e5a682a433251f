"""The sides of a card in a thumbnail: where they are, and how many show."""

from __future__ import annotations

import numpy as np

from vision.arrays import FloatArray
from vision.tracking.thumbnails import Grey, sampled

#: A side of a card shows as a step of so many grey levels, and this share of the brighter side.
_STEP, _STEP_SHARE = 9.0, 0.1
#: So many pixels of the thumbnail the side of a card may lie off.
OFF = 4
#: So far, in pixels of the thumbnail, an outline is moved to the sides that are seen; how much
#: wider or higher it may get; and how far it is turned.
_OFFS, _STRETCH = np.arange(-5.0, 5.1, 0.5), 1.5
_TURNS = np.radians(np.arange(-10.0, 10.1, 2.0))


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
        steps = np.arange(-OFF - 1.0, OFF + 2)
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
