"""Which letters a deck bears, by the glyphs that are seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.decks import get_deck
from models.labels import GLYPHS
from vision.indices.alphabets import (
    DECKS,
    LettersOfFilm,
    ambiguous,
    contradicted,
    likeliest,
    weights_of,
)

ENGLISH = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


def seen(*glyphs: str, sure: float = 0.99) -> np.ndarray:
    """Chances of glyphs that were read so surely."""
    out = np.full((len(glyphs), len(GLYPHS)), (1 - sure) / (len(GLYPHS) - 1), np.float32)
    for k, glyph in enumerate(glyphs):
        out[k, GLYPHS.index(glyph)] = sure
    return out


def told(*glyphs: str, sure: float = 0.99) -> str:
    return likeliest(weights_of(seen(*glyphs, sure=sure), GLYPHS)).name


@pytest.mark.parametrize(
    ("glyphs", "name"),
    [
        ((), "standard"),
        (("7", "8", "9"), "standard"),
        (("J", "Q", "K"), "standard"),
        (("B", "D", "K"), "german"),
        (("V", "D", "R"), "french"),
        (("B", "V", "H"), "dutch"),
        (("Kn", "D", "K"), "nordic"),
        (("Д", "К" if "К" in GLYPHS else "K", "Т" if "Т" in GLYPHS else "T"), "russian"),
        (("7", "B", "9", "D"), "german"),
    ],
)
def test_the_letters_that_are_seen_tell_the_deck(glyphs, name):
    assert told(*glyphs) == name


def test_one_letter_that_the_english_deck_lacks_is_enough_and_a_doubtful_one_is_not():
    assert told("B", "7") != "standard"
    assert told("B", "7", sure=0.5) == "standard"


def test_what_is_no_card_says_nothing():
    chances = seen("B", "D")
    chances[:, GLYPHS.index("none")] += 0.5
    assert not weights_of(chances, GLYPHS).any()
    assert not weights_of(seen(), GLYPHS).any()


@given(st.lists(st.sampled_from(ENGLISH), max_size=60), st.floats(0.7, 1.0))
def test_no_number_of_english_letters_makes_another_deck(glyphs, sure):
    assert told(*glyphs, sure=sure) == "standard"
    assert contradicted(weights_of(seen(*glyphs, sure=sure), GLYPHS), get_deck()) is None


def test_letters_that_contradict_the_chosen_deck_name_the_one_they_look_like():
    german = weights_of(seen("B", "D", "B"), GLYPHS)
    assert contradicted(german, get_deck()).name == "german"
    assert contradicted(german, get_deck("german")) is None
    assert contradicted(german, get_deck("four-index")).name == "german"
    assert contradicted(german, get_deck("pinochle")).name == "german"
    assert contradicted(german, get_deck("suspense")) is None
    english = weights_of(seen("J", "Q"), GLYPHS)
    assert contradicted(english, get_deck("german")).name == "standard"


def test_a_film_is_told_by_its_usual_picture():
    film = LettersOfFilm()
    assert likeliest(film.learn(np.zeros(len(DECKS)))).name == "standard"
    once = weights_of(seen("B", "7"), GLYPHS)
    english = weights_of(seen("J", "7"), GLYPHS)
    assert likeliest(film.learn(once)).name != "standard"
    for _ in range(5):
        film.learn(english)
    assert likeliest(film.learn(np.zeros(len(DECKS)))).name == "standard"


def test_a_letter_that_decks_in_question_read_otherwise_is_ambiguous():
    lone = seen("V", "7", "A")
    assert ambiguous(weights_of(lone, GLYPHS), lone, GLYPHS).tolist() == [True, False, False]
    # A French king settles what V means.
    french = seen("V", "7", "R")
    assert not ambiguous(weights_of(french, GLYPHS), french, GLYPHS).any()


def test_half_a_foreign_letter_is_ambiguous():
    half = seen("8", "7")
    half[0, GLYPHS.index("B")] = half[0, GLYPHS.index("8")] = 0.48
    weights = weights_of(half, GLYPHS)
    assert likeliest(weights).name == "standard"
    assert ambiguous(weights, half, GLYPHS).tolist() == [True, False]


@given(st.lists(st.sampled_from(ENGLISH), max_size=60))
def test_clear_english_letters_are_never_ambiguous(glyphs):
    clear = seen(*glyphs, sure=0.95)
    assert not ambiguous(weights_of(clear, GLYPHS), clear, GLYPHS).any()
