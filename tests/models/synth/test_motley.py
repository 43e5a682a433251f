"""Scenes of strangers for the classifier."""

from __future__ import annotations

import numpy as np
import pytest

from models.labels import GLYPHS, NO_GLYPH, NO_SUIT, STANDARD_RANKS
from models.networks.classifier.samples import patches_of
from models.synth.motley import motley_scene
from models.synth.own import Workshop, stray_card
from models.synth.scene import Props


@pytest.mark.parametrize("seed", range(4))
def test_a_scene_follows_from_its_seed_and_gives_patches(seed: int):
    scene = motley_scene(np.random.default_rng(seed), Workshop(), Props())
    again = motley_scene(np.random.default_rng(seed), Workshop(), Props())
    assert np.array_equal(scene.image, again.image)
    assert np.array_equal(scene.labels, again.labels)
    assert 4 <= len(scene.names) <= 10
    patches = list(patches_of(scene.image, scene.labels, np.random.default_rng(seed)))
    named = [GLYPHS[glyph] for _, glyph, _ in patches if glyph != NO_GLYPH]
    assert set(named) <= set(GLYPHS)
    assert all(views.shape == (64, 48, 6) for views, _, _ in patches)


def test_cards_of_other_games_bear_no_suit_of_ours():
    rng = np.random.default_rng(5)
    suits = [{mark.suit for mark in stray_card(rng, Workshop()).indices} for _ in range(200)]
    assert 3 <= suits.count({NO_SUIT}) <= 30
    assert all(len(of_card) == 1 for of_card in suits)


def test_no_two_strangers_look_alike():
    rng = np.random.default_rng(3)
    cards = [stray_card(rng, Workshop()) for _ in range(60)]
    assert all(card.name[:-1] in STANDARD_RANKS and card.name[-1] in "SHDC" for card in cards)
    assert len({card.name for card in cards}) > 30
    widths = [
        (mark.rank_box[2] - mark.rank_box[0]) / (mark.rank_box[3] - mark.rank_box[1])
        for card in cards
        if card.name[:-1] != "10"
        for mark in card.indices[:1]
    ]
    assert max(widths) > 2.5 * min(widths)
