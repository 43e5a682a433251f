"""The few fields of an ONNX file that are needed without an ONNX library, read and written.

Field numbers are those of onnx.proto3 (IR version 8); the wire format is protocol buffers'.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_ELEMENT_TYPES: dict[np.dtype[Any], int] = {
    np.dtype(np.float32): 1,
    np.dtype(np.uint8): 2,
    np.dtype(np.int8): 3,
    np.dtype(np.int32): 6,
    np.dtype(np.int64): 7,
}
_FLOAT32 = 1
AttributeValue = int | float | Sequence[int] | NDArray[np.float32]


class ProtoError(ValueError):
    """The bytes are no ONNX model."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """Name and shape of a model's input or output; None stands for a free dimension."""

    name: str
    shape: tuple[int | None, ...]


def signature(model: bytes) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """The inputs and outputs of an ONNX model, in the file's order, without its weights.

    Raises:
        ProtoError: the bytes are no ONNX model.
    """
    try:
        graph = next(value for number, value in _fields(model) if number == 7)
        inputs, outputs, weights = [], [], set()
        for number, value in _fields(_as_bytes(graph)):
            if number == 5:
                weights.add(_text(value, 8))
            elif number == 11:
                inputs.append(_spec(_as_bytes(value)))
            elif number == 12:
                outputs.append(_spec(_as_bytes(value)))
    except (StopIteration, IndexError, struct.error, UnicodeDecodeError, TypeError):
        raise ProtoError("it is no ONNX model") from None
    if not outputs:
        raise ProtoError("it is no ONNX model")
    return tuple(spec for spec in inputs if spec.name not in weights), tuple(outputs)


def unrounded(model: bytes) -> bytes:
    """The same network computing in full, for engines that cannot compute in whole numbers.

    What rounds between layers is left out, and weights kept in whole numbers become float32.

    Args:
        model: one whose constants are kept as raw bytes, rounded along their first axis.

    Raises:
        ProtoError: the bytes are no ONNX model.
    """
    return b"".join(
        _message(7, _unrounded_graph(_as_bytes(value))) if number == 7 else _field(number, value)
        for number, value in _fields(model)
    )


def _unrounded_graph(graph: bytes) -> bytes:
    fields = list(_fields(graph))
    constants = {_text(value, 8): _as_bytes(value) for number, value in fields if number == 5}
    # What a name stands for once nothing rounds on the way to it.
    meant: dict[str, str] = {}
    used: set[str] = set()
    kept = b""
    for number, value in fields:
        if number != 1:
            kept += _field(number, value) if number != 5 else b""
            continue
        parts = list(_fields(_as_bytes(value)))
        inputs = [_as_bytes(part).decode() for n, part in parts if n == 1]
        operator, output = _text(value, 4), _text(value, 2)
        if operator == "DequantizeLinear" and inputs[0] in constants:
            values = _dequantised(*(_array(constants[name]) for name in inputs))
            constants[output] = _tensor(values, output)
        elif operator in ("QuantizeLinear", "DequantizeLinear"):
            meant[output] = meant.get(inputs[0], inputs[0])
        else:
            inputs = [meant.get(name, name) for name in inputs]
            used.update(inputs)
            body = b"".join(_message(1, name.encode()) for name in inputs)
            kept += _message(1, body + b"".join(_field(*part) for part in parts if part[0] != 1))
    return kept + b"".join(_message(5, data) for name, data in constants.items() if name in used)


def _dequantised(
    numbers: NDArray[np.generic], scale: NDArray[np.generic], zero: NDArray[np.generic]
) -> NDArray[np.float32]:
    along = (-1, *[1] * (numbers.ndim - 1))
    steps = numbers.astype(np.float32) - zero.astype(np.float32).reshape(along)
    return steps * scale.astype(np.float32).reshape(along)


def _array(tensor: bytes) -> NDArray[np.generic]:
    shape, element, raw = [], 0, b""
    for number, value in _fields(tensor):
        if number == 1 and isinstance(value, int):
            shape.append(value)
        elif number == 2 and isinstance(value, int):
            element = value
        elif number == 9:
            raw = _as_bytes(value)
    types = {code: dtype for dtype, code in _ELEMENT_TYPES.items()}
    if element not in types:
        raise ProtoError("it has rounded weights of an unknown type")
    return np.frombuffer(raw, types[element]).reshape(shape)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        kind = key & 7
        if kind == _VARINT:
            value, position = _read_varint(data, position)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            length, position = _read_varint(data, position)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise ProtoError("it is no ONNX model")
        if position + length > len(data):
            raise ProtoError("the file is cut off")
        yield key >> 3, data[position : position + length]
        position += length


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ProtoError("it is no ONNX model")


def _as_bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ProtoError("it is no ONNX model")
    return value


def _text(value: int | bytes, field: int) -> str:
    for number, part in _fields(_as_bytes(value)):
        if number == field:
            return _as_bytes(part).decode()
    return ""


def _spec(value_info: bytes) -> TensorSpec:
    shape: list[int | None] = []
    for number, kind in _fields(value_info):
        if number != 2:
            continue
        for tensor_number, tensor in _fields(_as_bytes(kind)):
            if tensor_number != 1:
                continue
            for part_number, part in _fields(_as_bytes(tensor)):
                if part_number == 2:
                    shape = [
                        _dimension(_as_bytes(d)) for n, d in _fields(_as_bytes(part)) if n == 1
                    ]
    return TensorSpec(_text(value_info, 1), tuple(shape))


def _dimension(data: bytes) -> int | None:
    for number, value in _fields(data):
        if number == 1 and isinstance(value, int):
            return value
    return None


def write_model(
    nodes: Iterable[bytes],
    inputs: Iterable[TensorSpec],
    outputs: Iterable[TensorSpec],
    weights: Mapping[str, NDArray[np.generic]] | None = None,
    *,
    opset: int = 17,
) -> bytes:
    """An ONNX model of float32 inputs and outputs, as the bytes of its file.

    Args:
        nodes: nodes made by `node`, in an order in which they can run.
        inputs: the graph's inputs.
        outputs: the graph's outputs.
        weights: constant tensors (float32 or int64) by name.
        opset: version of the operator set.
    """
    graph = b"".join(_message(1, part) for part in nodes) + _message(2, b"graph")
    for name, array in (weights or {}).items():
        graph += _message(5, _tensor(array, name))
    graph += b"".join(_message(11, _value_info(spec)) for spec in inputs)
    graph += b"".join(_message(12, _value_info(spec)) for spec in outputs)
    return _number(1, 8) + _message(7, graph) + _message(8, _number(2, opset))


def node(
    operator: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    **attributes: AttributeValue,
) -> bytes:
    """One node of a graph, as bytes for `write_model`."""
    data = b"".join(_message(1, name.encode()) for name in inputs)
    data += b"".join(_message(2, name.encode()) for name in outputs)
    data += _message(3, outputs[0].encode()) + _message(4, operator.encode())
    return data + b"".join(_message(5, _attribute(k, v)) for k, v in attributes.items())


def _attribute(name: str, value: AttributeValue) -> bytes:
    data = _message(1, name.encode())
    if isinstance(value, np.ndarray):
        return data + _message(5, _tensor(value, "")) + _number(20, 4)
    if isinstance(value, float):
        return data + _varint(2 << 3 | _FIXED32) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return data + _number(3, value) + _number(20, 2)
    return data + b"".join(_number(8, int(item)) for item in value) + _number(20, 7)


def _tensor(array: NDArray[np.generic], name: str) -> bytes:
    data = b"".join(_number(1, size) for size in array.shape)
    data += _number(2, _ELEMENT_TYPES[array.dtype])
    return data + _message(8, name.encode()) + _message(9, array.tobytes())


def _value_info(spec: TensorSpec) -> bytes:
    dims = b"".join(
        _message(
            1, _message(2, f"{spec.name}_{axis}".encode()) if size is None else _number(1, size)
        )
        for axis, size in enumerate(spec.shape)
    )
    tensor = _number(1, _FLOAT32) + _message(2, dims)
    return _message(1, spec.name.encode()) + _message(2, _message(1, tensor))


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _field(number: int, value: int | bytes) -> bytes:
    """A field as `_fields` gave it; no part of a model but attributes has numbers of fixed size."""
    return _number(number, value) if isinstance(value, int) else _message(number, value)


def _message(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(data)) + data
