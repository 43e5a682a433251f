"""A deck's own line between symbols that look alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.adapt import adapt, line_of_many
from vision.types import RANK_LABELS, SUIT_LABELS

S, C = SUIT_LABELS.index("S"), SUIT_LABELS.index("C")


def black_cards(rng, bias, ranks=13, spread=1.0):
    """Spades and clubs of the first ranks of a deck whose clubs look ``bias`` more like spades."""
    truth = np.array([(rank, suit) for rank in range(ranks) for suit in (S, C)])
    odds = np.where(truth[:, 1] == C, 3.0, -3.0) - bias + rng.normal(0, spread, len(truth))
    suits = np.zeros((len(truth), 5), np.float32)
    suits[:, C] = 1 / (1 + np.exp(-odds))
    suits[:, S] = 1 - suits[:, C]
    names = np.zeros((len(truth), len(RANK_LABELS)), np.float32)
    names[np.arange(len(truth)), truth[:, 0]] = 1.0
    return truth, names, suits


def everyone(truth):
    return list(range(len(truth))), np.ones((len(truth), len(truth)), bool)


@pytest.mark.parametrize("bias", [-4.0, -2.0, 2.0, 4.0])
def test_the_clubs_of_a_deck_are_told_from_its_spades(bias):
    truth, names, suits = black_cards(np.random.default_rng(1), bias, spread=0.5)
    before = (suits.argmax(axis=1) == truth[:, 1]).mean()
    _, after = adapt(names, suits, *everyone(truth))
    assert before < 1 or abs(bias) < 3
    assert (after.argmax(axis=1) == truth[:, 1]).all()


def test_corners_of_one_card_are_no_pair():
    truth, names, suits = black_cards(np.random.default_rng(2), 4.0)
    leaders, _ = everyone(truth)
    _, after = adapt(names, suits, leaders, np.zeros((len(truth), len(truth)), bool))
    assert after == pytest.approx(suits, abs=1e-6)


def test_without_a_pair_nothing_moves():
    truth, names, suits = black_cards(np.random.default_rng(3), 4.0)
    one = truth[:, 1] == C
    _, after = adapt(names[one], suits[one], *everyone(truth[one]))
    assert after == pytest.approx(suits[one], abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.floats(-5, 5), st.integers(1, 13))
@settings(max_examples=60, deadline=None)
def test_chances_stay_chances(seed, bias, ranks):
    truth, names, suits = black_cards(np.random.default_rng(seed), bias, ranks)
    ranks_after, suits_after = adapt(names, suits, *everyone(truth))
    for chances in (ranks_after, suits_after):
        assert (chances >= 0).all()
        assert chances.sum(axis=1) == pytest.approx(np.ones(len(truth)), abs=1e-5)


def test_a_flat_topped_three_is_told_from_the_five_by_its_own_deck():
    three, five = RANK_LABELS.index("3"), RANK_LABELS.index("5")
    odds = np.array([0.5, 0.8, 0.2, 0.6, 4.0, 4.5, 3.8, 4.2])  # threes look like fives here
    names = np.zeros((8, len(RANK_LABELS)), np.float32)
    names[:, five] = 1 / (1 + np.exp(-odds))
    names[:, three] = 1 - names[:, five]
    suits = np.zeros((8, 5), np.float32)
    suits[np.arange(8), [0, 1, 2, 3] * 2] = 1.0
    after, _ = adapt(names, suits, list(range(8)), np.ones((8, 8), bool))
    assert after.argmax(axis=1).tolist() == [three] * 4 + [five] * 4


@pytest.mark.parametrize("bias", [-4.0, -2.0, 0.0, 2.0, 4.0])
def test_a_long_rows_line_is_found_without_a_single_pair(bias):
    rng = np.random.default_rng(6)
    truth, names, suits = black_cards(rng, bias, spread=0.5)
    one = np.array([k + int(rng.integers(0, 2)) for k in range(0, len(truth), 2)])
    leaders, apart = everyone(one)
    _, paired = adapt(names[one], suits[one], leaders, apart)
    assert paired == pytest.approx(suits[one], abs=1e-6)
    _, after = adapt(names[one], suits[one], leaders, apart, many=True)
    assert (after.argmax(axis=1) == truth[one, 1]).all()


def test_a_few_cards_move_no_line():
    truth, names, suits = black_cards(np.random.default_rng(7), 4.0)
    few = np.flatnonzero(truth[:, 0] < 1)
    _, apart = everyone(few)
    assert line_of_many(suits[few], names[few][:, :13], apart, S, C) == 0.0
