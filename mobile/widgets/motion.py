"""Cards that fly to their places, and back when they are taken up again.

What flies is a picture above the window. The card itself is at its place from the start, so that a
touch never waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from kivy.animation import Animation
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.graphics import Color, Rectangle
from kivy.properties import NumericProperty
from kivy.uix.widget import Widget

from mobile.resources.pictures import Picture, Side, fitted
from mobile.widgets.faces import PICTURES, CardFace

SECONDS = 0.2
#: More cards than these have not been laid one by one: a match was opened, or a page changed.
_MOST = 3
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Place:
    """A card on the board: its middle in the window and its picture."""

    centre: Point
    picture: Picture


class Flier(Widget):
    """A card's picture on its way."""

    share = NumericProperty(0.0)

    def __init__(self, picture: Picture, start: Point, end: Point, *, leaves: bool) -> None:
        super().__init__(size_hint=(None, None), size=picture.size)
        self._from, self._to = start, end
        with self.canvas:
            self._colour = Color(1, 1, 1, 1)
            self._shape = Rectangle(texture=PICTURES.texture(picture), size=picture.size)
        self._leaves = leaves
        self.bind(share=self._move)
        self._move()

    def _move(self, *_args: object) -> None:
        x, y = (a + (b - a) * self.share for a, b in zip(self._from, self._to, strict=True))
        width, height = self._shape.size
        self._shape.pos = x - width / 2, y - height / 2
        self._colour.a = 1 - 0.8 * self.share if self._leaves else 1

    def on_touch_down(self, touch: Any) -> bool:
        """Nothing that flies can be touched; what is below it can."""
        return False


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
        change()
        faces = {face.card: face for face in self._faces()}
        new = [face for card, face in faces.items() if card not in before]
        gone = [place for card, place in before.items() if card not in faces]
        if not before and not leaves and len(new) > 1:
            return
        if 0 < len(new) <= _MOST:
            for face in new:
                face.opacity = 0
            # Where they lie is known when the next frame is laid out.
            Clock.schedule_once(lambda _dt: self._come(new), 0)
        if leaves and 0 < len(gone) <= _MOST:
            home = self._source(next(iter(faces.values()), CardFace()))
            for place in gone:
                _fly(Flier(place.picture, place.centre, home, leaves=True), lambda: None)

    def _come(self, faces: list[CardFace]) -> None:
        for face in faces:
            if face.get_root_window() is None:
                face.opacity = 1
                continue
            place = _place(face)
            flier = Flier(place.picture, self._source(face), place.centre, leaves=False)
            _fly(flier, partial(setattr, face, "opacity", 1))

    def _faces(self) -> list[CardFace]:
        return [w for w in self._board() if isinstance(w, CardFace) and w.card is not None]


def _fly(flier: Flier, then: Callable[[], None]) -> None:
    Window.add_widget(flier)

    def landed(*_args: object) -> None:
        Window.remove_widget(flier)
        then()

    flight = Animation(share=1.0, duration=SECONDS, transition="out_cubic")
    flight.bind(on_complete=landed)
    flight.start(flier)


def _place(face: CardFace) -> _Place:
    side = Side.BACK if face.turned else Side.FACE
    assert face.card is not None
    picture = fitted(face.card, side, face.size, four=face.four)
    return _Place(face.to_window(*face.center), picture)
