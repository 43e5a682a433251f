"""What a reader makes of whole pictures of rows, and which of two readings of one stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import read_of
from vision.rows.row_places import leaves_open
from vision.scene import Scene, Stage, scene_of
from vision.stages import look_again_at_row
from vision.types import Reading

CARDS = get_deck().cards[:52]


def reading(count: int, confidence: float = 0.98, step: float = 40.0) -> Reading:
    """A row of so many cards, their indices 30 px high, a step apart."""
    reads = [
        read_of(
            card,
            [(np.array([60.0 + step * k, 60.0]), np.array([0.0, 30.0]))],
            confidence=confidence,
        )
        for k, card in enumerate(CARDS[:count])
    ]
    return Reading(size=(2400, 200), cards=tuple(reads))


DOUBT = reading(32).cards[31:]


@pytest.mark.parametrize(
    ("row", "is_so"),
    [
        (reading(20), False),
        (replace(reading(20), doubtful=DOUBT), True),
        (replace(reading(20, step=120.0), doubtful=DOUBT), False),
        (reading(48), False),
        (reading(49), True),
        (reading(51), True),
        (reading(52), False),
        (reading(1), False),
        (reading(0), False),
    ],
)
def test_a_row_of_overlapped_cards_is_open_where_a_card_is_in_doubt_or_missing(row, is_so):
    assert leaves_open(row, 52) is is_so


@pytest.mark.parametrize("missing", [6, 12])
def test_a_row_with_a_gap_is_open(missing):
    row = reading(20)
    assert leaves_open(replace(row, cards=(*row.cards[:missing], *row.cards[missing + 1 :])), 52)


@pytest.mark.parametrize(
    ("first", "second", "looks", "cards"),
    [
        (reading(50), reading(52), 2, 52),
        (reading(52), None, 1, 52),
        (reading(30), None, 1, 30),
        (replace(reading(30), doubtful=DOUBT), reading(32), 2, 32),
        (replace(reading(30), doubtful=DOUBT), reading(29), 2, 30),
        (replace(reading(30), doubtful=DOUBT), reading(31, confidence=0.9), 2, 30),
    ],
)
def test_a_row_that_leaves_something_open_is_looked_at_again_and_the_surer_reading_stands(
    first, second, looks, cards
):
    again = [Stage("again", lambda scene: shown(scene, second, looks=2))]
    noise = np.random.default_rng(2).integers(60, 200, (120, 160, 3)).astype(np.uint8)
    done = look_again_at_row(again, shown(scene_of(noise, get_deck()), first))
    assert len(done.cards) == cards
    assert done.looks == looks


def shown(scene: Scene, reading: Reading, *, looks: int = 1) -> Scene:
    """A scene as if it had been read so."""
    return replace(scene, cards=reading.cards, doubtful=reading.doubtful, looks=looks)
