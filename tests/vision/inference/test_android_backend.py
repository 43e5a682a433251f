"""The Android engine against stub classes: the same numbers, the same refusals."""

import numpy as np
import pytest

from tests.vision import java_double
from vision.bench import reference_network
from vision.inference import backend

MODEL = reference_network(64)


@pytest.fixture
def java(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jnius", java_double.module())


def picture(spec):
    shape = [1 if size is None else size for size in spec.shape]
    return np.random.default_rng(3).random(shape, np.float32)


def test_it_gives_what_onnx_runtime_gives(java):
    here = backend.open_session(MODEL, threads=1, engine="onnxruntime")
    there = backend.open_session(MODEL, threads=1, engine="android")
    assert there.engine == "android"
    inputs = {spec.name: picture(spec) for spec in here.inputs}
    one, other = here.run(inputs), there.run(inputs)
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_allclose(other[name], value, atol=1e-6)
        assert other[name].flags.writeable
        assert other[name].shape == value.shape


def test_nothing_stays_open(java):
    before = java_double.OnnxTensor.open_ones
    session = backend.open_session(MODEL, threads=1, engine="android")
    inputs = {spec.name: picture(spec) for spec in session.inputs}
    for _ in range(3):
        session.run(inputs)
    assert java_double.OnnxTensor.open_ones == before


def test_wrong_shapes_are_refused_in_words(java):
    session = backend.open_session(MODEL, threads=1, engine="android")
    wrong = {spec.name: np.zeros((1, 1), np.float32) for spec in session.inputs}
    with pytest.raises(backend.ModelError, match="its input"):
        session.run(wrong)


@pytest.mark.parametrize("without", ["ai.onnxruntime", "java.util"])
def test_an_app_without_the_library_says_so(monkeypatch, without):
    stub = java_double.module(without=without)
    monkeypatch.setitem(__import__("sys").modules, "jnius", stub)
    with pytest.raises(backend.ModelError, match="No inference engine"):
        backend.open_session(MODEL, engine="android")


def test_without_pyjnius_the_next_engine_is_taken(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jnius", None)
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    assert backend.open_session(MODEL, threads=1).engine == "opencv"


def test_a_java_failure_is_told_in_words(java, monkeypatch):
    def fail(*_args):
        raise java_double.JavaException("OrtException: out of memory\n\tat ai.onnxruntime")

    session = backend.open_session(MODEL, threads=1, engine="android")
    monkeypatch.setattr(java_double.OrtSession, "run", fail)
    with pytest.raises(backend.ModelError, match="out of memory"):
        session.run({spec.name: picture(spec) for spec in session.inputs})


def test_the_shipped_networks_read_the_same_cards(java, monkeypatch):
    import cv2

    from vision.images.sources import demo_clip
    from vision.reader import Reader

    capture = cv2.VideoCapture(str(demo_clip()))
    capture.set(cv2.CAP_PROP_POS_MSEC, 10_000)
    image = capture.read()[1]
    found = {}
    for engine in ("onnxruntime", "android", "opencv"):
        monkeypatch.setenv("COMPANION_ENGINE", engine)
        reading = Reader(threads=1).read(image)
        found[engine] = [(read.card.code, round(read.confidence, 3)) for read in reading.cards]
    assert len(found["android"]) == 7
    assert found["android"] == found["onnxruntime"]
    assert [card for card, _ in found["opencv"]] == [card for card, _ in found["android"]]
