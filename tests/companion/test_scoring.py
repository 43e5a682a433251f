import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import UnreadableError
from companion.games.precognition.scoring import (
    best_stretch,
    changes,
    longest,
    match_stretch,
    read_prediction,
)

SEED = [2, 6, 5, 4, 7, 9, 7, 1, 2, 2, 5, 8]
letters = st.text("UDS", min_size=1, max_size=9)


def test_the_printed_example():
    assert changes(SEED) == "UDDUUDDUSUU"
    stretch = match_stretch(changes(SEED), "UUDDUSU")
    assert (stretch.start, stretch.end, stretch.length) == (4, 11, 7)


def test_unknown_cards_match_nothing():
    assert changes([1, None, 3, 4]) == "??U"
    assert match_stretch("??U", "U").start == 3
    assert match_stretch("??", "U") is None


@given(st.lists(st.integers(1, 13), min_size=1, max_size=52), letters)
def test_a_match_is_a_run_of_changes(row, text):
    found = match_stretch(changes(row), text)
    places = [
        i + 1 for i in range(len(row) - len(text)) if changes(row[i : i + len(text) + 1]) == text
    ]
    assert (found.start if found else None) == (places[0] if places else None)


@given(st.text("UDS?", max_size=20), letters)
def test_the_best_stretch_is_the_longest_common_part(row_changes, text):
    parts = {text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    expected = max((len(part) for part in parts if part in row_changes), default=0)
    best = best_stretch(row_changes, text)
    assert (best.length if best else 0) == expected
    if best:
        piece = text[best.offset : best.offset + best.length]
        assert row_changes[best.start - 1 : best.end - 1] == piece


@pytest.mark.parametrize(
    ("lengths", "expected"), [([3, 5, 5], (1, 2)), ([0, 0], ()), ([], ()), ([1], (0,))]
)
def test_longest(lengths, expected):
    assert longest(lengths) == expected


def test_reading_predictions():
    assert read_prediction(" uds ") == "UDS"
    with pytest.raises(UnreadableError, match="letter 3 is “X”"):
        read_prediction("UDX")
    with pytest.raises(UnreadableError, match="at least one"):
        read_prediction("")
