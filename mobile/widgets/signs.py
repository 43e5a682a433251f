"""Icons on the screen: painted once a size, tinted with the colour that text has."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kivy.clock import Clock
from kivy.graphics import Color, Rectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp
from kivy.properties import ColorProperty, StringProperty
from kivy.uix.widget import Widget

from mobile.resources.signs import painted_sign


@lru_cache(maxsize=60)
def _texture(name: str, size: int) -> Texture:
    texture = Texture.create(size=(size, size), colorfmt="rgba")
    texture.flip_vertical()

    def fill(texture: Any) -> None:
        pixels = painted_sign(name, size).tobytes()
        texture.blit_buffer(pixels, colorfmt="rgba", bufferfmt="ubyte")

    fill(texture)
    texture.add_reload_observer(fill)
    return texture


class Sign(Widget):
    """One icon in the middle of its widget."""

    name = StringProperty("")
    color = ColorProperty((1, 1, 1, 1))

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("size", (dp(24), dp(24)))
        super().__init__(**kwargs)
        paint = Clock.create_trigger(self._paint, -1)
        for changed in ("pos", "size", "name", "color"):
            self.fbind(changed, paint)
        paint()

    def _paint(self, *_args: object) -> None:
        self.canvas.clear()
        size = round(min(self.width, self.height))
        if not self.name or size < 2:
            return
        with self.canvas:
            Color(*self.color)
            Rectangle(
                texture=_texture(self.name, size),
                size=(size, size),
                pos=(round(self.center_x - size / 2), round(self.center_y - size / 2)),
            )
