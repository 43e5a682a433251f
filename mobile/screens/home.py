"""Home: the games there are, the demo, the settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.gridlayout import GridLayout
from kivy.uix.screenmanager import Screen

from companion.core.registry import all_games, get_game
from companion.errors import CompanionError
from mobile.model import seating
from mobile.model.days import said_day
from mobile.resources import texts
from mobile.widgets import basic, faces, people

#: The latest matches that can be continued are on the home screen, all of them in the history.
MOST_UNFINISHED = 3
#: Cards in a match's small picture: the last ones.
MOST_DRAWN = 8

#: So many people are named on it; who played last comes first.
MOST_PEOPLE = 6


#: Pieces of a game's own that its box shows.
PIECES = 3


class GameEntry(basic.TouchPanel):
    """A game on the home screen: a box in a colour of its own, with some of its pieces."""

    game = ObjectProperty()
    title = StringProperty()
    summary = StringProperty()
    facts = StringProperty()
    place = NumericProperty(0)
    #: The height that all boxes have: that of the one that needs most.
    common = NumericProperty(0)
    #: Width and height of a piece.
    piece_size = ObjectProperty((0, 0))

    def on_kv_post(self, _base: object) -> None:
        """Chooses some pieces, from over the whole deck."""
        info = self.game.info
        cards = self.game.all_cards(self.game.setup([str(n) for n in range(info.min_players)]))
        step = max(1, len(cards) // (PIECES + 1))
        # A neighbour's box shows other cards of the same deck.
        self._pieces = cards[max(0, step - 2 * self.place) :: step + 1][:PIECES]
        self.piece_size = faces.box_of(self._pieces[0], 0.75)

    def draw(self) -> None:
        """Shows the pieces."""
        for card in self._pieces:
            self.ids.pieces.add_widget(basic.CardFace(card=card, size=self.piece_size))


class Boxes(GridLayout):
    """Boxes of one height, in rows of as many each as can be."""

    @staticmethod
    def columns(count: int, most: float) -> int:
        """How many stand in a row, where so many have room: nine of eight are five and four."""
        rows = ceil(count / max(1, int(most)))
        return ceil(count / max(1, rows)) or 1

    def add_widget(self, widget: GameEntry, *args: object, **kwargs: object) -> None:
        """One box more."""
        widget.fbind("minimum_height", self._fit)
        super().add_widget(widget, *args, **kwargs)

    def _fit(self, *_args: object) -> None:
        tallest = max((box.minimum_height for box in self.children), default=0)
        for box in self.children:
            box.common = tallest


class Unfinished(basic.TouchPanel):
    """A match that can be continued."""

    number = NumericProperty()
    title = StringProperty()
    facts = StringProperty()
    #: Whether it is the one to go on with.
    lit = BooleanProperty(False)


class FirstMatch(basic.TouchPanel):
    """The way into a first match for those who have not played one."""


class HomeScreen(Screen):
    """The first screen."""

    message = StringProperty()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        #: What draws each small picture that is not there yet. It is called a frame each: words
        #: are there at once, and to take a match up takes time.
        self._undrawn: deque[Callable[[], None]] = deque()

    def on_pre_enter(self, *_args: object) -> None:
        """Lists the games anew: another package may have brought one."""
        self.ids.games.clear_widgets()
        self._undrawn.clear()
        for place, game in enumerate(all_games()):
            info = game.info
            low, high = info.min_players, info.max_players
            players = str(low) if low == high else f"{low}–{high}"
            facts = texts.GAME_FACTS.format(
                players=players, minutes=info.minutes, needed=seating.needed(game)
            )
            entry = GameEntry(
                game=game,
                title=info.title,
                summary=texts.tr(info.summary),
                facts=facts,
                place=place,
            )
            self.ids.games.add_widget(entry)
            self._undrawn.append(entry.draw)

        self.ids.first.clear_widgets()
        if not App.get_running_app().services.has_journal:
            self.ids.first.add_widget(FirstMatch())
        self.ids.unfinished.clear_widgets()
        # The journal is opened after the first picture, so that the app is there at once.
        Clock.schedule_once(self._list_unfinished, 0)
        Clock.schedule_interval(self._draw_next, 0)

    def _list_unfinished(self, _dt: float) -> None:
        app = App.get_running_app()
        services = app.services
        journal = services.journal if services.has_journal else None
        if services.settings_trouble:
            self.message = texts.told(services.settings_trouble)
        if services.journal_trouble:
            self.message = texts.JOURNAL_TROUBLE.format(why=services.journal_trouble)
        people.chips(
            self.ids.people,
            services.people[:MOST_PEOPLE],
            lambda person: App.get_running_app().open_person(person.name),
        )
        self.ids.unfinished.clear_widgets()
        here = app.screen("table").table if app.is_in_match else None
        unfinished = () if journal is None else services.unfinished(here)
        for place, info in enumerate(unfinished[:MOST_UNFINISHED]):
            score = ", ".join(f"{name} {points}" for name, points in info.scores.items())
            day = said_day(info.touched)
            entry = Unfinished(
                number=info.id,
                lit=place == 0,
                title=get_game(info.game).info.title,
                facts=texts.KEPT_FACTS.format(score=score, day=day),
            )
            self.ids.unfinished.add_widget(entry)
            self._undrawn.append(partial(self._draw, entry))
        older = len(unfinished) - MOST_UNFINISHED
        if older > 0:
            text = texts.OLDER_UNFINISHED.format(n=older)
            basic.offer(self.ids.unfinished, text, app.open_history)

    def on_leave(self, *_args: object) -> None:
        """What is not drawn yet is not needed."""
        self._undrawn.clear()

    def _draw_next(self, _dt: float) -> bool:
        """Draws the next small picture; False where it was the last."""
        if self._undrawn:
            self._undrawn.popleft()()
        return bool(self._undrawn)

    @staticmethod
    def _draw(entry: Unfinished) -> None:
        """What lies open in a match, small."""
        try:
            table = App.get_running_app().services.resumed(int(entry.number))
        except CompanionError:
            return
        lying = [c for zone in table.zones if zone.face_up for c in zone.cards if c.is_known]
        for card in lying[-MOST_DRAWN:]:
            size = (dp(36), dp(50)) if entry.lit else (dp(24), dp(33))
            entry.ids.lying.add_widget(basic.CardFace(card=card, size=size))

    def play(self, game: object) -> None:
        """Goes on to the game's set-up."""
        App.get_running_app().open_setup(game)


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
