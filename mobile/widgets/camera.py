"""The camera's picture with an outline and a name on every recognised card."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

import cv2
import numpy as np
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, InstructionGroup, Line, Rectangle, RoundedRectangle
from kivy.graphics.texture import Texture
from kivy.metrics import dp, sp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty
from kivy.uix.widget import Widget

from companion.cards import Card
from mobile.model.labels import WHOLE_FRAME, Box, Window, free_box, window_round
from mobile.widgets.basic import card_name
from mobile.widgets.ui import load_layout
from vision.arrays import Image
from vision.types import CardRead, Reading


class Mark(Enum):
    """What a read card is to the table: its outline's colour and width in dp, its name's form.

    A width of 0 is a dashed line.
    """

    RECORDED = (0.5, 0.95, 0.72, 1), 2.2, "✓"
    NEWEST = (0.5, 0.95, 0.72, 1), 2.2, "✓ {card}"
    SEEN = (1, 1, 1, 1), 1.0, "{card}"
    ASKED = (1, 0.82, 0.45, 1), 2.2, "{card} ?"
    DOUBTFUL = (1, 0.82, 0.45, 1), 0.0, ""
    #: Where nothing is recorded, such as before the camera is calibrated.
    SURE = (0.5, 0.95, 0.72, 1), 1.4, "{card}"


_STEP = 64
#: Seconds after which an outline is wiped off a picture that is not the one it was read from.
LAST = 1.5
#: A width that every name has room in.
_ANY = 10_000
_EDGE = (1, 1, 1, 0.55)
#: A part of the table: its name and its corners as fractions of the picture.
Place = tuple[str, tuple[tuple[float, float], ...]]
_PLATE = (0.04, 0.07, 0.08, 0.85)


class CameraView(Widget):
    """Shows frames, fitted into the widget, with what was read from them on top.

    Where it crops, the widget is filled: with the part of the frame in which cards lie, or with
    its middle. Where the cards do not fit, all of the frame is shown, without a ground of its own.
    """

    notice = StringProperty("")
    ratio = NumericProperty(4 / 3)
    crops = BooleanProperty(False)
    #: Whether the frame hides all of the widget's ground, which then is not drawn.
    is_covered = BooleanProperty(False)

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.places: tuple[Place, ...] = ()
        self._texture: Texture | None = None
        self._spare: list[Texture] = []
        self._frame = Rectangle(size=(0, 0))
        self._marks = InstructionGroup()
        self._reading: Reading | None = None
        self._recorded: Collection[Card] | None = None
        self._asked: Card | None = None
        self._newest: Card | None = None
        self._window: Window = WHOLE_FRAME
        self._marked_at = 0.0
        self._names: dict[tuple[str, float, int], Texture] = {}
        self.canvas.add(Color(1, 1, 1, 1))
        self.canvas.add(self._frame)
        self.canvas.add(self._marks)
        self.bind(pos=self._place, size=self._place)

    @property
    def has_picture(self) -> bool:
        """Whether a frame has been shown."""
        return self._texture is not None

    @property
    def names(self) -> tuple[str, ...]:
        """What stands on the picture now, for tests and screen readers."""
        reading = self._reading
        return () if reading is None else tuple(card_name(read.card) for read in reading.cards)

    def centre_of(self, card: Card) -> tuple[float, float] | None:
        """Where in the window the middle of a card is seen; None where it is not."""
        reading = self._reading
        read = next((r for r in reading.cards if r.card is card), None) if reading else None
        if reading is None or read is None or self._texture is None:
            return None
        points = [self._on_screen(corner, reading.size) for corner in read.quad]
        x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
        found = self.to_window(x, y)
        return float(found[0]), float(found[1])

    def show(self, image: Image) -> None:
        """Shows a frame.

        Args:
            image: (height, width, 3) BGR.
        """
        height, width = image.shape[:2]
        self.ratio = width / height
        if self._reading is not None and Clock.get_time() - self._marked_at > LAST:
            self.mark(None)  # what was read then may lie somewhere else by now
        image = self._shrunk(image)
        height, width = image.shape[:2]
        is_new = self._texture is None or self._texture.size != (width, height)
        if is_new:
            self._spare = [_texture(width, height) for _ in range(2)]
        # Turn about: filling a texture that is still being drawn would wait for the drawing.
        self._texture = self._spare.pop(0)
        self._spare.append(self._texture)
        pixels = cv2.cvtColor(image, cv2.COLOR_BGR2RGBA)
        self._texture.blit_buffer(pixels.tobytes(), colorfmt="rgba", bufferfmt="ubyte")
        self._frame.texture = self._texture
        if is_new:
            self._place()
        self._cut()

    def _shrunk(self, image: Image) -> Image:
        """A frame no larger than it is shown: what the screen cannot show need not be moved."""
        height, width = image.shape[:2]
        # In steps, so that a widget that grows by a pixel does not need other textures.
        wanted = max(_STEP, -(-int(self.width) // _STEP) * _STEP)
        if width <= wanted * 1.25:
            return image
        size = wanted, max(1, round(height * wanted / width))
        # Averaging over areas is slow, and only needed where pixels would be left out.
        how = cv2.INTER_AREA if width >= 2 * wanted else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)

    def clear(self) -> None:
        """Shows no picture any more."""
        self._texture = self._reading = None
        self.is_covered = False
        self._frame.texture, self._frame.size = None, (0, 0)
        self._marks.clear()

    def mark_of(self, card: Card) -> Mark:
        """What a card that is read is to the table."""
        if self._recorded is None:
            return Mark.SURE
        if card is self._asked:
            return Mark.ASKED
        if card is self._newest:
            return Mark.NEWEST
        return Mark.RECORDED if card in self._recorded else Mark.SEEN

    def settle(
        self, recorded: Collection[Card], asked: Card | None, newest: Card | None = None
    ) -> None:
        """Tells apart from now on what is recorded, asked about and merely seen.

        Args:
            recorded: cards that are recorded as lying there.
            asked: the card that people are asked about.
            newest: the card recorded last; the others carry a tick instead of a name.
        """
        if (recorded, asked, newest) != (self._recorded, self._asked, self._newest):
            self._recorded, self._asked, self._newest = recorded, asked, newest
            self._draw()

    def mark(self, reading: Reading | None) -> None:
        """Outlines and names what was read; None wipes it off."""
        self._reading, self._marked_at = reading, Clock.get_time()
        if self.crops and reading is not None and self._texture is not None:
            self._follow(reading)
            self._lay()
        self._draw()

    def _follow(self, reading: Reading) -> None:
        """Shows the part in which cards lie: it moves only where it must, and does not jump."""
        wide, high = reading.size
        reads = (*reading.cards, *reading.doubtful)
        points = [corner for read in reads for corner in read.quad]
        if not points:
            return
        xs, ys = [x / wide for x, _ in points], [y / high for _, y in points]
        left, top, width, height = self._window
        is_seen = left <= min(xs) and max(xs) <= left + width
        is_seen = is_seen and top <= min(ys) and max(ys) <= top + height
        wanted = window_round((min(xs), min(ys), max(xs), max(ys)), self._largest_window)
        if not is_seen or width > wanted[2] * 1.5:
            self._window = wanted

    @property
    def _largest_window(self) -> tuple[float, float]:
        """The largest part of the frame that has the widget's proportions."""
        assert self._texture is not None
        shape = self.width / max(1.0, self.height) * self._texture.height / self._texture.width
        return (1.0, 1 / shape) if shape > 1 else (shape, 1.0)

    def _cut(self) -> None:
        if not self.crops or self._texture is None:
            return
        left, top, width, height = self._window
        corners = self._texture.tex_coords
        right, low = max(corners[0::2]), max(corners[1::2])
        u, v = (left * right, (left + width) * right), (top * low, (top + height) * low)
        self._frame.tex_coords = (u[0], v[1], u[1], v[1], u[1], v[0], u[0], v[0])

    def _draw(self) -> None:
        reading = self._reading
        self._marks.clear()
        if reading is None or self._texture is None:
            return
        for title, corners in self.places:
            self._draw_place(title, corners)
        for read in reading.doubtful:
            self._outline(read, Mark.DOUBTFUL, reading.size)
        for read in reading.cards:
            self._outline(read, self.mark_of(read.card), reading.size)
        taken: list[Box] = []
        # Where there is not room for all names, those that are not recorded yet come first.
        waiting = sorted(reading.cards, key=lambda read: self.mark_of(read.card) is Mark.RECORDED)
        for read in waiting:
            self._name(read, reading.size, taken)

    def _place(self, *_args: object) -> None:
        if self._texture is None:
            return
        if self.crops:
            self._window = window_round((0.5, 0.5, 0.5, 0.5), self._largest_window, least=1.0)
            if self._reading is not None:
                self._follow(self._reading)
        self._lay()
        self._draw()

    def _lay(self) -> None:
        if self._texture is None:
            return
        self._cut()
        if self.crops and self._window != WHOLE_FRAME:
            self._frame.pos, self._frame.size, self.is_covered = self.pos, self.size, True
            return
        scale = min(self.width / self._texture.width, self.height / self._texture.height)
        size = self._texture.width * scale, self._texture.height * scale
        self._frame.size = size
        self.is_covered = size[0] > self.width - 1 and size[1] > self.height - 1
        # Not by the widget's middle: Kivy works that out anew only after this was called.
        self._frame.pos = (
            self.x + (self.width - size[0]) / 2,
            self.y + (self.height - size[1]) / 2,
        )

    def _on_screen(self, point: tuple[float, float], size: tuple[int, int]) -> tuple[float, float]:
        x, y = self._frame.pos
        width, height = self._frame.size
        left, top, across, down = self._window
        along, below = (point[0] / size[0] - left) / across, (point[1] / size[1] - top) / down
        return x + along * width, y + (1 - below) * height

    def point_on_screen(self, corner: tuple[float, float]) -> tuple[float, float]:
        """Where a point of the frame, given in fractions of it, lies in the window."""
        return self._on_screen(corner, (1, 1))

    def point_in_frame(self, x: float, y: float) -> tuple[float, float]:
        """The fractions of the frame at a place in the window; beyond 0 to 1 outside of it."""
        left, bottom = self._frame.pos
        width, height = self._frame.size
        return (x - left) / max(1.0, width), 1 - (y - bottom) / max(1.0, height)

    def _draw_place(self, title: str, corners: tuple[tuple[float, float], ...]) -> None:
        """A part of the table, as far as it is in the picture: its edge, its name in a corner."""
        edge = self._shown
        points = [
            (min(max(x, edge[0]), edge[2]), min(max(y, edge[1]), edge[3]))
            for x, y in (self._on_screen(corner, (1, 1)) for corner in corners)
        ]
        left, right = (pick(x for x, _ in points) for pick in (min, max))
        low, top = (pick(y for _, y in points) for pick in (min, max))
        if right - left < 1 or top - low < 1:
            return
        self._marks.add(Color(*_EDGE))
        self._marks.add(Line(points=[v for point in points for v in point], close=True, width=1))
        texture = self._name_texture(title, int(right - left - dp(6)))
        if texture is None or texture.height > top - low:
            return  # a name that is cut says something else
        at = left + dp(3), top - texture.height - dp(2)
        self._marks.add(Color(*_PLATE))
        self._marks.add(Rectangle(pos=at, size=texture.size))
        self._marks.add(Color(1, 1, 1, 1))
        self._marks.add(Rectangle(pos=at, size=texture.size, texture=texture))

    @property
    def _shown(self) -> Box:
        """The frame on the screen."""
        (x, y), (width, height) = self._frame.pos, self._frame.size
        return x, y, x + width, y + height

    def _outline(self, read: CardRead, mark: Mark, size: tuple[int, int]) -> None:
        points = [v for corner in read.quad for v in self._on_screen(corner, size)]
        colour, width, _ = mark.value
        dashes = {"width": dp(width)} if width else {"dash_length": 4, "dash_offset": 3}
        self._marks.add(Color(*colour))
        self._marks.add(Line(points=points, close=True, **dashes))

    def _name(self, read: CardRead, size: tuple[int, int], taken: list[Box]) -> None:
        """Puts the card's name above it or below, beside no other name; nowhere without room."""
        _, _, form = self.mark_of(read.card).value
        texture = self._name_texture(form.format(card=card_name(read.card)))
        assert texture is not None
        corners = [self._on_screen(corner, size) for corner in read.quad]
        xs, ys = zip(*corners, strict=True)
        label = texture.width + dp(4), texture.height
        area = self.x, self.y, self.right, self.top
        box = free_box((min(xs), min(ys), max(xs), max(ys)), label, area, taken)
        if box is None:
            return
        taken.append(box)
        self._marks.add(Color(*_PLATE))
        self._marks.add(RoundedRectangle(pos=box[:2], size=label, radius=[dp(4)]))
        self._marks.add(Color(1, 1, 1, 1))
        self._marks.add(Rectangle(pos=(box[0] + dp(2), box[1]), size=texture.size, texture=texture))

    def _name_texture(self, text: str, room: int = _ANY) -> Texture | None:
        """A name, in several lines where it has to be; None where a word of it has no room."""
        key = (text, sp(1), room)
        if key not in self._names:
            label = CoreLabel(text=text, font_size=sp(12), bold=True)
            if label.get_extents(max(text.split(), key=len, default=""))[0] > room:
                return None
            if label.get_extents(text)[0] > room:
                label = CoreLabel(text=text, font_size=sp(12), bold=True, text_size=(room, None))
            label.refresh()
            self._names[key] = label.texture
        return self._names[key]


def _texture(width: int, height: int) -> Texture:
    """An empty texture for frames, whose first row is the top one."""
    texture = Texture.create(size=(width, height), colorfmt="rgba")
    texture.flip_vertical()
    return texture


load_layout(__file__)
