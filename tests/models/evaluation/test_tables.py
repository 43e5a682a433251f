"""The tables of a model card."""

from __future__ import annotations

import numpy as np
import pytest

from models.evaluation.tables import Tables, height_of, light_of


def picture(level: int, *, burnt: float = 0.0) -> np.ndarray:
    out = np.full((100, 100, 3), level, np.uint8)
    out[: round(100 * burnt)] = 255
    return out


@pytest.mark.parametrize(
    ("level", "burnt", "light"),
    [
        (40, 0, "dark"), (120, 0, "dim"), (200, 0, "even"), (200, 0.5, "burnt out"),
        (40, 0.05, "dark"),
    ],
)  # fmt: skip
def test_light_is_told_by_the_brightest_tenth(level, burnt, light):
    assert light_of(picture(level, burnt=burnt)) == light


@pytest.mark.parametrize(
    ("px", "name"),
    [(11.9, "under 12 px"), (12, "12 to 18 px"), (31.9, "24 to 32 px"), (48, "from 48 px")],
)
def test_heights_have_classes(px, name):
    assert height_of(px) == name


def test_counts_add_up_line_by_line():
    tables = Tables()
    tables.add({"deck": "b", "index_px": 20.0}, picture(200), 5, 4, 1)
    tables.add({"deck": "a", "index_px": 9.0}, picture(40), 6, 6, 0)
    tables.add({"deck": "b", "index_px": 50.0}, None, 3, 2, 0)
    lines = tables.text().splitlines()
    assert lines[2:4] == ["| a | 1 | 6 | 6 (100.0%) | 0 |", "| b | 2 | 8 | 6 (75.0%) | 1 |"]
    heights = lines[lines.index("| smallest index | photographs | cards | read | wrong |") + 2 :]
    assert [line.split(" |")[0] for line in heights[:3]] == [
        "| under 12 px",
        "| 18 to 24 px",
        "| from 48 px",
    ]
    light = lines[lines.index("| light | photographs | cards | read | wrong |") + 2 :]
    assert light[:2] == ["| dark | 1 | 6 | 6 (100.0%) | 0 |", "| even | 1 | 5 | 4 (80.0%) | 1 |"]


def test_nothing_known_gives_no_table():
    tables = Tables()
    tables.add({}, None, 4, 4, 0)
    assert tables.text() == ""
