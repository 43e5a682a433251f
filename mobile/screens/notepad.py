"""Notepad: one player's own view, exact chances with their whys, own marks, the coach."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from operator import attrgetter
from typing import Any

from kivy.app import App
from kivy.clock import mainthread
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.errors import CompanionError
from companion.notepad.base import MOST_SUPPOSED, Supposition
from companion.phrases import capitalised
from mobile.model import notepads
from mobile.model.steps import Action
from mobile.model.table import Table
from mobile.model.wording import cell_text
from mobile.resources import texts, theme
from mobile.screens.table import board_of
from mobile.widgets.basic import Key, Sheet, Words, listed, offer, offer_choices
from mobile.widgets.beside import TableBeside, has_room
from mobile.widgets.board import action_title, zone_view
from mobile.widgets.grid import ChanceGrid, ChancePanel
from mobile.widgets.people import seated
from mobile.widgets.pins import PinSheet
from mobile.widgets.ui import load_layout


class CellSheet(Sheet):
    """One cell: its chance, why it is so, what would follow from it, and the player's own mark."""

    title = StringProperty()
    why = StringProperty()

    def __init__(
        self, screen: NotepadScreen, sheet: notepads.ChanceSheet, cell: tuple[str, str]
    ) -> None:
        super().__init__()
        row, column = cell
        self._screen, self._cell = screen, notepads.mark_name(row, column)
        chance = sheet.chance(row, column)
        said = {0.0: texts.SURE_NO, 1.0: texts.SURE_YES}.get(chance, cell_text(chance))
        self.title = texts.WHY_LINE.format(
            cell=f"{sheet.called(row)} · {sheet.called(column)}", chance=said
        )
        with texts.addressing(screen.name_of):
            self.why = notepads.why(screen.pad, sheet, row, column)
        self._show_beside(sheet, cell)
        now = screen.marks.get(self._cell, "")
        for mark in notepads.MARKS if screen.can_mark else ():
            text, go = mark or texts.NO_MARK, partial(self._mark, mark)
            offer(self.ids.marks, text, go, chosen=mark == now)
        for holds in (True, False) if 0 < chance < 1 else ():
            text = texts.IS_SO if holds else texts.IS_NOT_SO
            offer(self.ids.what_if, text, partial(self._suppose, holds))
        self._supposition = partial(Supposition, row, column)

    def _show_beside(self, sheet: notepads.ChanceSheet, cell: notepads.Cell) -> None:
        cells = sheet.beside(cell)
        self.ids.beside.cols = min(7, len(cells))
        for one in cells if len(cells) > 1 else ():
            chance = cell_text(sheet.chance(*one))
            text, go = f"{sheet.part(one)}\n{chance}", partial(self._go_on, sheet, one)
            offer(self.ids.beside, text, go, Key, value=one, chosen=one == cell)

    def _go_on(self, sheet: notepads.ChanceSheet, cell: notepads.Cell) -> None:
        self.dismiss(animation=False)
        CellSheet(self._screen, sheet, cell).open(animation=False)

    def _suppose(self, holds: bool) -> None:
        self.dismiss(animation=False)
        self._screen.suppose(self._supposition(holds=holds))

    def _mark(self, mark: str) -> None:
        self.dismiss(animation=False)
        self._screen.mark(self._cell, mark)


class NotepadScreen(Screen):
    """What one player knows, and what follows from it."""

    name_of = StringProperty()
    lead = StringProperty()
    advice = StringProperty()
    model_lead = StringProperty()
    note_state = StringProperty()
    pin_state = StringProperty()
    keeps = BooleanProperty(False)
    has_pin = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.table: Table | None = None
        self.pad: Any = None
        self.marks: Mapping[str, str] = {}
        #: Number of the match that the marks belong to.
        self._marked = 0
        self._who: Any = None
        self._job = 0
        self._work: threading.Thread | None = None
        self._model = ""
        self._supposed: tuple[Supposition, ...] = ()
        #: Every line that the player may read, as it was counted last.
        self._counted: Any = None
        #: The table's own screen while the notepad is open.
        self._followed: Any = None
        #: The table, where there is room for it beside the page.
        self.beside: TableBeside | None = None
        self.bind(size=lambda *_args: self._stand_beside())

    @property
    def can_mark(self) -> bool:
        """Whether marks can be kept: the journal keeps them, sealed."""
        return self._who is not None

    def open(self, table: Table, seat: int, who: Any) -> None:
        """Shows a player's notepad.

        Args:
            table: the table.
            seat: whose.
            who: the journal's proof that it is that player; None at a table that is not kept.
        """
        self.table, self._seat, self._who = table, seat, who
        self.ids.scroll.to_top()
        self.name_of, self.keeps = table.setup.players[seat], who is not None
        self.lead, self.advice = texts.COUNTING, ""
        self.note_state = self.pin_state = ""
        self.has_pin = table.session is not None and bool(table.session.has_pin(seat))
        self.marks, self._supposed = {}, ()
        self._read_marks()
        self.ids.models.clear_widgets()
        self.model_lead = ""
        self._begin("")
        self._stand_beside()
        self._followed = App.get_running_app().screen("table")
        self._followed.bind(stands=self._follow)

    @property
    def _match(self) -> int:
        assert self.table is not None
        return int(self.table.state.table.match)

    def _read_marks(self) -> None:
        self.marks, self._marked = {}, self._match
        if self._who is not None and self.table is not None and self.table.session is not None:
            try:
                kept = self.table.session.marks(self._who).all()
                self.marks = notepads.marks_of_match(kept, self._marked)
            except CompanionError as error:
                self.note_state = texts.told(error.message)
        self.ids.note.text = self.marks.get(notepads.NOTE, "")

    def _stand_beside(self) -> None:
        """Puts the table beside the page, or takes it away, by the room that there is."""
        wanted = self.table is not None and has_room(self.width)
        if wanted == (self.beside is not None):
            return
        if self.beside is not None:
            self.ids.both.remove_widget(self.beside)
            self.beside = None
            return
        assert self.table is not None
        app = App.get_running_app()
        self.beside = TableBeside(self.table, board_of(self.table))
        # The board stands where it does on the table's own screen.
        at = 0 if app.ui.left_handed else len(self.ids.both.children)
        self.ids.both.add_widget(self.beside, index=at)
        self.beside.show(seated(self.table, app.services.people))

    def _follow(self, *_args: object) -> None:
        """Something has happened at the table, such as a card that the camera saw."""
        if self.table is None:
            return
        if self.beside is not None:
            self.beside.show(seated(self.table, App.get_running_app().services.people))
        if self._match != self._marked:
            self._keep_typed()
            self._read_marks()
        # What this player may not read must not be seen to have happened.
        if self.table.referee.view(self._seat).log != self._counted:
            self._supposed = ()  # its cells may mean something else now
            self._begin(self._model)

    def suppose(self, supposition: Supposition) -> None:
        """Counts anew with a cell supposed to be so, or not."""
        if len(self._supposed) >= MOST_SUPPOSED:
            self.lead = texts.SUPPOSE_LESS
            self.ids.scroll.to_top()
            return
        self._supposed = (*self._supposed, supposition)
        self._count_anew()

    def drop(self, number: int) -> None:
        """Supposes one thing less, the first is 0."""
        self._supposed = self._supposed[:number] + self._supposed[number + 1 :]
        self._count_anew()

    def _count_anew(self) -> None:
        self.lead, self.advice = texts.COUNTING, ""
        self.ids.scroll.to_top()
        self._begin(self._model)

    def weigh(self, model: str) -> None:
        """Counts anew with choices made in secret weighed in another way."""
        self.lead, self.advice = texts.COUNTING, ""
        self._begin(model)

    def _begin(self, model: str) -> None:
        """Counts on a thread of its own; whatever was being counted before is dropped."""
        assert self.table is not None
        self._clear()
        self._job += 1
        view = self.table.referee.view(self._seat)
        self._model, self._counted = model, view.log
        self._work = threading.Thread(
            target=self._count,
            args=(self._job, self.table.game, view, model, self._supposed),
            name="notepad",
            daemon=True,
        )
        self._work.start()

    def wait(self) -> None:
        """Waits until everything is counted; what was found is shown with the next frame."""
        if self._work is not None:
            self._work.join()

    def close(self) -> None:
        """Covers everything: nothing of it stays in the widgets."""
        self._job += 1
        self._keep_typed()
        if self._who is not None:
            self._who.lock()
        if self._followed is not None:
            self._followed.unbind(stands=self._follow)
        self._who = self.pad = self.table = self._counted = None
        self._stand_beside()
        self.marks, self._supposed = {}, ()
        self.lead = self.advice = self.model_lead = self.ids.note.text = ""
        self.ids.models.clear_widgets()
        self._clear()
        for child in list(self.get_root_window().children if self.get_root_window() else ()):
            if isinstance(child, CellSheet | PinSheet):
                child.dismiss(animation=False)

    def _clear(self) -> None:
        for name in ("supposed", "sheets", "own", "record"):
            self.ids[name].clear_widgets()

    def cover(self) -> None:
        """The app is not looked at by its player any more: back to the table."""
        self.close()
        App.get_running_app().back()

    def on_leave(self, *_args: object) -> None:
        """Nothing private outlives the screen."""
        self.close()

    def mark(self, name: str, mark: str) -> None:
        """Keeps a mark of the player's own, sealed."""
        if self.table is None or self._who is None or self.table.session is None:
            return
        try:
            marks = self.table.session.marks(self._who)
            marks.put(notepads.kept_name(self._marked, name), mark)
            self.marks = notepads.marks_of_match(marks.all(), self._marked)
        except CompanionError as error:
            self.note_state = texts.told(error.message)
            return
        for grid in self._grids():
            grid.marks = dict(self.marks)

    def keep_note(self) -> None:
        """Keeps the note, sealed."""
        self.mark(notepads.NOTE, self.ids.note.text.strip())
        if self.can_mark:
            self.note_state = texts.NOTE_KEPT

    def _keep_typed(self) -> None:
        """What was typed is kept with the match it was typed in, whoever forgot to say so."""
        typed = self.ids.note.text.strip()
        if typed != self.marks.get(notepads.NOTE, ""):
            self.mark(notepads.NOTE, typed)

    def ask_pin(self) -> None:
        """Asks for a PIN, the new one twice."""
        session = self.table.session if self.table is not None else None
        if session is not None:
            has_old = bool(session.has_pin(self._seat))
            PinSheet(self.name_of, has_old=has_old, then=self.set_pin).open(animation=False)

    def set_pin(self, new: str, old: str) -> str:
        """Sets, changes or removes the player's PIN; returns why it cannot be, empty if it was."""
        if self.table is None or self.table.session is None:
            return ""
        try:
            self.table.session.set_pin(self._seat, new, old)
        except CompanionError as error:
            return texts.told(error.message)
        self.pin_state = texts.PIN_KEPT if new else texts.PIN_GONE
        self.has_pin = bool(new)
        return ""

    def _count(
        self, job: int, game: Any, view: Any, model: str, supposed: tuple[Supposition, ...]
    ) -> None:
        try:
            found, pad = notepads.page(game, view, model=model, supposed=supposed)
        except CompanionError as error:
            self._fail(job, texts.told(error.message))
            return
        self._show(job, found, pad)

    @mainthread
    def _fail(self, job: int, why: str) -> None:
        if job == self._job:
            self.lead = why

    @mainthread
    def _show(self, job: int, found: notepads.NotepadPage, pad: Any) -> None:
        table = self.table
        if job != self._job or table is None:
            return
        self.pad = pad
        self.lead = self._lead_of(found)
        for number, words in enumerate(found.supposed):
            text = texts.DROP.format(supposed=words)
            offer(self.ids.supposed, text, partial(self.drop, number))
        if found.advice:
            self.advice = f"{texts.COACH}: {found.advice}"
        self._offer(found)
        with texts.addressing(self.name_of):
            self._show_own(table, found)
        for sheet in filter(attrgetter("chances"), found.sheets):
            self.ids.sheets.add_widget(self._panel(sheet))
        if found.meanings:
            self.ids.own.add_widget(listed(texts.MEANINGS, found.meanings))

    def _show_own(self, table: Table, found: notepads.NotepadPage) -> None:
        """What this player may enter, has written, and holds."""
        for action in table.steps:
            if action.seat == self._seat and action.is_secret and action.step is not None:
                title = action_title(table, action)
                offer(self.ids.record, title, partial(self._enter, action))
        for line in notepads.written(table.game, table.referee.view(self._seat)):
            self.ids.own.add_widget(Words(text=line))
        for zone in found.own:
            if zone.known:
                self.ids.own.add_widget(zone_view(zone))

    def _lead_of(self, found: notepads.NotepadPage) -> str:
        if found.worlds is None:
            return ""
        if found.supposed:
            if not found.worlds:
                return texts.NO_WORLD_THEN.format(why=found.conflict)
            then = texts.ONE_WORLD_THEN if found.worlds == 1 else texts.WORLDS_THEN
            return capitalised(then.format(n=notepads.big(found.worlds)))
        if not found.worlds:
            return f"{texts.NO_WORLD} {found.conflict}"
        said = texts.ONE_WORLD if found.worlds == 1 else texts.WORLDS
        return capitalised(said.format(n=notepads.big(found.worlds)))

    def _enter(self, action: Action) -> None:
        """Begins an entry of the player who looks at the notepad; it leads back here."""
        self._keep_typed()
        # What proves who they are goes along: nobody else has had the phone in between.
        who, self._who = self._who, None
        App.get_running_app().open_own_entry(action, who)

    def _offer(self, found: notepads.NotepadPage) -> None:
        """The ways of weighing secret choices, where the notepad knows more than one."""
        models = found.models if len(found.models) > 1 else ()
        self.model_lead = texts.MODEL if models else ""
        choices = [(model, texts.MODELS.get(model, texts.tr(model))) for model in models]
        offer_choices(self.ids.models, choices, found.model, self.weigh)

    def _panel(self, sheet: notepads.ChanceSheet) -> ChancePanel:
        assert self.table is not None
        seated = App.get_running_app().services.colours(self.table.setup.players)
        colours = [theme.PLAYERS[c] for c in seated]
        panel = ChancePanel(sheet, self.marks, colours)
        panel.grid.bind(on_cell=lambda _grid, row, column: self._open_cell(sheet, row, column))
        panel.grid.bind(on_hold=lambda _grid, row, column: self._hold_cell(sheet, row, column))
        return panel

    def _open_cell(self, sheet: notepads.ChanceSheet, row: str, column: str) -> None:
        CellSheet(self, sheet, (row, column)).open(animation=False)

    def _hold_cell(self, sheet: notepads.ChanceSheet, row: str, column: str) -> None:
        """Supposes that an open cell is so; of a settled one only the why is of use."""
        if 0 < sheet.chance(row, column) < 1:
            self.suppose(Supposition(row, column, holds=True))
        else:
            self._open_cell(sheet, row, column)

    def _grids(self) -> list[ChanceGrid]:
        return [widget for widget in self.ids.sheets.walk() if isinstance(widget, ChanceGrid)]


load_layout(__file__)
