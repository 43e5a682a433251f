"""A table for any game: its zones and its actions as buttons.

A game that wants more names a subclass of `Board` in `GameInfo.table_widget`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.stacklayout import StackLayout

from companion.core.events import Event
from companion.core.state import Zone
from mobile import texts
from mobile.actions import Action
from mobile.table import Table
from mobile.widgets.basic import Act, CardFace, Panel, Words
from mobile.widgets.fields import Entry, FormEntry

__all__ = ["Board", "Entry", "ZoneView", "action_title", "zone_view"]


class Screen(Protocol):
    """What a board asks of the screen that it stands on."""

    over: bool

    def do(self, event: Event | str) -> bool:
        """Records an event."""

    def start(self, action: Action) -> None:
        """Begins an entry."""


class ZoneView(Panel):
    """A place for cards with what everybody knows of them."""

    title = StringProperty()


class Board(BoxLayout):
    """The general table."""

    def open(self, table: Table, screen: Screen) -> None:
        """Takes a table."""
        self.table, self.screen = table, screen
        self._views: dict[str, tuple[Zone, ZoneView]] = {}

    def refresh(self) -> None:
        """Shows the table as it stands."""
        self.clear_widgets()
        for reason in self.table.reasons if self.screen.over else ():
            self.add_widget(Words(text=reason))
        for action in self.table.deeds():
            self._offer_action(action)
        self.closing()
        self._show_zones(self.table.zones)

    def _show_zones(self, zones: tuple[Zone, ...]) -> None:
        """Places with known cards as panels; all others in one panel, a line each."""
        unread = Panel(spacing=dp(4))
        for zone in zones:
            if zone.known:
                self.add_widget(self._view_of(zone))
            elif zone.cards:
                muted = App.get_running_app().ui.muted
                unread.add_widget(Words(text=zone_title(zone), color=muted))
        if unread.children:
            self.add_widget(unread)

    def _view_of(self, zone: Zone) -> ZoneView:
        """The panel of a zone, made anew only where the zone has changed: making cards is slow."""
        known = self._views.get(zone.name)
        if known is None or known[0] != zone:
            known = self._views[zone.name] = zone, zone_view(zone)
        return known[1]

    def closing(self) -> None:
        """Buttons for what the table does once a match is over."""
        if not self.screen.over:
            return
        for event in self.table.table_events():
            names = {"match": texts.AGAIN, "agree": texts.DRAW}
            button = Act(text=names[event.verb])
            button.bind(on_release=lambda _button, event=event: self.screen.do(event))
            self.add_widget(button)
        self.add_widget(self.look_back())

    @staticmethod
    def look_back() -> Act:
        """A button that leads to the replay and the audit."""
        button = Act(text=texts.REPLAY_AUDIT)
        button.bind(on_release=lambda _button: App.get_running_app().open_replay())
        return button

    def draw_row(self, box: Any, screen: Any) -> None:
        """Puts the row that lies open into a box of the row's own screen."""
        for zone in self.table.zones:
            if zone.name == self.table.watched_zone:
                for card in zone.cards:
                    box.add_widget(CardFace(card=card, size=(dp(58), dp(80))))

    def due_title(self, due: Action, name: str) -> str:
        """What stands on the button for an entry."""
        return action_title(self.table, due)

    def entry(self, due: Action) -> Entry:
        """The widget for an entry."""
        return FormEntry()

    def _offer_action(self, action: Action) -> None:
        button = Act(text=action_title(self.table, action))
        button.action = action
        button.bind(on_release=lambda _button: self.screen.start(action))
        self.add_widget(button)


def action_title(table: Table, action: Action) -> str:
    """An action as its button says it, e.g. `Ann: guess …`."""
    verb = table.game.verbs[action.verb]
    form = verb.forms[action.form]
    word = texts.tr(verb.name)
    # Two forms of one verb must not look alike.
    parts = form if len(verb.forms) > 1 else ()
    named = (
        f"({texts.tr(p.label).capitalize()})" if p.yields else texts.tr(p.label) for p in parts
    )
    what = " ".join([word, *named])
    if any(part.yields for part in form):
        what += " …"
    if action.is_secret:
        others = [s for s in action.audience or () if s != action.seat]
        if others:
            names = texts.told(table.setup.names(tuple(others)))
            return texts.SHOWN_TO.format(name=table.setup.name(action.seat), what=what, other=names)
        return texts.IN_SECRET.format(name=table.setup.name(action.seat), what=what)
    who = texts.THE_TABLE if action.seat is None else table.setup.name(action.seat)
    return f"{who}: {what}"


def zone_view(zone: Zone) -> ZoneView:
    """A zone as a panel: its known cards drawn, the others counted."""
    view = ZoneView(title=zone_title(zone))
    known = [card for card in zone.cards if card.code != "??"]
    if known:
        cards = StackLayout(size_hint_y=None, spacing=dp(6))
        cards.bind(minimum_height=cards.setter("height"))
        for card in known:
            cards.add_widget(CardFace(card=card))
        view.add_widget(cards)
    return view


def zone_title(zone: Zone) -> str:
    """A zone in a line: what it is, how many cards lie there, how many are not known."""
    known, unread = zone.known, zone.unknown
    title = texts.told(zone.title)
    if unread and known:
        return texts.ZONE_PARTLY.format(title=title, n=known + unread, unknown=unread)
    return texts.ZONE.format(title=title, n=known + unread)


for kind in (ZoneView, Board):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
