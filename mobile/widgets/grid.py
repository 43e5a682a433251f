"""A table of chances on one canvas: hundreds of cells would be slow as widgets of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kivy.app import App
from kivy.core.text import Label as CoreLabel
from kivy.factory import Factory
from kivy.graphics import Color, Rectangle, RoundedRectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp
from kivy.properties import ObjectProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.widget import Widget

from mobile.model.notepads import ChanceSheet, cell_text
from mobile.resources import texts

_GAP = 3


class ChanceGrid(ButtonBehavior, Widget):
    """Cells in rows and columns; a touch on one dispatches `on_cell` with its row and column."""

    sheet = ObjectProperty(None, allownone=True)
    marks = ObjectProperty({})

    __events__ = ("on_cell",)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(size_hint=(None, None), **kwargs)
        self._textures: dict[tuple[Any, ...], Texture] = {}
        self.bind(pos=self._draw, sheet=self._resize, marks=self._draw)
        App.get_running_app().ui.bind(em=self._resize, ink=self._draw)
        self._resize()

    def on_cell(self, row: str, column: str) -> None:
        """A cell was touched."""

    def on_release(self) -> None:
        """Finds the cell that was touched."""
        touch = self.last_touch
        cell = None if touch is None else self.cell_at(touch.x, touch.y)
        if cell is not None:
            self.dispatch("on_cell", *cell)

    def cell_at(self, x: float, y: float) -> tuple[str, str] | None:
        """Row and column at a place in the window, None beside the cells."""
        sheet: ChanceSheet | None = self.sheet
        if sheet is None:
            return None
        column = int((x - self.x - self._head) // self._cell[0])
        row = int((self.top - self._top - y) // self._cell[1])
        inside = 0 <= column < len(sheet.columns) and 0 <= row < len(sheet.rows)
        return (sheet.rows[row], sheet.columns[column]) if inside and x >= self.x else None

    def centre_of(self, row: str, column: str) -> tuple[float, float]:
        """The middle of a cell."""
        r, c = self.sheet.rows.index(row), self.sheet.columns.index(column)
        x = self.x + self._head + (c + 0.5) * self._cell[0]
        return x, self.top - self._top - (r + 0.5) * self._cell[1]

    # -- inside ------------------------------------------------------------------------------

    @property
    def _em(self) -> float:
        return float(App.get_running_app().ui.em)

    def _resize(self, *_args: object) -> None:
        sheet: ChanceSheet | None = self.sheet
        if sheet is None:
            return
        self._textures.clear()
        names = [self._text(texts.told(name), bold=True).width for name in sheet.rows]
        heads = [self._text(texts.told(name), bold=True).width for name in sheet.columns]
        self._head = max(names, default=0) + dp(10)
        wide = max([self._em * 3.4, dp(48), *(width + dp(10) for width in heads)])
        self._cell = (wide, max(dp(48), self._em * 2.4))
        self._top = self._em * 2
        self.size = (
            self._head + self._cell[0] * len(sheet.columns),
            self._top + self._cell[1] * len(sheet.rows),
        )
        self._draw()

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        sheet: ChanceSheet | None = self.sheet
        if sheet is None:
            return
        ui = App.get_running_app().ui
        marks: Mapping[str, str] = self.marks
        with self.canvas:
            for c, column in enumerate(sheet.columns):
                x = self.x + self._head + (c + 0.5) * self._cell[0]
                self._put(
                    self._text(texts.told(column), bold=True), x, self.top - self._top / 2, ui.muted
                )
            for r, row in enumerate(sheet.rows):
                y = self.top - self._top - (r + 0.5) * self._cell[1]
                name = self._text(texts.told(row), bold=True)
                self._put(name, self.x + name.width / 2, y, ui.ink)
                for column in sheet.columns:
                    self._draw_cell(ui, sheet, row, column, marks.get(f"{row} @ {column}", ""))

    def _draw_cell(self, ui: Any, sheet: ChanceSheet, row: str, column: str, mark: str) -> None:
        x, y = self.centre_of(row, column)
        chance = sheet.chance(row, column)
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
        self._put(self._text(cell_text(chance), bold=sure), x, y + shift, colour)
        if mark:
            self._put(self._text(mark, bold=True), x, y - shift, ui.warn if not sure else colour)

    def _put(self, texture: Texture, x: float, y: float, colour: Any) -> None:
        Color(*colour)
        pos = round(x - texture.width / 2), round(y - texture.height / 2)
        Rectangle(texture=texture, size=texture.size, pos=pos)

    def _text(self, text: str, *, bold: bool) -> Texture:
        key = (text, bold, self._em)
        if key not in self._textures:
            label = CoreLabel(text=text, font_size=self._em * 0.9, bold=bold)
            label.refresh()
            self._textures[key] = label.texture
        return self._textures[key]


Factory.register("ChanceGrid", cls=ChanceGrid)
