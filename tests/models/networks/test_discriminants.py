"""Directions that tell kinds of one group apart."""

from __future__ import annotations

import numpy as np
import pytest

from models.networks.classifier.discriminants import discriminants, spread_between


def things(seed: int, *, groups: int = 40, each: int = 8):
    """Two kinds a group, told apart along one hidden direction; groups differ wildly elsewhere."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=12)
    hidden /= np.linalg.norm(hidden)
    wide = np.exp(rng.normal(0, 0.5, 12))
    rows, group, kind = [], [], []
    for g in range(groups):
        start = rng.normal(0, 20, 12)
        for k in range(2):
            middle = start + (4 * k) * hidden
            rows.append(middle + rng.normal(size=(each, 12)) * wide)
            group += [g] * each
            kind += [k] * each
    return np.concatenate(rows).astype(np.float32), np.array(group), np.array(kind), hidden, wide


@pytest.mark.parametrize("seed", range(5))
def test_the_first_direction_tells_the_kinds_best(seed: int):
    rows, group, kind, hidden, wide = things(seed)
    found = discriminants(rows, group, kind, count=3)[:, 0]
    best = hidden / wide**2  # Fisher's direction: the inverse scatter times the difference
    for direction, most in ((hidden, 1.0), (best, 1.25)):
        assert fisher(rows, group, kind, found) > fisher(rows, group, kind, direction) / most


def fisher(rows, group, kind, direction) -> float:
    """Squared distance of the kinds over the scatter within, along a direction, of all groups."""
    along = rows @ direction
    apart, within = [], []
    for g in np.unique(group):
        one, other = (along[(group == g) & (kind == k)] for k in (0, 1))
        apart.append((one.mean() - other.mean()) ** 2)
        within += [one.var(ddof=1), other.var(ddof=1)]
    return float(np.mean(apart) / np.mean(within))


def test_things_of_one_kind_lie_about_one_apart():
    rows, group, kind, _, _ = things(7)
    marks = rows @ discriminants(rows, group, kind, count=4)
    for g in np.unique(group)[:10]:
        for k in (0, 1):
            assert 0.2 < marks[(group == g) & (kind == k)].std(axis=0, ddof=1).mean() < 1.6


def test_what_a_group_has_in_common_counts_for_nothing():
    rows, group, kind, _, _ = things(3)
    moved = rows + np.random.default_rng(0).normal(0, 100, (group.max() + 1, 12))[group]
    before = rows @ discriminants(rows, group, kind, count=1)
    after = moved.astype(np.float32) @ discriminants(moved.astype(np.float32), group, kind, count=1)
    inside = [b[group == 0] - b[group == 0].mean() for b in (before[:, 0], after[:, 0])]
    assert abs(np.corrcoef(*inside)[0, 1]) > 0.99


def test_the_spread_of_kinds_is_measured_within_their_groups():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(300), 20)
    kinds = np.tile(np.repeat(np.arange(4), 5), 300)
    middles = rng.normal(0, [3.0, 0.0], (300, 4, 2))
    rows = middles[groups, kinds] + rng.normal(0, 0.1, (len(groups), 2))
    rows += rng.normal(0, 50, (300, 1, 2))[groups, 0]
    spread = spread_between(rows.astype(np.float64), groups, kinds)
    assert spread == pytest.approx([9.0, 0.002], rel=0.15, abs=1e-3)
