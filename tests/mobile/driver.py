"""Drives the app in a real offscreen window: frames, touches, pictures."""

from __future__ import annotations

import os
import time
from pathlib import Path

SHOTS = Path(__file__).parents[2] / "build" / "shots"


def environment(home: Path, size=(412, 915), density=1) -> dict[str, str]:
    """The environment of an offscreen phone."""
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


class Driver:
    """Runs an app frame by frame.

    Args:
        app: as `mobile.app.make_app` makes it.
    """

    def __init__(self, app) -> None:
        from kivy.base import EventLoop, runTouchApp

        self.app = app
        self._loop = EventLoop
        app.load_config()
        app.load_kv()
        root = app.build()
        app.root = root
        app._app_window = None
        type(app)._running_app = app
        from kivy.core.window import Window

        Window.add_widget(root)
        app._app_window = Window
        runTouchApp(embedded=True)
        app.dispatch("on_start")
        self.frames(3)

    def frames(self, count: int = 1) -> None:
        """Draws so many frames."""
        for _ in range(count):
            self._loop.idle()

    def until(self, condition, seconds: float = 60.0) -> None:
        """Draws frames until something is so; fails where it never is."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen in time"
            self.frames()

    def touch(self, widget) -> None:
        """Touches the middle of a widget as a finger does."""
        from kivy.tests.common import UnitTestTouch

        assert not widget.disabled, "a disabled button"
        x, y = widget.to_window(widget.center_x, widget.center_y)
        touch = UnitTestTouch(x, y)
        touch.touch_down()
        self.frames(2)
        touch.touch_up()
        self.frames(3)

    def find(self, text: str, kind=None):
        """The visible widget that shows a text."""
        from kivy.core.window import Window

        for top in Window.children:
            for widget in top.walk():
                if getattr(widget, "text", None) == text and widget.get_root_window():
                    return widget
        raise AssertionError(f"nothing shows “{text}”: {sorted(self.texts())}")

    def texts(self) -> set[str]:
        """Every text in the window."""
        from kivy.core.window import Window

        return {
            widget.text
            for top in Window.children
            for widget in top.walk()
            if getattr(widget, "text", "")
        }

    def tap(self, text: str) -> None:
        """Touches the widget that shows a text."""
        self.touch(self.find(text))

    def shot(self, name: str) -> Path:
        """Keeps a picture of the window."""
        return picture(SHOTS / f"{name}.png")

    def close(self) -> None:
        """Ends the app."""
        self.app.stop()


def picture(path: Path) -> Path:
    """Writes the window as a PNG file."""
    import cv2
    import numpy as np
    from kivy.core.window import Window
    from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels

    width, height = Window.system_size
    pixels = glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE)
    image = np.frombuffer(pixels, np.uint8).reshape(height, width, 4)[::-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGBA2BGR))
    return path
