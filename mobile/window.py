"""The Kivy application object. Importing this module opens the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.clock import Clock
from kivy.core.text import DEFAULT_FONT, LabelBase
from kivy.core.window import Window
from kivy.graphics import Rectangle
from kivy.properties import ObjectProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import NoTransition, ScreenManager

from companion.core.events import Event
from companion.core.game import Game
from companion.core.setup import Setup
from companion.errors import CompanionError
from mobile.android.device import insets
from mobile.environment import give_back_memory
from mobile.model.settings import Settings
from mobile.navigation import PRIVATE, NavigatingApp
from mobile.resources import texts
from mobile.services import DEMO, AppServices
from mobile.widgets.basic import Sheet
from mobile.widgets.presses import GUARD
from mobile.widgets.ui import Ui

if TYPE_CHECKING:
    from mobile.model.table import Table

#: The one typeface, which has suits, arrows and signs; Kivy's own has none to fall back to.
FONTS = Path(__file__).parent / "resources" / "fonts"
#: Seconds between two times that freed memory is handed back.
TIDIED = 1


class CompanionApp(NavigatingApp):
    """The app on its window: what is opened, kept, covered and let go of."""

    ui = ObjectProperty()

    def __init__(self, services: AppServices, **kwargs: Any) -> None:
        super().__init__(services, **kwargs)
        #: The strip of a first match that is being played.
        self._lessons: Any = None
        texts.use(services.settings.language)
        self.title = texts.APP
        self.ui = Ui()
        self.ui.follow(services.settings)

    @property
    def settings(self) -> Settings:
        """The user's choices."""
        return self.services.settings

    @property
    def source(self) -> str | None:
        """The source that was named on the command line; the demo's clip is for the demo alone."""
        return None if self.services.source == DEMO else self.services.source

    def build(self) -> BoxLayout:
        """Makes the screens; the first one follows from the source that was named."""
        # Plain colours are drawn through Kivy's white texture: blending its pixels would make
        # large frames a quarter dearer where the processor draws.
        white = Rectangle().texture
        white.min_filter = white.mag_filter = "nearest"
        self.manager = ScreenManager(transition=NoTransition())
        # It cuts off screens that slide. Ours do not, and each point would be tested while drawn.
        self.manager.canvas.before.clear()
        self.manager.canvas.after.clear()
        self._fill()
        self._paint()
        self.ui.bind(ground=lambda *_args: self._paint())
        # A keyboard that comes up pushes the line above it, so that no button is covered.
        Window.softinput_mode = "below_target"
        GUARD.watch()
        Window.bind(on_keyboard=self._on_key, focus=self._on_focus, on_minimize=self._hide)
        root = BoxLayout(orientation="vertical", padding=insets())
        root.add_widget(self.manager)
        # The bars move when the device is turned, and are known late.
        Window.bind(on_resize=lambda *_args: self._keep_clear(root))
        Clock.schedule_once(lambda _dt: self._keep_clear(root), 0)
        return root

    @staticmethod
    def _keep_clear(root: BoxLayout) -> None:
        root.padding = insets()

    def _fill(self) -> None:
        self._trail.clear()
        self.screen("home")

    def on_start(self) -> None:
        """Opens the table of the source that was named."""
        # Some seconds into a match the heap grows by tens of megabytes, most of them free again.
        Clock.schedule_interval(lambda _dt: give_back_memory(), TIDIED)
        if self.services.source is None and not self.settings.welcomed:
            self.welcome()
        if self.services.source == DEMO:
            self.open_demo()
        elif self.source is not None:
            table = self.services.first_table()
            self.open_table(table.game, table.setup, self.source)

    def on_stop(self) -> None:
        """Lets go of the camera and of the journal."""
        self._rest()
        self.services.close()

    def _rest(self) -> None:
        """Lets go of the camera, where a table has been opened at all."""
        if self.manager.has_screen("table"):
            self.screen("table").close()

    def on_pause(self) -> bool:
        """A phone takes the app off the screen: nothing private stays on it, no camera runs."""
        self._hide()
        if self.manager.has_screen("table"):
            self.screen("table").sleep()
        if self.manager.current in ("camera", "taking"):
            self.screen("camera").sleep()
            self.screen("taking").close()
        return True

    def on_resume(self) -> None:
        """It is back on the screen."""
        if self.manager.has_screen("table"):
            self.screen("table").wake()
        if self.manager.current == "camera":
            self.screen("camera").wake()

    def change(self, settings: Settings) -> None:
        """Takes over other settings."""
        other_language = settings.language != self.settings.language
        self.services.change(settings)
        self.ui.follow(settings)
        if other_language:
            self._speak(settings.language)

    def _speak(self, language: str) -> None:
        """Says everything in another language: the screens are made anew."""
        texts.use(language)
        self._rest()
        now = self.manager.current
        self.manager.clear_widgets()
        self._fill()
        self.go("home")
        if now in ("settings", "camera"):
            self.go(now)

    def open_demo(self) -> None:
        """Plays the bundled clip."""
        self._open(self.services.demo_table(), DEMO)

    def open_first_match(self) -> None:
        """A first match: a strip says what to do next; nothing of it is kept."""
        from mobile.model import demo_script
        from mobile.model.first_match import FirstMatch
        from mobile.screens.lessons import LessonStrip

        self.leave_first_match()
        self._rest()
        first = FirstMatch(demo_script.load())
        self._lessons = LessonStrip(first)
        self._open(first.table, None)
        self.root.add_widget(self._lessons, index=len(self.root.children))
        self._lessons.begin()

    def look_at_lesson(self) -> None:
        """Lets the first match look at once what the person has done."""
        if self._lessons is not None:
            self._lessons.look()

    def is_in_lesson(self, table: Table) -> bool:
        """Whether a table is that of a first match which is being played."""
        return self._lessons is not None and self._lessons.first.table is table

    def lights_steps(self, table: Table) -> bool:
        """Whether what play waits for is lit: not while the lesson asks for something else."""
        return not (self.is_in_lesson(table) and self._lessons.first.goes_back_and_forth)

    def leave_first_match(self) -> None:
        """Takes the strip of the first match away."""
        if self._lessons is not None:
            self._lessons.end()
            self.root.remove_widget(self._lessons)
            self._lessons = None

    def open_table(
        self,
        game: Game[Any],
        setup: Setup,
        source: str | None,
        *,
        deck: str = "",
        begin: Event | None = None,
    ) -> None:
        """Opens a table, with eyes on a deck where a source is named.

        Args:
            game: the game.
            setup: its settings.
            source: what the eyes look at; None plays without a camera.
            deck: which deck lies on the table.
            begin: what the session begins with, where the set-up has asked for it.
        """
        table = self.services.new_table(game, setup)
        if begin is not None:
            table.do(begin)
        table.deck = deck or game.info.decks[0]
        self.services.meet(setup.players)
        self.services.remember(table, camera=source is not None)
        self._open(table, source)

    def continue_session(self, number: int) -> None:
        """Goes on with a match that was kept, where it was left."""
        try:
            table = self.services.resumed(number)
        except CompanionError as error:
            self.screen("home").message = texts.told(error.message)
            return
        watched = self.services.watched(number)
        if watched.deck in table.game.info.decks:
            table.deck = watched.deck
        self._open(table, self.source or (self.settings.camera if watched.camera else None))

    def eyes(self, table: Table, source: str | None) -> Any:
        """Eyes on a source; None where there is none, and the table's message says why."""
        if source is None:
            return None
        try:
            return self.services.eyes(table, source)
        except CompanionError as error:
            table.message = texts.told(error.message)
            return None

    def _open(self, table: Table, source: str | None) -> None:
        screen = self.screen("table")
        screen.open(table, self.eyes(table, source), source)
        self.go("table")

    def _paint(self) -> None:
        Window.clearcolor = self.ui.ground

    def _on_focus(self, _window: object, focused: bool) -> None:
        if not focused:
            self._hide()

    def _hide(self, *_args: object) -> None:
        if self.manager.current in PRIVATE:
            # A question that is asked there may say what is secret.
            for sheet in [child for child in Window.children if isinstance(child, Sheet)]:
                sheet.dismiss(animation=False)
            self.screen(self.manager.current).cover()

    def _on_key(self, _window: object, key: int, *_args: object) -> bool:
        """Escape, and Android's back: one step back; from the home screen out of the app."""
        if key != 27:
            return False
        sheets = [child for child in Window.children if isinstance(child, Sheet)]
        if sheets:
            sheets[0].dismiss(animation=False)
            return True
        if self.manager.current == "home":
            return False
        self.back()
        return True


def make_window_app(services: AppServices) -> CompanionApp:
    """The app on a window.

    Raises:
        CompanionError: there is no screen to open a window on.
    """
    if Window is None:
        raise CompanionError(
            "No window can be opened here: there is no screen, or no OpenGL (companion doctor "
            "says more). Use the commands in the terminal, e.g. companion demo --terminal."
        )
    regular, bold = (str(FONTS / f"CompanionSans-{style}.ttf") for style in ("Regular", "Bold"))
    for name in (DEFAULT_FONT, "Symbols"):
        LabelBase.register(name, regular, None, bold)
    return CompanionApp(services)
