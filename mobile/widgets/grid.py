"""A table of chances on one canvas: hundreds of cells would be slow as widgets of their own."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.factory import Factory
from kivy.graphics import Color, Rectangle, RoundedRectangle
from kivy.graphics.texture import Texture
from kivy.lang import Builder
from kivy.metrics import dp
from kivy.properties import NumericProperty, ObjectProperty
from kivy.uix.widget import Widget

from mobile.model.notepads import ChanceSheet, cell_text
from mobile.resources import texts
from mobile.widgets.basic import Key, Panel
from mobile.widgets.presses import Pressable

_GAP = 3
#: The names of the rows take at most this share of the room.
_HEAD = 0.45
#: A finger that stays on a cell so long, in seconds, holds it.
_HOLD = 0.5


class ChanceGrid(Pressable, Widget):
    """Cells in rows and columns; a touch on one dispatches `on_cell` with its row and column.

    A finger that stays on one dispatches `on_hold` instead.

    No cell is wider than the room. Columns for which there is no room stand on further pages.
    """

    sheet = ObjectProperty(None, allownone=True)
    marks = ObjectProperty({})
    #: Pixels that the table may be wide.
    room = NumericProperty(0)
    #: Which of the pages is shown.
    page = NumericProperty(0)
    #: The columns of each page.
    pages = ObjectProperty(())

    __events__ = ("on_cell", "on_hold")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(size_hint=(None, None), **kwargs)
        self._held = Clock.create_trigger(self._stay, _HOLD)
        #: The cell under the finger, until it is held.
        self._pressed: tuple[str, str] | None = None
        self._textures: dict[tuple[Any, ...], Texture] = {}
        #: Every text that was drawn, with its left, bottom, right and top in the window's plane.
        self.drawn: list[tuple[str, tuple[float, float, float, float]]] = []
        self.bind(pos=self._draw, sheet=self._resize, marks=self._draw, page=self._draw)
        self.bind(room=self._resize)
        App.get_running_app().ui.bind(em=self._resize, ink=self._draw)
        self._resize()

    def on_cell(self, row: str, column: str) -> None:
        """A cell was touched."""

    def on_hold(self, row: str, column: str) -> None:
        """A cell was held."""

    def on_press(self) -> None:
        """Remembers the cell under the finger."""
        touch = self.last_touch
        self._pressed = None if touch is None else self.cell_at(touch.x, touch.y)
        self._held()

    def _stay(self, _seconds: float) -> None:
        """The finger has been down for a while: does it stay?"""
        touch, cell, self._pressed = self.last_touch, self._pressed, None
        if cell is None or touch is None or self.state != "down":
            return
        if max(abs(touch.x - touch.ox), abs(touch.y - touch.oy)) < dp(12):
            self.dispatch("on_hold", *cell)

    def on_release(self) -> None:
        """Finds the cell that was touched, and not held."""
        self._held.cancel()
        touch, pressed = self.last_touch, self._pressed
        cell = None if touch is None else self.cell_at(touch.x, touch.y)
        if cell is not None and pressed is not None:
            self.dispatch("on_cell", *cell)

    def cell_at(self, x: float, y: float) -> tuple[str, str] | None:
        """Row and column at a place in the window, None beside the cells."""
        sheet: ChanceSheet | None = self.sheet
        if sheet is None:
            return None
        columns = self.columns
        column = int((x - self.x - self._head) // self._cell[0])
        row = int((self.top - self._top - y) // self._cell[1])
        inside = 0 <= column < len(columns) and 0 <= row < len(sheet.rows)
        return (sheet.rows[row], columns[column]) if inside and x >= self.x else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in sight."""
        pages: tuple[tuple[str, ...], ...] = self.pages
        return pages[min(int(self.page), len(pages) - 1)] if pages else ()

    # -- inside ------------------------------------------------------------------------------

    @property
    def _em(self) -> float:
        return float(App.get_running_app().ui.em)

    def _resize(self, *_args: object) -> None:
        sheet: ChanceSheet | None = self.sheet
        if sheet is None or self.room <= 0:
            return
        self._textures.clear()
        gap = dp(10)
        names = [self._width(sheet.called(name)) for name in sheet.rows]
        self._head = min(max(names, default=0) + gap, self.room * _HEAD)
        heads = [sheet.called(name) for name in sheet.columns]
        least = max(self._em * 3.4, dp(48))
        words = [self._width(word) + gap for head in heads for word in head.split()]
        free = self.room - self._head
        narrow = min(free, max([least, *words]))
        count = max(1, ceil(len(heads) / max(1, int(free // narrow))))
        each = max(1, ceil(len(heads) / count))
        wide = max([least, *(self._width(head) + gap for head in heads)])
        self._cell = (
            free / each if count > 1 else min(wide, free / each),
            max(dp(48), self._em * 2.4),
        )
        lines = max((len(self._lines(head)) for head in heads), default=1)
        self._top = self._em * (0.8 + 1.2 * lines)
        self.pages = tuple(sheet.columns[k : k + each] for k in range(0, len(heads), each))
        self.page = min(self.page, max(0, len(self.pages) - 1))
        self.size = (
            self._head + self._cell[0] * each,
            self._top + self._cell[1] * len(sheet.rows),
        )
        self._draw()

    def _lines(self, head: str) -> list[str]:
        """A column's name in lines that its cells have room for."""
        lines: list[str] = []
        for word in head.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self._width(longer) > self._cell[0] - dp(_GAP):
                lines.append(word)
            else:
                lines[-1:] = [longer]
        return lines

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        self.drawn = []
        sheet: ChanceSheet | None = self.sheet
        if sheet is None or not self.pages:
            return
        ui = App.get_running_app().ui
        marks: Mapping[str, str] = self.marks
        room = self._cell[0] - dp(_GAP)
        with self.canvas:
            for c, column in enumerate(self.columns):
                x = self.x + self._head + (c + 0.5) * self._cell[0]
                lines = self._lines(sheet.called(column))
                y = self.top - self._top / 2 + (len(lines) - 1) * self._em * 0.6
                for k, line in enumerate(lines):
                    self._put(line, x, y - k * self._em * 1.2, ui.muted, bold=True, room=room)
            for r, row in enumerate(sheet.rows):
                y = self.top - self._top - (r + 0.5) * self._cell[1]
                name, head = sheet.called(row), self._head - dp(_GAP)
                x = self.x + min(self._width(name), head) / 2
                self._put(name, x, y, ui.ink, bold=True, room=head)
                for c, column in enumerate(self.columns):
                    x = self.x + self._head + (c + 0.5) * self._cell[0]
                    mark = marks.get(f"{row} @ {column}", "")
                    self._draw_cell(ui, x, y, sheet.chance(row, column), mark)

    def _draw_cell(self, ui: Any, x: float, y: float, chance: float, mark: str) -> None:
        sure = chance >= 1
        Color(*(ui.accent if sure else ui.surface))
        size = self._cell[0] - dp(_GAP), self._cell[1] - dp(_GAP)
        RoundedRectangle(pos=(x - size[0] / 2, y - size[1] / 2), size=size, radius=[dp(6)])
        if not sure and chance > 0:
            # The bar says by its length what the number says.
            Color(*ui.line)
            bar = (size[0] - dp(8)) * chance, dp(3)
            Rectangle(pos=(x - size[0] / 2 + dp(4), y - size[1] / 2 + dp(3)), size=bar)
        colour = ui.over_accent if sure else ui.ink if chance > 0 else ui.muted
        shift = self._em * 0.45 if mark else 0
        self._put(cell_text(chance), x, y + shift, colour, bold=sure, room=size[0])
        if mark:
            self._put(mark, x, y - shift, ui.warn if not sure else colour, bold=True, room=size[0])

    def _put(self, text: str, x: float, y: float, colour: Any, *, bold: bool, room: float) -> None:
        """Writes a text in the middle of a place, smaller where it would be wider than its room."""
        Color(*colour)
        texture = self._text(text, bold=bold)
        share = min(1.0, room / max(1, texture.width))
        width, height = texture.width * share, texture.height * share
        left, bottom = round(x - width / 2), round(y - height / 2)
        Rectangle(texture=texture, size=(width, height), pos=(left, bottom))
        self.drawn.append((text, (left, bottom, left + width, bottom + height)))

    def _width(self, text: str) -> float:
        return float(self._text(text, bold=True).width)

    def _text(self, text: str, *, bold: bool) -> Texture:
        key = (text, bold, self._em)
        if key not in self._textures:
            label = CoreLabel(text=text, font_size=self._em * 0.9, bold=bold)
            label.refresh()
            self._textures[key] = label.texture
        return self._textures[key]


class ChancePanel(Panel):
    """A table of chances under its title, with a key for each page of columns.

    Args:
        sheet: the table.
        marks: the player's own marks.
        page: which of its pages is shown first.
    """

    sheet = ObjectProperty(None, allownone=True)

    def __init__(self, sheet: ChanceSheet, marks: Mapping[str, str], page: int = 0) -> None:
        super().__init__(sheet=sheet)
        self.grid: ChanceGrid = self.ids.grid
        self.grid.marks = dict(marks)
        self.grid.page = page
        show = Clock.create_trigger(self._show_pages, -1)
        self.grid.bind(pages=show, page=show)
        show()

    def _show_pages(self, *_args: object) -> None:
        """A key for each page, named by its first and last column; none where all are in sight."""
        box, grid = self.ids.pages, self.grid
        box.clear_widgets()
        pages = grid.pages if len(grid.pages) > 1 else ()
        most = max(1, int(grid.room / (App.get_running_app().ui.em * 6)))
        box.cols = ceil(len(pages) / max(1, ceil(len(pages) / most))) or 1
        for number, columns in enumerate(pages):
            first, last = (self.sheet.called(columns[k]) for k in (0, -1))
            key = Key(text=_span(first, last), value=number, chosen=number == grid.page)
            key.bind(on_release=lambda key: setattr(grid, "page", key.value))
            box.add_widget(key)


def _span(first: str, last: str) -> str:
    """A page's name by its first and last column; what both begin with is said once."""
    if first == last:
        return first
    one, other = first.split(), last.split()
    same = 0
    while same < min(len(one), len(other)) - 1 and one[same] == other[same]:
        same += 1
    return texts.COLUMNS.format(first=first, last=" ".join(other[same:]))


for kind in (ChanceGrid, ChancePanel):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
