"""What differs between the versions of OpenCV that are allowed, and its silence, in one place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any

import cv2

#: OpenCV's level that logs nothing.
SILENT = 0
_STDERR = 2
_LOCK = RLock()
# FFmpeg's level that logs nothing; it is read when the first video is opened.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


def _set_level(level: int) -> int:
    """Sets OpenCV's log level; returns the one before.

    Versions 4.13 and later do it in `cv2.utils.logging`, 4.10 to 4.12 in `cv2` itself.
    """
    modules: tuple[Any, ...] = (getattr(getattr(cv2, "utils", None), "logging", None), cv2)
    module = next(module for module in modules if hasattr(module, "setLogLevel"))
    return int(module.setLogLevel(level))


@contextmanager
def without_log() -> Iterator[None]:
    """Keeps what OpenCV and its decoders log off stderr: our error says the same in one line.

    libpng, libjpeg and the reader of AVI files write to the process's stderr themselves, so that
    it leads nowhere meanwhile. One thread at a time: another would put the wrong one back.
    """
    with _LOCK, _nowhere():
        before = _set_level(SILENT)
        try:
            yield
        finally:
            _set_level(before)


@contextmanager
def _nowhere() -> Iterator[None]:
    """Lets the process's stderr lead nowhere; as it is where that cannot be done."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
    try:
        kept = os.dup(_STDERR)
    except OSError:  # it is closed
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDERR)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
