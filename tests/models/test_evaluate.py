"""How reads are scored against what lies there."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import parse_cards
from models.evaluate import score
from tests.vision.layouts import read_of
from vision.types import Reading

DOWN = [(np.array([50.0, 50.0]), np.array([0.0, 20.0]))]


def reading_of(text: str) -> Reading:
    return Reading((100, 100), tuple(read_of(card, DOWN) for card in parse_cards(text)))


@pytest.mark.parametrize(
    ("entry", "read", "counts", "missed", "wrong"),
    [
        ({"cards": ["2S", "KH"]}, "2S KH", (2, 2, 0), [], []),
        ({"cards": ["2S", "KH"]}, "2S KD", (2, 1, 1), ["KH"], ["KD"]),
        ({"cards": ["2S"], "outlines": [{"card": "KD"}]}, "2S KD", (1, 1, 0), [], []),
        ({"cards": ["2S"], "outlines": [{"card": "KH"}]}, "2S KD", (1, 1, 1), [], ["KD"]),
        ({"rank_only": True, "ranks": ["2", "2", "K"]}, "2S 2H", (3, 2, 0), ["K"], []),
        ({"rank_only": True, "ranks": ["2"]}, "2S 2H", (1, 1, 1), [], ["2"]),
    ],
)
def test_reads_are_scored_as_sets(entry, read, counts, missed, wrong):
    *numbers, missing, made_up = score(entry, reading_of(read))
    assert tuple(numbers) == counts
    assert (missing, made_up) == (missed, wrong)
