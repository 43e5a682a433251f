"""The app in a real window without a screen: for pictures of every screen, and for timing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Name → width and height in pixels at density 1.
SIZES = {
    "phone": (412, 915),
    "small": (360, 640),
    "tablet": (800, 1280),
    "pi": (800, 480),
    "wide": (1280, 800),
}


def environment(
    home: Path, size: tuple[int, int] = SIZES["phone"], density: float = 1.0
) -> dict[str, str]:
    """Environment variables of an offscreen device.

    Args:
        home: a scratch folder for everything that is remembered.
        size: of the window in pixels.
        density: pixels per dp.
    """
    return os.environ | {
        "SDL_VIDEODRIVER": "offscreen",
        "SDL_AUDIODRIVER": "dummy",
        "KIVY_NO_ARGS": "1",
        "KIVY_NO_FILELOG": "1",
        "KIVY_HOME": str(home / "kivy"),
        "COMPANION_DATA": str(home / "data"),
        "KIVY_METRICS_DENSITY": str(density),
        "KIVY_METRICS_FONTSCALE": "1",
        "KCFG_GRAPHICS_WIDTH": str(size[0]),
        "KCFG_GRAPHICS_HEIGHT": str(size[1]),
    }


class OffscreenApp:
    """Runs an app frame by frame.

    Args:
        waits: whether each frame is drawn to its end before the next one, as a display makes it.
            Else frames pile up in Mesa, which keeps some megabytes for each of them.
    """

    def __init__(self, app: Any, *, waits: bool = False) -> None:
        from kivy.base import EventLoop, runTouchApp

        self.app = app
        self._loop, self._waits = EventLoop, waits
        # What App.run does, without its endless loop.
        app._run_prepare()
        runTouchApp(embedded=True)
        self.frames(3)

    def frames(self, count: int = 1) -> None:
        """Draws so many frames."""
        from kivy.graphics.opengl import glFinish

        for _ in range(count):
            self._loop.idle()
            if self._waits:
                glFinish()

    def until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Draws frames until something is so; False where it never was in that time."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self.frames()
        return True

    def picture(self, path: Path) -> Path:
        """Writes the window as a PNG file."""
        import cv2
        import numpy as np
        from kivy.core.window import Window
        from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels

        width, height = Window.system_size
        pixels = glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE)
        image = np.frombuffer(pixels, np.uint8).reshape(height, width, 4)[::-1]
        path.parent.mkdir(parents=True, exist_ok=True)
        quick = [cv2.IMWRITE_PNG_COMPRESSION, 2]
        cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGBA2BGR), quick)
        return path

    def close(self) -> None:
        """Ends the app."""
        self.app.stop()
