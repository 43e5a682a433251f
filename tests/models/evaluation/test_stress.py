"""The stress set: what counts as a loss, and how it is told."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.evaluation import stress
from models.evaluation.stress import KINDS, Count, table


@given(st.integers(1, 500), st.integers(0, 500), st.integers(0, 9))
def test_what_is_no_worse_is_no_loss(cards, missed, wrong):
    before = Count(cards, max(0, cards - missed), wrong)
    assert not before.lost_against(before)
    assert not Count(cards, cards, 0).lost_against(before)
    assert Count(cards, before.read - cards, wrong).lost_against(before) == (
        cards > 2 * max(1, cards - before.read) ** 0.5
    )


@pytest.mark.parametrize(
    ("now", "is_lost"),
    [
        (Count(278, 270, 2), False),
        (Count(278, 268, 2), True),  # five more missed of five
        (Count(278, 273, 4), False),
        (Count(278, 273, 5), True),
    ],
)
def test_a_loss_is_more_than_twice_the_spread(now, is_lost):
    before = Count(278, 273, 2)
    assert now.lost_against(before) == is_lost
    (row,) = table({"large": now}, {"large": before}).splitlines()[2:]
    assert ("**lost**" in row) == is_lost
    assert "273, 2 wrong" in row


def test_the_shipped_figures_are_of_the_kinds_there_are():
    assert set(stress.shipped()) == set(KINDS)


def test_a_release_writes_its_figures(tmp_path, monkeypatch):
    file = tmp_path / "stress.json"
    monkeypatch.setattr(stress, "SHIPPED", file)
    (tmp_path / "decks").mkdir()
    monkeypatch.setattr(stress, "counted", lambda *_, **__: {"fan": Count(9, 8, 0)})
    monkeypatch.setattr(stress, "shipped", dict)
    assert stress.main(["--art", str(tmp_path), "--ship"]) == 0
    assert json.loads(file.read_text())["fan"] == {"cards": 9, "read": 8, "wrong": 0}
    monkeypatch.setattr(stress, "shipped", lambda: {"fan": Count(9, 9, 0)})
    assert stress.main(["--art", str(tmp_path)]) == 0
    monkeypatch.setattr(stress, "shipped", lambda: {"fan": Count(20, 20, 0)})
    assert stress.main(["--art", str(tmp_path)]) == 1
