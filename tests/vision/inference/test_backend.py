"""Inference engines and model files, with tiny networks made on the spot."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.inference.backend import ENGINES, ModelError, available_engines, open_session
from vision.inference.model_files import (
    check_models,
    load_model,
    models_folder,
    read_model,
)
from vision.inference.onnx_proto import (
    ProtoError,
    TensorSpec,
    node,
    signature,
    unrounded,
    write_model,
)

#: Android's engine runs on a phone only; test_android_backend.py plays the phone.
HERE = tuple(name for name in ENGINES if name != "android")

RNG = np.random.default_rng(1)
FIRST = RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
SECOND = RNG.normal(size=(2, 4, 1, 1)).astype(np.float32)
INPUT = TensorSpec("image", (None, 3, None, None))
OUTPUTS = (TensorSpec("heat", (None, 2, None, None)), TensorSpec("gate", (None, 4, None, None)))


def network():
    nodes = [
        node("Conv", ["image", "w1"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("LeakyRelu", ["a"], ["b"], alpha=0.1),
        node("Conv", ["b", "w2"], ["heat"], kernel_shape=[1, 1], group=1),
        node("Sigmoid", ["b"], ["gate"]),
    ]
    return write_model(nodes, [INPUT], OUTPUTS, {"w1": FIRST, "w2": SECOND})


def by_hand(image):
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    a = np.einsum("nchwij,ocij->nohw", windows, FIRST)
    b = np.where(a > 0, a, 0.1 * a)
    return {"heat": np.einsum("nchw,oc->nohw", b, SECOND[:, :, 0, 0]), "gate": 1 / (1 + np.exp(-b))}


@pytest.mark.parametrize("engine", HERE)
def test_every_engine_gives_the_same_numbers(engine):
    session = open_session(network(), threads=1, engine=engine)
    assert session.engine == engine
    assert session.inputs == (INPUT,)
    assert session.outputs == OUTPUTS
    kept = []
    for shape in ((1, 3, 8, 8), (2, 3, 16, 12), (1, 3, 8, 8)):
        image = RNG.normal(size=shape).astype(np.float32)
        kept.append((session.run({"image": image}), by_hand(image)))
    for found, expected in kept:  # compared at the end: later runs must not change earlier results
        assert found.keys() == expected.keys()
        for name, values in expected.items():
            np.testing.assert_allclose(found[name], values, atol=2e-4)


def rounded_network():
    """A convolution whose weights, bias and input are rounded to whole numbers."""
    rng = np.random.default_rng(2)
    weights = {
        "w.numbers": rng.integers(-60, 60, (4, 3, 3, 3)).astype(np.int8),
        "w.steps": np.array([0.01, 0.02, 0.5, 0.001], np.float32),
        "w.zero": np.zeros(4, np.int8),
        "b.numbers": rng.integers(-900, 900, 4).astype(np.int32),
        "b.steps": np.array([0.01, 0.02, 0.03, 0.04], np.float32),
        "b.zero": np.zeros(4, np.int32),
        "step": np.array(0.05, np.float32),
        "zero": np.array(128, np.uint8),
    }
    nodes = [
        node("QuantizeLinear", ["image", "step", "zero"], ["image.numbers"]),
        node("DequantizeLinear", ["image.numbers", "step", "zero"], ["image.rounded"]),
        node("DequantizeLinear", ["w.numbers", "w.steps", "w.zero"], ["w"], axis=0),
        node("DequantizeLinear", ["b.numbers", "b.steps", "b.zero"], ["b"], axis=0),
        node("Conv", ["image.rounded", "w", "b"], ["a"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", ["a"], ["heat"]),
    ]
    network = write_model(nodes, [INPUT], [TensorSpec("heat", (None, 4, None, None))], weights)
    w = weights["w.numbers"] * weights["w.steps"].reshape(-1, 1, 1, 1)
    return network, w, weights["b.numbers"] * weights["b.steps"]


def test_rounding_is_taken_out_where_an_engine_computes_in_full():
    network, w, b = rounded_network()
    full = unrounded(network)
    assert signature(full) == signature(network)
    assert b"QuantizeLinear" not in full
    image = np.random.default_rng(3).uniform(-6, 6, (2, 3, 8, 6)).astype(np.float32)
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    wanted = np.maximum(np.einsum("nchwij,ocij->nohw", windows, w) + b.reshape(1, -1, 1, 1), 0)
    for model, engine in ((network, "opencv"), (full, "onnxruntime"), (full, "opencv")):
        found = open_session(model, threads=1, engine=engine).run({"image": image})["heat"]
        np.testing.assert_allclose(found, wanted, atol=1e-3)
    rounded = open_session(network, threads=1, engine="onnxruntime").run({"image": image})["heat"]
    furthest = 0.025 * np.abs(w).sum(axis=(1, 2, 3)).max()
    assert 0.01 < np.abs(rounded - wanted).max() < furthest


def test_a_network_without_rounding_stays_the_same():
    image = RNG.normal(size=(1, 3, 8, 8)).astype(np.float32)
    models = (network(), unrounded(network()))
    wanted, found = (open_session(m, threads=1).run({"image": image}) for m in models)
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values)


@given(st.binary(max_size=300), st.integers(0, 600))
def test_rounding_is_taken_out_of_any_bytes_or_they_are_refused(data, kept):
    with contextlib.suppress(ProtoError):
        unrounded(rounded_network()[0][:kept] + data)


def test_a_network_that_has_run_leaves_the_processor_alone():
    session = open_session(network(), threads=2, engine="onnxruntime")
    image = np.zeros((1, 3, 256, 256), np.float32)
    spent = []
    for _ in range(5):
        session.run({"image": image})
        before = time.process_time()
        time.sleep(0.05)
        spent.append(time.process_time() - before)
    # Its threads would spin through most of the pause; the least, for others may be at work.
    assert min(spent) < 0.005


def test_an_engine_is_chosen_by_availability_and_by_the_environment(monkeypatch):
    assert open_session(network()).engine == next(iter(ENGINES))
    monkeypatch.setenv("COMPANION_ENGINE", "opencv")
    assert open_session(network()).engine == "opencv"
    monkeypatch.delenv("COMPANION_ENGINE")

    def missing(model, threads):
        raise ImportError

    monkeypatch.setitem(ENGINES, "onnxruntime", missing)
    assert open_session(network()).engine == "opencv"
    monkeypatch.setitem(ENGINES, "opencv", missing)
    with pytest.raises(ModelError, match="No inference engine is installed"):
        open_session(network())


def test_unknown_engine_is_said():
    with pytest.raises(ModelError, match="no inference engine “magic”"):
        open_session(network(), engine="magic")


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("model", [b"", b"hello", network()[:100], network()[:-40]])
def test_what_is_no_network_is_said_in_one_line(engine, model):
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        open_session(model, engine=engine, name="a.onnx")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("engine", HERE)
def test_an_input_that_does_not_fit_is_said(engine):
    with pytest.raises(ModelError, match="could not run"):
        open_session(network(), engine=engine).run({"image": np.zeros((1, 5, 4, 4), np.float32)})


@given(st.binary(max_size=300))
def test_signature_reads_or_refuses_any_bytes(data):
    try:
        _, outputs = signature(data)
    except ProtoError:
        return
    assert outputs


def test_engines_are_listed_with_versions():
    assert tuple(available_engines()) == HERE


def test_checked_files(tmp_path):
    path = tmp_path / "eye.onnx"
    path.write_bytes(network())
    sums = {"eye.onnx": hashlib.sha256(network()).hexdigest()}
    (tmp_path / "checksums.json").write_text(json.dumps(sums))
    assert read_model(path) == network()
    assert load_model(path).inputs == (INPUT,)
    assert [s.problem for s in check_models(tmp_path)] == [None]
    path.write_bytes(network() + b"x")
    with pytest.raises(ModelError, match=r"eye\.onnx: .*wrong checksum"):
        load_model(path)
    path.unlink()
    with pytest.raises(ModelError, match=r"eye\.onnx: the model file is missing"):
        load_model(path)
    assert "missing" in check_models(tmp_path)[0].problem


def test_files_without_checksum_are_refused(tmp_path):
    path = tmp_path / "eye.onnx"
    path.write_bytes(network())
    with pytest.raises(ModelError, match="list of checksums is missing"):
        read_model(path)
    (tmp_path / "checksums.json").write_text("{}")
    with pytest.raises(ModelError, match="no checksum for this model"):
        read_model(path)
    (tmp_path / "checksums.json").write_text("[]")
    with pytest.raises(ModelError, match="damaged"):
        read_model(path)


def test_the_folder_of_models_can_be_moved(tmp_path, monkeypatch):
    assert models_folder().name == "models"
    monkeypatch.setenv("COMPANION_MODELS", str(tmp_path))
    assert models_folder() == tmp_path
    with pytest.raises(ModelError, match=str(tmp_path)):
        read_model("eye.onnx")


def test_running_a_network_leaves_no_file_in_the_home_folder(tmp_path):
    """ONNX Runtime's telemetry would keep a database there."""
    model = tmp_path / "m.onnx"
    model.write_bytes(network())
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import sys, numpy as np\n"
        "from vision.inference.backend import open_session\n"
        f"s = open_session(open({str(model)!r}, 'rb').read(), engine='onnxruntime')\n"
        "s.run({'image': np.zeros((1, 3, 8, 8), np.float32)})\n"
    )
    kept = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_DATA_HOME": str(home)}
    subprocess.run([sys.executable, "-c", code], env=kept | places, check=True, timeout=60)
    assert list(home.rglob("*")) == []


def test_networks_share_one_arena_and_keep_no_copy_of_their_file():
    """In a process of its own: what a process has registered stays."""
    code = (
        "import numpy as np; from vision.inference import backend;"
        "from vision.inference.model_files import models_folder;"
        "data = (models_folder() / 'classifier.onnx').read_bytes();"
        "one, other = (backend.open_session(data, engine='onnxruntime') for _ in range(2));"
        "assert backend._shares_memory();"
        "entry = one._session.get_session_options().get_session_config_entry;"
        "assert entry('session.use_env_allocators') == '1';"
        "assert one._session._model_bytes is None;"
        "spec = one.inputs[0];"
        "x = {spec.name: np.full([d or 1 for d in spec.shape], 0.5, np.float32)};"
        "a, b = one.run(x), other.run(x);"
        "assert all(np.array_equal(a[k], b[k]) for k in a)"
    )
    if not (models_folder() / "classifier.onnx").exists():
        pytest.skip("the networks are not here")
    pytest.importorskip("onnxruntime")
    subprocess.run([sys.executable, "-c", code], check=True)
