"""Decks: which cards exist, what is printed on them and how large they are.

Recognition classifies *glyphs*, not ranks: `V` is a jack on a French card and a queen on a Dutch
one, `B` a jack on a German card, Cyrillic `В` a jack on a Russian one. The deck's alphabet says
which rank a glyph means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from companion.cards import RANKS, VALUES, Card, Family, family_cards
from companion.errors import UsageError

#: In the place of a deck's name: the deck's letters are told from what is seen.
AUTO = "auto"
#: The English standard deck, and what a standard game is played with in any language.
STANDARD = "standard"
#: Card sizes in millimetres, width by height.
POKER_MM = (63.0, 88.0)
TILE_MM = (50.8, 50.8)
COIN_MM = (19.0, 19.0)
#: Names of the decks that can be printed: `calibration.printing` draws them.
PRINTABLE = ("standard", "suspense", "piecepack-tiles", "piecepack-coins")


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck as it lies on the table.

    Attributes:
        name: its name on the command line.
        title: its name in words.
        family: what kind of component its cards are.
        cards: the cards that are in it, each named once, in natural order.
        alphabet: glyph as printed → rank number (`Card.rank`); several glyphs may mean one rank.
        size_mm: width and height of one card in millimetres.
        indices: number of printed corner indices of a card; 0 if cards bear none and must be
            enrolled.
        enrolled: whether recognition needs example pictures of this deck.
        copies: how many there are of each card.
    """

    name: str
    title: str
    family: Family
    cards: tuple[Card, ...]
    alphabet: Mapping[str, int]
    size_mm: tuple[float, float]
    indices: int
    enrolled: bool = False
    copies: int = 1

    def rank_of(self, glyph: str) -> int | None:
        """The rank an index glyph means in this deck, None when the deck has no such glyph."""
        return self.alphabet.get(glyph)

    def glyphs_of(self, rank: int) -> tuple[str, ...]:
        """The glyphs that stand for a rank, the usual one first."""
        return tuple(glyph for glyph, value in self.alphabet.items() if value == rank)

    @property
    def glyphs(self) -> tuple[str, ...]:
        """All glyphs of its indices."""
        return tuple(self.alphabet)

    def card(self, rank: int | None, suit: str | None) -> Card | None:
        """The card of that rank and suit in this deck, None when there is none."""
        for candidate in self.cards:
            if candidate.rank == rank and candidate.suit == suit and not candidate.is_joker:
                return candidate
        return None

    @property
    def whole(self) -> int:
        """How many cards it has without its jokers."""
        return self.copies * (len(self.cards) - len(self.jokers))

    @property
    def counts(self) -> Mapping[Card, int]:
        """How many there are of each card."""
        return dict.fromkeys(self.cards, self.copies)

    @property
    def jokers(self) -> tuple[Card, ...]:
        """Its jokers."""
        return tuple(c for c in self.cards if c.is_joker)


def alphabet(**changes: str) -> Mapping[str, int]:
    """Index glyphs of a standard deck: the English ones with some replaced.

    Args:
        changes: rank text → glyphs separated by spaces, e.g. `J="V"`, `A="1 A"`.
    """
    glyphs: dict[str, int] = {}
    for number, text in enumerate(RANKS, 1):
        for glyph in changes.get(text, text).split():
            glyphs[glyph] = number
    return MappingProxyType(glyphs)


def _standard(
    name: str, title: str, glyphs: Mapping[str, int], *, indices: int = 2, jokers: bool = True
) -> Deck:
    cards = tuple(c for c in family_cards(Family.STANDARD) if jokers or not c.is_joker)
    return Deck(name, title, Family.STANDARD, cards, glyphs, POKER_MM, indices)


def _pinochle() -> Deck:
    """Two of each card from nine to ace."""
    ranks = {1, 9, 10, 11, 12, 13}
    cards = tuple(c for c in family_cards(Family.STANDARD) if c.rank in ranks)
    title = "Pinochle, two of each card from nine to ace"
    glyphs = {glyph: rank for glyph, rank in alphabet(A="A 1").items() if rank in ranks}
    letters = MappingProxyType(glyphs)
    return Deck("pinochle", title, Family.STANDARD, cards, letters, POKER_MM, 2, copies=2)


def _two_packs() -> Deck:
    """Two standard packs shuffled together, jokers and all, as for rummy and canasta."""
    cards = family_cards(Family.STANDARD)
    title = "Two standard packs: each card twice"
    return Deck(
        "two-packs", title, Family.STANDARD, cards, alphabet(A="A 1"), POKER_MM, 2, copies=2
    )


def _pieces(name: str, title: str, family: Family, size: tuple[float, float]) -> Deck:
    values = {text: value for value, text in enumerate(VALUES)}
    cards = family_cards(family)
    return Deck(name, title, family, cards, MappingProxyType(values), size, 0, enrolled=True)


def _suspense() -> Deck:
    values = {"!": 0} | {str(number): number for number in range(1, 7)}
    return Deck(
        "suspense",
        "Suspense, 13 cards",
        Family.SUSPENSE,
        family_cards(Family.SUSPENSE),
        MappingProxyType(values),
        POKER_MM,
        2,
        enrolled=True,
    )


_BUILT_IN = (
    _standard("standard", "Standard 52 and two jokers", alphabet(A="A 1")),
    _standard("four-index", "Standard with four indices", alphabet(A="A 1"), indices=4),
    _standard("french", "French indices 1 V D R", alphabet(A="1 A", J="V", Q="D", K="R")),
    _standard("german", "German indices A B D K", alphabet(J="B", Q="D")),
    _standard("dutch", "Dutch indices A B V H", alphabet(J="B", Q="V", K="H")),
    _standard("russian", "Russian indices Т В Д К", alphabet(A="Т", J="В", Q="Д", K="К")),
    _standard("nordic", "Nordic indices E Kn D K", alphabet(A="E A", J="Kn", Q="D")),
    _pinochle(),
    _two_packs(),
    _suspense(),
    _pieces("piecepack-tiles", "Piecepack tiles", Family.TILE, TILE_MM),
    _pieces("piecepack-coins", "Piecepack coins", Family.COIN, COIN_MM),
)
_DECKS: dict[str, Deck] = {deck.name: deck for deck in _BUILT_IN}


def deck_names() -> tuple[str, ...]:
    """Names of the built-in decks."""
    return tuple(_DECKS)


def get_deck(name: str = "standard") -> Deck:
    """The built-in deck of that name.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    try:
        return _DECKS[name]
    except KeyError:
        known = ", ".join(_DECKS)
        raise UsageError(f"There is no deck “{name}”. Built in: {known}.") from None
