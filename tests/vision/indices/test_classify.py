"""The classifier and its reviewer, with networks whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from vision.indices.classify import Classifier, cut_patches
from vision.indices.locate import Candidates
from vision.inference.onnx_proto import TensorSpec

GLYPHS, SUITS = ("6", "8", "none"), ("S", "C", "none")


class Says:
    """A network that says the same of every patch."""

    engine = "none"
    inputs = (TensorSpec("image", (None, 3, 64, 48)),)
    outputs = (TensorSpec("out", (None, 6)),)

    def __init__(self, *chances: float) -> None:
        self.logits = np.log(np.array(chances, np.float32))
        self.asked = 0

    def run(self, inputs):
        n = len(inputs["image"])
        self.asked += n
        return {"out": np.tile(self.logits, (n, 1))}


def poses(n: int) -> Candidates:
    down = np.tile(np.array([[0, 1]], np.float32), (n, 1))
    return Candidates(np.full((n, 2), 50, np.float32), down, np.full(n, 30, np.float32), np.ones(n))


IMAGE = np.full((100, 100, 3), 200, np.uint8)


def namer(first: Says, second: Says | None = None, says=(0.5, 0.5)) -> Classifier:
    return Classifier(first, glyphs=GLYPHS, suits=SUITS, reviewer=second, says=says)


def test_the_reviewer_is_asked_only_where_it_is_wanted():
    first, second = Says(0.6, 0.3, 0.1, 0.8, 0.1, 0.1), Says(0.1, 0.8, 0.1, 0.8, 0.1, 0.1)
    glyphs, _ = namer(first, second).name(IMAGE, poses(3))
    assert glyphs == pytest.approx(np.tile([0.6, 0.3, 0.1], (3, 1)))
    assert (first.asked, second.asked) == (3, 0)
    namer(first, second).name(IMAGE, poses(2), reviewed=True)
    assert (first.asked, second.asked) == (5, 2)


def test_what_two_networks_say_is_the_geometric_mean_of_their_chances():
    first, second = Says(0.6, 0.3, 0.1, 0.5, 0.4, 0.1), Says(0.1, 0.8, 0.1, 0.9, 0.05, 0.05)
    glyphs, suits = namer(first, second, (0.7, 0.3)).name(IMAGE, poses(1), reviewed=True)
    for got, one, other in (
        (glyphs, (0.6, 0.3, 0.1), (0.1, 0.8, 0.1)),
        (suits, (0.5, 0.4, 0.1), (0.9, 0.05, 0.05)),
    ):
        mean = np.array(one) ** 0.7 * np.array(other) ** 0.3
        assert got[0] == pytest.approx(mean / mean.sum(), abs=1e-5)


def test_scales_of_logits_do_not_matter():
    """One network may put all its logits a constant higher; only their differences are chances."""
    first, second = Says(0.6, 0.3, 0.1, 0.5, 0.4, 0.1), Says(0.1, 0.8, 0.1, 0.9, 0.05, 0.05)
    before = namer(first, second).name(IMAGE, poses(1), reviewed=True)
    second.logits[:3] += 5
    second.logits[3:] -= 7
    after = namer(first, second).name(IMAGE, poses(1), reviewed=True)
    for one, other in zip(before, after, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_without_a_reviewer_the_first_network_decides():
    first = Says(0.6, 0.3, 0.1, 0.5, 0.4, 0.1)
    glyphs, _ = namer(first).name(IMAGE, poses(1), reviewed=True)
    assert glyphs[0] == pytest.approx([0.6, 0.3, 0.1])
    nothing, none = namer(first).name(IMAGE, poses(0), reviewed=True)
    assert nothing.shape == (0, 3)
    assert none.shape == (0, 3)


def test_any_number_of_tall_patches_is_cut():
    """More rows than OpenCV fills at once; each patch is the one that it is by itself."""
    rng = np.random.default_rng(4)
    image = rng.integers(0, 255, (200, 300, 3)).astype(np.uint8)
    n = 300
    found = Candidates(
        rng.uniform(20, 180, (n, 2)).astype(np.float32),
        np.tile(np.array([[0, 1]], np.float32), (n, 1)),
        np.full(n, 24, np.float32),
        np.ones(n, np.float32),
    )
    cut = cut_patches(image, found, patch=(96, 144), index_height=22)
    assert len(cut) == n
    for k in (0, 222, 223, n - 1):
        alone = cut_patches(image, found.take(np.array([k])), patch=(96, 144), index_height=22)
        assert (cut[k] == alone[0]).all()
