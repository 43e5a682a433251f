"""The pad on which a question about number and suit is made by tapping."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from kivy.app import App
from kivy.metrics import dp
from kivy.properties import BooleanProperty, StringProperty

from companion.cards import RANKS, SUITS, SYMBOLS
from companion.core.state import Zone
from companion.games.missing_persons.questions.question import (
    EVEN,
    NUMBER_CARD,
    ODD,
    ROYAL,
    Question,
    arc_up,
    tapped,
    why_not_plain,
)
from companion.games.missing_persons.state import display_zone, turned_zone
from mobile.model.steps import Action
from mobile.resources import texts
from mobile.widgets.basic import CardFace, Grid, Key, offer
from mobile.widgets.board import Board, ZoneView
from mobile.widgets.fields import EntryForm
from mobile.widgets.ui import load_layout

#: Ranks that are asked for together, and suits.
_GROUPS = {"ROYAL": ROYAL, "NUMBERS": NUMBER_CARD, "EVEN": EVEN, "ODD": ODD}
_COLOURS = {"RED": frozenset("HD"), "BLACK": frozenset("SC")}
#: All ranks between the lowest and the highest one that is chosen.
_BETWEEN = "BETWEEN"

#: Suspects beside each other, what is between them, and how wide one gets at most.
_ACROSS, _GAP, _WIDEST = 5, 6, 62
#: How high one is for its width.
_TALL = 1.4


class QuestionPad(EntryForm):
    """Suits and ranks to tap; the question stands below in words."""

    words = StringProperty()
    trouble = StringProperty()
    negated = BooleanProperty(False)
    #: Whether anything was tapped: before, there is nothing to ask.
    is_ready = BooleanProperty(False)

    def begin(self) -> None:
        """Begins with nothing tapped, which means everything."""
        self._plain = self._table.setup.options.get("questions") == "plain"
        for suit in SUITS:
            self._offer(self.ids.suits, SYMBOLS[suit], suit)
        for number, rank in enumerate(RANKS, 1):
            self._offer(self.ids.ranks, rank, number)
        for name in (*_COLOURS, *_GROUPS, _BETWEEN):
            self._offer(self.ids.groups, texts.QUESTION_GROUPS[name], name)
        self._refresh()

    @property
    def question(self) -> Question:
        """What is asked as it stands."""
        return tapped(
            suits=self._chosen(self.ids.suits),
            ranks=self._chosen(self.ids.ranks),
            negate=self.negated,
        )

    def negate(self) -> None:
        """Asks for all other cards."""
        self.negated = not self.negated
        self._refresh()

    def ask(self) -> None:
        """Asks the question."""
        self.submit(self._due.event((self.question,)))

    def _offer(self, box: Any, label: str, value: Any) -> None:
        key = offer(box, label, lambda: self._press(key), Key, value=value)

    def _press(self, key: Any) -> None:
        if key.value in _GROUPS:
            wanted = _GROUPS[key.value]
            self._choose(self.ids.ranks, wanted)
        elif key.value in _COLOURS:
            self._choose(self.ids.suits, _COLOURS[key.value])
        elif key.value == _BETWEEN:
            ranks = self._chosen(self.ids.ranks)
            self._choose(self.ids.ranks, arc_up(min(ranks), max(ranks)) if ranks else ranks)
        else:
            key.chosen = not key.chosen
        self._refresh()

    def _refresh(self) -> None:
        question = self.question
        self.error = ""
        if not (self._chosen(self.ids.suits) or self._chosen(self.ids.ranks)):
            self.words, self.trouble, self.is_ready = texts.QUESTION_LEAD, "", False
            return
        self.is_ready = True
        self.words = texts.told(question.text)
        self.trouble = texts.told(why_not_plain(question) or "") if self._plain else ""

    @staticmethod
    def _choose(box: Any, wanted: frozenset[Any]) -> None:
        for key in box.children:
            key.chosen = key.value in wanted

    @staticmethod
    def _chosen(box: Any) -> frozenset[Any]:
        return frozenset(key.value for key in box.children if key.chosen)


class PersonsBoard(Board):
    """The table of a game whose questions are tapped, and whose suspects are turned by touch."""

    def show_zones(self, zones: tuple[Zone, ...]) -> None:
        """Each player's suspects as they lie, those turned over among them; then the rest."""
        displays = self.table.state.displays
        by_name = {zone.name: zone for zone in zones}
        mover = self.table.state.table.to_move or 0
        for seat in sorted(range(len(displays)), key=lambda seat: seat != mover):
            if displays[seat]:
                self.add_widget(self._suspects(seat, by_name))
        super().show_zones(self._beside(zones))

    def _beside(self, zones: tuple[Zone, ...]) -> tuple[Zone, ...]:
        """The zones that are no suspects in their places."""
        shown = {
            name(seat)
            for seat, spots in enumerate(self.table.state.displays)
            for name in (display_zone, turned_zone)
            if spots or name is turned_zone
        }
        return tuple(zone for zone in zones if zone.name not in shown)

    def height_at(self, scale: float, width: float) -> float:
        """How high it is about: suspects in lines of five, and what lies beside them."""
        lines = sum(-(-len(spots) // _ACROSS) for spots in self.table.state.displays)
        wide = dp(_WIDEST) * scale
        if _ACROSS * (wide + dp(_GAP)) > width:
            return inf
        titles = len(self.table.state.displays) * (App.get_running_app().ui.em * 1.3 + dp(16))
        others = self.zones_height(self._beside(self.table.zones), scale, width)
        return lines * (wide * _TALL + dp(_GAP)) + titles + others

    def _suspects(self, seat: int, zones: Mapping[str, Zone]) -> ZoneView:
        """A player's suspects, in their places; kept while nothing about them has changed."""
        up, down = zones[display_zone(seat)], zones[turned_zone(seat)]
        spots = self.table.state.displays[seat]
        key = spots, self.table.referee.stands, self.scale
        known = self._views.get(up.name)
        if known is not None and known[0] == key:
            return known[1]
        view = ZoneView(title=texts.ZONE.format(title=texts.told(up.title), n=len(up.cards)))
        box = Grid(cols=_ACROSS, spacing=dp(_GAP))
        box.bind(width=self._fit)
        self.screen.ids.scroll.bind(height=lambda *_args: self._fit(box, box.width))
        for spot in spots:
            face = CardFace(card=spot.card, turned=not spot.up)
            zone = up if spot.up else down
            face.bind(on_release=lambda face, zone=zone: self.touch(zone, card=face.card))
            box.add_widget(face)
        self._fit(box, box.width)
        view.add_widget(box)
        self._views[up.name] = key, view
        return view

    def _fit(self, box: Grid, width: float) -> None:
        """Suspects as large as they can be with both players' in sight, five beside each other."""
        across = (width - (_ACROSS - 1) * dp(_GAP)) / _ACROSS
        beside = App.get_running_app().ui.em * 1.3 + dp(60) * self.scale
        spare = self.screen.ids.scroll.height - 2 * beside
        high = spare / 4 - dp(_GAP)
        wide = max(dp(48), min(dp(_WIDEST) * self.scale, across, high))
        for face in box.children:
            face.size = wide, max(dp(48), min(wide * _TALL, high))

    def entry(self, due: Action, *, looks_over: bool = False) -> EntryForm:
        """Questions have their own pad."""
        return QuestionPad() if due.verb == "ask" else super().entry(due, looks_over=looks_over)


load_layout(__file__)
