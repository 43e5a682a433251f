"""What differs between the versions of OpenCV that are allowed, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cv2

#: OpenCV's level that logs nothing.
SILENT = 0


def _set_level(level: int) -> int:
    """Sets OpenCV's log level; returns the one before.

    Versions 4.13 and later do it in `cv2.utils.logging`, 4.10 to 4.12 in `cv2` itself.
    """
    modules: tuple[Any, ...] = (getattr(getattr(cv2, "utils", None), "logging", None), cv2)
    module = next(module for module in modules if hasattr(module, "setLogLevel"))
    return int(module.setLogLevel(level))


@contextmanager
def without_log() -> Iterator[None]:
    """Keeps OpenCV's own log off stderr: our error says the same in one line."""
    before = _set_level(SILENT)
    try:
        yield
    finally:
        _set_level(before)
