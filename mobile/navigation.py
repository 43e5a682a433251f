"""Which screens there are, how one gets to each, and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kivy.app import App
from kivy.core.window import Window

from companion.core.game import Game
from mobile.android.device import keep_secret
from mobile.model import rulebook
from mobile.resources import texts
from mobile.services import AppServices
from mobile.widgets.presses import GUARD

if TYPE_CHECKING:
    from mobile.model.steps import Action
    from mobile.model.table import Table
    from vision.hands import Hand

#: Name → its module and class.
SCREENS = {
    "home": ("home", "HomeScreen"),
    "setup": ("setup", "SetupScreen"),
    "table": ("table", "TableScreen"),
    "row": ("row", "RowScreen"),
    "hand": ("hand_score", "HandScoreScreen"),
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


class NavigatingApp(App):
    """The app as far as screens are made and shown."""

    manager: Any

    def __init__(self, services: AppServices, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.services = services
        #: The screens that `back` leads to, the last one first to be gone back to.
        self._trail: list[str] = []
        #: Number of a table → whose notepad was looked at last there.
        self._looked: dict[int, int] = {}

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
        GUARD.changed()
        keep_secret(name in PRIVATE)
        # A match goes on while nobody touches the screen.
        Window.allow_screensaver = not trail_has_table(name, self._trail)
        if name == "table":
            self.screen("table").refresh()
        if name == "home" and not self.services.settings.welcomed:
            # A source was named at the first start, which led past the home screen.
            self.welcome()

    @property
    def is_in_match(self) -> bool:
        """Whether a match is open: on the screen, or below what is shown."""
        return trail_has_table(self.manager.current, self._trail)

    def back(self) -> None:
        """One step back."""
        if self.manager.current == "table":
            self.screen("table").leave()
            return
        if self.manager.current == "private" and self.screen("private").to_notepad():
            return
        self.go(self._trail[-1] if self._trail else "home")

    def open_settings(self, *_args: object) -> None:
        """Kivy's own settings panel stays shut; F1 leads to ours."""
        self.go("settings")

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

    def open_taking(self, taking: Any) -> None:
        """Teaches a deck, or measures the lens, before the camera in use."""
        screen = self.screen("taking")
        screen.open(taking, self.services.plain_eyes(self.source or self.settings.camera, taking))
        self.go("taking")

    def open_entry(self, due: Action, then: tuple[Action, ...] = ()) -> None:
        """Begins an entry of one player; `then` are other players' that follow it."""
        self.screen("private").open(self.screen("table"), due, then)
        self.go("private")

    def show_cards(self, take: Callable[[Hand], str], count: int) -> None:
        """Opens a camera for the cards that an entry asks for; the table's rests meanwhile.

        Args:
            take: see `mobile.widgets.hand_camera.HandCamera`.
            count: how many cards are asked for; 0 where any number will do.

        Raises:
            CompanionError: there is no such camera.
        """
        from mobile.card_readers import table_deck
        from mobile.widgets.hand_camera import HandCamera
        from vision.hands import HandReader

        screen = self.screen("table")
        eyes = self.services.eyes(screen.table, self.services.settings.camera, follow=False)
        screen.sleep()
        deck = table_deck(screen.table.game.info.decks)
        sheet = HandCamera(eyes, HandReader(None, deck, expected=count or None), take)
        sheet.bind(on_dismiss=lambda _sheet: screen.wake())
        sheet.open(animation=False)

    def open_own_entry(self, due: Action, who: Any) -> None:
        """Begins an entry of the player whose notepad is open, and comes back to that.

        Args:
            due: what is entered.
            who: the journal's proof that it is that player; None at a table that is not kept.
        """
        self.screen("private").open_from_notepad(self.screen("table"), due, who)
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
        self.screen("scores").open_history(self.services.journal)
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
        """The notepad of whoever looked last, else of whoever is waited for.

        The cover leads to everybody else's.
        """
        table = self.screen("table").table
        if table is not None:
            waiting = (seat for seat in table.guidance.waiting if seat is not None)
            self._open_pad(self._looked.get(table.number, next(waiting, 0)))

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


def trail_has_table(name: str, trail: list[str]) -> bool:
    """Whether a match is open: on the screen, or below what is shown."""
    return "table" in (name, *trail)
