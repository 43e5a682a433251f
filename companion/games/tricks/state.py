"""State of a trick-taking match, and what one such game says of itself (`Law`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar

from companion.cards import Card
from companion.core.events import Event
from companion.core.setup import GameInfo, Option, OptionKind, Setup
from companion.core.state import State
from companion.errors import IllegalError
from companion.phrases import N_

#: Zone of the cards of the trick that lies in the middle.
MIDDLE = "trick"
#: Kind of the zones of the tricks a player has taken.
TAKEN = "taken"
#: Kind of the places of cards that were played, in the ledger: it says by whom.
PLAYED = "play"
#: Zone of the card turned up for trumps, where it belongs to nobody.
TURNED = "trump"
#: Zone of the cards that were not dealt.
STOCK = "stock"

DECKS = ("standard", "four-index", "french", "german", "dutch", "russian", "nordic")
REVOKES = Option(
    "revoke",
    "none",
    "What a revoke costs when it is found: nothing, or three tricks that go to the other side.",
    OptionKind.CHOICE,
    ("none", "three"),
)
#: Suits as they stand within a sentence.
SUIT_WORDS = {"S": N_("spades"), "H": N_("hearts"), "D": N_("diamonds"), "C": N_("clubs")}
_ACE_HIGH = 14


def target(points: int) -> Option:
    """The option by which a session ends.

    Args:
        points: those that are usual.
    """
    explain = "Points that end the game; with 0 every match decides by itself."
    return Option("target", str(points), explain, OptionKind.NUMBER, bounds=(0, 10_000))


def strength(card: Card) -> int:
    """What a card is worth within its suit: 2 to 14, the ace high."""
    assert card.rank is not None
    return _ACE_HIGH if card.rank == 1 else card.rank


class Stage(Enum):
    """What a match waits for."""

    PASS = auto()
    TRUMP = auto()
    BID = auto()
    PLAY = auto()
    OVER = auto()


class Rule(Enum):
    """A rule by which a play says what else its player holds; each with its sentences.

    A value holds the refusal, the findings by a later play and by a card known to be in the hand,
    the fact that a notepad concludes, and the finding by the number of cards that are left.
    """

    FOLLOW = (
        N_("{name} has {suit}: follow suit."),
        N_(
            "{name} did not follow {suit} in trick {trick} ({n}) and plays {card} in trick "
            "{trick2} ({n2})."
        ),
        N_("{name} did not follow {suit} in trick {trick} ({n}), but holds {card} ({n2})."),
        N_("{name} has no {suit}: trick {trick} ({n})"),
        "",  # a revoke is named with both plays
    )
    UNBROKEN = (
        N_("{name} has another suit: {suit} are not led before they are broken."),
        N_(
            "{name} led {suit} unbroken in trick {trick} ({n}) and plays {card} in trick "
            "{trick2} ({n2})."
        ),
        N_("{name} led {suit} unbroken in trick {trick} ({n}), but holds {card} ({n2})."),
        N_("{name} has only {suit}, led unbroken: trick {trick} ({n})"),
        N_(
            "{name} led {suit} unbroken in trick {trick} ({n}), but no more than {fit} of the "
            "{left} cards then held can be {suit}."
        ),
    )
    FIRST_TRICK = (
        N_("{name} has another card: none that counts is played to the first trick."),
        N_(
            "{name} played a card that counts to trick {trick} ({n}) and plays {card} in trick "
            "{trick2} ({n2})."
        ),
        N_("{name} played a card that counts to trick {trick} ({n}), but holds {card} ({n2})."),
        N_("{name} has only cards that count: trick {trick} ({n})"),
        N_(
            "In the first trick no hearts and not the queen of spades, unless one has nothing "
            "else. {name} played one to trick {trick} ({n}), and of the {left} cards then held at "
            "most {fit} can be such cards."
        ),
    )

    @property
    def refused(self) -> str:
        """Why a play is refused; it tells nothing else of the hand."""
        return self.value[0]

    @property
    def played(self) -> str:
        """What is found when a later play shows that the rule was broken."""
        return self.value[1]

    @property
    def held(self) -> str:
        """What is found when a card known to be in the hand shows it."""
        return self.value[2]

    @property
    def fact(self) -> str:
        """What a notepad concludes."""
        return self.value[3]

    @property
    def counted(self) -> str:
        """What is found when the hand held more cards than the rule allows; empty for a revoke."""
        return self.value[4]


@dataclass(frozen=True, slots=True)
class Bar:
    """What a player who keeps the rules does not hold beside a card that is played.

    Attributes:
        rule: the rule that says so.
        suit: the suit it speaks of, as a letter; empty if it speaks of none.
        cards: the cards that are not in the hand.
    """

    rule: Rule
    suit: str
    cards: frozenset[Card]

    @property
    def suit_name(self) -> str:
        """The suit in words."""
        return SUIT_WORDS.get(self.suit, "")


@dataclass(frozen=True, slots=True)
class Limit:
    """A bar with the play that it follows from.

    Attributes:
        seat: whose hand it is about.
        n: the event of the play.
        trick: number of the trick, from 1.
        bar: what is not in the hand.
        shown: the public event that shows that the rule was broken, 0 if none does.
        doubted: it is known to be broken, so nothing is concluded from it.
    """

    seat: int
    n: int
    trick: int
    bar: Bar
    shown: int = 0
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """A card played to a trick.

    Attributes:
        n: the event.
        seat: who played it.
        card: the card.
    """

    n: int
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class Claim:
    """The remaining tricks, claimed.

    Attributes:
        seat: who takes them.
        tricks: how many.
    """

    seat: int
    tricks: int


class Law(ABC):
    """What one trick-taking game says of itself; the kernel asks nothing else of it.

    The defaults are those of a game without passing, bids, partners and trumps, in which all cards
    are dealt, suit is followed and the starter leads.
    """

    info: ClassVar[GameInfo]
    #: Whether seats opposite to each other play together.
    partners: ClassVar[bool] = False
    #: Whether everybody says first how many tricks it will be.
    has_bids: ClassVar[bool] = False
    #: Points that a bid of no trick, a nil, wins or loses; 0 where it is a bid like others.
    nil: ClassVar[int] = 0
    #: Number of cards that everybody passes on before play; 0 if none are.
    passed: ClassVar[int] = 0
    #: Whether a card is turned up, whose suit is trump.
    turns_up: ClassVar[bool] = False
    #: Whether the starter deals, because a card decides who leads; else the seat before it does.
    starter_deals: ClassVar[bool] = False
    #: The suit, as a letter, that may not be led before it is broken; empty if every suit may.
    unbroken: ClassVar[str] = ""

    def pack(self, players: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """The cards that so many play with, of the 52: all of them, or without one or two."""
        return cards

    def cards_each(self, state: TricksState) -> int:
        """Number of cards dealt to everybody in the state's match."""
        return len(state.deck) // len(state.hands)

    def passes_to(self, state: TricksState) -> int:
        """How many places clockwise cards are passed on in this match; 0 if none are."""
        return 0

    def has_turned(self, state: TricksState) -> bool:
        """Whether a card is turned up in this match."""
        return self.turns_up

    def turned_owner(self, state: TricksState) -> int | None:
        """The seat to whose hand the card turned up belongs; None if it was not dealt."""
        return None

    def trump(self, state: TricksState) -> str | None:
        """The trump suit as a letter; None without one, or before it is known."""
        card = state.turned
        return None if card is None else card.suit

    def first_card(self, state: TricksState) -> Card | None:
        """The card that has to lead the first trick; None if the starter leads any."""
        return None

    def barred_bid(self, state: TricksState) -> int | None:
        """The number of tricks that the seat to move alone may not bid; None if it may any."""
        return None

    def verify_bid(self, state: TricksState, bid: int) -> None:
        """Refuses what the seat to move may not bid.

        Raises:
            IllegalError: there are not so many tricks, or the game forbids it.
        """
        if bid > state.size:
            raise state.illegal("There are {count} tricks: bid no more.", count=state.size)

    def bars(self, state: TricksState, seat: int, card: Card) -> Iterator[Bar]:
        """What a seat that plays a card now does not hold, if it keeps the rules.

        One function for three things: a card may not be played from a known hand that holds any of
        these, a later one of them shows that a rule was broken, and a notepad rules them out. What
        a game adds for tricks after the first one, the coach's `engine.endgame` has to learn too.
        """
        led, suit = state.led, self.unbroken
        if led is not None and card.suit != led:
            yield Bar(Rule.FOLLOW, led, state.suit(led))
        leads_it = led is None and card.suit == suit
        if leads_it and not any(self.breaks(play.card) for play in state.plays):
            yield Bar(Rule.UNBROKEN, suit, frozenset(state.deck) - state.suit(suit))

    def breaks(self, card: Card) -> bool:
        """Whether the suit that may not be led can be led once a card was played."""
        return card.suit == self.unbroken

    @abstractmethod
    def can_hold(self, state: TricksState, seat: int) -> tuple[Card, ...]:
        """The cards of a hand; if it is not known, those that can be in it."""

    @abstractmethod
    def actors(self, state: TricksState) -> tuple[int, ...]:
        """Who may act; see `Game.actors`."""

    @abstractmethod
    def legal(self, state: TricksState, seat: int) -> Iterable[Event]:
        """What a seat may do; see `Game.legal`."""

    @abstractmethod
    def score(self, state: TricksState) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """What everybody scores in a match that is over, and why, a sentence each.

        Tricks that go over as a penalty have gone over (`TricksState.tricks_of`).
        """

    def costs(self, card: Card) -> int:
        """What a card costs who takes it, for bots; 0 where no card does."""
        return 0

    def kept(self, state: TricksState) -> tuple[int, ...]:
        """What is carried to the next match beside the scores, by seat; empty if nothing is."""
        return ()

    def has_target(self, setup: Setup) -> bool:
        """Whether the session's game goes over several matches."""
        return setup.options["target"] != "0"

    def is_over(self, state: TricksState, scores: tuple[int, ...]) -> bool:
        """Whether a match that ended with these scores ends the session's game."""
        points = int(state.setup.options["target"])
        return not points or max(scores) >= points

    def says(self, state: TricksState, seat: int) -> str:
        """How a player stands, in a few words, e.g. tricks taken and bid."""
        taken = state.taken(seat)
        bid = state.bids[seat]
        if bid is not None:
            return state.phrase(N_("bid {bid}, took {taken}"), bid=bid, taken=taken)
        if not state.plays:
            partners = tuple(other for other in state.side(seat) if other != seat)
            return state.phrase(N_("with {names}"), names=partners) if partners else ""
        text = N_("{taken} trick") if taken == 1 else N_("{taken} tricks")
        return state.phrase(text, taken=taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class TricksState(State):
    """State of a match.

    Attributes:
        law: the game's own rules.
        deck: the cards that are played with.
        size: cards dealt to everybody.
        passes: by seat the cards passed on, None if not recorded or not known.
        pass_events: by seat the event of `pass`, 0 before.
        turned: the card turned up for trumps.
        turned_event: the event of `trump`, 0 before.
        bids: by seat the tricks bid, None before; a nil is 0.
        plays: the cards played, in order.
        takers: the seat that took each trick, in order.
        claim: the claim that ended the match.
        limits: what plays said about hands.
        faced: cards in hands that everybody has seen, each with its seat.
        kept: what was carried over from the last match; see `Law.kept`.
    """

    law: Law
    deck: tuple[Card, ...]
    size: int = 0
    passes: tuple[tuple[Card, ...] | None, ...] = ()
    pass_events: tuple[int, ...] = ()
    turned: Card | None = None
    turned_event: int = 0
    bids: tuple[int | None, ...] = ()
    plays: tuple[Play, ...] = ()
    takers: tuple[int, ...] = ()
    claim: Claim | None = None
    limits: tuple[Limit, ...] = ()
    faced: frozenset[tuple[int, Card]] = frozenset()
    kept: tuple[int, ...] = ()

    @property
    def trick(self) -> tuple[Play, ...]:
        """The plays of the trick that lies in the middle and is not complete."""
        return self.plays[len(self.takers) * len(self.hands) :]

    @property
    def last_trick(self) -> tuple[Play, ...]:
        """The plays of the last complete trick; empty before."""
        size = len(self.hands)
        end = len(self.takers) * size
        return self.plays[end - size : end] if end else ()

    @property
    def number(self) -> int:
        """Number of the trick that the next card belongs to, from 1."""
        return len(self.takers) + 1

    @property
    def led(self) -> str | None:
        """The suit led to the trick as a letter; None before."""
        trick = self.trick
        return trick[0].card.suit if trick else None

    @property
    def trump(self) -> str | None:
        """The trump suit as a letter; None without one."""
        return self.law.trump(self)

    @property
    def dealer(self) -> int:
        """The seat that deals: the starter, or the one before."""
        return (self.table.starter - (not self.law.starter_deals)) % len(self.hands)

    def suit(self, letter: str) -> frozenset[Card]:
        """All cards of a suit."""
        return frozenset(card for card in self.deck if card.suit == letter)

    def left(self, seat: int) -> int:
        """Number of cards that a seat holds."""
        return self.size - sum(play.seat == seat for play in self.plays)

    def side(self, seat: int) -> tuple[int, ...]:
        """The seats that play together with a seat, itself among them."""
        if not self.law.partners:
            return (seat,)
        return tuple(s for s in range(len(self.hands)) if (s - seat) % 2 == 0)

    def taken(self, seat: int) -> int:
        """Number of tricks that a seat has taken, claimed ones among them."""
        claim = self.claim
        return self.takers.count(seat) + (claim.tricks if claim and claim.seat == seat else 0)

    @property
    def won(self) -> tuple[tuple[Card, ...], ...]:
        """The cards that each seat took, by tricks and by a claim."""
        size = len(self.hands)
        won: list[list[Card]] = [[] for _ in range(size)]
        for number, taker in enumerate(self.takers):
            won[taker] += [play.card for play in self.plays[number * size :][:size]]
        if self.claim is not None:
            taken = {card for cards in won for card in cards}
            stock = {self.turned} if self.law.turned_owner(self) is None else set()
            won[self.claim.seat] += [c for c in self.deck if c not in taken and c not in stock]
        return tuple(map(tuple, won))

    @property
    def revokes(self) -> tuple[Limit, ...]:
        """Times that suit was not followed although it could be, as the table has shown."""
        return tuple(o for o in self.limits if o.shown and o.bar.rule is Rule.FOLLOW)

    def tricks_of(self, seat: int) -> int:
        """Tricks of a seat's side, after those that went over for revokes."""
        sides = list(dict.fromkeys(self.side(other) for other in range(len(self.hands))))
        tricks = {side: sum(map(self.taken, side)) for side in sides}
        if self.setup.options.get(REVOKES.name) == "three":
            for limit in self.revokes:
                mine = self.side(limit.seat)
                other = next(side for side in sides if side != mine)
                moved = min(3, tricks[mine])
                tricks[mine] -= moved
                tricks[other] += moved
        return tricks[self.side(seat)]

    @property
    def passers(self) -> tuple[int, ...]:
        """Seats that have yet to pass: trusting ones, and those whose hand is recorded."""
        if self.plays or not self.law.passes_to(self):
            return ()
        return tuple(
            seat
            for seat in range(len(self.hands))
            if not self.pass_events[seat]
            and (self.setup.trusted[seat] or (self.table.match, seat) in self.handed)
        )

    @property
    def stage(self) -> Stage:
        """What the match waits for, as everybody knows."""
        if self.table.match_over:
            return Stage.OVER
        if self.plays:
            return Stage.PLAY
        if self.passers:
            return Stage.PASS
        if self.turned is None and self.law.has_turned(self):
            return Stage.TRUMP
        return Stage.BID if self.law.has_bids and None in self.bids else Stage.PLAY

    def giver(self, seat: int) -> int:
        """The seat that passes cards to a seat."""
        return (seat - self.law.passes_to(self)) % len(self.hands)


def require_known(state: TricksState, card: Card) -> None:
    """Refuses a card that is not played with.

    Raises:
        IllegalError: it has no rank or suit, or is not in the pack.
    """
    if card.rank is None or card.suit is None:
        raise IllegalError("Name the rank and the suit of the card.")
    if card not in state.deck:
        raise state.illegal("{card} is not played with.", card=card)
