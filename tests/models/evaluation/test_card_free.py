"""Pictures without cards: which files are taken, and what is written of them."""

from __future__ import annotations

import json

import cv2
import numpy as np

from models.evaluation import card_free


def test_small_doubled_and_unwanted_pictures_are_left_out(tmp_path):
    folder = tmp_path / "unpacked" / "debian-things" / "examples"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for k, name in enumerate(["a.png", "b.jpg", "small.png", "call_graph.png", "cards.png"]):
        side = 60 if name == "small.png" else 400
        coarse = rng.integers(0, 255, (9, 9, 3), dtype=np.uint8)
        image = cv2.resize(coarse, (side + 40 * k, side), interpolation=cv2.INTER_NEAREST)
        cv2.imwrite(str(folder / name), image)
    (folder / "again.jpg").write_bytes((folder / "b.jpg").read_bytes())
    (folder / "broken.png").write_bytes(b"no picture")
    found = card_free.photographs(tmp_path / "unpacked", ["examples"])
    assert [s.path.name for s in found] == [
        "a.png",
        "again.jpg",
        "b.jpg",
        "broken.png",
        "small.png",
    ]
    assert card_free.photographs(tmp_path / "unpacked", ["elsewhere"]) == []
    out = tmp_path / "out"
    assert card_free.write({"things": card_free.different(found, 10, 11)}, out, tmp_path) == 2
    truth = json.loads((out / "truth.json").read_text())
    assert [row["source"] for row in truth] == [
        "debian-things/examples/a.png",
        "debian-things/examples/again.jpg",
    ]
    assert all(row["cards"] == [] and (out / row["image"]).exists() for row in truth)


def test_a_page_is_photographed_the_same_way_each_time():
    page = np.full((500, 380, 3), 250, np.uint8)
    page[100:110, 50:300] = 0
    shots = [card_free.photographed(page, np.random.default_rng(3)) for _ in range(2)]
    assert shots[0].shape == (960, 1280, 3)
    assert (shots[0] == shots[1]).all()
    assert (card_free.photographed(page, np.random.default_rng(4)) != shots[0]).any()
