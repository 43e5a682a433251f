"""The rules of a game over whatever is shown: two pages, the second one an example."""

from __future__ import annotations

from typing import Any

from kivy.app import App
from kivy.metrics import dp
from kivy.properties import BooleanProperty, StringProperty

from mobile.model import demo_script, rulebook
from mobile.widgets.basic import CardFace, Flow, Sheet, Words
from mobile.widgets.ui import load_layout


class RulesSheet(Sheet):
    """The rules of a game."""

    title = StringProperty()
    is_last = BooleanProperty(False)
    #: Whether a first match of this game can be tried from here: not while another is being played.
    can_try = BooleanProperty(False)

    def __init__(self, game: Any) -> None:
        super().__init__()
        self.title = game.info.title
        self._pages = rulebook.pages(game.name, game.family)
        self._at = 0
        is_playing = App.get_running_app().is_in_match
        self.can_try = not is_playing and game.name == demo_script.load().game.name
        self._show()

    def turn(self) -> None:
        """The other page."""
        self._at = (self._at + 1) % len(self._pages)
        self._show()

    def try_it(self) -> None:
        """A first match of this game."""
        self.dismiss(animation=False)
        App.get_running_app().open_first_match()

    def _show(self) -> None:
        box = self.ids.lines
        box.clear_widgets()
        self.ids.scroll.to_top()
        self.is_last = self._at == len(self._pages) - 1
        for line in self._pages[self._at]:
            if line.cards:
                cards = Flow(spacing=dp(5))
                for card in line.cards:
                    cards.add_widget(CardFace(card=card, size=(dp(40), dp(55))))
                box.add_widget(cards)
            else:
                tone = "accent" if line.is_heading else "ink"
                box.add_widget(Words(text=line.text, bold=line.is_heading, tone=tone))


load_layout(__file__)
