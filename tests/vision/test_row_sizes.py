from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.row_sizes import odds_of_sizes


def row(seed: int, count: int, slope: tuple[float, float]):
    """Indices on a tilted table: log size is a plane, and read off by up to 8 per cent."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform([0, 0], [1600, 900], (count, 2)).astype(np.float32)
    plane = (centre / 1600 - 0.5) @ np.array(slope)
    size = 30 * np.exp(plane + rng.uniform(-0.08, 0.08, count))
    return centre, size.astype(np.float32)


@given(
    st.integers(0, 10_000),
    st.integers(12, 52),
    st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)),
    st.floats(0.5, 2.0),
)
def test_only_what_is_far_from_the_plane_of_sizes_is_doubted(seed, count, slope, factor):
    centre, size = row(seed, count, slope)
    likely = np.ones(count, bool)
    assert odds_of_sizes(centre, size, likely).min() > 0.2
    likely[0], size[0] = False, size[0] * factor
    odds = odds_of_sizes(centre, size, likely)
    assert (odds > 0).all()
    assert (odds <= 1).all()
    if abs(np.log(factor)) > 0.55:
        assert odds[0] < 0.05


def test_the_likely_ones_themselves_may_stray():
    centre, size = row(3, 30, (0.3, 0.1))
    size[4] *= 1.8
    odds = odds_of_sizes(centre, size, np.ones(30, bool))
    assert odds[4] < 0.05
    assert np.delete(odds, 4).min() > 0.2


@pytest.mark.parametrize("likely", [0, 7])
def test_few_likely_indices_say_nothing_of_the_others(likely):
    centre, size = row(5, 20, (0.0, 0.0))
    size[-1] *= 3
    assert odds_of_sizes(centre, size, np.arange(20) < likely).tolist() == [1.0] * 20
