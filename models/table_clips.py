"""Films of a table on which cards are played: hands, shadows, changing light, a nudged camera.

`TableFilm` draws what people do to a table (lay, turn over, take away) as frames of a camera above
it; what the plays mean is not its business. ``python -m tests.benchmarks.table_plays`` plays whole
matches before it and counts what the companion makes of them. Everything is drawn from held-out
art where it is given, or from decks drawn here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.demo_clip import Hand, draw_hand
from models.scenes import picture_files
from models.synth import backgrounds
from models.synth.camera import face_homography, project, table_homography
from models.synth.faces import FaceDeck, deck_folders, load_deck
from models.synth.layouts import CARD_H, CARD_W, Placement
from models.synth.scene import Canvas, Shadow

Picture = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]
FPS = 8
_SKINS = ((128, 165, 222), (72, 98, 152), (50, 70, 110), (150, 180, 235), (90, 125, 190))


@dataclass(frozen=True, slots=True)
class Conditions:
    """How hard a film is to watch.

    Attributes:
        size: width and height of the picture, pixels.
        tilt: range of the camera's tilt from straight down, radians.
        noise: range of the sensor's noise, grey levels.
        nudge: chance that the camera is nudged before a play.
        light: chance that the light changes before a play.
        passing: chance that a hand passes over the table for no reason before a play.
        shadow: chance that somebody's shadow lies on the table during a play.
    """

    size: tuple[int, int] = (1280, 720)
    tilt: tuple[float, float] = (0.05, 0.55)
    noise: tuple[float, float] = (1.5, 6.0)
    nudge: float = 0.1
    light: float = 0.12
    passing: float = 0.15
    shadow: float = 0.25


@dataclass(slots=True)
class Item:
    """A card on the table: its name, where it lies, whether face up."""

    name: str
    place: Placement
    up: bool = True


@dataclass(frozen=True, slots=True)
class Art:
    """What films are made of: decks of 52 with English indices, and pictures of surfaces."""

    decks: tuple[FaceDeck, ...]
    grounds: tuple[Path, ...]


def held_out_art(art: Path, drawn: Path) -> Art:
    """Decks and surfaces that no network was trained on.

    Args:
        art: the folder that ``python -m models.art fetch`` fills.
        drawn: a folder of drawn decks kept for measuring.
    """
    folders = [*deck_folders(art / "decks", holdout=True), *sorted(drawn.glob("*"))]
    decks = []
    for folder in folders:
        about = folder / "deck.json"
        if not about.exists():
            continue
        glyphs = json.loads(about.read_text(encoding="utf-8")).get("glyphs") or {}
        deck = load_deck(folder)
        names = {card.name for card in deck.cards}
        english = all(rank == glyph for rank, glyph in glyphs.items())
        if english and len([n for n in names if not n.startswith("JK")]) == 52:
            decks.append(deck)
    return Art(tuple(decks), tuple(picture_files(art, "backgrounds", holdout=True)))


class TableFilm:
    """A table before a camera, frame by frame.

    Args:
        rng: the only source of chance.
        deck: the cards.
        grounds: pictures of surfaces; empty for cloth that is drawn.
        extent: millimetres of table that the picture's shorter side spans.
        conditions: how hard it is to watch.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        deck: FaceDeck,
        grounds: Sequence[Path],
        *,
        extent: float,
        conditions: Conditions | None = None,
    ) -> None:
        self.rng, self.conditions = rng, conditions or Conditions()
        width, height = self.conditions.size
        self.items: list[Item] = []
        self._faces = {card.name: card.image() for card in deck.cards}
        self._back = deck.backs[0].image() if deck.backs else _plain_back(rng)
        self.first_view = table_homography(
            width, height, extent, float(rng.uniform(*self.conditions.tilt)), 0.0, focal=1.1
        )
        self.view = self.first_view
        self._ground = self._draw_ground(grounds)
        self._light = self._new_light()
        self._shade: Picture | None = None
        sun = float(rng.uniform(0, 2 * np.pi))
        self._sun = (float(np.cos(sun)), float(np.sin(sun)))
        self._noise = float(rng.uniform(*self.conditions.noise))
        skins = rng.permutation(len(_SKINS))
        self._hands = [draw_hand(_SKINS[k], _sleeve(rng)) for k in skins[:2]]
        self._table: Picture | None = None

    # -- what people do ----------------------------------------------------------------------

    def still(self, seconds: float) -> Iterator[Picture]:
        """Nothing happens."""
        for _ in range(max(1, round(seconds * FPS))):
            yield self._expose(self._base())

    def lay(self, name: str, place: Placement, *, far: bool) -> Iterator[Picture]:
        """A hand brings a card and goes."""
        away = (place.x + float(self.rng.normal(0, 60)), -420.0 if far else 420.0)
        steps = int(self.rng.integers(2, 5))
        for k in range(steps):
            part = (k + 1) / (steps + 1)
            x = away[0] + (place.x - away[0]) * part
            y = away[1] + (place.y - away[1]) * part
            turn = place.angle + (1 - part) * 0.4
            canvas = Canvas(self._base().copy())
            self._paste(canvas, Item(name, Placement(x, y, turn)), lift=8.0)
            self._hand(canvas, (x, y), far=far)
            yield self._expose(canvas.image)
        self.items.append(Item(name, place))
        self._table = None
        yield from self._hand_leaves((place.x, place.y), away, far=far)

    def turn(self, name: str, *, up: bool, far: bool) -> Iterator[Picture]:
        """A hand turns a card over where it lies."""
        item = next(item for item in self.items if item.name == name)
        at = (item.place.x, item.place.y)
        away = (at[0], -420.0 if far else 420.0)
        yield from self._hand_comes(at, away, far=far)
        item.up = up
        wobble = self.rng.normal(0, 1.5, 2)
        item.place = replace(item.place, x=at[0] + wobble[0], y=at[1] + wobble[1])
        self._table = None
        yield from self._hand_leaves(at, away, far=far)

    def pass_over(self) -> Iterator[Picture]:
        """A hand passes over the table and takes nothing."""
        far = bool(self.rng.random() < 0.5)
        at = (float(self.rng.normal(0, 110)), float(self.rng.normal(0, 70)))
        away = (at[0] + 60, -420.0 if far else 420.0)
        yield from self._hand_comes(at, away, far=far)
        for _ in range(int(self.rng.integers(1, 8))):
            at = (at[0] + float(self.rng.normal(0, 6)), at[1] + float(self.rng.normal(0, 6)))
            canvas = Canvas(self._base().copy())
            self._hand(canvas, at, far=far)
            yield self._expose(canvas.image)
        yield from self._hand_leaves(at, away, far=far)

    def disturb(self) -> Iterator[Picture]:
        """Now and then somebody nudges the camera, changes the light, or reaches across."""
        c, rng = self.conditions, self.rng
        if rng.random() < c.nudge:
            self._nudge()
            yield from self.still(0.4)
        if rng.random() < c.light:
            self._light = self._new_light()
            yield from self.still(0.3)
        if rng.random() < c.passing:
            yield from self.pass_over()
        self._shade = self._shadow() if rng.random() < c.shadow else None

    def corners(self, box: tuple[float, float, float, float]) -> list[list[float]]:
        """A part of the table (x0, y0, x1, y1 in mm) as fractions of the first picture."""
        x0, y0, x1, y1 = box
        points = project(self.first_view, [(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
        return [[float(x), float(y)] for x, y in points / self.conditions.size]

    # -- drawing -----------------------------------------------------------------------------

    def _base(self) -> Picture:
        """The table with everything that lies on it."""
        if self._table is None:
            width, height = self.conditions.size
            move = self.view @ np.linalg.inv(self.first_view)
            ground = cv2.warpPerspective(
                self._ground, move, (width, height), borderMode=cv2.BORDER_REFLECT
            )
            canvas = Canvas(np.ascontiguousarray(ground, np.uint8))
            for item in self.items:
                self._paste(canvas, item, lift=1.0)
            self._table = canvas.image
        return self._table

    def _paste(self, canvas: Canvas, item: Item, *, lift: float) -> None:
        face = self._faces[item.name] if item.up else self._back
        scale = np.sqrt(abs(np.linalg.det((self.view / self.view[2, 2])[:2, :2])))
        high = int(np.clip(CARD_H * scale * 1.25, 60, face.shape[0]))
        wide = max(2, round(face.shape[1] * high / face.shape[0]))
        picture = cv2.resize(face, (wide, high), interpolation=cv2.INTER_AREA)
        dx, dy = self._sun[0] * lift * 1.4, self._sun[1] * lift * 1.4
        shadow = Shadow(dx, dy, 1.0 + lift, 0.4)
        canvas.paste(
            np.asarray(picture, np.uint8),
            face_homography(self.view, item.place, wide, high),
            1,
            shadow,
        )

    def _hand(self, canvas: Canvas, card: tuple[float, float], *, far: bool) -> None:
        """The hand holds a card at its lower right."""
        hand: Hand = self._hands[1 if far else 0]
        turn = np.pi + 0.25 if far else -0.25
        mirror = -1.0 if far else 1.0
        c, s = np.cos(turn) * hand.scale, np.sin(turn) * hand.scale
        grip = (card[0] + CARD_W * 0.36, card[1] + (-26.0 if far else 26.0))
        gx, gy = hand.grip
        to_table = np.array(
            [
                [mirror * c, -s, grip[0] - mirror * c * gx + s * gy],
                [mirror * s, c, grip[1] - mirror * s * gx - c * gy],
                [0, 0, 1],
            ]
        )
        canvas.paste(hand.picture, self.view @ to_table, -2, Shadow(7, 9, 7, 0.35))

    def _hand_comes(
        self, at: tuple[float, float], away: tuple[float, float], *, far: bool
    ) -> Iterator[Picture]:
        for part in (0.4, 0.75, 1.0):
            yield self._with_hand(at, away, part, far=far)

    def _hand_leaves(
        self, at: tuple[float, float], away: tuple[float, float], *, far: bool
    ) -> Iterator[Picture]:
        for part in (1.0, 0.7, 0.35):
            yield self._with_hand(at, away, part, far=far)

    def _with_hand(
        self, at: tuple[float, float], away: tuple[float, float], part: float, *, far: bool
    ) -> Picture:
        here = (away[0] + (at[0] - away[0]) * part, away[1] + (at[1] - away[1]) * part)
        canvas = Canvas(self._base().copy())
        self._hand(canvas, here, far=far)
        return self._expose(canvas.image)

    def _expose(self, image: Picture) -> Picture:
        """Light, a little softness, the sensor's noise."""
        lit = cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float32) * self._light
        if self._shade is not None:
            lit *= self._shade
        height, width = image.shape[:2]
        grain = self.rng.standard_normal((height // 2, width // 2), dtype=np.float32)
        grain *= np.float32(2 * self._noise)
        lit += cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
        return np.clip(lit, 0, 255).astype(np.uint8)

    def _nudge(self) -> None:
        x, y = (float(v) for v in self.rng.normal(0, 14, 2))
        roll = float(self.rng.normal(0, 0.03))
        c, s = np.cos(roll), np.sin(roll)
        self.view = self.first_view @ np.array([[c, -s, x], [s, c, y], [0, 0, 1]])
        self._table = None

    def _new_light(self) -> npt.NDArray[np.float32]:
        width, height = self.conditions.size
        low = 1 + self.rng.normal(0, 0.09, (3, 4, 1)) + self.rng.normal(0, 0.02, (3, 4, 3))
        field = cv2.resize(low.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
        return np.asarray(field * np.float32(np.exp(self.rng.normal(-0.08, 0.16))), np.float32)

    def _shadow(self) -> npt.NDArray[np.float32]:
        """Somebody leans over: a soft dark shape from one edge."""
        width, height = self.conditions.size
        mask = np.zeros((height // 8, width // 8), np.float32)
        x = int(self.rng.uniform(0, width / 8))
        y = 0 if self.rng.random() < 0.5 else height // 8
        axes = (int(self.rng.uniform(15, 55)), int(self.rng.uniform(15, 60)))
        cv2.ellipse(mask, (x, y), axes, 0, 0, 360, 1.0, -1)
        mask = cv2.GaussianBlur(mask, (0, 0), float(self.rng.uniform(1.0, 6.0)))
        dark = 1 - np.float32(self.rng.uniform(0.25, 0.55)) * cv2.resize(mask, (width, height))
        return np.asarray(dark[..., None], np.float32)

    def _draw_ground(self, grounds: Sequence[Path]) -> Picture:
        width, height = self.conditions.size
        if grounds and self.rng.random() < 0.6:
            path = grounds[int(self.rng.integers(len(grounds)))]
            photo = backgrounds.photo_ground(path, width, height, self.rng)
            if photo is not None:
                return photo
        return backgrounds.felt(width, height, self.rng)


def _sleeve(rng: np.random.Generator) -> tuple[int, int, int]:
    b, g, r = (int(v) for v in rng.integers(20, 190, 3))
    return b, g, r


def _plain_back(rng: np.random.Generator) -> Picture:
    """A back with a frame and a lattice, for decks that bring none."""
    back = np.full((490, 350, 4), 255, np.uint8)
    colour = [int(v) for v in rng.integers(20, 180, 3)]
    back[18:-18, 18:-18, :3] = colour
    for k in range(-490, 490, 28):
        cv2.line(back, (18, k), (332, k + 314), (235, 235, 235, 255), 2)
    back[:18, :, :3] = back[-18:, :, :3] = 255
    return back


def write_clip(path: Path, frames: Iterator[Picture], size: tuple[int, int]) -> int:
    """Writes frames as a video; returns how many there were.

    Raises:
        OSError: the file cannot be written.
    """
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), FPS, size)
    if not writer.isOpened():
        raise OSError(f"{path} cannot be written: OpenCV finds no mp4v encoder here.")
    count = 0
    for frame in frames:
        writer.write(frame)
        count += 1
    writer.release()
    return count


def zones_json(film: TableFilm, boxes: Mapping[str, tuple[float, float, float, float]]) -> str:
    """A zones file for parts of the table given in millimetres."""
    return json.dumps({"zones": {name: film.corners(box) for name, box in boxes.items()}})
