"""Choosing a card by two taps: its rank, then its suit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kivy.lang import Builder
from kivy.properties import StringProperty

from companion.cards import Card
from mobile.widgets.basic import Act, CardFace, Sheet, face_text


class CardPicker(Sheet):
    """A sheet with every card of the game; `chosen` is called with the one tapped.

    Args:
        cards: what can be chosen.
        chosen: called with the card, after the sheet has closed.
        title: what the card is for.
        lying: cards that lie on the table already; they are offered all the same (one of the two
            was misread), but marked.
    """

    title = StringProperty("")
    hint = StringProperty("")

    def __init__(
        self,
        cards: Sequence[Card],
        chosen: Callable[[Card], None],
        *,
        title: str,
        lying: Sequence[Card] = (),
    ) -> None:
        super().__init__()
        self.title = title
        self._cards, self._chosen, self._lying = tuple(cards), chosen, frozenset(lying)
        self._by_rank: dict[str, list[Card]] = {}
        for card in self._cards:
            self._by_rank.setdefault(_rank_key(card), []).append(card)
        for rank, group in self._by_rank.items():
            button = Act(text=rank, kind="plain", font_name="Symbols")
            button.bind(on_release=lambda pressed, group=group: self._show(pressed, group))
            self.ids.ranks.add_widget(button)

    def _show(self, pressed: Act, group: list[Card]) -> None:
        """Offers the cards of a rank; the only one is taken at once."""
        if len(group) == 1:
            self._take(group[0])
            return
        for button in self.ids.ranks.children:
            button.chosen = button is pressed
        self.ids.suits.clear_widgets()
        for card in group:
            face = CardFace(card=card, doubtful=False)
            face.opacity = 0.55 if card in self._lying else 1
            face.bind(on_release=lambda _face, card=card: self._take(card))
            self.ids.suits.add_widget(face)

    def _take(self, card: Card) -> None:
        self.dismiss(animation=False)
        self._chosen(card)


def _rank_key(card: Card) -> str:
    rank, suit = face_text(card)
    return rank if suit or not card.suit else card.code


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
