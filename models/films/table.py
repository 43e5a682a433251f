"""Films of a table on which cards are played: hands, shadows, changing light, a nudged camera.

`TableFilm` draws what people do to a table (lay, turn over, take away) as frames of a camera above
it; what the plays mean is not its business. ``python -m tests.benchmarks.table_plays`` plays whole
matches before it and counts what the companion makes of them. What is played with comes from
`models.films.pieces`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Matrix, Picture
from models.films.demo import Hand, draw_hand
from models.films.pieces import BACK, Pieces
from models.synth import backgrounds
from models.synth.camera import project, table_homography
from models.synth.layouts import CARD_H, CARD_W, Placement
from models.synth.scene import Canvas, Shadow

FPS = 8
#: So many pixels the noise of a frame lies off that of another.
_SHAKE = 64
#: Share of the picture that is left free around what it has to show.
_MARGIN = 0.015
#: Farther than so many millimetres of the table is no nudge: people set the camera up again.
_NUDGE = 20.0
#: So far from the middle hands come from nearby and beyond, and so far from the table in view from
#: its left and right, millimetres.
_FAR_OUT, _OUTSIDE = 420.0, 235.0
_SKINS = ((128, 165, 222), (72, 98, 152), (50, 70, 110), (150, 180, 235), (90, 125, 190))


class Side(IntEnum):
    """A side of the table, clockwise as the camera sees it, from the one nearest to it."""

    NEAR, LEFT, FAR, RIGHT = range(4)

    @property
    def angle(self) -> float:
        """How far what belongs to somebody there is turned, radians."""
        return self * np.pi / 2

    @property
    def outward(self) -> tuple[float, float]:
        """The direction from the middle to it."""
        return ((0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0))[self]


#: From a hand that comes from the near side to one from another; the far one is its mirror image.
_TURNED = {
    Side.NEAR: np.eye(2),
    Side.LEFT: np.array([[0.0, -1.0], [1.0, 0.0]]),
    Side.FAR: np.diag([1.0, -1.0]),
    Side.RIGHT: np.array([[0.0, 1.0], [-1.0, 0.0]]),
}


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


@dataclass(slots=True, eq=False)
class Item:
    """A piece on the table: the face that shows, and where it lies."""

    face: str
    place: Placement


class TableFilm:
    """A table before a camera, frame by frame.

    Args:
        rng: the source of chance for all that happens; the sensor's noise has its own, so that
            what happens does not depend on how many frames are taken.
        pieces: what is played with.
        grounds: pictures of surfaces; empty for cloth that is drawn.
        half: half the width and height of the table that has to be in view, millimetres.
        conditions: how hard it is to watch.
        sides: where people sit, and hands come from.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        pieces: Pieces,
        grounds: Sequence[Path],
        *,
        half: tuple[float, float],
        conditions: Conditions | None = None,
        sides: Sequence[Side] = (Side.NEAR, Side.FAR),
    ) -> None:
        self.rng, self.conditions = rng, conditions or Conditions()
        self._half, self._sides = half, sides
        self.items: list[Item] = []
        self._pieces = pieces
        self.first_view = _whole_view(
            self.conditions.size, half, float(rng.uniform(*self.conditions.tilt))
        )
        self.view = self.first_view
        self._ground = self._draw_ground(grounds)
        self._light = self._new_light()
        self._shade: npt.NDArray[np.float32] | None = None
        sun = float(rng.uniform(0, 2 * np.pi))
        self._sun = (float(np.cos(sun)), float(np.sin(sun)))
        self._grain = _grain(rng, self.conditions.size, float(rng.uniform(*self.conditions.noise)))
        self._shake = np.random.default_rng(int(rng.integers(1 << 32)))
        skins = rng.permutation(len(_SKINS))
        self._hands = {
            side: draw_hand(_SKINS[k], _sleeve(rng)) for side, k in zip(sides, skins, strict=False)
        }
        self._table: Picture | None = None
        self._at_rest: Picture | None = None

    # -- what people do ----------------------------------------------------------------------

    def still(self, seconds: float) -> Iterator[Picture]:
        """Nothing happens."""
        for _ in range(max(1, round(seconds * FPS))):
            if self._at_rest is None:
                self._at_rest = self._lit(self._base())
            yield self._noisy(self._at_rest)

    def put(self, item: Item) -> None:
        """Something lies there from now on."""
        self.items.append(item)
        self._changed()

    def lay(self, face: str, place: Placement, side: Side) -> Iterator[Picture]:
        """A hand brings a piece and goes."""
        away = self._away((place.x, place.y), side, float(self.rng.normal(0, 60)))
        steps = int(self.rng.integers(2, 5))
        for k in range(steps):
            part = (k + 1) / (steps + 1)
            x = away[0] + (place.x - away[0]) * part
            y = away[1] + (place.y - away[1]) * part
            turn = place.angle + (1 - part) * 0.4
            canvas = Canvas(self._base().copy())
            self._paste(canvas, Item(face, Placement(x, y, turn)), lift=8.0)
            self._hand(canvas, (x, y), side)
            yield self._expose(canvas.image)
        self.put(Item(face, place))
        yield from self._hand_leaves((place.x, place.y), away, side)

    def turn(self, item: Item, to: str, side: Side) -> Iterator[Picture]:
        """A hand turns a piece over where it lies, so that its other face shows."""
        at = (item.place.x, item.place.y)
        away = self._away(at, side)
        yield from self._hand_comes(at, away, side)
        item.face = to
        x, y = self.rng.normal(0, 1.5, 2)
        item.place = replace(item.place, x=at[0] + float(x), y=at[1] + float(y))
        self._changed()
        yield from self._hand_leaves(at, away, side)

    def take(self, item: Item, side: Side) -> Iterator[Picture]:
        """A hand takes a piece away."""
        at = (item.place.x, item.place.y)
        away = self._away(at, side)
        yield from self._hand_comes(at, away, side)
        self.items.remove(item)
        self._changed()
        yield from self._hand_leaves(at, away, side)

    def gather(
        self, items: Iterable[Item], side: Side, pile: Placement | None
    ) -> Iterator[Picture]:
        """A hand pushes pieces together and takes them away.

        Args:
            items: what is taken.
            side: where the hand comes from.
            pile: where they are laid down as a heap, face down; None if they go out of sight.
        """
        taken = list(items)
        x, y = np.mean([(item.place.x, item.place.y) for item in taken], axis=0)
        at, out = (float(x), float(y)), self._away((float(x), float(y)), side)
        to = out if pile is None else (pile.x, pile.y)
        yield from self._hand_comes(at, out, side)
        self.items = [item for item in self.items if item not in taken]
        self._changed()
        for part in (0.0, 0.35, 0.7, 1.0):
            here = (at[0] + (to[0] - at[0]) * part, at[1] + (to[1] - at[1]) * part)
            canvas = Canvas(self._base().copy())
            for item in taken:
                dx, dy = self.rng.normal(0, 6, 2)
                turn = item.place.angle + (side.angle - item.place.angle) * part
                held = Placement(here[0] + float(dx), here[1] + float(dy), turn)
                self._paste(canvas, Item(item.face if part < 0.5 else BACK, held), lift=5.0)
            self._hand(canvas, here, side)
            yield self._expose(canvas.image)
        if pile is not None:
            self.put(Item(BACK, pile))
            yield from self._hand_leaves(to, out, side)

    def pass_over(self) -> Iterator[Picture]:
        """A hand passes over the table and takes nothing."""
        side = self._sides[-1 - int(self.rng.random() * len(self._sides))]
        at = (float(self.rng.normal(0, 110)), float(self.rng.normal(0, 70)))
        if side.outward[0]:
            at = (side.outward[0] * abs(at[0]), at[1])  # an arm is not longer than that
        away = self._away(at, side, 60.0)
        yield from self._hand_comes(at, away, side)
        for _ in range(int(self.rng.integers(1, 8))):
            at = (at[0] + float(self.rng.normal(0, 6)), at[1] + float(self.rng.normal(0, 6)))
            canvas = Canvas(self._base().copy())
            self._hand(canvas, at, side)
            yield self._expose(canvas.image)
        yield from self._hand_leaves(at, away, side)

    def disturb(self) -> Iterator[Picture]:
        """Now and then somebody nudges the camera, changes the light, or reaches across."""
        c, rng = self.conditions, self.rng
        if rng.random() < c.nudge:
            self._nudge()
            yield from self.still(0.4)
        if rng.random() < c.light:
            self._light = self._new_light()
            self._at_rest = None
            yield from self.still(0.3)
        if rng.random() < c.passing:
            yield from self.pass_over()
        self._shade = self._shadow() if rng.random() < c.shadow else None
        self._at_rest = None

    def corners(self, box: tuple[float, float, float, float]) -> list[list[float]]:
        """A part of the table (x0, y0, x1, y1 in mm) as fractions of the first picture."""
        x0, y0, x1, y1 = box
        points = project(self.first_view, [(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
        return [[float(x), float(y)] for x, y in points / self.conditions.size]

    # -- drawing -----------------------------------------------------------------------------

    def _changed(self) -> None:
        self._table = self._at_rest = None

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
        face = self._pieces.faces[item.face]
        tall = self._pieces.heights.get(item.face, CARD_H)
        scale = np.sqrt(abs(np.linalg.det((self.view / self.view[2, 2])[:2, :2])))
        high = int(np.clip(tall * scale * 1.25, min(60, face.shape[0]), face.shape[0]))
        wide = max(2, round(face.shape[1] * high / face.shape[0]))
        picture = cv2.resize(face, (wide, high), interpolation=cv2.INTER_AREA)
        dx, dy = self._sun[0] * lift * 1.4, self._sun[1] * lift * 1.4
        shadow = Shadow(dx, dy, 1.0 + lift, 0.4)
        to_table = _on_table(item.place, tall / high, (wide, high))
        canvas.paste(np.asarray(picture, np.uint8), self.view @ to_table, 1, shadow)

    def _hand(self, canvas: Canvas, card: tuple[float, float], side: Side) -> None:
        """The hand holds a card at its lower right, as its owner sees it."""
        hand: Hand = self._hands[side]
        c, s = np.cos(-0.25) * hand.scale, np.sin(-0.25) * hand.scale
        turn = _TURNED[side] @ np.array([[c, -s], [s, c]])
        grip = np.array(card) + _TURNED[side] @ (CARD_W * 0.36, 26.0)
        to_table = np.eye(3)
        to_table[:2, :2], to_table[:2, 2] = turn, grip - turn @ hand.grip
        canvas.paste(hand.picture, self.view @ to_table, -2, Shadow(7, 9, 7, 0.35))

    def _away(self, at: tuple[float, float], side: Side, drift: float = 0.0) -> tuple[float, float]:
        """Where a hand is that is to come to a place, out of sight."""
        x, y = side.outward
        if x:
            return x * (self._half[0] + _OUTSIDE), at[1] + drift
        return at[0] + drift, y * _FAR_OUT

    def _hand_comes(
        self, at: tuple[float, float], away: tuple[float, float], side: Side
    ) -> Iterator[Picture]:
        for part in (0.4, 0.75, 1.0):
            yield self._with_hand(at, away, part, side)

    def _hand_leaves(
        self, at: tuple[float, float], away: tuple[float, float], side: Side
    ) -> Iterator[Picture]:
        for part in (1.0, 0.7, 0.35):
            yield self._with_hand(at, away, part, side)

    def _with_hand(
        self, at: tuple[float, float], away: tuple[float, float], part: float, side: Side
    ) -> Picture:
        here = (away[0] + (at[0] - away[0]) * part, away[1] + (at[1] - away[1]) * part)
        canvas = Canvas(self._base().copy())
        self._hand(canvas, here, side)
        return self._expose(canvas.image)

    def _expose(self, image: Picture) -> Picture:
        """Light, a little softness, the sensor's noise."""
        return self._noisy(self._lit(image))

    def _lit(self, image: Picture) -> Picture:
        soft = cv2.GaussianBlur(image, (0, 0), 0.7)
        light = self._light if self._shade is None else self._light * self._shade
        return np.asarray(cv2.multiply(soft, light, dtype=cv2.CV_8U), np.uint8)

    def _noisy(self, image: Picture) -> Picture:
        height, width = image.shape[:2]
        x, y = (int(v) for v in self._shake.integers(0, _SHAKE, 2))
        grain = self._grain[y : y + height, x : x + width]
        change = cv2.add if self._shake.random() < 0.5 else cv2.subtract
        return np.asarray(change(image, grain, dtype=cv2.CV_8U), np.uint8)

    def _nudge(self) -> None:
        x, y = (float(v) for v in np.clip(self.rng.normal(0, 14, 2), -_NUDGE, _NUDGE))
        roll = float(self.rng.normal(0, 0.03))
        c, s = np.cos(roll), np.sin(roll)
        self.view = self.first_view @ np.array([[c, -s, x], [s, c, y], [0, 0, 1]])
        self._changed()

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
        return np.asarray(np.repeat(dark[..., None], 3, 2), np.float32)

    def _draw_ground(self, grounds: Sequence[Path]) -> Picture:
        width, height = self.conditions.size
        if grounds and self.rng.random() < 0.6:
            path = grounds[int(self.rng.integers(len(grounds)))]
            photo = backgrounds.photo_ground(path, width, height, self.rng)
            if photo is not None:
                return photo
        return backgrounds.felt(width, height, self.rng)


def _whole_view(size: tuple[int, int], half: tuple[float, float], tilt: float) -> Matrix:
    """A camera tilted so, just high enough to have a part of the table in view as a whole."""
    extent = 2 * half[1]
    x, y = half
    while True:
        view = table_homography(size[0], size[1], extent, tilt, 0.0, focal=1.1)
        seen = project(view, [(-x, -y), (x, -y), (x, y), (-x, y)]) / size
        if bool(((seen > _MARGIN) & (seen < 1 - _MARGIN)).all()):
            return view
        extent *= 1.02


def _on_table(place: Placement, scale: float, size: tuple[int, int]) -> Matrix:
    """From the pixels of a picture to millimetres of the table; its middle comes to the place."""
    c, s = np.cos(place.angle) * scale, np.sin(place.angle) * scale
    x, y = size[0] / 2, size[1] / 2
    return np.array([[c, -s, place.x - c * x + s * y], [s, c, place.y - s * x - c * y], [0, 0, 1]])


def _grain(rng: np.random.Generator, size: tuple[int, int], noise: float) -> npt.NDArray[np.int8]:
    """A sensor's noise, a little larger than a picture: each frame shows another part of it."""
    width, height = size[0] + _SHAKE, size[1] + _SHAKE
    grain = rng.standard_normal((height // 2, width // 2), dtype=np.float32) * np.float32(2 * noise)
    whole = cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR)
    grey = np.clip(np.round(whole), -127, 127).astype(np.int8)
    return np.ascontiguousarray(np.repeat(grey[..., None], 3, 2))


def _sleeve(rng: np.random.Generator) -> tuple[int, int, int]:
    b, g, r = (int(v) for v in rng.integers(20, 190, 3))
    return b, g, r
