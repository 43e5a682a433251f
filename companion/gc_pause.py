"""Counting and reading without searches of Python's garbage collector."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Pauses:
    """Which threads want the collector to wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0
        self.was_enabled = False


_PAUSES = _Pauses()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the garbage collector until the block is left, however it is left.

    A counting makes many small objects, facts above all, but no rings of them: reference counts
    free them all. The collector does not know, and now and then looks through every object of the
    whole program in the midst of a counting, which can take longer than the counting itself.

    Only the interruption is spared: new objects are counted nevertheless, so whatever is
    due by the end of the block is collected right after it. The collector's state belongs to the
    whole process. It is as before when the last of all threads leaves its block, and a collector
    that was off stays off.
    """
    with _PAUSES.lock:
        if not _PAUSES.number:
            _PAUSES.was_enabled = gc.isenabled()
            gc.disable()
        _PAUSES.number += 1
    try:
        yield
    finally:
        with _PAUSES.lock:
            _PAUSES.number -= 1
            if not _PAUSES.number and _PAUSES.was_enabled:
                gc.enable()
