"""Photographs made worse: by as much as is said, and counted together."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from models.evaluate import main
from models.evaluation.scoring import Tally, total
from models.evaluation.worsening import WAYS


def edge():
    """Black beside white, 480 × 640."""
    picture = np.full((480, 640, 3), 240, np.uint8)
    picture[:, 300:] = 10
    return picture


def test_each_way_keeps_the_picture_and_takes_something_from_it():
    picture = edge()
    made = {name: change(picture) for name, change in WAYS.items()}
    assert (made["as they are"] == picture).all()
    sizes = {name: image.shape[:2] for name, image in made.items()}
    assert sizes["half the size"] == sizes["half, compressed"] == (240, 320)
    assert sizes["a third of the size"] == (158, 211)
    assert sizes["dark"] == sizes["blurred"] == (480, 640)
    assert made["dark"][:, :290].mean() == pytest.approx(72, abs=1)
    assert made["dark"][:, :290].std() == pytest.approx(6, abs=1)
    steps = {name: np.abs(np.diff(image[..., 0].astype(int))).max() for name, image in made.items()}
    assert steps["blurred"] < 0.6 * steps["as they are"]
    assert len(np.unique(made["half, compressed"])) > 2
    assert all(image.dtype == np.uint8 for image in made.values())
    assert (edge() == picture).all(), "the picture itself is left as it was"


def test_counts_of_several_sets_are_added():
    found = total([Tally(photos=1, cards=5, read=4, wrong=1), Tally(photos=2, cards=7, read=7)])
    assert (found.photos, found.cards, found.read, found.wrong) == (3, 12, 11, 1)


def test_a_folder_is_read_in_every_way(tmp_path, capsys):
    cv2.imwrite(str(tmp_path / "empty.png"), edge())
    entry = {"image": "empty.png", "set": "none", "kind": "none", "cards": []}
    film = {"video": "none.mp4", "set": "none", "kind": "film", "row": []}
    (tmp_path / "truth.json").write_text(json.dumps([entry, film]))
    assert main([str(tmp_path), "--worse"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:22].strip() for line in lines] == list(WAYS)
    assert all("photos    1 exact    1" in line for line in lines), lines
