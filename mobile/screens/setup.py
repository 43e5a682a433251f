"""Set-up: players and the options that the game declares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import Screen

from companion.core.setup import Option, OptionKind
from companion.decks import get_deck
from companion.errors import CompanionError
from companion.phrases import capitalised
from mobile.model import exports, seating
from mobile.model.people import Person
from mobile.resources import texts
from mobile.widgets import (
    fields,  # noqa: F401 - the .kv uses its line for typing
    people,
)
from mobile.widgets.basic import Act, Key, Panel, Words

#: So many people are offered; who played last comes first.
MOST_CHIPS = 12


class PlayerRow(BoxLayout):
    """A player's name with what moves it to another seat and the button that removes it."""

    name = StringProperty()
    screen = ObjectProperty()


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
        box = self.ids.answers
        box.clear_widgets()
        for value, label in self._answers:
            chosen = value == self.value
            button = Act(text=f"✓ {label}" if chosen else label)
            button.chosen = chosen
            button.bind(on_release=lambda _button, value=value: setattr(self, "value", value))
            box.add_widget(button)


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
            key = Key(text=label, value=value)
            key.bind(on_release=lambda key: setattr(self, "value", key.value))
            self.ids.usual.add_widget(key)
        self.bind(value=lambda *_args: self._mark())
        self._mark()

    def _mark(self) -> None:
        for key in self.ids.usual.children:
            key.chosen = key.value == self.value


def _yes_no() -> list[tuple[str, str]]:
    """The answers in the language in use."""
    return [("yes", texts.YES), ("no", texts.NO)]


class SetupScreen(Screen):
    """What is settled before the first card."""

    game = ObjectProperty(None, allownone=True)
    error = StringProperty()

    def open(self, game: Any) -> None:
        """Asks for a game's settings."""
        self.game, self.error = game, ""
        self.ids.scroll.scroll_y = 1
        app = App.get_running_app()
        names = list(app.settings.names)
        people.chips(self.ids.people, app.parts.people[:MOST_CHIPS], self.toggle)
        while len(names) < game.info.min_players:
            names.append(f"P{len(names) + 1}")
        self.ids.players.clear_widgets()
        for name in names[: game.info.max_players]:
            self._add_row(name)
        self.ids.options.clear_widgets()
        self._questions: dict[str, Any] = {}
        camera = Choice(_yes_no(), "yes" if app.source or app.settings.reads else "no")
        camera.title, camera.explain = texts.CAMERA_QUESTION, texts.CAMERA_EXPLAIN
        trust = Choice(_yes_no(), "no")
        trust.title, trust.explain = texts.TRUST, f"{texts.TRUST_EXPLAIN} {texts.NO_PIN}"
        self._camera, self._trust = camera, trust
        self._deck = Choice(
            [(name, texts.tr(get_deck(name).title)) for name in game.info.decks],
            game.info.decks[0],
        )
        self._deck.title, self._deck.explain = texts.DECK, texts.DECK_EXPLAIN
        for widget in (camera, self._deck, trust):
            self.ids.options.add_widget(widget)
        if seating.to_print(game):
            button = Act(text=texts.PRINT_DECK)
            button.bind(on_release=lambda _button: self.print_deck())
            self._deck.add_widget(button)
        self._first = seating.named_first(game, names[: game.info.max_players])
        self._named: Choice | None = None
        if self._first is not None:
            # What the session would ask for before anything else is asked for here.
            answers = [(name, name) for name in self.names]
            self._named = Choice(answers, answers[0][0])
            self._named.title = capitalised(texts.told(self._first.needs[0].title))
            self._named.explain = texts.told(self._first.title)
            self.ids.options.add_widget(self._named, index=len(self.ids.options.children))
        for option in game.options:
            self._ask(option)

    @property
    def names(self) -> list[str]:
        """The players as typed, without empty ones."""
        rows = reversed(self.ids.players.children)
        return [row.ids.name.text.strip() for row in rows if row.ids.name.text.strip()]

    def add_player(self) -> None:
        """One more seat, if the game has it."""
        count = len(self.ids.players.children)
        if count < self.game.info.max_players:
            taken = set(self.names)
            fresh = (n for n in ("Cy", "Di", "Eve", "Flo") if n not in taken)
            self._add_row(next(fresh, f"P{count + 1}"))

    def toggle(self, person: Person) -> None:
        """Somebody known sits down, or leaves again."""
        rows = list(reversed(self.ids.players.children))
        named = {row.ids.name.text.strip().casefold(): row for row in rows}
        self.error = ""
        if person.name.casefold() in named:
            self.remove(named[person.name.casefold()])
            return
        known = {p.name.casefold() for p in App.get_running_app().parts.people}
        # A seat without a name, or with one that nobody typed, is free.
        free = [row for text, row in named.items() if not text or text not in known]
        if free:
            free[0].ids.name.text = person.name
        elif len(rows) < self.game.info.max_players:
            self._add_row(person.name)
        else:
            self.error = texts.TABLE_FULL.format(n=self.game.info.max_players)

    def move(self, row: PlayerRow, by: int) -> None:
        """Moves a player to a seat further down; up where it is negative."""
        rows = list(reversed(self.ids.players.children))
        at = rows.index(row)
        box = self.ids.players
        box.remove_widget(row)
        box.add_widget(row, index=len(rows) - 1 - max(0, min(at + by, len(rows) - 1)))
        self._names_changed()

    def move_up(self, row: PlayerRow) -> None:
        """One seat up; from the first seat to the last."""
        at = len(self.ids.players.children) - 1 - self.ids.players.children.index(row)
        self.move(row, -1 if at else len(self.ids.players.children))

    def drag(self, row: PlayerRow, up: float) -> bool:
        """Moves a player when dragged by half a row; returns whether it has another seat now."""
        rows = list(reversed(self.ids.players.children))
        at, by = rows.index(row), -1 if up > 0 else 1
        if abs(up) < row.height * 0.6 or not 0 <= at + by < len(rows):
            return False
        self.move(row, by)
        return True

    def print_deck(self) -> None:
        """Writes the game's own decks as PDFs and says where."""
        try:
            paths = exports.print_decks(
                seating.to_print(self.game), App.get_running_app().parts.folder
            )
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        self.error = texts.KEPT_AT.format(path=", ".join(map(str, paths)))

    def remove(self, row: PlayerRow) -> None:
        """One seat less."""
        self.ids.players.remove_widget(row)
        self._names_changed()

    def start(self) -> None:
        """Opens the table, or says what is wrong with the settings."""
        stated = {}
        for option in self.game.options:
            value = self._questions[option.name].value.strip()
            if value and value != option.default_for(len(self.names)):
                stated[option.name] = value
        try:
            setup = self.game.setup(self.names, stated, trusted=self._trust.value == "yes")
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        app = App.get_running_app()
        reads = self._camera.value == "yes"
        app.change(replace(app.settings, names=tuple(self.names), reads=reads))
        source = (app.source or app.settings.camera) if reads else None
        begin = None
        if self._first is not None and self._named is not None:
            begin = seating.naming(self._first, setup.seat(self._named.value))
        app.open_table(self.game, setup, source, deck=self._deck.value, begin=begin)

    def _add_row(self, name: str) -> None:
        row = PlayerRow(name=name, screen=self)
        row.ids.name.bind(text=lambda *_args: self._names_changed())
        self.ids.players.add_widget(row)
        self._names_changed()

    def _names_changed(self) -> None:
        """Options that name a player follow the names."""
        here = {name.casefold() for name in self.names}
        for chip in self.ids.people.children:
            chip.chosen = chip.text.casefold() in here
        named: Choice | None = getattr(self, "_named", None)
        if named is not None:
            named.offer([(name, name) for name in self.names])
        for option in self.game.options if hasattr(self, "_questions") else ():
            if option.kind is OptionKind.PLAYER and option.name in self._questions:
                self._questions[option.name].offer([(name, name) for name in self.names])

    def _ask(self, option: Option) -> None:
        default = option.default_for(len(self.names))
        if option.kind is OptionKind.PLAYER:
            answers = [(name, name) for name in self.names]
            widget: Any = Choice(answers, default or answers[0][0])
        elif option.kind is OptionKind.YES_NO:
            widget = Choice(_yes_no(), default)
        elif option.kind is OptionKind.CHOICE:
            answers = [(v, seating.option_value(option.name, v)) for v in option.choices]
            widget = Choice(answers, default)
        else:
            usual = dict.fromkeys((default, *option.choices)) if option.choices else ()
            widget = TextOption(
                value=default, presets=[(v, seating.option_value(option.name, v)) for v in usual]
            )
        widget.title = seating.option_title(option.name)
        widget.explain = texts.tr(option.explain)
        self._questions[option.name] = widget
        self.ids.options.add_widget(widget)


for kind in (PlayerRow, Choice, TextOption, Words):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
