"""What is settled before Kivy is imported."""

import os
import subprocess
import sys

import pytest

#: In a process of its own: what other tests have freed would be taken first.
_PROGRAM = """
import numpy as np
from mobile.environment import give_back_memory, keep_memory_small

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096

keep_memory_small()
before = resident()
kept = []
arrays = [np.ones(400_000, np.uint8) for _ in range(100)]
for _ in range(400):
    arrays.append(np.ones(60_000, np.uint8))
    kept.append(np.ones(500, np.uint8))  # lies between, so that the heap cannot simply shrink
assert resident() - before > 50_000_000
del arrays
give_back_memory()
assert resident() - before < 15_000_000, resident() - before
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own account of it")
def test_what_large_arrays_took_is_given_back():
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True)


#: A network looks at a large picture; what is resident then is printed, and a sum of its output.
_LOOK = """
import numpy as np
from vision.inference.backend import OnnxRuntimeSession
from vision.inference.model_files import read_model

def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096

if {small}:
    from mobile.environment import prepare
    prepare(None)
session = OnnxRuntimeSession(read_model("locator.onnx"), 1)
picture = np.random.default_rng(1).random((1, 3, 960, 1280), np.float32)
before = resident()
(out,) = session.run({{session.inputs[0].name: picture}}).values()
print(resident() - before, float(np.abs(out).sum()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own account of it")
def test_the_app_does_not_keep_what_a_network_took_for_a_large_picture(tmp_path):
    pytest.importorskip("onnxruntime")
    env = os.environ | {"COMPANION_DATA": str(tmp_path)}
    env.pop("COMPANION_SMALL_MEMORY", None)
    said = [
        subprocess.run(
            [sys.executable, "-c", _LOOK.format(small=small)],
            check=True,
            capture_output=True,
            text=True,
            env=env,
        ).stdout.split()
        for small in (False, True)
    ]
    (usual, first), (small, second) = said
    assert first == second
    # The picture itself has 15 MB.
    assert int(small) < int(usual) - 10_000_000
