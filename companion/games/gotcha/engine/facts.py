"""What can be known of hands in Gotcha: the facts of the notepad and of the referee's audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.cards import Card, Family, family_cards, of_rank
from companion.errors import UsageError
from companion.notepad.facts import Fact, FactT

#: The 52 cards of the game.
DECK: tuple[Card, ...] = tuple(c for c in family_cards(Family.STANDARD) if not c.is_joker)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOut(Fact):
    """A card is in none of the hidden hands: it is the viewer's own, or was seen elsewhere."""

    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKept(Fact):
    """A card is, or was after discarding, in a player's hand."""

    player: str
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessRight(Fact):
    """A right guess: the card at an original position was shown and has left the hand.

    Attributes:
        player: whose hand.
        position: the original position, 1 the smallest.
        card: the card shown; the holder may show any of several of that rank. If the answer names
            no suit, only the rank is known, and every set with that rank there counts.
    """

    player: str
    position: int
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessWrong(Fact):
    """A wrong guess: the card at an original position does not have the rank."""

    player: str
    position: int
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankHere(Fact):
    """The card at an original position has the rank: a hypothesis, or seen without its suit."""

    player: str
    position: int
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsOf(Fact):
    """All cards that were dealt to a player, or (`aside`) that the player discarded."""

    player: str
    cards: tuple[Card, ...]
    aside: bool


#: An answer about an original position.
Answer = GuessRight | GuessWrong
#: What the notepad counts worlds with.
GotchaFact = CardOut | CardKept | GuessRight | GuessWrong | RankHere


@dataclass(frozen=True, slots=True)
class GotchaKnowledge:
    """Everything one viewer knows.

    Attributes:
        hands: (name, number of cards kept after discarding) of every hand the viewer does not see.
        facts: what is known, in the order in which it was learnt; the viewer's own dealt cards
            (discarded ones too) are `CardOut`.
        deck: the cards in play, all 52 unless a smaller game is studied.
    """

    hands: tuple[tuple[str, int], ...]
    facts: tuple[GotchaFact, ...] = ()
    deck: tuple[Card, ...] = DECK

    def __post_init__(self) -> None:
        if not self.hands:
            raise UsageError("There is no hidden hand to reason about.")

    @property
    def gone(self) -> dict[str, frozenset[int]]:
        """For each hidden hand the original positions that were guessed and have left it."""
        found: dict[str, set[int]] = {name: set() for name, _ in self.hands}
        for fact in self.facts:
            if isinstance(fact, GuessRight):
                found[fact.player].add(fact.position)
        return {name: frozenset(positions) for name, positions in found.items()}


def without_suits(knowledge: GotchaKnowledge) -> GotchaKnowledge:
    """The knowledge with right answers that name no suit."""
    facts = tuple(
        replace(fact, card=of_rank(fact.card.rank))
        if isinstance(fact, GuessRight) and fact.card.rank is not None
        else fact
        for fact in knowledge.facts
    )
    return replace(knowledge, facts=facts)


def all_sightings(core: Sequence[FactT], facts: Sequence[FactT]) -> tuple[FactT, ...]:
    """A conflict with every sighting of a rank where it is about too many cards of that rank.

    Two sevens at the ends of a run settle those between, but people count what they saw: five
    sevens are five facts.
    """
    seen = (GuessRight, CardOut, CardKept)
    answers = [fact for fact in core if not isinstance(fact, CardsOf)]
    ranks = {fact.card.rank for fact in answers if isinstance(fact, seen)}
    if len(ranks) != 1 or not all(isinstance(fact, seen) for fact in answers):
        return tuple(core)
    return tuple(
        fact
        for fact in facts
        if fact in core or (isinstance(fact, seen) and fact.card.rank in ranks)
    )
