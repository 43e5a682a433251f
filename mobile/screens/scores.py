"""Scores: the session's points with the reasons of every match, a picture to keep, export."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.lang import Builder
from kivy.properties import StringProperty
from kivy.uix.screenmanager import Screen

from companion.errors import CompanionError
from mobile import exports, texts
from mobile.scores import scoreboard
from mobile.table import Table
from mobile.widgets.basic import Panel, Words
from mobile.widgets.board import zone_view


class ScoresScreen(Screen):
    """How a session stands."""

    title = StringProperty()
    message = StringProperty()

    def open(self, table: Table) -> None:
        """Shows a table's scores."""
        self.table = table
        self.message = ""
        self.title = table.game.info.title
        board = scoreboard(table.referee)
        box = self.ids.points
        box.clear_widgets()
        for name, points in board.points:
            mark = "★ " if name in (board.winners or board.leaders) else ""
            box.add_widget(Words(text=mark + name, font_name="Symbols", bold=bool(mark)))
            box.add_widget(Words(text=str(points), bold=bool(mark), halign="right"))
        self._show_matches(board.matches)
        self.ids.zones.clear_widgets()
        for zone in table.zones:
            if zone.face_up:
                self.ids.zones.add_widget(zone_view(zone))

    def keep(self) -> None:
        """Keeps the match as a page or a text file and says where."""
        try:
            path = exports.export(self.table, App.get_running_app().parts.folder)
        except CompanionError as error:
            self.message = error.message
            return
        self.message = texts.KEPT_AT.format(path=path)

    def keep_picture(self) -> None:
        """Keeps a picture of the final table and says where."""
        try:
            path = exports.free_name(App.get_running_app().parts.folder, self.table, "png")
        except CompanionError as error:
            self.message = error.message
            return
        self.ids.body.export_to_png(str(path))
        self.message = texts.KEPT_AT.format(path=path)

    def _show_matches(self, matches: Any) -> None:
        box = self.ids.matches
        box.clear_widgets()
        for match in matches:
            panel = Panel()
            names = ", ".join(match.winners) or texts.NO_WINNER
            title = texts.MATCH_LINE.format(n=match.number, winners=names)
            panel.add_widget(Words(text=title, bold=True))
            for reason in match.reasons:
                panel.add_widget(Words(text=reason, color=App.get_running_app().ui.muted))
            box.add_widget(panel)
        if not matches:
            box.add_widget(Words(text=texts.NO_MATCH_YET))


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
