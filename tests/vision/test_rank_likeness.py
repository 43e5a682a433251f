"""Ranks are told by the other indices of the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.decks import get_deck
from vision.heaps import heaps
from vision.hypotheses import Hypotheses
from vision.rank_likeness import ranks_by_likeness

DECK = get_deck("standard")
SPREAD = np.full(16, 9.0, np.float32)
ACE, SEVEN = 0, 6


def row(seed, *, per_rank=3, doubt=0.75):
    """Some of each of eight ranks with their marks; every seven reads as an ace, more or less."""
    rng = np.random.default_rng(seed)
    ranks = np.repeat([ACE, SEVEN, 1, 2, 3, 4, 9, 12], per_rank)
    middles = rng.normal(0, 3, (13, 16))
    marks = middles[ranks] + rng.normal(size=(len(ranks), 16))
    chances = np.full((len(ranks), 15), 1e-4, np.float32)
    chances[np.arange(len(ranks)), ranks] = 1
    sevens = np.flatnonzero(ranks == SEVEN)
    chances[sevens, ACE] = rng.uniform(0.52, doubt, len(sevens))
    chances[sevens, SEVEN] = 1 - chances[sevens, ACE]
    chances /= chances.sum(axis=1, keepdims=True)
    suits = np.full((len(ranks), 5), 1e-4, np.float32)
    suits[:, 0] = 1
    suits /= suits.sum(axis=1, keepdims=True)
    return marks.astype(np.float32), Hypotheses(DECK, chances, suits), ranks


def apart(marks):
    """No two of them are rivals."""
    return np.zeros(len(marks), bool)


@pytest.mark.parametrize("seed", range(10))
def test_sevens_that_read_as_aces_are_told_by_each_other(seed):
    marks, hypotheses, ranks = row(seed)
    after = ranks_by_likeness(marks, SPREAD, hypotheses, apart(marks))
    assert (hypotheses.rank_probs[:, :13].argmax(axis=1) != ranks).sum() == 3
    assert (after.rank_probs[:, :13].argmax(axis=1) == ranks).all()
    assert after.rank_probs[:, 13:] == pytest.approx(hypotheses.rank_probs[:, 13:])
    assert (after.suit_probs == hypotheses.suit_probs).all()


def test_marks_that_say_nothing_leave_the_names_as_they_are():
    _, hypotheses, _ = row(1)
    noise = np.random.default_rng(2).normal(size=(len(hypotheses.score), 16)).astype(np.float32)
    after = ranks_by_likeness(noise, np.full(16, 1e-3, np.float32), hypotheses, apart(noise))
    sure = hypotheses.rank_probs.max(axis=1) > 0.9
    best = [h.rank_probs.argmax(axis=1)[sure] for h in (hypotheses, after)]
    assert (best[0] == best[1]).all()


def test_without_marks_or_with_few_cards_nothing_changes():
    marks, hypotheses, _ = row(3)
    none = np.zeros((len(marks), 0), np.float32)
    assert ranks_by_likeness(none, none[0], hypotheses, apart(marks)) is hypotheses
    few = np.arange(5)
    some = hypotheses.take(few)
    assert ranks_by_likeness(marks[few], SPREAD, some, apart(few)) is some


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 5))
def test_chances_stay_chances_and_the_order_of_indices_does_not_matter(seed, n, kinds):
    rng = np.random.default_rng(seed)
    marks = rng.normal(0, 3, (n, 4))
    own = rng.dirichlet(np.ones(kinds), n)
    real = rng.uniform(0.3, 1, n)
    spread = rng.uniform(0.5, 9, 4)
    chances = heaps(marks, spread, own, real)
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-5)
    order = rng.permutation(n)
    assert heaps(marks[order], spread, own[order], real[order]) == pytest.approx(
        chances[order], abs=1e-4
    )


FIVE, SIX = 4, 5


@pytest.mark.parametrize("seed", range(10))
def test_fives_that_read_as_sixes_part_from_them_where_a_suit_is_there_twice(seed):
    """Three fives and three sixes all read as sixes; that one suit cannot be there twice tells."""
    rng = np.random.default_rng(seed)
    ranks = np.repeat([FIVE, SIX, 1, 2, 9, 12], 3)
    suit = np.tile([0, 1, 2], 6)
    middles = rng.normal(0, 3, (13, 16))
    marks = (middles[ranks] + rng.normal(size=(len(ranks), 16))).astype(np.float32)
    chances = np.full((len(ranks), 15), 1e-3, np.float32)
    chances[np.arange(len(ranks)), ranks] = 1
    fives = np.flatnonzero(ranks == FIVE)
    chances[fives, SIX], chances[fives, FIVE] = 0.9, 0.1
    chances /= chances.sum(axis=1, keepdims=True)
    suits = np.full((len(ranks), 5), 1e-3, np.float32)
    suits[np.arange(len(ranks)), suit] = 1
    suits /= suits.sum(axis=1, keepdims=True)
    hypotheses = Hypotheses(DECK, chances, suits)
    alone = ranks_by_likeness(marks, SPREAD, hypotheses, apart(marks))
    told = ranks_by_likeness(marks, SPREAD, hypotheses, ~apart(marks))
    assert (told.rank_probs[:, :13].argmax(axis=1) == ranks).all()
    right = told.rank_probs[fives, FIVE]
    assert (right >= alone.rank_probs[fives, FIVE] - 1e-3).all()


@pytest.mark.parametrize("seed", range(10))
def test_an_index_that_looks_like_nothing_else_keeps_its_name(seed):
    """Burnt out it looks like no ace of the picture, but not therefore like an eight."""
    marks, hypotheses, ranks = row(seed, doubt=0.55)
    rng = np.random.default_rng(seed)
    ace = int(np.flatnonzero(ranks == ACE)[0])
    way = rng.normal(size=16)
    marks[ace] += (12 * way / np.linalg.norm(way)).astype(np.float32)
    chances = hypotheses.rank_probs.copy()
    chances[ace] = 1e-4
    chances[ace, [ACE, 7]] = 0.98, 0.01
    hypotheses = hypotheses.with_ranks(chances / chances.sum(axis=1, keepdims=True))
    after = ranks_by_likeness(marks, SPREAD, hypotheses, apart(marks))
    assert after.rank_probs[ace, :13].argmax() == ACE
