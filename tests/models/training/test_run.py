"""A work folder keeps to the plan it was begun with."""

import json
from dataclasses import replace

import pytest

from companion.errors import UsageError
from models.training.run import Plan, keep_to_plan

PLAN = Plan({"locator": 100, "outliner": 50}, scenes=8)


def test_the_same_plan_goes_on(tmp_path):
    keep_to_plan(tmp_path / "work", PLAN)
    keep_to_plan(tmp_path / "work", PLAN)
    kept = json.loads((tmp_path / "work" / "plan.json").read_text())
    assert kept["samples"] == {"locator": 100, "outliner": 50}
    assert kept["seed"] == 1


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(PLAN, seed=2), "seed"),
        (replace(PLAN, scenes=9), "scenes"),
        (replace(PLAN, samples={"locator": 101, "outliner": 50}), "locator"),
    ],
)
def test_another_plan_is_refused_and_nothing_is_changed(tmp_path, other, named):
    keep_to_plan(tmp_path, PLAN)
    before = (tmp_path / "plan.json").read_text()
    with pytest.raises(UsageError, match=rf"another plan \({named} differ\).*--work"):
        keep_to_plan(tmp_path, other)
    assert (tmp_path / "plan.json").read_text() == before


def test_a_new_network_joins_the_plan(tmp_path):
    keep_to_plan(tmp_path, PLAN)
    keep_to_plan(tmp_path, replace(PLAN, samples={**PLAN.samples, "naming": 10}))
    assert json.loads((tmp_path / "plan.json").read_text())["samples"]["naming"] == 10
