"""Sets for measuring are drawn on where a run was stopped."""

import json
from functools import partial

import pytest

from models.evaluation.rendering import write_truth


def drawn(fails_at, said, index):
    if index == fails_at:
        raise RuntimeError("stopped")
    return {"image": f"{index}.jpg", "said": said}


def test_what_was_drawn_before_a_stop_is_kept(tmp_path):
    with pytest.raises(RuntimeError, match="stopped"):
        write_truth(partial(drawn, 2, "first"), tmp_path, count=4, workers=1)
    assert not (tmp_path / "truth.json").exists()
    write_truth(partial(drawn, None, "second"), tmp_path, count=4, workers=1)
    truth = json.loads((tmp_path / "truth.json").read_text("utf-8"))
    assert [entry["image"] for entry in truth] == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"]
    assert [entry["said"] for entry in truth][:3] == ["first", "first", "second"]
