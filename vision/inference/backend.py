"""Runs ONNX networks: one small interface, several engines behind it.

Engines, in the order in which they are tried: ONNX Runtime, its Android library, OpenCV's ``dnn``.
Each is a `Session` made from a model's bytes, registered in ``ENGINES``; another platform adds its
own there. OpenCV computes in full what the others compute in whole numbers, and all give the same
reads; networks that are in full numbers give the same outputs to about 1e-5.
"""

from __future__ import annotations

import contextlib
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import CompanionError
from vision.inference.onnx_proto import ProtoError, TensorSpec, signature, unrounded

Tensor = NDArray[np.float32]

#: Entry of ONNX Runtime's session options: threads sleep as soon as a run has returned.
_STOP_SPINNING = ("session.force_spinning_stop", "1")
#: Java package of the Android library, and bytes of a number there.
_JAVA, _FLOAT_BYTES = "ai.onnxruntime", 4
#: Set to 1 where memory counts for more than a twentieth of the time (the app does so): what a
#: large picture took is handed back as soon as it has been looked at.
SMALL_MEMORY = "COMPANION_SMALL_MEMORY"
#: Bytes of input from which a run counts as one of a large picture.
_LARGE = 1_000_000


class ModelError(CompanionError):
    """A network cannot be loaded or run; the message says which and what to do."""


class Session(ABC):
    """A loaded network.

    Args:
        model: the bytes of an ONNX file, weights included.

    Attributes:
        engine: name of what runs it, e.g. ``onnxruntime``.
        inputs: names and shapes of its inputs.
        outputs: names and shapes of its outputs.
    """

    engine: str
    #: What the engine raises where a run fails; ONNX Runtime's types are not public.
    _failure: type[Exception] = Exception

    def __init__(self, model: bytes) -> None:
        self.inputs, self.outputs = signature(model)
        self._names = [spec.name for spec in self.outputs]

    def run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Runs it once.

        Args:
            inputs: a float32 array for each input, by name.

        Returns:
            A float32 array for each output, by name.

        Raises:
            ModelError: the inputs do not fit the network.
        """
        _check_shapes(self.inputs, inputs)
        try:
            return self._run(inputs)
        except self._failure as error:
            raise ModelError(f"A network could not run: {_first_line(error)}.") from None

    @abstractmethod
    def _run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Runs it with inputs that fit."""


def _check_shapes(specs: tuple[TensorSpec, ...], inputs: Mapping[str, Tensor]) -> None:
    """Refuses inputs that do not fit: OpenCV would read past their end instead."""
    for spec in specs:
        value = inputs.get(spec.name)
        found = () if value is None else value.shape
        fits = value is not None and len(found) == len(spec.shape)
        if not fits or any(n not in (None, m) for n, m in zip(spec.shape, found, strict=True)):
            raise ModelError(
                f"A network could not run: its input “{spec.name}” is {spec.shape}, not {found}."
            )


class OnnxRuntimeSession(Session):
    """A network run by ONNX Runtime on the CPU."""

    engine = "onnxruntime"

    def __init__(self, model: bytes, threads: int) -> None:
        # It is read once, at the first import: later is too late.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.log_severity_level = 4
        # Each network has threads of its own, which would go on spinning after it has run and
        # take the processor from whatever runs next.
        options.add_session_config_entry(*_STOP_SPINNING)
        # Networks run one after the other, so all of them can work in the same memory. What a
        # pattern of it would save in time, it costs in memory for each size of pictures.
        options.enable_mem_pattern = False
        if _shares_memory():
            options.add_session_config_entry("session.use_env_allocators", "1")
        super().__init__(model)
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        # It keeps the file's bytes to begin anew with another provider. There is no other here.
        self._session.disable_fallback()
        self._session._model_bytes = None
        self._returning: Any = None
        if os.environ.get(SMALL_MEMORY) == "1":
            self._returning = onnxruntime.RunOptions()
            self._returning.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def _run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        is_large = sum(value.nbytes for value in inputs.values()) >= _LARGE
        values = self._session.run(self._names, dict(inputs), self._returning if is_large else None)
        return dict(zip(self._names, values, strict=True))


@cache
def _shares_memory() -> bool:
    """Lets all networks of this process take their memory from one arena; whether they can."""
    import onnxruntime

    place = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    # Grown by what is asked for, not to the next power of two.
    growth = {"max_mem": 0, "arena_extend_strategy": 1}
    defaults = {"initial_chunk_size_bytes": -1, "max_dead_bytes_per_chunk": -1}
    try:
        onnxruntime.create_and_register_allocator(
            place, onnxruntime.OrtArenaCfg({**growth, **defaults})
        )
    except Exception:  # noqa: BLE001 - its exception types are not public
        return False  # a program around us has registered one, or a build has none
    return True


class OpenCvSession(Session):
    """A network run by OpenCV's ``dnn`` module."""

    engine = "opencv"

    def __init__(self, model: bytes, threads: int) -> None:
        import cv2

        # OpenCV has one thread pool for everything, so this also bounds its image functions.
        cv2.setNumThreads(threads)
        super().__init__(model)
        # It computes some layers wrongly in whole numbers (4.10 to 5.0).
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(unrounded(model), np.uint8))
        self._net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
        self._failure = cv2.error
        self._layers = _layer_names(self._names, list(self._net.getUnconnectedOutLayersNames()))

    def _run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        for name, value in inputs.items():
            self._net.setInput(np.ascontiguousarray(value, np.float32), name)
        values = self._net.forward(self._layers)
        # forward reuses its buffers in the next call.
        return {name: np.array(v) for name, v in zip(self._names, values, strict=True)}


def _layer_names(outputs: list[str], layers: list[str]) -> list[str]:
    """The ``dnn`` layers that give the outputs; older OpenCVs prefix the layer's name."""
    if set(outputs) <= set(layers):
        return outputs
    found = []
    for output in outputs:
        ends = [layer for layer in layers if layer.endswith(("!" + output, "/" + output))]
        found.append(ends[0] if len(ends) == 1 else "")
    return found if all(found) else layers


class AndroidSession(Session):
    """A network run by ONNX Runtime's Android library, reached by pyjnius.

    The library (`com.microsoft.onnxruntime:onnxruntime-android`) is a Java package; there is no
    Python wheel of it. Tensors travel as direct byte buffers in the device's own byte order, so no
    number is converted on the way.

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
                name: jnius.autoclass(f"{_JAVA}.{name}")
                for name in ("OrtEnvironment", "OnnxTensor", "OnnxJavaType")
            }
            options = jnius.autoclass(f"{_JAVA}.OrtSession$SessionOptions")()
            self._map = jnius.autoclass("java.util.HashMap")
            self._buffers = jnius.autoclass("java.nio.ByteBuffer")
            self._order = jnius.autoclass("java.nio.ByteOrder").nativeOrder()
        except jnius.JavaException as error:
            raise ImportError(f"ONNX Runtime's Android library is missing: {error}") from None
        self._failure = jnius.JavaException
        self._cast = jnius.cast
        options.setIntraOpNumThreads(threads)
        options.setInterOpNumThreads(1)
        options.addConfigEntry(*_STOP_SPINNING)
        super().__init__(model)
        self._environment = self._classes["OrtEnvironment"].getEnvironment()
        # A bytearray crosses in one copy; bytes would be turned into a list first.
        self._session = self._environment.createSession(bytearray(model), options)

    def _run(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        tensors: list[Any] = []
        result: Any = None
        try:
            named = self._map()
            for name, value in inputs.items():
                tensors.append(self._tensor(value))
                named.put(name, tensors[-1])
            result = self._session.run(named)
            return {name: self._values(result.get(place)) for place, name in enumerate(self._names)}
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
        tensor = self._cast(f"{_JAVA}.OnnxTensor", value)
        shape = tuple(tensor.getInfo().getShape())
        raw = bytearray(math.prod(shape) * _FLOAT_BYTES)
        tensor.getByteBuffer().get(raw)
        return np.frombuffer(bytes(raw), np.float32).reshape(shape).copy()


__all__ = ["ENGINES", "ModelError", "Session", "TensorSpec", "available_engines", "open_session"]


ENGINES: dict[str, Callable[[bytes, int], Session]] = {
    "onnxruntime": OnnxRuntimeSession,
    "android": AndroidSession,
    "opencv": OpenCvSession,
}


def open_session(
    model: bytes, *, threads: int = 2, engine: str | None = None, name: str = "The network"
) -> Session:
    """Loads a network into the first engine that is there, or into the one named.

    Args:
        model: the bytes of an ONNX file, weights included.
        threads: threads of one run.
        engine: a key of ``ENGINES``; None takes the first that can be imported. The environment
            variable ``COMPANION_ENGINE`` does the same where this is None.
        name: what to call the network in messages.

    Raises:
        ModelError: there is no such engine, none is installed, or it refuses the network.
    """
    engine = engine or os.environ.get("COMPANION_ENGINE") or None
    if engine is not None and engine not in ENGINES:
        known = ", ".join(ENGINES)
        raise ModelError(f"There is no inference engine “{engine}” (there are: {known}).")
    for candidate in (engine,) if engine else tuple(ENGINES):
        with contextlib.suppress(ImportError):
            try:
                return ENGINES[candidate](model, threads)
            except ImportError:
                raise
            except ProtoError as error:
                raise ModelError(f"{name} cannot be loaded: {error}.") from None
            except Exception as error:  # noqa: BLE001 - engines raise types of their own
                raise ModelError(
                    f"{name} cannot be loaded by {candidate}: {_first_line(error)}."
                ) from None
    wanted = engine or "onnxruntime or opencv-python"
    raise ModelError(f"No inference engine is installed; install {wanted} with pip.")


def available_engines() -> dict[str, str]:
    """Engines that can be imported here, with their versions."""
    found: dict[str, str] = {}
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with contextlib.suppress(ImportError):
        import onnxruntime

        found["onnxruntime"] = onnxruntime.__version__
    with contextlib.suppress(ImportError):
        import cv2

        found["opencv"] = cv2.__version__
    return found


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
