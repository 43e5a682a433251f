"""Stub classes in pyjnius's place: Java's signatures, ONNX Runtime in Python behind them."""

from __future__ import annotations

import types

import numpy as np
import onnxruntime


class JavaException(Exception):  # noqa: N818 - its name in pyjnius
    """As pyjnius raises it."""


class ByteBuffer:
    def __init__(self, size):
        self.data, self.place, self.native = bytearray(size), 0, False

    @staticmethod
    def allocateDirect(size):
        return ByteBuffer(size)

    def order(self, order):
        self.native = order == "native"
        return self

    def put(self, source):
        assert isinstance(source, bytearray), "anything else crosses as a list of numbers"
        self.data[self.place : self.place + len(source)] = source
        self.place += len(source)
        return self

    def rewind(self):
        self.place = 0
        return self

    def get(self, target):
        # pyjnius copies an array back into the bytearray it was given.
        target[:] = self.data[self.place : self.place + len(target)]
        return self


class ByteOrder:
    @staticmethod
    def nativeOrder():
        return "native"


class HashMap(dict):
    def put(self, key, value):
        self[key] = value


class OnnxJavaType:
    FLOAT = "float"


class Info:
    def __init__(self, shape):
        self._shape = shape

    def getShape(self):
        return list(self._shape)


class OnnxTensor:
    open_ones = 0

    def __init__(self, array):
        self.array = array
        OnnxTensor.open_ones += 1

    @staticmethod
    def createTensor(_environment, buffer, shape, kind):
        assert (buffer.place, buffer.native, kind) == (0, True, OnnxJavaType.FLOAT)
        return OnnxTensor(np.frombuffer(bytes(buffer.data), np.float32).reshape(shape))

    def getInfo(self):
        return Info(self.array.shape)

    def getByteBuffer(self):
        raw = self.array.tobytes()
        buffer = ByteBuffer(len(raw))
        return buffer.put(bytearray(raw)).rewind()

    def close(self):
        OnnxTensor.open_ones -= 1


class Result:
    def __init__(self, tensors):
        self.tensors = tensors

    def get(self, place):
        return self.tensors[place]

    def close(self):
        for tensor in self.tensors:
            tensor.close()


class SessionOptions:
    def __init__(self):
        self.threads = {}
        self.entries = {}

    def setIntraOpNumThreads(self, count):
        self.threads["intra"] = count

    def setInterOpNumThreads(self, count):
        self.threads["inter"] = count

    def addConfigEntry(self, key, value):
        self.entries[key] = value


class OrtSession:
    def __init__(self, model, options):
        assert options.threads == {"intra": 1, "inter": 1}
        assert options.entries == {"session.force_spinning_stop": "1"}
        self._session = onnxruntime.InferenceSession(
            bytes(model), providers=["CPUExecutionProvider"]
        )

    def run(self, named):
        try:
            values = self._session.run(None, {k: t.array for k, t in named.items()})
        except Exception as error:  # noqa: BLE001 - its types are not public
            raise JavaException(f"ai.onnxruntime.OrtException: {error}") from None
        return Result([OnnxTensor(np.asarray(v, np.float32)) for v in values])


class OrtEnvironment:
    @staticmethod
    def getEnvironment():
        return OrtEnvironment()

    def createSession(self, model, options):
        return OrtSession(model, options)


CLASSES = {
    "ai.onnxruntime.OrtEnvironment": OrtEnvironment,
    "ai.onnxruntime.OnnxTensor": OnnxTensor,
    "ai.onnxruntime.OnnxJavaType": OnnxJavaType,
    "ai.onnxruntime.OrtSession$SessionOptions": SessionOptions,
    "java.util.HashMap": HashMap,
    "java.nio.ByteBuffer": ByteBuffer,
    "java.nio.ByteOrder": ByteOrder,
}


def module(*, without: str = "") -> types.ModuleType:
    """A module to stand for `jnius`; classes whose name begins with `without` are not there."""

    def autoclass(name):
        if name not in CLASSES or (without and name.startswith(without)):
            raise JavaException(f"Class not found: {name}")
        return CLASSES[name]

    found = types.ModuleType("jnius")
    found.autoclass, found.JavaException = autoclass, JavaException
    found.cast = lambda _name, value: value
    return found
