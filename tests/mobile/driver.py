"""Drives the app in a real offscreen window by touches."""

from __future__ import annotations

from pathlib import Path

from mobile.offscreen import Stage

SHOTS = Path(__file__).parents[2] / "build" / "shots"


class Driver(Stage):
    """A stage with fingers."""

    def wait(self, condition, seconds: float = 120.0) -> None:
        """Draws frames until something is so; fails where it never is."""
        assert self.until(condition, seconds), f"it did not happen: {sorted(self.texts())}"

    def touch(self, widget) -> None:
        """Touches the middle of a widget as a finger does."""
        from kivy.tests.common import UnitTestTouch

        assert not widget.disabled, "a disabled button"
        x, y = widget.to_window(widget.center_x, widget.center_y)
        touch = UnitTestTouch(x, y)
        touch.touch_down()
        self.frames(2)
        touch.touch_up()
        self.frames(4)

    def find(self, text: str):
        """The widget in sight that shows a text, those on top first."""
        for widget in self._widgets():
            if getattr(widget, "text", None) == text:
                return widget
        raise AssertionError(f"nothing shows “{text}”: {sorted(self.texts())}")

    def texts(self) -> set[str]:
        """Every text in the window."""
        return {widget.text for widget in self._widgets() if getattr(widget, "text", "")}

    def tap(self, text: str) -> None:
        """Touches the widget that shows a text."""
        self.touch(self.find(text))

    def tap_card(self, code: str) -> None:
        """Taps a card in: rank, then suit."""
        from mobile.widgets.basic import CardFace
        from mobile.widgets.picker import CardPicker

        self.tap("Tap in a card")
        self.tap(code[:-1])
        picker = self._tops()[0]
        if isinstance(picker, CardPicker):  # it closes by itself where only one card has the rank
            faces = [w for w in picker.walk() if isinstance(w, CardFace) and w.card.code == code]
            self.touch(faces[0])

    def shot(self, name: str) -> Path:
        """Keeps a picture of the window."""
        return self.picture(SHOTS / f"test-{name}.png")

    def _tops(self):
        from kivy.core.window import Window

        return list(Window.children)

    def _widgets(self):
        return [widget for top in self._tops() for widget in top.walk()]
