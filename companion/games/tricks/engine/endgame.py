"""The rest of a deal played out with open cards: what each card is worth in the last tricks.

All hands lie open and everybody plays best for themselves ("max^n", Luckhardt and Irani 1986): who
plays takes the card after which its own side ends best, of equal ones the first in `Aims.order`.
Between two sides that is double dummy. The rules are those of the kernel (`Law.bars`): follow suit,
and lead no suit that is not broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.cards import Card
from companion.notepad.facts import bits

#: By seat, what it takes: points that cards cost, or tricks.
Gains = tuple[int, ...]
#: By seat, its cards: bit k is the k-th of `Aims.order`.
Hands = tuple[int, ...]
#: Seats and the cards they played.
Trick = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Aims:
    """By what rules the rest is played, and what for.

    Attributes:
        order: the cards that are left, by suit, each suit from the lowest up.
        trump: the trump suit as a letter, None without one.
        sides: by seat, the seats that it plays for.
        costs: what cards cost who takes them; None where tricks are counted.
        needs: by seat, how many tricks more it wants, exactly; empty if all that it can get.
        unbroken: the suit that may not be led yet unless there is no other; empty if all may.
        breaking: the cards after one of which it may be led.
    """

    order: tuple[Card, ...]
    trump: str | None
    sides: tuple[tuple[int, ...], ...]
    costs: Mapping[Card, int] | None
    needs: tuple[int, ...]
    unbroken: str
    breaking: frozenset[Card]


class OpenPlay:
    """Plays deals out; what was found for one helps with the next."""

    def __init__(self, aims: Aims) -> None:
        self.aims = aims
        self._number = {card: k for k, card in enumerate(aims.order)}
        self._suit = [card.suit or "" for card in aims.order]
        self._of_suit = dict.fromkeys((*self._suit, aims.unbroken), 0)
        for k, suit in enumerate(self._suit):
            self._of_suit[suit] |= 1 << k
        self._cost = [0 if aims.costs is None else aims.costs[card] for card in aims.order]
        self._breaking = self._mask(aims.breaking)
        self._known: dict[tuple[object, ...], Gains] = {}

    def gains(self, hands: Sequence[Iterable[Card]], lying: Sequence[tuple[int, Card]]) -> Gains:
        """What each seat takes, the trick that lies there included.

        Args:
            hands: by seat, without the cards that lie there.
            lying: seat and card of each play to that trick, one at least.
        """
        trick = tuple((seat, self._number[card]) for seat, card in lying)
        closed = bool(self.aims.unbroken)
        return self._play(tuple(map(self._mask, hands)), trick, self.aims.needs, closed=closed)

    def value(self, seat: int, gains: Gains, needs: tuple[int, ...] | None = None) -> int:
        """How good that is for a seat, more being better.

        Args:
            seat: who values it.
            gains: what all take from some moment on.
            needs: `Aims.needs` of that moment; None for those of the beginning.
        """
        needs = self.aims.needs if needs is None else needs
        if self.aims.costs is not None:
            return -gains[seat]
        if needs:
            return -abs(needs[seat] - gains[seat])
        return sum(gains[other] for other in self.aims.sides[seat])

    def _mask(self, cards: Iterable[Card]) -> int:
        return sum(1 << self._number[card] for card in cards)

    def _play(self, hands: Hands, trick: Trick, needs: Gains, *, closed: bool) -> Gains:
        """The gains from the trick that lies there on."""
        if len(trick) == len(hands):
            return self._taken(hands, trick, needs, closed=closed)
        seat = (trick[-1][0] + 1) % len(hands)
        return self._best(hands, trick, seat, needs, closed=closed)

    def _best(self, hands: Hands, trick: Trick, seat: int, needs: Gains, *, closed: bool) -> Gains:
        """The gains if a seat plays its best card."""
        best: Gains = ()
        most = 0
        for card in self._choices(hands, seat, trick, closed=closed):
            left = (*hands[:seat], hands[seat] & ~(1 << card), *hands[seat + 1 :])
            found = self._play(left, (*trick, (seat, card)), needs, closed=closed)
            value = self.value(seat, found, needs)
            if not best or value > most:
                best, most = found, value
        return best

    def _taken(self, hands: Hands, trick: Trick, needs: Gains, *, closed: bool) -> Gains:
        """The gains of a complete trick and of all that follow."""
        taker, high = trick[0]
        for seat, card in trick[1:]:
            suit = self._suit[card]
            if card > high if suit == self._suit[high] else suit == self.aims.trump:
                taker, high = seat, card
        gain = 1 if self.aims.costs is None else sum(self._cost[card] for _, card in trick)
        if not hands[taker]:
            return tuple(gain if seat == taker else 0 for seat in range(len(hands)))
        closed = closed and not any(self._breaking >> card & 1 for _, card in trick)
        if needs:
            needs = (*needs[:taker], needs[taker] - 1, *needs[taker + 1 :])
        key = (self._pattern(hands), taker, needs, closed)
        later = self._known.get(key)
        if later is None:
            later = self._known[key] = self._best(hands, (), taker, needs, closed=closed)
        return tuple(n + gain if seat == taker else n for seat, n in enumerate(later))

    def _pattern(self, hands: Hands) -> tuple[tuple[str, int, int], ...]:
        """Who holds the cards of each suit, from the lowest up: that alone decides what follows."""
        held = sorted((card, seat) for seat, hand in enumerate(hands) for card in bits(hand))
        return tuple((self._suit[card], seat, self._cost[card]) for card, seat in held)

    def _choices(self, hands: Hands, seat: int, trick: Trick, *, closed: bool) -> Iterator[int]:
        """The cards that may be played; of neighbours that count alike only the lowest."""
        hand = hands[seat]
        if trick:
            hand = hand & self._of_suit[self._suit[trick[0][1]]] or hand
        elif closed:
            hand = hand & ~self._of_suit[self.aims.unbroken] or hand
        out = sum(1 << card for _, card in trick)
        for other in hands:
            out |= other
        last = -1
        for card in bits(hand):
            alike = last >= 0 and self._suit[card] == self._suit[last]
            alike = alike and self._cost[card] == self._cost[last]
            if not alike or out & (1 << card) - (2 << last):
                yield card
            last = card
