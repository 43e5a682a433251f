"""Every card of a game as a grid by suit and rank, each one touch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import groupby
from typing import Any

from kivy.app import App
from kivy.metrics import dp

from companion.cards import Card, family_cards, unknown
from mobile.resources import texts
from mobile.widgets.basic import Column, Grid, Key, card_name
from mobile.widgets.faces import CardKey

_GAP = 4
#: A suit in one line where there is room, else in as few lines as fit keys of a thumb's size.
_MOST = 13
#: Few cards do not become bars: so many fit in a line, where there is room.
_LEAST = 6


class CardGrid(Column):
    """Keys of cards, a block a suit.

    Args:
        unread: whether a card that nobody has read can be meant.
        faded: cards that lie somewhere already or cannot be meant.
    """

    def __init__(
        self,
        cards: Sequence[Card],
        chosen: Callable[[Card], None],
        *,
        unread: bool,
        faded: Collection[Card] = (),
    ) -> None:
        super().__init__(spacing=dp(_GAP * 2))
        self.bind(width=self._fit)
        self._chosen = chosen
        self._blocks: list[Grid] = []
        self.keys: list[Key | CardKey] = []
        # By suit and rank, in whatever order a smaller deck names its cards.
        order = {card: k for k, card in enumerate(family_cards(cards[0].family))} if cards else {}
        ordered = sorted(cards, key=lambda card: order.get(card, len(order)))
        for _, block in groupby(ordered, key=lambda card: card.suit):
            box = self._block()
            for card in block:
                self._add(box, CardKey(text=card_name(card), value=card, faded=card in faded))
        if unread and cards:
            nobodys = unknown(cards[0].family)
            if nobodys not in cards:
                self._add(self._block(), Key(text=texts.UNREAD, value=nobodys))
        self._fit()

    def mark(self, chosen: Collection[Any], doubtful: Collection[Any] = ()) -> None:
        """Shows which cards are chosen, and which a camera is not sure of."""
        for key in self.keys:
            key.chosen = key.value in chosen
            if isinstance(key, CardKey):
                key.doubtful = key.value in doubtful

    def _block(self) -> Grid:
        box = Grid(cols=7, spacing=dp(_GAP))
        self._blocks.append(box)
        self.add_widget(box)
        return box

    def _add(self, box: Grid, key: Key | CardKey) -> None:
        key.bind(on_release=lambda key: self._chosen(key.value))
        self.keys.append(key)
        box.add_widget(key)

    def _fit(self, *_args: object) -> None:
        """As many keys in a line as there is room for, spread evenly over a suit's lines."""
        em = App.get_running_app().ui.em
        room = max(1, int((self.width + dp(_GAP)) / (max(dp(48), em * 2.6) + dp(_GAP))))
        longest = max((len(box.children) for box in self._blocks), default=1)
        lines = -(-longest // min(room, _MOST))
        even = -(-longest // lines)
        columns = even if lines > 1 else max(even, min(room, _LEAST))
        # Blocks of few keys keep the columns of the longest one.
        wide = max(1.0, (self.width - (columns - 1) * dp(_GAP)) / columns)
        for box in self._blocks:
            box.cols = 1 if any(key.value.code == "??" for key in box.children) else columns
            for key in box.children:
                key.size_hint_x = 1 if key.value.code == "??" else None
                key.width = wide
