"""A monkey at the app: random touches and back-presses while a match with secrets is open.

After every touch the window is searched for cards, lines and notes that whoever holds the phone may
not know; an exception anywhere ends the run, and so does a place that back does not lead out of.
Layout follows every touch; drawing is done after some of them only, as it is nearly all the work.
"""

import random

from companion.core.referee import Referee
from companion.simulate import play_events
from mobile.screens.table import TableScreen
from mobile.widgets.basic import CardFace
from mobile.widgets.board import ZoneView
from tests.companion.seating import fewest

NOTE = "Zugzwang-Zebra"
#: So many touches lie between two frames that are drawn, and between two ways out by back alone.
DRAWN, OUT = 20, 100


class Monkey:
    """Touches a stage at random.

    Args:
        stage: the driver.
        game: which game is on the table.
        seed: decides everything.
    """

    def __init__(self, stage, game, seed=0) -> None:
        self.stage, self.game = stage, game
        self.rng = random.Random(seed)
        self.touches = self.tables = self.ways_out = 0
        self.seen: dict[str, int] = {}
        self._lines = (None, set())

    def run(self, count: int) -> None:
        """So many touches and back-presses, then out."""
        self.deal()
        for _ in range(count):
            self.step()
            self.check()
            if self.touches % DRAWN == 0:
                with self.stage.drawn():
                    self.stage.frames(1)
            if self.touches % OUT == 0:
                self.leave()
                print(f"{self.game.name}: {self.touches} touches", flush=True)
                self.deal()
        self.leave()

    def deal(self) -> None:
        """Opens a table in the middle of a match, with hands recorded and a sealed note."""
        names = fewest(self.game)
        setup = self.game.setup(names, trusted=bool(self.tables % 2))
        self.stage.app.open_table(self.game, setup, None)
        screen: TableScreen = self.stage.app.screen("table")
        referee = screen.table.referee
        bots = [self.game.bots["sensible"]] * len(names)
        wanted = self.rng.randrange(4, 25)
        for event in play_events(referee, bots, random.Random(self.rng.random())):
            referee.accept(event)
            wanted -= 1
            if wanted <= 0:
                break
        session = screen.table.session
        session.marks(session.unlock(0)).put("note", NOTE)
        screen.refresh()
        self.stage.frames(2)
        self.tables += 1

    def step(self) -> None:
        """One touch, or one press of back."""
        from kivy.core.window import Window

        app = self.stage.app
        self.seen[app.manager.current] = self.seen.get(app.manager.current, 0) + 1
        if self.rng.random() < 0.08:
            Window.dispatch("on_keyboard", 27, 41, "", [])
        else:
            x, y = self._where(Window)
            touch = self.stage.finger(x, y)
            if self.rng.random() < 0.15:
                touch.touch_move(x, y + self.rng.choice((-200, 200)))
            self.stage.frames(1)
            touch.touch_up()
        self.touches += 1
        self.stage.frames(3)
        if app.manager.current == "home" and self.rng.random() < 0.5:
            self.deal()

    def _where(self, window):
        """Mostly a button's middle, so that something happens; else anywhere."""
        buttons = [
            w
            for w in self.stage._widgets()
            if hasattr(w, "on_release") and not w.disabled and w.opacity
        ]
        if buttons and self.rng.random() < 0.8:
            widget = self.rng.choice(buttons)
            x, y = widget.to_window(*widget.center)
            if 0 < x < window.width and 0 < y < window.height:
                return x, y
        return self.rng.uniform(1, window.width - 1), self.rng.uniform(1, window.height - 1)

    def check(self) -> None:
        """Nothing is in sight that the one who holds the phone may not know."""
        from kivy.base import EventLoop

        assert not EventLoop.quit, "the app has ended"
        app = self.stage.app
        screen = app.screen("table")
        if screen.table is None:
            return
        holder = self._holder(app)
        shown = {
            face.card
            for zone in self.stage._widgets()
            if isinstance(zone, ZoneView)
            for face in zone.walk()
            if isinstance(face, CardFace) and face.card is not None
        }
        if app.manager.current in ("table", "notepad", "replay", "row"):
            known = self._known(screen.table, holder)
            secret = {card for card in shown if card.is_known} - known
            if app.manager.current == "replay":
                # It shows what was, of this match or of one gone by: a card may have been gathered
                # in since, or the end of the match, which turned it up, undone.
                referee = app.screen("replay").referee
                secret = secret and secret - self._ever_known(referee, holder)
            assert not secret, (app.manager.current, holder, secret)
        words = self.stage.texts()
        if holder != 0:
            assert not any(NOTE in text for text in words), app.manager.current
        told = [
            line for line in self._untold(screen.table, holder) if any(line in w for w in words)
        ]
        assert not told, (app.manager.current, holder, told)

    def _holder(self, app):
        """The seat that has said to hold the phone, None for anybody."""
        name = app.manager.current
        if name == "notepad":
            return app.screen("notepad")._seat
        if name == "replay":
            return app.screen("replay").viewer
        private = app.screen("private")
        if name == "private" and not private.covered and private._is_secret:
            return private._seat
        return None

    def _untold(self, table, holder):
        """Lines of the log that other seats may read in full and the holder may not."""
        referee = table.referee
        key = table.number, referee.stands, holder
        if self._lines[0] != key:
            views = [None, *range(len(table.setup.players))]
            lines = {seat: {line.text for line in referee.view(seat).log} for seat in views}
            self._lines = key, set().union(*lines.values()) - lines[holder]
        return self._lines[1]

    @staticmethod
    def _known(table, seat):
        zones = table.game.zones(table.referee.knowledge(seat))
        return {card for zone in zones for card in zone.cards if card.is_known}

    @staticmethod
    def _ever_known(referee, seat):
        """What the seat has known at any time: the match refereed again, line by line."""
        match = referee.match_text()
        referee = Referee(match.game, match.setup)
        known = set()
        for line in match.events:
            referee.submit_line(line)
            known |= {
                card
                for zone in match.game.zones(referee.knowledge(seat))
                for card in zone.cards
                if card.is_known
            }
        return known

    def leave(self) -> None:
        """Back leads out of wherever the monkey is."""
        from kivy.core.window import Window

        self.ways_out += 1
        for _ in range(14):
            before = self.stage.app.manager.current, self._sheets()
            if before == ("home", []):
                return
            Window.dispatch("on_keyboard", 27, 41, "", [])
            # A sheet takes a moment to close; people press again when nothing happens.
            self.stage.until(
                lambda was=before: (self.stage.app.manager.current, self._sheets()) != was, 0.5
            )
        raise AssertionError(f"a dead end: {self.stage.app.manager.current}")

    def _sheets(self):
        from kivy.core.window import Window

        from mobile.widgets.basic import Sheet

        return [child for child in Window.children if isinstance(child, Sheet)]
