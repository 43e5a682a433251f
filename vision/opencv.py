"""What differs between the versions of OpenCV that are allowed, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import cv2

#: OpenCV's level that logs nothing.
SILENT = 0


def _level_setter() -> Callable[[int], int]:
    """Sets OpenCV's log level and returns the one before.

    Versions 4.13 and later have it in `cv2.utils.logging`, 4.10 to 4.12 in `cv2` itself.
    """
    logging = getattr(getattr(cv2, "utils", None), "logging", None)
    found = getattr(logging, "setLogLevel", None)
    setter: Callable[[int], int] = vars(cv2)["setLogLevel"] if found is None else found
    return setter


@contextmanager
def without_log() -> Iterator[None]:
    """Keeps OpenCV's own log off stderr: our error says the same in one line."""
    set_level = _level_setter()
    before = set_level(SILENT)
    try:
        yield
    finally:
        set_level(before)
