"""The Kivy application object. Importing this module opens the window."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.text import DEFAULT_FONT, LabelBase
from kivy.core.window import Window
from kivy.properties import ObjectProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import NoTransition, ScreenManager

from companion.core.events import Event
from companion.core.game import Game
from companion.core.setup import Setup
from companion.errors import CompanionError
from mobile.android.device import insets, keep_secret
from mobile.environment import give_back_memory
from mobile.model import rulebook
from mobile.model.settings import Settings
from mobile.parts import DEMO, AppParts
from mobile.resources import texts
from mobile.widgets.basic import Sheet
from mobile.widgets.ui import Ui

if TYPE_CHECKING:
    from mobile.model.steps import Action
    from mobile.model.table import Table

#: The one typeface, which has suits, arrows and signs; Kivy's own has none to fall back to.
FONTS = Path(__file__).parent / "resources" / "fonts"
#: Seconds between two times that freed memory is handed back.
TIDIED = 1


#: Name → its module and class.
SCREENS = {
    "home": ("home", "HomeScreen"),
    "setup": ("setup", "SetupScreen"),
    "table": ("table", "TableScreen"),
    "row": ("row", "RowScreen"),
    "private": ("private", "PrivateScreen"),
    "notepad": ("notepad", "NotepadScreen"),
    "scores": ("scores", "ScoresScreen"),
    "replay": ("replay", "ReplayScreen"),
    "camera": ("camera", "CameraScreen"),
    "taking": ("taking", "TakingScreen"),
    "settings": ("settings", "SettingsScreen"),
    "people": ("people", "PeopleScreen"),
    "person": ("people", "PersonScreen"),
}

#: Screens that may show what one player alone may see.
PRIVATE = ("private", "replay", "notepad")


class CompanionApp(App):
    """Screens and who may go where."""

    ui = ObjectProperty()

    def __init__(self, parts: AppParts, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.parts = parts
        #: Number of a table → whose notepad was looked at last there.
        self._looked: dict[int, int] = {}
        #: The strip of a first match that is being played.
        self._lessons: Any = None
        texts.use(parts.settings.language)
        self.title = texts.APP
        self.ui = Ui()
        self.ui.follow(parts.settings)

    @property
    def settings(self) -> Settings:
        """The user's choices."""
        return self.parts.settings

    @property
    def source(self) -> str | None:
        """The source that was named on the command line; the demo's clip is for the demo alone."""
        return None if self.parts.source == DEMO else self.parts.source

    def build(self) -> BoxLayout:
        """Makes the screens; the first one follows from the source that was named."""
        self.manager = ScreenManager(transition=NoTransition())
        self._fill()
        self._paint()
        self.ui.bind(ground=lambda *_args: self._paint())
        # A keyboard that comes up pushes the line above it, so that no button is covered.
        Window.softinput_mode = "below_target"
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
        """Puts the first screen into the manager, in the language in use."""
        self._trail: list[str] = []
        self.screen("home")

    def on_start(self) -> None:
        """Opens the table of the source that was named."""
        # Some seconds into a match the heap grows by tens of megabytes, most of them free again.
        Clock.schedule_interval(lambda _dt: give_back_memory(), TIDIED)
        if self.parts.source is None and not self.settings.welcomed:
            self.welcome()
        if self.parts.source == DEMO:
            self.open_demo()
        elif self.source is not None:
            table = self.parts.first_table()
            self.open_table(table.game, table.setup, self.source)

    def on_stop(self) -> None:
        """Lets go of the camera and of the journal."""
        self._rest()
        self.parts.close()

    def _rest(self) -> None:
        """Lets go of the camera, where a table has been opened at all."""
        if self.manager.has_screen("table"):
            self.screen("table").close()

    def open_settings(self, *_args: object) -> None:
        """Kivy's own settings panel stays shut; F1 leads to ours."""
        self.go("settings")

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

    def screen(self, name: str) -> Any:
        """A screen by name, made when it is first asked for: the app is there sooner."""
        if not self.manager.has_screen(name):
            module, kind = SCREENS[name]
            made = getattr(import_module(f"mobile.screens.{module}"), kind)
            self.manager.add_widget(made(name=name))
        return self.manager.get_screen(name)

    def go(self, name: str) -> None:
        """Shows a screen; `back` leads to the one before it, from the home screen nowhere."""
        now = self.manager.current
        if name == "home":
            self._trail.clear()
        elif name in self._trail:
            del self._trail[self._trail.index(name) :]
        elif now != name:
            self._trail.append(now)
        self.screen(name)
        self.manager.current = name
        keep_secret(name in PRIVATE)
        # A match goes on while nobody touches the screen.
        Window.allow_screensaver = not trail_has_table(name, self._trail)
        if name == "table":
            self.screen("table").refresh()

    @property
    def is_in_match(self) -> bool:
        """Whether a match is open: on the screen, or below what is shown."""
        return trail_has_table(self.manager.current, self._trail)

    def back(self) -> None:
        """One step back."""
        if self.manager.current == "table":
            self.screen("table").leave()
            return
        self.go(self._trail[-1] if self._trail else "home")

    def change(self, settings: Settings) -> None:
        """Takes over other settings."""
        other_language = settings.language != self.settings.language
        self.parts.change(settings)
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

    def welcome(self) -> None:
        """Explains the app in three cards."""
        from mobile.screens.welcome import WelcomeSheet

        WelcomeSheet().open(animation=False)

    @staticmethod
    def has_rules(game: Game[Any]) -> bool:
        """Whether the app can tell a game's rules."""
        return bool(rulebook.pages(game.name, game.family))

    @staticmethod
    def open_rules(game: Game[Any]) -> None:
        """Shows a game's rules over what is shown now."""
        from mobile.screens.rules import RulesSheet

        RulesSheet(game).open(animation=False)

    def open_setup(self, game: Game[Any]) -> None:
        """Asks for a game's settings."""
        self.screen("setup").open(game)
        self.go("setup")

    def open_demo(self) -> None:
        """Plays the bundled clip."""
        self._open(self.parts.demo_table(), DEMO)

    def open_first_match(self) -> None:
        """A first match: a strip says what to do next; nothing of it is kept."""
        from mobile.model import demo_script
        from mobile.model.first_match import FirstMatch
        from mobile.screens.lessons import LessonStrip

        self.leave_first_match()
        self._rest()
        first = FirstMatch(demo_script.load())
        self._open(first.table, None)
        self._lessons = LessonStrip(first)
        self.root.add_widget(self._lessons, index=len(self.root.children))
        self._lessons.begin()

    def look_at_lesson(self) -> None:
        """Lets the first match look at once what the person has done."""
        if self._lessons is not None:
            self._lessons.look()

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
        table = self.parts.new_table(game, setup)
        if begin is not None:
            table.do(begin)
        table.deck = deck or game.info.decks[0]
        self.parts.meet(setup.players)
        self.parts.remember(table, camera=source is not None)
        self._open(table, source)

    def continue_session(self, number: int) -> None:
        """Goes on with a match that was kept, where it was left."""
        try:
            table = self.parts.resumed(number)
        except CompanionError as error:
            self.screen("home").message = texts.told(error.message)
            return
        watched = self.parts.watched(number)
        if watched.deck in table.game.info.decks:
            table.deck = watched.deck
        self._open(table, self.source or (self.settings.camera if watched.camera else None))

    def open_taking(self, taking: Any) -> None:
        """Teaches a deck, or measures the lens, before the camera in use."""
        screen = self.screen("taking")
        screen.open(taking, self.parts.plain_eyes(self.source or self.settings.camera, taking))
        self.go("taking")

    def open_entry(self, due: Action) -> None:
        """Begins an entry of one player."""
        self.screen("private").open(self.screen("table"), due)
        self.go("private")

    def open_scores(self) -> None:
        """Shows the scores of the table that is open."""
        self.screen("scores").open(self.screen("table").table)
        self.go("scores")

    def open_replay(self, table: Table | None = None) -> None:
        """Shows a match step by step: that of the table that is open, or another."""
        here = self.screen("table").table
        shown = table or here
        # Seats are unlocked at the table that is open only.
        seats = tuple(range(len(shown.setup.players))) if shown is here else ()
        self.screen("replay").open(shown.referee, seats=seats)
        self.go("replay")

    def open_history(self) -> None:
        """Shows the matches that were kept, and who won how many."""
        self.screen("scores").open_history(self.parts.journal)
        self.go("scores")

    def open_person(self, name: str) -> None:
        """Shows one person's name, colour and statistics."""
        self.screen("person").open(name)
        self.go("person")

    def open_row(self) -> None:
        """Shows the row of the table that is open."""
        self.screen("row").open(self.screen("table"))
        self.go("row")

    def private_places(self) -> list[tuple[str, Any]]:
        """Screens for one player alone, each with its title."""
        table = self.screen("table").table
        if table is None:
            return []

        return [
            (texts.NOTEPAD.format(name=name), partial(self._open_pad, seat))
            for seat, name in enumerate(table.setup.players)
        ]

    def open_notepads(self) -> None:
        """The notepad of whoever looked last; the cover leads to everybody else's."""
        table = self.screen("table").table
        if table is not None:
            seat = self._looked.get(table.number, 0)
            self._open_pad(seat)

    def _open_pad(self, seat: int) -> None:
        """A player's notepad, behind that player's cover."""
        private = self.screen("private")
        self.unlock(seat, lambda who: self.open_notepad(seat, who))
        private.offer_others(self._open_pad)

    def open_notepad(self, seat: int, who: Any) -> None:
        """Shows the notepad of a player who has shown who they are."""
        self._looked[self.screen("table").table.number] = seat
        self.screen("notepad").open(self.screen("table").table, seat, who)
        self.go("notepad")

    def unlock(self, seat: int, then: Any) -> None:
        """Asks for the player of a seat, behind a cover and a PIN.

        Args:
            seat: whose.
            then: called with the journal's proof (None where nothing is kept) when it is them.
        """
        self.screen("private").guard(self.screen("table"), seat, then)
        self.go("private")

    def type_secretly(self, seat: int) -> None:
        """A typed line that one player alone may read, behind that player's cover."""
        self.unlock(seat, lambda who: self._type_secretly(seat, who))

    def _type_secretly(self, seat: int, who: Any) -> None:
        if who is not None:
            who.lock()
        self.screen("private").type_line(self.screen("table"), seat)
        self.go("private")

    def eyes(self, table: Table, source: str | None) -> Any:
        """Eyes on a source; None where there is none, and the table's message says why."""
        if source is None:
            return None
        try:
            return self.parts.eyes(table, source)
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
        """Covers a private screen."""
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


def trail_has_table(name: str, trail: list[str]) -> bool:
    """Whether a match is open: on the screen, or below what is shown."""
    return "table" in (name, *trail)


def make_window_app(parts: AppParts) -> CompanionApp:
    """The app on a window.

    Raises:
        CompanionError: there is no screen to open a window on.
    """
    if Window is None:
        raise CompanionError(
            "No window can be opened here: there is no screen, or no OpenGL (companion doctor "
            "says more). Use the commands in the terminal, e.g. companion demo --terminal."
        )
    regular, bold = (str(FONTS / f"DejaVuSansCondensed{name}.ttf") for name in ("", "-Bold"))
    for name in (DEFAULT_FONT, "Symbols"):
        LabelBase.register(name, regular, None, bold)
    return CompanionApp(parts)
