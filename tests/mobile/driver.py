"""Drives the app in a real offscreen window by touches."""

import math
import random
import time
from contextlib import contextmanager
from pathlib import Path

from companion.core.events import private
from companion.core.registry import all_games, get_game
from companion.simulate import play_events
from mobile.tools.offscreen import OffscreenApp
from tests.companion.seating import fewest

SHOTS = Path(__file__).parents[2] / "build" / "shots"


class _Prompt:
    """Kivy's clock for scrolling views, which otherwise hand a touch on after a fifth of a second.

    They wait to see whether it is a double touch; the fingers here never mean one.
    """

    def __getattr__(self, name):
        from kivy.clock import Clock

        return getattr(Clock, name)

    def schedule_once(self, callback, timeout=0):
        from kivy.clock import Clock

        return Clock.schedule_once(callback, 0 if timeout == 0.2 else timeout)


class Driver(OffscreenApp):
    """A stage with fingers.

    Frames go by with input, clock and layout as fast as they can be made; only what is kept as a
    picture is drawn. Drawing in software takes as long as everything else together.
    """

    def __init__(self, app) -> None:
        from kivy.clock import Clock
        from kivy.uix import scrollview

        from mobile.widgets.presses import GUARD

        scrollview.Clock = _Prompt()
        #: The guard's time in seconds: the fingers here wait without waiting.
        self.now = 0.0
        GUARD.clock = lambda: self.now
        #: Decides where a second touch follows each that did something; None where none does.
        self.trembles: random.Random | None = None
        self.trembled = 0
        #: Touches so far; a swipe to what is not in sight counts as one.
        self.touches = 0
        Clock._max_fps = 0
        self._draw_nothing()
        super().__init__(app)

    @staticmethod
    def _draw_nothing() -> None:
        from kivy.core.window import Window

        Window.on_draw = Window.on_flip = lambda *_args: None

    @contextmanager
    def drawn(self):
        """Within it frames are drawn."""
        from kivy.core.window import Window

        del Window.on_draw, Window.on_flip
        try:
            yield
        finally:
            self._draw_nothing()

    def until(self, condition, seconds: float) -> bool:
        """Lets frames go by until something is so; False where it never was in that time."""

        def is_so() -> bool:
            if condition():
                return True
            time.sleep(0.002)  # for the threads that it waits for
            return False

        return super().until(is_so, seconds)

    def picture(self, path: Path) -> Path:
        """Writes the window as a PNG file."""
        with self.drawn():
            self.frames(2)
            return super().picture(path)

    def wait(self, condition, seconds: float = 120.0) -> None:
        """Draws frames until something is so; fails where it never is."""
        assert self.until(condition, seconds), f"it did not happen: {sorted(self.texts())}"

    def finger(self, x: float, y: float, after: float = 1.0):
        """A finger that comes down at a place of the window.

        Args:
            x: pixels from the left.
            y: pixels from below.
            after: seconds that the person has looked at what is shown.
        """
        from kivy.tests.common import UnitTestTouch

        from mobile.widgets.presses import GUARD

        if after >= 1:
            self.until(lambda: GUARD.since < math.inf, 2.0)
        self.now += after
        touch = UnitTestTouch(x, y)
        touch.touch_down()
        return touch

    def touch(self, widget) -> None:
        """Touches the middle of a widget as a finger does."""
        from kivy.uix.behaviors import ButtonBehavior

        assert not widget.disabled, "a disabled button"
        self.touches += 1
        x, y = widget.to_window(widget.center_x, widget.center_y)
        before = self.shown() if self.trembles is not None else None
        heard = []
        if isinstance(widget, ButtonBehavior):
            widget.fbind("on_release", lambda *_args: heard.append(True))
        touch = self.finger(x, y)
        self.frames(1)
        touch.touch_up()
        # A scrolling view hands a short touch on after a while only: it could be a swipe.
        if isinstance(widget, ButtonBehavior):
            self.until(lambda: bool(heard), 2.0)
        self.frames(3)
        if self.trembles is not None:
            self._touch_again(x, y, before)

    def shown(self):
        """What a touch may change: what is recorded, the screen, and the sheets over it."""
        screen = self.app.screen("table")
        log = 0 if screen.table is None else len(screen.table.referee.log)
        return log, self.app.manager.current, tuple(id(top) for top in self._tops()[:-1])

    def _touch_again(self, x: float, y: float, before) -> None:
        """Touches a second time, too soon: at the same place, or at any button's."""
        if self.shown() == before:
            return  # it has only chosen something
        buttons = [w for w in self._widgets() if hasattr(w, "on_release") and not w.disabled]
        if buttons and self.trembles.random() < 0.5:
            button = self.trembles.choice(buttons)
            x, y = button.to_window(*button.center)
        before = self.shown()
        touch = self.finger(x, y, after=self.trembles.uniform(0.05, 0.35))
        self.frames(1)
        touch.touch_up()
        self.frames(4)
        assert self.shown() == before, "a second touch has done something"
        self.trembled += 1

    def reach(self, widget) -> None:
        """Scrolls until a widget is in sight, then touches it."""
        from kivy.uix.scrollview import ScrollView

        parent = widget.parent
        while parent is not None and parent is not parent.parent:
            if isinstance(parent, ScrollView):
                self.frames(1)
                if parent.children[0].height > parent.height:
                    self.touches += not self._is_in_sight(widget, parent)
                    parent.scroll_to(widget, animate=False)
                    parent.scroll_y = min(1, max(0, parent.scroll_y))
                self.frames(1)
            parent = parent.parent
        self.touch(widget)

    def reach_twice(self, widget) -> None:
        """Touches a place, and 170 ms later once more."""
        parent = widget.parent  # the widget itself may be gone by then
        self.reach(widget)
        x, y = parent.to_window(*widget.center)
        touch = self.finger(x, y, after=0.17)
        self.frames(1)
        touch.touch_up()
        self.until(lambda: False, 0.5)  # a scrolling view hands a short touch on after a while

    @staticmethod
    def _parents(widget):
        """What a widget lies in, the nearest first."""
        while widget.parent is not None and widget.parent is not widget:
            widget = widget.parent
            yield widget

    @staticmethod
    def _is_in_sight(widget, view) -> bool:
        """Whether a widget's middle can be touched without scrolling."""
        _, y = widget.to_window(*widget.center)
        _, bottom = view.to_window(*view.pos)
        return bool(bottom <= y <= bottom + view.height)

    def hold(self, text: str, seconds: float, meanwhile) -> None:
        """Holds a button down, and looks at what is shown for as long as it is held."""
        self.frames(2)
        widget = self.find(text)
        touch = self.finger(*widget.to_window(*widget.center))
        self.touches += 1
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, seconds + 2)
        meanwhile()
        touch.touch_up()
        self.frames(8)

    def touch_cell(
        self, grid, row: str, column: str, seconds: float = 0.0, held=lambda: True
    ) -> None:
        """Touches a cell of a table of chances, or holds it for some seconds.

        Args:
            grid: the table.
            row: of the cell.
            column: of the cell.
            seconds: how long the finger stays at least.
            held: whether it has stayed long enough, on a machine that draws slowly.
        """
        left, bottom, width, height = grid.box_of((row, column))
        x, y = left + width / 2, bottom + height / 2
        assert grid.cell_at(x, y) == (row, column)
        page = next(w for w in self._parents(grid) if hasattr(w, "to_top"))
        hidden = page.children[0].height - page.height
        if hidden > 0:
            # The cell comes to the middle of the page, or as near as the page goes.
            off = page.to_window(*page.center)[1] - grid.to_window(x, y)[1]
            page.scroll_y = max(0.0, min(1.0, page.scroll_y - off / hidden))
            self.frames(2)
        touch = self.finger(*grid.to_window(x, y))
        self.touches += 1
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end and held(), seconds + 8)
        touch.touch_up()
        self.frames(8)

    @staticmethod
    def resize(width: int, height: int) -> None:
        """Gives the window another size, in pixels."""
        from kivy.core.window import Window

        Window.system_size = width, height

    def lose_focus(self) -> None:
        """Another window comes before the app's."""
        from kivy.core.window import Window

        Window._focus = True  # as SDL's events set it
        Window._focus = False
        self.frames(3)

    def open_table(
        self, name: str, names=("Ann", "Bo"), options=None, source=None, lines=(), **setup
    ):
        """Opens a table of a game and records lines; gives its screen."""
        game = get_game(name)
        self.app.open_table(game, game.setup(list(names), options, **setup), source)
        screen = self.app.screen("table")
        for line in lines:
            assert screen.do(line), screen.table.message
        self.frames(4)
        return screen

    def open_row(self, source=None, **setup):
        """Opens a table whose row waits for its first card: both predictions are written."""
        screen = self.open_table("precognition", source=source, **setup)
        for seat in (0, 1):
            screen.table.do(private(seat, "predict", "UD"))
        screen.refresh()
        return screen

    def matches(self, seed: int):
        """A table of each game, with what bots would do at it."""
        for game in all_games():
            names = fewest(game)
            screen = self.open_table(game.name, names)
            bots = [game.bots["sensible"]] * len(names)
            yield game, screen, play_events(screen.table.referee, bots, random.Random(seed))

    def moments(self, seed: int, counts):
        """The tables of `matches` after so many events each, with how many there were."""
        for game, screen, events in self.matches(seed):
            for count, event in enumerate(events):
                screen.table.do(event)
                if count in counts:
                    screen.refresh()
                    self.frames(4)
                    yield game, screen, count
                if count == max(counts):
                    break

    def find(self, text: str):
        """The widget in sight that shows a text, those on top first."""
        for widget in self._widgets():
            if getattr(widget, "text", None) == text:
                return widget
        raise AssertionError(f"nothing shows “{text}”: {sorted(self.texts())}")

    def texts(self) -> set[str]:
        """Every text in the window."""
        return {widget.text for widget in self._widgets() if getattr(widget, "text", "")}

    def tap(self, text: str) -> None:
        """Touches the widget that shows a text."""
        self.frames(2)  # what has just been shown has no place yet
        self.touch(self.find(text))

    def more(self, text: str) -> None:
        """Touches what the table keeps under “More”."""
        self.tap("More")
        self.reach(self.find(text))

    def tap_card(self, code: str) -> None:
        """Lays a card by hand: touches the row's free end, then the card."""
        from mobile.widgets.basic import FreePlace

        self.frames(2)
        place = next(w for w in self._widgets() if isinstance(w, FreePlace))
        self.reach(place)
        self.pick_card(code)

    def pick_card(self, code: str) -> None:
        """Touches a card in the grid in sight; one that lies there already twice."""
        picker = self._tops()[0]
        self.frames(2)
        key = next(key for key in picker.grid.keys if key.value.code == code)
        self.reach(key)
        if key.faded:
            self.reach(key)

    def shot(self, name: str) -> Path:
        """Keeps a picture of the window."""
        return self.picture(SHOTS / f"test-{name}.png")

    def _tops(self):
        from kivy.core.window import Window

        return list(Window.children)

    def _widgets(self):
        return [widget for top in self._tops() for widget in top.walk()]
