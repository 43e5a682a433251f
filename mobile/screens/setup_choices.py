"""How the set-up asks: a few answers, a typed line, who starts; folded until asked for."""

from __future__ import annotations

from functools import partial
from typing import Any

from kivy.app import App
from kivy.factory import Factory
from kivy.properties import AliasProperty, StringProperty

from mobile.model import starting
from mobile.resources import texts
from mobile.widgets import fields  # noqa: F401 - the .kv uses its line for typing
from mobile.widgets.basic import Key, Panel, YesOrNo, offer, offer_choices
from mobile.widgets.ui import load_layout


class Choice(Panel):
    """One question with a few answers, each a button."""

    title = StringProperty()
    explain = StringProperty()
    value = StringProperty()

    def __init__(self, answers: list[tuple[str, str]], value: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._answers = answers
        self.bind(value=lambda *_args: self._draw())
        self.value = value
        self._draw()

    def offer(self, answers: list[tuple[str, str]]) -> None:
        """Offers other answers; one that is not among them any more is dropped."""
        self._answers = answers
        if self.value not in [value for value, _ in answers]:
            self.value = answers[0][0] if answers else ""
        self._draw()

    def _draw(self) -> None:
        take = partial(setattr, self, "value")
        offer_choices(self.ids.answers, self._answers, self.value, take)


class StartChoice(Choice):
    """Who starts: by name, by lot, who lost last, or the youngest."""

    def __init__(self, screen: Any, **kwargs: Any) -> None:
        self._screen, self._asks_youngest = screen, False
        names = [(name, name) for name in screen.names]
        super().__init__(names, names[0][0] if names else "", **kwargs)
        ways = Factory.Ways()
        offer(ways, texts.BY_LOT, self.draw)
        offer(ways, texts.LOST_LAST, self.take_loser)
        offer(ways, texts.YOUNGEST, self.take_youngest)
        self.add_widget(ways)

    def on_value(self, *_args: object) -> None:
        """A name was touched; it may be the answer to who is the youngest."""
        self._screen.error = ""
        if self._asks_youngest and self.value:
            self._asks_youngest = False
            services = App.get_running_app().services
            names = self._screen.names
            services.keep_youngest(starting.with_youngest(services.youngest, names, self.value))
            self.explain = texts.YOUNGEST_IS.format(name=self.value)

    def draw(self) -> None:
        """Draws a lot."""
        if self._screen.names:
            self._take(starting.by_lot(self._screen.names), texts.LOT_IS)

    def take_loser(self) -> None:
        """Who lost the last game of these people; of several one by lot."""
        services = App.get_running_app().services
        sessions = services.journal.sessions() if services.has_journal and services.journal else ()
        found = starting.last_losers(sessions, self._screen.game.name, self._screen.names)
        if found:
            self._take(starting.by_lot(found), texts.LOSER_IS)
        else:
            self.explain = texts.NOBODY_LOST

    def take_youngest(self) -> None:
        """The youngest, as somebody said once; else it is asked for."""
        services = App.get_running_app().services
        who = starting.youngest(services.youngest, self._screen.names)
        if who:
            self._take(who, texts.YOUNGEST_IS)
        else:
            self.value, self._asks_youngest = "", True
            self.explain = texts.WHO_IS_YOUNGEST

    def _take(self, name: str, said: str) -> None:
        self._asks_youngest = False
        self.value, self.explain = name, said.format(name=name)


class YesOrNoOption(YesOrNo):
    """An option with a switch; its value is "yes" or "no"."""

    def on_release(self) -> None:
        """It means the opposite now."""
        self.on = not self.on

    def _get_value(self) -> str:
        return "yes" if self.on else "no"

    def _set_value(self, value: str) -> None:
        self.on = value == "yes"

    value = AliasProperty(_get_value, _set_value, bind=("on",))


class TextOption(Panel):
    """An option that is typed, or chosen where some values are usual.

    Args:
        presets: usual values, each with its words.
    """

    title = StringProperty()
    explain = StringProperty()
    value = StringProperty()

    def __init__(self, presets: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for value, label in presets:
            offer(self.ids.usual, label, partial(setattr, self, "value", value), Key, value=value)
        self.bind(value=lambda *_args: self._mark())
        self._mark()

    def _mark(self) -> None:
        for key in self.ids.usual.children:
            key.chosen = key.value == self.value


load_layout(__file__)
