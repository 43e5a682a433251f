"""Each card at most once: exact marginals against listing every way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.indices.assign import marginals


def listed(posteriors, nothing):
    """The same marginals by listing every choice of different cards (0 is "nothing new")."""
    n, cards = posteriors.shape
    total, out = 0.0, np.zeros((n, cards))
    for choice in itertools.product(range(cards + 1), repeat=n):
        taken = [c for c in choice if c]
        if len(set(taken)) < len(taken):
            continue
        weight = float(
            np.prod([posteriors[k, c - 1] if c else nothing[k] for k, c in enumerate(choice)])
        )
        total += weight
        for k, c in enumerate(choice):
            if c:
                out[k, c - 1] += weight
    return out / total


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 4))
@settings(max_examples=80)
def test_marginals_are_those_of_listing_every_way(seed, groups, cards):
    rng = np.random.default_rng(seed)
    # Every chance is worth counting, so nothing is dropped and both sums run over the same ways.
    posteriors = rng.uniform(0.02, 1.0, (groups, cards)).astype(np.float32)
    posteriors /= posteriors.sum(axis=1, keepdims=True) * rng.uniform(1.0, 1.2, (groups, 1))
    posteriors = np.maximum(posteriors, 0.011).astype(np.float32)
    nothing = rng.uniform(0.001, 0.5, groups)
    assert marginals(posteriors, nothing) == pytest.approx(listed(posteriors, nothing), abs=1e-5)


def test_of_two_cards_that_look_alike_the_less_sure_is_the_other():
    posteriors = np.array([[0.99, 0.005], [0.85, 0.14]], np.float32)
    joint = marginals(posteriors, np.array([0.01, 0.01]))
    assert joint[0, 0] > 0.93
    assert joint[1, 1] > 0.85


def test_groups_that_do_not_compete_keep_their_chances():
    posteriors = np.array([[0.7, 0.2, 0.0, 0.0], [0.0, 0.0, 0.6, 0.3]], np.float32)
    assert marginals(posteriors, np.array([0.1, 0.1])) == pytest.approx(posteriors)


def test_a_muddle_of_many_groups_is_still_answered():
    rng = np.random.default_rng(3)
    posteriors = rng.dirichlet(np.ones(14), 20).astype(np.float32)
    joint = marginals(posteriors, np.full(20, 0.05))
    assert np.isfinite(joint).all()
    assert (joint.sum(axis=1) <= 1 + 1e-6).all()


def test_a_long_chain_of_rivals_is_counted_exactly():
    """Twelve groups, each in doubt between its own card and its neighbour's."""
    rng = np.random.default_rng(5)
    groups = 12
    posteriors = np.zeros((groups, groups + 1), np.float32)
    for g in range(groups):
        posteriors[g, g : g + 2] = rng.dirichlet(np.ones(2)) * 0.9
    nothing = rng.uniform(0.01, 0.2, groups)
    # Group by group, all that the next one asks is whether its own card is taken.
    ways = {(): 1.0}
    total, out = 0.0, np.zeros_like(posteriors, dtype=float)
    for g in range(groups):
        following = {}
        for choice, weight in ways.items():
            for k, chance in (
                (-1, nothing[g]),
                (g, posteriors[g, g]),
                (g + 1, posteriors[g, g + 1]),
            ):
                if (k < 0 or k not in choice[-1:]) and chance > 0:
                    following[(*choice, k)] = weight * float(chance)
        ways = following
    for choice, weight in ways.items():
        total += weight
        for g, k in enumerate(choice):
            if k >= 0:
                out[g, k] += weight
    shuffled = rng.permutation(groups)
    joint = marginals(posteriors[shuffled], nothing[shuffled], worth=0.0)
    assert joint == pytest.approx(out[shuffled] / total, abs=1e-6)


def test_a_name_below_what_is_worth_counting_is_only_seen_when_asked_for():
    posteriors = np.array([[0.99, 0.0], [0.9, 0.005]], np.float32)
    nothing = np.array([0.001, 0.001])
    assert marginals(posteriors, nothing)[1, 1] < 0.1
    assert marginals(posteriors, nothing, worth=0.002)[1, 1] > 0.5
