"""Backs where no face lies: found by the network of outlines, told from other rectangles."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from models.evaluation.outlines import corner_error
from tests.vision.outlines.test_faces import Table, spread
from vision.images.pyramid import Pyramid
from vision.networks import load_outliner
from vision.outlines.backs import find_backs
from vision.outlines.faces import with_outlines
from vision.outlines.outliner import FoundCorners


@pytest.fixture(scope="module")
def outliner():
    return load_outliner(threads=1)


@dataclass
class Sees:
    """An outliner that takes what lies at some quads for backs, each as sure as is said."""

    quads: list[np.ndarray]
    chance: list[float]
    off: list[float]
    kinds: tuple[str, ...] = ("face", "back", "none")

    def find(self, image, starts, *, looks):
        n = len(starts)
        out = FoundCorners(
            np.array(starts, float).reshape(-1, 4, 2), np.ones((n, 4)), np.zeros((n, 3))
        )
        out.kinds[:, 2] = 1
        for k, start in enumerate(out.corners):
            far = [np.abs(start.mean(axis=0) - quad.mean(axis=0)).max() for quad in self.quads]
            best = int(np.argmin(far))
            wide = np.linalg.norm(self.quads[best][1] - self.quads[best][0])
            if far[best] < 0.5 * wide:
                out.corners[k], out.off[k] = self.quads[best], self.off[best]
                out.kinds[k] = 0, self.chance[best], 1 - self.chance[best]
        return out


def card_at(x, y, wide=100.0, high=140.0):
    return np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]])


def picture(*quads):
    image = np.full((600, 800, 3), (40, 70, 40), np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (150, 60, 60))
    return image


def found(quads, *, chance=0.99, off=0.013):
    image = picture(*quads)
    sees = Sees(list(quads), [chance] * len(quads), [off] * len(quads))
    return [np.array(quad) for quad in find_backs(Pyramid(image), [], [], sees)]


@pytest.mark.parametrize("seed", range(4))
def test_the_network_that_ships_finds_backs_without_a_face(seed, outliner):
    table, places = spread(seed)
    for place in places:
        table.back(*place)
    backs = with_outlines(Pyramid(table.blurred), table.reading, outliner).backs
    assert len(backs) == len(places)
    for true in table.backs:
        assert min(corner_error(np.array(q), true, turns=4) for q in backs) < 0.05


def test_it_finds_none_on_a_bare_table_and_none_in_a_window(outliner):
    bare = Table(3).image
    assert find_backs(Pyramid(bare), [], [], outliner) == ()
    window = np.full((600, 800, 3), 60, np.uint8)
    cv2.rectangle(window, (200, 100), (600, 500), (230, 220, 200), 8)
    cv2.line(window, (400, 100), (400, 500), (230, 220, 200), 8)
    assert find_backs(Pyramid(window), [], [], outliner) == ()


def test_a_back_is_named_once_from_one_of_its_short_sides_on():
    (quad,) = found([np.roll(card_at(200, 200), 1, axis=0)])
    assert corner_error(quad, card_at(200, 200), turns=2) < 0.01


@pytest.mark.parametrize(("chance", "off"), [(0.97, 0.013), (0.99, 0.018), (0.9, 0.01)])
def test_what_is_not_certain_is_none(chance, off):
    assert found([card_at(200, 200)], chance=chance, off=off) == []


@pytest.mark.parametrize(("wide", "high"), [(140.0, 140.0), (60.0, 140.0), (25.0, 36.0)])
def test_what_has_another_shape_or_is_very_small_is_none(wide, high):
    assert found([card_at(200, 200, wide, high)]) == []


def test_where_one_is_certain_others_as_large_need_be_less_so():
    quads = [card_at(100, 100), card_at(400, 100), card_at(400, 350)]
    image = picture(*quads)
    sees = Sees(quads, [0.99, 0.96, 0.96], [0.013, 0.018, 0.018])
    assert len(find_backs(Pyramid(image), [], [], sees)) == 3


def test_two_cards_that_touch_are_no_larger_one():
    """A rectangle of twice the size is the surest of all, and there are two of the others."""
    low, high = card_at(200, 120, 140, 100), card_at(200, 226, 140, 100)
    both = card_at(200, 120, 140, 206)
    image = picture(low, high)
    sees = Sees([both, low, high], [0.99] * 3, [0.012, 0.013, 0.013])
    backs = find_backs(Pyramid(image), [], [], sees)
    assert len(backs) == 2
    for quad in (low, high):
        assert min(corner_error(np.array(b), quad, turns=4) for b in backs) < 0.05


def test_what_is_known_to_be_a_face_is_no_back():
    quad = card_at(200, 200)
    assert find_backs(Pyramid(picture(quad)), [quad], [], Sees([quad], [0.99], [0.012])) == ()
