"""What has to be settled before Kivy is imported."""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from pathlib import Path

from companion.paths import data_folder

#: The size of a phone in dp, for the first window on a desktop.
PHONE = (412, 915)


def prepare(data: Path | None) -> Path:
    """Keeps Kivy from reading arguments and from writing outside the data folder.

    Args:
        data: the folder named by the user, None for the usual one.

    Returns:
        The data folder, which exists.

    Raises:
        CompanionError: the folder cannot be made.
    """
    folder = data_folder(data, create=True)
    keep_memory_small()
    os.environ.setdefault("COMPANION_SMALL_MEMORY", "1")
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("KIVY_NO_ARGS", "1")
    os.environ.setdefault("KIVY_NO_FILELOG", "1")
    # In its own mode Kivy takes stderr over, and our one line about an error would be lost.
    os.environ.setdefault("KIVY_LOG_MODE", "PYTHON")
    log = logging.getLogger("kivy")
    log.addHandler(logging.NullHandler())
    log.propagate = "KIVY_DEBUG" in os.environ
    home = Path(os.environ.setdefault("KIVY_HOME", str(folder / "kivy")))
    home.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("KCFG_GRAPHICS_WIDTH", str(PHONE[0]))
    os.environ.setdefault("KCFG_GRAPHICS_HEIGHT", str(PHONE[1]))
    # Pictures are none of the app's business but its own icon: Pillow is not loaded for it.
    os.environ.setdefault("KIVY_IMAGE", "sdl2")
    if "ANDROID_ARGUMENT" not in os.environ:
        os.environ.setdefault("KIVY_AUDIO", "sdl2")  # what plays is what draws
    # Kivy's second choice ends the whole process, without a word, where there is no X server.
    os.environ.setdefault("KIVY_WINDOW", "sdl2")
    if sys.platform == "linux" and "ANDROID_ARGUMENT" not in os.environ:
        # Else SDL opens a window that nobody can see where it finds no screen.
        os.environ.setdefault("SDL_VIDEODRIVER", "x11,wayland,kmsdrm")
        if not Path("/dev/dri").exists():
            # Without a graphics chip the processor draws; smooth edges would double its work.
            os.environ.setdefault("KCFG_GRAPHICS_MULTISAMPLES", "0")
    # A second touch point by the right mouse button is of no use here, and draws red dots.
    os.environ.setdefault("KCFG_INPUT_MOUSE", "mouse,disable_multitouch")
    os.environ.setdefault("KCFG_KIVY_EXIT_ON_ESCAPE", "0")
    return folder


#: glibc's `M_ARENA_MAX`, `M_MMAP_THRESHOLD` and `M_TRIM_THRESHOLD`.
_ARENAS, _LARGE, _TRIMMED = -8, -3, -1


def keep_memory_small() -> None:
    """Lets the C library return what large arrays took as soon as they are gone (glibc).

    By itself it takes an arena for each thread, and keeps ever larger blocks after the first one.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    # Android's C library has a `mallopt` with other numbers, and no `malloc_trim`.
    if library is not None and hasattr(library, "malloc_trim"):
        library.mallopt(_ARENAS, 1)
        library.mallopt(_LARGE, 1 << 18)
        library.mallopt(_TRIMMED, 1 << 19)


def give_back_memory() -> None:
    """Hands freed memory back to the system where the C library keeps it (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
