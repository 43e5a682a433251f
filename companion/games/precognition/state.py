"""State of a Precognition match: the row, whose cards, what everybody wrote."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card
from companion.core.state import State

ROW = "row"
SUITS_A_RANK = 4


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a player wrote.

    Attributes:
        text: the letters; None where it is written but not known to the state's owner.
        n: the event that recorded it.
        shown: whether it was shown in public.
    """

    text: str | None
    n: int
    shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecognitionState(State):
    """State of a match.

    Attributes:
        seats: the seats that play this match (all, or those in a play-off), clockwise.
        row: the cards placed so far.
        changes: the row's changes.
        predictions: by seat, None where nothing was written yet.
        tied: after an undecided match, the seats that play again; empty otherwise.
    """

    seats: tuple[int, ...]
    row: tuple[Card, ...] = ()
    changes: str = ""
    predictions: tuple[Prediction | None, ...] = ()
    tied: tuple[int, ...] = ()

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player: floor(deck/n)."""
        deck = 52 if self.setup.cards is None else len(self.setup.cards)
        return deck // len(self.seats)

    @property
    def length(self) -> int:
        """N, the number of cards of the finished row."""
        return self.hand_size * len(self.seats)

    @property
    def is_complete(self) -> bool:
        """Whether the row is finished."""
        return len(self.row) == self.length

    def owner(self, position: int) -> int:
        """The seat that places the card at a position of the row, from 0."""
        first = self.seats.index(self.table.starter)
        return self.seats[(first + position) % len(self.seats)]

    def placed_by(self, seat: int) -> int:
        """Number of cards the seat has placed."""
        return sum(self.owner(i) == seat for i in range(len(self.row)))


def require_player(state: PrecognitionState, seat: int) -> None:
    """Refuses a seat that sits out this match."""
    if seat not in state.seats:
        raise state.illegal("{name} is not in this play-off.", name=seat)
