"""Reliability: bins, the expected calibration error, the picture."""

from __future__ import annotations

import numpy as np
import pytest

from models.evaluation.charts import Reliability


def test_a_reader_whose_confidence_is_what_it_says_has_no_calibration_error():
    rng = np.random.default_rng(1)
    chart = Reliability()
    for sure in rng.uniform(0.2, 1.0, 40_000):
        chart.add({"cards": ["7H"]}, [("7H" if rng.random() < sure else "KS", float(sure))])
    assert chart.calibration_error < 0.01
    assert sum(n for _, _, n, _, _ in chart.table()) == 40_000


def test_overconfidence_is_the_gap():
    chart = Reliability()
    for k in range(100):
        chart.add({"cards": ["7H"] if k < 70 else []}, [("7H", 0.97)])
    assert chart.calibration_error == pytest.approx(0.27)
    chart.add({"rank_only": True, "ranks": ["7"]}, [("7H", 0.5)])
    assert len(chart.right) == 100
    assert Reliability().calibration_error == 0.0


def test_the_chart_is_a_picture():
    chart = Reliability()
    chart.add({"cards": ["7H"]}, [("7H", 0.97), ("2C", 0.3), ("3C", 1.0)])
    assert chart.picture().shape == (500, 500, 3)
