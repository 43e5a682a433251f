"""The look of the app as Kivy properties, so that every widget follows a change at once."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from kivy.event import EventDispatcher
from kivy.lang import Builder
from kivy.metrics import sp
from kivy.properties import BooleanProperty, ColorProperty, NumericProperty

from mobile.android.device import is_dark
from mobile.model.settings import Settings
from mobile.resources.theme import PALETTES, Palette

#: Size of running text in sp at text scale 1.
TEXT_SP = 16


class Ui(EventDispatcher):
    """Colours of the palette in use, the text size, and how suits are coloured."""

    ground = ColorProperty()
    surface = ColorProperty()
    raised = ColorProperty()
    ink = ColorProperty()
    muted = ColorProperty()
    accent = ColorProperty()
    over_accent = ColorProperty()
    warn = ColorProperty()
    line = ColorProperty()
    danger = ColorProperty()
    over_danger = ColorProperty()
    felt = ColorProperty()
    brass = ColorProperty()
    em = NumericProperty(16.0)
    four_colours = BooleanProperty(False)
    left_handed = BooleanProperty(False)

    def follow(self, settings: Settings) -> None:
        """Takes over the user's choices."""
        palette = PALETTES[settings.theme or ("light" if is_dark() is False else "dark")]
        for field in fields(Palette):
            setattr(self, field.name, getattr(palette, field.name))
        self.em = sp(TEXT_SP) * settings.text_scale
        self.four_colours = settings.four_colours
        self.left_handed = settings.left_handed


def load_layout(module: str) -> None:
    """Loads the layout that stands beside a module.

    Args:
        module: the module's `__file__`.
    """
    Builder.load_file(str(Path(module).with_suffix(".kv")))
