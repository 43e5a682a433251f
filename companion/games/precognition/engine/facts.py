"""What can be known of a Precognition row and hands: the facts of the notepad."""

from __future__ import annotations

from dataclasses import dataclass

from companion.cards import Card, Family, family_cards
from companion.errors import UsageError
from companion.notepad.facts import Fact

#: The 52 cards of the game.
DECK: tuple[Card, ...] = tuple(c for c in family_cards(Family.STANDARD) if not c.is_joker)


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand(Fact):
    """A card is held by a player, not yet laid (the viewer's own hand, or one shown)."""

    card: Card
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid(Fact):
    """A card lies in the row.

    Attributes:
        card: the card.
        position: its place in the row, 0 the first.
    """

    card: Card
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt(Fact):
    """A card of the row was in a player's recorded hand."""

    card: Card
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRank(Fact):
    """A player holds a card of a rank, not yet laid, or (`holds` False) holds none."""

    rank: int
    player: str
    holds: bool = True


CardFact = InHand | Laid | Dealt
RowFact = CardFact | OfRank


@dataclass(frozen=True, slots=True)
class RowKnowledge:
    """Everything one viewer knows of a match.

    Attributes:
        players: names in the order in which they lay cards, the starter first.
        laid: how many cards lie in the row.
        facts: what is known of cards; the row must be known throughout.
        deck: the cards in play, all 52 unless a smaller game is studied.
    """

    players: tuple[str, ...]
    laid: int = 0
    facts: tuple[RowFact, ...] = ()
    deck: tuple[Card, ...] = DECK

    def __post_init__(self) -> None:
        if not 2 <= len(self.players) <= len(self.deck) // 2:
            raise UsageError("Precognition is for 2 to 26 players; name that many.")

    @property
    def cards(self) -> tuple[CardFact, ...]:
        """What is known of single cards."""
        return tuple(fact for fact in self.facts if not isinstance(fact, OfRank))

    @property
    def length(self) -> int:
        """How many cards the finished row has."""
        return len(self.deck) // len(self.players) * len(self.players)

    def left(self, seat: int) -> int:
        """How many cards a player still holds."""
        return len(
            range(
                self.laid + (seat - self.laid) % len(self.players), self.length, len(self.players)
            )
        )
