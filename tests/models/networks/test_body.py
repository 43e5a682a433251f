"""What the body reader is shown: beside an index, as the running reader cuts it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.labels import GLYPH_ID, GLYPHS, NO_SUIT
from models.networks.body.samples import (
    ANCHOR,
    BODIES,
    BODY_OF,
    GREY,
    HEIGHT,
    HIDDEN,
    INDEX_HEIGHT,
    WIDTH,
    bodies_of,
    body_class,
    class_shares,
    cut_body,
)
from models.training.samples import IGNORE, SceneFile, halved
from vision.indices.classify import cut_patches
from vision.indices.locate import Candidates


def clouds(seed, height=420, width=560):
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 255, (height // 12, width // 12, 3), dtype=np.uint8)
    return np.kron(coarse, np.ones((12, 12, 1), np.uint8))


@given(
    st.floats(100, 450),
    st.floats(100, 320),
    st.floats(0, 6.28),
    st.floats(9, 120),
    st.integers(0, 20),
)
def test_training_and_reading_cut_alike(x, y, angle, size, seed):
    picture = clouds(seed)
    dx, dy = np.cos(angle), np.sin(angle)
    ours = cut_body(halved(picture), x, y, dx, dy, size)
    found = Candidates(
        centre=np.array([[x - 0.5, y - 0.5]], np.float32),
        direction=np.array([[dx, dy]], np.float32),
        size=np.array([size], np.float32),
        heat=np.ones(1, np.float32),
    )
    theirs = cut_patches(
        picture,
        found,
        patch=(WIDTH, HEIGHT),
        index_height=INDEX_HEIGHT,
        anchor=ANCHOR,
    )[0]
    shown = np.ones(ours.shape[:2], bool)
    (cx, cy), (across, down) = ANCHOR, HIDDEN
    shown[cy - down : cy + down, cx - across : cx + across] = False
    assert np.all(ours[~shown] == GREY)
    # Each rounds where it samples in its own way; on a step in the picture that shows.
    off = np.abs(ours[shown].astype(int) - theirs[shown])
    assert off.mean() < 1.5


@pytest.mark.parametrize("glyph", [g for g in GLYPHS if g != "none"])
def test_every_glyph_has_a_body_but_the_t_of_ace_and_ten(glyph):
    body = body_class(GLYPH_ID[glyph])
    if glyph == "T":
        assert body == IGNORE
    else:
        assert BODIES[body] == BODY_OF[glyph]


def a_scene(tmp_path, rows, shown=(1, 1, 1, 1)):
    import cv2

    cv2.imwrite(str(tmp_path / "000000.jpg"), clouds(1))
    labels_of = np.array(rows, np.float32)
    np.savez(tmp_path / "000000.npz", labels=labels_of, shown=np.array(shown, np.float32))
    return SceneFile(tmp_path / "000000.jpg", tmp_path / "000000.npz")


SEVEN, JOKER = GLYPH_ID["7"], GLYPH_ID["joker"]


def test_only_what_shows_enough_is_learnt_from(tmp_path):
    rows = [
        (200, 200, 0, 1, 30, SEVEN, 1, 1, 1, 0),
        (300, 200, 0, 1, 30, JOKER, NO_SUIT, 1, 1, 1),
        (400, 200, 0, 1, 30, SEVEN, 2, 0.1, 1, 2),  # hidden
        (100, 200, 0, 1, 5, SEVEN, 2, 1, 1, 3),  # too small
    ]
    file = a_scene(tmp_path, rows)
    samples = list(bodies_of(file, np.random.default_rng(0)))
    assert [(body, suit) for _, body, suit in samples] == [
        (BODIES.index("7"), 1),
        (BODIES.index("joker"), IGNORE),
    ]
    shares = class_shares([file])
    assert shares[: len(BODIES)].sum() == pytest.approx(1)
    assert shares[BODIES.index("7")] == shares[BODIES.index("joker")] == 0.5
    assert list(shares[len(BODIES) :]) == [0, 1, 0, 0]


def test_of_covered_cards_only_some_are_learnt_from(tmp_path):
    rows = [(200, 200, 0, 1, 30, SEVEN, 1, 1, 1, 0), (300, 200, 0, 1, 30, JOKER, 4, 1, 1, 1)]
    file = a_scene(tmp_path, rows, shown=(0.9, 0.2))
    rng = np.random.default_rng(0)
    bodies = [body for _ in range(200) for _, body, _ in bodies_of(file, rng)]
    assert bodies.count(BODIES.index("7")) == 200
    assert 50 < bodies.count(BODIES.index("joker")) < 110
