"""Home: the games there are, the demo, the settings."""

from __future__ import annotations

from pathlib import Path

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.registry import all_games
from mobile import texts
from mobile.widgets import basic


class GameEntry(basic.Panel):
    """A game on the home screen."""

    game = ObjectProperty()
    title = StringProperty()
    summary = StringProperty()
    facts = StringProperty()


class HomeScreen(Screen):
    """The first screen."""

    def on_pre_enter(self, *_args: object) -> None:
        """Lists the games anew: another package may have brought one."""
        self.ids.games.clear_widgets()
        for game in all_games():
            info = game.info
            low, high = info.min_players, info.max_players
            players = str(low) if low == high else f"{low}–{high}"
            facts = texts.GAME_FACTS.format(players=players, minutes=info.minutes)
            entry = GameEntry(
                game=game, title=info.title, summary=texts.tr(info.summary), facts=facts
            )
            self.ids.games.add_widget(entry)

    def play(self, game: object) -> None:
        """Goes on to the game's set-up."""
        App.get_running_app().open_setup(game)


Factory.register("GameEntry", cls=GameEntry)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
