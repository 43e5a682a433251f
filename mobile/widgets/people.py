"""People as things to touch: a round sign with a letter in their colour, and chips with a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kivy.core.text import Label as CoreLabel
from kivy.metrics import dp
from kivy.properties import ColorProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from mobile.model import people
from mobile.model.people import Person
from mobile.resources import theme
from mobile.widgets.basic import Act, Chip
from mobile.widgets.presses import Pressable
from mobile.widgets.ui import load_layout

if TYPE_CHECKING:
    from mobile.model.table import Table


class Avatar(Widget):
    """A person's colour with the first letter of the name."""

    letter = StringProperty()
    colour = ColorProperty(theme.PLAYERS[0])

    def show(self, person: Person) -> None:
        """Shows somebody."""
        self.letter, self.colour = person.name[:1].upper(), theme.PLAYERS[person.colour]


class Face(Pressable, BoxLayout):
    """Somebody to touch: the colour with the letter, and the name below it.

    Args:
        person: who.
        go: called by a touch.
    """

    text = StringProperty()

    def __init__(self, person: Person, go: Callable[[], object]) -> None:
        super().__init__()
        self._go, self.text = go, person.name
        self.ids.avatar.show(person)

    def on_release(self) -> None:
        """Leads on."""
        self._go()


class PersonChip(Pressable, Chip):
    """Somebody's name with the colour before it, to touch."""


class Swatch(Act):
    """A colour to choose."""

    colour = ColorProperty(theme.PLAYERS[0])
    number = NumericProperty(0)


class SeatChip(Chip):
    """A player at the table: the colour with the name's first letter, name, points, standing."""

    letter = StringProperty()
    #: The letter as it is drawn.
    sign = ObjectProperty(None, allownone=True)

    def on_letter(self, *_args: object) -> None:
        """Draws the letter: a label of its own would be one more text to read aloud."""
        drawn = CoreLabel(text=self.letter, bold=True, font_size=dp(14))
        drawn.refresh()
        self.sign = drawn.texture


def chips(box: Any, persons: Sequence[Person], touched: Callable[[Person], None]) -> None:
    """Fills a layout with people to touch."""
    box.clear_widgets()
    for person in persons:
        chip = PersonChip(text=person.name, dot=theme.PLAYERS[person.colour])
        chip.bind(on_release=lambda _chip, person=person: touched(person))
        box.add_widget(chip)


def seated(table: Table, known: Sequence[Person]) -> list[SeatChip]:
    """Everybody at a table with points and standing; those who are waited for stand out."""
    colours = people.seated(known, table.setup.players)
    return [
        SeatChip(
            letter=table.setup.players[seat][:1].upper(),
            text=table.player_line(seat),
            chosen=seat in table.guidance.waiting,
            dot=theme.PLAYERS[colour],
        )
        for seat, colour in enumerate(colours)
    ]


load_layout(__file__)
