"""What the app is, in three cards, at the first start."""

from __future__ import annotations

from dataclasses import replace

from kivy.app import App
from kivy.properties import NumericProperty

from mobile.resources import texts
from mobile.widgets.basic import Sheet
from mobile.widgets.ui import load_layout


class WelcomeSheet(Sheet):
    """Three cards, then the way into a first match; all of it can be skipped."""

    card = NumericProperty(0)

    def next(self) -> None:
        """The next card; after the last one a first match."""
        if self.card + 1 < len(texts.WELCOME):
            self.card += 1
        else:
            self.dismiss(animation=False)
            App.get_running_app().open_first_match()

    def on_dismiss(self) -> None:
        """Not again."""
        app = App.get_running_app()
        app.change(replace(app.settings, welcomed=True))


load_layout(__file__)
