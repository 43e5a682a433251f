"""Choosing cards by touch: a grid by suit and rank that stays open until all are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kivy.app import App
from kivy.properties import StringProperty

from companion.cards import Card
from mobile.model.hand_scan import meant
from mobile.resources import texts
from mobile.widgets.basic import Act, LowSheet, offer, saying
from mobile.widgets.cardgrid import CardGrid
from mobile.widgets.ui import load_layout
from vision.hands import Hand


class CardPicker(LowSheet):
    """A sheet with the cards of the game.

    Args:
        chosen: called with the cards touched, after the sheet has closed.
        count: how many; it closes by itself with the last one. 0 where any number will do.
        doubted: cards that lie on the table already or cannot be meant; one may have been misread,
            so a second touch chooses it.
        why: says what speaks against such a card.
        unread: whether a card that nobody has read can be meant.
    """

    title = StringProperty("")
    hint = StringProperty("")

    def __init__(
        self,
        cards: Sequence[Card],
        chosen: Callable[[tuple[Card, ...]], None],
        *,
        title: str,
        count: int = 1,
        doubted: Sequence[Card] = (),
        why: Callable[[Card], str] = lambda _card: "",
        unread: bool = False,
    ) -> None:
        super().__init__()
        self._title, self._chosen, self._count = title, chosen, count
        self._doubted, self._why = frozenset(doubted), why
        self._warned: Card | None = None
        self._taken: list[Card] = []
        #: Cards that a camera is not sure of.
        self._doubtful: list[Card] = []
        self._done: Act | None = None
        cancel = partial(self.dismiss, animation=False)
        offer(self.ids.foot, texts.CANCEL, cancel, kind="quiet")
        if count != 1:
            offer(self.ids.foot, texts.RUB_OUT, self.rub_out, kind="quiet")
            offer(self.ids.body, texts.SHOW_CARDS, self.show)
        if not count:
            self._done = self._offer_done()
        self.grid = CardGrid(cards, self.take, unread=unread, faded=self._doubted)
        self.ids.body.add_widget(self.grid)
        self._show()

    def take(self, card: Card) -> None:
        """A card was touched; in a list a second touch takes it back."""
        self._doubtful = [other for other in self._doubtful if other is not card]
        if card in self._taken and card.code != "??":
            self._taken.remove(card)
        elif card in self._doubted and self._warned is not card:
            self._warned = card
            self.hint = " ".join((self._why(card), texts.TOUCH_AGAIN)).strip()
            self._show()
            return
        else:
            self._taken.append(card)
        self._warned, self.hint = None, ""
        if self._count and len(self._taken) == self._count and self._done is None:
            self.finish()
        else:
            self._show()

    def show(self) -> None:
        """Lets the camera read the cards."""
        with saying(self, "hint"):
            App.get_running_app().show_cards(self.fill, self._count)

    def fill(self, hand: Hand) -> str:
        """Takes what a camera has read; it is recorded by a button, once a person has looked.

        Returns:
            how far it is, in words; empty where every card is there and sure.
        """
        cards = [key.value for key in self.grid.keys]
        self._taken, self._doubtful = meant(hand, cards, self._count)
        self._warned, self.hint = None, ""
        if self._done is None:
            self._done = self._offer_done()
        self._done.text = texts.RECORD_CARDS.format(n=len(self._taken))
        self._show()
        is_all = self._count == len(self._taken) > 0
        return "" if is_all and not self._doubtful else self.title

    def rub_out(self) -> None:
        """Takes the last card back."""
        if self._taken:
            self._taken.pop()
            self._show()

    def finish(self) -> None:
        """These are all."""
        if self._taken:
            self.dismiss(animation=False)
            self._chosen(tuple(self._taken))

    def _show(self) -> None:
        self.grid.mark(self._taken, self._doubtful)
        self.title = self._title
        if self._count > 1:
            # Both numbers stand on one line.
            done = texts.OF.format(n=len(self._taken), total=self._count).replace(" ", "\u00a0")
            self.title = f"{self._title} · {done}"
        if self._done is not None:
            self._done.disabled = (
                len(self._taken) != self._count if self._count else not self._taken
            )

    def _offer_done(self) -> Act:
        return offer(self.ids.foot, texts.DONE, self.finish, kind="main")


load_layout(__file__)
