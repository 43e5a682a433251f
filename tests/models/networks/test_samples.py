"""Training targets and patches agree with the labels and with what the reader does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.labels import NO_GLYPH, NO_SUIT
from models.networks.classifier.samples import (
    FAR_ANCHOR,
    FAR_INDEX_HEIGHT,
    PATCH_HEIGHT,
    PATCH_INDEX_HEIGHT,
    PATCH_WIDTH,
    augment_views,
    cut_far,
    cut_patch,
    cut_views,
    match_candidate,
    patch_classes,
)
from models.networks.locator.samples import CROP, locator_crop, locator_target
from models.training.samples import IGNORE, halved
from vision.images.pyramid import Pyramid
from vision.indices.classify import cut_patches
from vision.indices.locate import Candidates, decode


def label(
    cx=100.0, cy=90.0, angle=0.0, size=30.0, glyph=4, suit=1, rank_seen=1.0, suit_seen=1.0, card=0
):
    """One label row; ``angle`` turns the index clockwise, radians."""
    return np.array(
        [[cx, cy, -np.sin(angle), np.cos(angle), size, glyph, suit, rank_seen, suit_seen, card]],
        np.float32,
    )


def picture(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 255, (30, 40, 3), dtype=np.uint8)
    return cv2.resize(noise, (320, 240), interpolation=cv2.INTER_CUBIC)


def found_at(cx: float, cy: float, dx: float, dy: float, size: float) -> Candidates:
    """A labelled pose as the reader finds it."""
    return Candidates(
        # Labels count from the corner of a pixel, reads from its centre.
        np.array([[cx - 0.5, cy - 0.5]], np.float32),
        np.array([[dx, dy]], np.float32),
        np.array([size], np.float32),
        np.ones(1, np.float32),
    )


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0, 320),
    st.floats(0, 240),
    st.floats(-3.14, 3.14),
    st.floats(8, 100),
    st.integers(0, 3),
)
def test_reader_cuts_the_patch_it_was_trained_on(
    cx: float, cy: float, angle: float, size: float, seed: int
):
    """The same patch but for the rounding of interpolation and of reducing large indices."""
    image = picture(seed)
    dx, dy = -np.sin(angle), np.cos(angle)
    trained = cut_patch(image, cx, cy, dx, dy, size)
    pose = found_at(cx, cy, dx, dy, size)
    size_of = (PATCH_WIDTH, PATCH_HEIGHT)
    read = cut_patches(Pyramid(image), pose, patch=size_of, index_height=PATCH_INDEX_HEIGHT)[0]
    off = np.abs(trained.astype(int) - read)
    assert off.mean() < (0.5 if size <= 1.6 * PATCH_INDEX_HEIGHT else 8)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(40, 280),
    st.floats(40, 200),
    st.floats(-3.14, 3.14),
    st.floats(9, 120),
    st.integers(0, 3),
)
def test_reader_cuts_the_far_view_it_was_trained_on(
    cx: float, cy: float, angle: float, size: float, seed: int
):
    image = picture(seed)
    dx, dy = -np.sin(angle), np.cos(angle)
    trained = cut_far(halved(image), cx, cy, dx, dy, size)
    pose = found_at(cx, cy, dx, dy, size)
    read = cut_patches(
        Pyramid(image),
        pose,
        patch=(PATCH_WIDTH, PATCH_HEIGHT),
        index_height=FAR_INDEX_HEIGHT,
        anchor=FAR_ANCHOR,
    )[0]
    assert np.abs(trained.astype(int) - read).mean() < 1.5


def test_both_views_stand_in_one_light():
    """What is white in both stays alike, whatever light is drawn."""
    views = cut_views([np.full((200, 200, 3), 200, np.uint8)], (100, 100, 0, 1, 30))
    assert views.shape == (PATCH_HEIGHT, PATCH_WIDTH, 6)
    rng = np.random.default_rng(3)
    for _ in range(20):
        lit = augment_views(views, rng).astype(int)
        assert np.abs(lit[..., :3] - lit[..., 3:]).max() <= 1


def test_patch_stands_upright():
    image = np.zeros((200, 200, 3), np.uint8)
    # An index lying on its side: the rank (white) left of the suit, so "down" is to the right.
    image[90:110, 70:100] = 255
    patch = cut_patch(image, 100, 100, 1, 0, 60)
    assert patch[: PATCH_HEIGHT // 2 - 2, PATCH_WIDTH // 2].mean() > 140
    assert patch[PATCH_HEIGHT // 2 + 2 :].max() == 0


@settings(max_examples=60, deadline=None)
@given(st.floats(10, 240), st.floats(10, 240), st.floats(-3.14, 3.14), st.floats(10, 80))
def test_locator_target_is_what_the_reader_decodes(cx: float, cy: float, angle: float, size: float):
    target = locator_target(label(cx, cy, angle, size), CROP, CROP)
    heat = np.where(target.heat == 1, 5, -9).astype(np.float32)
    found = decode(
        np.concatenate([heat[None], target.values]), stride=4, size_unit=24, threshold=0.3, most=5
    )
    assert len(found) == 1
    # Labels count from the corner of a pixel, reads from its centre.
    assert found.centre[0] + 0.5 == pytest.approx([cx, cy], abs=0.01)
    assert found.direction[0] == pytest.approx([-np.sin(angle), np.cos(angle)], abs=1e-4)
    assert found.size[0] == pytest.approx(size, rel=1e-4)


def test_hidden_and_odd_sized_indices_are_neither_wanted_nor_punished():
    for row in (label(rank_seen=0.4), label(size=5.0), label(size=120.0)):
        target = locator_target(row, CROP, CROP)
        assert target.heat.max() == 0
        assert target.mask.max() == 0
        assert target.weight.min() == 0
    covered = locator_target(label(rank_seen=0.1), CROP, CROP)
    assert covered.weight.min() == 1


def test_classes_follow_what_shows():
    assert patch_classes(label()[0]) == (4, 1)
    assert patch_classes(label(suit_seen=0.05)[0]) == (4, NO_SUIT)
    assert patch_classes(label(suit_seen=0.2)[0]) == (4, IGNORE)
    assert patch_classes(label(rank_seen=0.4)[0]) == (IGNORE, IGNORE)
    assert patch_classes(label(rank_seen=0.0, suit_seen=0.0)[0]) == (NO_GLYPH, NO_SUIT)


def test_candidates_are_matched_by_place_turn_and_size():
    rows = label()
    pose = rows[0, :5].copy()
    assert match_candidate(rows, pose) == (4, 1, 0)
    turned = pose.copy()
    turned[2:4] *= -1
    assert match_candidate(rows, turned)[0] == NO_GLYPH
    far = pose.copy()
    far[0] += 40
    assert match_candidate(rows, far)[0] == NO_GLYPH
    beside = pose.copy()
    beside[0] += 12
    assert match_candidate(rows, beside)[0] == IGNORE


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_crops_keep_labels_on_their_place(seed: int):
    rng = np.random.default_rng(seed)
    image = np.zeros((240, 320, 3), np.uint8)
    cx, cy = rng.uniform(60, 260), rng.uniform(60, 180)
    cv2.circle(
        image, (round(cx * 16 - 8), round(cy * 16 - 8)), 6 * 16, (255, 255, 255), -1, cv2.LINE_AA, 4
    )
    crop, target = locator_crop(image, label(cx, cy, rng.uniform(-3, 3), 34.0), rng)
    if target.heat.max() == 1 and crop.max() > 180:
        y, x = np.unravel_index(target.heat.argmax(), target.heat.shape)
        centre = (np.array([x, y]) + 0.5 + target.values[:2, y, x]) * 4
        ys, xs = np.nonzero(crop[..., 0] > 180)
        inside = 8 < centre[0] < CROP - 8 and 8 < centre[1] < CROP - 8
        if inside:
            assert centre == pytest.approx([xs.mean() + 0.5, ys.mean() + 0.5], abs=1.6)
