"""Buttons, text, cards: the small parts of every screen."""

from __future__ import annotations

from pathlib import Path

from kivy.factory import Factory
from kivy.lang import Builder
from kivy.properties import (
    BooleanProperty,
    NumericProperty,
    ObjectProperty,
    OptionProperty,
    StringProperty,
)
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.label import Label
from kivy.uix.modalview import ModalView
from kivy.uix.relativelayout import RelativeLayout

from companion.cards import SYMBOLS, Card


class Act(ButtonBehavior, Label):
    """A button: `main` for the one primary action of a screen, `plain`, or `quiet`."""

    kind = OptionProperty("plain", options=("main", "plain", "quiet"))
    chosen = BooleanProperty(False)


class Words(Label):
    """Text that wraps and is as high as it needs."""


class Panel(BoxLayout):
    """A group on its own surface."""


class Sheet(ModalView):
    """A sheet over the screen."""


class CardFace(ButtonBehavior, RelativeLayout):
    """A playing card: rank and suit large enough for an arm's length, with an optional mark."""

    card = ObjectProperty(None, allownone=True)
    rank = StringProperty("")
    suit = StringProperty("")
    doubtful = BooleanProperty(False)
    marked = BooleanProperty(False)
    number = NumericProperty(0)

    def on_card(self, _widget: object, card: Card | None) -> None:
        """Shows another card."""
        self.rank, self.suit = face_text(card)


def face_text(card: Card | None) -> tuple[str, str]:
    """What stands on a card: its rank and its suit's symbol."""
    if card is None or card.code == "??":
        return "?", ""
    if card.is_joker:
        return "JK", "★"
    rank = (
        card.code[: -len(card.suit)] if card.suit and card.code.endswith(card.suit) else card.code
    )
    if card.family.value == "standard" and card.suit:
        return rank, SYMBOLS[card.suit]
    return card.code.rstrip("?"), ""


def card_name(card: Card) -> str:
    """A card in short, e.g. `7♠`."""
    return "".join(face_text(card))


for kind in (Act, Words, Panel, Sheet, CardFace):
    Factory.register(kind.__name__, cls=kind)
Builder.load_file(str(Path(__file__).with_suffix(".kv")))
