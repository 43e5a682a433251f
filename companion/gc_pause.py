"""Counting and reading without runs of Python's garbage collector."""

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

    A count creates many small objects, mostly facts, but no reference cycles: reference counts free
    them all. The collector does not know that, and sometimes scans every object of the program
    during a count, which can take longer than the count itself.

    Collection is only postponed: new objects are still counted, so a collection that is due runs
    right after the block. The collector's state belongs to the whole process. It is restored when
    the last thread leaves its block, and a collector that was off stays off.
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
