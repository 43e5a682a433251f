"""A table for any game: its zones, its actions as buttons, a line for typing.

A game that wants more names a subclass of `Board` in `GameInfo.table_widget`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.stacklayout import StackLayout

from companion.notation import write_event
from companion.state import Zone
from mobile import texts
from mobile.table import Due, Table
from mobile.widgets.basic import Act, CardFace, Panel, Words

if TYPE_CHECKING:
    from mobile.screens.table import TableScreen


class ZoneView(Panel):
    """A place for cards with what everybody knows of them."""

    title = StringProperty()


class Entry(BoxLayout):
    """Where a player enters what no camera sees; a game may bring its own for a verb."""

    error = StringProperty()

    def open(self, table: Table, due: Due, done: Any) -> None:
        """Asks for an event; `done` is called once it is recorded."""
        self._table, self._due, self._done = table, due, done


class TypedEntry(Entry):
    """An entry as a typed line, for any verb."""

    syntax = StringProperty()

    def open(self, table: Table, due: Due, done: Any) -> None:
        """Shows how the event is written."""
        super().open(table, due, done)
        self.syntax = table.game.verbs[due.verb].syntax

    def submit(self, text: str) -> None:
        """Records what was typed, or says why not."""
        name = self._table.setup.players[self._due.seat]
        star = "*" if self._due.is_secret else ""
        line = text if text.startswith(self._due.verb) else f"{self._due.verb} {text}"
        if self._table.do(f"{name}{star}: {line}"):
            self._done()
        else:
            self.error = self._table.message
            self._table.message = ""


class Board(BoxLayout):
    """The general table."""

    def open(self, table: Table, screen: TableScreen) -> None:
        """Takes a table."""
        self.table, self.screen = table, screen

    def refresh(self) -> None:
        """Shows the table as it stands."""
        self.clear_widgets()
        for reason in self.table.state.table.reasons if self.screen.over else ():
            self.add_widget(Words(text=reason))
        for zone in self.table.zones:
            self.add_widget(zone_view(zone))
        for event in self.table.choices():
            self._offer(write_event(self.table.game, self.table.setup, event), event)
        self.closing()

    def closing(self) -> None:
        """Buttons for what the table does once a match is over."""
        if not self.screen.over:
            return
        for event in self.table.table_events():
            names = {"match": texts.AGAIN, "agree": texts.DRAW}
            self._offer(names.get(event.verb, event.verb), event)

    def due_title(self, due: Due, name: str) -> str:
        """What stands on the button for an entry."""
        return f"{name}: {due.verb}"

    def entry(self, due: Due) -> Entry:
        """The widget for an entry."""
        return TypedEntry()

    def _offer(self, text: str, event: Any) -> None:
        button = Act(text=text)
        button.bind(on_release=lambda _button: self.screen.do(event))
        self.add_widget(button)


def zone_view(zone: Zone) -> ZoneView:
    """A zone as a panel of cards."""
    view = ZoneView(title=f"{zone.title} ({len(zone.cards)})")
    cards = StackLayout(size_hint_y=None, spacing=6)
    cards.bind(minimum_height=cards.setter("height"))
    for card in zone.cards:
        cards.add_widget(CardFace(card=card))
    view.add_widget(cards)
    return view


for kind in (ZoneView, Entry, TypedEntry, Board):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
