"""A strip over the screens of a first match: one sentence says what to do next."""

from __future__ import annotations

from kivy.app import App
from kivy.clock import Clock
from kivy.properties import BooleanProperty, StringProperty

from mobile.model.faces import card_name
from mobile.model.first_match import OTHER, YOU, FirstMatch, Lesson
from mobile.resources import texts
from mobile.services import DEMO
from mobile.widgets.basic import Column
from mobile.widgets.fields import action_title
from mobile.widgets.ui import load_layout

#: Seconds between two looks at what the person has done.
_PACE = 0.15
#: What is counted; the others are ways back to one of these.
_STEPS = (
    *(Lesson.WRITE, Lesson.COVER, Lesson.PREDICT, Lesson.LAY, Lesson.TAKE_BACK),
    *(Lesson.PUT_BACK, Lesson.WATCH, Lesson.END),
)
#: What is shown of the trail before the strip is taken away.
_OUTSIDE = ("home", "setup", "settings", "people", "camera")


class LessonStrip(Column):
    """What to do next in a first match."""

    sentence = StringProperty()
    progress = StringProperty()
    is_over = BooleanProperty(False)

    def __init__(self, first: FirstMatch) -> None:
        super().__init__()
        self.first = first
        self.lesson: Lesson | None = None
        self._step = 0

    def begin(self) -> None:
        """Follows what the person does from now on."""
        self.look()
        Clock.schedule_interval(self.look, _PACE)

    def end(self) -> None:
        """Follows no more."""
        Clock.unschedule(self.look)

    def look(self, *_args: object) -> None:
        """Says what is to be done by what the app shows now."""
        app = App.get_running_app()
        now = app.manager.current
        table = app.screen("table")
        if now in _OUTSIDE or table.table is not self.first.table:
            app.leave_first_match()
            return
        covered = now == "private" and app.screen("private").covered
        ended = table.eyes is not None and table.eyes.ended
        lesson = self.first.follow(now, covered=covered, ended=ended)
        if self.is_over and lesson is not Lesson.END:
            # It was one match: whatever is begun at this table now is no lesson.
            app.leave_first_match()
            table.play_without()
            return
        if self.first.plays_clip and table.eyes is None and lesson is Lesson.WATCH:
            table.watch_source(DEMO)
        if lesson is not self.lesson:
            self.lesson = lesson
            self._tell(lesson)

    def _tell(self, lesson: Lesson) -> None:
        table = self.first.table
        players = table.setup.players
        steps = table.steps
        self.sentence = texts.LESSONS[lesson.name].format(
            you=players[YOU],
            other=players[OTHER],
            write=action_title(table, steps[0]) if steps else "",
            open=texts.COVER_OPEN.format(name=players[YOU]),
            done=texts.PREDICT_DONE,
            card=card_name(self.first.first_card),
            undo=texts.UNDO,
            redo=texts.REDO,
        )
        if lesson in _STEPS:
            self._step = _STEPS.index(lesson) + 1
        self.progress = texts.LESSON_OF.format(n=self._step, total=len(_STEPS))
        self.is_over = lesson is Lesson.END

    def play_own(self) -> None:
        """Goes on to a match of one's own."""
        app = App.get_running_app()
        game = self.first.table.game
        app.leave_first_match()
        app.screen("table").leave()
        app.open_setup(game)

    def stop(self) -> None:
        """Leaves the first match for the home screen."""
        app = App.get_running_app()
        app.leave_first_match()
        app.screen("table").leave()


load_layout(__file__)
