"""What every inference engine gives: a loaded network that can be run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.errors import CompanionError
from vision.inference.onnx_proto import TensorSpec

Tensor = NDArray[np.float32]


STOP_SPINNING = ("session.force_spinning_stop", "1")
"""Entry of ONNX Runtime's session options: threads sleep as soon as a run has returned."""


class ModelError(CompanionError):
    """A network cannot be loaded or run; the message says which and what to do."""


class Session(Protocol):
    """A loaded network.

    Attributes:
        engine: name of what runs it, e.g. ``onnxruntime``.
        inputs: names and shapes of its inputs.
        outputs: names and shapes of its outputs.
    """

    engine: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]

    def run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Runs it once.

        Args:
            inputs: a float32 array for each input, by name.

        Returns:
            A float32 array for each output, by name.

        Raises:
            ModelError: the inputs do not fit the network.
        """
        ...


def check_shapes(specs: tuple[TensorSpec, ...], inputs: Mapping[str, Tensor]) -> None:
    """Refuses inputs that do not fit: OpenCV would read past their end instead."""
    for spec in specs:
        value = inputs.get(spec.name)
        found = () if value is None else value.shape
        fits = value is not None and len(found) == len(spec.shape)
        if not fits or any(n not in (None, m) for n, m in zip(spec.shape, found, strict=True)):
            raise ModelError(
                f"A network could not run: its input “{spec.name}” is {spec.shape}, not {found}."
            )
