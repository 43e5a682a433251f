"""View-model of a hand that is shown to a camera: names gather over frames until all are sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.cards import Card

if TYPE_CHECKING:  # hosting starts without what reads pictures
    from vision.types import Reading

#: A card is sure once it was accepted in so many frames; in a photograph alone, in that one.
_AGREEING = 2
#: A reading that was not accepted is worth showing as doubtful from this confidence on, 0 to 1.
_WORTH = 0.5


@dataclass(frozen=True, slots=True)
class HandSeen:
    """What is known of a hand so far.

    Attributes:
        sure: its cards, those seen most often first.
        doubtful: cards that a person should look at.
    """

    sure: tuple[Card, ...] = ()
    doubtful: tuple[Card, ...] = ()

    def within(self, cards: Container[Card], count: int) -> HandSeen:
        """What of it can be meant.

        Args:
            cards: those that can.
            count: how many are wanted; what was seen less often than so many others is doubtful.
                0 where any number will do.
        """
        sure = tuple(card for card in self.sure if card in cards)
        taken = sure[: count or None]
        rest = (card for card in self.doubtful if card in cards)
        return HandSeen(taken, (*sure[len(taken) :], *rest))


class HandScan:
    """One hand before one camera. It keeps names and how often they were read, no picture."""

    def __init__(self) -> None:
        self._accepted: Counter[Card] = Counter()
        self._doubted: Counter[Card] = Counter()

    def add(self, reading: Reading, *, is_alone: bool = False) -> HandSeen:
        """Takes in what one frame shows.

        Args:
            reading: of the frame.
            is_alone: whether no other one follows: a photograph.

        Returns:
            What is known by all frames together.
        """
        self._accepted.update({read.card for read in reading.cards})
        worth = (read.card for read in reading.doubtful if read.confidence >= _WORTH)
        self._doubted.update(set(worth))
        return self._seen(1 if is_alone else _AGREEING)

    def _seen(self, wanted: int) -> HandSeen:
        often = self._accepted.most_common()
        sure = tuple(card for card, count in often if count >= wanted)
        once = tuple(card for card, count in often if count < wanted)
        doubted = tuple(card for card, _ in self._doubted.most_common())
        rest = dict.fromkeys((*once, *doubted))
        return HandSeen(sure, tuple(card for card in rest if card not in sure))
