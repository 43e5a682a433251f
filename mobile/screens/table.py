"""The table: camera on top, what was seen as a proposal, whose turn, the game's own board."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import BooleanProperty, StringProperty

from companion.cards import Card, Family, family_cards
from companion.core.events import DISCLOSE, Event
from companion.core.notation import is_private_line, reader_of
from companion.core.verb import REVEAL
from companion.errors import CompanionError
from mobile import camera_check, speech, texts
from mobile.actions import Action, needs_nothing
from mobile.eyes import Eyes, Look
from mobile.screens.watching import FRAMES_A_SECOND, WatchingScreen
from mobile.table import Pending, Table
from mobile.widgets.basic import Act, Sheet, Words, ask, card_name
from mobile.widgets.board import Board, action_title
from mobile.widgets.camera import CameraView, Place  # noqa: F401 - the .kv uses the view
from mobile.widgets.picker import CardPicker

#: So many cards must all stand on their heads before the picture is said to be upside down.
UPSIDE_DOWN = 2
LINES_A_LABEL = 20


class LogSheet(Sheet):
    """Every line that everybody may read.

    Args:
        lines: the newest first.
    """

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        # One long label would not fit a texture.
        for start in range(0, len(lines), LINES_A_LABEL):
            part = "\n".join(lines[start : start + LINES_A_LABEL])
            self.ids.lines.add_widget(Words(text=part))


class MoreSheet(Sheet):
    """Everything that is not needed all the time.

    Args:
        screen: the table's screen.
    """

    error = StringProperty()
    example = StringProperty()

    def __init__(self, screen: TableScreen) -> None:
        super().__init__()
        self._screen = screen
        table = screen.table
        assert table is not None
        for text, go in screen.places():
            self._button(self.ids.places, text, go)
        for action in table.others():
            text = action_title(table, action)
            if action.seat is None:  # what the table agrees on says nothing by its name alone
                text += "\n" + texts.tr(table.game.verbs[action.verb].explain)
            button = self._button(self.ids.others, text, lambda a=action: screen.start(a))
            button.action = action
        self.example = f"{table.setup.players[0]}: …"

    def watch(self, line: str) -> None:
        """A line that only one player may read is typed on behind that player's cover."""
        table = self._screen.table
        if table is None or not is_private_line(line):
            return
        try:
            seat = reader_of(table.setup, f"{line.split('*', maxsplit=1)[0]}*:")
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        self.ids.line.text = ""
        self.dismiss(animation=False)
        App.get_running_app().type_secretly(seat)

    def record(self, line: str) -> None:
        """Records a typed line, or says why not."""
        table = self._screen.table
        if table is None or not line.strip():
            return
        if self._screen.type(line.strip()):
            self.dismiss(animation=False)
        else:
            self.error, table.message = table.message, ""
            self._screen.refresh()

    def _button(self, box: Any, text: str, go: Any) -> Act:
        button = Act(text=text)

        def press(_button: Act) -> None:
            self.dismiss(animation=False)
            go()

        button.bind(on_release=press)
        box.add_widget(button)
        return button


class NamesSheet(Sheet):
    """The players' names, which may change at any time.

    Args:
        screen: the table's screen.
    """

    error = StringProperty()

    def __init__(self, screen: TableScreen) -> None:
        super().__init__()
        self._screen = screen
        assert screen.table is not None
        for name in screen.table.setup.players:
            self.ids.names.add_widget(Factory.Field(text=name))

    def keep(self) -> None:
        """Takes the names over, or says what is wrong with them."""
        table = self._screen.table
        names = tuple(field.text.strip() for field in reversed(self.ids.names.children))
        if table is None:
            return
        try:
            table.rename(names)
        except CompanionError as error:
            self.error = texts.told(error.message)
            return
        self.dismiss(animation=False)
        self._screen.refresh()


class TableScreen(WatchingScreen):
    """A session in play."""

    turn = StringProperty()
    note = StringProperty()
    message = StringProperty()
    eyes_status = StringProperty()
    question = StringProperty()
    has_camera = BooleanProperty(False)
    can_record = BooleanProperty(False)
    over = BooleanProperty(False)
    has_due = BooleanProperty(False)
    coached = BooleanProperty(False)
    score = StringProperty()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.table: Table | None = None
        self.board: Board | None = None
        self.latencies: list[float] = []
        self._said = self._shown = 0
        self._trouble = ""
        self._source: str | None = None
        self._sleeping = False

    # -- opening and leaving -----------------------------------------------------------------

    def open(self, table: Table, eyes: Eyes | None, source: str | None = None) -> None:
        """Shows a table and starts the eyes on it.

        Args:
            table: what is played.
            eyes: what watches it; None where everything is tapped in.
            source: what the eyes look at, to begin anew where it has failed.
        """
        self.close()
        self.table, self._source = table, source
        self.latencies = []
        self.board = board_of(table)
        self.board.open(table, self)
        self.ids.board.clear_widgets()
        self.ids.board.add_widget(self.board)
        self._watch(table, eyes)
        self.refresh()

    def _watch(self, table: Table, eyes: Eyes | None) -> None:
        """Starts the eyes, or shows that there are none."""
        self.eyes, self.has_camera, self._trouble = eyes, eyes is not None, ""
        self.eyes_status = ""
        self.ids.camera.notice = texts.NO_CAMERA_YET if eyes is not None else texts.CAMERA_OFF
        self.ids.camera.clear()
        self.ids.camera.places = ()
        if eyes is not None:
            self.ids.camera.places = self._places_of(table, eyes)
            self.watch(eyes, table.stamp)

    @staticmethod
    def _places_of(table: Table, eyes: Eyes) -> tuple[Place, ...]:
        """Where each of the table's places lies in the picture, with its name."""
        titles = {zone.name: texts.told(zone.title) for zone in table.zones}
        found = eyes.zones.polygons.items() if eyes.zones is not None else ()
        return tuple(
            (titles.get(name, name), tuple((float(x), float(y)) for x, y in polygon))
            for name, polygon in found
            if polygon is not None
        )

    def forget(self) -> None:
        """Lets go of the table as well: it was deleted."""
        self.close()
        self.table = self.board = None
        self.ids.board.clear_widgets()

    def leave(self) -> None:
        """Back to the home screen."""
        self.close()
        App.get_running_app().go("home")

    # -- the eyes ----------------------------------------------------------------------------

    def _tick(self, _dt: float) -> None:
        """Shows the newest frame and takes in the newest message."""
        eyes, table = self.eyes, self.table
        if eyes is None or table is None:
            return
        camera = self.ids.camera
        image = eyes.picture()
        if image is not None:
            camera.show(image)
            camera.notice = ""
            self._watch_light(image)
        failure = texts.told(eyes.failure) if eyes.failure is not None else None
        if failure is not None:
            self.eyes_status = failure
            if not camera.has_picture:
                camera.notice = failure
        look = eyes.look()
        if look is not None:
            camera.mark(look.reading)
            self.latencies.append(look.latency)
            gathering = table.is_gathering
            if failure is None:
                status = texts.GATHER if gathering else self._status_of(look)
                self.eyes_status = self._trouble or status
            if table.see(look):
                self.refresh()
            if gathering and not table.is_gathering:
                eyes.forget()
        if eyes.ended and failure is None:
            self.eyes_status = texts.SOURCE_ENDED

    def _watch_light(self, image: Any) -> None:
        """Once in a while, whether anything can be seen at all."""
        self._shown += 1
        if self._shown % FRAMES_A_SECOND:
            return
        self._trouble = (
            texts.PICTURE_BLACK if camera_check.is_black(camera_check.check(image)) else ""
        )
        if self._trouble:
            self.eyes_status = self._trouble

    @staticmethod
    def _status_of(look: Look) -> str:
        """How the view is, in words; also where the picture is upside down."""
        downs = [read.indices[0].direction[1] for read in look.reading.cards]
        if len(downs) >= UPSIDE_DOWN and max(downs) < -0.5:
            return texts.UPSIDE_DOWN
        if look.twice:
            return texts.SEEN_TWICE.format(card=card_name(look.twice[0]))
        return texts.STATUS[look.status]

    def look_again(self) -> None:
        """Lets the eyes begin anew; a camera that has failed is opened again."""
        if self.table is None or self.eyes is None:
            return
        self.table.look_again()
        if self.eyes.failure is not None and self._source is not None:
            self.close()
            self._watch(self.table, App.get_running_app().eyes(self.table, self._source))
        else:
            self.eyes.forget()
        self.refresh()

    def switch(self) -> None:
        """Starts the camera in the middle of a match, or stops it."""
        table, app = self.table, App.get_running_app()
        if table is None:
            return
        eyes = None
        if self.eyes is None:
            self._source = self._source or app.source or app.settings.camera
            eyes = app.eyes(table, self._source)
        self.close()
        self._watch(table, eyes)
        app.parts.remember(table, camera=eyes is not None)
        self.refresh()

    def sleep(self) -> None:
        """The app is off the screen: the camera is another app's."""
        self._sleeping = self.eyes is not None
        if self._sleeping:
            self.close()

    def wake(self) -> None:
        """The app is back: it looks again where it did."""
        if self._sleeping and self.table is not None and self._source is not None:
            self._watch(self.table, App.get_running_app().eyes(self.table, self._source))
            self.refresh()
        self._sleeping = False

    # -- what is shown -----------------------------------------------------------------------

    def refresh(self) -> None:
        """Shows the table as it stands now."""
        table = self.table
        if table is None or self.board is None:
            return
        if self.eyes is not None:
            self.eyes.expect(table.stamp)
        board = table.state.table
        names = table.setup.players
        self.over = board.match_over
        if board.match_over:
            self.turn = self._verdict()
        elif board.to_move is None:
            self.turn = texts.TURN_NOBODY
        else:
            self.turn = texts.TURN.format(name=names[board.to_move])
        self.coached = table.setup.coached
        self.score = " · ".join(f"{n} {p}" for n, p in zip(names, board.scores, strict=False))
        self.score = texts.SCORE.format(points=self.score) if any(board.scores) else ""
        self.note = "" if board.match_over else " ".join(table.notes)
        self._announce(table.reasons if board.match_over else table.notes)
        self.message = table.message
        self._ask()
        self._show_due()
        self.board.refresh()

    def _announce(self, sentences: tuple[str, ...]) -> None:
        """Says aloud what the referee says, once, where that is wanted."""
        stands = self.table.referee.stands if self.table is not None else 0
        if sentences and stands != self._said and App.get_running_app().settings.spoken:
            speech.say(" ".join(sentences))
        self._said = stands

    def _verdict(self) -> str:
        assert self.table is not None
        board = self.table.state.table
        winners = board.match_winners
        if not winners:
            return texts.NO_WINNER
        names = texts.told(self.table.setup.names(winners))
        return (texts.WINS if len(winners) == 1 else texts.WIN).format(names=names)

    def _ask(self) -> None:
        """Puts what was seen and not recorded to the people."""
        pending = self.table.pending if self.table is not None else None
        self.can_record = pending is not None and pending.is_possible
        if pending is None:
            self.question = ""
            return
        card = card_name(pending.card)
        if pending.old is not None and self.table is not None:
            row = [c for z in self.table.zones if z.name == pending.zone for c in z.cards]
            n = row.index(pending.old) + 1 if pending.old in row else pending.replaces
            self.question = texts.SEEN_OTHER.format(n=n, card=card, old=card_name(pending.old))
        elif pending.why:
            self.question = texts.SEEN_BUT.format(card=card, why=pending.why)
        else:
            self.question = self._meaning(pending, card)

    def _meaning(self, pending: Pending, card: str) -> str:
        """What was seen and, where that is more than the card itself, what it would mean."""
        assert self.table is not None
        sure = min(99, round(pending.confidence * 100))
        if pending.event is None or pending.zone == self.table.watched_zone:
            return texts.SEEN.format(card=card, sure=sure)
        what = self.table.words(pending.event)
        return texts.SEEN_MEANS.format(what=what, card=card, sure=sure)

    def _show_due(self) -> None:
        """A button for each private entry that the game waits for."""
        box = self.ids.due
        box.clear_widgets()
        if self.table is None or self.board is None:
            return
        waiting = self.table.due()
        self.has_due = bool(waiting) or bool(self.table.deeds())
        for due in waiting:
            name = self.table.setup.name(due.seat)
            kind = "main" if due is waiting[0] else "plain"
            button = Act(text=self.board.due_title(due, name), kind=kind)
            button.action = due
            button.bind(on_release=lambda _button, due=due: self.start(due))
            box.add_widget(button)

    # -- what people do ----------------------------------------------------------------------

    def accept(self) -> None:
        """The proposal is right."""
        if self.table is not None:
            self.table.accept_pending()
            self.refresh()

    def dismiss(self) -> None:
        """The proposal is not so."""
        if self.table is not None:
            self.table.dismiss_pending()
            self.refresh()

    def fix(self) -> None:
        """The proposal is another card."""
        pending = self.table.pending if self.table is not None else None
        if self.table is not None and pending is not None:
            family = pending.card.family
            self.pick(self.table.accept_pending, texts.WHICH_CARD, family=family)

    def tap_card(self) -> None:
        """Asks for a card and records it."""
        if self.table is not None:
            self.pick(self.table.tap, texts.WHICH_CARD)

    def pick(self, chosen: Any, title: str, *, family: Family | None = None) -> None:
        """Asks for a card; what is done with it is `chosen`'s.

        Args:
            chosen: called with the card.
            title: what it is asked for.
            family: of the card; None for the game's own cards (a coin is none of them).
        """
        table = self.table
        if table is None:
            return

        def take(card: Card) -> None:
            chosen(card)
            self.refresh()

        lying = [card for zone in table.zones for card in zone.cards if card.is_known]
        cards = table.game.all_cards(table.setup)
        if family is not None and family is not table.game.family:
            cards = family_cards(family)
        CardPicker(cards, take, title=title, lying=lying).open(animation=False)

    def enter(self, due: Action) -> None:
        """Begins a private entry (behind the cover) or a public one."""
        App.get_running_app().open_entry(due)

    def start(self, action: Action) -> None:
        """Records an action that is complete, or asks for what it still has to be told."""
        if self.table is None:
            return
        if not action.is_secret and needs_nothing(self.table.game, action):
            self.do(action.event())
            return
        if action.verb == REVEAL and not action.is_secret and action.seat is not None:
            session = self.table.session
            if session is not None and session.has_pin(action.seat):
                # Whoever turns up somebody's cards has to be that player.
                App.get_running_app().unlock(action.seat, lambda _who: self.enter(action))
                return
        self.enter(action)

    def places(self) -> list[tuple[str, Any]]:
        """Where one can go from a table, each with its title."""
        app = App.get_running_app()
        found = [(texts.LOG, self.show_log), (texts.SCORES, app.open_scores)]
        found.append((texts.REPLAY, app.open_replay))
        if self.table is not None and self.table.watched_zone is not None:
            found.append((texts.ROW, app.open_row))
        table = self.table
        if table is not None and table.redoes:
            found.append((texts.REDO.format(what=table.redoes), self.redo))
        if table is not None and table.can_disclose:
            found.append((texts.DISCLOSE, self.disclose))
        found += [*app.private_places(), (texts.NAMES, self.edit_names)]
        eyes = self.eyes
        found.append((texts.CAMERA_START if eyes is None else texts.CAMERA_STOP, self.switch))
        if eyes is not None and eyes.has_torch:
            found.append((texts.TORCH, lambda: eyes.set_torch(not eyes.torch_on)))
        if eyes is not None and eyes.has_focus_lock:
            found.append((texts.LOCK_FOCUS, lambda: eyes.lock_focus(not eyes.focus_locked)))
        return found

    def show_more(self) -> None:
        """Shows everything else that can be done."""
        if self.table is not None:
            MoreSheet(self).open(animation=False)

    def edit_names(self) -> None:
        """Asks for other names."""
        if self.table is not None:
            NamesSheet(self).open(animation=False)

    def type(self, line: str) -> bool:
        """Records a line that was typed for all to see; numbers count the lines of the log."""
        table = self.table
        if table is None:
            return False
        try:
            event = table.referee.parse_typed(line)
        except CompanionError as error:
            table.message = texts.told(error.message)
            return False
        seats = table.must_show(event)
        if event.verb == DISCLOSE or len(seats) > 1:
            self.disclose()
            return True
        if not seats:
            return self.do(event)
        App.get_running_app().unlock(seats[0], lambda who: self._proven(event, who))
        return True

    def _proven(self, event: Event, who: Any) -> None:
        """The player whose act it is has shown who they are."""
        if who is not None:
            who.lock()
        self.do(event)

    def disclose(self) -> None:
        """Asks every player, one after the other, whether all that is private may be shown."""
        table = self.table
        if table is None:
            return
        verdict = table.referee.propose(Event(DISCLOSE))
        if verdict.error is not None:
            table.message = texts.told(verdict.error.message)
            self.refresh()
            return
        ask(texts.DISCLOSE_SURE, texts.DISCLOSE, lambda: self._ask_next(0, None))

    def _ask_next(self, seat: int, who: Any) -> None:
        if who is not None:
            who.lock()
        if self.table is None:
            return
        if seat < len(self.table.setup.players):
            App.get_running_app().unlock(seat, lambda who: self._ask_next(seat + 1, who))
        else:
            self.do(Event(DISCLOSE))

    def do(self, event: Event | str) -> bool:
        """Records an event that the board asks for."""
        if self.table is None:
            return False
        done = self.table.do(event)
        self.refresh()
        return done

    def undo(self) -> None:
        """Takes back the last thing done; asks before where that was private or counts."""
        if self.table is None:
            return
        if self.table.asks_before_undo:
            question = texts.UNDO_SURE.format(what=self.table.undoes)
            ask(question, texts.UNDO, self._take_back)
        else:
            self._take_back()

    def _take_back(self) -> None:
        if self.table is not None:
            what = self.table.undoes
            if self.table.undo():
                self.table.message = texts.UNDONE.format(what=what)
            self.refresh()
            self.table.message = ""

    def redo(self) -> None:
        """Restores what was last taken back."""
        if self.table is not None:
            self.table.redo()
            self.refresh()

    def show_log(self) -> None:
        """Shows the log."""
        if self.table is not None:
            LogSheet(self.table.log).open(animation=False)


def board_of(table: Table) -> Board:
    """The game's own widget for its table where it brings one, else the general one."""
    named = table.game.info.table_widget
    if named is None:
        return Board()
    module, _, name = named.partition(":")
    widget: Board = getattr(import_module(module), name)()
    return widget


for kind in (LogSheet, MoreSheet, NamesSheet, Words):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
