"""What one viewer of a Deduction match knows, and its reduction to bit masks.

Every tile lies in one of several places: a player's hand, face up on the table, or under the
table's question mark as the missing tile. All places are treated alike, the viewer's own hand
included, so that any subset of the facts is itself a state that can be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from companion.cards import PIECE_SUITS, Card, Family, family_cards
from companion.errors import UsageError
from companion.notepad.facts import CardAt, Fact
from companion.phrases import N_

#: The place of the missing tile and of the tiles turned up for all. No player's name has a space.
MISSING = N_("the missing tile")
FACE_UP = N_("face up")

#: Tiles in each hand by number of players; what is left over is turned up (rules, set-up).
HAND_SIZES = {3: 7, 4: 5, 5: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class TileCount(Fact):
    """An answer: how many tiles of a suit or value a player has.

    Attributes:
        player: who answered.
        what: the coin's face that was asked about, as a partly known tile (`?S`, `3?`).
        low: least number of them.
        high: greatest number of them.
    """

    player: str
    what: Card
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TileShown(Fact):
    """A tile shown to the viewer alone after a Yes.

    Attributes:
        player: who showed it.
        what: the face that was asked about.
        card: the tile shown, which lies in that player's hand.
    """

    player: str
    what: Card
    card: Card


DeductionFact = CardAt | TileCount | TileShown


_PLURALS = {"0?": N_("Blanks"), "A?": N_("Aces")}
_ONES = {"0?": N_("Blank"), "A?": N_("Ace")}
_ONE_SUIT = {"S": N_("Sun"), "M": N_("Moon"), "C": N_("Crown"), "H": N_("Shield")}


def face_words(what: Card, *, is_one: bool = False) -> str:
    """The name of a coin's face in the plural: `Suns`, `Blanks`, `3s`; or of one: `Sun`, `3`."""
    if what.suit is not None:
        return _ONE_SUIT[what.suit] if is_one else PIECE_SUITS[what.suit]
    if is_one:
        return _ONES.get(what.code, what.code[0])
    return _PLURALS.get(what.code, f"{what.code[0]}s")


@dataclass(frozen=True, slots=True)
class DeductionKnowledge:
    """Everything one viewer (or the public) knows of a match.

    Attributes:
        players: names in seat order.
        facts: what is known, in the order in which it was learnt.
        shown_random: weigh each world by 1/(matching tiles) for every tile shown to the viewer,
            as if the shower picks one at random; otherwise every deal counts the same.
        deck: the tiles in play, all 24 unless a smaller game is studied.
        hand_size: tiles dealt to each player; None for the rule's number.
    """

    players: tuple[str, ...]
    facts: tuple[DeductionFact, ...] = ()
    shown_random: bool = False
    deck: tuple[Card, ...] = family_cards(Family.TILE)
    hand_size: int | None = None

    def __post_init__(self) -> None:
        if self.hand_size is None and len(self.players) not in HAND_SIZES:
            raise UsageError("Deduction is for 3 to 5 players; name that many.")
        if self.size * len(self.players) >= len(self.deck):
            raise UsageError("No tile is left over to be the missing one; deal smaller hands.")

    @property
    def size(self) -> int:
        """Tiles in each hand."""
        return HAND_SIZES[len(self.players)] if self.hand_size is None else self.hand_size


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between `low` and `high` tiles of `mask` lie in a place (index)."""

    place: int
    mask: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class TileProblem:
    """A state as bit masks over the deck: bit i is the i-th tile of the deck.

    Attributes:
        names: the places: players, then `FACE_UP`, then `MISSING`.
        sizes: how many tiles each holds; they sum to the deck's size.
        possible: for each place the tiles that no fact on a single tile excludes from it.
        bounds: the answers on groups of tiles, at most one for a place and group.
        shown: (place, mask) of each tile shown to the viewer: the tiles that would have matched.
        deck: the tiles.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    possible: tuple[int, ...]
    bounds: tuple[Bounds, ...]
    shown: tuple[tuple[int, int], ...]
    deck: tuple[Card, ...]


def tile_problem(
    knowledge: DeductionKnowledge, facts: Sequence[DeductionFact] | None = None
) -> TileProblem:
    """Turns facts into masks.

    Args:
        knowledge: the match.
        facts: the facts to use instead of the knowledge's own.

    Raises:
        UsageError: a fact names a place or tile that does not exist.
    """
    deck, count = knowledge.deck, len(knowledge.players)
    names = (*knowledge.players, FACE_UP, MISSING)
    sizes = (*(knowledge.size for _ in range(count)), len(deck) - 1 - count * knowledge.size, 1)
    index = {tile: 1 << position for position, tile in enumerate(deck)}
    place_of = {name: position for position, name in enumerate(names)}
    possible = [(1 << len(deck)) - 1] * len(names)
    bounds: dict[tuple[int, int], tuple[int, int]] = {}
    shown: list[tuple[int, int]] = []
    try:
        for fact in knowledge.facts if facts is None else facts:
            if isinstance(fact, CardAt):
                _place_tile(possible, place_of[fact.place], index[fact.card], holds=fact.holds)
                continue
            place, mask = place_of[fact.player], _matching(deck, fact.what)
            if isinstance(fact, TileShown):
                _place_tile(possible, place, index[fact.card], holds=True)
                shown.append((place, mask))
                low, high = 1, len(deck)
                if not index[fact.card] & mask:
                    low, high = 1, 0  # a tile that does not match cannot be shown
            else:
                low, high = fact.low, fact.high
            old_low, old_high = bounds.get((place, mask), (0, mask.bit_count()))
            bounds[place, mask] = (max(low, old_low), min(high, old_high))
    except KeyError as error:
        raise UsageError("{args} is not part of this match.", args=error.args[0]) from None
    rows = tuple(Bounds(place, mask, *pair) for (place, mask), pair in bounds.items())
    return TileProblem(names, sizes, tuple(possible), rows, tuple(shown), deck)


def _place_tile(possible: list[int], place: int, bit: int, *, holds: bool) -> None:
    """Takes a tile away from the places where it cannot be."""
    for other in range(len(possible)):
        if (other != place) == holds:
            possible[other] &= ~bit


@lru_cache(maxsize=1024)
def _matching(deck: tuple[Card, ...], what: Card) -> int:
    """The mask of the tiles that show the face."""
    return sum(1 << i for i, tile in enumerate(deck) if what.matches(tile))
