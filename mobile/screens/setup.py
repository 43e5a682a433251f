"""Set-up: players and the options that the game declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

from kivy.app import App
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import Screen

from companion.core.names import name_key
from companion.core.setup import STARTER, Option, OptionKind, Preset
from companion.decks import get_deck
from companion.errors import CompanionError
from companion.phrases import capitalised
from mobile.model import exports, seating
from mobile.model.people import Person
from mobile.model.settings import CLOCKS
from mobile.resources import texts
from mobile.screens.setup_choices import Choice, StartChoice, TextOption, YesOrNoOption
from mobile.widgets import (
    fields,  # noqa: F401 - the .kv uses its line for typing
    people,
)
from mobile.widgets.basic import offer, saying
from mobile.widgets.panes import Columns
from mobile.widgets.ui import load_layout

#: So many people are offered; who played last comes first.
MOST_CHIPS = 12


class PlayerRow(BoxLayout):
    """A player's name with what moves it to another seat and the button that removes it."""

    name = StringProperty()
    screen = ObjectProperty()


def _fresh_name(names: Sequence[str]) -> str:
    """A name for one more player that nobody has yet."""
    taken = {name_key(name) for name in names}
    numbered = (f"P{number}" for number in count(len(names) + 1))
    return next(
        n
        for n in chain(("Ann", "Bo", "Cy", "Di", "Eve", "Flo"), numbered)
        if name_key(n) not in taken
    )


def _deck_title(name: str) -> str:
    """What a deck is called; the letters of its court cards stay on one line."""
    title = texts.tr(get_deck(name).title)
    return re.sub(r"(?:(?<=\b\w)|(?<=\b\w\w)) (?=\w{1,2}\b)", "\u00a0", title)


class SetupScreen(Screen):
    """What is settled before the first card."""

    game = ObjectProperty(None, allownone=True)
    error = StringProperty()
    #: Whether what is rarely changed is shown.
    unfolded = BooleanProperty(False)
    #: Whether every seat of the game is taken.
    is_full = BooleanProperty(False)

    def open(self, game: Any) -> None:
        """Asks for a game's settings."""
        self.game, self.error = game, ""
        self.ids.scroll.to_top()
        app = App.get_running_app()
        names = list(app.settings.names)
        people.chips(self.ids.people, app.services.people[:MOST_CHIPS], self.toggle)
        while len(names) < game.info.min_players:
            names.append(_fresh_name(names))
        self.ids.players.clear_widgets()
        for name in names[: game.info.max_players]:
            self._add_row(name)
        self.ids.options.clear_widgets()
        self.unfolded = False
        self._questions: dict[str, Any] = {}
        camera = YesOrNoOption(on=bool(app.source or app.settings.reads))
        camera.title, camera.explain = texts.CAMERA_QUESTION, texts.CAMERA_EXPLAIN
        trust = YesOrNoOption()
        trust.title, trust.explain = texts.TRUST, f"{texts.TRUST_EXPLAIN} {texts.NO_PIN}"
        self._camera, self._trust = camera, trust
        first = game.info.decks[0]
        decks = [(name, _deck_title(name)) for name in game.info.decks]
        # Pieces without indices all lie on the table: there is nothing to choose.
        all_of_them = get_deck(first).enrolled
        self._deck = Choice([(first, seating.needed(game))] if all_of_them else decks, first)
        self._deck.title, self._deck.explain = texts.DECK, texts.DECK_EXPLAIN
        now = app.settings.clock
        self._clock = Choice([(str(n), texts.CLOCK_TIMES[n]) for n in CLOCKS], str(now))
        self._clock.title, self._clock.explain = texts.CLOCK, texts.CLOCK_EXPLAIN
        self._offer_presets()
        self.ids.options.add_widget(camera)
        # Who has to print a deck first should see it at once.
        rarely = [trust, self._clock]
        if seating.to_print(game):
            self.ids.options.add_widget(self._deck)
        else:
            rarely.insert(0, self._deck)
        if seating.to_print(game):
            offer(self._deck, texts.PRINT_DECK, self.print_deck)
        self._first = seating.named_first(game, names[: game.info.max_players])
        self._named: Choice | None = None
        if self._first is not None:
            # What the session would ask for before anything else is asked for here.
            self._named = StartChoice(self)
            self._named.title = capitalised(texts.told(self._first.needs[0].title))
            self._named.explain = seating.opening(game, names[: game.info.max_players])
            self.ids.options.add_widget(self._named, index=len(self.ids.options.children))
        rarely[:0] = [w for w in map(self._ask, game.options) if w.parent is None]
        # On a wide window they fill both columns as well.
        columns = Columns()
        for widget in rarely:
            columns.add_widget(widget)
        self.ids.rarely.hold(columns)

    def _offer_presets(self) -> None:
        self._preset: Choice | None = None
        presets = self.game.presets
        if not presets:
            return
        answers = [("", texts.USUAL_GAME), *((p.title, texts.tr(p.title)) for p in presets)]
        self._preset = Choice(answers, "")
        self._preset.title, self._preset.explain = texts.HOW_LONG, ""
        self._preset.bind(value=lambda *_args: self._take_preset())
        self.ids.options.add_widget(self._preset)

    @property
    def preset(self) -> Preset | None:
        """The kind of game that is chosen; None for the usual one."""
        value = self._preset.value if self._preset is not None else ""
        return next((p for p in self.game.presets if p.title == value), None)

    def _take_preset(self) -> None:
        """Settles what the chosen kind of game settles; it can be changed further down."""
        assert self._preset is not None
        chosen = self.preset
        self._preset.explain = texts.tr(chosen.explain) if chosen is not None else ""
        settled = {name for preset in self.game.presets for name in preset.options}
        for option in self.game.options:
            if option.name in settled:
                usual = option.default_for(len(self.names))
                value = usual if chosen is None else chosen.options.get(option.name, usual)
                self._questions[option.name].value = value

    @property
    def names(self) -> list[str]:
        """The players as typed, without empty ones."""
        rows = reversed(self.ids.players.children)
        return [row.ids.name.text.strip() for row in rows if row.ids.name.text.strip()]

    def add_player(self) -> None:
        """One more seat, if the game has it."""
        if len(self.ids.players.children) < self.game.info.max_players:
            self._add_row(_fresh_name(self.names))

    def toggle(self, person: Person) -> None:
        """Somebody known sits down, or leaves again."""
        rows = list(reversed(self.ids.players.children))
        named = {name_key(row.ids.name.text): row for row in rows}
        self.error = ""
        if name_key(person.name) in named:
            self.remove(named[name_key(person.name)])
            return
        known = {name_key(p.name) for p in App.get_running_app().services.people}
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
        folder = App.get_running_app().services.folder
        with saying(self, "error"):
            paths = exports.print_decks(seating.to_print(self.game), folder)
            self.error = texts.KEPT_AT.format(path=", ".join(map(str, paths)))

    def remove(self, row: PlayerRow) -> None:
        """One seat less."""
        self.ids.players.remove_widget(row)
        self._names_changed()

    def start(self) -> None:
        """Opens the table, or says what is wrong with the settings."""
        preset, stated = self.preset, {}
        if preset is not None and len(self.names) > preset.max_players:
            said = texts.PRESET_PLAYERS
            self.error = said.format(title=texts.tr(preset.title), n=preset.max_players)
            return
        if any(isinstance(q, StartChoice) and not q.value for q in self._all_questions()):
            self.error = texts.WHO_IS_YOUNGEST
            return
        for option in self.game.options:
            value = self._questions[option.name].value.strip()
            if value and value != option.default_for(len(self.names)):
                stated[option.name] = value
        try:
            setup = self.game.setup(
                self.names,
                stated,
                trusted=self._trust.on,
                cards=None if preset is None else preset.cards,
            )
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        app = App.get_running_app()
        reads = self._camera.on
        clock = int(self._clock.value)
        app.change(replace(app.settings, names=tuple(self.names), reads=reads, clock=clock))
        source = (app.source or app.settings.camera) if reads else None
        begin = None
        if self._first is not None and self._named is not None:
            begin = seating.naming(self._first, setup.seat(self._named.value))
        app.open_table(self.game, setup, source, deck=self._deck.value, begin=begin)

    def _all_questions(self) -> list[Any]:
        return [*self._questions.values(), *([self._named] if self._named is not None else [])]

    def _add_row(self, name: str) -> None:
        row = PlayerRow(name=name, screen=self)
        row.ids.name.bind(text=lambda *_args: self._names_changed())
        self.ids.players.add_widget(row)
        self._names_changed()

    def _names_changed(self) -> None:
        """Options that name a player follow the names."""
        self.is_full = len(self.ids.players.children) >= self.game.info.max_players
        here = {name_key(name) for name in self.names}
        for chip in self.ids.people.children:
            chip.chosen = name_key(chip.text) in here
        named: Choice | None = getattr(self, "_named", None)
        if named is not None:
            named.offer([(name, name) for name in self.names])
        for option in self.game.options if hasattr(self, "_questions") else ():
            if option.kind is OptionKind.PLAYER and option.name in self._questions:
                self._questions[option.name].offer([(name, name) for name in self.names])

    def _ask(self, option: Option) -> Any:
        """The question for an option; who starts is asked for right below who plays."""
        default = option.default_for(len(self.names))
        is_start = option.name == STARTER.name
        if is_start:
            widget: Any = StartChoice(self)
        elif option.kind is OptionKind.PLAYER:
            answers = [(name, name) for name in self.names]
            widget = Choice(answers, default or answers[0][0])
        elif option.kind is OptionKind.YES_NO:
            widget = YesOrNoOption(value=default)
        elif option.kind is OptionKind.CHOICE:
            answers = [(v, seating.option_value(option.name, v)) for v in option.choices]
            widget = Choice(answers, default)
        else:
            usual = dict.fromkeys((default, *option.choices)) if option.choices else ()
            widget = TextOption(
                value=default, presets=[(v, seating.option_value(option.name, v)) for v in usual]
            )
        widget.title = seating.option_title(option)
        widget.explain = texts.tr(option.explain)
        self._questions[option.name] = widget
        if is_start:
            self.ids.options.add_widget(widget, index=len(self.ids.options.children))
        return widget


load_layout(__file__)
