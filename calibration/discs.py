"""Finds round things: coins, seen at a slant as ellipses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.contours import Traces
from vision.arrays import Image

Vector = NDArray[np.float64]

#: Least share of its hull in the ellipse about it, or the other way round, for a closer look; noise
#: makes the edge of a small coin ragged.
_ROUNDISH = 0.88
#: Shorter over longer axis of a coin that lies on a table seen by a camera above it.
_FLATTEST = 0.4
#: Rays on which edges are looked for, and in what steps; how far inside and outside a line, and
#: about each of the edges; shares of the radius.
_RAYS, _STEP = 64, 0.012
_INSIDE, _OUTSIDE, _REACH = 0.75, 1.35, 0.07
#: An edge is this near to the fitted ellipse, as a share of the radius.
_NEAR = 0.035
#: So many lines about the same spot are looked at.
_LINES = 2
#: An edge is at least so steep, grey levels of all channels a step.
_STEEP = 6.0
#: Two ellipses of which the axes differ less, and the middles lie nearer, are one; as shares of the
#: radius.
_SAME = 0.06


@dataclass(frozen=True, slots=True)
class Disc:
    """An ellipse in a picture.

    Attributes:
        centre: pixels.
        axes: (2, 2) half its axes, one a row, pixels.
        clear: share of its edge that is seen where it should be, 0 to 1.
    """

    centre: tuple[float, float]
    axes: Vector
    clear: float

    @property
    def radius(self) -> float:
        """Geometric mean of its half axes."""
        (a, b), (c, d) = self.axes.tolist()
        return math.sqrt(abs(a * d - b * c))

    @property
    def corners(self) -> NDArray[np.float32]:
        """(4, 2) the box about it, clockwise."""
        u, v = self.axes
        c = np.array(self.centre)
        return np.array([c - u - v, c + u - v, c + u + v, c - u + v], np.float32)


def find_discs(image: Image, traces: Traces, least: float) -> list[Disc]:
    """All ellipses whose edge is seen, the clearest first; printed rings too.

    Args:
        image: (height, width, 3) BGR.
        traces: its closed lines.
        least: share of its edge that must be seen.
    """
    rough: list[Disc] = []
    for disc in sorted(_roundish(traces), key=lambda disc: -disc.clear):
        # The roundest line about a spot will do: edges are looked for inside and outside of it.
        if sum(_is_about(disc, other) for other in rough) < _LINES:
            rough.append(disc)
    found = [sharp for disc in rough for sharp in _edges(image, disc) if sharp.clear >= least]
    found.sort(key=lambda disc: -disc.clear)
    kept: list[Disc] = []
    for disc in found:
        if not any(_is_same(disc, other) for other in kept):
            kept.append(disc)
    return kept


def _roundish(traces: Traces) -> Iterator[Disc]:
    """Ellipses about the closed lines that are nearly round, in pixels of the picture."""
    for trace in traces.traces:
        if len(trace.hull) < 6:
            continue
        disc = _ellipse(trace.hull.reshape(-1, 2).astype(np.float32))
        if disc is None or disc.radius < 4:
            continue
        whole = np.pi * disc.radius**2
        inner = cv2.contourArea(trace.hull)
        round_by = min(inner / whole, whole / inner)
        if round_by < _ROUNDISH:
            continue
        (x, y), scale = disc.centre, 1 / traces.scale
        axes = disc.axes * (1 + 0.5 / disc.radius)  # contours run through the middles of pixels
        yield Disc(((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5), axes * scale, round_by)


def _ellipse(points: NDArray[np.float32]) -> Disc | None:
    """The ellipse through points."""
    (x, y), (a, b), degrees = cv2.fitEllipseDirect(points.reshape(-1, 1, 2))
    if not (a > 0 and b > 0 and min(a, b) > _FLATTEST * max(a, b)):
        return None
    angle = np.radians(degrees)
    u = np.array([np.cos(angle), np.sin(angle)]) * a / 2
    v = np.array([-np.sin(angle), np.cos(angle)]) * b / 2
    return Disc((float(x), float(y)), np.array([u, v]), 0.0)


def _edges(image: Image, disc: Disc) -> Iterator[Disc]:
    """The ellipses along the steep changes near another one: a coin's edge, rings printed on it."""
    angles = np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)
    radii = np.arange(_INSIDE, _OUTSIDE, max(_STEP, 0.4 / disc.radius))
    ways = np.column_stack([np.cos(angles), np.sin(angles)]) @ disc.axes
    spots = (np.array(disc.centre) + radii[None, :, None] * ways[:, None]).astype(np.float32)
    rays = cv2.remap(
        image, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    smooth = cv2.GaussianBlur(np.concatenate([rays[-2:], rays, rays[:2]]), (3, 5), 0)[2:-2]
    slope = np.abs(np.gradient(smooth, axis=1)).sum(2)
    rings = cv2.blur(np.median(slope, axis=0)[None], (3, 1))[0]
    for k in range(1, len(radii) - 1):
        if rings[k] < max(rings[k - 1], rings[k + 1]) or rings[k] < max(_STEEP, 0.3 * rings.max()):
            continue
        first, last = np.searchsorted(radii, [radii[k] * (1 - _REACH), radii[k] * (1 + _REACH)])
        near = _fitted_ring(slope[:, first:last], spots[:, first:last])
        if near is not None and math.dist(near.centre, disc.centre) < 0.3 * disc.radius:
            yield near


def _fitted_ring(slope: Vector, spots: NDArray[np.float32]) -> Disc | None:
    """The ellipse through the steepest spot of each ray, None where they lie on none.

    Args:
        slope: (rays, spots) how steeply the picture changes.
        spots: (rays, spots, 2) where, pixels.
    """
    every = np.arange(len(slope))
    best = slope.argmax(1)
    edge, height = spots[every, best], slope[every, best]
    keep = height > max(3.0, 0.3 * float(np.median(height)))
    for _ in range(3):
        found = _ellipse(edge[keep]) if keep.sum() > _RAYS // 3 else None
        if found is None:
            return None
        off = np.abs(
            np.linalg.norm((edge - np.array(found.centre)) @ np.linalg.inv(found.axes), axis=1) - 1
        )
        keep &= off < max(_NEAR, 2.0 * float(np.median(off[keep])))
    assert found is not None
    return replace(found, clear=float((keep & (off < _NEAR)).mean()))


def _is_about(a: Disc, b: Disc) -> bool:
    size = min(a.radius, b.radius)
    far = math.dist(a.centre, b.centre)
    return far < 0.2 * size and abs(a.radius - b.radius) < 0.3 * size


def _is_same(a: Disc, b: Disc) -> bool:
    size = min(a.radius, b.radius)
    if abs(a.radius - b.radius) > _SAME * size:
        return False
    return math.dist(a.centre, b.centre) < 2 * _SAME * size
