"""How fast the eyes are on this machine, beside a reference network timed in the same run.

The reference is a detector of about YOLO11n's size: an .onnx file named by the environment variable
``COMPANION_REFERENCE_MODEL`` (for instance YOLO11n at 640 pixels), else a plain stack of
convolutions that takes about as long, built on the spot. Rounds are interleaved and medians
taken, so that other work on the machine troubles all figures alike.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from companion.decks import get_deck
from companion.errors import CompanionError
from vision.arrays import Image
from vision.images.loading import load_image
from vision.inference.backend import ModelError, Session, open_session
from vision.inference.onnx_proto import TensorSpec, node, write_model
from vision.protocols import CardReader, OutliningReader
from vision.tracking.watching import TableWatch
from vision.tracking.zones import Zones

REFERENCE_MODEL = "COMPANION_REFERENCE_MODEL"
SCENES = Path(__file__).parent / "scenes"
#: Greatest time of a whole scan with the outlines of all cards, and of reading a row, in units of
#: the reference network's.
LIMITS = {"five": 0.8, "fifty": 2.2}
ROW_LIMIT = 2.5
#: The same of a video frame on which nothing is new, its share of the looks that are taken all the
#: same included.
TRACKED_LIMIT = 0.1
_TRACKED_FRAMES, _TRACKED_RATE, _SETTLED_AFTER = 40, 10.0, 80
_TRACKED = "tracked frame"
_THREADS = 2
_SECONDS = 20.0
Work = Callable[[], object]


def bench(
    reader: OutliningReader | None = None, *, scenes: Path = SCENES, seconds: float = _SECONDS
) -> dict[str, dict[str, Any]]:
    """Times the reading of the bundled scenes.

    Args:
        reader: what reads them; None takes the shipped networks with two threads.
        scenes: folder with ``five.jpg`` (separate cards), ``fifty.jpg`` (fans) and ``row.jpg`` (52
            in four lines), 1280×960. Of the first, video frames of 1280×720 are made as well.
        seconds: about how long to measure.

    Returns:
        For each figure ``{"value", "unit", "limit", "ok"}``.

    Raises:
        CompanionError: a network or a scene is missing.
    """
    if reader is None:
        from vision.reader import Reader

        reader = Reader(threads=_THREADS)
    pictures = {name: load_image(scenes / f"{name}.jpg").pixels for name in LIMITS}
    reference, title = _reference()
    works: dict[str, Work] = {title: reference}
    for name, picture in pictures.items():
        works[f"names of {name}"] = partial(reader.read, picture)
        works[f"scan {name}"] = partial(reader.read_with_outlines, picture)  # as scan --json
    works["row of 52"] = partial(reader.read_closely, load_image(scenes / "row.jpg").pixels)
    frame = np.ascontiguousarray(pictures["five"][120:840])
    works["frame five"] = partial(reader.read_frame, frame)
    works[_TRACKED] = tracked_work(reader, frame)
    times = interleaved_medians(works, seconds=seconds)
    times[_TRACKED] /= _TRACKED_FRAMES
    results = {name: _figure(ms, "ms") for name, ms in times.items()}
    for name, limit in LIMITS.items():
        ratio = times[f"scan {name}"] / times[title]
        results[f"scan {name} / {title}"] = _figure(ratio, "×", limit)
    results[f"row of 52 / {title}"] = _figure(times["row of 52"] / times[title], "×", ROW_LIMIT)
    results[f"frame five / {title}"] = _figure(times["frame five"] / times[title], "×")
    ratio = times[_TRACKED] / times[title]
    results[f"{_TRACKED} / {title}"] = _figure(ratio, "×", TRACKED_LIMIT)
    return results


def tracked_work(reader: CardReader, frame: Image) -> Work:
    """Watching a table at rest: one call takes in `_TRACKED_FRAMES` frames, ten a second.

    The camera's noise differs from frame to frame; whatever lies there has settled before.
    """
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 3, (4, *frame.shape))
    frames = [np.clip(frame + n, 0, 255).astype(np.uint8) for n in noise]
    watch = TableWatch(get_deck("standard"), Zones({"table": None}), rows=())
    count = itertools.count()

    def look(number: int) -> None:
        for k in itertools.islice(count, number):
            watch.look(frames[k % len(frames)], k / _TRACKED_RATE, reader)

    look(_SETTLED_AFTER)
    return lambda: look(_TRACKED_FRAMES)


def interleaved_medians(works: dict[str, Work], *, seconds: float) -> dict[str, float]:
    """Median time of each piece of work in milliseconds, in rounds of one run each."""
    for work in works.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in works}
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        for name, work in works.items():
            start = time.perf_counter()
            work()
            times[name].append(time.perf_counter() - start)
        rounds += 1
    return {name: float(np.median(values)) * 1000 for name, values in times.items()}


def _figure(value: float, unit: str, limit: float | None = None) -> dict[str, Any]:
    ok = limit is None or value <= limit
    return {"value": round(value, 3), "unit": unit, "limit": limit, "ok": ok}


def _reference() -> tuple[Work, str]:
    """The reference network ready to run, and its name."""
    path = os.environ.get(REFERENCE_MODEL)
    if path:
        try:
            model = Path(path).read_bytes()
        except OSError as error:
            raise CompanionError(f"{path}: cannot be opened ({error.strerror}).") from None
        session = open_session(model, threads=_THREADS, engine="onnxruntime", name=path)
        return _run_work(session), Path(path).stem
    session = open_session(reference_network(), threads=_THREADS)
    return _run_work(session), "reference network"


def _run_work(session: Session) -> Work:
    free = [spec.name for spec in session.inputs if None in spec.shape[1:]]
    if free:
        raise ModelError(f"The reference network's input {free[0]} has no fixed size.")
    rng = np.random.default_rng(0)
    inputs = {
        spec.name: rng.random([size or 1 for size in spec.shape], np.float32)
        for spec in session.inputs
    }
    return lambda: session.run(inputs)


def reference_network(side: int = 640) -> bytes:
    """A plain convolutional network that takes about as long as YOLO11n at 640 pixels, as ONNX.

    Widths double as the side halves, as detectors' backbones do; weights are random and small.
    """
    rng = np.random.default_rng(0)
    weights: dict[str, np.ndarray[Any, Any]] = {}
    nodes, last, channels = [], "image", 3
    for layer, (width, stride) in enumerate(_LAYERS):
        name = f"w{layer}"
        weights[name] = rng.normal(0, 0.05, (width, channels, 3, 3)).astype(np.float32)
        nodes.append(
            node(
                "Conv", [last, name], [f"c{layer}"],
                kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[stride, stride],
            )
        )  # fmt: skip
        nodes.append(node("Relu", [f"c{layer}"], [f"r{layer}"]))
        last, channels = f"r{layer}", width
    nodes.append(node("GlobalAveragePool", [last], ["out"]))
    return write_model(
        nodes,
        [TensorSpec("image", (1, 3, side, side))],
        [TensorSpec("out", (1, channels, 1, 1))],
        weights,
    )


#: Output channels and stride of each 3×3 convolution.
_LAYERS = (
    (26, 2), (52, 2), (52, 1), (104, 2), (104, 1), (104, 1),
    (208, 2), (208, 1), (208, 1), (416, 2), (416, 1),
)  # fmt: skip
