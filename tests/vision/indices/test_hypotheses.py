"""What the classifier says of a glyph, as a deck's own alphabet reads it."""

import json

import numpy as np
import pytest

from companion.cards import Family
from companion.decks import deck_names, get_deck
from vision.indices.hypotheses import rank_probabilities
from vision.inference.model_files import models_folder
from vision.types import RANK_LABELS

CLASSES = json.loads((models_folder() / "models.json").read_text())["models"]["classifier"][
    "glyphs"
]
STANDARD = [name for name in deck_names() if get_deck(name).family is Family.STANDARD]


def surely(glyph: str) -> np.ndarray:
    return np.array([[float(name == glyph) for name in CLASSES]], np.float32)


@pytest.mark.parametrize("name", STANDARD)
def test_every_rank_of_a_deck_can_be_read(name: str):
    deck = get_deck(name)
    read = {int(rank_probabilities(surely(g), CLASSES, deck).argmax()) + 1 for g in CLASSES[:-2]}
    assert {card.rank for card in deck.cards if card.rank} <= read


@pytest.mark.parametrize(
    ("name", "glyph", "rank"),
    [
        ("russian", "T", "A"), ("russian", "B", "J"), ("russian", "Д", "Q"), ("russian", "K", "K"),
        ("german", "B", "J"), ("dutch", "V", "Q"), ("french", "V", "J"), ("nordic", "Kn", "J"),
        ("standard", "K", "K"), ("standard", "1", "A"),
    ],
)  # fmt: skip
def test_a_glyph_means_what_the_deck_says(name: str, glyph: str, rank: str):
    chances = rank_probabilities(surely(glyph), CLASSES, get_deck(name))
    assert RANK_LABELS[int(chances.argmax())] == rank
    assert chances.sum() == pytest.approx(1)


def test_a_letter_that_the_deck_does_not_print_is_no_rank_and_no_neighbour():
    (chances,) = rank_probabilities(surely("B") * 0.9 + surely("8") * 0.1, CLASSES, get_deck())
    assert RANK_LABELS[int(chances.argmax())] == "none"
    assert chances[RANK_LABELS.index("8")] == pytest.approx(0.1)


def test_the_haze_over_letters_that_a_deck_does_not_print_changes_nothing():
    (chances,) = rank_probabilities(surely("V") * 0.04 + surely("5") * 0.96, CLASSES, get_deck())
    assert chances[RANK_LABELS.index("5")] == pytest.approx(1)
