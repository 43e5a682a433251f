"""What a card shows beside its index weighs what the index reads as, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from companion.decks import get_deck
from vision.indices.body import BodyReader
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.inference.backend import ModelError
from vision.inference.model_files import manifest
from vision.inference.onnx_proto import TensorSpec
from vision.types import RANK_LABELS, SUIT_LABELS

BODIES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "court", "joker")
PRIOR = [*[1 / 13] * 10, 2.5 / 13, 0.5 / 13, *[0.25] * 4]


class Says:
    """A network that says the same of every patch, and keeps what it was shown."""

    engine = "none"
    inputs = (TensorSpec("image", (None, 3, 96, 64)),)
    outputs = (TensorSpec("out", (None, 16)),)

    def __init__(self, logits):
        self.logits, self.shown = np.array(logits, np.float32), []

    def run(self, inputs):
        self.shown.append(inputs["image"].copy())
        return {"out": np.tile(self.logits, (len(inputs["image"]), 1))}


def body_reader(logits, **options):
    session = Says(logits)
    reader = BodyReader(
        session,
        bodies=BODIES,
        suits="SHDC",
        prior=PRIOR,
        patch=(64, 96),
        anchor=(16, 12),
        index_height=14.0,
        hidden=(7, 8),
        **options,
    )
    return reader, session


def poses(n, size=20.0):
    at = np.stack([np.full(n, 80.0), np.full(n, 60.0)], axis=1).astype(np.float32)
    down = np.tile(np.array([0, 1], np.float32), (n, 1))
    return Candidates(
        centre=at, direction=down, size=np.full(n, size, np.float32), heat=np.ones(n, np.float32)
    )


def chances(n, seed=0):
    rng = np.random.default_rng(seed)
    ranks = rng.dirichlet(np.full(15, 0.3), n).astype(np.float32)
    suits = rng.dirichlet(np.full(5, 0.3), n).astype(np.float32)
    return Hypotheses(get_deck(), ranks, suits)


IMAGE = np.random.default_rng(1).integers(0, 255, (300, 300, 3), dtype=np.uint8)


@given(arrays(np.float32, 16, elements=st.floats(-20, 20, width=32)), st.integers(0, 99))
def test_the_chances_of_no_index_and_no_suit_stay(logits, seed):
    before = chances(5, seed)
    after = body_reader(logits)[0].weighed(IMAGE, poses(5), before)
    for a, b, n in (
        (after.rank_probs, before.rank_probs, 14),
        (after.suit_probs, before.suit_probs, 4),
    ):
        assert a[:, n:] == pytest.approx(b[:, n:])
        assert a.sum(axis=1) == pytest.approx(b.sum(axis=1), abs=1e-4)
        assert np.all(a >= 0)


def test_what_is_as_common_as_in_training_is_no_news():
    before = chances(6)
    after = body_reader(np.log(PRIOR))[0].weighed(IMAGE, poses(6), before)
    assert after.rank_probs == pytest.approx(before.rank_probs, abs=1e-6)
    assert after.suit_probs == pytest.approx(before.suit_probs, abs=1e-6)


def test_a_five_by_its_pips_is_a_five_though_its_index_looks_like_a_six():
    ranks, suits = np.zeros((1, 15), np.float32), np.zeros((1, 5), np.float32)
    five, six = RANK_LABELS.index("5"), RANK_LABELS.index("6")
    ranks[0, [five, six]], suits[0, SUIT_LABELS.index("H")] = (0.1, 0.9), 1.0
    logits = np.zeros(16)
    logits[BODIES.index("5")] = 8.0
    after = body_reader(logits)[0].weighed(IMAGE, poses(1), Hypotheses(get_deck(), ranks, suits))
    assert after.rank_probs[0, five] > 0.9
    # It names no rank that the index rules out.
    assert after.rank_probs[0].sum() == pytest.approx(after.rank_probs[0, [five, six]].sum())


def test_kings_queens_and_jacks_are_one_to_it():
    logits = np.zeros(16)
    logits[BODIES.index("court")] = 8.0
    before = Hypotheses(get_deck(), np.full((1, 15), 1 / 15, np.float32), np.eye(5)[:1])
    after = body_reader(logits)[0].weighed(IMAGE, poses(1), before).rank_probs[0]
    j, q, k = (RANK_LABELS.index(r) for r in "JQK")
    assert after[j] == pytest.approx(after[q]) == pytest.approx(after[k])
    assert after[[j, q, k]].sum() > 0.9


@given(st.integers(0, 1000))
def test_it_is_not_shown_the_index(seed):
    """What stands where the index is makes no difference, so that it is a witness of its own."""
    other = IMAGE.copy()
    scale = 20 / 14
    half_x, half_y = int(7 * scale) - 3, int(8 * scale) - 3
    part = np.s_[60 - half_y : 60 + half_y, 80 - half_x : 80 + half_x]
    other[part] = np.random.default_rng(seed).integers(0, 255, other[part].shape)
    reader, session = body_reader(np.zeros(16))
    for image in (IMAGE, other):
        reader.likelihoods(image, poses(1))
    assert np.array_equal(*session.shown)
    assert not np.array_equal(IMAGE, other)


def test_many_are_asked_in_parts():
    reader, session = body_reader(np.zeros(16), batch=4)
    ranks, suits = reader.likelihoods(IMAGE, poses(10))
    assert ranks.shape == (10, 14)
    assert suits.shape == (10, 4)
    assert [len(shown) for shown in session.shown] == [4, 4, 2]


def test_nothing_found_is_nothing_weighed():
    before = chances(0)
    assert body_reader(np.zeros(16))[0].weighed(IMAGE, poses(0), before) is before


def test_a_list_without_the_body_reader_is_said_to_be_damaged(tmp_path):
    (tmp_path / "models.json").write_text('{"models": {"locator": {}, "classifier": {}}}')
    with pytest.raises(ModelError, match="is damaged"):
        manifest(tmp_path)
