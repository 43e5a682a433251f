"""Scores: who won, points, the reasons of every match, the final table; and ways to keep them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.atomic_io import write_private
from companion.core.registry import get_game
from mobile.android.device import is_android
from mobile.model import exports, rows, sharing
from mobile.model.days import said_day, said_evening, said_hour
from mobile.model.people import Person
from mobile.model.scores import in_words, scoreboard
from mobile.model.table import Table
from mobile.resources import texts
from mobile.widgets.basic import Act, Row, TouchPanel, Words, ask, offer, saying
from mobile.widgets.board import grown_screen, zone_view
from mobile.widgets.ui import load_layout

#: How long a match that was deleted can be brought back, in seconds.
UNDOABLE = 10.0
#: Matches that the history lists before it is asked for more.
AT_ONCE = 20


class PointsRow(Row):
    """A player's points."""

    name = StringProperty()
    points = StringProperty()
    bold = BooleanProperty(False)


@dataclass(frozen=True)
class Going:
    """A match that was deleted and can come back: its number, and its row (with its heading)."""

    number: int
    place: int
    widgets: tuple[Any, ...]


class KeptRow(TouchPanel):
    """A match that was kept: what was played, who won; touched, it is shown."""

    title = StringProperty()
    facts = StringProperty()
    #: Whether it can be gone on with.
    goes_on = BooleanProperty(False)


class EndedMatch(TouchPanel):
    """A match that has ended, in one line; touched, it says why."""

    title = StringProperty()
    unfolded = BooleanProperty(False)


class ScoresScreen(Screen):
    """How a session stands."""

    title = StringProperty()
    #: Who won, in words; empty while nobody has.
    winner = StringProperty()
    day = StringProperty()
    message = StringProperty()
    has_table = BooleanProperty(True)
    #: Whether it was kept and can be gone on with: another match can begin, too.
    goes_on = BooleanProperty(False)
    #: The file that was kept last, which can be handed on.
    kept = StringProperty()
    shares = BooleanProperty(is_android())

    #: The match that was deleted last, in words, while that can be undone.
    deleted = StringProperty()

    table: Table | None = None
    #: The evening that was listed last.
    _evening = ""
    _going: Going | None = None
    _later: Any = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Nothing that was deleted waits while the app is away.
        App.get_running_app().bind(on_pause=self.settle, on_stop=self.settle)

    def on_pre_leave(self, *_: object) -> None:
        """What was deleted here is gone."""
        self.settle()

    def open_history(self, journal: Any) -> None:
        """Lists the matches that were kept, with who won; the way to statistics is below them."""
        self.settle()
        self.table, self.has_table, self.goes_on, self.message = None, False, False, ""
        self.kept = ""
        self.ids.scroll.to_top()
        self.title, self.winner, self.day = texts.HISTORY, "", ""
        for name in ("points", "matches", "zones"):
            self.ids[name].clear_widgets()
        if journal is None:
            self.message = App.get_running_app().services.journal_trouble
            return
        self._evening = ""
        # A session in which nothing has happened is none.
        self._more(tuple(info for info in journal.sessions() if info.events or info.damage))
        if not self.ids.matches.children:
            self.ids.matches.add_widget(Words(text=texts.NO_MATCH_KEPT))
        else:
            offer(self.ids.zones, texts.PEOPLE_ALL, partial(App.get_running_app().go, "people"))

    def _more(self, infos: tuple[Any, ...], button: Act | None = None) -> None:
        """Lists so many matches, and offers those behind them."""
        box = self.ids.matches
        if button is not None:
            box.remove_widget(button)
        for evening, played in groupby(infos[:AT_ONCE], lambda info: said_evening(info.touched)):
            if evening != self._evening:
                box.add_widget(Words(text=evening, bold=True, tone="muted"))
            self._evening = evening
            for info in played:
                box.add_widget(self._kept(info))
        rest = infos[AT_ONCE:]
        if rest:
            text = texts.OLDER.format(n=len(rest))
            more = offer(box, text, lambda: self._more(rest, more))

    def open_kept(self, number: int) -> None:
        """Shows the scores of a match that was kept."""
        with saying(self, "message"):
            table = App.get_running_app().services.resumed(number)
            self.open(table)
            self.goes_on = table.goes_on and not table.message

    def delete(self, row: KeptRow, number: int, match: str) -> None:
        """Takes a match out of the history; for good as soon as nobody can want it back."""
        self.settle()
        if App.get_running_app().services.journal.read_only:
            self._delete(number)
            return
        box = self.ids.matches
        place = box.children.index(row)
        above, below = box.children[place + 1], box.children[place - 1 : place]
        # An evening without matches needs no heading.
        is_last = not (below and isinstance(below[0], KeptRow)) and isinstance(above, Words)
        out = (row, above) if is_last else (row,)
        for widget in out:
            box.remove_widget(widget)
        self.deleted = texts.DELETED_MATCH.format(match=match)
        self._going = Going(number, place, out)
        self._later = Clock.schedule_once(self.settle, UNDOABLE)

    def bring_back(self) -> None:
        """The match that was deleted last is there again."""
        going = self._let_go()
        if going is not None:
            for index, widget in enumerate(going.widgets, going.place):
                self.ids.matches.add_widget(widget, index)

    def settle(self, *_: object) -> None:
        """What was deleted is gone."""
        going = self._let_go()
        if going is not None:
            self._delete(going.number)

    def _let_go(self) -> Going | None:
        going, self._going, self.deleted = self._going, None, ""
        if self._later is not None:
            self._later.cancel()
        return going

    def _delete(self, number: int) -> None:
        with saying(self, "message"):
            App.get_running_app().services.delete_session(number)
        if not self.has_table and not self.ids.matches.children:
            self.ids.matches.add_widget(Words(text=texts.NO_MATCH_KEPT))

    def _kept(self, info: Any) -> KeptRow:
        app = App.get_running_app()
        won = texts.WON_BY.format(names=", ".join(info.winners)) if info.winners else ""
        score = in_words(info.scores)
        matches = texts.MATCHES.format(n=info.match) if info.match > 1 else ""
        disclosed = texts.DISCLOSED if info.disclosed else ""
        score = score or texts.PLAYED_BY.format(names=", ".join(info.players))
        facts = (won, score, matches, said_hour(info.touched), disclosed)
        row = KeptRow(
            title=get_game(info.game).info.title,
            facts=info.damage or " · ".join(filter(None, facts)),
            goes_on=not info.over and not info.damage,
        )
        colours = app.services.colours(info.players)
        if info.winners:
            first = info.winners[0]
            row.ids.avatar.show(Person(first, colours[info.players.index(first)]))
        else:
            row.ids.avatar.opacity = 0  # a face there would seem to be ahead
        row.bind(on_release=lambda _row: self.open_kept(info.id))
        row.ids.go_on.bind(on_release=lambda _button: app.continue_session(info.id))
        row.ids.delete.bind(on_release=lambda _button: self._ask_delete(row, info))
        return row

    def _ask_delete(self, row: KeptRow, info: Any) -> None:
        which = (get_game(info.game).info.title, ", ".join(info.players), said_day(info.touched))
        match = " · ".join(filter(None, which))
        go = partial(self.delete, row, info.id, match)
        question = texts.DELETE_SURE.format(match=match)
        files = App.get_running_app().services.journal.exports(info.id)
        if files:
            names = ", ".join(path.name for path in files)
            question += "\n" + texts.DELETE_FILES.format(files=names)
        ask(question, texts.DELETE, go, kind="danger")

    def go_on(self) -> None:
        """Back to the table of a match that was kept."""
        if self.table is not None:
            App.get_running_app().continue_session(self.table.session.id)

    def replay(self) -> None:
        """Shows the match step by step."""
        if self.table is not None:
            App.get_running_app().open_replay(self.table)

    def open(self, table: Table) -> None:
        """Shows a table's scores."""
        self.settle()
        self.table, self.has_table, self.goes_on = table, True, False
        self.message = self.kept = ""
        self.ids.scroll.to_top()
        self.title = table.game.info.title
        board = scoreboard(table.referee)
        last = board.matches[-1] if board.matches else None
        winners = board.winners or (last.winners if last is not None else ())
        self.winner = texts.WON_BY.format(names=", ".join(winners)) if winners else ""
        self.day = said_day(table.session.touched if table.session else time.time())
        box = self.ids.points
        box.clear_widgets()
        colours = App.get_running_app().services.colours(table.setup.players)
        for seat, (name, points) in enumerate(board.points):
            is_first = name in (board.winners or board.leaders)
            line = PointsRow(name=name, points=texts.signed(points), bold=is_first)
            line.ids.avatar.show(Person(name, colours[seat]))
            box.add_widget(line)
        self._show_matches(board.matches)
        self.ids.zones.clear_widgets()
        scale = grown_screen()
        for zone in table.zones:
            if zone.face_up:
                self.ids.zones.add_widget(zone_view(zone, scale, rows.lit_places(table.state)))

    def keep(self, kind: str) -> None:
        """Keeps the match as a text file, a page or a picture, and says where.

        Args:
            kind: `file`, `page` or `picture`.
        """
        if self.table is None:
            return
        write = {"file": exports.export, "page": exports.export_page, "picture": self._draw}[kind]
        app = App.get_running_app()
        with saying(self, "message"):
            path = write(self.table, app.services.folder, app.settings.files)
            self.message, self.kept = texts.KEPT_AT.format(path=path), str(path)

    def _draw(self, table: Table, folder: Path, to: str) -> Path:
        from mobile.kept.story import kept  # when it is needed: the app starts without it
        from mobile.widgets.kept import KeptPicture

        path = exports.free_name(table, folder, to, "png")
        write_private(path, b"")  # Kivy writes into it and leaves its rights as they are
        colours = App.get_running_app().services.colours(table.setup.players)
        KeptPicture(kept(table.referee.match_text(), None), colours).draw(path)
        exports.written(table, folder, path)
        return path

    def share(self) -> None:
        """Hands on what was kept: through the device's own sheet, or its folder is opened."""
        if not sharing.share(Path(self.kept)):
            self.message = texts.KEPT_AT.format(path=self.kept)

    def _show_matches(self, matches: Any) -> None:
        box = self.ids.matches
        box.clear_widgets()
        for match in reversed(matches):  # the last one says why it is over
            names = ", ".join(match.winners) or texts.NO_WINNER
            told = map(texts.told, match.reasons)
            reasons = [one if self.table is None else self.table.plain(one) for one in told]
            title = texts.MATCH_LINE.format(n=match.number, winners=names)
            row = EndedMatch(title=title, unfolded=match is matches[-1])
            row.ids.why.hold(*(Words(text=reason, tone="muted") for reason in reasons))
            box.add_widget(row)
        if not matches:
            box.add_widget(Words(text=texts.NO_MATCH_YET))


load_layout(__file__)
