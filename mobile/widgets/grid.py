"""Chances on one canvas, as a picture or a table: widgets for hundreds of cells would be slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Line, Rectangle, RoundedRectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp
from kivy.properties import NumericProperty, ObjectProperty
from kivy.uix.widget import Widget

from companion.notepad.base import Layout
from mobile.model.faces import KINDS, card_name
from mobile.model.notepads import Cell, ChanceSheet, Thing, mark_name
from mobile.model.wording import cell_text
from mobile.resources import theme
from mobile.widgets.basic import Panel
from mobile.widgets.presses import Pressable
from mobile.widgets.ui import load_layout

_GAP = 3
#: The names of the rows take at most this share of the room.
_HEAD = 0.45
#: A finger that stays on a cell so long, in seconds, holds it.
_HOLD = 0.5
#: Sizes of text in em: what stands on a card, its number, the strip's letters, a place's rank.
_FACE, _NUMBER, _LETTERS, _RANK = 0.92, 0.82, 0.72, 1.45
#: A part of a card so wide has room for letters.
_LETTERED = 0.25

#: Left end, upper end below the widget's top, width and height.
Box = tuple[float, float, float, float]


class ChanceGrid(Pressable, Widget):
    """Chances; a touch on one dispatches `on_cell` with its row and column.

    A finger that stays on one dispatches `on_hold` instead.

    Nothing is wider than the room. Columns for which there is none stand below the others.
    """

    sheet = ObjectProperty(None, allownone=True)
    marks = ObjectProperty({})
    #: A colour for each seat.
    colours = ObjectProperty(theme.PLAYERS)
    #: Pixels that all may be wide.
    room = NumericProperty(0)

    __events__ = ("on_cell", "on_hold")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(size_hint=(None, None), **kwargs)
        self._held = Clock.create_trigger(self._stay, _HOLD)
        #: The cell under the finger, until it is held.
        self._pressed: Cell | None = None
        self._textures: dict[tuple[Any, ...], Texture] = {}
        #: Cell that a finger can meet → where it is drawn, and as which thing of a picture.
        self._boxes: dict[Cell, tuple[Box, Thing | None]] = {}
        #: Words beside them: left end, middle below the top, room, and whether they are centred.
        self._heads: list[tuple[str, float, float, float, bool]] = []
        #: Patches of the legend: what is written on them, colour, left end, middle below the top.
        self._patches: list[tuple[str, Any, float, float]] = []
        #: Every text that was drawn, with its left, bottom, right and top in the window's plane.
        self.drawn: list[tuple[str, tuple[float, float, float, float]]] = []
        self.bind(pos=self._draw, sheet=self._resize, marks=self._draw, room=self._resize)
        App.get_running_app().ui.bind(em=self._resize, ink=self._draw, four_colours=self._draw)
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

    @property
    def targets(self) -> tuple[Cell, ...]:
        """The cells that a finger can meet: those of a table, or the one that each thing shows."""
        return tuple(self._boxes)

    def cell_at(self, x: float, y: float) -> Cell | None:
        """Row and column at a place in the window, None beside the cells."""
        across, down = x - self.x, self.top - y
        for cell, ((left, top, width, height), _) in self._boxes.items():
            if left <= across < left + width and top <= down < top + height:
                return cell
        return None

    def box_of(self, cell: Cell) -> Box:
        """Left, bottom, width and height of a cell in the window's plane."""
        (left, top, width, height), _ = self._boxes[cell]
        return self.x + left, self.top - top - height, width, height

    # -- where everything stands -------------------------------------------------------------

    @property
    def _em(self) -> float:
        return float(App.get_running_app().ui.em)

    def _resize(self, *_args: object) -> None:
        sheet: ChanceSheet | None = self.sheet
        if sheet is None or self.room <= 0:
            return
        for kept in (self._textures, self._boxes, self._heads, self._patches):
            kept.clear()
        bands = sheet.things()
        height = self._lay_picture(sheet, bands) if bands else self._lay_table(sheet)
        right = max((box[0] + box[2] for box, _ in self._boxes.values()), default=0)
        self.size = (right, height)
        self._draw()

    def _lay_table(self, sheet: ChanceSheet) -> float:
        """Rows under the names of their columns, anew for the columns that find no room."""
        gap, em = dp(10), self._em
        head = max((self._width(sheet.head(row)) for row in sheet.rows), default=0)
        head = min(head + gap, self.room * _HEAD)
        names = [sheet.called(column) for column in sheet.columns]
        least = max(em * 3.4, dp(48))
        free = self.room - head
        narrow = min(free, max([least, *(self._width(w) + gap for n in names for w in n.split())]))
        count = max(1, ceil(len(names) / max(1, int(free // narrow))))
        each = max(1, ceil(len(names) / count))
        width = min(max([least, *(self._width(name) + gap for name in names)]), free / each)
        if count > 1:
            width = free / each
        height, down = max(dp(48), em * 2.4), 0.0
        for first in range(0, len(names), each):
            lines = [self._lines(name, width) for name in names[first : first + each]]
            top = em * (0.8 + 1.2 * max(map(len, lines)))
            for c, words in enumerate(lines):
                for k, word in enumerate(words):
                    middle = down + top / 2 + (k - (len(words) - 1) / 2) * em * 1.2
                    self._heads.append((word, head + c * width, middle, width, True))
            down += top
            for row in sheet.rows:
                self._heads.append((sheet.head(row), 0, down + height / 2, head, False))
                for c, column in enumerate(sheet.columns[first : first + each]):
                    box = head + c * width, down, width, height
                    self._boxes[row, column] = box, None
                down += height
        return down

    def _lines(self, name: str, width: float) -> list[str]:
        """A column's name in lines that its cells have room for."""
        lines: list[str] = []
        for word in name.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self._width(longer) > width - dp(_GAP):
                lines.append(word)
            else:
                lines[-1:] = [longer]
        return lines

    def _lay_picture(self, sheet: ChanceSheet, bands: Sequence[Sequence[Thing]]) -> float:
        """Bands of things, each in as many lines as the longest needs."""
        em, gap = self._em, dp(2)
        is_places, has_parts = sheet.layout is Layout.PLACES, len(sheet.columns) > 1
        if is_places:
            least, most, high = 3.4, 6.0, _RANK + 3.4
        elif sheet.notes:
            least, most, high = 9.2, 24.0, 2.4
        else:
            least, most, high = 2.5, 5.0, 2.5
        least = min(self.room, max(dp(48), em * least))
        fit = max(1, int((self.room + gap) // (least + gap)))
        longest = max(map(len, bands))
        across = ceil(longest / ceil(longest / fit))
        width = min((self.room - gap * (across - 1)) / across, em * most)
        self._note_width = width - em * 3.1
        notes = [self._note(thing).height for band in bands for thing in band if thing.note]
        high = max([dp(48), em * high, *(note + em * 0.3 for note in notes)])
        high += self._strip if has_parts and not is_places else 0
        down = 0.0 if is_places else self._lay_legend(sheet)
        for band in bands:
            for k, thing in enumerate(band):
                left, top = k % across * (width + gap), k // across * (high + gap)
                self._boxes[thing.lead] = (left, down + top, width, high), thing
            down += ceil(len(band) / across) * (high + gap) + dp(4)
        return down

    def _lay_legend(self, sheet: ChanceSheet) -> float:
        """What the fill and each colour of the strip mean; its height."""
        em, left, middle = self._em, 0.0, self._em * 0.7
        patches = [("%", theme.FILL, sheet.columns[0])]
        patches += [(s, self._colour_of(sheet, c), c) for c, s in sheet.initials.items()]
        for short, colour, column in patches if len(patches) > 1 else ():
            name = sheet.called(column)
            wide = em * 1.9 + self._width(name)
            if left and left + wide > self.room:
                left, middle = 0.0, middle + em * 1.4
            self._patches.append((short, colour, left, middle))
            room = min(self._width(name), self.room - em * 1.9)
            self._heads.append((name, left + em * 1.9, middle, room, False))
            left += wide + em * 0.8
        return middle + em if self._patches else 0.0

    @property
    def _strip(self) -> float:
        return self._em * 1.05

    def _colour_of(self, sheet: ChanceSheet, column: str) -> Any:
        seat = sheet.seats.get(column)
        return theme.PART if seat is None else self.colours[seat % len(self.colours)]

    # -- drawing -----------------------------------------------------------------------------

    def _draw(self, *_args: object) -> None:
        self.canvas.clear()
        self.drawn = []
        sheet: ChanceSheet | None = self.sheet
        if sheet is None:
            return
        ui = App.get_running_app().ui
        with self.canvas:
            for text, left, middle, room, is_centred in self._heads:
                width = min(self._width(text), room - dp(_GAP))
                x = left + (room if is_centred else width) / 2
                colour = ui.muted if is_centred or self._patches else ui.ink
                self._put(text, self.x + x, self.top - middle, colour, room=room - dp(_GAP))
            for short, colour, left, middle in self._patches:
                em = self._em
                Color(*colour)
                pos, size = (self.x + left, self.top - middle - em * 0.55), (em * 1.5, em * 1.1)
                RoundedRectangle(pos=pos, size=size, radius=[dp(4)])
                x, ink = self.x + left + em * 0.75, theme.PLAYER_INK
                self._put(short, x, self.top - middle, ink, size=_LETTERS, room=em * 1.4)
            for cell, (_, thing) in self._boxes.items():
                box = self.box_of(cell)
                if thing is None:
                    self._draw_cell(ui, box, cell)
                elif sheet.layout is Layout.PLACES:
                    self._draw_place(thing, box)
                else:
                    self._draw_card(ui, thing, box)

    def _marked(self, cells: Sequence[Cell]) -> str:
        marks: Mapping[str, str] = self.marks
        return "".join(marks.get(mark_name(*cell), "") for cell in cells)

    def _draw_cell(self, ui: Any, box: Box, cell: Cell) -> None:
        left, bottom, width, height = box
        x, y = left + width / 2, bottom + height / 2
        chance, mark = self.sheet.chance(*cell), self._marked([cell])
        sure = chance >= 1
        Color(*(theme.CERTAIN if sure else ui.surface))
        size = width - dp(_GAP), height - dp(_GAP)
        RoundedRectangle(pos=(x - size[0] / 2, y - size[1] / 2), size=size, radius=[dp(6)])
        if not sure and chance > 0:
            # The bar says by its length what the number says.
            Color(*ui.line)
            bar = (size[0] - dp(8)) * chance, dp(3)
            Rectangle(pos=(x - size[0] / 2 + dp(4), y - size[1] / 2 + dp(3)), size=bar)
        colour = theme.PLAYER_INK if sure else ui.ink if chance > 0 else ui.muted
        shift = self._em * 0.45 if mark else 0
        self._put(cell_text(chance), x, y + shift, colour, bold=sure, room=size[0])
        if mark:
            self._put(mark, x, y - shift, ui.warn if not sure else colour, room=size[0])

    def _draw_card(self, ui: Any, thing: Thing, box: Box) -> None:
        """A small card: filled by its chance, brass where it is certain, faded where ruled out."""
        left, bottom, width, height = box
        chance, em = self.sheet.chance(*thing.lead), self._em
        ink = self._paper(ui, thing, box, chance)
        if len(self.sheet.columns) > 1:
            self._draw_parts(thing, box)
            bottom, height = bottom + self._strip, height - self._strip
        wide = em * 2.8 if thing.note else width
        x, y = left + wide / 2, bottom + height / 2
        name = card_name(thing.card) if thing.card else thing.text
        is_open = not self.sheet.is_out(thing)
        room = wide - dp(_GAP)
        self._put(name, x, y + em * 0.52, ink[0], bold=is_open, size=_FACE, room=room)
        number = " ".join(filter(None, (cell_text(chance), self._marked(thing.cells))))
        self._put(number, x, y - em * 0.55, ink[1], bold=is_open, size=_NUMBER, room=room)
        if thing.note:
            note = self._note(thing)
            Color(*ink[1])
            at = round(left + wide + em * 0.1), round(y - note.height / 2)
            Rectangle(texture=note, size=note.size, pos=at)
            self.drawn.append((thing.note, (*at, at[0] + note.width, at[1] + note.height)))

    def _paper(self, ui: Any, thing: Thing, box: Box, chance: float) -> tuple[Any, Any]:
        """What a card is drawn on; the colours of its name and of its number."""
        left, bottom, width, height = box
        if self.sheet.is_out(thing):
            Color(*ui.line[:3], 0.45)
            Line(rounded_rectangle=(left + 1, bottom + 1, width - 2, height - 2, dp(6)))
            return ui.muted, ui.muted
        card = thing.card
        kind = KINDS[card.family].get(card.suit or "", "black") if card else "black"
        is_dark = kind == "dark"
        paper = theme.CERTAIN if chance >= 1 else theme.DARK_PAPER if is_dark else theme.PAPER
        # A rim, or paper would be lost on a white ground.
        Color(*ui.line)
        RoundedRectangle(pos=box[:2], size=box[2:], radius=[dp(6)])
        left, bottom, width, height = left + 1, bottom + 1, width - 2, height - 2
        Color(*paper)
        RoundedRectangle(pos=(left, bottom), size=(width, height), radius=[dp(5)])
        if chance >= 1:
            return theme.PLAYER_INK, theme.PLAYER_INK
        Color(*(theme.DARK_FILL if is_dark else theme.FILL))
        foot = self._strip if len(self.sheet.columns) > 1 else 0
        high = (height - foot) * chance
        low = min(dp(5), high) if not foot else 0
        pos, radius = (left, bottom + foot), [(0, 0), (0, 0), (low, low), (low, low)]
        RoundedRectangle(pos=pos, size=(width, high), radius=radius)
        number = theme.INKS["dark" if is_dark else "black"]
        four = theme.FOUR_COLOURS if ui.four_colours and kind in ("red", "black") else {}
        return four.get(card.suit or "" if card else "", theme.INKS[kind]), number

    def _draw_parts(self, thing: Thing, box: Box) -> None:
        """The strip at a card's foot: where it may be beside the place that is asked for."""
        sheet: ChanceSheet = self.sheet
        parts = [(cell[1], sheet.chance(*cell)) for cell in thing.cells[1:]]
        if not any(chance for _, chance in parts):
            return
        rim = dp(3)
        left, low, wide = box[0] + rim, box[1] + rim, box[2] - 2 * rim
        high, end = self._strip - rim, box[0] + rim + wide
        Color(*theme.PART)
        Rectangle(pos=(left, low), size=(wide, high))
        for column, chance in parts:
            own = min(wide * chance, end - left)
            Color(*self._colour_of(sheet, column))
            Rectangle(pos=(left, low), size=(own, high))
            if chance >= _LETTERED:
                short, x = sheet.initials[column], left + own / 2
                ink, room = theme.PLAYER_INK, own - 1
                self._put(short, x, low + high / 2, ink, size=_LETTERS, room=room)
            left += own

    def _draw_place(self, thing: Thing, box: Box) -> None:
        """A card that lies face down: its likeliest rank, over a bar for each."""
        left, bottom, width, height = box
        em, chance = self._em, self.sheet.chance(*thing.lead)
        ink = theme.PLAYER_INK if chance >= 1 else theme.INKS["dark"]
        Color(*(theme.CERTAIN if chance >= 1 else theme.BACK))
        RoundedRectangle(pos=(left, bottom), size=(width, height), radius=[dp(6)])
        rim, x = dp(4), left + width / 2
        number = " ".join(filter(None, (thing.text, self._marked(thing.cells))))
        at = left + rim + min(self._width(number, _LETTERS), width - 2 * rim) / 2
        self._put(number, at, bottom + height - em * 0.6, ink, size=_LETTERS, room=width - 2 * rim)
        rank = self.sheet.called(thing.lead[0])
        room = width - 2 * rim
        self._put(rank, x, bottom + height - em * 1.85, ink, size=_RANK, room=room)
        self._put(cell_text(chance), x, bottom + em * 1.75, ink, size=_NUMBER, room=room)
        Color(*ink)
        chances = [self.sheet.chance(*cell) for cell in thing.cells]
        each, high = room / len(chances), em * 0.85
        for k, one in enumerate(chances):
            tall = max(dp(1), high * one / (max(chances) or 1))
            Rectangle(pos=(left + rim + k * each, bottom + rim), size=(each * 0.8, tall))

    def _put(
        self,
        text: str,
        x: float,
        y: float,
        colour: Any,
        *,
        room: float,
        bold: bool = True,
        size: float = 0.9,
    ) -> None:
        """Writes a text in the middle of a place, smaller where it would be wider than its room."""
        Color(*colour)
        texture = self._text(text, bold=bold, size=size)
        share = min(1.0, room / max(1, texture.width))
        width, height = texture.width * share, texture.height * share
        left, bottom = round(x - width / 2), round(y - height / 2)
        Rectangle(texture=texture, size=(width, height), pos=(left, bottom))
        self.drawn.append((text, (left, bottom, left + width, bottom + height)))

    def _width(self, text: str, size: float = 0.9) -> float:
        return float(self._text(text, bold=True, size=size).width)

    def _note(self, thing: Thing) -> Texture:
        width = max(1, round(self._note_width))
        return self._text(thing.note, bold=False, size=0.75, text_size=(width, None))

    def _text(self, text: str, *, bold: bool, size: float, **more: Any) -> Texture:
        key = (text, bold, size, self._em, *more.values())
        if key not in self._textures:
            label = CoreLabel(text=text, font_size=self._em * size, bold=bold, **more)
            label.refresh()
            self._textures[key] = label.texture
        return self._textures[key]


class ChancePanel(Panel):
    """Chances under their title."""

    sheet = ObjectProperty(None, allownone=True)

    def __init__(
        self, sheet: ChanceSheet, marks: Mapping[str, str], colours: Sequence[Any] = theme.PLAYERS
    ) -> None:
        super().__init__(sheet=sheet)
        self.grid: ChanceGrid = self.ids.grid
        self.grid.colours, self.grid.marks = colours, dict(marks)


load_layout(__file__)
