"""How reads are scored against what lies there."""

from __future__ import annotations

import numpy as np
import pytest

from companion.cards import parse_cards
from companion.decks import get_deck
from models.evaluation.pictures import Laid, printed_glyphs
from models.evaluation.scoring import score
from models.synth.own import Workshop, own_deck
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


@pytest.mark.parametrize(
    ("deck", "printed", "english_too"),
    [
        ("french", {"A": "1", "J": "V", "Q": "D", "K": "R"}, 36),
        ("german", {"J": "B", "Q": "D"}, 44),
        ("russian", {"A": "Т", "J": "В", "Q": "Д", "K": "К"}, 40),  # the К looks like a K
        ("nordic", {"J": "Kn", "Q": "D"}, 44),
        ("standard", {}, 52),
    ],
)
def test_pictures_for_measuring_bear_what_the_deck_prints(deck, printed, english_too):
    assert printed_glyphs(get_deck(deck)) == printed
    english = own_deck(np.random.default_rng(3), Workshop(), {})
    named = Laid(printed).faces(english, np.random.default_rng(4), 60)
    assert len(named) == english_too
    with_jokers = Laid(jokers=True).faces(english, np.random.default_rng(4), 60)
    assert len(with_jokers) == 54
    assert {"JK1", "JK2"} < {face.name for face in with_jokers}
    assert with_jokers[0].name == "JK1"


def test_letters_without_a_font_are_refused():
    with pytest.raises(ValueError, match="no font has В"):
        own_deck(np.random.default_rng(3), Workshop(), {"J": "В"})
