"""Outlines: drawn cards under homographies, backs, and pictures in which there is nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cards import card
from models.evaluation.outlines import OutlineTally, corner_error
from tests.vision.layouts import index
from vision.images.pyramid import Pyramid
from vision.networks import load_outliner
from vision.outlines.faces import with_faces, with_outlines
from vision.outlines.flat import flat_view
from vision.outlines.outliner import FoundCorners
from vision.types import CardRead, Reading

WIDTH, HEIGHT = 252, 352
INDEX = (22.0, 52.0)  # middle of an index on the card, and its height
INDEX_HEIGHT = 64.0
CORNERS = np.array([(0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT)], float)
NAMES = ("7H", "QS", "2D", "AC", "9S", "KH")


@pytest.fixture(scope="module")
def outliner():
    return load_outliner(threads=1)


def mapped(matrix, points):
    points = np.asarray(points, float).reshape(-1, 2)
    out = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return out[:, :2] / out[:, 2:]


def face():
    """A card's face: two dark indices and some pips on white paper with rounded corners."""
    image = np.full((HEIGHT, WIDTH, 3), 235, np.uint8)
    for x, y in [(126, 60), (90, 130), (160, 130), (126, 180), (90, 240), (160, 240), (126, 300)]:
        cv2.circle(image, (x, y), 17, (40, 30, 170), -1)
    for x, y in (INDEX, (WIDTH - INDEX[0], HEIGHT - INDEX[1])):
        for part in (-1, 1):
            cv2.circle(image, (int(x), int(y + part * INDEX_HEIGHT / 4)), 12, (30, 30, 30), 5)
    return image, rounded()


def back():
    """A card's back: a lattice within a white border."""
    image = np.full((HEIGHT, WIDTH, 3), 240, np.uint8)
    cv2.rectangle(image, (18, 18), (WIDTH - 18, HEIGHT - 18), (120, 60, 30), -1)
    for k in range(-HEIGHT, WIDTH, 24):
        cv2.line(image, (k, 18), (k + HEIGHT, HEIGHT - 18), (170, 120, 90), 3)
    image[:18], image[-18:] = 240, 240
    image[:, :18], image[:, -18:] = 240, 240
    return image, rounded()


def rounded():
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    r = 12
    cv2.rectangle(mask, (r, 0), (WIDTH - r, HEIGHT), 255, -1)
    cv2.rectangle(mask, (0, r), (WIDTH, HEIGHT - r), 255, -1)
    for x in (r, WIDTH - r - 1):
        for y in (r, HEIGHT - r - 1):
            cv2.circle(mask, (x, y), r, 255, -1)
    return mask


class Table:
    """A picture of a table under a tilted camera on which cards are laid."""

    def __init__(self, seed, *, size=(1100, 900), tilt=0.5):
        self.rng = np.random.default_rng(seed)
        noise = self.rng.normal(0, 6, (size[1], size[0], 1))
        shade = 70 + 30 * np.linspace(-1, 1, size[0])[None, :, None]
        colour = self.rng.uniform(0.6, 1.1, 3)
        self.image = np.clip((shade + noise) * colour, 0, 255).astype(np.uint8)
        slant = self.rng.uniform(-tilt, tilt, 2) * 0.5 / max(size)
        middle = np.array(size) / 2
        off = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1]])
        tilted = np.array([[1, 0, 0], [0.1 * tilt, 1 - 0.3 * tilt, 0], [*slant, 1]])
        self.view = np.linalg.inv(off) @ tilted @ off
        self.reads, self.truth, self.backs = [], [], []

    def lay(self, art, x, y, angle, scale=0.55):
        """Draws a card; returns the homography from its face to the picture."""
        c, s = scale * np.cos(angle), scale * np.sin(angle)
        turn = np.array([[c, -s, x], [s, c, y], [0, 0, 1]])
        matrix = self.view @ turn @ np.array([[1, 0, -WIDTH / 2], [0, 1, -HEIGHT / 2], [0, 0, 1]])
        image, mask = art
        size = (self.image.shape[1], self.image.shape[0])
        # The paper reaches half a pixel beyond the middles of the outermost ones.
        shifted = matrix @ np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
        alpha = cv2.warpPerspective(mask, shifted, size, flags=cv2.INTER_AREA) / 255.0
        drawn = cv2.warpPerspective(image, shifted, size, flags=cv2.INTER_AREA)
        blend = self.image + (drawn.astype(float) - self.image) * alpha[..., None]
        self.image = blend.astype(np.uint8)
        return matrix

    def face(self, x, y, angle, *, ends=2, scale=0.55):
        matrix = self.lay(face(), x, y, angle, scale)
        indices = []
        for k in range(ends):
            middle = np.array(INDEX) if k == 0 else np.array([WIDTH, HEIGHT]) - INDEX
            half = np.array([0, INDEX_HEIGHT / 2]) * (1 if k == 0 else -1)
            top, centre, bottom = mapped(matrix, [middle - half, middle, middle + half])
            size = float(np.linalg.norm(bottom - top))
            way = (bottom - top) / size
            jitter = self.rng.normal(0, 0.02 * size, 2)
            told = size * self.rng.uniform(0.95, 1.05)
            indices.append(index(*centre + jitter, down=tuple(way.tolist()), size=told, sure=0.99))
        name = card(NAMES[len(self.reads)])
        quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
        self.reads.append(CardRead(name, 0.98, quad, tuple(indices)))
        self.truth.append(mapped(matrix, CORNERS))

    def back(self, x, y, angle, *, scale=0.55):
        self.backs.append(mapped(self.lay(back(), x, y, angle, scale), CORNERS))

    @property
    def blurred(self):
        return cv2.GaussianBlur(self.image, (0, 0), 0.9)

    @property
    def reading(self):
        return Reading((self.image.shape[1], self.image.shape[0]), tuple(self.reads))

    def errors(self, outliner):
        found = with_outlines(Pyramid(self.blurred), self.reading, outliner).cards
        return [
            corner_error(np.array(read.quad), true) if read.outlined else None
            for read, true in zip(found, self.truth, strict=True)
        ]


def spread(seed, count=4, **options):
    """A table with so many cards side by side, at any angle."""
    table = Table(seed, **options)
    places = [(260, 230), (620, 250), (300, 650), (760, 640)][:count]
    return table, [(x, y, float(table.rng.uniform(0, 6.28))) for x, y in places]


def with_faces_laid(seed, count=4, **options):
    """The same, the cards lying there face up."""
    table, places = spread(seed, count, **options)
    for place in places:
        table.face(*place)
    return table


def half_of_backs(seed):
    """Two faces and two backs."""
    table, places = spread(seed, tilt=0.3)
    for k, place in enumerate(places):
        (table.face if k < 2 else table.back)(*place)
    return table


@pytest.mark.parametrize("seed", range(5))
def test_outlines_are_true_in_any_view(seed, outliner):
    table = with_faces_laid(seed)
    errors = table.errors(outliner)
    assert None not in errors
    assert max(errors) < 0.03


@pytest.mark.parametrize("seed", range(4))
def test_faces_are_marked_as_exact_where_their_sides_are_seen_and_left_alone_elsewhere(
    seed, outliner
):
    table = with_faces_laid(seed)
    bare = replace(table.reads[0], card=card("KC"))
    bare = replace(bare, indices=tuple(replace(i, centre=(1060.0, 40.0)) for i in bare.indices))
    reading = replace(table.reading, doubtful=(bare,))
    after = with_faces(Pyramid(table.blurred), reading, outliner)
    assert all(read.exact and read.outlined for read in after.cards)
    for read, true in zip(after.cards, table.truth, strict=True):
        assert corner_error(np.array(read.quad), true) < 0.03
    assert after.doubtful == (bare,)
    middle = replace(bare.indices[0], centre=tuple(table.truth[0].mean(axis=0)))
    quad = tuple(map(tuple, table.truth[0] + 9.0))
    by_face = replace(table.reads[0], quad=quad, outlined=True, indices=(middle,))
    assert by_face.is_by_face
    assert not table.reads[0].is_by_face
    enrolled = Reading(reading.size, (by_face,))
    assert with_faces(Pyramid(table.blurred), enrolled, outliner) == enrolled
    nothing = Reading((100, 100))
    assert with_faces(Pyramid(table.image), nothing, outliner) == nothing


@pytest.mark.parametrize("seed", range(4))
def test_a_card_of_which_a_neighbour_covers_a_corner_is_outlined(seed, outliner):
    table = Table(seed, tilt=0.2)
    table.face(300, 300, 0.2)
    table.face(760, 300, -0.4)
    table.face(380, 520, 0.5)  # covers an edge of the first
    errors = table.errors(outliner)
    assert None not in errors
    assert max(errors) < 0.05


@pytest.mark.parametrize("seed", range(4))
def test_one_index_is_enough_where_other_cards_show_the_size(seed, outliner):
    table, places = spread(seed, tilt=0.3)
    for k, place in enumerate(places):
        table.face(*place, ends=1 if k == 1 else 2)
    errors = table.errors(outliner)
    assert errors[1] is not None
    assert max(e for e in errors if e is not None) < 0.05


def test_two_indices_without_a_card_have_no_outline(outliner):
    table = Table(3)
    for k, at in enumerate([(300, 300), (700, 600)]):
        table.face(*at, 0.3 * k)
    table.image = np.clip(100 + table.rng.normal(0, 8, table.image.shape), 0, 255).astype(np.uint8)
    table.reads = [replace(read, confidence=0.9, outlined=True) for read in table.reads]
    found = with_outlines(Pyramid(table.image), table.reading, outliner)
    assert not any(read.outlined for read in found.cards)
    for read in found.cards:
        # What is left is the box of the index.
        assert np.allclose(np.mean(read.quad, axis=0), read.indices[0].centre)
    assert found.backs == ()


def test_the_right_upper_index_tells_the_outline_as_well(outliner):
    table = with_faces_laid(5, count=2)
    # In a mirror the indices stand in the other two corners.
    mirrored = []
    width = table.image.shape[1]
    for read in table.reads:
        indices = tuple(
            replace(
                i,
                centre=(width - 1 - i.centre[0], i.centre[1]),
                direction=(-i.direction[0], i.direction[1]),
            )
            for i in read.indices
        )
        mirrored.append(replace(read, indices=indices))
    image = np.ascontiguousarray(table.blurred[:, ::-1])
    found = with_faces(Pyramid(image), Reading((width, 900), tuple(mirrored)), outliner)
    for read, true in zip(found.cards, table.truth, strict=True):
        flipped = np.column_stack([width - 1 - true[:, 0], true[:, 1]])[[1, 0, 3, 2]]
        assert read.exact
        assert cv2.contourArea(np.array(read.quad, np.float32), oriented=True) > 0
        assert corner_error(np.array(read.quad), flipped) < 0.03


@pytest.mark.parametrize("seed", range(3))
def test_backs_of_the_size_of_the_faces_are_found(seed, outliner):
    table = half_of_backs(seed)
    found = with_outlines(Pyramid(table.blurred), table.reading, outliner)
    assert len(found.backs) == 2
    for true in table.backs:
        assert min(corner_error(np.array(q), true, turns=4) for q in found.backs) < 0.05
    for read, true in zip(found.cards, table.truth, strict=True):
        assert corner_error(np.array(read.quad), true) < 0.05


@dataclass
class Voice:
    """Says of everything that it lies where it was thought to, and is of one kind."""

    kind: str
    kinds: tuple[str, ...] = ("face", "back", "none")

    def find(self, image, starts, *, looks):
        chances = np.tile([float(kind == self.kind) for kind in self.kinds], (len(starts), 1))
        return FoundCorners(np.asarray(starts, float), np.full((len(starts), 4), 0.02), chances)


@pytest.mark.parametrize(("kind", "count"), [("back", 2), ("face", 0), ("none", 0)])
def test_what_the_network_takes_for_something_else_is_no_back(kind, count):
    table = half_of_backs(3)
    found = with_outlines(Pyramid(table.blurred), table.reading, Voice(kind))
    assert len(found.backs) == count


def test_things_of_another_size_are_no_backs(outliner):
    table, places = spread(2, tilt=0.2)
    table.face(*places[0])
    table.face(*places[1])
    table.back(*places[2], scale=0.42)
    table.back(*places[3], scale=0.7)
    assert with_outlines(Pyramid(table.blurred), table.reading, outliner).backs == ()


def test_a_bare_table_has_no_outlines(outliner):
    table = Table(9)
    assert with_outlines(Pyramid(table.image), table.reading, outliner) == table.reading


@settings(max_examples=12)
@given(st.data())
def test_whatever_is_read_outlines_are_finite_and_in_order(outliner, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    image = rng.integers(0, 256, (120, 160, 3), np.uint8)
    reads = []
    for name in NAMES[: data.draw(st.integers(0, 5))]:
        indices = []
        for _ in range(int(rng.integers(1, 5))):
            angle, at = rng.uniform(0, 6.3), rng.uniform(-20, 180, 2)
            way = (float(np.cos(angle)), float(np.sin(angle)))
            indices.append(index(*at, down=way, size=rng.uniform(4, 90), sure=0.9))
        reads.append(CardRead(card(name), 0.9, ((0.0, 0.0),) * 4, tuple(indices)))
    found = with_outlines(Pyramid(image), Reading((160, 120), tuple(reads)), outliner)
    assert [read.card for read in found.cards] == [read.card for read in reads]
    for quad in [*(read.quad for read in found.cards if read.outlined), *found.backs]:
        corners = np.array(quad, np.float32)
        assert np.isfinite(corners).all()
        assert cv2.contourArea(corners, oriented=True) > 0


@given(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3))
def test_in_the_flat_view_cards_are_parallelograms(u, v):
    slope = np.array([u, v]) / 1000
    rng = np.random.default_rng(1)
    quads = []
    for _ in range(4):
        angle, at = rng.uniform(0, 6.3), rng.uniform(-300, 300, 2)
        c, s = np.cos(angle), np.sin(angle)
        flat = np.array([(-60, -85), (60, -85), (60, 85), (-60, 85)]) @ [[c, s], [-s, c]] + at
        quads.append(flat / (1 - flat @ slope)[:, None] + 499.5)
    view = flat_view(np.array(quads), (1000, 1000))
    for quad in quads:
        seen = view.view(quad)
        assert np.allclose(view.picture(seen), quad)
        askew = np.linalg.norm(seen[0] + seen[2] - seen[1] - seen[3])
        assert askew < 0.03 * np.linalg.norm(seen[1] - seen[0])


def test_outlines_are_counted():
    true = [[0, 0], [100, 0], [100, 140], [0, 140]]
    truth = [
        {"card": "7H", "corners": true, "shown": 1.0},
        {"card": "QS", "corners": [[x + 300, y] for x, y in true], "shown": 0.9},
        {"card": "2D", "corners": [[x, y + 300] for x, y in true], "shown": 0.5},
        {"card": "back", "corners": [[x + 300, y + 300] for x, y in true], "shown": 1.0},
    ]
    corners = np.array(true, float)
    turned = np.roll(corners + 2, 2, axis=0)
    wrong = corners + np.array([[0, 300], [0, 300], [0, 320], [0, 300]])
    backs = [np.roll(corners + np.array([304, 300]), 1, axis=0), corners + 900]
    tally = OutlineTally()
    tally.add(truth, {"7H": turned, "2D": wrong}, backs)
    assert tally.summary() == {
        "faces": 2,
        "close": 1,
        "fair": 1,
        "wrong": 1,
        "median_error": round(2 * 2**0.5 / 100, 4),
        "backs": 1,
        "backs_found": 1,
        "backs_close": 1,
        "backs_false": 1,
    }
    assert "1 wrong" in tally.text()
