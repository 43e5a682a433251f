"""Straight edges of cards: where paper ends, along lines that are about known.

All functions work on the sides of many cards at once; arrays are (cards, sides, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import FloatArray, Image

Strips = NDArray[np.float32]

#: Along a side so many samples are taken, from here to there: its corners are rounded.
_ROUGH_SAMPLES, _FINE_SAMPLES, _ENDS = 32, 48, 0.07
#: Step across a side, index heights; slants are tried in steps that move its far end so far.
_STEP, _SLANT_STEP = 0.06, 0.12
#: A sample of an edge counts in full from this share of the side's usual contrast on; contrasts
#: less than the least, in grey levels of all channels, are noise.
_FULL, _LEAST = 0.6, 9.0
#: Lines score less by this share for each index height that they lie farther out.
_NEARER = 0.12
#: Edges run on beyond the corners if they are seen there, shares of the side, so far to either
#: side of the line, pixels, and so steep at least, against the side's own.
_BEYOND, _NARROW, _AS_STEEP = np.linspace(0.08, 0.28, 8), np.linspace(-2.5, 2.5, 6), 0.5
#: So many rows at a time are cut from a picture: OpenCV takes fewer than 32,767.
_ROWS = 30_000
#: A card of known size is moved so far at most, in steps, in widths of it; samples along a side.
_MOVE, _MOVE_STEP, _LAID_SAMPLES = 0.16, 0.02, 24
#: A line is fitted to edges so many pixels to either side at least; in steps of so many.
_REACH, _FINE_STEP = 3.0, 0.5
#: Samples within so many pixels, or this share of the side's length, are on the line.
_ON, _ON_SHARE = 1.0, 0.006


@dataclass(frozen=True, slots=True)
class Lines:
    """Sides of cards.

    Attributes:
        start: (cards, sides, 2) where they begin, pixels.
        end: (cards, sides, 2) where they end.
        outward: (cards, sides, 2) unit vectors that point away from the card.
        seen: (cards, sides) share of their length along which an edge is seen, 0 to 1.
        slack: (cards, sides) how far the edge may still lie off, pixels.
    """

    start: FloatArray
    end: FloatArray
    outward: FloatArray
    seen: FloatArray
    slack: FloatArray

    def scaled(self, factor: float, shift: float) -> Lines:
        """The same in a picture ``factor`` times as large."""
        return Lines(
            self.start * factor + shift,
            self.end * factor + shift,
            self.outward,
            self.seen,
            self.slack * factor,
        )

    @staticmethod
    def around(corners: FloatArray, slack: FloatArray | None = None) -> Lines:
        """The sides between (cards, 4, 2) corners; ``slack``, (cards,), is 0 unless given."""
        end = np.roll(corners, -1, axis=1)
        along = end - corners
        normal = np.stack([along[..., 1], -along[..., 0]], axis=-1)
        normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-9)
        middle = corners.mean(axis=1, keepdims=True)
        normal *= np.sign(np.sum(normal * (corners - middle), axis=-1, keepdims=True))
        shape = corners.shape[:2]
        each = np.zeros(shape) if slack is None else np.broadcast_to(slack[:, None], shape)
        return Lines(corners, end, normal, np.zeros(shape), each)

    @staticmethod
    def interleaved(even: Lines, odd: Lines) -> Lines:
        """All four sides in order from the first and third, and the second and fourth."""
        return Lines(
            *(
                np.stack([a[:, 0], b[:, 0], a[:, 1], b[:, 1]], axis=1)
                for a, b in zip(even.parts, odd.parts, strict=True)
            )
        )

    @property
    def parts(self) -> tuple[FloatArray, ...]:
        """All arrays in order."""
        return self.start, self.end, self.outward, self.seen, self.slack

    def take(self, card: int | slice, side: slice = slice(None)) -> Lines:
        """Some sides of some cards, or of one card; then without the axis of the cards."""
        return Lines(*(part[card, side] for part in self.parts))

    def completed(
        self, middle: FloatArray | None, least: float, otherwise: Lines | None = None
    ) -> Lines:
        """The four sides of one card with the hidden ones put opposite to those that are seen.

        Args:
            middle: (2,) of the card, None where it is not known.
            least: a side of which less is seen is hidden.
            otherwise: the sides that are taken where the opposite one is hidden, too.
        """
        start, end = self.start.copy(), self.end.copy()
        for k in range(4):
            across = (k + 2) % 4
            if self.seen[k] >= least:
                continue
            if middle is not None and self.seen[across] >= least:
                start[k] = 2 * middle - self.start[across]
                end[k] = 2 * middle - self.end[across]
            elif otherwise is not None:
                start[k], end[k] = otherwise.start[k], otherwise.end[k]
        return Lines(start, end, self.outward, self.seen, self.slack)

    def moved(self, view: Callable[[FloatArray], FloatArray]) -> Lines:
        """The same lines in another view of the picture; for what needs no directions."""
        return Lines(view(self.start), view(self.end), self.outward, self.seen, self.slack)

    def corners(self) -> FloatArray:
        """(..., 4, 2) where each of four sides meets the one before; NaN where it does not."""
        way = self.end - self.start
        p, r = np.roll(self.start, 1, axis=-2), np.roll(way, 1, axis=-2)
        q, s = self.start, way
        cross = r[..., 0] * s[..., 1] - r[..., 1] * s[..., 0]
        cross = np.where(np.abs(cross) < 1e-9, np.nan, cross)
        off = q - p
        t = (off[..., 0] * s[..., 1] - off[..., 1] * s[..., 0]) / cross
        return np.asarray(p + t[..., None] * r)


def rough_lines(
    image: Image,
    sides: Lines,
    unit: FloatArray,
    pivots: FloatArray,
    paper: NDArray[np.float32],
    *,
    window: tuple[float, float],
    slant: float,
    unsure: tuple[float, float] | None = None,
) -> Lines:
    """The best edges near two opposite sides of cards.

    Args:
        image: (height, width, 3) BGR.
        sides: about where the two are.
        unit: (cards,) height of the cards' indices, pixels.
        pivots: (cards, 2) share of the side at which its place is known best.
        paper: (cards, 3) colour of the cards' paper.
        window: how far in (negative) and out an edge may lie there, index heights.
        slant: how far it may be slanted: tangent.
        unsure: standard deviation of the place of each of the two, index heights; None for sides
            that are symmetric about the card's middle, of which the innermost edge is wanted.
    """
    start, end, outward = sides.start, sides.end, sides.outward
    length = np.linalg.norm(end - start, axis=2)
    most = float(np.median(length / unit[:, None])) * slant
    lo, hi = window[0] - most - 2 * _STEP, window[1] + most + 2 * _STEP
    across = np.arange(lo, hi + _STEP, _STEP)
    along = np.linspace(_ENDS, 1 - _ENDS, _ROUGH_SAMPLES)
    offs = across[None, None] * unit[:, None, None] * np.ones((1, 2, 1))
    edges = _edges(image, start, end, outward, along, offs, paper)
    weights = _weights(edges)
    places = np.arange(window[0], window[1] + 1e-9, _STEP)
    slants = np.arange(-most, most + 1e-9, _SLANT_STEP)
    first = round((window[0] - lo) / _STEP)
    steps = np.rint(slants[:, None, None, None] / _STEP * (along - pivots[..., None])).astype(int)
    rows = np.arange(len(along))[:, None]
    cards = np.arange(len(start))[:, None, None, None]
    two = np.arange(2)[None, :, None, None]
    scores = np.stack(
        [
            weights[cards, two, rows, first + step[..., None] + np.arange(len(places))].mean(axis=2)
            for step in steps
        ],
        axis=2,
    )  # (cards, 2, slants, places)
    if unsure is None:
        scores *= 1 - _NEARER * (places - places[0])
        which = _best_together(scores)
    else:
        spread = np.array(unsure)[:, None]
        scores *= np.exp(-0.5 * (places / spread) ** 2)[None, :, None]
        flat = scores.reshape(*scores.shape[:2], -1).argmax(axis=2)
        which = np.stack(np.unravel_index(flat, scores.shape[2:]), axis=2)
    rise, place = slants[which[..., 0]], places[which[..., 1]]
    size = unit[:, None, None]
    begin = start + ((place - rise * pivots)[..., None] * size) * outward
    finish = end + ((place + rise * (1 - pivots))[..., None] * size) * outward
    slack = np.broadcast_to(1.6 * _STEP * unit[:, None], place.shape)
    return Lines(begin, finish, outward, np.zeros(place.shape), slack)


def _best_together(scores: FloatArray) -> NDArray[np.intp]:
    """(cards, 2, 2) slant and place of the best lines, nearly the same for both of a card.

    Args:
        scores: (cards, 2, slants, places).
    """
    near = np.ones((3, 3), np.uint8)
    wide = np.array(
        [[cv2.dilate(s.astype(np.float32), near) for s in pair] for pair in scores], np.float32
    )
    both = wide.sum(axis=1) + 0.5 * wide.min(axis=1)
    out = np.zeros((len(scores), 2, 2), np.intp)
    for k, joint in enumerate(both):
        m, o = (int(v) for v in np.unravel_index(int(joint.argmax()), joint.shape))
        m0, o0 = max(0, m - 1), max(0, o - 1)
        for side in range(2):
            part = scores[k, side, m0 : m + 2, o0 : o + 2]
            i, j = np.unravel_index(int(part.argmax()), part.shape)
            out[k, side] = m0 + i, o0 + j
    return out


def laid_lines(image: Image, corners: FloatArray, spread: float) -> tuple[Lines, FloatArray]:
    """The sides of cards whose size is known, turned and moved to where edges are seen.

    A border printed on a card has edges along both of its sides. Which of them is the card's is
    told by its size.

    Args:
        image: (height, width, 3) BGR.
        corners: (n, 4, 2) about where the cards are, pixels; the first side is a short one.
        spread: standard deviation of the size, as a share of the width.

    Returns:
        The sides, and (n,) for how many of the four an edge is seen there.
    """
    sides = Lines.around(corners)
    wide = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    places, slants = np.arange(-_MOVE, _MOVE + 1e-9, _MOVE_STEP), np.arange(-2, 3)
    across = np.arange(-_MOVE - 3 * _MOVE_STEP, _MOVE + 3.5 * _MOVE_STEP, _MOVE_STEP)
    along = np.linspace(_ENDS, 1 - _ENDS, _LAID_SAMPLES)
    offs = across[None, None] * wide[:, None, None] * np.ones((1, 4, 1))
    edges = _edges(image, sides.start, sides.end, sides.outward, along, offs, None)
    weights = _weights(edges)
    rows = np.arange(len(along))[:, None]
    length = np.linalg.norm(sides.end - sides.start, axis=2) / wide[:, None]
    ratio = np.median(length, axis=0)
    scores = np.empty((len(corners), 4, len(slants), len(places)))
    for side in range(4):
        for k, slant in enumerate(slants):
            # Turned as a whole, the longer sides move farther at their ends.
            step = np.rint(slant * ratio[side] * (2 * along - 1)).astype(int)
            columns = 3 + np.clip(step, -3, 3)[:, None] + np.arange(len(places))
            scores[:, side, k] = weights[:, side, rows, columns].mean(axis=1)
    grown = (places[:, None] + places[None]) / spread
    cost = 0.25 * np.minimum(grown**2, 16.0)
    pairs = [scores[:, one, :, :, None] + scores[:, one + 2, :, None, :] - cost for one in range(2)]
    best = [pair.reshape(*pair.shape[:2], -1) for pair in pairs]
    turn = (best[0].max(axis=2) + best[1].max(axis=2)).argmax(axis=1)
    every = np.arange(len(corners))
    place = np.empty((len(corners), 4))
    for one in range(2):
        flat = best[one][every, turn].argmax(axis=1)
        place[:, one], place[:, one + 2] = places[flat // len(places)], places[flat % len(places)]
    at = np.rint((place + _MOVE) / _MOVE_STEP).astype(int)
    total = scores[every[:, None], np.arange(4), turn[:, None], at].sum(axis=1)
    rise = (slants[turn] * _MOVE_STEP)[:, None] * ratio
    start = sides.start + ((place - rise) * wide[:, None])[..., None] * sides.outward
    end = sides.end + ((place + rise) * wide[:, None])[..., None] * sides.outward
    slack = np.broadcast_to(1.2 * _MOVE_STEP * wide[:, None], place.shape)
    return Lines(start, end, sides.outward, np.zeros(place.shape), slack), total


def fit_lines(image: Image, rough: Lines, paper: NDArray[np.float32] | None) -> Lines:
    """Straight lines fitted to the edges near lines that are about right.

    Args:
        image: (height, width, 3) BGR.
        rough: the lines.
        paper: (cards, 3) colour of the cards' paper; None where any edge may be theirs.
    """
    reach = float(max(_REACH, np.median(rough.slack) + 1.0))
    count = int(min(41, 2 * np.ceil(reach / _FINE_STEP) + 1))
    off = np.linspace(-1, 1, count)
    slack = np.maximum(rough.slack + 1.0, _REACH)
    along = np.linspace(_ENDS, 1 - _ENDS, _FINE_SAMPLES)
    offs = slack[..., None] * off
    edges = _edges(image, rough.start, rough.end, rough.outward, along, offs, paper)
    best = edges.argmax(axis=3)
    height = np.take_along_axis(edges, best[..., None], axis=3)[..., 0]
    inner = np.clip(best, 1, count - 2)
    left, mid, right = (
        np.take_along_axis(edges, (inner + d)[..., None], axis=3)[..., 0] for d in (-1, 0, 1)
    )
    bend = left - 2 * mid + right
    shift = np.where(np.abs(bend) > 1e-6, 0.5 * (left - right) / np.where(bend == 0, 1, bend), 0)
    step = slack[..., None] * (off[1] - off[0])
    place = slack[..., None] * off[best] + step * np.clip(shift, -1, 1)
    usual = np.median(height, axis=2, keepdims=True)
    strong = height > np.maximum(0.5 * _LEAST, 0.35 * usual)
    length = np.linalg.norm(rough.end - rough.start, axis=2)
    on = np.maximum(_ON, _ON_SHARE * length)[..., None]
    keep = strong.copy()
    for k in range(5):
        slope, base = _fitted(along, place, keep)
        rest = np.abs(place - slope[..., None] * along - base[..., None])
        far = np.where(keep, rest, np.nan)
        with np.errstate(all="ignore"):
            usual_rest = np.nan_to_num(_nanmedian(far), nan=9.0)[..., None]
        keep = strong & (rest < (np.maximum(on, 2.0 * usual_rest) if k < 4 else on))
    seen = keep.mean(axis=2)
    start = rough.start + base[..., None] * rough.outward
    end = rough.end + (base + slope)[..., None] * rough.outward
    return Lines(start, end, rough.outward, seen, on[..., 0])


def running_on(image: Image, corners: FloatArray) -> FloatArray:
    """(n,) share of the sides' prolongations beyond the corners along which their edges run on.

    The sides of a card end at its corners, the lines of a chequered cloth do not.

    Args:
        image: (height, width, 3) BGR.
        corners: (n, 4, 2) pixels.
    """
    sides = Lines.around(corners)
    way = sides.end - sides.start
    offs = np.broadcast_to(_NARROW, (*way.shape[:2], len(_NARROW)))
    near = np.linspace(0.15, 0.85, _LAID_SAMPLES)
    beyond = np.concatenate([-_BEYOND[::-1], 1 + _BEYOND])
    own, other = (
        _edges(image, sides.start, sides.end, sides.outward, along, offs, None).max(axis=3)
        for along in (near, beyond)
    )
    usual = np.maximum(np.median(own, axis=2, keepdims=True), _LEAST)
    return np.asarray((other > _AS_STEEP * usual).mean(axis=(1, 2)))


def _nanmedian(values: FloatArray) -> FloatArray:
    """Medians along the last axis without what is NaN; NaN where nothing else is."""
    ordered = np.sort(values, axis=-1)
    count = np.isfinite(values).sum(axis=-1)
    middle = np.maximum(count - 1, 0) // 2
    return np.asarray(np.take_along_axis(ordered, middle[..., None], axis=-1)[..., 0])


def _fitted(
    along: FloatArray, place: FloatArray, keep: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slopes and beginnings of the lines of least squares through what is kept."""
    w = keep.astype(float)
    total = np.maximum(w.sum(axis=-1), 1e-9)
    x, y = (w * along).sum(-1) / total, (w * place).sum(-1) / total
    dx = along - x[..., None]
    spread = (w * dx * dx).sum(-1)
    slope = np.where(spread > 1e-3, (w * dx * place).sum(-1) / np.maximum(spread, 1e-9), 0.0)
    return np.asarray(slope), np.asarray(y - slope * x)


def _edges(
    image: Image,
    start: FloatArray,
    end: FloatArray,
    outward: FloatArray,
    along: FloatArray,
    offs: FloatArray,
    paper: NDArray[np.float32] | None,
) -> Strips:
    """How steeply the picture turns from paper to something else, going outwards.

    Args:
        image: (height, width, 3) BGR.
        start: (cards, sides, 2) pixels.
        end: (cards, sides, 2).
        outward: (cards, sides, 2) unit vectors.
        along: (n,) shares of the side.
        offs: (cards, sides, m) how far out, pixels.
        paper: (cards, 3) colour of the paper; None counts any change of colour.

    Returns:
        (cards, sides, n, m) grey levels of all channels for two steps outwards; 0 at either end and
        beyond the picture.
    """
    base = start[:, :, None] + along[:, None] * (end - start)[:, :, None]
    spots = (base[:, :, :, None] + offs[:, :, None, :, None] * outward[:, :, None, None]).astype(
        np.float32
    )
    shape = spots.shape[:4]
    flat = spots.reshape(-1, shape[3], 2)
    parts = np.array_split(flat, len(flat) // _ROWS + 1)
    seen = np.concatenate(
        [
            cv2.remap(
                image, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
            for part in parts
        ]
    )
    colours = seen.reshape(*shape, 3).astype(np.float32)
    rise = np.zeros(shape, np.float32)
    if paper is None:
        rise[..., 1:-1] = np.abs(colours[..., 2:, :] - colours[..., :-2, :]).sum(axis=4)
        return rise
    unlike = np.abs(colours - paper[:, None, None, None]).sum(axis=4)
    rise[..., 1:-1] = np.maximum(unlike[..., 2:] - unlike[..., :-2], 0.0)
    return rise


def _weights(edges: Strips) -> Strips:
    """How much each sample speaks for an edge, 0 to 1."""
    usual = np.median(edges.max(axis=3), axis=2)
    full = np.maximum(_FULL * usual, _LEAST)[..., None, None]
    return np.asarray(np.minimum(edges / full, 1.0), np.float32)
