"""The classifier, with a network whose answers are known, and what it is shown."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.layouts import candidates
from vision.images.pyramid import Pyramid
from vision.indices.classify import Classifier, Views, cut_patches
from vision.inference.onnx_proto import TensorSpec

GLYPHS, SUITS = ("6", "8", "none"), ("S", "C", "none")


class Says:
    """A network that says the same of every patch."""

    engine = "none"
    inputs = (TensorSpec("image", (None, 6, 64, 48)),)
    outputs = (TensorSpec("out", (None, 6)),)

    def __init__(self, *chances: float) -> None:
        self.logits = np.log(np.array(chances, np.float32))

    def run(self, inputs):
        n = len(inputs["image"])
        return {"out": np.tile(self.logits, (n, 1))}


IMAGE = np.full((100, 100, 3), 200, np.uint8)


def test_chances_are_the_softmax_of_each_head():
    classifier = Classifier(Says(0.6, 0.3, 0.1, 0.8, 0.1, 0.1), glyphs=GLYPHS, suits=SUITS)
    glyphs, suits = classifier.name(Pyramid(IMAGE), candidates(*[(50, 50, 30)] * 3))
    assert glyphs == pytest.approx(np.tile([0.6, 0.3, 0.1], (3, 1)))
    assert suits == pytest.approx(np.tile([0.8, 0.1, 0.1], (3, 1)))
    assert [part.shape for part in classifier.name(Pyramid(IMAGE), candidates())] == [
        (0, 3),
        (0, 3),
    ]


def test_it_is_shown_the_index_and_smaller_the_card_about_it():
    """A white index on black: in the near view it fills the middle, in the far one a corner."""
    image = np.zeros((200, 200, 3), np.uint8)
    image[85:115, 90:110] = 255
    views = Views().of(Pyramid(image), candidates((100, 100, 30)))
    assert views.shape == (1, 64, 48, 6)
    near, far = views[0, ..., 0], views[0, ..., 3]
    assert near[32, 24] == 255
    assert near[8].max() == near[:, 2].max() == 0
    assert near[14:50, 13:35].mean() > 200
    assert far[14, 11] == 255
    assert far[24:].max() == far[:, 18:].max() == 0


def test_any_number_of_tall_patches_is_cut():
    """More rows than OpenCV fills at once; each patch is the one that it is by itself."""
    rng = np.random.default_rng(4)
    image = rng.integers(0, 255, (200, 300, 3)).astype(np.uint8)
    n = 300
    found = candidates(*((*place, 24) for place in rng.uniform(20, 180, (n, 2))))
    cut = cut_patches(Pyramid(image), found, patch=(96, 144), index_height=22)
    assert len(cut) == n
    for k in (0, 222, 223, n - 1):
        alone = cut_patches(
            Pyramid(image), found.take(np.array([k])), patch=(96, 144), index_height=22
        )
        assert (cut[k] == alone[0]).all()
