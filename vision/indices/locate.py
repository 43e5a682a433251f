"""Finds corner indices: runs the locator over a pyramid of reductions of the picture.

The locator network answers, for every 4 × 4 cell of its input, how likely an index is centred
there, and the pose of that index. It knows indices of about 9 to 84 pixels, so each level of the
pyramid looks after one range of sizes, and the coarse levels, which read close-ups, cost little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Float32Array, Image
from vision.images.pyramid import Pyramid
from vision.indices.windows import Window, whole, windows_around
from vision.inference.backend import Session

LEAST_HEAT = 0.15
"""Least heat of a candidate where every trace counts."""

_MULTIPLE = 32
LEAST_SIDE = 160
"""No level is shorter on its long side, pixels."""
KNOWN_HEIGHTS = (9.0, 84.0)
"""Heights of the indices that the network was taught, pixels of a level."""
_PAD = 114.0
_SIZE_CLIP = 3.0

_JITTER_SHIFT, _JITTER_SIZE = 0.06, 1.09

#: Nine in ten of the candidates this hot are indices; so many of them tell how large all are.
_SURELY_HOT, _ENOUGH_HOT = 0.4, 2

#: Where a level shows indices of at least this many pixels, those of the level above have left a
#: heat of at least the other value there.
_CLEARLY, _TRACE = 9.0, 0.15
#: A picture of more indices than that is not searched at a finer level than it needs, lest it take
#: long: one at which the smallest is so many times as high as where one level is enough. (At 1, 7
#: of 96 cards of fans at half their size are lost, at 1.2 one.)
_MANY, _HIGHER = 30, 1.2

#: What is higher than that on the second level may be seen on a coarser one alone: the most of
#: `KNOWN_HEIGHTS`, and some to spare. What is lower is seen better on the second level itself: with
#: the coarser poses of it as well, 4 of 96 cards of fans are lost.
_KNOWN = 60.0

# Two candidates are poses of one index when they lie within this many index heights, point the
# same way (cosine) and differ in size by less than this factor.
_SITE_NEAR, _SITE_TURN, _SITE_RATIO = 0.3, 0.7, 1.6


@dataclass(frozen=True, slots=True)
class Candidates:
    """Index poses as parallel arrays, in pixels of the picture.

    Attributes:
        centre: (n, 2) middles of the indices.
        direction: (n, 2) unit vectors from rank to suit.
        size: (n,) index heights.
        heat: (n,) locator probabilities, 0 to 1.
    """

    centre: Float32Array
    direction: Float32Array
    size: Float32Array
    heat: Float32Array

    def __post_init__(self) -> None:
        n = len(self.heat)
        shapes = (self.centre.shape, self.direction.shape, self.size.shape)
        if shapes != ((n, 2), (n, 2), (n,)):
            raise ValueError(f"candidate arrays do not fit together: {shapes} for {n}")

    def __len__(self) -> int:
        return len(self.heat)

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Candidates:
        """The candidates at these positions."""
        return Candidates(
            self.centre[which], self.direction[which], self.size[which], self.heat[which]
        )


NO_CANDIDATES = Candidates(
    np.zeros((0, 2), np.float32),
    np.zeros((0, 2), np.float32),
    np.zeros(0, np.float32),
    np.zeros(0, np.float32),
)


def join_candidates(parts: Sequence[Candidates]) -> Candidates:
    """All candidates of several levels in one."""
    return Candidates(
        np.concatenate([p.centre for p in parts]),
        np.concatenate([p.direction for p in parts]),
        np.concatenate([p.size for p in parts]),
        np.concatenate([p.heat for p in parts]),
    )


def network_input(image: Image) -> Float32Array:
    """A picture as the networks take it: 1 × 3 × H × W float32 BGR, padded to multiples of 32."""
    height, width = image.shape[:2]
    bottom, right = -height % _MULTIPLE, -width % _MULTIPLE
    out = np.full((1, 3, height + bottom, width + right), _PAD, np.float32)
    # Splitting first: planes are converted several times faster than interleaved channels.
    for channel, plane in enumerate(cv2.split(image)):
        out[0, channel, :height, :width] = plane
    return out


def decode(
    maps: Float32Array, *, stride: int, size_unit: float, threshold: float, most: int
) -> Candidates:
    """Peaks of the locator's output.

    Args:
        maps: (6, h, w) heat logit, offset x and y in cells, cosine, sine, log size.
        stride: input pixels a cell.
        size_unit: index height that log size 0 stands for, pixels.
        threshold: least heat, 0 to 1.
        most: how many peaks to keep, the hottest.

    Returns:
        Candidates in input pixels, the hottest first.
    """
    heat = maps[0]
    least = np.log(threshold / (1 - threshold))
    hottest_near = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= hottest_near) & (heat > least))
    order = np.argsort(-heat[ys, xs], kind="stable")[:most]
    ys, xs = ys[order], xs[order]
    ox, oy, cosine, sine, log_size = maps[1:, ys, xs]
    norm = np.maximum(np.hypot(cosine, sine), 1e-6)
    # Pixel centres are whole numbers, cell centres lie half a cell in.
    centre = np.stack([(xs + 0.5 + ox) * stride - 0.5, (ys + 0.5 + oy) * stride - 0.5], axis=1)
    return Candidates(
        centre.astype(np.float32),
        np.stack([cosine / norm, sine / norm], axis=1).astype(np.float32),
        (size_unit * np.exp(np.clip(log_size, -_SIZE_CLIP, _SIZE_CLIP))).astype(np.float32),
        (1 / (1 + np.exp(-heat[ys, xs]))).astype(np.float32),
    )


def pyramid_scales(width: int, height: int, sides: Sequence[int]) -> tuple[float, ...]:
    """Scales of the pyramid's levels for a picture, largest first.

    Args:
        width: of the picture, pixels.
        height: of the picture, pixels.
        sides: wanted long sides of the levels, pixels, largest first; a picture smaller than the
            first is not enlarged: all its levels are then reduced by the same factor less.
    """
    longest = max(width, height)
    first = min(1.0, sides[0] / longest)
    scales = tuple(first * (side / sides[0]) for side in sides)
    return tuple(s for k, s in enumerate(scales) if k == 0 or s * longest >= LEAST_SIDE)


class Locator:
    """The locator network over a pyramid.

    Args:
        session: the loaded network.
        stride: see `decode`.
        size_unit: see `decode`.
        most: most candidates a level.
    """

    def __init__(
        self, session: Session, *, stride: int = 4, size_unit: float = 24.0, most: int = 300
    ) -> None:
        self._session = session
        self._input = session.inputs[0].name
        self._output = session.outputs[0].name
        self._stride, self._unit = stride, size_unit
        self._most = most

    def level(
        self,
        picture: Pyramid,
        scale: float,
        *,
        least_heat: float = LEAST_HEAT,
        traces: Candidates | None = None,
    ) -> Candidates:
        """Candidates of one level, in pixels of the picture (which is not yet reduced).

        Args:
            picture: what to search.
            scale: of the level, at most 1.
            least_heat: least heat of a candidate, 0 to 1.
            traces: where to look; None looks everywhere.
        """
        small = image = picture.image
        if scale < 1:
            new = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
            small = picture.reduced(new)
        height, width = small.shape[:2]
        parts = whole(width, height)
        if traces is not None:
            parts = windows_around(traces.centre * scale, traces.size * scale, width, height)
        found = join_candidates([self._in_window(small, part, least_heat) for part in parts])
        # Half-pixel shifts of the reduction: the centre of pixel x is (x + ½) / scale − ½.
        factor = np.array(
            [image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]], np.float32
        )
        centre = (found.centre + 0.5) * factor - 0.5
        return Candidates(centre, found.direction, found.size * factor.mean(), found.heat)

    def _in_window(self, image: Image, window: Window, least_heat: float) -> Candidates:
        """Candidates of a part of a level's picture, in that picture's pixels."""
        left, top, right, bottom = window
        part = image[top:bottom, left:right]
        maps = self._session.run({self._input: network_input(part)})[self._output][0]
        found = decode(
            maps,
            stride=self._stride,
            size_unit=self._unit,
            threshold=least_heat,
            most=self._most,
        )
        return replace(found, centre=found.centre + np.array([left, top], np.float32))

    def find(
        self,
        picture: Pyramid,
        sides: Sequence[int],
        *,
        least_heat: float = LEAST_HEAT,
        enough: float | None = None,
    ) -> Candidates:
        """Candidates of all levels.

        Args:
            picture: what to search.
            sides: see `pyramid_scales`.
            least_heat: least heat of a candidate, 0 to 1.
            enough: index height in pixels of a level; where the second level shows every index
                to be as large on the first, the first is left out. Where it shows several, the
                first looks only where the second has found a trace of one; and where it shows
                many, the first is reduced until the smallest is a little higher than on a second
                level that is enough. Where it shows every index to be as small on itself, the
                coarsest alone looks for what is too large for it, a card close up: figures and
                print look like small indices. None leaves none out.
        """
        scales = pyramid_scales(picture.image.shape[1], picture.image.shape[0], sides)
        if enough is None or len(scales) < 2:
            every = [self.level(picture, scale, least_heat=least_heat) for scale in scales]
            return join_candidates(every)
        traces = self.level(picture, scales[1], least_heat=min(_TRACE, least_heat))
        plan = other_levels(traces, scales, enough)
        finer = [
            self.level(picture, scale, least_heat=least_heat, traces=traces if plan.near else None)
            for scale in plan.finer
        ]
        coarser = join_candidates(
            [
                NO_CANDIDATES,
                *(self.level(picture, scale, least_heat=least_heat) for scale in plan.coarser),
            ]
        )
        larger = coarser.take(coarser.size > plan.larger)
        return join_candidates([*finer, traces.take(traces.heat > least_heat), larger])


@dataclass(frozen=True, slots=True)
class OtherLevels:
    """Which levels to search besides the second.

    Attributes:
        finer: the scale of the first level, empty where it tells nothing more.
        near: whether the first level need only be searched near traces.
        coarser: the scales of the coarser ones.
        larger: how high an index that they show is at least, pixels of the picture.
    """

    finer: tuple[float, ...]
    near: bool
    coarser: tuple[float, ...]
    larger: float


def other_levels(traces: Candidates, scales: Sequence[float], enough: float) -> OtherLevels:
    """What the second level says of the others; see `Locator.find`.

    Args:
        traces: what the second level shows, faint traces as well.
        scales: of all levels, two or more.
        enough: see `Locator.find`.
    """
    first, pilot, *coarser = scales
    sizes = traces.size[traces.heat > _SURELY_HOT]
    if len(sizes) < _ENOUGH_HOT:
        return OtherLevels((first,), False, tuple(coarser), 0.0)
    smallest, largest = float(sizes.min()), float(sizes.max())
    finer: tuple[float, ...] = ()
    if smallest * first < enough:
        needed = _HIGHER * enough * pilot / first / smallest
        finer = (min(first, needed) if len(sizes) > _MANY else first,)
    is_large = largest * pilot > enough
    return OtherLevels(
        finer,
        smallest * pilot > _CLEARLY,
        tuple(coarser if is_large else coarser[-1:]),
        0.0 if is_large else _KNOWN / pilot,
    )


def same_site(found: Candidates) -> NDArray[np.bool_]:
    """Which candidates are poses of one index, (n, n): near, alike in direction and in size."""
    x, y = found.centre.T
    far = np.hypot(x[:, None] - x[None], y[:, None] - y[None])
    ratio = found.size[:, None] / found.size[None]
    return np.asarray(
        (far < _SITE_NEAR * np.minimum(found.size[:, None], found.size[None]))
        & (found.direction @ found.direction.T > _SITE_TURN)
        & (ratio < _SITE_RATIO)
        & (ratio > 1 / _SITE_RATIO)
    )


def thin(found: Candidates, *, keep: int = 2) -> tuple[Candidates, NDArray[np.intp]]:
    """Merges what several levels or neighbouring peaks say of one index.

    A site keeps its ``keep`` hottest poses: the levels' poses differ a little, and which of them
    the classifier reads best is not known yet.

    Returns:
        What is kept, the hottest first, and for each the position (in what is kept) of the
        hottest pose of its site; a candidate that is that pose itself has its own position.
    """
    found = found.take(np.argsort(-found.heat, kind="stable"))
    same = same_site(found)
    kept: list[int] = []
    leader: list[int] = []
    standing = np.zeros(len(found), bool)
    for k in range(len(found)):
        others = np.flatnonzero(same[k] & standing)
        if len(others) >= keep:
            continue
        leader.append(leader[kept.index(int(others[0]))] if len(others) else len(kept))
        kept.append(k)
        standing[k] = True
    return found.take(np.array(kept, dtype=np.intp)), np.array(leader, dtype=np.intp)


def jittered(found: Candidates) -> Candidates:
    """Four poses around each: smaller, larger, a little up and a little down; one block each."""
    along = found.direction * (_JITTER_SHIFT * found.size)[:, None]
    return join_candidates(
        [
            Candidates(found.centre, found.direction, found.size / _JITTER_SIZE, found.heat),
            Candidates(found.centre, found.direction, found.size * _JITTER_SIZE, found.heat),
            Candidates(found.centre - along, found.direction, found.size, found.heat),
            Candidates(found.centre + along, found.direction, found.size, found.heat),
        ]
    )
