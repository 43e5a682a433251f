"""Doubtful suits are told by the symbols of the same picture that they look like."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks import get_deck
from vision.indices.hypotheses import Hypotheses
from vision.indices.suits import doubtful_suits_by_cluster, suits_by_cluster
from vision.types import RANK_LABELS, SUIT_LABELS

DECK = get_deck("standard")
S, C = SUIT_LABELS.index("S"), SUIT_LABELS.index("C")
RANKS = RANK_LABELS[:13]
NAMES = ["AS", "2C", "3S", "4C", "5S", "6C", "7S", "8C", "9S", "10C"]
DOUBTFUL = (3, 6, 9)


def scene(*, seed=0, apart=6.0, doubt=0.6):
    """Ten black cards with marks; the network is sure of all but three, and leans wrong there."""
    rng = np.random.default_rng(seed)
    n = len(NAMES)
    ranks = np.full((n, 15), 1e-6, np.float32)
    suits = np.full((n, 5), 1e-6, np.float32)
    way = rng.normal(size=16)
    way *= apart / np.linalg.norm(way)
    marks = rng.normal(size=(n, 16))
    for k, name in enumerate(NAMES):
        ranks[k, RANKS.index(name[:-1])] = 1.0
        right = S if name[-1] == "S" else C
        sure = 1 - doubt if k in DOUBTFUL else 0.999
        suits[k, [right, S + C - right]] = sure, 1 - sure
        marks[k] += way if right == S else 0
    return marks.astype(np.float32), Hypotheses(DECK, ranks, suits)


@pytest.mark.parametrize("seed", range(6))
def test_cards_that_lie_about_are_told_by_their_like_where_one_is_in_doubt(seed):
    marks, hypotheses = scene(seed=seed, apart=9.0)
    after = doubtful_suits_by_cluster(marks, hypotheses)
    for k in DOUBTFUL:
        right = S if NAMES[k][-1] == "S" else C
        assert hypotheses.suit_probs[k, right] < 0.5 < after.suit_probs[k, right]


def test_a_corner_unlike_the_rest_of_its_suit_does_not_become_the_other_one_alone():
    """A lone card of the other suit may as well be a half covered corner of one of these."""
    marks, hypotheses = scene(apart=0.0)
    suits = np.full_like(hypotheses.suit_probs, 1e-6)
    suits[:, S], suits[:, C] = 0.999, 0.001
    suits[3, [S, C]] = 0.7, 0.3
    marks[3] += 5.0
    all_spades = Hypotheses(DECK, hypotheses.rank_probs, suits)
    alone = doubtful_suits_by_cluster(marks, all_spades)
    assert suits_by_cluster(marks, all_spades, np.zeros(len(marks), bool)).suit_probs[3, C] > 0.5
    assert alone.suit_probs[3, S] == np.float32(0.7)
    suits[6, [S, C]] = 0.001, 0.999
    marks[6] += 5.0
    two = doubtful_suits_by_cluster(marks, Hypotheses(DECK, hypotheses.rank_probs, suits))
    assert two.suit_probs[3, C] > 0.9


def test_nothing_is_compared_where_no_suit_is_in_doubt():
    marks, hypotheses = scene(doubt=0.001)
    assert doubtful_suits_by_cluster(marks, hypotheses) is hypotheses
    assert len(doubtful_suits_by_cluster(marks[:0], hypotheses.take([])).probs) == 0


@pytest.mark.parametrize("seed", range(12))
def test_all_clubs_that_read_as_spades_are_clubs_beside_the_spades_of_their_ranks(seed):
    """Green clubs like diamonds of ink: no certain club lies there to compare them with."""
    rng = np.random.default_rng(seed)
    names = [rank + suit for rank in ("3", "6", "7", "J") for suit in "SC"] + ["9C", "KC", "AS"]
    way = rng.normal(size=16)
    way *= 9.0 / np.linalg.norm(way)
    ranks = np.full((len(names), 15), 1e-4, np.float32)
    suits = np.full((len(names), 5), 1e-4, np.float32)
    marks = rng.normal(0, 0.8, (len(names), 16))
    for k, name in enumerate(names):
        ranks[k, RANKS.index(name[:-1])] = 1.0
        is_club = name[-1] == "C"
        suits[k, [S, C]] = (0.8, 0.2) if is_club else (0.97, 0.03)
        marks[k] += way * is_club
    ranks, suits = (p / p.sum(axis=1, keepdims=True) for p in (ranks, suits))
    hypotheses = Hypotheses(DECK, ranks, suits)
    after = suits_by_cluster(marks.astype(np.float32), hypotheses, np.ones(len(names), bool))
    told = after.suit_probs[:, [S, C]].argmax(axis=1)
    assert told.tolist() == [int(name[-1] == "C") for name in names]
    assert after.suit_probs.sum(axis=1) == pytest.approx(hypotheses.suit_probs.sum(axis=1))
    assert (after.rank_probs == hypotheses.rank_probs).all()


def test_without_marks_or_with_few_cards_no_heaps_are_made():
    marks, hypotheses = scene()
    rivals = np.ones(len(marks), bool)
    assert suits_by_cluster(marks[:, :0], hypotheses, rivals) is hypotheses
    few = np.arange(4)
    some = hypotheses.take(few)
    assert suits_by_cluster(marks[few], some, rivals[few]) is some
