"""Coins and tiles where they hardly stand out: patterned tables, white paper on white."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.contours import trace
from calibration.discs import find_discs
from calibration.outlines import Shape, find_outlines

CENTRE, AXES, TILT = (410.0, 300.0), (34.0, 28.0), 20.0
WHITE = (235, 238, 240)


def table(seed: int, contrast: float) -> np.ndarray:
    """A cloth with blotches of all sizes."""
    rng = np.random.default_rng(seed)
    picture = np.full((720, 1280, 3), 128.0)
    for size in (9, 23, 60):
        blotches = rng.normal(0, contrast, (720 // size + 2, 1280 // size + 2, 3))
        picture += cv2.resize(blotches, (1280, 720), interpolation=cv2.INTER_CUBIC)
    return np.clip(picture, 0, 255).astype(np.uint8)


def coin(picture: np.ndarray, *, ring: float = 0.86) -> np.ndarray:
    """The same table with a white coin on which a dark ring is printed."""
    for share, colour in ((1.0, WHITE), (ring, (40, 40, 40)), (ring - 0.07, WHITE)):
        axes = tuple(round(16 * share * a) for a in AXES)
        centre = tuple(round(16 * c) for c in CENTRE)
        cv2.ellipse(picture, centre, axes, TILT, 0, 360, colour, -1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("seed", range(4))
def test_a_coin_is_found_on_a_patterned_table(seed):
    picture = coin(table(seed, 22))
    discs = [d for d in find_discs(picture, trace(picture), 0.7) if d.clear > 0.8]
    edges = [d for d in discs if abs(d.radius / np.sqrt(AXES[0] * AXES[1]) - 1) < 0.05]
    assert any(np.hypot(*np.subtract(d.centre, CENTRE)) < 1.5 for d in edges)


def test_a_white_coin_on_a_white_table_is_found_by_its_ring():
    picture = coin(np.full((720, 1280, 3), WHITE, np.uint8))
    (found,) = find_outlines(picture, Shape.COIN)
    assert np.hypot(*np.subtract(found.centre, CENTRE)) < 1.5
    assert 0.75 < found.size / (2 * AXES[0]) < 0.95
    assert found.fit > 0.9


def test_what_is_printed_on_a_coin_is_no_other_coin():
    picture = coin(np.full((720, 1280, 3), (60, 90, 50), np.uint8), ring=0.75)
    (found,) = find_outlines(picture, Shape.COIN)
    assert found.size == pytest.approx(2 * AXES[0], rel=0.04)
    assert found.others, "its ring may be all that is seen of it in worse light"


def test_a_blank_table_has_no_coins():
    assert find_outlines(table(7, 12), Shape.COIN) == []


def test_a_white_tile_on_a_white_table_is_found_by_its_frame():
    picture = np.full((720, 1280, 3), WHITE, np.uint8)
    cv2.rectangle(picture, (400, 250), (560, 410), (60, 60, 200), 3, cv2.LINE_AA)
    cv2.putText(picture, "5", (455, 360), cv2.FONT_HERSHEY_SIMPLEX, 3, (60, 60, 200), 10)
    noise = np.random.default_rng(2).normal(0, 3, picture.shape)
    picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    found = find_outlines(picture, Shape.TILE)[0]
    assert np.hypot(*np.subtract(found.centre, (480, 330))) < 2
    assert found.size == pytest.approx(162, abs=5)
