"""Private entries behind "pass the phone": covered before, after, and whenever focus is lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.errors import CompanionError, UsageError
from mobile.model.people import Person
from mobile.model.steps import Action
from mobile.resources import texts
from mobile.screens.table import TableScreen
from mobile.widgets.basic import Column, offer
from mobile.widgets.fields import action_title
from mobile.widgets.pins import NumberPad
from mobile.widgets.presses import GUARD
from mobile.widgets.ui import load_layout

#: Seconds for which a button is held before that means to peek.
HELD = 0.35


class TypedEntry(Column):
    """A line in notation, typed by one player alone."""

    error = StringProperty()
    explain = StringProperty()

    def __init__(self, screen: TableScreen, seat: int, done: Callable[[], None]) -> None:
        super().__init__()
        assert screen.table is not None
        self._table, self._seat, self._done = screen.table, seat, done
        self._begin = f"{screen.table.setup.players[seat]}*:"
        self.explain = texts.TYPE_SECRET.format(example=f"{self._begin} hand …")
        self.ids.line.text = f"{self._begin} "

    def record(self, line: str) -> None:
        """Records the line where it is this player's own; else says why not."""
        table = self._table
        try:
            event = table.referee.parse_typed(line.strip())
            mine = event.seat == self._seat and event.audience is not None
            if not mine:
                raise UsageError(f"A line here begins with {self._begin}")
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        if table.do(event):
            self._done()
        else:
            self.error, table.message = table.message, ""


class PrivateScreen(Screen):
    """An entry: one player's own behind a cover, or a public one."""

    name_of = StringProperty()
    covered = BooleanProperty(True)
    headline = StringProperty()
    wants_pin = BooleanProperty(False)
    pin_error = StringProperty()
    #: Whether what is behind the cover can be looked at for as long as the button is held.
    may_peek = BooleanProperty(False)
    _is_typing = _has_peeked = _leads_to_notepad = False
    #: Proof of the player whose notepad the entry leads back to.
    _who: Any = None
    _due: Action | None = None
    _next: tuple[Action, ...] = ()
    _then: Callable[[Any], None] | None = None

    def on_covered(self, *_args: object) -> None:
        """What the buttons mean has changed."""
        GUARD.changed()

    def open(self, table_screen: TableScreen, due: Action, then: tuple[Action, ...] = ()) -> None:
        """Covers the screen and waits for the player; a public entry needs no cover.

        Args:
            table_screen: the table's screen.
            due: what is entered.
            then: other players' entries that follow it.
        """
        self._due, self._next = due, then
        self._meet(table_screen, due.seat)
        if due.is_secret:
            self.cover()
        else:
            self.uncover()

    def _meet(self, table_screen: TableScreen, seat: int | None) -> None:
        """Who is to hold the phone; None for everybody."""
        assert table_screen.table is not None
        self._screen, self._seat = table_screen, seat or 0
        self.name_of = "" if seat is None else table_screen.table.setup.players[seat]
        self._then, self.may_peek = None, False
        if seat is not None:
            names = table_screen.table.setup.players
            colours = App.get_running_app().services.colours(names)
            self.ids.avatar.show(Person(self.name_of, colours[seat]))

    def open_from_notepad(self, table_screen: TableScreen, due: Action, who: Any) -> None:
        """Asks the player who has just looked at the notepad; afterwards it is shown again.

        Args:
            table_screen: the table's screen.
            due: the player's own entry.
            who: the journal's proof that it is them, which is handed back to the notepad.
        """
        self._due, self._next = due, ()
        self._meet(table_screen, due.seat)
        self.covered = False
        self._leads_to_notepad, self._who = True, who
        self.ids.others.clear_widgets()
        self._ask()

    def to_notepad(self) -> bool:
        """Back to the notepad that the entry was begun from; says whether there is one."""
        if not self._leads_to_notepad or self.covered:
            return False
        who, self._who, self._leads_to_notepad = self._who, None, False
        self._clear()
        App.get_running_app().open_notepad(self._seat, who)
        return True

    def _forget_notepad(self) -> None:
        """Somebody else may have the phone from now on."""
        if self._who is not None:
            self._who.lock()
        self._who, self._leads_to_notepad = None, False

    def guard(self, table_screen: TableScreen, seat: int, then: Callable[[Any], None]) -> None:
        """Covers the screen; `then` gets the proof when the seat's player says to hold the phone.

        Args:
            table_screen: the table's screen.
            seat: who is asked for.
            then: called with the journal's proof, None at a table that is not kept.
        """
        self._meet(table_screen, seat)
        self._then = then
        self.cover()

    def type_line(self, table_screen: TableScreen, seat: int) -> None:
        """A line in notation that the player of a seat types; they have shown who they are."""
        self._meet(table_screen, seat)
        self._is_typing, self.covered = True, False
        self.headline = texts.SECRET_FOR.format(name=self.name_of)
        self._clear()
        self.ids.entry.add_widget(TypedEntry(table_screen, seat, self._typed))

    def _typed(self) -> None:
        self._is_typing = False
        self._screen.refresh()
        App.get_running_app().go("table")

    def cover(self) -> None:
        """Takes everything private off the screen; what was not finished is forgotten."""
        if self._is_typing:
            self._typed()
            return
        if not self._is_secret:
            return
        self._forget_notepad()
        self.covered = True
        self.headline = texts.COVER.format(name=self.name_of)
        self._clear()
        self.ids.others.clear_widgets()
        self.ids.scroll.to_top()
        self.pin_error = self.ids.pin.text = ""
        self.wants_pin = self._has_pin()
        self.ids.pad.clear_widgets()
        if self.wants_pin:
            self.ids.pad.add_widget(NumberPad(line=self.ids.pin))

    def offer_others(self, then: Callable[[int], None]) -> None:
        """Offers the other players' covers from this one, which leads to a notepad."""
        self.may_peek = True
        assert self._screen.table is not None
        for seat, name in enumerate(self._screen.table.setup.players):
            if seat != self._seat:
                offer(self.ids.others, name, partial(then, seat))

    def pressed(self) -> None:
        """The player says to hold the phone; who keeps holding the button only peeks."""
        Clock.unschedule(self._peek)
        self._has_peeked = False
        if self.may_peek:
            Clock.schedule_once(self._peek, HELD)

    def _peek(self, _dt: float) -> None:
        self._has_peeked = True
        self.uncover()

    def let_go(self) -> None:
        """The finger is off the button, wherever it went: a peek is over."""
        Clock.unschedule(self._peek)
        app = App.get_running_app()
        if self._has_peeked and app.manager.current == "notepad":
            app.go("table")

    def released(self) -> None:
        """A touch that was no peek uncovers."""
        self.let_go()
        if not self._has_peeked:
            self.uncover()

    def uncover(self) -> None:
        """Shows the entry to the player who says to hold the phone, and knows the PIN."""
        screen = self._screen
        if screen.table is None or screen.board is None:
            return
        who = None
        if self._is_secret and screen.table.session is not None:
            try:
                who = screen.table.session.unlock(self._seat, self.ids.pin.text)
            except CompanionError as error:
                self.pin_error, self.ids.pin.text = texts.told(error.message), ""
                return
        self.ids.pin.text, self.wants_pin = "", False
        if self._then is not None:
            then, self._then = self._then, None
            App.get_running_app().back()
            then(who)
            return
        if who is not None:
            who.lock()
        if self._due is None:
            return
        self.covered = False
        self._ask()

    def _ask(self) -> None:
        screen = self._screen
        assert screen.table is not None
        assert screen.board is not None
        assert self._due is not None
        self.ids.scroll.to_top()
        self._clear()
        # What is everybody's to read names everybody.
        with texts.addressing(self.name_of if self._due.is_secret else ""):
            self.headline = action_title(screen.table, self._due)
            entry: Any = screen.board.entry(self._due, looks_over=self._leads_to_notepad)
            entry.open(screen.table, self._due, self._done)
        self.ids.entry.add_widget(entry)
        entry.frame(self.ids.fixed, self.ids.foot)

    def _clear(self) -> None:
        """Takes the entry off the screen, with what stands above and below it."""
        for name in ("entry", "fixed", "foot"):
            self.ids[name].clear_widgets()

    @property
    def _is_secret(self) -> bool:
        """Whether what is behind the cover is for one player alone."""
        return self._then is not None or (self._due is not None and self._due.is_secret)

    def _has_pin(self) -> bool:
        session = self._screen.table.session if self._screen.table is not None else None
        return session is not None and bool(session.has_pin(self._seat))

    def on_leave(self, *_args: object) -> None:
        """Nothing private outlives the screen."""
        Clock.unschedule(self._peek)
        self._clear()
        self._forget_notepad()
        self.ids.pin.text = ""
        self.covered, self._is_typing = True, False

    def _done(self) -> None:
        """Goes on to the next player who has something to enter in secret, or to the table."""
        screen, done = self._screen, self._due
        screen.refresh()
        if self.to_notepad():
            return
        due = screen.table.due() if screen.table is not None else ()
        waiting = [entry for entry in due if done is not None and entry.verb == done.verb]
        if self._next:
            self.open(screen, self._next[0], self._next[1:])
        elif waiting and done is not None and done.is_secret:
            self.open(screen, waiting[0])
        else:
            App.get_running_app().go("table")


load_layout(__file__)
