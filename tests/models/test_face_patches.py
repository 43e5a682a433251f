"""Samples for the face reader: whole cards with their classes, cut as the app cuts them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.body_patches import halved
from models.face_patches import cut_face, faces_of, notice, printed_cards, single_view
from models.labels import (
    FACE_INNER,
    GLYPH_ID,
    JOKER,
    NO_GLYPH,
    NO_SUIT,
    OUTLINE_HEIGHT,
    OUTLINE_WIDTH,
    SUIT_ID,
)
from models.synth.drawn import write_deck
from models.synth.scene import Props
from vision.card_patches import CardPatch

CARD = np.array([[300.0, 150.0], [426.0, 170.0], [402.0, 350.0], [276.0, 330.0]])


@pytest.fixture
def picture() -> np.ndarray:
    rng = np.random.default_rng(3)
    return cv2.GaussianBlur(rng.integers(0, 256, (560, 720, 3), dtype=np.uint8), (0, 0), 3)


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("decks") / "drawn"
    write_deck(folder, 77, [])
    return folder


@pytest.mark.parametrize("times", [0.4, 1.0, 2.5])
def test_the_app_cuts_the_same_patches(picture: np.ndarray, times: float):
    image = cv2.resize(picture, None, fx=times, fy=times, interpolation=cv2.INTER_AREA)
    shape = CardPatch((OUTLINE_WIDTH, OUTLINE_HEIGHT), FACE_INNER)
    shown, _ = shape.cut([image], times * CARD)
    patch = cut_face(halved(image), times * CARD)
    assert np.abs(shown.astype(float) - patch.astype(float)).max() <= 1


def test_a_scene_shows_cards_either_way_up_and_what_is_none(picture: np.ndarray):
    cv2.circle(picture, (318, 180), 10, (0, 0, 255), -1)
    back, hidden = CARD - [220, 60], CARD + np.array([180, 150])
    row = [310, 180, -0.13, 0.99, 30, GLYPH_ID["7"], SUIT_ID["H"], 1, 1, 0]
    covered = [490, 330, -0.13, 0.99, 30, GLYPH_ID["K"], SUIT_ID["S"], 1, 1, 2]
    labels = np.array([row, covered], np.float32)
    quads = np.stack([CARD, back, hidden]).astype(np.float32)
    shown = np.array([1, 1, 0.4], np.float32)
    rng = np.random.default_rng(1)
    samples = [s for _ in range(20) for s in faces_of(picture, labels, quads, shown, rng)]
    classes = {(glyph, suit) for _, glyph, suit in samples}
    assert classes == {(GLYPH_ID["7"], SUIT_ID["H"]), (NO_GLYPH, NO_SUIT)}
    sevens = [patch for patch, glyph, _ in samples if glyph == GLYPH_ID["7"]]
    assert sevens[0].shape == (OUTLINE_HEIGHT, OUTLINE_WIDTH, 3)
    # The red spot stands now in the upper, now in the lower half.
    red = [p[..., 2].astype(int) - p[..., 1] for p in sevens]
    turned = [np.unravel_index(r.argmax(), r.shape)[0] > OUTLINE_HEIGHT / 2 for r in red]
    assert any(turned)
    assert not all(turned)


def test_fetched_decks_give_cards_and_jokers(deck: Path):
    cards = printed_cards([deck])
    names = json.loads((deck / "deck.json").read_text(encoding="utf-8"))["cards"]
    assert len(cards) == len(names)
    assert {(c.glyph, c.suit) for c in cards if c.path.stem.startswith("JK")} == {(JOKER, NO_SUIT)}


def test_single_views_show_cards_jokers_and_notices(deck: Path):
    cards = printed_cards([deck])
    jokers = [card for card in cards if card.glyph == JOKER]
    rng = np.random.default_rng(4)
    samples = [single_view(cards, jokers, Props(), rng) for _ in range(60)]
    assert {patch.shape for patch, _, _ in samples} == {(OUTLINE_HEIGHT, OUTLINE_WIDTH, 3)}
    kinds = [glyph for _, glyph, _ in samples]
    assert 5 < kinds.count(JOKER) < 30
    assert 5 < kinds.count(NO_GLYPH) < 30
    assert len(set(kinds)) > 8


def test_a_notice_has_the_shape_of_a_card():
    height, width = notice(Props(), np.random.default_rng(2)).shape[:2]
    assert 0.5 < width / height < 0.9
