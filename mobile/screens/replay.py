"""Replay: a match step by step, as the public or one seat knew it; at the end its audit."""

from __future__ import annotations

from functools import partial
from typing import Any

from kivy.app import App
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.screenmanager import Screen

from companion.core.referee import Referee
from companion.errors import CompanionError
from mobile.model import wording
from mobile.model.notepads import told_marks
from mobile.model.replaying import Moment, faults, moments, unchecked
from mobile.resources import texts
from mobile.widgets.basic import listed, offer
from mobile.widgets.board import HiddenZone, Things, grown_screen, zone_view
from mobile.widgets.ui import load_layout


class ReplayScreen(Screen):
    """Goes through a match."""

    title = StringProperty()
    line = StringProperty()
    detail = StringProperty()
    warning = StringProperty()
    position = NumericProperty(0)
    count = NumericProperty(0)
    covered = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._moments: tuple[Moment, ...] = ()
        self.viewer: int | None = None
        #: What the seat noted on its notepads, by the names under which it is kept.
        self._marks: dict[str, str] = {}

    def open(self, referee: Referee[Any], *, seats: tuple[int, ...] = ()) -> None:
        """Shows a match from its end.

        Args:
            referee: of the match.
            seats: whose eyes may be chosen beside the public's.
        """
        self.referee, self._seats = referee, seats
        self.title = referee.game.info.title
        self.ids.scroll.to_top()
        self.look_through(None)

    def look_through(self, viewer: int | None) -> None:
        """Shows the match as a seat knew it, or the public."""
        self.viewer = viewer
        if viewer is None:
            self._marks = {}
        self._moments = moments(self.referee, viewer)
        self.count = len(self._moments)
        self.position = self.count
        self._offer_eyes()
        self._show_audit()
        self._show()

    def go_to(self, position: float) -> None:
        """Shows the table after so many lines."""
        self.position = min(max(0, round(position)), self.count)
        self._show()

    def cover(self) -> None:
        """Back to the public's eyes: a seat's own are for that seat alone."""
        if self.viewer is not None:
            self.look_through(None)

    def _offer_eyes(self) -> None:
        box = self.ids.eyes
        box.clear_widgets()
        if not self._seats:
            return
        names: list[tuple[int | None, str]] = [(None, texts.EVERYBODY)]
        names += [(seat, self.referee.setup.players[seat]) for seat in self._seats]
        for seat, name in names:
            offer(box, name, partial(self._choose, seat), chosen=seat == self.viewer)

    def _choose(self, seat: int | None) -> None:
        if seat is None:
            self.look_through(None)
        else:
            App.get_running_app().unlock(seat, lambda who: self._unlocked(seat, who))

    def _unlocked(self, seat: int, who: Any) -> None:
        """The seat's player holds the phone: their own eyes may be shown until it is covered."""
        table = App.get_running_app().screen("table").table
        if who is not None:
            try:
                self._marks = table.session.marks(who).all()
            except CompanionError as error:
                self._marks, self.warning = {}, texts.told(error.message)
            who.lock()
        self.look_through(seat)

    def on_pre_enter(self, *_args: object) -> None:
        """Back from the cover of a player who did not look after all: the public's eyes again."""
        if self.count and not self._moments:
            self.look_through(None)

    def on_leave(self, *_args: object) -> None:
        """A seat's own view does not outlive the screen."""
        self._moments = ()
        self.viewer, self._marks = None, {}
        self.ids.zones.clear_widgets()
        self.line = self.detail = self.warning = ""

    def _show(self) -> None:
        self.ids.zones.clear_widgets()
        self.line = self.detail = self.warning = ""
        if not self.count:
            self.line = texts.NOTHING_YET
            return
        if self.position == 0:
            self.line = texts.REPLAY_START
            return
        moment = self._moments[self.position - 1]
        self.line = f"{self.position}. {moment.text}"
        step = moment.step
        if step.error is not None:
            self.warning = self._plain(step.error[1])
        else:
            self.warning = " ".join(self._plain(finding.message) for finding in step.findings)
        self.detail = " ".join(map(self._plain, step.remarks))
        scale = grown_screen()
        things = Things(scale=scale)
        for zone in moment.zones:
            if zone.known:
                self.ids.zones.add_widget(zone_view(zone, scale, moment.lit))
            elif zone.cards:
                things.add_widget(HiddenZone(zone, scale, touchable=False))
        if things.children:
            self.ids.zones.add_widget(things)
        self._show_notes(moment.match)

    def _show_notes(self, match: int) -> None:
        """What the seat noted on its notepad of a match."""
        lines = told_marks(self.referee.game, self._marks, match)
        if lines:
            self.ids.zones.add_widget(listed(texts.OWN_NOTES, lines))

    def _plain(self, message: str) -> str:
        return wording.without_codes(self.referee.game, texts.told(message))

    def _show_audit(self) -> None:
        box = self.ids.audit
        box.clear_widgets()
        found = faults(self.referee)
        if found is None:
            return
        lines = [f"! {fault.event}. {self._plain(fault.message)}" for fault in found]
        open_ = unchecked(self.referee)
        clean = texts.AUDIT_ELSE if open_ else texts.AUDIT_CLEAN
        box.add_widget(listed(texts.AUDIT, [*lines, *open_, *(() if found else (clean,))]))


load_layout(__file__)
