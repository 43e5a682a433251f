"""What is kept of a match, as a picture to send: the same as the page of `mobile.kept`."""

from __future__ import annotations

from pathlib import Path

from kivy.clock import Clock
from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import BooleanProperty, ColorProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.state import Zone
from mobile.kept.story import Kept, Turn
from mobile.model.people import Person
from mobile.widgets.basic import Column, Row, Words
from mobile.widgets.board import ZoneView, zone_view
from mobile.widgets.faces import Fan
from mobile.widgets.people import Avatar
from mobile.widgets.ui import load_layout

#: The story's last turns are told; the page tells all of them.
_TURNS = 12
#: How large cards are beside those on the table.
_SCALE, _SMALL = 0.9, 0.7
#: Drawing steps after which everything has found its place.
_SETTLED = 8


class ScoreBar(Row):
    """A player's points, and how they compare."""

    name = StringProperty()
    points = NumericProperty()
    most = NumericProperty(1)
    won = BooleanProperty(False)
    colour = ColorProperty()


class KeptPicture(Column):
    """A match's headline, scores, cards and story, to be drawn outside of the window.

    Args:
        colours: each seat's.
    """

    title = StringProperty()
    headline = StringProperty()
    how = StringProperty()

    def __init__(self, told: Kept, colours: tuple[int, ...]) -> None:
        super().__init__(title=told.match.game.info.title, headline=told.headline)
        self.how = " ".join(told.how)
        self._people = [
            Person(name, colour)
            for name, colour in zip(told.match.setup.players, colours, strict=True)
        ]
        most = max(1, *(points for _, points in told.scores.points))
        for seat, (name, points) in enumerate(told.scores.points):
            bar = ScoreBar(name=name, points=points, most=most, won=seat in told.winners)
            bar.ids.avatar.show(self._people[seat])
            self.ids.scores.add_widget(bar)
        for zone in told.zones:
            self.ids.zones.add_widget(_zone(zone, told.lit))
        if not told.zones:
            self.remove_widget(self.ids.zones)
        # Cards laid one after the other lie on the table above.
        turns = [turn for turns in told.story[-1:] for turn in turns if not turn.is_run]
        for turn in turns[-_TURNS:]:
            self._tell(turn)

    def _tell(self, turn: Turn) -> None:
        line: BoxLayout = Factory.StoryLine()
        if turn.seat is not None:
            avatar = Avatar(pos_hint={"center_y": 0.5})
            avatar.show(self._people[turn.seat])
            line.add_widget(avatar)
        text = " ".join(part.text for part in turn.parts)
        line.add_widget(Words(text=text, pos_hint={"center_y": 0.5}))
        self.ids.story.add_widget(line)

    def draw(self, path: Path) -> None:
        """Writes it as a PNG file."""
        for _ in range(_SETTLED):  # texts and boxes wait for the next picture of the window
            Clock.tick_draw()
            Builder.sync()
        self.export_to_png(str(path))


def _zone(zone: Zone, lit: dict[str, frozenset[int]]) -> ZoneView:
    """A place with its known cards, and the others as a fan of backs."""
    view = zone_view(zone, _SCALE, lit)
    if zone.unknown:
        card = next(card for card in zone.cards if not card.is_known)
        view.add_widget(Fan(card=card, count=zone.unknown, scale=_SMALL))
    return view


load_layout(__file__)
