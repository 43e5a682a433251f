"""Buttons, text, cards: the small parts of every screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from math import ceil, floor
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Callback
from kivy.graphics.scissor_instructions import ScissorPush
from kivy.metrics import dp
from kivy.properties import (
    BooleanProperty,
    ColorProperty,
    NumericProperty,
    ObjectProperty,
    OptionProperty,
    StringProperty,
)
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout
from kivy.uix.label import Label
from kivy.uix.modalview import ModalView
from kivy.uix.scrollview import ScrollView
from kivy.uix.stacklayout import StackLayout
from kivy.uix.widget import Widget

from companion.errors import CompanionError
from mobile.model.faces import card_name, face_text
from mobile.resources import texts
from mobile.widgets.faces import CardBack, CardFace
from mobile.widgets.presses import GUARD, Pressable
from mobile.widgets.signs import Sign
from mobile.widgets.ui import load_layout

__all__ = ["CardBack", "CardFace", "Sign", "card_name", "face_text"]
#: A word that does not fit a button is made smaller down to this share of its size.
_LEAST = 0.7
_widths: dict[tuple[object, ...], float] = {}


def word_width(word: str, label: Label, size: float) -> float:
    """Width in pixels of a word as a label would write it at a size."""
    key = word, label.font_name, label.bold, size
    if key not in _widths:
        pen = CoreLabel(font_name=label.font_name, bold=label.bold, font_size=size)
        _widths[key] = float(pen.get_extents(word)[0])
    return _widths[key]


class Fitted(Label):
    """A text that is made smaller where a word of it would be broken in the middle."""

    font_size: Any
    #: What the text must not be wider than.
    room = NumericProperty(0)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._wanted, self._is_fitting = self.font_size, False
        fit = Clock.create_trigger(self._fit, -1)
        for name in ("text", "room", "font_name", "bold"):
            self.fbind(name, fit)
        self.fbind("font_size", self._resized, fit)
        fit()

    def _resized(self, fit: Callable[[], None], *_args: object) -> None:
        if not self._is_fitting:
            self._wanted = self.font_size
            fit()

    def _fit(self, *_args: object) -> None:
        wanted = self._wanted
        # No letter is wider than it is high: most words need no measuring.
        words = [w for w in self.text.split() if len(w) * wanted > self.room > 0]
        longest = max((word_width(word, self, wanted) for word in words), default=0.0)
        smaller = max(_LEAST, self.room / longest) if 0 < self.room < longest else 1.0
        # Letters are set on whole pixels: a word does not shrink in proportion.
        while smaller > _LEAST and any(
            word_width(word, self, wanted * smaller) > self.room for word in words
        ):
            smaller = max(_LEAST, smaller - 0.02)
        self._is_fitting = True
        self.font_size = wanted * smaller
        self._is_fitting = False


class Act(Pressable, Fitted):
    """A button: `main` for the one primary action of a screen, `plain`, `quiet`, or `danger`."""

    kind = OptionProperty("plain", options=("main", "plain", "quiet", "danger"))
    chosen = BooleanProperty(False)


def offer(box: Any, text: str, go: Callable[[], object], make: type[Act] = Act, **look: Any) -> Act:
    """Puts one button more into a layout; `go` is what a touch on it does."""
    button = make(text=text, **look)
    button.bind(on_release=lambda _button: go())
    box.add_widget(button)
    return button


def offer_choices(
    box: Any, choices: Iterable[tuple[Any, str]], now: Any, take: Callable[[Any], object]
) -> None:
    """Fills a layout with values and their words, each a button; the one in use has a tick."""
    box.clear_widgets()
    for value, label in choices:
        text = f"✓ {label}" if value == now else label
        offer(box, text, partial(take, value), chosen=value == now)


@contextmanager
def saying(widget: Any, name: str) -> Iterator[None]:
    """Does what follows; where it is refused, a property of a widget says why."""
    try:
        yield
    except CompanionError as error:
        setattr(widget, name, texts.told(error.message))


class SwitchRow(Pressable, Fitted):
    """A row with a switch at its end: a touch anywhere on it turns it on or off."""

    on = BooleanProperty(False)

    def on_release(self) -> None:
        """It means the opposite now: a second touch that comes too soon does not turn it back."""
        GUARD.changed()


class Key(Act):
    """A small button that stands for one value."""

    value = ObjectProperty(None, allownone=True)
    #: It cannot be meant.
    faded = BooleanProperty(False)


class _Mirror:
    """Turns the order of its children round for the left hand."""

    # Of the layout that it is mixed into.
    children: Any
    add_widget: Any
    clear_widgets: Any

    mirrored = BooleanProperty(False)

    def on_kv_post(self, _base: object) -> None:
        """The children are there: they can be turned."""
        self._is_built = True
        if self.mirrored:
            self._turn()

    def on_mirrored(self, *_args: object) -> None:
        """The hand has changed."""
        if getattr(self, "_is_built", False):
            self._turn()

    def _turn(self) -> None:
        children = list(self.children)
        self.clear_widgets()
        for child in children:
            self.add_widget(child)


class _Hideable:
    """A layout that takes neither room nor touches while it is not shown."""

    shown = BooleanProperty(True)

    def on_touch_down(self, touch: Any) -> bool:
        """What is not shown hangs out of its place, over what lies there."""
        return bool(self.shown and super().on_touch_down(touch))  # type: ignore[misc]


class Bar(_Hideable, _Mirror, GridLayout):
    """Buttons at the bottom of a screen, the main one under the thumb."""


class Snack(BoxLayout):
    """What was just done, and how it is taken back; not there while there is nothing to say."""

    text = StringProperty()
    #: What the button says; empty for none.
    act = StringProperty()

    def __init__(self, **kwargs: Any) -> None:
        self.register_event_type("on_release")
        super().__init__(**kwargs)

    def on_release(self) -> None:
        """The button was pressed."""


class Column(BoxLayout):
    """Things below each other, as high as they are together."""


class Row(BoxLayout):
    """Things beside each other, as high as the highest of them."""


class Grid(GridLayout):
    """Things in columns, as high as they are together."""


class Flow(StackLayout):
    """Things beside each other in as many lines as they need."""


class Evenly(Grid):
    """Buttons of one height, that of the one with the most lines."""

    def add_widget(self, widget: Any, *args: Any, **kwargs: Any) -> None:
        """One button more."""
        widget.size_hint_y = 1
        widget.bind(texture_size=self._fit)
        super().add_widget(widget, *args, **kwargs)
        self._fit()

    def _fit(self, *_args: object) -> None:
        tallest = max((child.texture_size[1] for child in self.children), default=0)
        self.row_default_height = max(dp(48), tallest + dp(20))
        self.row_force_default = True


class Sides(_Mirror, BoxLayout):
    """Camera and controls side by side where it is `wide`, else one above the other."""

    wide = BooleanProperty(False)


class Words(Label):
    """Text that wraps and is as high as it needs."""

    #: Whether it holds what may be broken anywhere, such as a long prediction.
    may_break = BooleanProperty(False)
    tone = OptionProperty("ink", options=("ink", "muted", "accent"))


class Name(Fitted, Words):
    """A name in a narrow column."""


class Scroll(ScrollView):
    """A scrolling view that cuts off what is beyond it by a rectangle of the window.

    Kivy's own draws its area twice more into a stencil; where the processor draws, that was a
    third of a frame. Only upright rectangles can be cut so, and nothing here is turned.
    """

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        with self.canvas.before:
            # Where the view is in the window is sure only when it is drawn.
            Callback(self._cut)
            self._scissor = ScissorPush(x=0, y=0, width=0, height=0)

    def to_top(self) -> None:
        """Begins a page at its top; a swipe that is still moving the last page ends."""
        for effect in (self.effect_x, self.effect_y):
            if effect is not None:
                effect.velocity = effect.overscroll = 0
                effect.history = []
        self.scroll_y = 1
        self._update_effect_bounds()

    def on_touch_down(self, touch: Any) -> bool:
        """Hands a touch on a grip to it at once."""
        if self.collide_point(*touch.pos):
            x, y = self.to_window(*touch.pos)
            for widget in self.walk(restrict=True):
                if isinstance(widget, Grip) and widget.collide_point(*widget.to_widget(x, y)):
                    return bool(self.simulate_touch_down(touch))
        return bool(super().on_touch_down(touch))

    def _cut(self, _instruction: object) -> None:
        left, bottom = self.to_window(*self.pos)
        right, top = self.to_window(self.right, self.top)
        place = (floor(left), floor(bottom), ceil(right), ceil(top))
        scissor = self._scissor
        wanted = (place[0], place[1], max(0, place[2] - place[0]), max(0, place[3] - place[1]))
        if wanted != (scissor.x, scissor.y, scissor.width, scissor.height):
            scissor.x, scissor.y, scissor.width, scissor.height = wanted


class Grip(Act):
    """What a row is dragged by; a touch without a move is a button's.

    A scrolling view waits to see whether a touch is a swipe: not for this (`Scroll`).
    """

    dragged = NumericProperty(0)
    was_dropped = BooleanProperty(False)

    def on_touch_down(self, touch: Any) -> bool:
        """Takes hold."""
        self._from, self.dragged, self.was_dropped = touch.y, 0, False
        return bool(super().on_touch_down(touch))

    def on_touch_move(self, touch: Any) -> bool:
        """Tells how far it was dragged upwards since it was taken hold of."""
        if touch.grab_current is self:
            self.dragged = touch.y - self._from
            return True
        return bool(super().on_touch_move(touch))

    def dropped_at(self) -> None:
        """From here on it is dragged anew: its row has another place."""
        self._from, self.dragged, self.was_dropped = self._from + self.dragged, 0, True


class Panel(_Hideable, Column):
    """A group on its own surface."""


class YesOrNo(Panel):
    """A choice that is on or off, and what it does."""

    title = StringProperty()
    explain = StringProperty()
    on = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        self.register_event_type("on_release")
        super().__init__(**kwargs)

    def on_release(self) -> None:
        """The switch was touched."""


def listed(title: str, lines: Iterable[str]) -> Panel:
    """A panel of lines under a title."""
    panel = Panel()
    panel.add_widget(Words(text=title, bold=True))
    for line in lines:
        panel.add_widget(Words(text=line))
    return panel


class TouchPanel(Pressable, Panel):
    """A group that is a button as a whole; what lies in it is touched first."""


class Fold(Column):
    """What is shown only when it is asked for: until then it is not there to be touched."""

    unfolded = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._held: list[Any] = []

    def hold(self, *widgets: Any) -> None:
        """Takes other widgets; they are shown while it is unfolded."""
        self._held = list(widgets)
        self.on_unfolded()

    def on_unfolded(self, *_args: object) -> None:
        """Shows them, or takes them away; a second touch that comes too soon turns nothing back."""
        GUARD.changed()
        self.clear_widgets()
        for widget in self._held if self.unfolded else ():
            self.add_widget(widget)


class Sheet(ModalView):
    """A sheet over the screen."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.bind(on_pre_open=self._changed, on_dismiss=self._changed)

    def on_touch_down(self, touch: Any) -> bool:
        """Takes a touch that counts; one beside the sheet closes it."""
        return not GUARD.counts(touch) or bool(super().on_touch_down(touch))

    def on_touch_up(self, touch: Any) -> bool:
        """Lets go of a touch that counts."""
        return not GUARD.counts(touch) or bool(super().on_touch_up(touch))

    @staticmethod
    def _changed(_sheet: Sheet) -> None:
        GUARD.changed()


class LowSheet(Sheet):
    """A sheet at the foot of the window, so that what lies on the table stays in sight.

    Its last button lies over the table's icons, not over what the next player answers with.
    """

    #: On a wide window it stands over the foot's column, beside the board.
    beside = BooleanProperty(False)

    def _align_center(self, *_args: object) -> None:
        """Kivy's own would put it in the middle."""
        if not self._is_open:
            return
        # Once: moving it calls this again.
        x = self._window.center[0] - self.width / 2
        if self.beside and self._window.width > self._window.height:
            is_left = App.get_running_app().ui.left_handed
            x = dp(8) if is_left else self._window.width - self.width - dp(8)
        self.pos = x, 0


class Dismiss(Act):
    """Closes the sheet that it lies in."""

    def on_release(self) -> None:
        """Looks for the sheet."""
        sheet = self.parent
        while not isinstance(sheet, Sheet):
            sheet = sheet.parent
        sheet.dismiss(animation=False)


class AskSheet(Sheet):
    """A question before something that cannot be taken back."""

    question = StringProperty()
    yes = StringProperty()
    kind = OptionProperty("main", options=("main", "danger"))

    def __init__(
        self, question: str, yes: str, then: Callable[[], None], *, kind: str = "main"
    ) -> None:
        super().__init__()
        self.question, self.yes, self._then, self.kind = question, yes, then, kind

    def go_on(self) -> None:
        """It shall be done."""
        self.dismiss(animation=False)
        self._then()


def ask(question: str, yes: str, then: Callable[[], None], *, kind: str = "main") -> None:
    """Asks before something that cannot be taken back; `danger` where something is destroyed."""
    AskSheet(question, yes, then, kind=kind).open(animation=False)


class FreePlace(Pressable, Label):
    """A place where the next card comes to lie.

    Args:
        size: in pixels, as the cards beside it have.
    """

    def __init__(self, *, size: tuple[float, float], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = size


class Chip(Label):
    """A player with the points; the one who is waited for stands out."""

    chosen = BooleanProperty(False)
    #: The player's colour; None where there is none.
    dot = ColorProperty(None, allownone=True)
    #: Whether it looks like a button.
    lifted = BooleanProperty(False)
    #: The colour round one that is chosen; None for the accent.
    ring = ColorProperty(None, allownone=True)


class Quiet(Pressable):
    """What has a ground of its own only under the finger."""


class IconAct(Quiet, Widget):
    """A quiet button that is an icon; `text` is what it is called."""

    sign = StringProperty()
    text = StringProperty()


class Tool(Quiet, BoxLayout):
    """A quiet button of the bar at the foot: an icon and below it what it does."""

    sign = StringProperty()
    text = StringProperty()


load_layout(__file__)
