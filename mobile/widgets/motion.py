"""Cards fly to their places, back when they are taken up again, and turn over where they lie.

Points fly to whom they are given. What flies is a picture above the window. The card itself is at
its place from the start, so that a touch never waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from kivy.animation import Animation
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.core.window import Window
from kivy.graphics import Color, Rectangle, RoundedRectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp
from kivy.properties import NumericProperty
from kivy.uix.widget import Widget

from mobile.resources import texts
from mobile.resources.pictures import Picture, Side, fitted
from mobile.widgets.faces import PICTURES, Backs, CardFace

SECONDS = 0.2
#: Points are read on their way, which takes so much longer than a card's.
LINGERS = 3.0
DARK = (0.05, 0.09, 0.12, 0.92)
#: More cards than these have not been laid one by one: a match was opened, or a page changed.
_MOST = 3
#: So many are turned over at a time, which is seen where they lie.
_TURNED = 12
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Place:
    """A card on the board: its middle in the window, which side shows, and its picture."""

    centre: Point
    side: Side
    picture: Picture


class Flier(Widget):
    """A picture on its way: of a card, or of points.

    Args:
        start: where its middle is, in the window.
        end: where it goes to.
        leaves: whether it fades on its way.
        over: its other side, where it is turned over meanwhile.
    """

    share = NumericProperty(0.0)

    def __init__(
        self,
        texture: Texture,
        start: Point,
        end: Point,
        *,
        leaves: bool = False,
        over: Picture | None = None,
    ) -> None:
        super().__init__(size_hint=(None, None), size=texture.size)
        self._from, self._to, self._over = start, end, over
        with self.canvas:
            self._colour = Color(1, 1, 1, 1)
            self._shape = Rectangle(texture=texture, size=texture.size)
        self._leaves = leaves
        self.bind(share=self._move)
        self._move()

    def _move(self, *_args: object) -> None:
        if self._over is not None:
            self._shape.size = self.width * abs(1 - 2 * self.share), self.height
            if self.share > 0.5:
                self._shape.texture = PICTURES.texture(self._over)
        x, y = (a + (b - a) * self.share for a, b in zip(self._from, self._to, strict=True))
        width, height = self._shape.size
        self._shape.pos = x - width / 2, y - height / 2
        self._colour.a = 1 - 0.8 * self.share if self._leaves else 1

    def on_touch_down(self, touch: Any) -> bool:
        """Nothing that flies can be touched; what is below it can."""
        return False


class FlyingPoints(Flier):
    """Points on their way.

    Args:
        points: how many more a player has.
    """

    def __init__(self, points: int, start: Point, end: Point) -> None:
        label = CoreLabel(
            text=texts.signed(points, "+"), bold=True, font_size=dp(26), padding=(dp(10), dp(2))
        )
        label.refresh()
        # Light on dark is read on either ground.
        self._plate = RoundedRectangle(size=label.texture.size, radius=[dp(14)])
        super().__init__(label.texture, start, end)
        self.canvas.insert(0, Color(*DARK))
        self.canvas.insert(1, self._plate)

    def _move(self, *_args: object) -> None:
        super()._move()
        self._plate.pos = self._shape.pos


class Motion:
    """Notices which cards of a board are new or gone, and lets them fly.

    Args:
        board: gives the board's widgets.
        source: where a card comes from and goes to, in the window.
    """

    def __init__(
        self, board: Callable[[], Iterable[Any]], source: Callable[[CardFace], Point]
    ) -> None:
        self._board, self._source = board, source

    def around(self, change: Callable[[], None], *, leaves: bool) -> None:
        """Changes a board.

        Args:
            change: draws it anew.
            leaves: whether something was taken back; cards that are gone fly off only then.
        """
        before = {face.card: _place(face) for face in self._faces()}
        backs = {
            _zone(widget): widget.to_window(*widget.alone)
            for widget in self._board()
            if isinstance(widget, Backs) and widget.alone is not None
        }
        change()
        faces = {face.card: face for face in self._faces()}
        new = [face for card, face in faces.items() if card not in before]
        gone = [place for card, place in before.items() if card not in faces]
        turned = [face for card, face in faces.items() if _is_turned(face, before.get(card))]
        if 0 < len(turned) <= _TURNED:
            self._hide(turned, lambda face: self._turn(face, before[face.card].picture))
        if not before and not leaves and len(new) > 1:
            return
        if 0 < len(new) <= _MOST:
            self._hide(new, lambda face: self._come(face, backs))
        if leaves and 0 < len(gone) <= _MOST:
            home = self._source(next(iter(faces.values()), CardFace()))
            for place in gone:
                texture = PICTURES.texture(place.picture)
                _fly(Flier(texture, place.centre, home, leaves=True), lambda: None)

    @staticmethod
    def _hide(faces: list[CardFace], show: Callable[[CardFace], None]) -> None:
        """Cards are seen again at the end of their ways, which begin with the next frame.

        Where they lie is known when that is laid out.
        """

        def begin(_dt: float) -> None:
            for face in faces:
                if face.get_root_window() is None:
                    face.opacity = 1
                else:
                    show(face)

        for face in faces:
            face.opacity = 0
        Clock.schedule_once(begin, 0)

    def _come(self, face: CardFace, backs: Mapping[str, Point]) -> None:
        """A new card flies to its place; one that lay face down in its zone is turned up."""
        place, card = _place(face), face.card
        under = backs.get(_zone(face))
        if under is None or card is None:
            texture = PICTURES.texture(place.picture)
            _show(face, Flier(texture, self._source(face), place.centre))
        else:
            back = PICTURES.texture(fitted(card, Side.BACK, face.size, four=False))
            _show(face, Flier(back, under, place.centre, over=place.picture))

    @staticmethod
    def _turn(face: CardFace, under: Picture) -> None:
        place = _place(face)
        texture = PICTURES.texture(under)
        _show(face, Flier(texture, place.centre, place.centre, over=place.picture))

    def _faces(self) -> list[CardFace]:
        return [w for w in self._board() if isinstance(w, CardFace) and w.card is not None]


def fly_points(points: int, board: Widget, chip: Widget) -> None:
    """Points fly from the board to the one who is given them; what is taken away flies back.

    Args:
        points: how many more the player has now.
        board: what they are given for.
        chip: shows the player; it may still have to find its place.
    """

    def begin(_dt: float) -> None:
        if chip.get_root_window() is None or board.get_root_window() is None:
            return
        ends = board.to_window(*board.center), chip.to_window(*chip.center)
        start, end = ends if points > 0 else ends[::-1]
        _fly(FlyingPoints(points, start, end), lambda: None, LINGERS)

    Clock.schedule_once(begin, 0)


def _show(face: CardFace, flier: Flier) -> None:
    """A card is seen once its picture has arrived."""
    _fly(flier, partial(setattr, face, "opacity", 1))


def _fly(flier: Flier, then: Callable[[], None], lingers: float = 1.0) -> None:
    Window.add_widget(flier)

    def landed(*_args: object) -> None:
        Window.remove_widget(flier)
        then()

    flight = Animation(share=1.0, duration=SECONDS * lingers, transition="out_cubic")
    flight.bind(on_complete=landed)
    flight.start(flier)


def _place(face: CardFace) -> _Place:
    side = Side.BACK if face.turned else Side.FACE
    assert face.card is not None
    picture = fitted(face.card, side, face.size, four=face.four)
    return _Place(face.to_window(*face.center), side, picture)


def _zone(widget: Any) -> str:
    """Name of the zone that a widget of the board belongs to; empty where it is none's."""
    while widget is not None and widget.parent is not widget:
        if name := getattr(widget, "zone_name", ""):
            return str(name)
        widget = widget.parent
    return ""


def _is_turned(face: CardFace, before: _Place | None) -> bool:
    return before is not None and face.turned != (before.side is Side.BACK)
