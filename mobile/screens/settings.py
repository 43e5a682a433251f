"""Settings: appearance, text size, suits; and what happens with pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.uix.screenmanager import Screen

from mobile import texts
from mobile.settings import TEXT_SCALES
from mobile.widgets.basic import Act


class SettingsScreen(Screen):
    """The user's choices; each works at once."""

    def on_pre_enter(self, *_args: object) -> None:
        """Shows what is chosen now."""
        settings = App.get_running_app().settings
        looks = [("dark", texts.DARK), ("light", texts.LIGHT)]
        self._offer(self.ids.themes, "theme", looks, settings.theme)
        sizes = [(scale, f"{round(scale * 100)} %") for scale in TEXT_SCALES]
        self._offer(self.ids.sizes, "text_scale", sizes, settings.text_scale)
        answers = [(True, texts.YES), (False, texts.NO)]
        self._offer(self.ids.suits, "four_colours", answers, settings.four_colours)

    def _offer(self, box: Any, name: str, values: list[tuple[Any, str]], now: Any) -> None:
        box.clear_widgets()
        for value, label in values:
            button = Act(text=f"✓ {label}" if value == now else label, font_name="Symbols")
            button.chosen = value == now
            button.bind(on_release=lambda _button, value=value: self._choose(name, value))
            box.add_widget(button)

    def _choose(self, name: str, value: Any) -> None:
        app = App.get_running_app()
        app.change(replace(app.settings, **{name: value}))
        self.on_pre_enter()


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
