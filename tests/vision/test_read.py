"""Which of two readings of one picture stands."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import read_of
from vision.read import of_deepened
from vision.types import Reading

CARDS = get_deck().cards[:52]


def reading(count: int, confidence: float = 0.98) -> Reading:
    reads = [
        read_of(
            card,
            [(np.array([60.0 + 40 * k, 60.0]), np.array([0.0, 30.0]))],
            confidence=confidence,
        )
        for k, card in enumerate(CARDS[:count])
    ]
    return Reading(size=(2400, 200), cards=tuple(reads))


@pytest.mark.parametrize(
    ("plain", "deepened", "stands"),
    [
        (40, 41, "plain"),  # a spot that deepening makes a card is one more
        (40, 43, "deepened"),
        (51, 52, "deepened"),  # but with the whole deck nothing is made up
        (52, 52, "plain"),
        (52, 51, "plain"),
    ],
)
def test_a_deepened_picture_must_show_clearly_more_or_the_whole_deck(plain, deepened, stands):
    first, second = reading(plain), reading(deepened)
    assert of_deepened(first, second, 52) is (first if stands == "plain" else second)


def test_a_whole_deck_of_which_less_is_sure_does_not_stand():
    first, second = reading(51), reading(52, confidence=0.9)
    assert of_deepened(first, second, 52) is first
