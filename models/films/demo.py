"""Draws the bundled demo clip: two hands lay a Precognition row, card by card.

Everything in it is drawn here: the cards from Pillow's built-in font and our own suit symbols, the
cloth, the hands, the light and the camera's noise. It is a film of what happens, nothing more: the
companion has to recognise the cards in it like any others.

    python -m models.films.demo mobile/demo
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from companion.cards import parse_cards
from models.arrays import Picture
from models.synth.camera import face_homography, table_homography
from models.synth.drawn import draw_face
from models.synth.layouts import CARD_W, Placement
from models.synth.paper import Colour, rounded
from models.synth.pips import draw_pip
from models.synth.scene import Canvas, Shadow
from models.synth.style import Style

ROW = "2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C"
"""The printed example of the rules, with suits that make every card another one."""

PREDICTIONS = {"Ann": "UUDDUSU", "Bo": "UD"}
SIZE = (640, 480)
FPS = 15
PX_PER_MM = 1.78
STEP_MM = 22.5
TILT = 0.2
SEED = 2009

LEAD, COME, LEAVE, PAUSE, END = 0.7, 0.55, 0.45, 0.35, 2.2
"""Seconds: before the first card, a hand's way in and out, between cards, after the last card."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A player's hand with sleeve as an RGBA picture, fingertips at the top.

    Attributes:
        picture: RGBA, blue first.
        grip: where it holds a card, in the picture's pixels.
        scale: millimetres per pixel of the picture.
    """

    picture: Picture
    grip: tuple[float, float]
    scale: float


def style() -> Style:
    """The look of the deck: large plain indices, two of them a card."""
    red: Colour = (38, 30, 196)
    black: Colour = (24, 22, 20)
    return Style(
        font=None,
        width=350,
        rank_height=56,
        stretch=0.95,
        weight=0.0,
        pip_height=42,
        gap=8,
        margin_x=15,
        margin_y=19,
        four_indices=False,
        colours={"S": black, "C": black, "H": red, "D": red},
        ground=(242, 249, 252),
        glyphs={},
        big_pip=0.145,
        frame=False,
        field_x=0.24,
    )


def draw_cards() -> list[Picture]:
    """The faces of the row, RGBA."""
    rng = np.random.default_rng(SEED)
    pips = {suit: draw_pip(suit, rng) for suit in "SHDC"}
    look = style()
    faces = []
    for name in ROW.split():
        face, _ = draw_face(name[:-1], name[-1], look, pips[name[-1]], rng, None)
        height, width = face.shape[:2]
        cv2.rectangle(face, (0, 0), (width - 1, height - 1), (190, 196, 200, 255), 2)
        face[..., 3] = np.minimum(face[..., 3], rounded(width, height, round(height * 0.036)))
        faces.append(face)
    return faces


def draw_hand(skin: Colour, sleeve: Colour) -> Hand:
    """A hand that pinches a card between thumb and forefinger, palm down, and its sleeve."""
    width, height = 420, 1100
    bones = (
        ((150, 120), (190, 320), 30),  # forefinger
        ((215, 90), (235, 320), 31),
        ((280, 115), (275, 320), 30),
        ((335, 175), (310, 330), 26),  # little finger
        ((95, 250), (170, 420), 33),  # thumb
    )
    solid = np.zeros((height, width), np.uint8)
    shade = np.zeros((height, width), np.float32)
    for start, end, radius in bones:
        part = np.zeros_like(solid)
        cv2.line(part, start, end, 255, 2 * radius, cv2.LINE_AA)
        shade = np.maximum(shade, _swell(part, radius))
        solid = np.maximum(solid, part)
    palm = np.zeros_like(solid)
    cv2.ellipse(palm, (240, 400), (110, 135), 0, 0, 360, 255, -1, cv2.LINE_AA)
    cv2.line(palm, (242, 440), (250, 640), 255, 130, cv2.LINE_AA)
    shade = np.maximum(shade, _swell(palm, 70))
    solid = np.maximum(solid, palm)
    out = np.zeros((height, width, 4), np.uint8)
    tone = np.asarray(skin, np.float32)
    out[..., :3] = np.clip(tone * (0.62 + 0.42 * shade[..., None]), 0, 255)
    for tip in ((149, 112), (215, 82), (281, 107), (337, 168)):
        cv2.ellipse(out, tip, (15, 20), 0, 0, 360, (*(min(255, v + 28) for v in skin), 255), -1)
    out[..., 3] = solid
    arm = np.zeros_like(solid)
    cv2.fillPoly(arm, [np.array([[160, 640], [340, 640], [380, 1099], [120, 1099]])], 255)
    cloth = np.asarray(sleeve, np.float32) * (0.6 + 0.45 * _swell(arm, 90)[..., None])
    out[arm > 0, :3] = np.clip(cloth, 0, 255)[arm > 0]
    out[..., 3] = np.maximum(out[..., 3], arm)
    out[..., :3] = cv2.GaussianBlur(out[..., :3], (0, 0), 1.6)
    return Hand(out, (120.0, 160.0), 0.33)


def _swell(mask: Picture, reach: int) -> npt.NDArray[np.float32]:
    """0 at the rim of a shape to 1 well inside it: how far it bulges towards the light."""
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 5)
    return np.sin(np.clip(depth / reach, 0, 1) * np.pi / 2).astype(np.float32)


def cloth(rng: np.random.Generator) -> Picture:
    """Green cloth with a fine weave."""
    width, height = SIZE
    base = np.tile(np.array([62, 92, 40], np.float32), (height, width, 1))
    for cell, strength in ((1, 5.0), (3, 3.0), (40, 4.0)):
        size = (width // cell, height // cell)
        grain = rng.normal(0, strength, (size[1], size[0])).astype(np.float32)
        base += cv2.resize(grain, SIZE, interpolation=cv2.INTER_LINEAR)[..., None]
    return np.clip(base, 0, 255).astype(np.uint8)


def lamp() -> npt.NDArray[np.float32]:
    """Warm light from the upper left, falling off towards the corners."""
    width, height = SIZE
    y, x = np.mgrid[:height, :width].astype(np.float32)
    far = np.hypot((x - 0.42 * width) / width, (y - 0.4 * height) / height)
    strength = 1.06 - 0.42 * far**2
    return (strength[..., None] * np.array([0.95, 1.0, 1.03])).astype(np.float32)


class Film:
    """The table while the row grows."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(SEED)
        self.view = table_homography(*SIZE, min(SIZE) / PX_PER_MM, TILT, 0.0)
        self.faces = draw_cards()
        self.table = cloth(self.rng)
        self.light = lamp()
        self.hands = (
            draw_hand((128, 165, 222), (120, 62, 36)),
            draw_hand((72, 98, 152), (52, 52, 148)),
        )
        count = len(self.faces)
        left = -((count - 1) * STEP_MM) / 2
        self.places = [
            Placement(
                left + k * STEP_MM + float(self.rng.normal(0, 0.8)),
                -12 + float(self.rng.normal(0, 1.4)),
                float(self.rng.normal(0, 0.02)),
            )
            for k in range(count)
        ]

    def frames(self) -> Iterator[Picture]:
        """Every frame of the clip, BGR."""
        yield from self._still(LEAD)
        for number, place in enumerate(self.places):
            yield from self._lay(number, place)
            yield from self._still(PAUSE)
        yield from self._still(END)

    def _still(self, seconds: float) -> Iterator[Picture]:
        for _ in range(round(seconds * FPS)):
            yield self._expose(self.table)

    def _lay(self, number: int, place: Placement) -> Iterator[Picture]:
        """A hand brings the card, puts it down and goes."""
        below = number % 2 == 0
        away = (place.x + 150.0, 330.0 if below else -330.0)
        steps = max(2, round(COME * FPS))
        for k in range(steps):
            t = _ease((k + 1) / (steps + 1))
            here = _between(away, (place.x, place.y), t)
            turn = place.angle + (1 - t) * (0.5 if below else -0.5)
            canvas = Canvas(self.table.copy())
            lifted = Shadow(3 + 10 * (1 - t), 4 + 12 * (1 - t), 2 + 6 * (1 - t), 0.42)
            self._card(canvas, number, Placement(*here, turn), lifted)
            self._hand(canvas, here, below)
            yield self._expose(canvas.image)
        canvas = Canvas(self.table)
        self._card(canvas, number, place, Shadow(1.2, 1.6, 1.6, 0.5))
        steps = max(2, round(LEAVE * FPS))
        for k in range(steps):
            t = _ease(k / steps)
            here = _between((place.x, place.y), away, t)
            canvas = Canvas(self.table.copy())
            self._hand(canvas, here, below)
            yield self._expose(canvas.image)

    def _card(self, canvas: Canvas, number: int, place: Placement, shadow: Shadow) -> None:
        face = cv2.resize(self.faces[number], (175, 245), interpolation=cv2.INTER_AREA)
        canvas.paste(face, face_homography(self.view, place, 175, 245), number, shadow)

    def _hand(self, canvas: Canvas, card: tuple[float, float], below: bool) -> None:
        """The hand holds the card near its right edge, so that the left index stays in sight."""
        hand = self.hands[0 if below else 1]
        turn = -0.25 if below else np.pi + 0.25
        c, s = np.cos(turn) * hand.scale, np.sin(turn) * hand.scale
        grip = (card[0] + CARD_W * 0.36, card[1] + (26.0 if below else -26.0))
        gx, gy = hand.grip
        mirror = -1.0 if not below else 1.0
        to_table = np.array(
            [
                [mirror * c, -s, grip[0] - mirror * c * gx + s * gy],
                [mirror * s, c, grip[1] - mirror * s * gx - c * gy],
                [0, 0, 1],
            ]
        )
        canvas.paste(hand.picture, self.view @ to_table, -2, Shadow(8, 11, 7, 0.4))

    def _expose(self, image: Picture) -> Picture:
        """Light, a little softness, and the sensor's noise."""
        lit = cv2.GaussianBlur(image, (0, 0), 0.55).astype(np.float32) * self.light
        grain = self.rng.standard_normal((SIZE[1] // 2, SIZE[0] // 2), dtype=np.float32) * 2.4
        lit += cv2.resize(grain, SIZE, interpolation=cv2.INTER_LINEAR)[..., None]
        return np.clip(lit, 0, 255).astype(np.uint8)


def _ease(t: float) -> float:
    """Slow at both ends, as hands move."""
    return t * t * (3 - 2 * t)


def _between(a: tuple[float, float], b: tuple[float, float], t: float) -> tuple[float, float]:
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t


def write(folder: Path) -> None:
    """Writes `row.mp4` and `demo.json` into a folder.

    Raises:
        OSError: the clip cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    clip = folder / "row.mp4"
    writer = cv2.VideoWriter(str(clip), cv2.VideoWriter.fourcc(*"mp4v"), FPS, SIZE)
    if not writer.isOpened():
        raise OSError(f"{clip} cannot be written: OpenCV finds no mp4v encoder here.")
    film = Film()
    count = 0
    for frame in film.frames():
        writer.write(frame)
        count += 1
    writer.release()
    deck = " ".join(card.code for card in sorted(parse_cards(ROW)))
    script = {
        "clip": clip.name,
        "game": "precognition",
        "deck": deck,
        "predictions": PREDICTIONS,
        "made_by": "python -m models.films.demo",
    }
    (folder / "demo.json").write_text(json.dumps(script, indent=2) + "\n", encoding="utf-8")
    print(f"{clip}: {count} frames, {count / FPS:.1f} s, {clip.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the clip and its script go")
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
