"""Sets of tiles, coins and special cards of no game in particular, drawn at random.

Each set is one design: members share ground, frame, inks and font and differ in the sign, the
number of signs or the letter that they bear, as the members of real sets do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Picture
from models.synth.drawn import text_mask
from models.synth.paper import rounded
from models.synth.pips import draw_pip, tight, vary

SIZE = 200
"""Longer side of a drawn member, pixels."""

_LETTERS = "0123456789AKQJXVZBDEFGHLMNPRSTUWY!?&%#+*"


@dataclass(frozen=True, slots=True)
class PieceSet:
    """Members of one design.

    Attributes:
        round: whether they are discs rather than tiles or cards.
        faces: BGRA pictures by name.
    """

    round: bool
    faces: dict[str, Picture]


def sign(rng: np.random.Generator, pips: Sequence[Path]) -> Picture:
    """A symbol as a tight mask: a suit symbol, a star, a sun, a moon, or a made-up shape."""
    kind = rng.integers(6)
    if kind == 0 and len(pips):
        picture = cv2.imread(str(pips[int(rng.integers(len(pips)))]), cv2.IMREAD_UNCHANGED)
        if picture is not None and picture.ndim == 3 and picture.shape[2] == 4:
            return vary(tight(np.ascontiguousarray(picture[..., 3], np.uint8)), rng)
    if kind <= 1:
        return vary(draw_pip("SHDC"[rng.integers(4)], rng), rng)
    mask = np.zeros((128, 128), np.uint8)
    if kind == 2:  # a star or sun: radii alternate
        n = int(rng.integers(4, 17))
        angles = np.linspace(0, 2 * np.pi, 2 * n, endpoint=False)
        radii = np.where(np.arange(2 * n) % 2, rng.uniform(20, 48), 62)
        pts = np.stack([64 + radii * np.cos(angles), 64 + radii * np.sin(angles)], 1)
        cv2.fillPoly(mask, [np.round(pts * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        if rng.random() < 0.5:
            cv2.circle(mask, (64, 64), int(rng.integers(6, 22)), 0, int(rng.integers(-1, 6)))
    elif kind == 3:  # a moon
        cv2.circle(mask, (64, 64), 60, 255, -1, cv2.LINE_AA)
        shift = int(rng.integers(14, 40))
        cv2.circle(mask, (64 + shift, 64 - shift // 3), int(rng.integers(38, 58)), 0, -1)
    elif kind == 4:  # a mirrored polygon: crowns, shields, vases
        half = rng.uniform([[0, 0]], [[60, 128]], (int(rng.integers(4, 9)), 2))
        half = half[np.argsort(half[:, 1])]
        pts = np.vstack([half * [1, 1] + [64, 0], half[::-1] * [-1, 1] + [64, 0]])
        cv2.fillPoly(mask, [np.round(pts * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    else:  # arcs and rings
        for _ in range(int(rng.integers(2, 5))):
            axes = (int(rng.integers(12, 58)), int(rng.integers(12, 58)))
            start = float(rng.uniform(0, 360))
            cv2.ellipse(
                mask, (64, 64), axes, float(rng.uniform(0, 180)), start,
                start + float(rng.uniform(90, 360)), 255, int(rng.integers(6, 18)), cv2.LINE_AA,
            )  # fmt: skip
    return tight(mask)


def paint(face: Picture, mask: Picture, centre: tuple[float, float], height: float, ink: object,
          angle: float = 0.0) -> None:  # fmt: skip
    """Paint a mask of the asked height, turned by ``angle`` degrees, about a point."""
    scale = height / mask.shape[0]
    m = cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), angle, scale)
    m[:, 2] += np.array(centre) - [mask.shape[1] / 2, mask.shape[0] / 2]
    size = (face.shape[1], face.shape[0])
    alpha = cv2.warpAffine(mask, m, size, flags=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
    colour = np.asarray(ink, np.float32)
    face[..., :3] = (face[..., :3] * (1 - alpha) + colour * alpha).astype(np.uint8)


def _ink(rng: np.random.Generator, ground: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    for _ in range(20):
        ink = rng.uniform(0, 255, 3) if rng.random() < 0.7 else rng.uniform(0, 60, 3)
        if np.abs(ink - ground).max() > 90:
            return ink
    return 255 - ground


def _ground(
    rng: np.random.Generator, width: int, height: int
) -> tuple[Picture, npt.NDArray[np.float64]]:
    """A face of one colour with a grain and perhaps a frame; also the colour."""
    colour = rng.uniform(200, 255, 3) if rng.random() < 0.6 else rng.uniform(10, 255, 3)
    face = np.zeros((height, width, 4), np.uint8)
    grain = rng.normal(0, rng.uniform(0, 7), (height // 4, width // 4, 1)).astype(np.float32)
    face[..., :3] = np.clip(cv2.resize(grain, (width, height))[..., None] + colour, 0, 255)
    return face, colour


def random_set(rng: np.random.Generator, fonts: Sequence[str], pips: Sequence[Path]) -> PieceSet:
    """Draw one set of up to 24 members."""
    kind = rng.choice(["tile", "coin", "card"], p=[0.4, 0.35, 0.25])
    disc = kind == "coin"
    width, height = (round(SIZE * 63 / 88), SIZE) if kind == "card" else (SIZE, SIZE)
    ground, colour = _ground(rng, width, height)
    signs = [sign(rng, pips) for _ in range(4)]
    inks = [_ink(rng, colour) for _ in range(4)]
    if rng.random() < 0.5:
        inks = [inks[0]] * 4
    font = str(fonts[int(rng.integers(len(fonts)))]) if len(fonts) else None
    letters = ["".join(t) for t in rng.choice(list(_LETTERS), 6, replace=False)]
    if rng.random() < 0.6:
        letters = ["0", "A", "2", "3", "4", "5"] if rng.random() < 0.5 else list("123456")
    if rng.random() < 0.6:
        _frame(ground, disc=disc, rng=rng, ink=inks[0])
    layout = int(rng.integers(4))
    dark = rng.random() < 0.2  # some sets come in two grounds, as white and black cards do
    faces: dict[str, Picture] = {}
    stretch = float(rng.uniform(0.7, 1.1))
    masks = [text_mask(t, font, 96, stretch) for t in letters]
    weight = rng.uniform(0.28, 0.5)
    for s in range(4):
        for v in range(6):
            face = ground.copy()
            ink = inks[s]
            if dark and s % 2:
                face[..., :3] = 255 - face[..., :3]
                ink = 255 - ink
            _member(face, layout, v, masks[v], signs[s], ink, weight)
            face[..., 3] = _outline(width, height, disc=disc)
            faces[f"{v}{s}"] = face
    if disc and rng.random() < 0.5:  # coins that show one thing a side
        faces = {k: f for k, f in faces.items() if k[0] == "0" or k[1] == "0"}
    return PieceSet(disc, faces)


def _member(face: Picture, layout: int, value: int, letter: Picture, mark: Picture, ink: object,
            weight: float) -> None:  # fmt: skip
    h, w = face.shape[:2]
    side = min(h, w)
    fit = min(1.0, 1.6 * letter.shape[0] / max(1, letter.shape[1]))
    if layout == 0:  # the sign large, the letter in two corners
        paint(face, mark, (w / 2, h / 2), side * weight, ink)
        paint(face, letter, (w * 0.2, h * 0.18), side * 0.2 * fit, ink)
        paint(face, letter, (w * 0.8, h * 0.82), side * 0.2 * fit, ink, 180)
    elif layout == 1:  # the letter large, the sign in a corner
        paint(face, letter, (w * 0.52, h * 0.54), side * weight * 1.2 * fit, ink)
        paint(face, mark, (w * 0.24, h * 0.2), side * 0.2, ink)
    elif layout == 2:  # letter above sign
        paint(face, letter, (w / 2, h * 0.32), side * 0.3 * fit, ink)
        paint(face, mark, (w / 2, h * 0.68), side * 0.32, ink)
    else:  # as many signs as the value says
        n = value + 1
        for k in range(n):
            a = 2 * np.pi * k / n
            r = 0.0 if n == 1 else 0.25
            paint(
                face, mark, (w / 2 + r * w * np.sin(a), h / 2 - r * h * np.cos(a)), side * 0.2, ink
            )


def _frame(face: Picture, *, disc: bool, rng: np.random.Generator, ink: object) -> None:
    h, w = face.shape[:2]
    colour = (*(float(v) for v in np.asarray(ink, float)), 0.0)
    thick, gap = int(rng.integers(1, 8)), int(rng.integers(5, 18))
    if disc:
        cv2.circle(face, (w // 2, h // 2), w // 2 - gap, colour, thick, cv2.LINE_AA)
    else:
        cv2.rectangle(face, (gap, gap), (w - gap, h - gap), colour, thick, cv2.LINE_AA)


def _outline(width: int, height: int, *, disc: bool) -> Picture:
    if not disc:
        return rounded(width, height, 7)
    mask = np.zeros((height, width), np.uint8)
    cv2.circle(mask, (width // 2, height // 2), width // 2 - 1, 255, -1, cv2.LINE_AA)
    return mask
