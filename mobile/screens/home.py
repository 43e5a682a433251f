"""Home: the match to go on with, the games there are, and the people."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.graphics import Color, PopMatrix, PushMatrix, Rectangle, Rotate
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.screenmanager import Screen
from kivy.uix.widget import Widget

from companion.cards import Card, parse_cards
from companion.core.game import Game
from companion.core.registry import all_games, get_game
from companion.errors import CompanionError
from mobile.model.days import said_day
from mobile.model.people import Person
from mobile.model.scores import in_words
from mobile.resources import texts
from mobile.resources.pictures import Side, fitted
from mobile.widgets import basic, faces, people
from mobile.widgets.faces import PICTURES
from mobile.widgets.ui import load_layout

#: The latest matches that can be continued are on the home screen, all of them in the history.
MOST_UNFINISHED = 3
#: Cards in a match's small picture: the last ones.
MOST_DRAWN = 5
#: So many people are named on it; who played last comes first.
MOST_PEOPLE = 6
#: Pieces that a game's box shows.
PIECES = 3
#: How far the outer cards of a spread are turned, in degrees.
TURNED = 8


class Spread(Widget):
    """Some cards as they are held, side by side and a little turned."""

    #: How large they are beside those on a table.
    scale = NumericProperty(0.66)
    #: Where the next one begins, as a share of a card's width.
    step = NumericProperty(0.36)
    four = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        #: What is drawn.
        self.cards: tuple[Card, ...] = ()
        super().__init__(**kwargs)
        self.fbind("pos", self._paint)
        self.fbind("four", self._paint)

    def show(self, cards: Sequence[Card]) -> None:
        """Draws cards of one kind."""
        self.cards = tuple(cards)
        if cards:
            width, height = faces.box_of(cards[0], self.scale)
            self.size = width * (1 + (len(cards) - 1) * self.step) + dp(12), height + dp(4)
        self._paint()

    def _paint(self, *_args: object) -> None:
        self.canvas.clear()
        middle = (len(self.cards) - 1) / 2
        with self.canvas:
            Color(1, 1, 1, 1)
            for place, card in enumerate(self.cards):
                width, height = faces.box_of(card, self.scale)
                drawn = PICTURES.texture(fitted(card, Side.FACE, (width, height), four=self.four))
                left = self.center_x - width / 2 + (place - middle) * width * self.step
                turned = (middle - place) * TURNED / max(1, middle)
                PushMatrix()
                Rotate(angle=turned, origin=(left + width / 2, self.y - height))
                Rectangle(texture=drawn, pos=(left, self.y), size=drawn.size)
                PopMatrix()


class Box(basic.TouchPanel):
    """Something to begin: a box in a colour of its own, with some of its pieces.

    Args:
        go: called by a touch.
        pieces: of one kind, three at most.
    """

    title = StringProperty()
    summary = StringProperty()
    facts = StringProperty()
    place = NumericProperty(0)
    #: The height that all boxes have: that of the one that needs most.
    common = NumericProperty(0)

    def __init__(self, go: Callable[[], object], pieces: Sequence[Card], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._go, self._pieces = go, pieces

    def on_release(self) -> None:
        """Begins it."""
        self._go()

    def draw(self) -> None:
        """Shows the pieces."""
        self.ids.pieces.show(self._pieces)


def _pieces(game: Game[Any], place: int) -> tuple[Card, ...]:
    """Some from over a game's whole deck; a neighbour's box shows others of the same deck."""
    cards = game.all_cards(game.setup([str(n) for n in range(game.info.min_players)]))
    step = max(1, len(cards) // (PIECES + 1))
    return tuple(cards[max(0, step - 2 * place) :: step + 1][:PIECES])


class Boxes(basic.Grid):
    """Boxes of one height, in rows of as many each as can be."""

    @staticmethod
    def columns(count: int, most: float) -> int:
        """How many stand in a row, where so many have room: nine of eight are five and four."""
        rows = ceil(count / max(1, int(most)))
        return ceil(count / max(1, rows)) or 1

    def add_widget(self, widget: Box, *args: object, **kwargs: object) -> None:
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
        """Lists the games anew: another package may have brought one. It begins at its top."""
        self.ids.scroll.to_top()
        self.ids.games.clear_widgets()
        self._undrawn.clear()
        for place, game in enumerate(all_games()):
            low, high = game.info.min_players, game.info.max_players
            players = str(low) if low == high else f"{low}–{high}"
            facts = texts.GAME_FACTS.format(players=players, minutes=game.info.minutes)
            self._add_box(
                Box(
                    partial(App.get_running_app().open_setup, game),
                    _pieces(game, place),
                    title=game.info.title,
                    summary=texts.tr(game.info.summary),
                    facts=facts,
                    place=place,
                )
            )
        self._add_box(
            Box(
                partial(App.get_running_app().go, "hand"),
                parse_cards("4C 5H 6S"),
                title=texts.SCORE_HAND,
                summary=texts.SCORE_HAND_EXPLAIN,
                place=len(self.ids.games.children),
            )
        )

        self.ids.first.clear_widgets()
        if not App.get_running_app().services.has_journal:
            self.ids.first.add_widget(FirstMatch())
        self.ids.unfinished.clear_widgets()
        # The journal is opened after the first picture, so that the app is there at once.
        Clock.schedule_once(self._list_unfinished, 0)
        Clock.schedule_interval(self._draw_next, 0)

    def _add_box(self, box: Box) -> None:
        self.ids.games.add_widget(box)
        self._undrawn.append(box.draw)

    def _list_unfinished(self, _dt: float) -> None:
        app = App.get_running_app()
        services = app.services
        journal = services.journal if services.has_journal else None
        if services.settings_trouble:
            self.message = texts.told(services.settings_trouble)
        if services.journal_trouble:
            self.message = texts.JOURNAL_TROUBLE.format(why=services.journal_trouble)
        self._list_people(services.people[:MOST_PEOPLE])
        self.ids.unfinished.clear_widgets()
        here = app.screen("table").table if app.is_in_match else None
        unfinished = () if journal is None else services.unfinished(here)
        for place, info in enumerate(unfinished[:MOST_UNFINISHED]):
            score = in_words(info.scores)
            day = said_day(info.touched)
            entry = Unfinished(
                number=info.id,
                lit=place == 0,
                title=get_game(info.game).info.title,
                facts=texts.KEPT_FACTS.format(score=score, day=day),
            )
            self.ids.unfinished.add_widget(entry)
            self._undrawn.insert(place, partial(self._draw, entry))
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
        entry.ids.lying.show(lying[-MOST_DRAWN:])

    def _list_people(self, known: Sequence[Person]) -> None:
        """Those who played last."""
        app, box = App.get_running_app(), self.ids.people
        box.clear_widgets()
        for person in known:
            box.add_widget(people.Face(person, partial(app.open_person, person.name)))


load_layout(__file__)
