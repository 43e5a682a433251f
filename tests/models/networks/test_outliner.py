"""Samples for the outliner: what is asked for leads to the card, and is cut as the app cuts it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.networks.outliner.samples import (
    BACK,
    FACE,
    HEIGHT,
    INNER,
    KINDS,
    NONE,
    WIDTH,
    cut_outline,
    inner_box,
    loosened,
    outlines_of,
    start_of_index,
    steps_to,
)
from models.training.samples import halved, scene_files
from tests.vision.outlines.test_outliner import Guide
from vision.geometry import project
from vision.images.pyramid import Pyramid
from vision.outlines.outliner import CardPatch, Outliner

CARD = np.array([[300.0, 150.0], [426.0, 170.0], [402.0, 350.0], [276.0, 330.0]])


@pytest.fixture
def picture() -> np.ndarray:
    rng = np.random.default_rng(3)
    return cv2.GaussianBlur(rng.integers(0, 256, (560, 720, 3), dtype=np.uint8), (0, 0), 3)


@pytest.mark.parametrize("seed", range(8))
def test_the_steps_lead_to_the_card(picture: np.ndarray, seed: int):
    start = loosened(CARD, np.random.default_rng(seed), 0.08)
    patch, matrix = cut_outline(halved(picture), start)
    assert patch.shape == (HEIGHT, WIDTH, 3)
    steps = steps_to(CARD, matrix)
    assert steps is not None
    goal = inner_box() + steps * INNER * WIDTH
    assert project(np.linalg.inv(matrix), goal) == pytest.approx(CARD, abs=1e-3)


def test_of_the_two_ways_a_card_may_lie_the_nearer_one_is_asked_for(picture: np.ndarray):
    _, matrix = cut_outline(halved(picture), np.roll(CARD, 2, axis=0) + 3)
    steps = steps_to(CARD, matrix)
    assert steps is not None
    assert np.abs(steps).max() < 0.1


@pytest.mark.parametrize("times", [0.4, 1.0, 2.5])
def test_the_app_cuts_the_same_patches(picture: np.ndarray, times: float):
    image = cv2.resize(picture, None, fx=times, fy=times, interpolation=cv2.INTER_AREA)
    patch, _ = cut_outline(halved(image), times * CARD)
    guide = Guide(stubborn=True)
    shape = CardPatch((WIDTH, HEIGHT), INNER)
    Outliner(guide, patch=shape, kinds=KINDS).find(Pyramid(image), times * CARD[None], looks=1)
    (shown,) = guide.shown
    assert np.abs(shown.transpose(1, 2, 0) - patch.astype(float)).max() <= 1


def test_a_card_usually_lies_about_its_index():
    row = np.array([50, 60, 0, 1, 17, 0, 0, 1, 1, 0], np.float32)
    left, right = start_of_index(row), start_of_index(row, left=False)
    assert left[0] == pytest.approx([44.5, 46])
    assert left[2] == pytest.approx([107.5, 134])
    assert right[1] == pytest.approx([55.5, 46])
    assert right[3] == pytest.approx([-7.5, 134])


def test_a_scene_shows_faces_backs_and_nothing(tmp_path: Path, picture: np.ndarray):
    cv2.imwrite(str(tmp_path / "000000.jpg"), picture)
    other = CARD - [220, 60]
    row = [310, 180, -0.13, 0.99, 30, 0, 0, 1, 1, 0]
    np.savez(
        tmp_path / "000000.npz",
        labels=np.array([row], np.float32),
        quads=np.stack([CARD, other]).astype(np.float32),
        shown=np.array([1, 0.9], np.float32),
    )
    (file,) = scene_files(tmp_path)
    rng = np.random.default_rng(1)
    samples = [s for _ in range(30) for s in outlines_of(file, rng)]
    assert {kind for _, _, kind in samples} == {FACE, BACK, NONE}
    assert all(np.abs(steps).max() <= 1.2 for _, steps, _ in samples)
    assert max(np.abs(steps).max() for _, steps, kind in samples if kind == BACK) < 0.8
