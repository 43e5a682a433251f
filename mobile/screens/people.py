"""People who play here: their names, colours and statistics over evenings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import Screen
from kivy.uix.widget import Widget

from companion.core.names import name_key
from companion.core.registry import get_game
from companion.phrases import decimal
from mobile.model import people
from mobile.model.people import Person
from mobile.model.statistics import Pair, Tally
from mobile.resources import texts, theme
from mobile.widgets import fields  # noqa: F401 - the .kv uses its line for typing
from mobile.widgets.basic import TouchPanel, Words, ask, listed, offer, saying
from mobile.widgets.people import Swatch
from mobile.widgets.ui import load_layout

#: Pairs that the list of people shows; a person's own page shows all of theirs.
MOST_PAIRS = 8


class PersonRow(TouchPanel):
    """Somebody in the list."""

    person = ObjectProperty()
    name = StringProperty()
    facts = StringProperty()


class LuckBar(Widget):
    """How much was right, as a bar; a line across it is what luck alone would have got right."""

    share = NumericProperty(0.0)
    luck = NumericProperty(0.0)


class Dot(Widget):
    """A game: full where it was won, else a ring."""

    won = BooleanProperty(False)


class CountingScreen(Screen):
    """A screen that waits until the sessions that are new were counted, one a frame."""

    counting = StringProperty()

    def count(self) -> None:
        """Counts what is new; `show` is called at the end."""
        self.stop()
        self._steps: Iterator[tuple[int, int]] = App.get_running_app().services.counting()
        Clock.schedule_interval(self._step, 0)
        self._step()

    def stop(self) -> None:
        """Counts no further."""
        Clock.unschedule(self._step)

    def on_leave(self, *_args: object) -> None:
        """What is left is counted next time."""
        self.stop()

    def _step(self, *_args: object) -> None:
        found = next(self._steps, None)
        if found is not None:
            done, total = found
            self.counting = texts.COUNTING_MATCHES.format(n=done, total=total)
            return
        self.stop()
        self.counting = ""
        self.show()

    def show(self) -> None:
        """Everything is counted."""
        raise NotImplementedError


class PeopleScreen(CountingScreen):
    """Everybody who plays here."""

    message = StringProperty()

    def on_pre_enter(self, *_args: object) -> None:
        """Shows names at once, and what was counted when it is there."""
        self.message = self.ids.line.text = ""
        self.ids.scroll.to_top()
        self._list({})
        self.count()

    def show(self) -> None:
        """See `CountingScreen.show`."""
        found = App.get_running_app().services.statistics()
        persons = App.get_running_app().services.people
        self._list({p.name: _facts(found, p.name) for p in persons})
        known = {name_key(person.name) for person in persons}
        box = self.ids.pairs
        box.clear_widgets()
        pairs = [p for p in found.pairs if known.issuperset(name_key(n) for n in p.names)]
        if pairs:
            box.add_widget(Words(text=texts.TOGETHER, bold=True))
        for pair in pairs[:MOST_PAIRS]:
            box.add_widget(Words(text=_pair_line(pair)))

    def _list(self, facts: dict[str, str]) -> None:
        box = self.ids.people
        box.clear_widgets()
        self.ids.pairs.clear_widgets()
        persons = App.get_running_app().services.people
        for person in persons:
            row = PersonRow(person=person, name=person.name, facts=facts.get(person.name, ""))
            row.ids.avatar.show(person)
            row.bind(on_release=lambda row: App.get_running_app().open_person(row.person.name))
            box.add_widget(row)
        if not persons:
            box.add_widget(Words(text=texts.NOBODY_YET))

    def add(self, name: str) -> None:
        """Remembers somebody new."""
        services = App.get_running_app().services
        with saying(self, "message"):
            services.keep_people(people.added(services.people, name.strip()))
            self.message = self.ids.line.text = ""
            self.show()


class PersonScreen(CountingScreen):
    """One person: name, colour, what was played, and with whom."""

    who = StringProperty()
    message = StringProperty()

    def open(self, name: str) -> None:
        """Shows somebody."""
        self.who, self.message = name, ""
        self.ids.scroll.to_top()
        for box in (self.ids.games, self.ids.pairs):
            box.clear_widgets()
        self._head()
        self.count()

    def _head(self) -> None:
        person = people.find(App.get_running_app().services.people, self.who) or Person(self.who, 0)
        self.ids.avatar.show(person)
        self.ids.line.text = person.name
        box = self.ids.colours
        box.clear_widgets()
        for number, colour in enumerate(theme.PLAYERS):
            is_own, go = number == person.colour, partial(self.paint, number)
            look = {"number": number, "colour": colour, "chosen": is_own}
            offer(box, "✓" if is_own else "", go, Swatch, **look)

    def show(self) -> None:
        """See `CountingScreen.show`."""
        found = App.get_running_app().services.statistics()
        box = self.ids.games
        box.clear_widgets()
        tallies = found.of(self.who)
        if not any(tally.played or tally.tries for tally in tallies.values()):
            box.add_widget(Words(text=texts.NOTHING_COUNTED.format(name=self.who), tone="muted"))
        else:
            form = found.form_of(self.who)
            whole = listed(_facts(found, self.who), [texts.FORM] if form else [])
            line = BoxLayout(size_hint_y=None, height=dp(20) if form else 0, spacing=dp(8))
            for won in form:
                line.add_widget(Dot(won=won))
            whole.add_widget(line)
            box.add_widget(whole)
        for game, tally in sorted(tallies.items(), key=lambda item: -item[1].played):
            panel = listed(get_game(game).info.title, tally_lines(tally))
            if tally.weighed:
                bar = LuckBar(share=tally.hits / tally.weighed, luck=tally.lucky / tally.weighed)
                panel.add_widget(bar)
            box.add_widget(panel)
        pairs = self.ids.pairs
        pairs.clear_widgets()
        for pair in found.pairs_of(self.who):
            pairs.add_widget(Words(text=_pair_line(pair)))

    def paint(self, number: int) -> None:
        """Gives the person another colour."""
        services = App.get_running_app().services
        services.keep_people(people.recoloured(services.people, self.who, number))
        self._head()

    def rename(self) -> None:
        """Takes the typed name over, in every match that was kept."""
        new = self.ids.line.text.strip()
        if new == self.who:
            return
        with saying(self, "message"):
            App.get_running_app().services.rename_person(self.who, new)
            self.who, self.message = new, texts.RENAMED.format(name=new)
            self._head()
            self.show()

    def ask_forget(self) -> None:
        """Asks before somebody is forgotten."""
        question = texts.FORGET_PERSON_SURE.format(name=self.who)
        ask(question, texts.FORGET_PERSON, self._forget, kind="danger")

    def _forget(self) -> None:
        app = App.get_running_app()
        app.services.forget_person(self.who)
        app.back()


def tally_lines(tally: Tally) -> list[str]:
    """What somebody did in a game, in sentences."""
    lines = []
    if tally.played:
        lines.append(texts.WON.format(won=tally.won, played=tally.played))
    if tally.longest:
        lines.append(texts.LONGEST.format(n=tally.longest))
    if tally.tries > tally.weighed:
        lines.append(texts.RIGHT_OF.format(right=tally.right, tries=tally.tries))
    if tally.weighed:
        lucky = texts.told(decimal(tally.lucky, 1))
        luck = texts.AGAINST_LUCK.format(lucky=lucky, hits=tally.hits, tries=tally.weighed)
        lines.append(luck)
    return lines


def _facts(found: Any, name: str) -> str:
    whole, nights = found.overall(name), found.evenings_of(name)
    if not nights:
        return str(texts.NOT_PLAYED_YET)
    evenings = texts.ONE_EVENING if nights == 1 else texts.EVENINGS.format(n=nights)
    return f"{evenings} · {texts.WON.format(won=whole.won, played=whole.played)}"


def _pair_line(pair: Pair) -> str:
    first, second = pair.names
    evenings = texts.ONE_EVENING if pair.evenings == 1 else texts.EVENINGS.format(n=pair.evenings)
    games = texts.ONE_GAME if pair.played == 1 else texts.GAMES_PLAYED.format(n=pair.played)
    return str(
        texts.PAIR.format(
            first=first, second=second, evenings=evenings, games=games,
            won=pair.won[0], won2=pair.won[1],
        )
    )  # fmt: skip


load_layout(__file__)
