"""Finds how a picture is blurred by how its clearest indices read, and undoes it.

Defocus and a moved camera spread every point of a flat table alike. A classifier that knows sharp
letters best reads an index the more clearly the better that spread is undone: among ways to undo it
the right one stands out, and of a sharp picture none does. So nothing need be known of the letters
but that they are letters. The spread is undone by a Wiener filter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locate import Candidates
from vision.looks import spread_out

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float32]

LogChances = Callable[[Image, Candidates], tuple[FloatArray, FloatArray]]
"""Log chances of glyphs (n × glyphs) and suits (n × suits) of poses of a picture."""


@dataclass(frozen=True, slots=True)
class Blur:
    """How a point is spread: a line, seen out of focus.

    Attributes:
        sigma: standard deviation of the defocus, pixels.
        length: of the line that the camera's movement drew, pixels.
        angle: its direction, radians from the picture's right.
        noise: power of the noise over that of the picture, what is damped when the blur is undone.
    """

    sigma: float = 0.0
    length: float = 0.0
    angle: float = 0.0
    noise: float = 0.05

    def undoing(self, height: int, width: int) -> FloatArray:
        """The spectrum of the Wiener filter that undoes it, as `numpy.fft.rfft2` orders one.

        Args:
            height: of the picture, pixels.
            width: likewise.

        Returns:
            (height, width // 2 + 1), real; the mean of a picture is left as it is.
        """
        fy = np.fft.fftfreq(height)[:, None]
        fx = np.fft.rfftfreq(width)[None]
        along = fx * np.cos(self.angle) + fy * np.sin(self.angle)
        spread = np.sinc(self.length * along)
        spread = spread * np.exp(-2 * (np.pi * self.sigma) ** 2 * (fx * fx + fy * fy))
        return np.asarray(spread * (1 + self.noise) / (spread**2 + self.noise), np.float32)

    @property
    def handicap(self) -> float:
        """How much clearer than the picture as it is one with this blur undone must read.

        Undoing a blur that is not there costs a sharp letter little while the blur is small, and
        undoing one that is there gains little: the middle between both, measured on rendered rows
        for which the blur is known.
        """
        return 0.45 * self.sigma + 0.25 * self.length / 12**0.5


SHARP = Blur()

#: What is tried first: pixels, and directions over half a turn.
_SIGMAS = (0.7, 1.0, 1.4, 1.9, 2.5)
_LENGTHS = (3.5, 5.0, 7.0, 10.0)
_ANGLES = 8
_COARSE = (
    *(Blur(sigma=s) for s in _SIGMAS),
    *(Blur(length=n, angle=k * np.pi / _ANGLES) for n in _LENGTHS for k in range(_ANGLES)),
)
_NOISES = (0.02, 0.12)

#: From how many indices a blur is told, at least and at most, and how sure one must be of them.
_LEAST_LEADERS, _LEADERS, _SURE = 4, 24, 0.3
#: Log odds from which on a name is as clear as can be, and the chance that rules a name out.
_CLEAR, _RULED_OUT = 40.0, 1e-4
_WORTH = 0.1
"""How much clearer than the sharp picture a blur's undoing must read, besides its handicap."""
#: What is cut out about an index, in index heights and pixels more.
_REACH, _EDGE = 2.6, 24
#: Blocks in which a picture is sharpened, and what they overlap at each end, pixels.
_BLOCK, _MARGIN = 1024, 48
_LARGEST = 120.0
"""Index height, pixels, from which on no blur that is looked for does harm."""


def _nearby(blur: Blur) -> list[Blur]:
    """Blurs a little longer, shorter, turned or more out of focus than one."""
    if not blur.length:
        return [replace(blur, sigma=blur.sigma * k) for k in (0.85, 1.15)]
    turn = np.pi / _ANGLES / 3
    near = [
        replace(blur, length=blur.length * k, angle=blur.angle + d)
        for k in (0.85, 1.0, 1.2)
        for d in (-turn, 0.0, turn)
    ]
    return [b for b in near if b != blur] + [replace(blur, sigma=s) for s in (0.6, 1.0)]


def _noisier(blur: Blur) -> list[Blur]:
    return [replace(blur, noise=n) for n in _NOISES]


class _Tiles:
    """Windows about poses, one below the other, in which blurs are tried."""

    def __init__(self, image: Image, poses: Candidates) -> None:
        side = cv2.getOptimalDFTSize(int(_REACH * float(poses.size.max())) + _EDGE)
        self._side = side = side + side % 2
        half = side // 2
        wide = cv2.copyMakeBorder(image, half, half, half, half, cv2.BORDER_REFLECT_101)
        # The middle of an index that the picture's edge cuts may lie beyond it.
        last = (image.shape[1] - 1, image.shape[0] - 1)
        corner = np.clip(np.rint(poses.centre).astype(int), 0, last)
        cut = [wide[y : y + side, x : x + side] for x, y in corner.tolist()]
        self._plain = np.concatenate(cut)
        pixels = np.stack(cut).astype(np.float32).transpose(0, 3, 1, 2)
        self._spectrum = np.fft.rfft2(pixels, axes=(-2, -1))
        below = np.arange(len(poses))[:, None] * np.array([0, side])
        centre = poses.centre - corner + half + below
        self.poses = replace(poses, centre=centre.astype(np.float32))

    def undone(self, blur: Blur) -> Image:
        """The windows with a blur undone."""
        side = self._side
        if blur == SHARP:
            return self._plain
        out = np.fft.irfft2(self._spectrum * blur.undoing(side, side), s=(side, side))
        tiles = np.clip(np.rint(out), 0, 255).astype(np.uint8)
        return np.ascontiguousarray(tiles.transpose(0, 2, 3, 1).reshape(-1, side, 3))


def blur_of(image: Image, poses: Candidates, score: FloatArray, read: LogChances) -> Blur:
    """How a picture is blurred; `SHARP` where it reads best as it is.

    Args:
        image: (height, width, 3) BGR.
        poses: its index candidates.
        score: (n,) chances of their likeliest cards.
        read: the classifier.
    """
    clear = np.flatnonzero((score > _SURE) & (poses.size < _LARGEST))
    leaders = spread_out(poses, clear, _LEADERS)
    if len(leaders) < _LEAST_LEADERS:
        return SHARP
    tiles = _Tiles(image, poses.take(leaders))

    def looked(blurs: Sequence[Blur]) -> tuple[FloatArray, FloatArray]:
        looks = [read(tiles.undone(blur), tiles.poses) for blur in blurs]
        return np.stack([look[0] for look in looks]), np.stack([look[1] for look in looks])

    blurs = [SHARP, *_COARSE]
    glyphs, suits = looked(blurs)
    # What all of them together say is there; which of them says it most clearly?
    glyph, suit = _named(glyphs), _named(suits)

    def merits(blurs: Sequence[Blur], glyphs: FloatArray, suits: FloatArray) -> list[float]:
        clear = _clearness(glyphs, glyph) + _clearness(suits, suit)
        return [float(c) - b.handicap for c, b in zip(clear, blurs, strict=True)]

    merit = merits(blurs, glyphs, suits)
    for refine in (_nearby, _noisier):
        best = int(np.argmax(merit))
        if best == 0:
            return SHARP
        more = refine(blurs[best])
        merit += merits(more, *looked(more))
        blurs += more
    best = int(np.argmax(merit))
    return blurs[best] if merit[best] > merit[0] + _WORTH else SHARP


def _named(logs: FloatArray) -> NDArray[np.intp]:
    """(n,) the names that (ways, n, classes) log chances have in common."""
    return np.maximum(logs, np.log(_RULED_OUT)).mean(axis=0).argmax(axis=-1)


def _clearness(logs: FloatArray, names: NDArray[np.intp]) -> FloatArray:
    """(ways,) mean log odds of the names among (ways, n, classes) log probabilities."""
    index = names[None, :, None]
    named = np.take_along_axis(logs, index, axis=-1)[..., 0]
    others = np.where(np.arange(logs.shape[-1]) == index, -np.inf, logs)
    most = others.max(axis=-1)
    rest = most + np.log(np.exp(others - most[..., None]).sum(axis=-1))
    return np.asarray(np.minimum(named - rest, _CLEAR).mean(axis=-1), np.float32)


def undone(image: Image, blur: Blur) -> Image:
    """The picture with a blur undone, (height, width, 3) as before.

    Block by block, so that a large picture needs little memory.
    """
    if blur == SHARP:
        return image
    height, width = image.shape[:2]
    rows = min(_BLOCK, cv2.getOptimalDFTSize(height + 2 * _MARGIN))
    cols = min(_BLOCK, 2 * cv2.getOptimalDFTSize(width // 2 + _MARGIN + 1))
    undoing = blur.undoing(rows, cols)
    wide = cv2.copyMakeBorder(image, _MARGIN, rows, _MARGIN, cols, cv2.BORDER_REFLECT)
    out = np.empty_like(image)
    for y in range(0, height, rows - 2 * _MARGIN):
        for x in range(0, width, cols - 2 * _MARGIN):
            spectrum = np.fft.rfft2(wide[y : y + rows, x : x + cols], axes=(0, 1))
            block = np.fft.irfft2(spectrum * undoing[..., None], s=(rows, cols), axes=(0, 1))
            part = out[y : y + rows - 2 * _MARGIN, x : x + cols - 2 * _MARGIN]
            inner = block[_MARGIN : _MARGIN + part.shape[0], _MARGIN : _MARGIN + part.shape[1]]
            part[:] = np.clip(np.rint(inner), 0, 255)
    return out
