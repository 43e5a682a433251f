"""Films for measuring hands: a fan of cards that is shown to a camera for two seconds.

Five to twenty cards of a held-out deck are held as people hold them, fingers over their lower part,
before a held-out background. The hand and the camera move a little; it is tilted, rolled, blurred
and dim as pictures by a telephone are. The configuration below is fixed, so that figures can be
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.arrays import Float32, Matrix, Picture
from models.evaluation.pictures import ENGLISH
from models.evaluation.sweeps import (
    FPS,
    Pan,
    Table,
    frames_of,
    held_out,
    index_mm,
    moved_camera,
    seen,
    wander,
    write_film,
)
from models.synth import backgrounds, effects
from models.synth.camera import face_homography
from models.synth.faces import Face, FaceDeck
from models.synth.layouts import CARD_H, CARD_W, Placement
from models.synth.scene import Canvas, Props, draw_ground, index_labels, lay_cards

SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Configuration:
    """Ranges of the films; lengths in mm, sizes in pixels, angles in radians.

    Attributes:
        cards: how many a hand holds, in turn.
        grip: how far below a card's lower edge the fan turns; above it where negative.
        step: distance of neighbouring indices.
        widest: angle from the first card to the last.
        fills: part of the picture's width or height that the fan takes.
        dim: share of films in dim light.
        clear_frames: frames in which each index must be whole in the picture and hardly blurred.
        least_px: smallest index height.
    """

    cards: tuple[int, ...] = (5, 7, 13)
    size: tuple[int, int] = (1280, 960)
    portrait: float = 0.4
    grip: tuple[float, float] = (-25.0, 40.0)
    step: tuple[float, float] = (11.5, 24.0)
    widest: float = 2.7
    fills: tuple[float, float] = (0.55, 0.95)
    tilt_sd: float = 0.3
    tilt_most: float = 0.7
    roll_sd: float = 0.2
    dim: float = 0.3
    exposure: tuple[float, float] = (1 / 240, 1 / 30)
    clear_frames: int = 6
    least_px: float = 18.0


CONFIGURATION = Configuration()
ATTEMPTS = 100


def held(rng: np.random.Generator, n: int, c: Configuration = CONFIGURATION) -> list[Placement]:
    """``n`` cards fanned about a point below them, the lowest first; about the fan's middle."""
    radius = CARD_H / 2 + float(rng.uniform(*c.grip))
    reach = radius + CARD_H / 2 - 12.0  # where the indices are
    step = min(float(rng.uniform(*c.step)) / reach, c.widest / max(1, n - 1))
    turns = (np.arange(n) - (n - 1) / 2) * step + rng.normal(0, 0.12 * step, n)
    radii = radius + rng.normal(0, 1.5, n)
    x, y = radii * np.sin(turns), -radii * np.cos(turns)
    middle = (float(x.mean()), float(y.mean()))
    return [
        Placement(float(a - middle[0]), float(b - middle[1]), float(t))
        for a, b, t in zip(x, y, turns, strict=True)
    ]


def _corners(places: Sequence[Placement]) -> Matrix:
    """All cards' corners, (4 n, 2) in mm."""
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [CARD_W / 2, CARD_H / 2]
    out = []
    for p in places:
        c, s = np.cos(p.angle), np.sin(p.angle)
        out.append(box @ np.array([[c, s], [-s, c]]) + [p.x, p.y])
    return np.concatenate(out)


def _hold(
    canvas: Canvas, view: Matrix, places: Sequence[Placement], rng: np.random.Generator
) -> None:
    """Fingers and a thumb over the cards' lower ends, where the fan turns."""
    lower = max(p.y for p in places if abs(p.angle) < 0.5) + CARD_H / 2
    for _ in range(int(rng.integers(1, 4))):
        hand = backgrounds.finger(rng)
        zoom = float(rng.uniform(18, 60)) / hand.shape[1] * hand.shape[0] / CARD_H
        middle = lower - float(rng.uniform(5, 35)) + zoom * CARD_H / 2
        place = Placement(float(rng.normal(0, 22)), middle, float(rng.normal(0, 0.35)))
        h = face_homography(view, place, hand.shape[1], hand.shape[0])
        x, y = hand.shape[1] / 2, hand.shape[0] / 2
        grow = np.array([[zoom, 0, x * (1 - zoom)], [0, zoom, y * (1 - zoom)], [0, 0, 1]])
        canvas.paste(hand, h @ grow, -2, None)


def _drawn(
    rng: np.random.Generator,
    faces: Sequence[Face],
    places: Sequence[Placement],
    props: Props,
    *,
    scale: float,
    margin: float,
    noise: float,
) -> Table:
    """The hand from straight before it, lit, with the indices that a person can read."""
    box = _corners(places)
    low, high = box.min(0) - margin, box.max(0) + margin
    width, height = (int(v) // 16 * 16 for v in (high - low) * scale)
    canvas = Canvas(draw_ground(width, height, rng, props))
    canvas.image = cv2.GaussianBlur(canvas.image, (0, 0), float(rng.uniform(0.5, 6)))
    view = np.array([[scale, 0, -low[0] * scale], [0, scale, -low[1] * scale], [0, 0, 1]])
    homographies, _ = lay_cards(canvas, view, places, faces, scale, rng)
    _hold(canvas, view, places, rng)
    labels = index_labels(canvas, faces, homographies)
    lit = canvas.image.astype(np.float32) * effects.light_field(width, height, rng)
    if rng.random() < 0.3:
        effects.add_glare(lit, rng)
    lit = _exposed(effects.tone(lit, rng), rng, round(margin * scale))
    image: Picture = np.clip(lit, 0, 255).astype(np.uint8)
    grain = rng.normal(0, noise, image.shape).astype(np.float32)
    noisy = np.clip(image + grain, 0, 255).astype(np.uint8)
    return Table.of(labels, image, noisy, scale, low)


def _exposed(lit: Float32, rng: np.random.Generator, margin: int) -> Float32:
    """The picture as a camera exposes it: in dim light dark, and never black or burnt out."""
    bright = float(np.percentile(lit[margin:-margin:4, margin:-margin:4], 90))
    want = float(np.clip(bright, 90, 235))
    if rng.random() < CONFIGURATION.dim:
        want = float(rng.uniform(60, 110))
    return lit * np.float32(want / max(1.0, bright))


def _shown(
    rng: np.random.Generator,
    places: Sequence[Placement],
    size: tuple[int, int],
    c: Configuration,
) -> tuple[Pan, float]:
    """How the camera and the hand move against each other, and pixels a millimetre."""
    n = round(SECONDS * FPS)
    span = np.ptp(_corners(places), axis=0)
    scale = float(rng.uniform(*c.fills)) * float((np.array(size) / span).min())
    look = np.zeros((n, 2)) + rng.normal(0, 0.03, 2) * np.array(size) / scale
    for period, most in ((1.5, 0.015), (0.4, 0.004), (0.12, 0.0012)):
        sway = np.stack([wander(rng, n, period), wander(rng, n, period)], axis=1)
        look += sway * most * rng.uniform(0.4, 1.4) * min(size) / scale
    tilt = np.clip(min(abs(rng.normal(0, c.tilt_sd)), c.tilt_most) + 0.04 * wander(rng, n, 1.0),
                   0, c.tilt_most + 0.1)  # fmt: skip
    azimuth = float(rng.uniform(-np.pi, np.pi)) + 0.05 * wander(rng, n, 1.5)
    roll = float(rng.normal(0, c.roll_sd)) + 0.03 * wander(rng, n, 1.0)
    zoom = scale * np.exp(0.03 * wander(rng, n, 1.5))
    angles = np.stack([tilt, azimuth, roll], axis=1)
    pan = moved_camera(rng, size, look, zoom, angles, c.exposure, drift=0.08)
    return pan, scale


def filmed(
    rng: np.random.Generator, deck: FaceDeck, props: Props, n: int, c: Configuration
) -> tuple[list[str], list[Picture], float] | None:
    """A hand's cards as they are held, its frames and its smallest index.

    None where a card of it could not be read by a person.
    """
    size = c.size[::-1] if rng.random() < c.portrait else c.size
    faces = ENGLISH.faces(deck, rng, n)
    places = held(rng, n, c)
    pan, scale = _shown(rng, places, size, c)
    if scale * min(index_mm(face) for face in faces) < c.least_px:
        return None
    noise = float(rng.uniform(1, 6))
    fine = min(7.0, 1.25 * scale)
    table = _drawn(
        rng, faces, places, props, scale=fine, margin=0.4 * max(size) / scale, noise=noise
    )
    smallest, clear = seen(pan, table.marks, table.scale, size, n)
    if clear < c.clear_frames or smallest < c.least_px:
        return None
    frames = list(frames_of(rng, table, pan, size, noise))
    return [face.name for face in faces], frames, smallest


def write_one(
    index: int,
    *,
    out: Path,
    seed: int,
    art: Path,
    drawn: Sequence[Path],
    configuration: Configuration = CONFIGURATION,
) -> dict[str, Any]:
    """Films hand ``index``, anew until all its cards can be read; returns its truth entry."""
    cv2.setNumThreads(1)
    decks, props = held_out(art, drawn)
    n = configuration.cards[index % len(configuration.cards)]
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng((seed, index, attempt))
        deck = decks[int(rng.integers(len(decks)))]
        film = filmed(rng, deck, props, n, configuration)
        if film is not None:
            break
    else:
        raise RuntimeError(f"hand {index}: not readable in {ATTEMPTS} attempts")
    names, frames, smallest = film
    name = f"hand{index:04d}.avi"
    height, width = frames[0].shape[:2]
    write_film(out / name, frames, (width, height), "MJPG")
    return {
        "video": name,
        "set": "rendered",
        "kind": "hand",
        "deck": deck.name,
        "cards": names,
        "index_px": round(smallest, 1),
    }
