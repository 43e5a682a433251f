"""State of a Gotcha match: the deal, the guesses with their answers, what is left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from companion.cards import RANKS, Card
from companion.core.setup import Option, OptionKind
from companion.errors import UnreadableError
from companion.notepad.consistency import Witnessed
from companion.phrases import N_, phrase

#: Zone of the cards that were guessed and lie face up.
PILE = "pile"
#: Kind of the zones of the cards discarded unseen before play.
ASIDE = "discard"
#: Zone of the cards that were not dealt.
STOCK = "stock"
SUITS_A_RANK = 4
DECK_SIZE = 52

_DEAL = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")


def read_deal(text: str) -> tuple[int, int]:
    """Reads `D-K` or `D`: cards dealt to each player and cards each discards.

    Raises:
        UnreadableError: it is no such pair, or nothing would be kept.
    """
    match = _DEAL.fullmatch(text)
    dealt, discarded = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if not 0 <= discarded < dealt:
        raise UnreadableError(
            "“{text}” is no deal: write D-K (D cards dealt, K of them discarded) or D, "
            "such as 26-6 or 20.",
            text=text,
        )
    return dealt, discarded


def check_deal(text: str, players: int) -> None:
    """Refuses a deal for which the deck is too small.

    Raises:
        UnreadableError: as `read_deal`, or the hands need more than 52 cards.
    """
    dealt, _ = read_deal(text)
    if dealt * players > DECK_SIZE:
        raise UnreadableError(
            "Deal {text}: {name} players get at most {number} cards each.",
            text=text,
            name=players,
            number=DECK_SIZE // players,
        )


DEAL = Option(
    "deal",
    "26-6",
    "Cards dealt to each player and, after the dash, how many of them each discards unseen.",
    OptionKind.PATTERN,
    choices=("26-6", "20", "20-5", "17-1", "13-1", "10-1"),
    by_players={3: "17-1", 4: "13-1", 5: "10-1"},
    check=check_deal,
)
ON_ENDS = Option(
    "gotcha_on_ends",
    "no",
    "Gotcha may be called on the smallest and the biggest card too, where it always loses a point.",
    OptionKind.YES_NO,
)


SHOWN = Option(
    "shown",
    "random",
    "When several cards match a right guess: one shown at random, or every hand counts the same.",
    OptionKind.CHOICE,
    choices=("random", "equal"),
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess with its answer.

    Attributes:
        n: the event of the guess.
        by: the guesser's seat.
        of: the seat whose card was guessed.
        x: counted from 1.
        smallest: whether x counts from the smallest card, else from the biggest.
        rank: the rank named, 1 to 13.
        called: whether Gotcha was called.
        size: N, the cards in that hand at the time.
        position: the place among the cards kept at the start, 1 the smallest; it never changes.
        answer: the event of the answer, 0 while it is due.
        right: the answer.
        card: the card shown after a right guess (of a bare `right` only the rank is known).
        points: what the guesser scored.
        doubted: it is part of a contradiction, so nothing is concluded from it.
        false: the hand is known and refutes it, and a finding says so.
    """

    n: int
    by: int
    of: int
    x: int
    smallest: bool
    rank: int
    called: bool
    size: int
    position: int
    answer: int = 0
    right: bool = False
    card: Card | None = None
    points: int = 0
    doubted: bool = False
    false: bool = False

    @property
    def depth(self) -> int:
        """min(x, N+1-x): 1 for an end card, more for the middle."""
        return min(self.x, self.size + 1 - self.x)

    @property
    def index(self) -> int:
        """The card's index in the ascending hand of that time, from 0."""
        return self.x - 1 if self.smallest else self.size - self.x

    @property
    def place(self) -> str:
        """Which card it is in words, e.g. `2nd smallest card`."""
        return place_words(self.x, smallest=self.smallest)

    @property
    def said(self) -> str:
        """The answer in words."""
        return "right" if self.right else "wrong"

    @property
    def one_of_rank(self) -> str:
        """A card of the rank in words, e.g. `a Queen`."""
        return ONE_OF_RANK[self.rank - 1]

    @property
    def rank_text(self) -> str:
        """The rank as printed."""
        return RANKS[self.rank - 1]

    @property
    def words(self) -> str:
        """The guess in words, e.g. `2nd smallest card is 5`."""
        return phrase("{place} is {rank_text}", place=self.place, rank_text=self.rank_text)


#: A card of each rank, ace first, as people say it.
ONE_OF_RANK = (
    phrase("an Ace"),
    phrase("a 2"),
    phrase("a 3"),
    phrase("a 4"),
    phrase("a 5"),
    phrase("a 6"),
    phrase("a 7"),
    phrase("an 8"),
    phrase("a 9"),
    phrase("a 10"),
    phrase("a Jack"),
    phrase("a Queen"),
    phrase("a King"),
)

#: An ordinal number by its last digit, as English counts; any other digit as 0.
_ORDINALS = {0: N_("{x}th"), 1: N_("{x}st"), 2: N_("{x}nd"), 3: N_("{x}rd")}


def by_rank(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Cards as they lie in a hand, in ascending order."""
    return tuple(sorted(cards, key=lambda card: (card.rank or 0, card.order)))


def ordinal(x: int) -> str:
    """A place as people count it: `3rd`."""
    last = 0 if 11 <= x % 100 <= 13 else x % 10
    return phrase(_ORDINALS.get(last, _ORDINALS[0]), x=x)


def place_words(x: int, *, smallest: bool) -> str:
    """A place in an ascending hand in words: `smallest card`, `3rd biggest card`."""
    if x == 1:
        return phrase("smallest card" if smallest else "biggest card")
    text = N_("{place} smallest card") if smallest else N_("{place} biggest card")
    return phrase(text, place=ordinal(x))


@dataclass(frozen=True, slots=True, kw_only=True)
class GotchaState(Witnessed):
    """State of a match.

    `held` are the cards a seat still holds where dealt hand and discards are known; before the
    discards are recorded, the dealt hand.

    Attributes:
        dealt: cards dealt to each player.
        discarded: K, how many of them each discards.
        aside: by seat the discarded cards, None if not recorded or not known.
        aside_events: by seat the event of `discard`, 0 before.
        guesses: all guesses in order; the last one may still be without answer.
        points: points of this match by seat.
        finisher: with two players, the seat that has guessed all of the other's cards.
        turned: by seat the event that turned up the whole hand, 0 if none did.
        witness: by seat a content that fits all that is known, as ascending ranks, empty for
            hands that are known; None if it must be searched again.
    """

    dealt: int
    discarded: int
    aside: tuple[tuple[Card, ...] | None, ...]
    aside_events: tuple[int, ...]
    guesses: tuple[Guess, ...] = ()
    points: tuple[int, ...] = ()
    finisher: int | None = None
    turned: tuple[int, ...] = ()
    witness: tuple[tuple[int, ...], ...] | None = None

    @property
    def kept(self) -> int:
        """Cards each player keeps."""
        return self.dealt - self.discarded

    @property
    def pending(self) -> Guess | None:
        """The guess that waits for its answer."""
        if self.guesses and not self.guesses[-1].answer:
            return self.guesses[-1]
        return None

    def gone(self, seat: int) -> frozenset[int]:
        """Original positions of the seat's cards that were guessed."""
        return frozenset(g.position for g in self.guesses if g.of == seat and g.right)

    def left(self, seat: int) -> int:
        """N: cards the seat has left."""
        return self.kept - len(self.gone(seat))

    def shown(self, seat: int) -> tuple[Card, ...]:
        """The seat's cards that were guessed, in that order."""
        return tuple(g.card for g in self.guesses if g.of == seat and g.card is not None)

    def has_discarded(self, seat: int) -> bool:
        """Whether the seat's discards have left the hand: recorded, or assumed."""
        return not self.discarded or bool(self.aside_events[seat]) or bool(self.guesses)

    def is_settled(self, seat: int) -> bool:
        """Whether `held`, where recorded, is what is left after discarding."""
        return not self.discarded or self.aside[seat] is not None or bool(self.turned[seat])

    def sorted_hand(self, seat: int) -> tuple[Card, ...] | None:
        """The cards the seat holds in ascending order, None if not all ranks are known."""
        held = self.held[seat]
        if not self.left(seat):
            return ()
        if held is None or not self.is_settled(seat) or len(held) != self.left(seat):
            return None
        if any(card.rank is None for card in held):
            return None
        return by_rank(held)
