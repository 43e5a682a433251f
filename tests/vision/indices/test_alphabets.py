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
    RULE,
    LettersOfFilm,
    chance_of_rank,
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


def chance(rank: int, own: np.ndarray, *others: np.ndarray) -> float:
    """Of a card with these corners among others in the picture."""
    return chance_of_rank(rank, weights_of(np.concatenate([own, *others]), GLYPHS), own, GLYPHS)


def mixed(glyph: str, share: float, other: str, rest: float) -> np.ndarray:
    """A corner that reads as two glyphs."""
    out = seen(glyph, sure=share)
    out *= (1 - share - rest) / max(1e-9, 1 - share)
    out[0, GLYPHS.index(glyph)], out[0, GLYPHS.index(other)] = share, rest
    return out


def test_a_letter_that_decks_in_question_read_otherwise_is_doubtful():
    lone = seen("V")
    assert chance(11, lone, seen("7", "A")) < RULE.sure
    assert chance(12, lone, seen("7", "A")) < RULE.sure
    # A French king settles what V means.
    assert chance(11, lone, seen("R")) > RULE.sure


def test_half_a_foreign_letter_is_doubtful():
    assert chance(8, mixed("8", 0.48, "B", 0.48), seen("7")) < RULE.sure
    assert likeliest(weights_of(mixed("8", 0.48, "B", 0.48), GLYPHS)).name == "standard"


def test_a_lone_eight_whose_corners_agree_is_one():
    """Large thin indices: each corner may be a B, both together hardly."""
    corners = np.concatenate([mixed("8", 0.77, "B", 0.22), mixed("8", 0.59, "B", 0.39)])
    assert chance(8, corners) > RULE.sure
    # One of them alone may be another deck's; a jack tells that this deck has no B.
    assert chance(8, corners[1:]) < RULE.sure < chance(8, corners[1:], seen("J"))


@given(st.integers(2, 4), st.floats(0.9, 0.999), st.floats(0.3, 0.6))
def test_several_agreeing_corners_are_not_doubted_for_one_that_does_not(count, sure, other):
    corners = seen(*["8"] * count, sure=sure)
    corners = np.concatenate([corners, mixed("8", 1 - other - 0.02, "B", other)])
    assert chance(8, corners) > RULE.sure


@given(st.lists(st.sampled_from(ENGLISH), min_size=1, max_size=60))
def test_clear_english_letters_are_never_doubtful(glyphs):
    every = seen(*glyphs, sure=0.95)
    for k, glyph in enumerate(glyphs):
        rank = ENGLISH.index(glyph) + 1
        assert chance_of_rank(rank, weights_of(every, GLYPHS), every[[k]], GLYPHS) > RULE.sure
