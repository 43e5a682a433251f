"""The sides of cards: straight edges near lines that are about known.

All functions work on the sides of many cards at once; arrays are (cards, 4, ...).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray, Image


@dataclass(frozen=True, slots=True)
class SideRule:
    """How sides are looked for.

    Chosen on 90 rendered pictures, 315 faces mostly in sight: `slack` of 0.03 to 0.08 and `seen` of
    0.3 to 0.75 were tried, and differ by 4 faces in 100 within 3 % of the width.

    Attributes:
        slack: how far off an edge may lie, in widths of the card.
        seen: share of a side's length along which an edge must lie for it to be believed.
        samples: along a side; a convention.
        ends: share of a side at either end that is left out, for corners are rounded: 3.5 mm of 63.
        step: across a side, pixels; a parabola tells the place between two steps.
        reach: pixels to either side that are searched at least.
        on: a sample lies on the line within so many pixels, or within `on_share` of the length.
        on_share: see `on`.
        noise: grey levels of all channels that are noise: three times that of a phone's camera.
        beyond: shares of a side's length past its corners at which it is asked whether it runs on.
        as_steep: an edge there counts if it is as steep as this share of the side's own.
    """

    slack: float = 0.04
    seen: float = 0.4
    samples: int = 48
    ends: float = 0.07
    step: float = 0.5
    reach: float = 3.0
    on: float = 1.0
    on_share: float = 0.006
    noise: float = 9.0
    beyond: tuple[float, float] = (0.08, 0.28)
    as_steep: float = 0.5


RULE = SideRule()
#: OpenCV maps fewer than 32,767 rows at a time.
_ROWS = 30_000


def moved_to_edges(image: Image, quads: FloatArray) -> FloatArray:
    """(n, 4, 2) cards with their sides moved to the edges seen near them.

    A side along which no edge is seen stays where it was.

    Args:
        image: (height, width, 3) BGR.
        quads: (n, 4, 2) corners, pixels.
    """
    if not len(quads):
        return quads
    wide = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    start, end, outward = _sides(quads)
    from_start, from_end, seen = _fitted(image, start, end, outward, RULE.slack * wide)
    most = 1.25 * RULE.slack * wide[:, None]
    good = (seen > RULE.seen) & (np.maximum(np.abs(from_start), np.abs(from_end)) < most)
    from_start, from_end = np.where(good, from_start, 0.0), np.where(good, from_end, 0.0)
    corners = _corners(start + from_start[..., None] * outward, end + from_end[..., None] * outward)
    off = np.linalg.norm(corners - quads, axis=2).max(axis=1)
    return np.where((off < 2 * most[:, 0])[:, None, None], corners, quads)


def running_on(image: Image, quads: FloatArray) -> FloatArray:
    """(n,) share of the sides' prolongations beyond the corners along which their edges run on.

    The sides of a card end at its corners, the lines of a chequered cloth do not.

    Args:
        image: (height, width, 3) BGR.
        quads: (n, 4, 2) pixels.
    """
    start, end, outward = _sides(quads)
    offs = np.broadcast_to(np.linspace(-2.5, 2.5, 6), (*start.shape[:2], 6))
    far = np.linspace(*RULE.beyond, 8)
    own, other = (
        _steepness(image, start, end, outward, along, offs).max(axis=3)
        for along in (np.linspace(0.15, 0.85, 24), np.concatenate([-far[::-1], 1 + far]))
    )
    usual = np.maximum(np.median(own, axis=2, keepdims=True), RULE.noise)
    return np.asarray((other > RULE.as_steep * usual).mean(axis=(1, 2)))


def _sides(quads: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, 4, 2) each: where the sides begin and end, and unit vectors that point outwards."""
    end = np.roll(quads, -1, axis=1)
    along = end - quads
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-9)
    middle = quads.mean(axis=1, keepdims=True)
    normal *= np.sign(np.sum(normal * (quads - middle), axis=-1, keepdims=True))
    return quads, end, normal


def _corners(start: FloatArray, end: FloatArray) -> FloatArray:
    """(n, 4, 2) where each of four sides meets the one before; NaN where it does not."""
    way = end - start
    before, way_before = np.roll(start, 1, axis=1), np.roll(way, 1, axis=1)
    cross = way_before[..., 0] * way[..., 1] - way_before[..., 1] * way[..., 0]
    cross = np.where(np.abs(cross) < 1e-9, np.nan, cross)
    off = start - before
    t = (off[..., 0] * way[..., 1] - off[..., 1] * way[..., 0]) / cross
    return np.asarray(before + t[..., None] * way_before)


def _fitted(
    image: Image, start: FloatArray, end: FloatArray, outward: FloatArray, slack: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Straight lines fitted to the edges near sides.

    Returns:
        (n, 4) each: how far outwards the line lies at the side's start and at its end, pixels, and
        the share of its length along which an edge is seen.
    """
    reach = np.maximum(slack + 1.0, RULE.reach)
    count = int(min(41, 2 * np.ceil(np.median(reach) / RULE.step) + 1))
    off = np.linspace(-1, 1, count)
    along = np.linspace(RULE.ends, 1 - RULE.ends, RULE.samples)
    offs = np.broadcast_to((reach[:, None] * off)[:, None], (len(start), 4, count))
    edges = _steepness(image, start, end, outward, along, offs)
    best = edges.argmax(axis=3)
    height = np.take_along_axis(edges, best[..., None], axis=3)[..., 0]
    inner = np.clip(best, 1, count - 2)
    left, mid, right = (
        np.take_along_axis(edges, (inner + d)[..., None], axis=3)[..., 0] for d in (-1, 0, 1)
    )
    bend = np.minimum(left - 2 * mid + right, -1e-6)
    shift = np.clip(0.5 * (left - right) / bend, -1, 1)
    place = reach[:, None, None] * (off[best] + (off[1] - off[0]) * shift)
    usual = np.median(height, axis=2, keepdims=True)
    strong = height > np.maximum(0.5 * RULE.noise, 0.35 * usual)
    length = np.linalg.norm(end - start, axis=2)
    on = np.maximum(RULE.on, RULE.on_share * length)[..., None]
    keep = strong
    for _ in range(5):
        slope, base = _line(along, place, keep)
        rest = np.abs(place - slope[..., None] * along - base[..., None])
        kept = np.sort(np.where(keep, rest, np.inf), axis=-1)
        middle = np.maximum(keep.sum(axis=-1) - 1, 0) // 2
        usual_rest = np.take_along_axis(kept, middle[..., None], axis=-1)
        usual_rest = np.where(np.isfinite(usual_rest), usual_rest, RULE.noise)
        keep = strong & (rest < np.maximum(on, 2.0 * usual_rest))
    return base, base + slope, (strong & (rest < on)).mean(axis=2)


def _line(
    along: FloatArray, place: FloatArray, keep: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Slopes and beginnings of the lines of least squares through what is kept."""
    w = keep.astype(float)
    total = np.maximum(w.sum(axis=-1), 1e-9)
    x, y = (w * along).sum(-1) / total, (w * place).sum(-1) / total
    dx = along - x[..., None]
    spread = (w * dx * dx).sum(-1)
    slope = np.where(spread > 1e-3, (w * dx * place).sum(-1) / np.maximum(spread, 1e-9), 0.0)
    return np.asarray(slope), np.asarray(y - slope * x)


def _steepness(
    image: Image,
    start: FloatArray,
    end: FloatArray,
    outward: FloatArray,
    along: FloatArray,
    offs: FloatArray,
) -> NDArray[np.float32]:
    """How steeply the colour changes across some sides.

    Args:
        image: (height, width, 3) BGR.
        start: (cards, 4, 2) pixels.
        end: (cards, 4, 2).
        outward: (cards, 4, 2) unit vectors.
        along: (n,) shares of the side.
        offs: (cards, 4, m) how far out, pixels.

    Returns:
        (cards, 4, n, m) grey levels of all channels for two steps outwards; 0 at either end.
    """
    base = start[:, :, None] + along[:, None] * (end - start)[:, :, None]
    spots = base[:, :, :, None] + offs[:, :, None, :, None] * outward[:, :, None, None]
    shape = spots.shape[:4]
    flat = spots.astype(np.float32).reshape(-1, shape[3], 2)
    seen = [
        cv2.remap(
            image, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        for part in np.array_split(flat, len(flat) // _ROWS + 1)
    ]
    colours = np.concatenate(seen).reshape(*shape, 3).astype(np.float32)
    rise = np.zeros(shape, np.float32)
    rise[..., 1:-1] = np.abs(colours[..., 2:, :] - colours[..., :-2, :]).sum(axis=4)
    return rise
