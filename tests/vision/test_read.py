"""What a reader makes of whole pictures, and which of two readings of one stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import read_of
from vision.read import Reader, of_deepened
from vision.search_again import with_last_of_deck
from vision.settings import STILL
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
    stands = of_deepened(first, second, 52)
    assert stands.cards == first.cards
    assert [read.card for read in stands.doubtful] == [CARDS[51]]
    assert stands.doubtful[0].confidence < STILL.accept


@pytest.mark.parametrize(("count", "asked"), [(51, True), (49, True), (48, False)])
def test_what_another_reading_shows_of_the_last_cards_of_a_deck_is_asked_about(count, asked):
    first, second = reading(count), reading(52)
    second = replace(second, cards=second.cards[1:])
    stands = with_last_of_deck(first, second, 52)
    assert stands.cards == first.cards
    assert [r.card for r in stands.doubtful] == list(CARDS[count:52] if asked else ())


def test_a_name_for_the_index_of_another_card_is_none_of_the_last_ones():
    first = reading(51)
    last = replace(first.cards[7], card=CARDS[51])
    other = replace(first, cards=(*first.cards[:7], last, *first.cards[8:]))
    assert with_last_of_deck(first, other, 52) is first


@pytest.mark.parametrize(
    ("first", "second", "looks", "cards"),
    [
        (reading(50), reading(52), 2, 52),  # the last of a deck are wanting
        (reading(52), None, 1, 52),
        (reading(30), None, 1, 30),
        (replace(reading(30), doubtful=reading(32).cards[31:]), reading(32), 2, 32),
        (replace(reading(30), doubtful=reading(32).cards[31:]), reading(29), 2, 30),
    ],
)
def test_a_row_that_leaves_something_open_is_read_a_little_out_of_focus_too(
    monkeypatch, first, second, looks, cards
):
    reader, seen = Reader(threads=1), []
    said = iter([first, second])

    def read_sharpened(image, settings):
        seen.append(image)
        return next(said)

    monkeypatch.setattr(reader, "_read_sharpened", read_sharpened)
    noise = np.random.default_rng(2).integers(60, 200, (120, 160, 3)).astype(np.uint8)
    assert len(reader.read_closely(noise).cards) == cards
    assert len(seen) == looks
    assert all(image.std() < 0.6 * seen[0].std() for image in seen[1:])
