"""An entry for any action: what it has to be told, each part by touch where it can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.cards import RANKS, Card, unknown
from companion.errors import CompanionError
from mobile import texts
from mobile.actions import Action, Field, FieldKind, fields_of, read_text
from mobile.table import Table
from mobile.widgets.basic import Key, Panel, card_name

_ONE_TOUCH = frozenset(
    {FieldKind.CARD, FieldKind.PLAYER, FieldKind.NUMBER, FieldKind.RANK, FieldKind.CHOICE}
)
_CARDS = frozenset({FieldKind.CARD, FieldKind.CARDS})
#: Values up to which each has a key of its own.
_MOST_KEYS = 60


class Entry(BoxLayout):
    """Where a player enters what no camera sees; a game may bring its own for a verb."""

    error = StringProperty()

    def open(self, table: Table, due: Action, done: Callable[[], None]) -> None:
        """Asks for an event; `done` is called once it is recorded."""
        self._table, self._due, self._done = table, due, done

    def submit(self, values: tuple[Any, ...]) -> bool:
        """Records the action, or says why not."""
        if self._table.do(self._due.event(values)):
            self._done()
            return True
        self.error = self._table.message
        self._table.message = ""
        return False


class FieldView(Panel):
    """One part of an action: keys for its values, or a line for typing."""

    title = StringProperty()
    chosen_text = StringProperty()
    can_widen = BooleanProperty(False)
    is_typed = BooleanProperty(False)
    is_list = BooleanProperty(False)
    key_em = NumericProperty(3.4)

    def __init__(self, table: Table, field: Field, changed: Callable[[], None]) -> None:
        super().__init__()
        self.field, self._table, self._changed = field, table, changed
        self.values: list[Any] = []
        self.title = texts.FIELDS[field.kind.value]
        typed = field.kind is FieldKind.TEXT or not field.values
        self.is_typed = typed or len(field.values) > _MOST_KEYS
        self.is_list = field.kind in (FieldKind.CARDS, FieldKind.PLAYERS)
        self.can_widen = bool(field.usual) and set(field.usual) < set(field.values)
        if not self.is_typed:
            self._offer(field.usual or field.values)
        if len(field.values) == 1 and field.kind is FieldKind.PLAYER:
            self.choose(field.values[0])
        self._count()

    def widen(self) -> None:
        """Offers every card, not only the likely ones."""
        self.can_widen = False
        self._offer(self.field.values)

    def choose(self, value: Any) -> None:
        """Takes a value; in a list of cards a second touch takes it back."""
        if not self.is_list:
            self.values = [value]
        elif value in self.values and not _is_unread(value):
            self.values.remove(value)
        else:
            self.values.append(value)
        self._mark()
        self._changed()

    def rub_out(self) -> None:
        """Takes the last value back."""
        if self.values:
            self.values.pop()
            self._mark()

    def value(self) -> Any:
        """What was entered.

        Raises:
            CompanionError: nothing was, or it cannot be read.
        """
        if self.is_typed:
            return read_text(self.field, self.ids.line.text, self._table.referee)
        if not self.values:
            raise CompanionError(texts.STILL_MISSING.format(what=self.title))
        return tuple(self.values) if self.is_list else self.values[0]

    def _offer(self, values: tuple[Any, ...]) -> None:
        box = self.ids.choices
        box.clear_widgets()
        wide = self.field.kind in (FieldKind.PLAYER, FieldKind.PLAYERS, FieldKind.CHOICE)
        self.key_em = 7.0 if wide else 3.4
        for value in values:
            self._key(box, self._label(value), value)
        if self.field.kind in _CARDS and values:
            unread = unknown(values[0].family)
            if unread not in values:
                self._key(box, texts.UNREAD, unread)
        self._mark()

    def _key(self, box: Any, label: str, value: Any) -> None:
        key = Key(text=label, value=value)
        key.bind(on_release=lambda _key: self.choose(value))
        box.add_widget(key)

    def _label(self, value: Any) -> str:
        kind = self.field.kind
        if kind in _CARDS:
            return card_name(value)
        if kind in (FieldKind.PLAYER, FieldKind.PLAYERS):
            return self._table.setup.players[value]
        if kind is FieldKind.RANK:
            return RANKS[value - 1]
        return texts.tr(str(value))

    def _mark(self) -> None:
        for key in self.ids.choices.children:
            key.chosen = key.value in self.values
        self._count()

    def _count(self) -> None:
        if not self.is_list:
            return
        shown = " ".join(self._label(value) for value in self.values)
        count = str(len(self.values))
        if self.field.count:
            count = texts.OF.format(n=count, total=self.field.count)
        self.chosen_text = f"{count}: {shown}" if shown else count


def _is_unread(value: Any) -> bool:
    return isinstance(value, Card) and value.code == "??"


class FormEntry(Entry):
    """An entry made of the parts of a verb's form."""

    lead = StringProperty()
    has_button = BooleanProperty(True)

    def open(self, table: Table, due: Action, done: Callable[[], None]) -> None:
        """Asks for each part; where there is only one to choose, choosing records it."""
        super().open(table, due, done)
        self.lead = texts.tr(table.game.verbs[due.verb].explain)
        fields = fields_of(table.referee, due)
        self.views = [FieldView(table, field, self._changed) for field in fields]
        for view in self.views:
            self.ids.fields.add_widget(view)
        single = len(fields) == 1 and fields[0].kind in _ONE_TOUCH
        self.has_button = not single or self.views[0].is_typed

    def finish(self) -> None:
        """Records what was entered, or says what is missing."""
        try:
            values = tuple(view.value() for view in self.views)
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        self.submit(values)

    def _changed(self) -> None:
        self.error = ""
        if not self.has_button and self.views and self.views[0].values:
            self.finish()


for kind in (Entry, FieldView, FormEntry):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
