"""The films of sweeps: rows as they are laid, pans as they are held."""

from __future__ import annotations

import numpy as np
import pytest

from models.evaluation.sweeps import CONFIGURATION, FPS, Pan, laid_row, panned, wander
from models.synth.camera import project

SIZE = (1280, 720)


def pan_over(lines, seed, scale=2.0) -> Pan:
    return panned(np.random.default_rng(seed), lines, SIZE, scale, CONFIGURATION)


def looked_at(view) -> np.ndarray:
    return project(np.linalg.inv(view), [(SIZE[0] / 2, SIZE[1] / 2)])[0]


@pytest.mark.parametrize("seed", range(20))
def test_all_cards_are_laid_line_by_line_to_the_right(seed: int):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(30, 53))
    lines = laid_row(rng, count, CONFIGURATION)
    assert 1 <= len(lines) <= 3
    assert sum(map(len, lines)) == count
    for line in lines:
        assert len(line) == 1 or np.diff([p.x for p in line]).min() > 5
    middles = [np.mean([p.y for p in line]) for line in lines]
    assert middles == sorted(middles)


def test_rows_differ_in_lines_bends_and_gaps():
    rows = [laid_row(np.random.default_rng(k), 40, CONFIGURATION) for k in range(40)]
    assert {len(row) for row in rows} == {1, 2, 3}
    steps = [np.diff([p.x for p in row[0]]) for row in rows]
    assert 5 < sum(step.max() > 1.8 * np.median(step) for step in steps) < 30
    rises = [np.ptp([p.y for p in row[0]]) for row in rows]
    assert min(rises) < 15 < 40 < max(rises)


@pytest.mark.parametrize("seed", range(5))
def test_a_pan_begins_at_one_end_and_ends_at_the_other(seed: int):
    line = laid_row(np.random.default_rng(0), 30, CONFIGURATION)[0]
    pan = pan_over([line], seed)
    half = SIZE[0] / 2.0 / 2
    assert abs(looked_at(pan.views[0])[0] - line[0].x) < half
    assert abs(looked_at(pan.views[-1])[0] - line[-1].x) < half
    passed = [looked_at(view)[0] for view in pan.views]
    steps = np.abs(np.diff(passed))
    assert steps.max() < 0.25 * SIZE[0] / 2.0
    assert len(pan.views) == len(pan.blur) == len(pan.defocus) == len(pan.gain)


def test_what_moves_faster_is_blurred_more():
    line = laid_row(np.random.default_rng(0), 30, CONFIGURATION)[0]
    pan = pan_over([line], 3)
    middle = np.array([SIZE[0] / 2, SIZE[1] / 2])
    moved = [
        np.linalg.norm(project(view, [looked_at(before)])[0] - middle)
        for before, view in zip(pan.views, pan.views[1:], strict=False)
    ]
    blur = np.linalg.norm(pan.blur[1:], axis=1)
    share = blur / np.maximum(moved, 1e-9)
    assert np.ptp(share) < 1e-6
    low, high = CONFIGURATION.exposure
    assert low * FPS <= share[0] <= high * FPS


def test_wandering_is_smooth_and_keeps_near():
    values = wander(np.random.default_rng(2), 600, 1.0)
    assert values.shape == (600,)
    assert 0.4 < values.std() < 1.6
    assert np.abs(np.diff(values)).max() < 0.5
