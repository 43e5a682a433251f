"""What can be known of a Suspense match: where each card is, as facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.cards import Card, Family, family_cards
from companion.errors import UsageError
from companion.games.suspense.conditions import DEFAULT_CONDITIONS, Condition
from companion.notepad.facts import CardAt
from companion.phrases import phrase

#: The place of the secret card. No player's name has a space.
SECRET = "the secret card"
#: The thirteen cards.
DECK: tuple[Card, ...] = family_cards(Family.SUSPENSE)


def in_play(player: str) -> str:
    """The place of the cards that lie face up in front of a player."""
    return phrase("in play, {player}", player=player)


@dataclass(frozen=True, slots=True)
class SuspenseKnowledge:
    """Everything one viewer knows of a match.

    Attributes:
        players: names in seat order.
        hand_sizes: cards now held by each player.
        played: number of cards in play in front of each player.
        facts: what is known, in the order in which it was learnt; every card in play, the viewer's
            own hand, the secret if the viewer has seen it.
        folded: who has folded.
        conditions: the victory condition of each card.
    """

    players: tuple[str, ...]
    hand_sizes: tuple[int, ...]
    played: tuple[int, ...]
    facts: tuple[CardAt, ...] = ()
    folded: frozenset[str] = frozenset()
    conditions: Mapping[Card, Condition] = field(default_factory=lambda: DEFAULT_CONDITIONS)

    def __post_init__(self) -> None:
        if sum(self.hand_sizes) + sum(self.played) + 1 != len(self.conditions):
            raise UsageError("Hands, cards in play and the secret card do not add up to the deck.")

    @property
    def sizes(self) -> dict[str, int]:
        """How many cards each place holds."""
        rows: dict[str, int] = dict(zip(self.players, self.hand_sizes, strict=True))
        rows |= {in_play(n): k for n, k in zip(self.players, self.played, strict=True)}
        return rows | {SECRET: 1}
