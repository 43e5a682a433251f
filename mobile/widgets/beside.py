"""The table beside a page, where the window is wide enough: to be looked at, not played on.

A page for one player's eyes stays what it is: whoever touches the table leaves the page.
"""

from __future__ import annotations

from typing import Any

from kivy.metrics import dp
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from mobile.model.table import Table
from mobile.resources import texts
from mobile.widgets.basic import Column
from mobile.widgets.board import Board
from mobile.widgets.presses import GUARD
from mobile.widgets.ui import load_layout

#: From this width on, in dp, there is room for a table beside a page.
ROOM = 760


def has_room(width: float) -> bool:
    """Whether a window of this width, in pixels, has room for a table beside a page."""
    return width >= dp(ROOM)


class Untouched(Column):
    """What lies here is seen and not touched: a touch anywhere on it is one of the whole."""

    def __init__(self, **kwargs: Any) -> None:
        self.register_event_type("on_release")
        super().__init__(**kwargs)

    def on_touch_down(self, touch: Any) -> bool:
        """Keeps the touch from what lies here."""
        if not self.collide_point(*touch.pos) or touch.is_mouse_scrolling:
            return False
        touch.grab(self)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        """A swipe is the scrolling view's."""
        return touch.grab_current is self

    def on_touch_up(self, touch: Any) -> bool:
        """The touch is over."""
        if touch.grab_current is not self:
            return False
        touch.ungrab(self)
        if GUARD.counts(touch):
            self.dispatch("on_release")
        return True

    def on_release(self) -> None:
        """Somebody has touched it."""


class TableBeside(BoxLayout):
    """Headline, players and board as everybody sees them; the board's screen is this one.

    Args:
        table: the table.
        board: the game's own widget for it, not opened yet.
    """

    turn = StringProperty()
    over = BooleanProperty(False)

    def __init__(self, table: Table, board: Board) -> None:
        super().__init__()
        self.table, self._board = table, board
        board.open(table, self)
        self.ids.board.add_widget(board)

    def show(self, chips: list[Any]) -> None:
        """Shows the table as it stands now, with these players."""
        self.turn = texts.told(self.table.guidance.headline)
        self.over = self.table.state.table.match_over
        self.ids.chips.clear_widgets()
        for chip in chips:
            self.ids.chips.add_widget(chip)
        self._board.refresh()

    # -- what a board may ask for; nothing of it is begun here ---------------------------------

    moves = False

    def start(self, _action: object, _instead: object = ()) -> None:
        """Nothing is begun here."""

    def follow(self, box: Any) -> None:
        """Scrolls until the last thing in a box is in sight."""
        if box.children and box.get_root_window() is not None:
            self.ids.scroll.scroll_to(box.children[0], animate=False)


load_layout(__file__)
