"""Synthetic cards on a table as a camera would see their indices: positions only, no pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.cards import Card
from companion.cards import card as card_named
from companion.decks import get_deck
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.types import NO_PROBS, RANK_LABELS, SUIT_LABELS, CardRead, IndexRead

WIDTH, HEIGHT = 63.0, 88.0
INSET_X, INSET_Y, INDEX = 5.5, 14.0, 19.0
DECK = get_deck("standard").cards[:52]


@dataclass(frozen=True)
class Placed:
    """One card on the table, in millimetres: top left corner, angle in radians, what shows."""

    card: Card
    corner: tuple[float, float]
    angle: float
    corners_seen: tuple[str, ...]


def frame(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Right and down of a card turned clockwise (in a picture) by ``angle``."""
    right = np.array([np.cos(angle), np.sin(angle)])
    return right, np.array([-right[1], right[0]])


def index_pose(placed: Placed, corner: str) -> tuple[np.ndarray, np.ndarray]:
    """Centre and rank-to-suit vector of an index on the table, in millimetres."""
    right, down = frame(placed.angle)
    x = INSET_X if "l" in corner else WIDTH - INSET_X
    y = INSET_Y if "t" in corner else HEIGHT - INSET_Y
    sign = 1 if "t" in corner else -1
    return np.array(placed.corner) + x * right + y * down, sign * INDEX * down


@dataclass(frozen=True)
class Camera:
    """Pinhole camera: homography from table millimetres to pixels."""

    matrix: np.ndarray

    @staticmethod
    def looking(points, *, tilt, azimuth, roll, distance=3.5, pixels=2000.0) -> Camera:
        """A camera at ``distance`` scene radii, ``tilt`` off the vertical towards ``azimuth``."""
        centre = (points.max(0) + points.min(0)) / 2
        radius = max(float(np.linalg.norm(points - centre, axis=1).max()), 50.0)
        c, s = np.cos(azimuth), np.sin(azimuth)
        turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        c, s = np.cos(tilt), np.sin(tilt)
        lean = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        c, s = np.cos(roll), np.sin(roll)
        # roll undoes the azimuth so that the picture stands as the table does at roll 0
        back = np.array(
            [
                [np.cos(azimuth), -np.sin(azimuth), 0],
                [np.sin(azimuth), np.cos(azimuth), 0],
                [0, 0, 1],
            ]
        )
        spin = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        rotation = spin @ back @ lean @ turn
        shift = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1]])
        plane = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance * radius]])
        focal = pixels * distance / 2
        lens = np.array([[focal, 0, pixels / 2], [0, focal, pixels / 2], [0, 0, 1]])
        return Camera(lens @ plane @ shift)

    def __call__(self, point: np.ndarray) -> np.ndarray:
        x, y, w = self.matrix @ [*point, 1.0]
        return np.array([x / w, y / w])


def read_of(card: Card, poses, *, confidence=0.98) -> CardRead:
    """A read with indices at the given (centre, rank-to-suit vector) poses in pixels."""
    indices = tuple(
        IndexRead(
            tuple(map(float, c)),
            tuple(map(float, v / np.linalg.norm(v))),
            float(np.linalg.norm(v)),
            np.zeros(15, np.float32),
            np.zeros(5, np.float32),
            confidence,
        )
        for c, v in poses
    )
    c, v = (np.asarray(part) for part in poses[0])
    side = np.array([v[1], -v[0]]) * 0.3
    quad = tuple(
        tuple(map(float, q))
        for q in (c - side - v / 2, c + side - v / 2, c + side + v / 2, c - side + v / 2)
    )
    return CardRead(card, confidence, quad, indices)


def view(rng, scene: list[Placed], camera: Camera, *, noise=1.0) -> list[CardRead]:
    """What is read of a scene, in random order, with noise in place, direction and size."""
    reads = []
    for placed in scene:
        poses = []
        for corner in placed.corners_seen:
            centre, down = index_pose(placed, corner)
            top, bottom = camera(centre - down / 2), camera(centre + down / 2)
            vector = (bottom - top) * np.exp(rng.normal(0, 0.05 * noise))
            turn = rng.normal(0, 0.04 * noise)
            c, s = np.cos(turn), np.sin(turn)
            vector = np.array([[c, -s], [s, c]]) @ vector
            offset = rng.normal(0, 0.04 * noise, 2) * np.linalg.norm(vector)
            poses.append(((top + bottom) / 2 + offset, vector))
        order = rng.permutation(len(poses))
        reads.append(read_of(placed.card, [poses[k] for k in order]))
    return [reads[k] for k in rng.permutation(len(reads))]


def photo_of(rng, scene: list[Placed], *, noise=1.0, **camera) -> list[CardRead]:
    """What is read of a scene in a picture that `Camera.looking` takes of it."""
    return view(rng, scene, Camera.looking(corners_of(scene), **camera), noise=noise)


def deal(rng, count: int) -> list[Card]:
    """That many different cards in random order."""
    return [DECK[k] for k in rng.permutation(52)[:count]]


@dataclass(frozen=True)
class RowStyle:
    """How a row is laid; lengths in millimetres, angles in radians."""

    lines: int = 1
    pitch: float = 25.0
    spacing: float = 105.0
    jitter: float = 3.0
    turn: float = 0.05
    slope: float = 0.0
    bend: float = 0.0
    waves: float = 1.0
    along: bool = False
    four: bool = False


def lay_row(rng, cards: list[Card], style: RowStyle) -> list[list[Placed]]:
    """Cards on the table in one or several lines, each later card over the earlier one."""
    size = -(-len(cards) // style.lines)
    laid = []
    for line, start in enumerate(range(0, len(cards), size)):
        chunk = cards[start : start + size]
        left = rng.normal(0, style.jitter)
        xs = (
            left + style.pitch * np.arange(len(chunk)) + rng.normal(0, style.jitter / 3, len(chunk))
        )
        span = max(style.pitch * size, 1.0)
        phase = style.waves * np.pi * xs / span
        ys = style.bend * np.sin(phase) + np.tan(style.slope) * xs + style.spacing * line
        ys = ys + rng.normal(0, style.jitter, len(chunk))
        tangent = style.bend * np.cos(phase) * style.waves * np.pi / span + np.tan(style.slope)
        angles = (np.arctan(tangent) if style.along else 0) + rng.normal(0, style.turn, len(chunk))
        covered = style.spacing < 85 and line + 1 < style.lines
        laid.append(
            [
                Placed(
                    card,
                    (xs[k], ys[k]),
                    float(angles[k]),
                    seen(style, last=k == len(chunk) - 1, covered=covered),
                )
                for k, card in enumerate(chunk)
            ]
        )
    return laid


def seen(style: RowStyle, *, last: bool, covered: bool) -> tuple[str, ...]:
    """Which corners of a card show."""
    right = last or style.pitch > WIDTH - 2
    corners = ["tl"]
    if style.four:
        corners += ["tr"] * right + ["bl"] * (not covered)
    if right and not covered:
        corners.append("br")
    return tuple(corners)


def lay_fan(rng, cards: list[Card], *, radius, step, middle=(0.0, 0.0), facing=0.0):
    """Cards fanned about a point below them, left to right, later ones on top."""
    count = len(cards)
    placed = []
    for k, card in enumerate(cards):
        angle = facing + step * (k - (count - 1) / 2) + rng.normal(0, step / 8)
        right, down = frame(angle)
        corner = np.array(middle) - down * (radius + rng.normal(0, 2)) - right * WIDTH / 2
        corners = ("tl", "br") if k == count - 1 else ("tl",)
        placed.append(Placed(card, tuple(corner), float(angle), corners))
    return placed


def corners_of(scene: list[Placed]) -> np.ndarray:
    """All card corners on the table, (4n, 2)."""
    points = []
    for placed in scene:
        right, down = frame(placed.angle)
        c = np.array(placed.corner)
        points += [c, c + WIDTH * right, c + HEIGHT * down, c + WIDTH * right + HEIGHT * down]
    return np.array(points)


def random_row(rng, *, cards=None, lines=None):
    """A random row scene within the ranges that are promised, and its reads."""
    count = cards or int(rng.integers(5, 53))
    lines = lines or int(rng.integers(1, min(4, max(1, count // 4)) + 1))
    separate = rng.random() < 0.2
    pitch = rng.uniform(64, 75) if separate else rng.uniform(15, 45)
    waves = rng.uniform(0.5, 2)
    # A row that bends by more than 30° is no row any more.
    steepest = 0.58 * pitch * -(-count // lines) / (waves * np.pi)
    style = RowStyle(
        lines=lines,
        pitch=pitch,
        spacing=rng.uniform(95, 130),
        jitter=rng.uniform(0.5, 2.5 if pitch < 20 else 4),
        turn=rng.uniform(0.01, 0.07),
        slope=rng.uniform(-0.15, 0.15),
        bend=min(rng.uniform(0, 40), steepest) * (rng.random() < 0.6),
        waves=waves,
        along=bool(rng.random() < 0.5),
        four=bool(rng.random() < 0.2),
    )
    laid = lay_row(rng, deal(rng, count), style)
    scene = [p for line in laid for p in line]
    upright = separate or style.four
    camera = Camera.looking(
        corners_of(scene),
        tilt=np.radians(rng.uniform(0, 60)),
        azimuth=rng.uniform(0, 2 * np.pi),
        roll=rng.uniform(-1.0, 1.0) if upright else rng.uniform(-np.pi, np.pi),
        distance=rng.uniform(3, 6),
    )
    return laid, view(rng, scene, camera), style


def candidates(*rows: tuple[float, ...]) -> Candidates:
    """Rows of x, y and size, and of degrees from upright and heat where they matter."""
    r = np.array([(*row, *(0.0, 0.8)[len(row) - 3 :]) for row in rows], np.float32).reshape(-1, 5)
    turn = np.deg2rad(r[:, 3])
    return Candidates(r[:, :2], np.stack([-np.sin(turn), np.cos(turn)], 1), r[:, 2], r[:, 4])


def index(x: float, y: float, *, down=(0.0, 1.0), size=20.0, sure=0.97) -> IndexRead:
    """An index of which nothing but its place matters."""
    return IndexRead((float(x), float(y)), down, float(size), NO_PROBS, NO_PROBS, sure)


def readings(*named: tuple[str, float]) -> Hypotheses:
    """Each is that card with that chance, and otherwise none; a little of all else is seen."""
    ranks = np.full((len(named), len(RANK_LABELS)), 1e-4, np.float32)
    suits = np.full((len(named), len(SUIT_LABELS)), 1e-4, np.float32)
    for k, (name, chance) in enumerate(named):
        rank = RANK_LABELS.index("joker") if name == "JK" else int(card_named(name).rank) - 1
        ranks[k, rank], ranks[k, RANK_LABELS.index("none")] = chance, 1 - chance
        suits[k, SUIT_LABELS.index(name[-1]) if name != "JK" else -1] = 1
    return Hypotheses(get_deck(), ranks, suits)
