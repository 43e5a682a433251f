"""Runs ONNX networks through ONNX Runtime's Android library, reached by pyjnius.

The library (`com.microsoft.onnxruntime:onnxruntime-android`) is a Java package; there is no Python
wheel of it. Tensors travel as direct byte buffers in the device's own byte order, so no number is
converted on the way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vision.inference.onnx_proto import signature
from vision.inference.sessions import STOP_SPINNING, ModelError, Tensor, check_shapes

_PACKAGE = "ai.onnxruntime"
_FLOAT_BYTES = 4


class AndroidSession:
    """A network run by ONNX Runtime's Android library.

    Args:
        model: the bytes of an ONNX file, weights included.
        threads: threads of one run.

    Raises:
        ImportError: there is no pyjnius, or the app was built without the library.
    """

    engine = "android"

    def __init__(self, model: bytes, threads: int) -> None:
        import jnius

        try:
            self._classes = {
                name: jnius.autoclass(f"{_PACKAGE}.{name}")
                for name in ("OrtEnvironment", "OnnxTensor", "OnnxJavaType")
            }
            options = jnius.autoclass(f"{_PACKAGE}.OrtSession$SessionOptions")()
            self._map = jnius.autoclass("java.util.HashMap")
            self._buffers = jnius.autoclass("java.nio.ByteBuffer")
            self._order = jnius.autoclass("java.nio.ByteOrder").nativeOrder()
        except jnius.JavaException as error:
            raise ImportError(f"ONNX Runtime's Android library is missing: {error}") from None
        self._failure = jnius.JavaException
        self._cast = jnius.cast
        options.setIntraOpNumThreads(threads)
        options.setInterOpNumThreads(1)
        options.addConfigEntry(*STOP_SPINNING)
        self.inputs, self.outputs = signature(model)
        self._environment = self._classes["OrtEnvironment"].getEnvironment()
        # A bytearray crosses in one copy; bytes would be turned into a list first.
        self._session = self._environment.createSession(bytearray(model), options)

    def run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Runs it once; see `vision.inference.backend.Session.run`."""
        check_shapes(self.inputs, inputs)
        tensors: list[Any] = []
        result: Any = None
        try:
            named = self._map()
            for name, value in inputs.items():
                tensors.append(self._tensor(value))
                named.put(name, tensors[-1])
            result = self._session.run(named)
            return {
                spec.name: self._values(result.get(place))
                for place, spec in enumerate(self.outputs)
            }
        except self._failure as error:
            raise ModelError(f"A network could not run: {_first_line(error)}.") from None
        finally:
            # Java's collector does not know how much memory lies behind these.
            for thing in (*tensors, *(() if result is None else (result,))):
                thing.close()

    def _tensor(self, value: Tensor) -> Any:
        """A float array as a tensor of the library."""
        array = np.ascontiguousarray(value, np.float32)
        buffer = self._buffers.allocateDirect(array.nbytes).order(self._order)
        buffer.put(bytearray(array.tobytes()))
        buffer.rewind()
        kind = self._classes["OnnxJavaType"].FLOAT
        create = self._classes["OnnxTensor"].createTensor
        return create(self._environment, buffer, list(array.shape), kind)

    def _values(self, value: Any) -> Tensor:
        """A tensor of the library as a float array of its own."""
        tensor = self._cast(f"{_PACKAGE}.OnnxTensor", value)
        shape = tuple(tensor.getInfo().getShape())
        raw = bytearray(math.prod(shape) * _FLOAT_BYTES)
        tensor.getByteBuffer().get(raw)
        return np.frombuffer(bytes(raw), np.float32).reshape(shape).copy()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
