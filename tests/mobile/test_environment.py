"""What is settled before Kivy is imported."""

import sys

import numpy as np
import pytest

from mobile.environment import give_back_memory, keep_memory_small


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - it is no file
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own account of it")
def test_what_large_arrays_took_is_given_back():
    keep_memory_small()
    before = resident()
    arrays = [np.ones(400_000, np.uint8) for _ in range(100)]
    small = [np.ones(60_000, np.uint8) for _ in range(400)]
    assert resident() - before > 50_000_000
    del arrays, small
    give_back_memory()
    assert resident() - before < 15_000_000
