"""One card, tile or coin on a table as a camera sees it, with its true outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture
from models.synth import effects
from models.synth.backgrounds import felt, photo_ground

Corners = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class View:
    """A photograph of one thing.

    Attributes:
        image: BGR.
        corners: (4, 2) pixels, where the face picture's corners went, clockwise from its top left.
    """

    image: Picture
    corners: Corners


def render_view(
    face: Picture,
    rng: np.random.Generator,
    *,
    long_side: float,
    margin: float = 0.2,
    tilt: float = 0.35,
    turn: float = np.pi,
    grounds: Sequence[Path] = (),
    plain: bool = False,
    blur: float = 0.16,
) -> View:
    """Photograph a face.

    Args:
        face: BGRA.
        rng: Decides everything else.
        long_side: Length of its longer side in the photograph, pixels.
        margin: Table shown around it, as a share of that length.
        tilt: Standard deviation of the camera's tilt, radians; cut at 0.9.
        turn: It is turned by up to this, radians.
        grounds: Pictures of surfaces to lay it on.
        plain: Only quiet surfaces and gentle light, as for a photo taken to be good.
        blur: Most blur, as a share of a tenth of the long side.
    """
    h, w = face.shape[:2]
    scale = long_side / max(h, w)
    angle = rng.uniform(-turn, turn)
    lean = min(0.9, abs(rng.normal(0, tilt)))
    way = rng.uniform(0, 2 * np.pi)
    # A tilted plane seen from about five lengths away.
    xy = (np.array([[0, 0], [w, 0], [w, h], [0, h]], float) - [w / 2, h / 2]) * scale
    c, s = np.cos(angle), np.sin(angle)
    xy = xy @ np.array([[c, s], [-s, c]])
    axis = np.array([np.cos(way), np.sin(way)])
    along = xy @ axis
    depth = 1 + along * np.sin(lean) / (rng.uniform(3, 8) * long_side)
    seen = (xy + np.outer(along * (np.cos(lean) - 1), axis)) / depth[:, None]
    low, high = seen.min(0), seen.max(0)
    room = max(8.0, margin * long_side)
    size = np.ceil((high - low) + 2 * room).astype(int)
    size = np.maximum(size, 48)
    offset = (size - (high - low)) / 2 - low + rng.uniform(-0.4, 0.4, 2) * room
    corners = (seen + offset).astype(np.float32)
    width, height = int(size[0]), int(size[1])
    image = _ground(width, height, rng, grounds, plain=plain)
    image = _lay(image, face, corners, rng)
    light = effects.light_field(max(16, width), max(16, height), rng)[:height, :width]
    if plain:
        light = 0.5 * light + 0.5 * light.mean() if light.mean() > 0.5 else np.ones_like(light)
    image *= light
    if not plain and rng.random() < 0.2:
        effects.add_glare(image, rng)
    image = effects.blur(image, rng, blur * 0.1 * long_side / 0.16)
    image = effects.tone(image, rng)
    out = effects.sensor(np.ascontiguousarray(image, np.float32), rng)
    out = cv2.resize(out, (width, height)) if out.shape[:2] != (height, width) else out
    if rng.random() < 0.7:
        packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 96))])[1]
        out = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return View(np.ascontiguousarray(out, np.uint8), corners)


def _ground(
    width: int, height: int, rng: np.random.Generator, grounds: Sequence[Path], *, plain: bool
) -> npt.NDArray[np.float32]:
    picture = None
    if len(grounds) and not plain and rng.random() < 0.6:
        picture = photo_ground(grounds[int(rng.integers(len(grounds)))], width, height, rng)
    if picture is None:
        picture = felt(width, height, rng)
        if plain:
            calm = picture.reshape(-1, 3).mean(0)
            picture = np.clip(calm + 0.35 * (picture - calm), 0, 255)
    return picture.astype(np.float32)


def _lay(
    image: npt.NDArray[np.float32], face: Picture, corners: Corners, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    h, w = face.shape[:2]
    size = (image.shape[1], image.shape[0])
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    m = cv2.getPerspectiveTransform(source, corners)
    shrink = np.sqrt(abs(np.linalg.det(m[:2, :2])))
    if shrink < 0.6:  # without this the print would alias
        face = cv2.GaussianBlur(face, (0, 0), 0.4 / shrink)
    alpha = cv2.warpPerspective(face[..., 3], m, size, flags=cv2.INTER_LINEAR)
    alpha = alpha[..., None].astype(np.float32) / 255
    if rng.random() < 0.6:  # the shadow of its edge
        shift = np.array([[1, 0, rng.normal(0, 3)], [0, 1, rng.normal(0, 3)]], np.float32)
        shade = cv2.warpAffine(alpha, shift, size)
        shade = cv2.GaussianBlur(shade, (0, 0), float(rng.uniform(1, 6)))[..., None]
        image = image * (1 - shade * rng.uniform(0.1, 0.5))
    colour = cv2.warpPerspective(face[..., :3], m, size, flags=cv2.INTER_LINEAR,
                                 borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return image * (1 - alpha) + colour.astype(np.float32) * alpha
