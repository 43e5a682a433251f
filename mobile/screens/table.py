"""The table: what is going on, the game's own board, and the one thing that is to be done now."""

from __future__ import annotations

import time
from functools import partial
from importlib import import_module
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.properties import BooleanProperty, NumericProperty, StringProperty

from companion.core.events import REDO, UNDO, Event
from mobile.model import speech
from mobile.model.actions import CLOSING
from mobile.model.camera_worker import Eyes
from mobile.model.sound_cues import Cues
from mobile.model.steps import Action, needs_nothing
from mobile.model.table import Table
from mobile.model.turn_clock import TurnClock
from mobile.resources import texts
from mobile.screens.table_entries import is_inline
from mobile.screens.table_questions import TableQuestions
from mobile.screens.table_sheets import LogSheet, MoreSheet, NamesSheet
from mobile.seats.language import language
from mobile.seats.sentences import OWN_TITLE
from mobile.widgets.basic import Chip, ask, offer
from mobile.widgets.board import Board
from mobile.widgets.faces import CardFace
from mobile.widgets.fields import action_title
from mobile.widgets.motion import Motion, fly_points
from mobile.widgets.people import SeatChip, seated
from mobile.widgets.presses import GUARD
from mobile.widgets.sounds import Sounds
from mobile.widgets.ui import load_layout

#: Lines of the log beside a wide board, if there is room for them.
_LINES = 12


class TableScreen(TableQuestions):
    """A session in play."""

    turn = StringProperty()
    note = StringProperty()
    message = StringProperty()
    snack = StringProperty()
    #: Whether that can be done again.
    redoes = BooleanProperty(False)
    #: Number of the state that is shown.
    stands = NumericProperty(0)
    can_undo = BooleanProperty(False)
    over = BooleanProperty(False)
    coached = BooleanProperty(False)

    _said = 0
    #: What the buttons meant when they were last shown.
    _meant: object = None
    #: Number of the match whose board is shown.
    _match = 0
    #: The session whose points are shown, and they.
    _points: tuple[int, tuple[int, ...]] = 0, ()
    #: Pages for everybody's own phone; None until somebody asks for them.
    phones: Any = None
    _clock = TurnClock(0)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._cues, self._sounds = Cues(), Sounds()
        self._motion = Motion(self._on_board, self._where_from)

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
        self.snack = ""
        self.ids.scroll.to_top()  # how far a page was scrolled belongs to that page
        self._clock = TurnClock(App.get_running_app().settings.clock)
        self.board = board_of(table)
        self.board.open(table, self)
        self.ids.board.clear_widgets()
        self.ids.board.add_widget(self.board)
        self._watch(table, eyes)
        self.refresh()
        if self._clock.seconds:
            Clock.schedule_interval(self._show_clock, 0.5)

    def close(self) -> None:
        """Asks no more, and stops eyes and clock."""
        super().close()
        Clock.unschedule(self._show_clock)

    def forget(self) -> None:
        """Lets go of the table as well: it was deleted."""
        self.close()
        self.table = self.board = None
        self.ids.board.clear_widgets()

    def leave(self) -> None:
        """Back to the home screen."""
        self.close()
        if self.phones is not None:
            self.phones.stop()
        app = App.get_running_app()
        app.services.drop_empty(self.table)
        app.go("home")

    # -- what is shown -----------------------------------------------------------------------

    def refresh(self) -> None:
        """Shows the table as it stands now."""
        table = self.table
        if table is None or self.board is None:
            return
        if self.eyes is not None:
            self.eyes.expect(table.stamp)
        board = table.state.table
        self.over = board.match_over
        self.turn = texts.told(table.guidance.headline)
        self.coached = table.setup.coached
        self._show_players(table)
        notes = () if board.match_over else (*table.remarks, table.opening)
        self.note = " ".join(filter(None, notes))
        self.ids.log.tell = partial(table.newest, _LINES)
        self._announce(table.reasons if board.match_over else table.remarks)
        cue = self._cues.news(table)
        if cue is not None and App.get_running_app().settings.sound:
            self._sounds.play(cue)
        self.message = table.plain(table.message)
        self.can_undo = bool(table.undoes)
        self._ask()
        asked = table.question.card if table.question is not None else None
        row = next((zone for zone in table.zones if zone.name == table.watched_zone), None)
        newest = row.cards[-1] if row is not None and row.cards else None
        self.ids.camera.settle(table.lying, asked, newest)
        self._show_steps(table)
        self._guard(table)
        shown, self._points = self._points, (table.number, board.scores)
        if not self.moves:
            self.board.refresh()
        else:
            self._motion.around(self.board.refresh, leaves=table.took_back)
            self._give_points(shown)
        self.mark_place()
        self.stands = table.referee.stands
        if board.match != self._match:
            self._match = board.match
            self.ids.scroll.to_top()

    @property
    def moves(self) -> bool:
        """Whether what changes is to be seen on its way."""
        app = App.get_running_app()
        return not app.settings.calm and app.manager.current == self.name

    def _give_points(self, before: tuple[int, tuple[int, ...]]) -> None:
        """Lets points fly to their players, where those of the same session have changed."""
        number, points = self._points
        if number != before[0]:
            return
        chips = [chip for chip in reversed(self.ids.chips.children) if isinstance(chip, SeatChip)]
        for chip, now, then in zip(chips, points, before[1], strict=True):
            if now != then:
                fly_points(now - then, self.ids.scroll, chip)

    def _guard(self, table: Table) -> None:
        """A touch that was meant for what was shown before does nothing."""
        asked = None if table.question is None else table.question.meant
        meant = table.number, table.referee.stands, asked, self.question, self.message, self.snack
        if meant != self._meant:
            self._meant = meant
            GUARD.changed()

    def _on_board(self) -> list[Any]:
        return [] if self.board is None else list(self.board.walk(restrict=True))

    def _where_from(self, face: CardFace) -> tuple[float, float]:
        """Where a card comes from: the camera's picture if it is seen there, else the buttons."""
        seen = self.ids.camera.centre_of(face.card) if self.has_camera else None
        if seen is not None:
            return seen
        x, y = self.ids.steps.to_window(*self.ids.steps.center)
        return float(x), float(y)

    def _show_players(self, table: Table) -> None:
        """Everybody's name and points; those who are waited for stand out."""
        waiting = table.guidance.waiting
        box = self.ids.chips
        box.clear_widgets()
        for chip in seated(table, App.get_running_app().services.people):
            box.add_widget(chip)

        self.clock_chip = Chip(text="", dot=None)
        if self._clock.seconds:
            turn = (table.state.table.match, *waiting) if waiting and not self.over else None
            self._clock.follow(turn, time.monotonic())
            box.add_widget(self.clock_chip)
            self._show_clock()

    def _show_clock(self, *_args: object) -> None:
        """What is left of the turn; nothing happens at its end."""
        left = self._clock.text(time.monotonic())
        self.clock_chip.text = f"◷ {left}" if left else ""
        self.clock_chip.opacity = 1 if left else 0

    def _announce(self, sentences: tuple[str, ...]) -> None:
        """Says aloud what the referee says, once, where that is wanted."""
        # What nobody is told of is no news: it must not be heard that it happened.
        stands = self.table.referee.lines_seen(None)[0] if self.table is not None else 0
        spoken = App.get_running_app().settings.spoken
        if sentences and stands != self._said and spoken:
            speech.say(" ".join(sentences))
        self._said = stands

    def _show_steps(self, table: Table) -> None:
        """What play waits for as the one lit button; what else would answer it, beside it."""
        box = self.ids.steps
        box.clear_widgets()
        if self.over and App.get_running_app().is_in_lesson(table):
            self.show_sentence(None)
            return  # the lesson's own button leads on
        ended = not table.goes_on
        if ended and table.state.table.over:
            again = partial(App.get_running_app().open_setup, table.game)
            offer(box, texts.PLAY_AGAIN, again, kind="main")
        shown, lights = self._shown_steps(), App.get_running_app().lights_steps(table)
        inline = next((a for a in shown[:1] if is_inline(a) and not self.question), None)
        if self.sentence is None or inline is None or not self._stands_open(table, inline):
            self.show_sentence(inline, () if inline is None else self.instead_of(inline))
        for action in shown:
            if action is inline:
                continue
            is_first = action is table.steps[0] and not ended and not _is_answer(action)
            is_lit = lights and is_first and (not self.question or bool(self.accept_text))
            kind = "main" if is_lit else "plain"
            button = offer(box, action_title(table, action), partial(self.begin, action), kind=kind)
            button.action = action
        self._lead_to_hands(table, shown)

    def _stands_open(self, table: Table, step: Action) -> bool:
        """Whether the sentence of a step, or one that somebody took in its place, is shown now."""
        number, stands, key, _, words = self._sentence_for
        now = table.number, table.referee.stands, step.key[0], texts.CLOSE
        return (number, stands, key[0], words) == now

    def _lead_to_hands(self, table: Table, shown: tuple[Action, ...]) -> None:
        """Before the first act every player in turn may show the hand: the notepads know it."""
        hands, in_lesson = table.hands(), App.get_running_app().is_in_lesson(table)
        is_answered = len(shown) > 1 and not table.guidance.is_for_all
        if not hands or self.over or in_lesson or is_answered:
            return
        if any(action in hands for action in shown):
            return
        go = partial(App.get_running_app().open_entry, hands[0], hands[1:])
        offer(self.ids.steps, texts.SHOW_HANDS, go)

    def _shown_steps(self) -> tuple[Action, ...]:
        """The first step, and those that are other answers to the same question."""
        assert self.table is not None
        steps = self.table.steps
        if not steps:
            return ()
        first, *others = steps
        if _is_answer(first) and self.table.guidance.is_for_all:
            return first, *(other for other in others if _is_answer(other))
        game = self.table.game
        for other in others:
            if other.seat != first.seat or other.is_secret or first.is_secret or _is_rare(other):
                continue
            if other.verb in CLOSING or first.verb == other.verb:
                continue
            if other.commits or needs_nothing(game, other) or needs_nothing(game, first):
                return first, other
        return (first,)

    # -- what people do ----------------------------------------------------------------------

    def places(self) -> list[tuple[str, list[tuple[str, Any]]]]:
        """Where one can go from a table, in groups, each with its title."""
        app, table, eyes = App.get_running_app(), self.table, self.eyes
        look = [(texts.LOG, self.show_log), (texts.SCORES, app.open_scores)]
        look.append((texts.REPLAY, app.open_replay))
        if table is not None and app.has_rules(table.game):
            look.insert(0, (texts.RULES, lambda: app.open_rules(table.game)))
        if table is not None and table.watched_zone is not None:
            look.append((texts.ROW, app.open_row))
        game: list[tuple[str, Any]] = []
        if table is not None and table.takes_cards:
            game.append((texts.TAP_PIECE[table.game.family.value], self.tap_card))
        if table is not None and table.redoes:
            game.append((texts.RESTORE.format(what=table.redoes), self.redo))
        if table is not None and table.can_disclose:
            game.append((texts.DISCLOSE, self.disclose))
        game.append((texts.NAMES, self.edit_names))
        if table is not None and table.session is not None:
            game.append((language(texts.language()).say(OWN_TITLE), self.own_phones))
        camera: list[tuple[str, Any]] = []
        camera.append((texts.CAMERA_START if eyes is None else texts.CAMERA_STOP, self.switch))
        if eyes is not None and eyes.has_torch:
            camera.append((texts.TORCH, lambda: eyes.set_torch(not eyes.torch_on)))
        if eyes is not None and eyes.has_focus_lock:
            camera.append((texts.LOCK_FOCUS, lambda: eyes.lock_focus(not eyes.focus_locked)))
        return [
            (texts.LOOK_AT, look),
            (texts.NOTEPADS, app.private_places()),
            (texts.TABLE, game),
            (texts.CAMERA_SHORT, camera),
        ]

    def show_more(self) -> None:
        """Shows everything else that can be done."""
        if self.table is not None:
            shown = self._shown_steps()
            quiet = tuple(action for action in self.table.steps if action not in shown)
            MoreSheet(self, quiet).open(animation=False)

    def own_phones(self) -> None:
        """Pages for everybody's own phone: on, off, and the codes to scan."""
        from mobile.model.own_phones import OwnPhones
        from mobile.screens.phones import AppThread, Phones, PhonesSheet

        table = self.table
        if table is None or table.session is None:
            return
        if self.phones is None or self.phones.own.session is not table.session:
            folder = App.get_running_app().services.folder
            own = OwnPhones(table.session, folder, AppThread())
            self.phones = Phones(self, own)
        PhonesSheet(self.phones).open(animation=False)

    def sleep(self) -> None:
        """The app is off the screen: no camera runs, no pages are served."""
        super().sleep()
        if self.phones is not None:
            self.phones.sleep()

    def wake(self) -> None:
        """The app is back: both go on."""
        super().wake()
        if self.phones is not None and (told := self.phones.wake()):
            self.snack, self.redoes = told, False

    def edit_names(self) -> None:
        """Asks for other names."""
        if self.table is not None:
            NamesSheet(self).open(animation=False)

    def do(self, event: Event | str) -> bool:
        """Records an event that the board asks for."""
        if self.table is None:
            return False
        self.snack = ""
        done = self.table.do(event)
        self.refresh()
        return done

    def undo(self) -> None:
        """Takes back the last thing done; asks before where that was private or counts."""
        if self.table is None:
            return
        if self.table.asks_before_undo:
            question = texts.UNDO_SURE.format(what=self.table.undoes)
            ask(question, texts.UNDO, lambda: self.once_shown(Event(UNDO), self._take_back))
        else:
            self.once_shown(Event(UNDO), self._take_back)

    def _take_back(self) -> None:
        if self.table is not None:
            what = self.table.undoes
            done = self.table.undo()
            self.snack, self.redoes = texts.UNDONE.format(what=what) if done else "", done
            self.refresh()

    def redo(self) -> None:
        """Restores what was last taken back."""
        self.snack = ""
        self.once_shown(Event(REDO), self._restore)

    def _restore(self) -> None:
        if self.table is not None:
            self.table.redo()
            self.refresh()

    def follow(self, box: Any) -> None:
        """Scrolls the board until the last thing in a box is in sight."""
        if box.children and box.get_root_window() is not None:
            last = box.children[0]
            _, low = last.to_window(*last.pos)
            _, floor = self.ids.scroll.to_window(*self.ids.scroll.pos)
            if low < floor:
                self.ids.scroll.scroll_to(last, animate=False)

    def show_log(self) -> None:
        """Shows the log."""
        if self.table is not None:
            LogSheet(self.table.log).open(animation=False)


def _is_answer(action: Action) -> bool:
    """Whether it is one of several answers: no button may favour one."""
    return action.step is not None and action.step.answers


def _is_rare(action: Action) -> bool:
    """Whether it stands behind “More”."""
    return action.step is not None and action.step.is_rare


def board_of(table: Table) -> Board:
    """The game's own widget for its table where it brings one, else the general one."""
    named = table.game.info.table_widget
    if named is None:
        return Board()
    module, _, name = named.partition(":")
    widget: Board = getattr(import_module(module), name)()
    return widget


load_layout(__file__)
