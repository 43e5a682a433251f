"""What is settled before Kivy is imported."""

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
