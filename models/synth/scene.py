"""One synthetic photograph: cards on a table seen by a camera, with every index labelled."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Matrix, Picture
from models.synth import backgrounds, effects
from models.synth.camera import face_homography, project, table_homography
from models.synth.faces import Face, FaceDeck, IndexMark
from models.synth.layouts import Placement, random_table
from models.synth.legible import mark_illegible

INDEX_FIELDS = (
    "cx",
    "cy",
    "dx",
    "dy",
    "size",
    "glyph",
    "suit",
    "rank_visible",
    "suit_visible",
    "card",
)
"""Columns of the label array: centre (px), unit direction from rank to suit, height from rank top
to suit bottom (px), classes, visible fractions 0 to 1 of the two boxes, and the card's number."""

SIZES = ((960, 720), (720, 960), (832, 832), (1024, 768))


@dataclass(frozen=True, slots=True)
class Props:
    """What scenes are made of, besides the cards."""

    backgrounds: Sequence[Path] = ()
    occluders: Sequence[Path] = ()
    fonts: Sequence[str] = ()


@dataclass(slots=True)
class Scene:
    """A finished photograph.

    Attributes:
        image: BGR, uint8.
        labels: n × 10 float32, columns :data:`INDEX_FIELDS`, every index mark inside the picture.
        quads: cards × 4 × 2 float32, corners clockwise from the face's top left, pixels.
        shown: Visible fraction of each card, 0 to 1.
        names: Card names in the order of ``quads`` (``back`` for a card that lies face down).
    """

    image: Picture
    labels: npt.NDArray[np.float32]
    quads: npt.NDArray[np.float32]
    shown: npt.NDArray[np.float32]
    names: list[str] = field(default_factory=list)


class Canvas:
    """The photograph under construction with, per pixel, the number of what lies on top."""

    def __init__(self, ground: Picture) -> None:
        self.image = ground
        self.owner: npt.NDArray[np.int16] = np.full(ground.shape[:2], -1, np.int16)

    def paste(self, rgba: Picture, h: Matrix, number: int, shadow: Shadow | None) -> Matrix | None:
        """Warp an RGBA picture in by homography ``h``; its corner points, or None if outside."""
        fh, fw = rgba.shape[:2]
        corners = project(h, [(0, 0), (fw, 0), (fw, fh), (0, fh)])
        pad = 0 if shadow is None else int(shadow.reach) + 4
        height, width = self.owner.shape
        x0, y0 = np.floor(corners.min(axis=0)).astype(int) - 1 - pad
        x1, y1 = np.ceil(corners.max(axis=0)).astype(int) + 2 + pad
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(width, x1), min(height, y1)
        if x1 - x0 < 3 or y1 - y0 < 3:
            return None
        shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], np.float64)
        patch = cv2.warpPerspective(rgba, shift @ h, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        part = self.image[y0:y1, x0:x1]
        alpha = patch[..., 3].astype(np.float32) * (1 / 255)
        if shadow is not None:
            part[:] = shadow.darken(part, alpha)
        blended = part + (patch[..., :3].astype(np.float32) - part) * alpha[..., None]
        part[:] = blended.astype(np.uint8)
        self.owner[y0:y1, x0:x1][alpha > 0.5] = number
        return corners

    def visible(self, h: Matrix, box: tuple[float, float, float, float], number: int) -> float:
        """Fraction of a face box (face pixels) that is on top and inside the picture."""
        u = (np.arange(7) + 0.5) / 7
        xs = box[0] + u * (box[2] - box[0])
        ys = box[1] + u * (box[3] - box[1])
        grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        p = np.floor(project(h, grid)).astype(int)
        height, width = self.owner.shape
        inside = (p[:, 0] >= 0) & (p[:, 1] >= 0) & (p[:, 0] < width) & (p[:, 1] < height)
        hit = self.owner[p[inside, 1], p[inside, 0]] == number
        return float(hit.sum()) / len(grid)


@dataclass(frozen=True, slots=True)
class Shadow:
    """Soft shadow that a card casts on what lies below it: offset and blur in pixels."""

    dx: float
    dy: float
    soft: float
    strength: float

    @property
    def reach(self) -> float:
        """How far it can fall outside the card, pixels."""
        return max(abs(self.dx), abs(self.dy)) + 2 * self.soft

    def darken(self, part: Picture, alpha: npt.NDArray[np.float32]) -> Picture:
        """``part`` with the shadow of the shape ``alpha``."""
        h, w = alpha.shape
        small = cv2.resize(alpha, (max(2, w // 2), max(2, h // 2)), interpolation=cv2.INTER_AREA)
        move = np.array([[1, 0, self.dx / 2], [0, 1, self.dy / 2]], np.float64)
        small = cv2.warpAffine(small, move, (small.shape[1], small.shape[0]))
        small = cv2.GaussianBlur(small, (0, 0), max(0.5, self.soft / 2))
        dark = 1 - self.strength * cv2.resize(small, (w, h))
        return (part * dark[..., None]).astype(np.uint8)


def render_scene(
    rng: np.random.Generator,
    decks: Sequence[FaceDeck],
    props: Props,
    *,
    table: list[Placement] | None = None,
    cards: Sequence[Face] | None = None,
    size: tuple[int, int] | None = None,
    px_per_mm: float | None = None,
    tilt: float | None = None,
) -> Scene:
    """Render one photograph.

    Args:
        rng: The only source of chance.
        decks: One is picked for the scene (now and then two are mixed).
        props: Backgrounds, occluders and fonts for print.
        table: Placements, lowest first; drawn at random when not given.
        cards: Faces for ``table``; drawn from the deck when not given.
        size: Picture width and height, pixels.
        px_per_mm: Scale at the picture's centre; drawn at random when not given.
        tilt: Camera tilt in radians; drawn at random when not given.

    Returns:
        The scene with labels.
    """
    width, height = size or SIZES[int(rng.integers(len(SIZES)))]
    canvas = Canvas(draw_ground(width, height, rng, props))
    empty = table is None and rng.random() < 0.04
    placements = [] if empty else (table if table is not None else random_table(rng))
    tilt = tilt if tilt is not None else _random_tilt(rng)
    scale = px_per_mm or _random_scale(placements, width, height, rng)
    roll = 0.0 if table is not None else float(rng.uniform(-np.pi, np.pi))
    view = table_homography(
        width, height, min(width, height) / scale, tilt, roll, focal=float(rng.uniform(0.75, 1.5))
    )
    shift = (0.0, 0.0) if table is not None else tuple(rng.normal(0, 25, 2))
    placements = [Placement(p.x + shift[0], p.y + shift[1], p.angle) for p in placements]
    litter(canvas, view, rng, props)
    faces = list(cards) if cards is not None else _deal(decks, len(placements), rng)
    homographies, quads = lay_cards(canvas, view, placements, faces, scale, rng)
    _obstruct(canvas, view, rng, props, len(placements))
    labels = index_labels(canvas, faces, homographies)
    shown = np.array(
        [_shown(canvas, h, f, k) for k, (f, h) in enumerate(zip(faces, homographies, strict=True))]
    )
    usable = labels[(labels[:, 7] > 0.5), 4] if len(labels) else np.array([30.0])
    smallest = float(np.percentile(usable, 15)) if len(usable) else 30.0
    clean, image = _expose(canvas.image, rng, smallest)
    return Scene(
        image,
        mark_illegible(labels, clean, image),
        np.asarray(quads, np.float32).reshape(-1, 4, 2),
        shown.astype(np.float32),
        [f.name for f in faces],
    )


def _random_tilt(rng: np.random.Generator) -> float:
    return float(np.deg2rad(min(70.0, abs(rng.normal(0, 26)))))


def _random_scale(
    placements: Sequence[Placement], width: int, height: int, rng: np.random.Generator
) -> float:
    if not placements:
        return float(rng.uniform(1, 4))
    reach = max(max(abs(p.x), abs(p.y)) for p in placements) + 45
    fit = min(width, height) / 2 / reach
    low, high = np.log(max(0.75, fit * 0.6)), np.log(np.clip(fit * 1.6, 1.0, 7.0))
    return float(np.exp(rng.uniform(min(low, high), high)))


def draw_ground(width: int, height: int, rng: np.random.Generator, props: Props) -> Picture:
    """The table without anything on it."""
    if len(props.backgrounds) and rng.random() < 0.6:
        path = props.backgrounds[int(rng.integers(len(props.backgrounds)))]
        photo = backgrounds.photo_ground(path, width, height, rng)
        if photo is not None:
            return photo
    return backgrounds.felt(width, height, rng)


@functools.lru_cache(maxsize=1)
def _sheets(fonts: tuple[str, ...]) -> list[Picture]:
    rng = np.random.default_rng(7)
    return [backgrounds.text_sheet(rng, fonts) for _ in range(60)]


@functools.lru_cache(maxsize=1)
def _fingers() -> list[Picture]:
    rng = np.random.default_rng(8)
    return [backgrounds.finger(rng) for _ in range(30)]


def litter(canvas: Canvas, view: Matrix, rng: np.random.Generator, props: Props) -> None:
    """Now and then printed sheets on the table under the cards."""
    if rng.random() > 0.3:
        return
    sheets = _sheets(tuple(props.fonts))
    for _ in range(int(rng.integers(1, 5))):
        sheet = sheets[int(rng.integers(len(sheets)))]
        x, y = rng.normal(0, 110, 2).tolist()
        place = Placement(x, y, float(rng.uniform(0, 6.3)))
        h = face_homography(view, place, sheet.shape[1], sheet.shape[0])
        grow = np.diag([1, 1, 1 / rng.uniform(0.8, 2.6)])
        canvas.paste(sheet, h @ grow if _in_front(h @ grow, sheet) else h, -1, None)


def _in_front(h: Matrix, rgba: Picture) -> bool:
    fh, fw = rgba.shape[:2]
    w = np.array([[0, 0, 1], [fw, 0, 1], [fw, fh, 1], [0, fh, 1]]) @ h.T
    return bool((w[:, 2] > 1e-6).all())


def _deal(decks: Sequence[FaceDeck], n: int, rng: np.random.Generator) -> list[Face]:
    deck = decks[int(rng.integers(len(decks)))]
    pool = list(deck.cards)
    rng.shuffle(pool)
    while len(pool) < n:
        pool += pool
    faces = pool[:n]
    backs = deck.backs or decks[int(rng.integers(len(decks)))].backs
    if backs and rng.random() < 0.2:
        share = rng.uniform(0.05, 0.5)
        faces = [backs[int(rng.integers(len(backs)))] if rng.random() < share else f for f in faces]
    return faces


def lay_cards(
    canvas: Canvas,
    view: Matrix,
    placements: Sequence[Placement],
    faces: Sequence[Face],
    scale: float,
    rng: np.random.Generator,
) -> tuple[list[Matrix], list[Matrix]]:
    """Paste the cards, lowest first; returns each one's full-size homography and corners."""
    sun = rng.uniform(0, 2 * np.pi)
    lift = rng.uniform(0.2, 2.2) * scale
    strength = float(rng.uniform(0.15, 0.7)) if rng.random() < 0.85 else 0.0
    soft = float(rng.uniform(0.3, 2.0)) * scale
    shadow = (
        Shadow(float(np.cos(sun) * lift), float(np.sin(sun) * lift), soft, strength)
        if strength
        else None
    )
    homographies, quads = [], []
    for k, (place, face) in enumerate(zip(placements, faces, strict=True)):
        full = face.image()
        want = scale * 88 * 1.15
        level = next((m for m in (88, 125, 175, 250, 350) if m >= want), full.shape[0])
        picture = face.reduced(level)
        h = face_homography(view, place, picture.shape[1], picture.shape[0])
        ratio = picture.shape[0] / full.shape[0]
        homographies.append(h @ np.diag([picture.shape[1] / full.shape[1], ratio, 1]))
        corners = canvas.paste(picture, h, k, shadow) if _in_front(h, picture) else None
        if corners is None:
            corners = np.full((4, 2), -1e4)
        quads.append(corners)
    return homographies, quads


@functools.lru_cache(maxsize=400)
def _occluder(path: str) -> Picture | None:
    image = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if image is None or image.ndim != 3 or image.shape[2] != 4:
        return None
    s = 320 / max(image.shape[:2])
    return cv2.resize(image, None, fx=s, fy=s, interpolation=cv2.INTER_AREA)


def _obstruct(
    canvas: Canvas, view: Matrix, rng: np.random.Generator, props: Props, cards: int
) -> None:
    """Hands and things on top."""
    if rng.random() > 0.3:
        return
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5 or not len(props.occluders):
            thing: Picture | None = _fingers()[rng.integers(len(_fingers()))]
        else:
            thing = _occluder(str(props.occluders[int(rng.integers(len(props.occluders)))]))
        if thing is None:
            continue
        far = 60 + 14 * np.sqrt(max(1, cards))
        x, y = rng.normal(0, far, 2).tolist()
        place = Placement(x, y, float(rng.uniform(0, 6.3)))
        h = face_homography(view, place, thing.shape[1], thing.shape[0])
        size = rng.uniform(0.35, 1.2)
        h = h @ np.array([[size, 0, 0], [0, size, 0], [0, 0, 1.0]])
        if _in_front(h, thing):
            canvas.paste(thing, h, -2, None)


def index_pose(h: Matrix, mark: IndexMark) -> tuple[float, float, float, float, float]:
    """Centre, unit direction and height of an index in the photograph (cx, cy, dx, dy, size)."""
    up = mark.angle % 360 < 90 or mark.angle % 360 > 270
    rank_mid = (mark.rank_box[0] + mark.rank_box[2]) / 2
    suit_mid = (mark.suit_box[0] + mark.suit_box[2]) / 2
    top = mark.rank_box[1] if up else mark.rank_box[3]
    bottom = mark.suit_box[3] if up else mark.suit_box[1]
    # The axis runs through the mean of the two middles, so that a wide 10 does not tilt it.
    mid = (rank_mid + suit_mid) / 2
    (x0, y0), (x1, y1) = project(h, [(mid, top), (mid, bottom)])
    size = float(np.hypot(x1 - x0, y1 - y0))
    cx, cy = project(h, [(mid, (top + bottom) / 2)])[0]
    if size < 1e-6:
        return float(cx), float(cy), 0.0, 1.0, 0.0
    return float(cx), float(cy), float((x1 - x0) / size), float((y1 - y0) / size), size


def index_labels(
    canvas: Canvas, faces: Sequence[Face], homographies: Sequence[Matrix]
) -> npt.NDArray[np.float32]:
    """Every index inside the picture, n × 10, columns :data:`INDEX_FIELDS`."""
    height, width = canvas.owner.shape
    rows = []
    for k, (face, h) in enumerate(zip(faces, homographies, strict=True)):
        for mark in face.indices:
            pose = index_pose(h, mark)
            if not (0 <= pose[0] < width and 0 <= pose[1] < height and 2 < pose[4] < 900):
                continue
            rank_seen = canvas.visible(h, mark.rank_box, k)
            suit_seen = canvas.visible(h, mark.suit_box, k)
            rows.append((*pose, mark.glyph, mark.suit, rank_seen, suit_seen, k))
    return np.asarray(rows, np.float32).reshape(-1, len(INDEX_FIELDS))


def _shown(canvas: Canvas, h: Matrix, face: Face, number: int) -> float:
    fh, fw = face.image().shape[:2]
    return canvas.visible(h, (fw * 0.03, fh * 0.03, fw * 0.97, fh * 0.97), number)


def _expose(image: Picture, rng: np.random.Generator, index_px: float) -> tuple[Picture, Picture]:
    """The photograph before the sensor's noise, and after it."""
    height, width = image.shape[:2]
    lit = image.astype(np.float32) * effects.light_field(width, height, rng)
    if rng.random() < 0.3:
        effects.add_glare(lit, rng)
    lit = effects.blur(effects.tone(lit, rng), rng, index_px)
    return np.clip(lit, 0, 255).astype(np.uint8), effects.sensor(lit, rng)
