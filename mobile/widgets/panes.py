"""Where things stand: the table's three parts, and panels in one column or two."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty
from kivy.uix.layout import Layout

from mobile.widgets.basic import Chip, Column, Words

#: The board keeps at least this share of the window's height.
_BOARD = 0.34
#: And the head this height, in dp: what is going on, and the players.
_HEAD = 92
#: And on a wide window this share of its width.
_WIDE = 0.56
#: From this width on, in dp, panels stand in two columns.
_TWO = 720


class Panes(Layout):
    """Head, board, foot and bar below each other; on a wide window the board beside the others.

    Head and foot are scrolling views whose content says how high they want to be; the bar says it.
    """

    mirrored = BooleanProperty(False)
    gap = NumericProperty(0)
    #: The height that the head may have at most.
    head_room = NumericProperty(0)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._arrange = Clock.create_trigger(self.do_layout, -1)
        for name in ("pos", "size", "mirrored", "children"):
            self.fbind(name, self._arrange)

    def on_kv_post(self, _base: object) -> None:
        """The parts are there: follows the height that each wants."""
        self.children[0].fbind("height", self._arrange)
        for part in self.children[1:]:
            for content in part.children:
                content.fbind("height", self._arrange)

    def do_layout(self, *_args: object) -> None:
        """Gives each part its place."""
        if len(self.children) != 4:
            return
        head, board, foot, bar = reversed(self.children)
        if self.width > self.height:
            self._side_by_side(head, board, foot, bar)
        else:
            self._stacked(head, board, foot, bar)

    def _stacked(self, head: Any, board: Any, foot: Any, bar: Any) -> None:
        free = self.height * (1 - _BOARD) - 2 * self.gap - bar.height
        low = min(_wanted(foot), max(free * 0.7, free - dp(_HEAD)))
        self.head_room = free - low
        high = _wanted(head)
        if high > self.head_room:
            high = _whole_lines(head, self.head_room)
            low = min(_wanted(foot), free - high)  # a part of a line is more use there
        self._put(bar, self.x, self.y, self.width, bar.height)
        self._put(foot, self.x, self.y + bar.height, self.width, low)
        self._put(head, self.x, self.top - high, self.width, high)
        low += bar.height
        middle = self.height - low - high - 2 * self.gap
        self._put(board, self.x, self.y + low + self.gap, self.width, middle)

    def _side_by_side(self, head: Any, board: Any, foot: Any, bar: Any) -> None:
        wide = self.width * _WIDE
        rest = self.width - wide - self.gap
        left = self.x + (rest + self.gap if self.mirrored else 0)
        right = self.x + (0 if self.mirrored else wide + self.gap)
        low = min(_wanted(foot), self.height * 0.65)
        self._put(board, left, self.y, wide, self.height)
        self._put(bar, right, self.y, rest, bar.height)
        self._put(foot, right, self.y + bar.height, rest, low)
        low += bar.height
        self.head_room = self.height - low - self.gap
        self._put(head, right, self.y + low + self.gap, rest, self.head_room)

    @staticmethod
    def _put(widget: Any, x: float, y: float, width: float, height: float) -> None:
        widget.pos, widget.size = (x, y), (max(1, width), max(1, height))


class Newest(Column):
    """As many of the newest lines as there is room for, each whole."""

    #: Gives them, the newest first; asked only where there is room.
    tell = ObjectProperty(None, allownone=True)
    #: The height that they may have.
    room = NumericProperty(0)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._show = Clock.create_trigger(self._fill, -1)
        for name in ("tell", "room", "width"):
            self.fbind(name, self._show)

    def _fill(self, *_args: object) -> None:
        self.clear_widgets()
        left = self.room
        for line in self.tell() if self.tell and left > 0 else ():
            words = Words(text=line, tone="muted", width=self.width)
            words.texture_update()
            left -= words.height + self.spacing
            if left < 0:
                break
            self.add_widget(words)


class Columns(Layout):
    """Panels below each other; on a wide window in two columns, each under the shorter one."""

    minimum_height = NumericProperty(0)
    spacing = NumericProperty(0)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._arrange = Clock.create_trigger(self.do_layout, -1)
        for name in ("pos", "size", "children", "spacing"):
            self.fbind(name, self._arrange)

    def add_widget(self, widget: Any, *args: Any, **kwargs: Any) -> None:
        """A panel more, whose height is followed."""
        widget.fbind("height", self._arrange)
        super().add_widget(widget, *args, **kwargs)

    def remove_widget(self, widget: Any, *args: Any, **kwargs: Any) -> None:
        """A panel less."""
        widget.funbind("height", self._arrange)
        super().remove_widget(widget, *args, **kwargs)

    def do_layout(self, *_args: object) -> None:
        """Gives each panel its place, in reading order from the top."""
        count = 2 if self.width >= dp(_TWO) else 1
        wide = max(1.0, (self.width - (count - 1) * self.spacing) / count)
        depths = [0.0] * count
        for panel in reversed(self.children):
            column = depths.index(min(depths))
            panel.width = wide
            panel.x = self.x + column * (wide + self.spacing)
            panel.top = self.top - depths[column]
            if panel.height:
                depths[column] += panel.height + self.spacing
        self.minimum_height = max(0.0, max(depths) - self.spacing)


def _whole_lines(part: Any, room: float) -> float:
    """The height up to which a part shows whole lines only; the rest is scrolled to."""
    for content in part.children:
        for words in content.walk(restrict=True):
            above = content.top - getattr(words, "top", 0)
            if isinstance(words, Words | Chip) and above < room < above + words.height:
                line = float(words._label.get_extents("A")[1]) if isinstance(words, Words) else room
                room = above + (room - above) // line * line
    return room


def _wanted(part: Any) -> float:
    return float(sum(content.height for content in part.children))
