"""A table for any game: its zones, and what may be done on the things that lie there.

A game that wants more names a subclass of `Board` in `GameInfo.table_widget`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kivy.app import App
from kivy.metrics import dp
from kivy.properties import NumericProperty, StringProperty

from companion.cards import Card
from companion.core.guidance.steps import On
from companion.core.state import Zone, ZoneKind
from companion.phrases import capitalised
from mobile.model.steps import Action, done_on
from mobile.model.table import Table
from mobile.resources import texts, theme
from mobile.widgets.basic import (
    CardBack,
    CardFace,
    Column,
    Flow,
    FreePlace,
    Grid,
    Quiet,
    Words,
    offer,
)
from mobile.widgets.faces import Fan, Pile, back_box, box_of
from mobile.widgets.fields import EntryForm, FormEntry, action_title
from mobile.widgets.host import BoardHost
from mobile.widgets.ui import load_layout

__all__ = ["Board", "EntryForm", "ZoneView", "action_title", "zone_view"]
#: How much larger than on a phone cards get at most, and the width that one of phone size needs.
_LARGEST, _NARROW = 2.4, 360
#: Between cards, and between zones.
_GAP, _APART = 6, 10
#: So many cards that lie open take half a row.
_SMALL = 3
#: What can be done on a thing, each with the thing that its step names.
Doable = tuple[Action, On]


class ZoneView(Column):
    """A place for cards with what everybody knows of them."""

    title = StringProperty()
    #: By it a card that is turned up is known to be the one that lay there.
    zone_name = StringProperty()


class TouchZone(Quiet, ZoneView):
    """A place for cards on which something can be done as a whole."""


class HiddenZone(Quiet, Column):
    """Cards that lie face down: a hand as a fan of backs, others as a pile.

    Args:
        scale: how large the cards are, 1 on a phone.
    """

    title = StringProperty()
    zone_name = StringProperty()

    def __init__(self, zone: Zone, scale: float, *, touchable: bool) -> None:
        super().__init__()
        self.zone_name = zone.name
        title = zone_title(zone)
        self.title = f"{title}  ›" if touchable else title
        self.disabled = not touchable
        kind = Fan if zone.kind is ZoneKind.HAND else Pile
        self.add_widget(kind(card=zone.cards[0], count=len(zone.cards), scale=scale))


class Things(Grid):
    """Places of a few cards, and such that lie face down, side by side."""

    scale = NumericProperty(1.0)

    @staticmethod
    def across(width: float, scale: float) -> int:
        """How many stand beside each other: a hand's fan needs some width."""
        return max(2, int(width / (dp(180) * scale)))


class Board(Column):
    """The general table."""

    #: How high the felt is at least: it fills the room that the board has.
    felt = NumericProperty(0)

    def open(self, table: Table, screen: BoardHost) -> None:
        """Takes a table."""
        self.table, self.screen = table, screen
        self._views: dict[str, tuple[tuple[Any, ...], ZoneView]] = {}
        self._things = Things()
        self.scale, self.felt = self.room_for(), self._felt()
        screen.ids.scroll.bind(size=self._resized)

    def room_for(self) -> float:
        """How much larger than on a phone things are, all of them in sight if they can be.

        Steps are coarse: things do not change their size with every card.
        """
        view = self.screen.ids.scroll
        scale = grown(view.width)
        while scale > 1.0 and self.height_at(scale, view.width - dp(24)) > self._felt() - dp(24):
            scale = round(scale - 0.2, 1)
        return scale

    def height_at(self, scale: float, width: float) -> float:
        """How high the zones are together, about, at a scale within a width in pixels."""
        return self.zones_height(self.table.zones, scale, width)

    def zones_height(self, zones: tuple[Zone, ...], scale: float, width: float) -> float:
        """How high zones are together, about, and what is told at the end above them."""
        title = App.get_running_app().ui.em * 1.3
        told = len(self.table.reasons) * (title + dp(_APART)) + dp(120)
        high, things = told if self.screen.over else 0.0, 0
        for zone, _, is_thing in self._sorted(zones):
            if is_thing:
                things += 1
                continue
            wide, tall = box_of(zone.cards[0] if zone.cards else None, scale)
            across = max(1, int((width + dp(_GAP)) // (wide + dp(_GAP))))
            high += title + -(-(len(zone.cards) + 1) // across) * (tall + dp(_GAP)) + dp(_APART)
        lines = -(-things // Things.across(width, scale))
        return high + lines * (title + box_of(None, scale)[1] + dp(2 * _APART))

    def _felt(self) -> float:
        view, above = self.screen.ids.scroll, self.screen.ids.board.padding[1]
        return max(0.0, view.height - above - dp(8))

    def _resized(self, *_args: object) -> None:
        if self.parent is None:
            return  # another board stands there by now
        self.felt = self._felt()
        scale = self.room_for()
        if scale != self.scale:
            self.scale = scale
            self.refresh()

    def refresh(self) -> None:
        """Shows the table as it stands."""
        self.scale = self.room_for()
        self.clear_widgets()
        self.tell_end()
        self.show_zones(self.table.zones)

    # -- what a board is made of -------------------------------------------------------------

    def tell_end(self) -> None:
        """Why the match ended as it did, and the way to look back at it."""
        if not self.screen.over:
            return
        for reason in self.table.reasons:
            self.add_widget(Words(text=reason))
        self.look_back(self)

    def show_zones(self, zones: tuple[Zone, ...]) -> None:
        """Places with many known cards or with places to touch; then the small and hidden ones."""
        things = self._things
        things.clear_widgets()  # views are kept, and may lie in it
        things.scale = self.scale
        for zone, doable, is_thing in self._sorted(zones):
            is_seen = zone.known or not is_thing
            view = self._view_of(zone, doable) if is_seen else self._hidden(zone, doable)
            (things if is_thing else self).add_widget(view)
        if things.children:
            self.add_widget(things)

    def _sorted(self, zones: tuple[Zone, ...]) -> Iterator[tuple[Zone, tuple[Doable, ...], bool]]:
        """Zones with what can be done on them, and whether they are small or hidden.

        What is nobody's comes first, in the game's order. A thing does not change its place with
        what can be done on it.
        """
        for zone in sorted(zones, key=lambda zone: zone.owner is not None):
            doable = self.doable(zone)
            if any(on.index is not None or on.is_end for _, on in doable):
                yield zone, doable, False
            elif zone.known or zone.cards:
                yield zone, doable, not zone.known or len(zone.cards) <= _SMALL

    def mark(self, place: On | None) -> None:
        """Marks one of the backs that lie in their places, or none of them."""
        for view in self.walk(restrict=True):
            if not isinstance(view, ZoneView):
                continue
            for back in view.walk(restrict=True):
                if isinstance(back, CardBack):
                    back.marked = place == On(view.zone_name, index=back.index)

    def doable(self, zone: Zone) -> tuple[Doable, ...]:
        """What can be done on the things in a zone, in guidance's order."""
        return tuple(
            (action, on)
            for action in self.table.public_actions()
            if action.step is not None
            for on in action.step.on
            if on.zone == zone.name
        )

    def touch(self, zone: Zone, card: Card | None = None, index: int | None = None) -> None:
        """Does what can be done on a thing; where several can, the first and the others as well.

        Args:
            zone: where it lies.
            card: the card touched; None for a place or the zone.
            index: its place, from 0; None for the whole zone.
        """
        fitting = [
            (action, done_on(action, on, zone))
            for action, on in self.doable(zone)
            if (card is not None and on.card is card)
            or (index is not None and on.index == index and on.card is None)
            or (on.card is None and on.index is None)
        ]
        # What the thing says something to is meant before what it merely lies beside.
        told = [done for action, done in fitting if done.settled != action.settled]
        found = told or [done for _, done in fitting]
        whole = [done for done in found if not _free(done)]
        if not found or (not told and len({done.verb for done in whole}) > 1):
            return  # two answers to one question: the buttons tell them apart
        first, *others = found
        alike = (a for a in others if (a.seat, a.form) == (first.seat, first.form))
        instead = (a for a in alike if a.verb != first.verb and _free(a) == _free(first))
        self.screen.start(first, tuple(instead))

    @staticmethod
    def look_back(box: Any) -> None:
        """Buttons that lead to replay and audit, and to the points and ways to keep them."""
        app = App.get_running_app()
        offer(box, texts.REPLAY_AUDIT, app.open_replay, kind="quiet")
        offer(box, texts.RESULT_SHARE, app.open_scores, kind="quiet")

    def draw_row(self, box: Any, screen: Any) -> None:
        """Puts the row that lies open into a box of the row's own screen."""
        for zone in self.table.zones:
            if zone.name == self.table.watched_zone:
                for card in zone.cards:
                    box.add_widget(CardFace(card=card, size=(dp(58), dp(81))))

    def entry(self, due: Action, *, looks_over: bool = False) -> EntryForm:
        """The widget for an entry.

        Args:
            due: what is entered.
            looks_over: whether cards are looked over before they are recorded.
        """
        return FormEntry(looks_over=looks_over)

    # -- inside ------------------------------------------------------------------------------

    def _view_of(self, zone: Zone, doable: tuple[Doable, ...]) -> ZoneView:
        """The panel of a zone, made anew only where it has changed: making cards is slow."""
        doings = tuple((a.key, a.settled, on) for a, on in doable)
        key = zone, doings, self.scale, texts.CLOSE
        known = self._views.get(zone.name)
        if known is None or known[0] != key:
            known = self._views[zone.name] = key, self._make(zone, doable)
        return known[1]

    def _make(self, zone: Zone, doable: tuple[Doable, ...]) -> ZoneView:
        """A zone with its cards, those that can be touched among them."""
        places = {on.index for _, on in doable if on.card is None and on.index is not None}
        backs = tuple(k for k, card in enumerate(zone.cards) if places and not card.is_known)
        whole = any(on.card is None and on.index is None for _, on in doable)
        view = zone_view(zone, self.scale, kind=TouchZone if whole else ZoneView)
        if zone.laid_by and all(card.is_known for card in zone.cards):
            self._sign(view, zone.laid_by)
        if whole:
            view.bind(on_release=lambda _view: self.touch(zone))
        cards = next((w for w in view.children if isinstance(w, Flow)), None)
        for face in cards.children if cards is not None else ():
            face.bind(on_release=lambda face: self.touch(zone, card=face.card))
        is_end = any(on.is_end for _, on in doable)
        if cards is None and (backs or is_end):
            cards = _row(view)
        for index in backs:
            if cards is not None:
                back = CardBack(number=str(index + 1), index=index, card=zone.cards[index])
                back.size = back_box(self.scale)
                cards.spacing = dp(2)
                back.marked = places == {index}
                back.disabled = index not in places
                back.bind(on_release=lambda back: self.touch(zone, index=back.index))
                cards.add_widget(back)
        if is_end and cards is not None:
            free = FreePlace(size=box_of(None, self.scale))
            free.bind(on_release=lambda _place: self.touch(zone))
            cards.add_widget(free)
        return view

    def _sign(self, view: ZoneView, seats: tuple[int, ...]) -> None:
        """Says of each card who laid it, by the sign that the player has above the table."""
        names = self.table.setup.players
        colours = App.get_running_app().services.colours(names)
        faces = [face for face in view.walk(restrict=True) if isinstance(face, CardFace)]
        for face, seat in zip(faces, seats, strict=True):
            face.seat = names[seat][:1].upper(), theme.PLAYERS[colours[seat]]

    def _hidden(self, zone: Zone, doable: tuple[Doable, ...]) -> HiddenZone:
        """A zone that lies face down; where something can be done on it, it is touched as one."""
        view = HiddenZone(zone, self.scale, touchable=bool(doable))
        view.bind(on_release=lambda _view: self.touch(zone))
        return view


def grown(width: float) -> float:
    """How much larger than on a phone things are in a width in pixels, in steps of a fifth."""
    return min(_LARGEST, max(1.0, int(width / dp(_NARROW) * 5) / 5))


def grown_screen() -> float:
    """The same in the whole window, which may be wide and low."""
    root = App.get_running_app().root
    return grown(min(root.width, root.height * 0.8))


def _free(action: Action) -> int:
    needs = () if action.step is None else action.step.needs
    return len(needs) - len(action.settled)


def _row(view: ZoneView) -> Flow:
    cards = Flow(spacing=dp(6))
    view.add_widget(cards)
    return cards


def zone_view(
    zone: Zone,
    scale: float = 1.0,
    lit: Mapping[str, frozenset[int]] | None = None,
    *,
    kind: type[ZoneView] = ZoneView,
) -> ZoneView:
    """A zone as a panel: its known cards drawn, the others counted.

    Args:
        zone: what lies there.
        scale: how large the cards are, 1 on a phone.
        lit: places that stand out, from 0, by the name of their zone.
        kind: of panel.
    """
    view = kind(title=zone_title(zone))
    view.zone_name = zone.name
    known = [(k, card) for k, card in enumerate(zone.cards) if card.code != "??"]
    places = (lit or {}).get(zone.name, frozenset())
    if known:
        cards = _row(view)
        for k, card in known:
            face = CardFace(card=card, size=box_of(card, scale), marked=k in places)
            cards.add_widget(face)
    return view


def zone_title(zone: Zone) -> str:
    """A zone in a line: what it is, how many cards lie there, how many are not known.

    One thing is not counted: it is seen.
    """
    known, unread = zone.known, zone.unknown
    title = capitalised(texts.told(zone.title))
    if unread and known:
        return texts.ZONE_PARTLY.format(title=title, n=known + unread, unknown=unread)
    return title if known + unread == 1 else texts.ZONE.format(title=title, n=known + unread)


load_layout(__file__)
