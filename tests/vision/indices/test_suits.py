"""Doubtful suits are told by the certain symbols of the same picture."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import reads_at
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.indices.suits import doubtful_suits_by_cluster, suits_by_cluster, suits_by_likeness
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
    found = Candidates(
        np.stack([np.arange(n) * 90.0, np.full(n, 130.0)], axis=1).astype(np.float32),
        np.tile(np.float32([0, 1]), (n, 1)),
        np.full(n, 60, np.float32),
        np.ones(n, np.float32),
    )
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
    certain = [k for k in range(n) if k not in DOUBTFUL]
    reads = reads_at(found, NAMES, certain)
    return marks.astype(np.float32), found, Hypotheses(DECK, ranks, suits), reads


@pytest.mark.parametrize("seed", range(12))
def test_a_doubtful_suit_goes_to_the_symbols_it_looks_like(seed):
    marks, found, hypotheses, reads = scene(seed=seed, apart=9.0)
    after = suits_by_likeness(marks, found, hypotheses, reads)
    for k in DOUBTFUL:
        right = S if NAMES[k][-1] == "S" else C
        assert hypotheses.suit_probs[k, right] < 0.5 < after.suit_probs[k, right]
    certain = [k for k in range(len(NAMES)) if k not in DOUBTFUL]
    assert (after.suit_probs[certain] == hypotheses.suit_probs[certain]).all()
    assert after.suit_probs.sum(axis=1) == pytest.approx(hypotheses.suit_probs.sum(axis=1))
    assert (after.rank_probs == hypotheses.rank_probs).all()


def test_symbols_that_look_alike_stay_in_doubt():
    """Without a difference between the patterns the marks are but noise."""
    moved = []
    for seed in range(30):
        marks, found, hypotheses, reads = scene(seed=seed, apart=0.0)
        after = suits_by_likeness(marks, found, hypotheses, reads)
        moved += [after.suit_probs[k, S] - hypotheses.suit_probs[k, S] for k in DOUBTFUL]
    assert abs(float(np.mean(moved))) < 0.1
    assert max(abs(float(m)) for m in moved) < 0.6


def test_without_patterns_of_both_suits_nothing_is_moved():
    marks, found, hypotheses, reads = scene()
    for few in (reads[:3], [read for read in reads if read.card.suit == "S"]):
        after = suits_by_likeness(marks, found, hypotheses, few)
        assert (after.suit_probs == hypotheses.suit_probs).all()
    assert suits_by_likeness(marks, found, hypotheses, []) is hypotheses


@pytest.mark.parametrize("seed", range(6))
def test_cards_that_lie_about_are_told_by_their_like_where_one_is_in_doubt(seed):
    marks, found, hypotheses, _ = scene(seed=seed, apart=9.0)
    after = doubtful_suits_by_cluster(marks_from(marks, found), found, hypotheses)
    for k in DOUBTFUL:
        right = S if NAMES[k][-1] == "S" else C
        assert hypotheses.suit_probs[k, right] < 0.5 < after.suit_probs[k, right]


def test_a_corner_unlike_the_rest_of_its_suit_does_not_become_the_other_one_alone():
    """A lone card of the other suit may as well be a half covered corner of one of these."""
    marks, found, hypotheses, _ = scene(apart=0.0)
    suits = np.full_like(hypotheses.suit_probs, 1e-6)
    suits[:, S], suits[:, C] = 0.999, 0.001
    suits[3, [S, C]] = 0.7, 0.3
    marks[3] += 5.0
    all_spades = Hypotheses(DECK, hypotheses.rank_probs, suits)
    alone = doubtful_suits_by_cluster(marks_from(marks, found), found, all_spades)
    assert suits_by_cluster(marks, all_spades, np.zeros(len(marks), bool)).suit_probs[3, C] > 0.5
    assert alone.suit_probs[3, S] == np.float32(0.7)
    suits[6, [S, C]] = 0.001, 0.999
    marks[6] += 5.0
    two = doubtful_suits_by_cluster(
        marks_from(marks, found), found, Hypotheses(DECK, hypotheses.rank_probs, suits)
    )
    assert two.suit_probs[3, C] > 0.9


def test_nothing_is_compared_where_no_suit_is_in_doubt():
    _, found, hypotheses, _ = scene(doubt=0.001)

    def never(poses):
        raise AssertionError(f"{len(poses)} marks were asked for")

    assert doubtful_suits_by_cluster(never, found, hypotheses) is hypotheses
    assert doubtful_suits_by_cluster(never, found.take([]), hypotheses.take([])).probs.shape[0] == 0


def marks_from(marks, found):
    where = {tuple(at): k for k, at in enumerate(found.centre.tolist())}
    return lambda poses: marks[[where[tuple(at)] for at in poses.centre.tolist()]]


def test_a_network_without_marks_moves_nothing():
    marks, found, hypotheses, reads = scene()
    assert suits_by_likeness(marks[:, :0], found, hypotheses, reads) is hypotheses


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
    marks, _, hypotheses, _ = scene()
    rivals = np.ones(len(marks), bool)
    assert suits_by_cluster(marks[:, :0], hypotheses, rivals) is hypotheses
    few = np.arange(4)
    some = hypotheses.take(few)
    assert suits_by_cluster(marks[few], some, rivals[few]) is some
