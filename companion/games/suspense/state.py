"""State of a Suspense match: cards in play, who is still in, what was declared and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from companion.cards import Card, Family, card
from companion.core.setup import Setup
from companion.core.state import Shown, State, move_to, owned_zone
from companion.errors import IllegalError
from companion.games.suspense.conditions import DEFAULT_CONDITIONS, EXCLAMATIONS, Condition
from companion.games.suspense.deckfile import read_conditions

SECRET = "secret"
DECK_SIZE = 13
#: Sum of face-up numbers that ends a match, by number of players.
LIMITS = {2: 15, 3: 20}
EXCLAMATION = card("!", Family.SUSPENSE)


def play_zone(seat: int) -> str:
    """Name of the zone of the cards that a seat has in play."""
    return owned_zone("play", seat)


class Stage(Enum):
    """How far a match is."""

    DEALER = auto()
    PLAY = auto()
    DECLARE = auto()
    REVEAL = auto()


@dataclass(frozen=True, slots=True)
class Look:
    """The dealer's look at the secret card; `card` is None for those who cannot know it."""

    card: Card | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspenseState(State):
    """State of a match; `table.starter` is the dealer.

    Attributes:
        printed: card to condition, as printed on the deck.
        stage: how far the match is.
        named: whether the dealer of this match was named by `dealer`.
        exclamation: what the d20 showed, None before.
        played: by seat the cards in play, in order.
        turns: by seat the number of turns taken.
        passed: seats that passed since the last card was played.
        folded: seats that folded.
        stayed: seats that declared to stay.
        look: the dealer's look at the secret card.
        secret: the secret card, once it was turned up for all.
        shown: by seat the hand turned up at the end.
    """

    printed: Mapping[Card, Condition] = field(default_factory=lambda: DEFAULT_CONDITIONS)
    stage: Stage = Stage.DEALER
    named: bool = False
    exclamation: int | None = None
    played: tuple[tuple[Card, ...], ...] = ()
    turns: tuple[int, ...] = ()
    passed: frozenset[int] = frozenset()
    folded: frozenset[int] = frozenset()
    stayed: frozenset[int] = frozenset()
    look: Look | None = None
    secret: Card | None = None
    shown: tuple[Shown | None, ...] = ()

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player: all but the secret one."""
        deck = DECK_SIZE if self.setup.cards is None else len(self.setup.cards)
        return (deck - 1) // len(self.setup.players)

    @property
    def limit(self) -> int:
        """Sum of face-up numbers that ends the match."""
        return LIMITS[len(self.setup.players)]

    @property
    def total(self) -> int:
        """Sum of the face-up numbers; the `!` is worth zero."""
        return sum(c.rank or 0 for cards in self.played for c in cards)

    @property
    def order(self) -> tuple[int, ...]:
        """The seats from the dealer clockwise."""
        count = len(self.setup.players)
        return tuple((self.table.starter + i) % count for i in range(count))

    @property
    def active(self) -> tuple[int, ...]:
        """Seats that have not folded, from the dealer clockwise."""
        return tuple(seat for seat in self.order if seat not in self.folded)

    def left(self, seat: int) -> int:
        """Cards left in a hand."""
        return self.hand_size - len(self.played[seat])

    @property
    def conditions(self) -> Mapping[Card, Condition]:
        """Card to condition in this match, the d20's choice for the `!` included."""
        if self.exclamation is None:
            return self.printed
        return dict(self.printed) | {EXCLAMATION: EXCLAMATIONS[self.exclamation - 1]}

    @property
    def condition(self) -> Condition | None:
        """The victory condition, once the secret card is turned up."""
        return None if self.secret is None else self.conditions[self.secret]

    def for_scoring(self, seat: int) -> tuple[Card, ...] | None:
        """A hand if the referee may score by it: empty, turned up, or trusted to it."""
        if not self.left(seat):
            return ()
        shown = self.shown[seat]
        if shown is not None:
            return shown.cards
        held = self.held[seat]
        if not self.setup.trusted[seat] or held is None or len(held) != self.left(seat):
            return None
        return held

    def is_with_referee(self, seat: int) -> bool:
        """Whether the referee has the hand, as far as everybody knows."""
        trusted = self.setup.trusted[seat] and bool(self.hand_events[seat])
        return not self.left(seat) or self.shown[seat] is not None or trusted

    @property
    def is_touched(self) -> bool:
        """Whether anything has happened in this match since its dealer was settled."""
        looked = self.look is not None or self.exclamation is not None
        return looked or any(self.hand_events) or any(self.turns)


def initial(setup: Setup) -> SuspenseState:
    """The state at the start of a session: nobody moves before the dealer is named."""
    return move_to(unplayed(setup, read_conditions(setup.options["conditions"])), None)


def unplayed(setup: Setup, printed: Mapping[Card, Condition]) -> SuspenseState:
    """A state in which nothing has happened, with what is printed on the deck."""
    count = len(setup.players)
    return SuspenseState.fresh(
        setup, printed=printed, played=((),) * count, turns=(0,) * count, shown=(None,) * count
    )


def require_dealer(state: SuspenseState) -> None:
    """Refuses to go on before the dealer is named.

    Raises:
        IllegalError: says how.
    """
    if state.stage is Stage.DEALER:
        raise state.illegal(
            "The dealer is named first (the youngest deals first); write for example: "
            "table: dealer {name}",
            name=0,
        )


def require_play(state: SuspenseState) -> None:
    """Refuses turns before and after the playing stage.

    Raises:
        IllegalError: says what comes now.
    """
    require_dealer(state)
    if state.stage is not Stage.PLAY:
        raise IllegalError("No more cards are played or passed: everybody folds or stays now.")
    if state.setup.options["exclamation"] == "d20" and state.exclamation is None:
        raise IllegalError("First the d20 picks the condition of !: table: exclamation N.")
