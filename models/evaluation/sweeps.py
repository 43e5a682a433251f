"""Films for measuring sweeps: a hand-held camera pans along a row that is longer than the picture.

A held-out deck's row of 30 to 52 cards lies on a held-out background in one to three lines,
straight or bent, now and then with gaps. Seen is what a person's telephone would take: uneven
speed, shaking, pauses, steps back, changing distance, roll and tilt, motion blur as long as the
speed and the exposure make it, hunting focus, drifting exposure, noise and the film's own
compression. The configuration below is fixed, so that figures can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.arrays import Matrix, Picture
from models.evaluation.pictures import ENGLISH
from models.synth import effects
from models.synth.camera import project, table_homography
from models.synth.faces import FaceDeck
from models.synth.layouts import CARD_W, Placement
from models.synth.legible import Labels, mark_illegible
from models.synth.scene import Canvas, Props, draw_ground, index_labels, lay_cards, litter
from models.synth.scenes import material

#: Pictures a second: half of what most telephones take, so fewer sharp ones to choose from.
FPS = 15


@dataclass(frozen=True, slots=True)
class Configuration:
    """Ranges of the films; lengths in mm on the table, sizes in pixels, times in seconds.

    Attributes:
        index_px: smallest index height, as it is while its card is in view.
        longer: least length of the row, in widths of the picture.
        speed: widths of the picture that the camera moves in a second.
        exposure: range of exposure times.
        clear_frames: frames in which each index must be whole in the picture and hardly blurred.
        clear_blur: motion blur up to which it is, in index heights.
    """

    size: tuple[int, int] = (1280, 720)
    portrait: float = 0.25
    cards: tuple[int, int] = (30, 52)
    lines: tuple[float, float, float] = (0.5, 0.3, 0.2)
    step: tuple[float, float] = (14.0, 30.0)
    gaps: float = 0.35
    gap: tuple[float, float] = (25.0, 120.0)
    bent: float = 0.6
    steepest: float = 0.3
    loose: float = 2.0
    turn: float = 0.05
    index_px: tuple[float, float] = (20.0, 40.0)
    longer: float = 1.4
    speed: tuple[float, float] = (0.15, 0.45)
    exposure: tuple[float, float] = (1 / 240, 1 / 60)
    clear_frames: int = 3
    clear_blur: float = 0.12


CONFIGURATION = Configuration()
ATTEMPTS = 60


@dataclass(frozen=True, slots=True)
class Pan:
    """How the camera moves.

    Attributes:
        views: (frames, 3, 3) from millimetres on the table to pixels.
        blur: (frames, 2) movement of the picture's middle during the exposure, pixels.
        defocus: (frames,) standard deviation of the softness, pixels.
        gain: (frames,) drift of the exposure, a factor.
    """

    views: Matrix
    blur: Matrix
    defocus: Matrix
    gain: Matrix


def laid_row(rng: np.random.Generator, n: int, c: Configuration) -> list[list[Placement]]:
    """``n`` overlapped cards in one to three lines, straight or bent, now and then with gaps."""
    lines = 1 + int(rng.choice(3, p=c.lines))
    step, gap = rng.uniform(*c.step), 88 * rng.uniform(0.62, 1.15)
    per_line = -(-n // lines)
    width = per_line * step
    waves = float(rng.uniform(0.4, 1.6))
    most = c.steepest * width / (np.pi * waves)
    bend = float(rng.uniform(-1, 1)) * min(most, 60.0) if rng.random() < c.bent else 0.0
    phase = float(rng.uniform(0, np.pi))
    spaced = rng.random() < c.gaps
    out = []
    for line in range(lines):
        count = min(per_line, n - line * per_line)
        xs = np.arange(count) * step + rng.normal(0, c.loose / 2, count)
        if spaced:
            for _ in range(int(rng.integers(1, 4))):
                xs[int(rng.integers(1, count)) :] += rng.uniform(*c.gap)
        angle = np.pi * waves * xs / width + phase
        ys = line * gap + bend * np.sin(angle) + rng.normal(0, c.loose, count)
        slope = np.arctan(bend * np.cos(angle) * np.pi * waves / width)
        turns = slope * rng.uniform(0.3, 1) + rng.normal(0, c.turn, count)
        out.append(
            [Placement(float(x), float(y), float(a)) for x, y, a in zip(xs, ys, turns, strict=True)]
        )
    return out


def wander(rng: np.random.Generator, frames: int, period: float) -> Matrix:
    """Smooth chance: (frames,), standard deviation about 1, changing over ``period`` seconds."""
    knots = max(4, round(frames / FPS / period) + 3)
    values = rng.normal(0, 1, (1, knots)).astype(np.float32)
    smooth = cv2.resize(values, (frames, 1), interpolation=cv2.INTER_CUBIC)
    return np.asarray(smooth[0], np.float64)


def _way_points(
    rng: np.random.Generator, lines: Sequence[Sequence[Placement]], height: float, c: Configuration
) -> Matrix:
    """Where the camera looks, (n, 2) in mm: along all lines at once, or line by line."""
    paths = [np.array([(p.x, p.y) for p in line]) for line in lines]
    top, bottom = (float(f([p[:, 1].mean() for p in paths])) for f in (np.min, np.max))
    if bottom - top + 130 < 0.8 * height:
        xs = np.linspace(min(p[0, 0] for p in paths), max(p[-1, 0] for p in paths), 60)
        middle = np.mean([np.interp(xs, p[:, 0], p[:, 1]) for p in paths], axis=0)
        return np.column_stack([xs, middle])
    back = rng.random() < 0.5  # pans back to the beginning of each line rather than to and fro
    points = []
    for k, path in enumerate(paths):
        turned = k % 2 == 1 and not back
        points.append(path[::-1] if turned else path)
    return np.concatenate(points)


def _progress(rng: np.random.Generator, length: float, speed: float) -> Matrix:
    """Way along the path at each frame, (frames,): uneven, with pauses and steps back."""
    most = int(FPS * 90)
    pace = speed * np.maximum(0.15, 1 + 0.4 * wander(rng, most, 0.8))
    usual = length / speed
    for chance, low, high, factor in ((0.4, 0.4, 1.4, 0.0), (0.35, 0.4, 1.0, -0.7)):
        if rng.random() < chance:
            start = int(FPS * rng.uniform(0.1, 0.9) * usual)
            pace[start : start + int(FPS * rng.uniform(low, high))] *= factor
    pace = cv2.GaussianBlur(pace.reshape(1, -1), (0, 0), 0.1 * FPS)[0]
    # It begins and ends nearly at rest.
    start = int(0.7 * FPS)
    pace[:start] *= np.linspace(0.15, 1, start)
    way = np.cumsum(pace / FPS)
    end = int(np.argmax(way >= length)) if way[-1] >= length else most
    return np.concatenate(
        [np.full(FPS // 4, 0.0), np.clip(way[:end], 0, length), np.full(FPS // 4, length)]
    )


def panned(
    rng: np.random.Generator,
    lines: Sequence[Sequence[Placement]],
    size: tuple[int, int],
    scale: float,
    c: Configuration,
) -> Pan:
    """A hand-held pan along the row at about ``scale`` pixels a millimetre."""
    width, height = size
    points = _way_points(rng, lines, height / scale, c)
    part = np.linalg.norm(np.diff(points, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(part)])
    way = _progress(rng, float(along[-1]), float(rng.uniform(*c.speed)) * width / scale)
    n = len(way)
    look = np.column_stack([np.interp(way, along, points[:, k]) for k in (0, 1)])
    look = np.stack([_smoothed(look[:, k], 0.2 * FPS) for k in (0, 1)], axis=1)
    shown = np.array([width, height]) / scale
    for period, size_ in ((2.0, 0.035), (0.5, 0.008), (0.12, 0.0018)):
        sway = np.stack([wander(rng, n, period), wander(rng, n, period)], axis=1)
        look += sway * size_ * rng.uniform(0.4, 1.2) * shown.min()
    zoom = scale * np.exp(0.05 * wander(rng, n, 2.5))
    tilt0, azimuth0 = abs(rng.normal(0, 0.3)), rng.normal(0, 0.4)
    tilt = np.clip(min(tilt0, 0.6) + 0.05 * wander(rng, n, 1.5), 0, 0.7)
    azimuth = azimuth0 + 0.1 * wander(rng, n, 2.0)
    roll = np.clip(rng.normal(0, 0.12), -0.3, 0.3) + 0.035 * wander(rng, n, 1.2)
    angles = np.stack([tilt, azimuth, roll], axis=1)
    return moved_camera(rng, size, look, zoom, angles, c.exposure, drift=0.1)


def moved_camera(
    rng: np.random.Generator,
    size: tuple[int, int],
    look: Matrix,
    zoom: Matrix,
    angles: Matrix,
    exposures: tuple[float, float],
    *,
    drift: float,
) -> Pan:
    """What a moving camera sees, from where it is at each frame.

    Args:
        rng: decides its lens, its exposure and its focus.
        size: width and height of the film.
        look: (frames, 2) what it looks at, millimetres.
        zoom: (frames,) pixels a millimetre.
        angles: (frames, 3) tilt, azimuth and roll, radians.
        exposures: range of exposure times, seconds.
        drift: how much the brightness changes.
    """
    n = len(look)
    focal = float(rng.uniform(0.75, 1.3))
    views = np.stack([_view_of(size, look[k], zoom[k], *angles[k], focal=focal) for k in range(n)])
    exposure = float(np.exp(rng.uniform(*np.log(exposures))))
    middle = np.array(size) / 2
    here = np.array([project(np.linalg.inv(v), [middle])[0] for v in views])
    moved = np.array([project(views[k], [here[max(0, k - 1)]])[0] for k in range(n)]) - middle
    gain = np.exp(drift * wander(rng, n, 1.5))
    return Pan(views, moved * exposure * FPS, _hunting(rng, n), gain)


def _view_of(
    size: tuple[int, int],
    look: Matrix,
    scale: float,
    tilt: float,
    azimuth: float,
    roll: float,
    *,
    focal: float,
) -> Matrix:
    """A camera above a point, leaning by ``tilt``, ``azimuth`` off the viewer's side."""
    c, s = np.cos(azimuth), np.sin(azimuth)
    turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    shift = np.array([[1, 0, -look[0]], [0, 1, -look[1]], [0, 0, 1]])
    width, height = size
    lens = table_homography(
        width, height, min(width, height) / scale, tilt, roll + azimuth, focal=focal
    )
    return np.asarray(lens @ turn @ shift, np.float64)


def _smoothed(values: Matrix, sigma: float) -> Matrix:
    soft = cv2.GaussianBlur(values.reshape(1, -1), (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(soft[0], np.float64)


def _hunting(rng: np.random.Generator, n: int) -> Matrix:
    """Softness over time: now and then the focus is lost and found again."""
    soft = np.zeros(n)
    for _ in range(int(rng.integers(0, 4))):
        length = int(FPS * rng.uniform(0.2, 0.7))
        start = int(rng.integers(0, max(1, n - length)))
        bump = np.sin(np.linspace(0, np.pi, length)) * rng.uniform(1.0, 3.5)
        soft[start : start + length] += bump[: n - start]
    return soft


def seen(
    pan: Pan, marks: npt.NDArray[np.float32], scale: float, size: tuple[int, int], n: int
) -> tuple[float, int]:
    """Smallest index (median over the frames that show it, px), fewest clear frames of a card.

    Args:
        pan: the camera.
        marks: readable indices of the table's picture, see `models.synth.scene.INDEX_FIELDS`.
        scale: pixels of that picture a millimetre.
        size: of the film.
        n: number of cards.
    """
    centre = marks[:, :2] / scale
    half = marks[:, 2:4] * marks[:, 4:5] / 2 / scale
    sizes = np.full((len(marks), len(pan.views)), np.nan)
    for k, view in enumerate(pan.views):
        a, b = project(view, centre - half), project(view, centre + half)
        high = np.linalg.norm(b - a, axis=1)
        inside = (np.minimum(a, b) > 4 + 0.3 * high[:, None]).all(axis=1)
        inside &= (np.maximum(a, b) < np.array(size) - 4 - 0.3 * high[:, None]).all(axis=1)
        sizes[inside, k] = high[inside]
    blur = np.linalg.norm(pan.blur, axis=1)[None]
    clear = (blur < CONFIGURATION.clear_blur * sizes) & (pan.defocus[None] < 0.05 * sizes)
    owner = marks[:, 9].astype(int)
    fewest, smallest = 10**6, np.inf
    for card in range(n):
        mine = owner == card
        if not mine.any():
            return 0.0, 0
        best = int(clear[mine].sum(axis=1).max())
        fewest = min(fewest, best)
        if best:
            which = np.flatnonzero(mine)[int(clear[mine].sum(axis=1).argmax())]
            smallest = min(smallest, float(np.nanmedian(sizes[which])))
    return float(smallest), fewest


@dataclass(frozen=True, slots=True)
class Table:
    """The table as it lies: its picture, and which indices a person can read.

    Attributes:
        image: BGR.
        marks: see `models.synth.scene.INDEX_FIELDS`; readable ones only.
        scale: pixels a millimetre.
        origin: (2,) millimetres at the picture's corner.
    """

    image: Picture
    marks: npt.NDArray[np.float32]
    scale: float
    origin: Matrix

    @classmethod
    def of(cls, labels: Labels, image: Picture, noisy: Picture, scale: float, low: Matrix) -> Table:
        """The table of a picture, before and after noise, whose corner is at ``low``."""
        labels = mark_illegible(labels, image, noisy)
        labels[:, :2] += (low * scale).astype(np.float32)
        good = (labels[:, 7] >= 0.75) & (labels[:, 8] >= 0.6)
        return cls(image, labels[good], scale, low)


def _table(
    rng: np.random.Generator,
    deck: FaceDeck,
    faces: Sequence[Any],
    lines: Sequence[Sequence[Placement]],
    props: Props,
    *,
    scale: float,
    margin: float,
    noise: float,
) -> Table:
    """Draws the table from straight above and lights it."""
    places = [p for line in lines for p in line]
    low = np.array([min(p.x for p in places), min(p.y for p in places)]) - margin
    high = np.array([max(p.x for p in places), max(p.y for p in places)]) + margin
    width, height = (int(v) // 16 * 16 for v in (high - low) * scale)
    canvas = Canvas(draw_ground(width, height, rng, props))
    view = np.array([[scale, 0, 0], [0, scale, 0], [0, 0, 1]]) @ np.array(
        [[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]
    )
    litter(canvas, view, rng, props)
    homographies, _ = lay_cards(canvas, view, places, faces, scale, rng)
    labels = index_labels(canvas, faces, homographies)
    lit = canvas.image.astype(np.float32)
    lit *= effects.light_field(width, height, rng)
    if rng.random() < 0.3:
        effects.add_glare(lit, rng)
    image = np.clip(effects.tone(lit, rng), 0, 255).astype(np.uint8)
    grain = rng.normal(0, noise, image[::7, ::7].shape)
    noisy = image.copy()
    noisy[::7, ::7] = np.clip(image[::7, ::7] + grain, 0, 255).astype(np.uint8)
    return Table.of(labels, image, noisy, scale, low)


def frames_of(
    rng: np.random.Generator, table: Table, pan: Pan, size: tuple[int, int], noise: float
) -> Iterator[Picture]:
    """The film's pictures."""
    to_mm = np.array(
        [[1 / table.scale, 0, table.origin[0]], [0, 1 / table.scale, table.origin[1]], [0, 0, 1]]
    )
    spare = 64
    grain = rng.standard_normal(((size[1] + spare) // 2, (size[0] + spare) // 2, 3), np.float32)
    coarse = cv2.resize(grain * np.float32(1.6 * noise), (size[0] + spare, size[1] + spare))
    fine = np.clip(np.round(coarse + 128), 0, 255).astype(np.uint8)
    ground = cv2.GaussianBlur(table.image, (0, 0), float(rng.uniform(0.4, 0.9)))
    for k, view in enumerate(pan.views):
        image = cv2.warpPerspective(
            ground, view @ to_mm, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        length = float(np.hypot(*pan.blur[k]))
        if length > 1.3:
            kernel = effects.motion_kernel(min(length, 40.0), float(np.arctan2(*pan.blur[k][::-1])))
            image = cv2.filter2D(image, -1, kernel)
        if pan.defocus[k] > 0.3:
            image = cv2.GaussianBlur(image, (0, 0), float(pan.defocus[k]))
        x, y = (int(v) for v in rng.integers(0, spare, 2))
        part = fine[y : y + size[1], x : x + size[0]]
        yield np.asarray(cv2.addWeighted(image, float(pan.gain[k]), part, 1, -128), np.uint8)


def _filmed(
    rng: np.random.Generator, deck: FaceDeck, props: Props, c: Configuration
) -> tuple[list[str], list[int], Table, Pan, tuple[int, int], float, float] | None:
    """One film's cards, lines, table, camera, size, noise and smallest index.

    None where a card of it could not be read by a person.
    """
    size = c.size[::-1] if rng.random() < c.portrait else c.size
    faces = ENGLISH.faces(deck, rng, int(rng.integers(c.cards[0], c.cards[1] + 1)))
    lines = laid_row(rng, len(faces), c)
    noise = float(rng.uniform(1, 5))
    want = float(rng.uniform(*c.index_px))
    length = max(line[-1].x - line[0].x for line in lines) + CARD_W
    least = c.longer * size[0] / length
    heights = [index_mm(face) for face in faces]
    scale = max(least, want / min(heights))
    seed = int(rng.integers(1 << 32))
    fine = min(5.6, 1.25 * scale * 1.1)
    table = _table(
        rng, deck, faces, lines, props,
        scale=fine, margin=40 + 0.3 * max(size) / scale, noise=noise,
    )  # fmt: skip
    for _ in range(3):
        pan = panned(np.random.default_rng(seed), lines, size, scale, c)
        smallest, clear = seen(pan, table.marks, table.scale, size, len(faces))
        if clear < c.clear_frames:
            return None
        if smallest >= c.index_px[0] and (smallest < 1.15 * want or scale <= 1.01 * least):
            counts = [len(line) for line in lines]
            return [f.name for f in faces], counts, table, pan, size, noise, smallest
        scale = max(least, scale * max(want, c.index_px[0] + 0.5) / smallest)
    return None


def index_mm(face: Any) -> float:
    """Height of a face's first index on a card of 88 mm."""
    mark, height = face.indices[0], face.image().shape[0]
    top = min(mark.rank_box[1], mark.suit_box[1])
    return float((max(mark.rank_box[3], mark.suit_box[3]) - top) * 88 / height)


def held_out(art: Path, drawn: Sequence[Path]) -> tuple[list[FaceDeck], Props]:
    """The held-out decks that have every card, and what lies beside cards."""
    fetched, drawn_decks, props = material(art, tuple(drawn), holdout=True)
    return [d for d in [*fetched, *drawn_decks] if ENGLISH.are_whole(d)], props


def write_film(path: Path, frames: Iterable[Picture], size: tuple[int, int], code: str) -> None:
    """Writes pictures of that width and height as a film of that four-letter code."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*code), FPS, size)
    for frame in frames:
        writer.write(frame)
    writer.release()


def write_one(
    index: int,
    *,
    out: Path,
    seed: int,
    art: Path,
    drawn: Sequence[Path],
    configuration: Configuration = CONFIGURATION,
) -> dict[str, Any]:
    """Films sweep ``index``, anew until all its cards can be read; returns its truth entry."""
    cv2.setNumThreads(1)
    decks, props = held_out(art, drawn)
    deck = decks[(index + seed) % len(decks)]
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng((seed, index, attempt))
        film = _filmed(rng, deck, props, configuration)
        if film is not None:
            break
    else:
        raise RuntimeError(f"film {index}: not readable in {ATTEMPTS} attempts")
    names, counts, table, pan, size, noise, smallest = film
    name = f"sweep{index:04d}.avi"
    write_film(out / name, frames_of(rng, table, pan, size, noise), size, "XVID")
    return {
        "video": name,
        "set": "rendered",
        "kind": "sweep",
        "deck": deck.name,
        "cards": names,
        "row": names,
        "lines": counts,
        "index_px": round(smallest, 1),
        "seconds": round(len(pan.views) / FPS, 1),
    }
