"""Row: all cards of the row, large, to check and to mend; or read at once by panning along it."""

from __future__ import annotations

from typing import Any

from kivy.app import App
from kivy.properties import BooleanProperty, StringProperty

from companion.errors import CompanionError
from mobile.model.camera_worker import FrameReport
from mobile.model.sweep import RowSweep
from mobile.resources import texts
from mobile.screens.table import TableScreen
from mobile.screens.watching import WatchingScreen
from mobile.widgets.basic import CardFace
from mobile.widgets.camera import CameraView  # noqa: F401 - the .kv uses it
from mobile.widgets.ui import load_layout


class RowScreen(WatchingScreen):
    """The row of a table."""

    lead = StringProperty()
    message = StringProperty()
    is_reading = BooleanProperty(False)
    has_result = BooleanProperty(False)

    _screen: TableScreen | None = None
    _own_eyes = False
    _sweep: RowSweep | None = None

    def open(self, screen: TableScreen) -> None:
        """Shows the row of the table that is open."""
        self._screen = screen
        self.message = ""
        self._sweep = None
        self.has_result = False
        self.refresh()

    def refresh(self) -> None:
        """Draws the row as it stands, or as it was read."""
        screen = self._screen
        if screen is None or screen.table is None or screen.board is None:
            return
        box = self.ids.row
        box.clear_widgets()
        sweep = self._sweep
        if sweep is not None:
            for place, card in enumerate(sweep.row):
                box.add_widget(CardFace(card=card, doubtful=place in sweep.doubtful))
            self.lead = texts.ROW_READ.format(n=len(sweep.row), doubtful=len(sweep.doubtful))
            self.has_result = bool(sweep.row) and not self.is_reading
            return
        screen.board.draw_row(box, self)
        row = next(z for z in screen.table.zones if z.name == screen.table.watched_zone)
        self.lead = texts.ROW_OF.format(n=len(row.cards))
        self.message = screen.table.message

    # -- what the table's screen offers to a board's widgets ---------------------------------

    @property
    def table(self) -> Any:
        """The table whose row is shown."""
        return self._screen.table if self._screen is not None else None

    def pick(self, chosen: Any) -> None:
        """Asks for a card; what is done with it is `chosen`'s."""
        if self._screen is not None:

            def take(card: Any) -> None:
                chosen(card)
                self.refresh()

            self._screen.pick(take)

    # -- reading the row at once -------------------------------------------------------------

    def read(self) -> None:
        """Begins to read the row; touched again, ends it."""
        if self.is_reading:
            self.stop()
            self.refresh()
            return
        screen = self._screen
        if screen is None or screen.table is None:
            return
        self._sweep = RowSweep(screen.table)
        self._own_eyes = screen.eyes is None
        eyes = screen.eyes
        if eyes is None:
            app = App.get_running_app()
            try:
                eyes = app.services.eyes(screen.table, app.source or "camera", follow=False)
            except CompanionError as error:
                self.message, self._sweep = texts.told(error.message), None
                return
        self.is_reading, self.has_result = True, False
        self.message = texts.PAN_ALONG
        self.watch(eyes, screen.table.stamp if self._own_eyes else None)

    def stop(self) -> None:
        """Ends reading and lets go of the camera if it was opened for this."""
        if not self._own_eyes:
            self.eyes = None
        self.close()
        self.is_reading = False
        self.ids.camera.clear()

    def take(self) -> None:
        """Records the row that was read."""
        sweep, screen = self._sweep, self._screen
        if sweep is None or screen is None or screen.table is None:
            return
        done = sweep.take()
        self.message = "" if done else screen.table.message or texts.ROW_EMPTY
        screen.table.message = ""
        if done:
            self._sweep, self.has_result = None, False
        screen.refresh()
        self.refresh()

    def undo(self) -> None:
        """Drops what was read; else takes back the last event."""
        if self._sweep is not None:
            self.stop()
            self._sweep, self.has_result, self.message = None, False, ""
        elif self._screen is not None:
            self._screen.undo()
        self.refresh()

    def on_leave(self, *_args: object) -> None:
        """Nothing goes on unseen."""
        self.stop()

    def _tick(self, dt: float) -> None:
        """Ends with the film."""
        super()._tick(dt)
        if self.eyes is not None and self.eyes.ended:
            self.stop()
            self.message = ""
            self.refresh()

    def failed(self, why: str) -> None:
        """Reads no further."""
        self._sweep = None
        self.stop()
        self.refresh()
        self.message = why

    def seen(self, look: FrameReport) -> None:
        """Adds what was read to the row."""
        if self._sweep is not None:
            self._sweep.add(look)
            self.refresh()


load_layout(__file__)
