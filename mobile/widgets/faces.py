"""Cards, tiles and coins on the screen: each picture is painted once and kept as a texture."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from math import radians, sin
from typing import Any

from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Ellipse, PopMatrix, PushMatrix, Rectangle, Rotate, RoundedRectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp
from kivy.properties import (
    BooleanProperty,
    ColorProperty,
    NumericProperty,
    ObjectProperty,
    StringProperty,
)
from kivy.uix.widget import Widget

from companion.cards import Card, Family, unknown
from mobile.model.faces import card_name, face_text
from mobile.resources import theme
from mobile.resources.pictures import Picture, Side, fitted, painted
from mobile.widgets.presses import Pressable
from mobile.widgets.ui import load_layout

#: Pictures that are kept, in bytes; a deck's faces and keys on a dense screen are eight million.
_KEPT = 24_000_000
#: Behind words on a picture.
_PLATE = (0.05, 0.09, 0.12, 0.92)
_DOUBT = (0.48, 0.28, 0, 1)
_FADED = 0.32
#: Of more cards a fan, or a pile, does not show more.
_FANNED, _PILED = 20, 4


#: Left, bottom, width and height in the window.
Place = tuple[float, float, float, float]


class Pictures:
    """Textures of cards, the least lately shown given up where there are too many.

    Attributes:
        painted: how many pictures were painted since the app began.
    """

    def __init__(self) -> None:
        self.painted = 0
        self._kept: OrderedDict[Picture, Texture] = OrderedDict()
        self._bytes = 0

    def texture(self, picture: Picture) -> Texture:
        """The texture of a picture, painted where it is not there yet."""
        found = self._kept.get(picture)
        if found is not None:
            self._kept.move_to_end(picture)
            return found
        texture = Texture.create(size=picture.size, colorfmt="rgba")
        texture.flip_vertical()

        def fill(texture: Any) -> None:
            self.painted += 1
            texture.blit_buffer(painted(picture).tobytes(), colorfmt="rgba", bufferfmt="ubyte")

        fill(texture)
        # Android may take textures away while the app is off the screen.
        texture.add_reload_observer(fill)
        self._kept[picture] = texture
        self._bytes += 4 * picture.size[0] * picture.size[1]
        while self._bytes > _KEPT and len(self._kept) > 1:
            gone, _ = self._kept.popitem(last=False)
            self._bytes -= 4 * gone.size[0] * gone.size[1]
        return texture


PICTURES = Pictures()


@lru_cache(maxsize=200)
def _words(text: str, size: int) -> Texture:
    label = CoreLabel(text=text, font_size=size, bold=True)
    label.refresh()
    return label.texture


class Pictured(Pressable, Widget):
    """Something that can be touched and is drawn as a card's picture."""

    four = BooleanProperty(False)
    accent = ColorProperty()
    faded = BooleanProperty(False)
    #: What a test or a screen reader calls it; keys are found by it.
    text = StringProperty("")

    #: What is drawn anew when it changes.
    drawn_by: tuple[str, ...] = ("pos", "size", "four", "accent", "faded")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._paint_soon = Clock.create_trigger(self._paint, -1)
        for name in self.drawn_by:
            self.fbind(name, self._paint_soon)
        self._paint_soon()

    def _paint(self, *_args: object) -> None:
        self.canvas.clear()
        with self.canvas:
            self.draw()

    def draw(self) -> None:
        """Draws it; called within its canvas."""
        raise NotImplementedError

    @staticmethod
    def place(picture: Picture, box: Place) -> Place:
        """Where a picture lies in the middle of a box.

        On whole pixels, or its edges would blur.
        """
        width, height = picture.size
        x, y = box[0] + (box[2] - width) / 2, box[1] + (box[3] - height) / 2
        return float(round(x)), float(round(y)), float(width), float(height)

    def put(self, picture: Picture, box: Place) -> Place:
        """Puts a picture into the middle of a box, and says where it lies."""
        place = self.place(picture, box)
        Color(1, 1, 1, _FADED if self.faded else 1)
        Rectangle(texture=PICTURES.texture(picture), pos=place[:2], size=place[2:])
        return place

    @staticmethod
    def write(text: str, centre: tuple[float, float], size: float) -> None:
        """Writes words in white on a dark plate."""
        words = _words(text, round(size))
        width, height = words.size
        x, y = round(centre[0] - width / 2), round(centre[1] - height / 2)
        rim = size * 0.25
        Color(*_PLATE)
        RoundedRectangle(
            pos=(x - rim, y), size=(width + 2 * rim, height), radius=[min(height, width) * 0.3]
        )
        Color(1, 1, 1, 1)
        Rectangle(texture=words, pos=(x, y), size=words.size)

    def halo(self, place: Place) -> None:
        """A border in the colour that is highlighted with."""
        x, y, width, height = place
        rim = dp(3)
        Color(*self.accent)
        RoundedRectangle(
            pos=(x - rim, y - rim),
            size=(width + 2 * rim, height + 2 * rim),
            radius=[min(width, height) * 0.11 + rim],
        )

    @staticmethod
    def doubt(right: float, top: float) -> None:
        """A question mark at the upper right corner."""
        Pictured.sign("?", (right - dp(4), top - dp(4)), _DOUBT, (1, 1, 1, 1))

    @staticmethod
    def sign(letter: str, centre: tuple[float, float], ground: Any, ink: Any) -> None:
        """A letter on a round ground."""
        size = dp(20)
        x, y = (value - size / 2 for value in centre)
        words = _words(letter, round(dp(13)))
        Color(*ground)
        Ellipse(pos=(x, y), size=(size, size))
        Color(*ink)
        at = round(x + (size - words.width) / 2), round(y + (size - words.height) / 2)
        Rectangle(texture=words, pos=at, size=words.size)


class CardFace(Pictured):
    """A card: its rank and suit are read at arm's length; with an optional mark."""

    card = ObjectProperty(None, allownone=True)
    rank = StringProperty("")
    suit = StringProperty("")
    doubtful = BooleanProperty(False)
    marked = BooleanProperty(False)
    number = NumericProperty(0)
    #: It lies turned over, though everybody knows what it is.
    turned = BooleanProperty(False)
    #: Whose it is: a letter and a colour; None where that is of no matter.
    seat = ObjectProperty(None, allownone=True)

    drawn_by = (*Pictured.drawn_by, "card", "doubtful", "marked", "turned", "seat")

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("size", box_of(kwargs.get("card")))
        kwargs.setdefault("size_hint", (None, None))
        super().__init__(**kwargs)

    def on_card(self, _widget: object, card: Card | None) -> None:
        """Shows another card."""
        self.rank, self.suit = face_text(card)

    def draw(self) -> None:
        """The card, and round it what is to be said about it."""
        if self.card is None or self.width < 2 or self.height < 2:
            return
        side = Side.BACK if self.turned else Side.FACE
        picture = fitted(self.card, side, (self.width, self.height), four=self.four)
        box = (self.x, self.y, self.width, self.height)
        if self.marked:
            self.halo(self.place(picture, box))
        x, y, width, height = self.put(picture, box)
        if self.turned:
            size = min(height, width * 1.4) * 0.26
            self.write(card_name(self.card), (x + width / 2, y + height / 2), size)
        if self.doubtful:
            self.doubt(x + width, y + height)
        if self.seat is not None:
            letter, colour = self.seat
            self.sign(letter, (x + width - dp(4), y + dp(6)), colour, theme.PLAYER_INK)


class CardBack(Pictured):
    """A card that lies face down, with its place in the hand."""

    number = StringProperty("")
    index = NumericProperty(0)
    marked = BooleanProperty(False)
    #: A card of the deck whose back it is.
    card = ObjectProperty(None, allownone=True)

    drawn_by = (*Pictured.drawn_by, "number", "marked", "card")

    def __init__(self, **kwargs: Any) -> None:
        # Wide enough for a thumb; the picture stands in the middle of it.
        kwargs.setdefault("size", back_box(1.0))
        kwargs.setdefault("size_hint", (None, None))
        super().__init__(**kwargs)

    def draw(self) -> None:
        """The back, and its number on it."""
        card = self.card if self.card is not None else unknown(Family.STANDARD)
        box = (self.x, self.y, self.width, self.height)
        picture = fitted(card, Side.BACK, box[2:], four=False)
        if self.marked:
            self.halo(self.place(picture, box))
        self.put(picture, box)
        if self.number:
            self.write(self.number, (self.center_x, self.center_y), dp(15))


class Backs(Widget):
    """Cards that lie face down together; no touch is meant for one of them.

    Args:
        card: one of them, whose back is drawn.
        scale: how large they are, 1 on a phone.
    """

    def __init__(self, *, card: Card, count: int, scale: float) -> None:
        width, height = box_of(card, scale * self.share)
        super().__init__(size_hint_y=None, height=height + dp(10))
        self._card, self._count, self._box = card, count, (width, height)
        paint = Clock.create_trigger(self._paint, -1)
        self.fbind("pos", paint)
        self.fbind("size", paint)

    #: How large a card is beside one that lies open.
    share = 0.9

    @property
    def alone(self) -> tuple[float, float] | None:
        """The middle of the one card that lies there, where it is one."""
        if self._count != 1:
            return None
        (x, y, _), *_rest = self.places()
        return x, self.y + y + self._box[1] / 2

    def _paint(self, *_args: object) -> None:
        self.canvas.clear()
        texture = PICTURES.texture(fitted(self._card, Side.BACK, self._box, four=False))
        with self.canvas:
            Color(1, 1, 1, 1)
            for x, y, angle in self.places():
                PushMatrix()
                Rotate(angle=angle, origin=(x, self.y - self._box[1]))
                left, low = x - self._box[0] / 2, self.y + y
                Rectangle(texture=texture, pos=(left, low), size=self._box)
                PopMatrix()

    def places(self) -> list[tuple[float, float, float]]:
        """Middle, height above the foot and angle in degrees of each card, the lowest first."""
        raise NotImplementedError


class Fan(Backs):
    """A hand as people hold it."""

    def places(self) -> list[tuple[float, float, float]]:
        """Side by side, at most as wide as there is room."""
        count = min(self._count, _FANNED)
        width, height = self._box
        turn = min(3.0, 24.0 / count)
        # Each turns about a point a card's height below it: so far the outer ones lean.
        lean = 2 * height * sin(radians((count - 1) / 2 * turn))
        step = min(width * 0.3, (self.width - width - 2 * lean) / max(1, count - 1))
        return [
            (self.x + width / 2 + lean + k * step, 0.0, ((count - 1) / 2 - k) * turn)
            for k in range(count)
        ]


class Pile(Backs):
    """Cards on each other; one is a card that lies alone."""

    def places(self) -> list[tuple[float, float, float]]:
        """Each a little beside the one below it."""
        count = min(self._count, _PILED)
        middle = self.x + self._box[0] / 2
        return [(middle + dp(2.5) * k, dp(2) * k, 0.0) for k in range(count)]


class CardKey(Pictured):
    """A key that stands for a card: its signs beside each other on its own ground."""

    value = ObjectProperty()
    chosen = BooleanProperty(False)
    #: A camera may have read it: a person should look.
    doubtful = BooleanProperty(False)

    drawn_by = (*Pictured.drawn_by, "value", "chosen", "doubtful")

    def draw(self) -> None:
        """The card; within a border where it is chosen."""
        if self.value is None:
            return
        rim = dp(4) if self.chosen else 0
        box = (self.x + rim, self.y + rim, self.width - 2 * rim, self.height - 2 * rim)
        if self.chosen:
            self.halo((box[0] - dp(1), box[1] - dp(1), box[2] + dp(2), box[3] + dp(2)))
        self.put(fitted(self.value, Side.KEY, (box[2], box[3]), four=self.four), box)
        if self.doubtful:
            self.doubt(self.right, self.top)


def box_of(card: Card | None, scale: float = 1.0) -> tuple[float, float]:
    """Width and height of a card on the table."""
    if card is not None and card.family in (Family.TILE, Family.COIN):
        return dp(56) * scale, dp(56) * scale
    return dp(48) * scale, dp(67) * scale


def back_box(scale: float) -> tuple[float, float]:
    """Width and height of a card that lies face down, as far as it can be touched."""
    return dp(48) * scale, dp(60) * scale


load_layout(__file__)
