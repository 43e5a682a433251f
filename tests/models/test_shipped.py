"""The networks that ship: whole, small, and the same through every engine."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models import labels
from models.evaluation.outlines import corner_error
from models.networks.body.samples import BODIES
from models.networks.classifier.discriminants import MARKS
from models.networks.outliner.samples import KINDS, loosened
from models.synth.drawn import write_deck
from models.synth.faces import FaceDeck, load_deck
from models.synth.layouts import Placement
from models.synth.scene import Props, Scene, render_scene
from vision.indices.hypotheses import Hypotheses
from vision.indices.locate import Candidates
from vision.inference.model_files import check_models, manifest, models_folder
from vision.networks import load_outliner
from vision.reader import Reader


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> FaceDeck:
    folder = tmp_path_factory.mktemp("deck")
    write_deck(folder / "deck", 4242, [])
    return load_deck(folder / "deck")


def render_row(deck: FaceDeck, seed: int) -> tuple[np.ndarray, list[str]]:
    """An overlapped row of ten cards of a deck that is in no training set."""
    rng = np.random.default_rng(seed)
    cards = [c for c in deck.cards if c.name[:-1] in labels.STANDARD_RANKS]
    chosen = [cards[k] for k in rng.permutation(len(cards))[:10]]
    table = [Placement((k - 4.5) * 26.0, rng.normal(0, 2), rng.normal(0, 0.04)) for k in range(10)]
    scene = render_scene(
        rng, [deck], Props(), table=table, cards=chosen, size=(1120, 640), px_per_mm=2.9, tilt=0.25
    )
    return scene.image, [c.name for c in chosen]


def six_apart(deck: FaceDeck, seed: int) -> Scene:
    """Six of its cards that lie apart."""
    table = [Placement(85.0 * (k % 3 - 1), 110.0 * (k // 3) - 55, 0.1 * k) for k in range(6)]
    return render_scene(
        np.random.default_rng(seed), [deck], Props(), table=table,
        cards=list(deck.cards[6 * seed : 6 * seed + 6]), size=(960, 832), px_per_mm=2.6, tilt=0.3,
    )  # fmt: skip


@pytest.fixture(scope="module")
def row(deck: FaceDeck) -> tuple[np.ndarray, list[str]]:
    """One such row."""
    return render_row(deck, 11)


def test_checksums_agree_and_all_is_below_seven_megabytes():
    states = check_models()
    assert {state.path.name for state in states} == {p.name for p in models_folder().glob("*.onnx")}
    assert [state.problem for state in states] == [None] * len(states)
    assert sum(p.stat().st_size for p in models_folder().glob("*.onnx")) < 7e6


def test_the_manifest_speaks_the_classes_of_the_code():
    spec = manifest(models_folder())["classifier"]
    assert tuple(spec["glyphs"]) == labels.GLYPHS
    assert tuple(spec["suits"]) == labels.SUITS
    assert tuple(manifest(models_folder())["body"]["bodies"]) == BODIES


@pytest.mark.parametrize("half_turn", [False, True])
def test_rows_are_read_in_order(deck: FaceDeck, half_turn: bool):
    """Also upside down: what counts is how the indices stand."""
    reader = Reader(threads=1)
    read, wrong, in_order = 0, 0, 0
    for seed in range(6):
        image, names = render_row(deck, seed)
        picture = np.ascontiguousarray(image[::-1, ::-1]) if half_turn else image
        got = [str(c) for c in reader.read(picture).row]
        right = [n for n in got if n in names]
        in_order += right == [n for n in names if n in got]
        read += len(right)
        wrong += len(got) - len(right)
    # Light, blur and print on the table are drawn at random and some of it is harsh.
    assert read >= 50
    assert wrong <= 2
    assert in_order >= 5


def test_both_engines_read_alike(row: tuple[np.ndarray, list[str]]):
    image, _ = row
    first = Reader(threads=1, engine="onnxruntime").read(image)
    second = Reader(threads=1, engine="opencv").read(image)
    assert [str(r.card) for r in first.cards] == [str(r.card) for r in second.cards]
    for a, b in zip(first.cards, second.cards, strict=True):
        assert a.confidence == pytest.approx(b.confidence, abs=1e-3)


def test_bodies_tell_the_cards_without_their_indices(deck: FaceDeck):
    """Cards side by side: so many pips, or a picture, and which suit, through both engines."""
    rng = np.random.default_rng(7)
    cards = [c for c in deck.cards if c.name[:-1] in labels.STANDARD_RANKS]
    readers = [Reader(threads=1, engine=name) for name in ("onnxruntime", "opencv")]
    ranks = suits = seen = 0
    for _ in range(4):
        chosen = [cards[k] for k in rng.permutation(len(cards))[:6]]
        table = [Placement((k % 3 - 1) * 80.0, (k // 3 - 0.5) * 105.0, 0.05) for k in range(6)]
        scene = render_scene(
            rng, [deck], Props(), table=table, cards=chosen, size=(960, 800), px_per_mm=3.2
        )
        rows = scene.labels[(scene.labels[:, 7] > 0.9) & (scene.labels[:, 8] > 0.9)]
        found = Candidates(
            rows[:, :2] - 0.5, rows[:, 2:4], rows[:, 4], np.ones(len(rows), np.float32)
        )
        n = len(rows)
        anything = Hypotheses(
            readers[0].deck,
            np.full((n, 15), 1 / 15, np.float32),
            np.full((n, 5), 1 / 5, np.float32),
        )
        ours, theirs = (
            r.networks.body.weighed_where_open(scene.image, found, anything, most=n)
            for r in readers
        )
        assert np.abs(ours.probs - theirs.probs).max() < 1e-3
        for row, rank, suit in zip(rows, ours.rank_probs, ours.suit_probs, strict=True):
            name = chosen[int(row[9])].name
            like = labels.STANDARD_RANKS[int(rank[:13].argmax())]
            ranks += like == name[:-1] or {like, name[:-1]} <= set("JQK")
            suits += "SHDC"[int(suit[:4].argmax())] == name[-1]
            seen += 1
    assert seen >= 40
    assert ranks >= 0.8 * seen
    assert suits >= 0.8 * seen


def test_bodies_are_asked_about_the_least_sure():
    reader, n = Reader(threads=1), 8
    picture = np.random.default_rng(3).integers(0, 255, (400, 600, 3)).astype(np.uint8)
    found = Candidates(
        np.column_stack([np.linspace(100, 500, n), np.full(n, 150)]).astype(np.float32),
        np.tile(np.array([[0, 1]], np.float32), (n, 1)),
        np.full(n, 24, np.float32),
        np.ones(n, np.float32),
    )
    sure = np.array([0.9, 0.3, 0.8, 0.5, 0.99, 0.7, 0.4, 0.6], np.float32)
    ranks = np.full((n, 15), (1 - sure[:, None]) / 14, np.float32)
    ranks[:, 4] = sure
    before = Hypotheses(reader.deck, ranks, np.full((n, 5), 0.2, np.float32))
    after = reader.networks.body.weighed_where_open(picture, found, before, most=3)
    changed = np.abs(after.rank_probs - before.rank_probs).max(axis=1) > 1e-3
    assert np.flatnonzero(changed).tolist() == [1, 3, 6]
    after = reader.networks.body.weighed_where_open(picture, found, before, most=n, below=0.11)
    changed = np.abs(after.rank_probs - before.rank_probs).max(axis=1) > 1e-3
    assert np.flatnonzero(changed).tolist() == [1, 3, 6]


@pytest.mark.parametrize("level", [0, 128, 255])
def test_nothing_is_read_where_nothing_is(level: int):
    reading = Reader(threads=1).read(np.full((480, 640, 3), level, np.uint8))
    assert reading.cards == ()


def test_noise_and_tiny_pictures_are_not_cards():
    rng = np.random.default_rng(5)
    reader = Reader(threads=1)
    assert reader.read(rng.integers(0, 255, (360, 480, 3), dtype=np.uint8)).cards == ()
    for side in (1, 2, 7, 33):
        small = cv2.resize(rng.integers(0, 255, (5, 5, 3), dtype=np.uint8), (side, side))
        assert reader.read(small).cards == ()


def test_models_folder_is_the_room(tmp_path: Path):
    assert models_folder().name == "models"


def test_marks_come_with_the_names_and_are_the_same_through_both_engines(deck: FaceDeck):
    image, _ = render_row(deck, 3)
    first, second = (Reader(threads=1, engine=name) for name in ("onnxruntime", "opencv"))
    found = first.look(image).found
    ours, theirs = (reader.networks.classifier.marks(image, found) for reader in (first, second))
    assert ours.shape == (len(found), MARKS)
    assert np.abs(ours - theirs).max() < 1e-3


def test_the_outliner_finds_the_corners_of_cards_with_either_engine(deck: FaceDeck):
    """Cards that lie apart, begun from a tenth of a card's width off."""
    rng = np.random.default_rng(5)
    outliners = [load_outliner(threads=1, engine=engine) for engine in ("onnxruntime", "opencv")]
    errors, kinds = [], []
    for seed in range(5):
        scene = six_apart(deck, seed)
        open_cards = scene.quads[scene.shown > 0.9].astype(float)
        starts = np.array([loosened(quad, rng, 0.06) for quad in open_cards])
        found, other = (outliner.find(scene.image, starts) for outliner in outliners)
        assert found.corners == pytest.approx(other.corners, abs=0.5)
        errors += [corner_error(q, t) for q, t in zip(found.corners, open_cards, strict=True)]
        kinds += found.kinds.argmax(axis=1).tolist()
    assert len(errors) > 15
    assert np.median(errors) < 0.03
    assert np.mean(np.array(errors) < 0.06) > 0.85
    assert np.mean(np.array(kinds) == KINDS.index("face")) > 0.9
