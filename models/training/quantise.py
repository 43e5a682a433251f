"""Networks that compute in whole numbers of eight bits: two to three times as fast.

Weights are rounded channel by channel, what flows between layers by the range that training samples
show there (Jacob et al. 2018, "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference"); ONNX Runtime's tool writes both into the graph.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType
from onnxruntime.quantization import quantize_static as quantize
from torch import Tensor

from models.training.batches import Batches

SHOWN = 768
"""Samples by which ranges are told."""

_AT_ONCE = 24


@contextlib.contextmanager
def _without_its_words() -> Iterator[None]:
    """It prints what it counts, and warns of a step before it that these networks do not need."""
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


class _Samples(CalibrationDataReader):
    """Samples as the network that ships takes them: n × channels × H × W, BGR, 0 to 255."""

    def __init__(self, pictures: Iterator[Tensor]) -> None:
        self._pictures = pictures

    def get_next(self) -> dict[str, Any] | None:
        for pictures in self._pictures:
            return {"image": np.ascontiguousarray(pictures.permute(0, 3, 1, 2).float().numpy())}
        return None


def samples_of(batches: Batches) -> Iterator[Tensor]:
    """:data:`SHOWN` of the samples that a network is trained on, some at a time."""
    left = SHOWN
    for pictures, _ in batches(0, 0):
        for part in pictures[:left].split(_AT_ONCE):
            # Ranges are counted over parts of one size.
            if len(part) == _AT_ONCE:
                yield part
        left -= len(pictures)
        if left <= 0:
            return


def quantise(network: Path, samples: Iterator[Tensor], out: Path) -> None:
    """Write a network again, computing in whole numbers all but its last layer.

    The last layer's outputs differ too much in size to share one range: a heat of -12 and a cosine
    of 0.02.

    Args:
        network: An ONNX file with input ``image`` and output ``out``.
        samples: n × H × W × channels each, BGR, uint8.
        out: Where to write.
    """
    graph = onnx.load(str(network)).graph
    last = next(node.name for node in graph.node if "out" in node.output)
    with _without_its_words():
        quantize(
            network, out, _Samples(samples),
            per_channel=True,
            # Weights of seven bits: processors without instructions for such sums add two products
            # in sixteen bits, which would overflow.
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            # All but the rarest thousandth of a percent of what flows: one value far out would
            # make the steps of all others coarse.
            calibrate_method=CalibrationMethod.Percentile,
            nodes_to_exclude=[last],
            # OpenCV computes the same file in full, so nothing may live in the rounding alone.
            extra_options={"QDQKeepRemovableActivations": True},
        )  # fmt: skip
