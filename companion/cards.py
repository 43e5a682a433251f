"""Cards, tiles and coins as small interned values with parse and format that round-trip.

A `Card` belongs to a `Family` and is printed by its `code`, in the match notation's first form:

- standard: rank then suit, `AS 10H KD`, jokers `JK1 JK2`; `7?` is a card whose suit is not known,
  `JK` any joker (in a guess);
- tiles and coins: value `0 A 2 3 4 5` (0 is the Blank) then `S`(uns) `M`(oons) `C`(rowns)
  `H` (shields); a coin's single faces are `3?` (value side) and `?S` (suit side);
- suspense: `W1`…`W6`, `B1`…`B6`, `!`;
- `??` in every family: a card that exists and is not known.

Cards are interned: equal cards are the same object, so comparing and hashing are cheap, and
sorting follows the family's natural order (suits S H D C, ranks A to K, jokers last).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from companion.errors import UnreadableError
from companion.phrases import N_, phrase


class Family(StrEnum):
    """What kind of component a card is."""

    STANDARD = "standard"
    TILE = "tile"
    COIN = "coin"
    SUSPENSE = "suspense"


class Colour(StrEnum):
    """The colour of a card, if it has one."""

    RED = N_("red")
    BLACK = N_("black")
    WHITE = "white"


class Change(StrEnum):
    """What has happened to a card on the table."""

    LAID = "laid"
    MOVED = "moved"
    TURNED_OVER = "turned over"
    TURNED_UP = "turned up"
    REMOVED = "removed"
    CORRECTED = "read anew"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a card lies within its zone, as the camera looks at it.

    Attributes:
        x: of its middle, to the right of the zone's middle, in heights of a card.
        y: the same, downwards.
        turn: how its long sides lie: 0 upright, radians clockwise, modulo a half turn.
    """

    x: float
    y: float
    turn: float


#: Letters of the four standard suits with their names and symbols, in sorting order.
SUITS: dict[str, str] = {
    "S": N_("Spades"),
    "H": N_("Hearts"),
    "D": N_("Diamonds"),
    "C": N_("Clubs"),
}
SYMBOLS: dict[str, str] = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
#: Letters of the four piecepack suits with their names, in sorting order.
PIECE_SUITS: dict[str, str] = {
    "S": N_("Suns"),
    "M": N_("Moons"),
    "C": N_("Crowns"),
    "H": N_("Shields"),
}
#: Their signs. Arms by a fleur-de-lis: few typefaces have a shield, and a diamond
#: is a suit of cards.
PIECE_SYMBOLS: dict[str, str] = {"S": "☀", "M": "☾", "C": "♛", "H": "⚜"}
#: Rank texts of the standard deck; the index plus one is the number compared by the rules.
RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
#: Value texts of tiles and coins; the index is the value (0 is the Blank, 1 the Ace).
VALUES: tuple[str, ...] = ("0", "A", "2", "3", "4", "5")

_RANK_NAMES = {"A": N_("Ace"), "J": N_("Jack"), "Q": N_("Queen"), "K": N_("King")}
_VALUE_NAMES = {"0": N_("Blank"), "A": N_("Ace")}
#: What nobody has read.
_UNKNOWN = {
    Family.STANDARD: N_("an unknown card"),
    Family.SUSPENSE: N_("an unknown card"),
    Family.TILE: N_("an unknown tile"),
    Family.COIN: N_("an unknown coin"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """One card, tile or coin, fully or partly known. Obtain it by `card` or `parse_card`.

    Attributes:
        family: what kind of component it is.
        code: its text in the match notation.
        rank: the number compared by the rules (standard 1–13, pieces 0–5, suspense 1–6, `!` 0);
            None if unknown, and for jokers.
        suit: the suit's letter (suspense: `W` or `B`), None if unknown or without suit.
        order: position in the natural order over all families.
    """

    family: Family
    code: str
    rank: int | None
    suit: str | None
    order: int

    def __hash__(self) -> int:
        return self.order

    def __lt__(self, other: Card) -> bool:
        return self.order < other.order

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"Card({self.family.value} {self.code})"

    def __reduce__(self) -> tuple[object, ...]:
        return (card, (self.code, self.family))

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: object) -> Card:
        return self

    @property
    def is_joker(self) -> bool:
        """Whether it is a joker, one of the two or `JK`."""
        return self.code.startswith("JK")

    @property
    def is_known(self) -> bool:
        """Whether it is one particular card: not `??`, a rank alone, a face alone, or `JK`."""
        return "?" not in self.code and self.code != "JK"

    @property
    def identity(self) -> Card:
        """The card as it is named: both jokers are `JK`, all others are themselves."""
        return card("JK") if self.is_joker else self

    @property
    def colour(self) -> Colour | None:
        """Red or black (standard), white or black (suspense), None if it has none."""
        if self.suit is None:
            return None
        if self.family is Family.STANDARD:
            return Colour.RED if self.suit in "HD" else Colour.BLACK
        if self.family is Family.SUSPENSE:
            return Colour.WHITE if self.suit == "W" else Colour.BLACK
        return None

    @property
    def rank_text(self) -> str | None:
        """The rank as printed (`A`, `10`, `K`, `0`), None if unknown or a joker."""
        if self.rank is None:
            return None
        if self.family is Family.STANDARD:
            return RANKS[self.rank - 1]
        if self.family is Family.SUSPENSE:
            return self.code if self.suit is None else str(self.rank)
        return VALUES[self.rank]

    @property
    def name(self) -> str:
        """Its name in words, e.g. `Ten of Hearts`, `Blank of Shields`, `white 4`."""
        if self.code == "??":
            return _UNKNOWN[self.family]
        if self.family is Family.SUSPENSE:
            if self.suit is None:
                return N_("the !")
            is_white = self.colour is Colour.WHITE
            return phrase(N_("white {rank}") if is_white else N_("black {rank}"), rank=self.rank)
        if self.is_joker:
            return "Joker" if self.code == "JK" else phrase("Joker {what}", what=self.code[2])
        text = self.rank_text
        if self.family is Family.STANDARD and self.suit is not None and text is not None:
            # Apart from pieces: in some languages the suit of a card comes first.
            name = _RANK_NAMES.get(text, text)
            return phrase("{rank} of {suit}", rank=name, suit=SUITS[self.suit])
        words = _RANK_NAMES if self.family is Family.STANDARD else _VALUE_NAMES
        suits = SUITS if self.family is Family.STANDARD else PIECE_SUITS
        if self.suit is None:
            return phrase("a {words}", words=words.get(text or "", text or ""))
        if text is None:
            return phrase("the {suit} side", suit=suits[self.suit])
        return phrase("{words} of {suit}", words=words.get(text, text), suit=suits[self.suit])

    def matches(self, other: Card) -> bool:
        """Whether this reading and `other` can be the same card (`7?` fits `7S`, `JK` `JK1`)."""
        if self is other:
            return True
        if self.family is not other.family:
            return False
        if self.is_joker or other.is_joker:
            if self.is_joker and other.is_joker:
                return "JK" in (self.code, other.code)
            return "??" in (self.code, other.code)
        ranks = self.rank is None or other.rank is None or self.rank == other.rank
        suits = self.suit is None or other.suit is None or self.suit == other.suit
        if self.family is Family.SUSPENSE:
            return "??" in (self.code, other.code)
        return ranks and suits


def _make_cards() -> dict[Family, dict[str, Card]]:
    """All cards by family and code, each created once."""
    rows: dict[Family, list[tuple[str, int | None, str | None]]] = {}
    standard: list[tuple[str, int | None, str | None]] = [
        (f"{text}{suit}", number, suit) for suit in SUITS for number, text in enumerate(RANKS, 1)
    ]
    standard += [("JK1", None, None), ("JK2", None, None), ("JK", None, None)]
    standard += [(f"{text}?", number, None) for number, text in enumerate(RANKS, 1)]
    rows[Family.STANDARD] = standard
    for family in (Family.TILE, Family.COIN):
        rows[family] = [
            (f"{text}{suit}", value, suit)
            for suit in PIECE_SUITS
            for value, text in enumerate(VALUES)
        ]
        rows[family] += [(f"{text}?", value, None) for value, text in enumerate(VALUES)]
        rows[family] += [(f"?{suit}", None, suit) for suit in PIECE_SUITS]
    rows[Family.SUSPENSE] = [
        (f"{suit}{number}", number, suit) for suit in "WB" for number in range(1, 7)
    ]
    rows[Family.SUSPENSE].append(("!", 0, None))
    cards: dict[Family, dict[str, Card]] = {}
    order = 0
    for family, entries in rows.items():
        cards[family] = {}
        for code, rank, suit in [*entries, ("??", None, None)]:
            cards[family][code] = Card(family, code, rank, suit, order)
            order += 1
    return cards


_CARDS = _make_cards()

#: The card that exists and is not known, of the standard deck.
UNKNOWN = _CARDS[Family.STANDARD]["??"]


def card(code: str, family: Family = Family.STANDARD) -> Card:
    """The card with exactly this code; `parse_card` reads other spellings too.

    Raises:
        UnreadableError: there is no such card in the family.
    """
    try:
        return _CARDS[family][code]
    except KeyError:
        raise UnreadableError(
            "“{code}” is no {value} card.", code=code, value=family.value
        ) from None


def unknown(family: Family) -> Card:
    """The `??` of a family."""
    return _CARDS[family]["??"]


def of_rank(rank: int, family: Family = Family.STANDARD) -> Card:
    """The card whose suit is not known, e.g. `7?`."""
    text = RANKS[rank - 1] if family is Family.STANDARD else VALUES[rank]
    return card(f"{text}?", family)


def family_cards(family: Family) -> tuple[Card, ...]:
    """All particular cards of a family in natural order (54, 24, 24 and 13 of them)."""
    return tuple(c for c in _CARDS[family].values() if c.is_known)


_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}
# Names are read in English and German, as the app writes them.
_RANK_WORDS = {
    "ace": "A", "jack": "J", "knave": "J", "queen": "Q", "king": "K", "t": "10",
    "ass": "A", "bube": "J", "dame": "Q", "könig": "K",
}  # fmt: skip
_SUIT_WORDS = {"pik": "S", "herz": "H", "karo": "D", "kreuz": "C"}
_VALUE_WORDS = {"blank": "0", "null": "0", "ace": "A"}
# A keyboard's suit is a symbol and the wish that it be drawn in colours.
_SUIT_SYMBOLS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC", "\ufe0e\ufe0f")
_JOKERS = {"JK": "JK", "JOKER": "JK", "JK1": "JK1", "JK2": "JK2", "JOKER1": "JK1", "JOKER2": "JK2"}
_SPLIT_CODE = re.compile(r"(10|[0-9AJQKT?])([SHDCM?])")
_SPLIT_REVERSED = re.compile(r"([SHDC])(10|[0-9AJQKT])")
_WORD = re.compile(r"[^\s,;]+")
_BETWEEN = ("and", "und", "&")
#: Codes in a row without anything between them; a joker's could be read in two ways.
_RUNS = {
    Family.STANDARD: re.compile("(10|[2-9AJQK])[SHDC]"),
    Family.TILE: re.compile("[0-5A][SMCH]"),
    Family.COIN: re.compile("[0-5A][SMCH]"),
    Family.SUSPENSE: re.compile("[WB][1-6]|!"),
}


def _rank_text(word: str, family: Family) -> str | None:
    """A rank in any spelling to its printed form, None when it is none."""
    word = _NUMBER_WORDS.get(word.casefold(), word.casefold())
    is_standard = family is Family.STANDARD
    text = (_RANK_WORDS if is_standard else _VALUE_WORDS).get(word, word.upper())
    text = "A" if text == "1" else text
    return text if text in (RANKS if is_standard else VALUES) else None


def _suit_letter(word: str, family: Family) -> str | None:
    """A suit in any spelling to its letter, None when it is none."""
    word = word.casefold()
    suits = SUITS if family is Family.STANDARD else PIECE_SUITS
    if family is Family.STANDARD and word in _SUIT_WORDS:
        return _SUIT_WORDS[word]
    for letter, name in suits.items():
        if word in (letter.casefold(), name.casefold(), name.casefold()[:-1]):
            return letter
    if family is not Family.STANDARD and word in ("arms", "arm"):
        return "H"
    return None


def _from_code(text: str, family: Family) -> Card | None:
    """Reads one word without spaces, e.g. `as`, `T♥`, `♥10`, `w4`, `7`."""
    cards = _CARDS[family]
    word = text.translate(_SUIT_SYMBOLS).upper()
    if word in cards:
        return cards[word]
    if family is Family.STANDARD and word in _JOKERS:
        return cards[_JOKERS[word]]
    if family is Family.SUSPENSE:
        return None
    if (rank := _rank_text(text, family)) is not None:
        return cards[f"{rank}?"]
    match = _SPLIT_CODE.fullmatch(word)
    pair = match.groups() if match else None
    if pair is None and family is Family.STANDARD:
        reverse = _SPLIT_REVERSED.fullmatch(word)
        pair = reverse.groups()[::-1] if reverse else None
    if pair is None:
        return None
    rank = _rank_text(pair[0], family)
    return cards.get(f"{rank}{pair[1]}") if rank else None


def _from_words(words: list[str], family: Family) -> Card | None:
    """Reads `ten of hearts`, `spade 7`, `white 4`, `joker 1`; None when it is none of these."""
    lowered = [word.translate(_SUIT_SYMBOLS).casefold() for word in words]
    if len(lowered) > 2 and lowered[0] in ("the", "a"):
        del lowered[0]
    lowered[1:-1] = [word for word in lowered[1:-1] if word not in ("of", "the")]
    if len(lowered) != 2:
        return None
    first, second = lowered
    if family is Family.SUSPENSE:
        number = _NUMBER_WORDS.get(second, second)
        letter = {"white": "W", "black": "B"}.get(first)
        return _CARDS[family].get(f"{letter}{number}") if letter else None
    if family is Family.STANDARD and first == "joker" and second in ("1", "2"):
        return _CARDS[family][f"JK{second}"]
    for rank_word, suit_word in ((first, second), (second, first)):
        rank, suit = _rank_text(rank_word, family), _suit_letter(suit_word, family)
        # A letter is a suit behind its rank alone: "10 H 7" would be two cards in two ways.
        if rank and suit and (len(suit_word) > 1 or rank_word is first):
            return _CARDS[family][f"{rank}{suit}"]
    return None


def parse_card(text: str, family: Family = Family.STANDARD) -> Card:
    """Reads one card in any accepted spelling.

    Accepted beside the code itself: lower case, `T` for ten, suit symbols, either order with a
    symbol or letter (`♥10`), names (`ten of hearts`, `spade 7`, `Blank of Shields`, `white 4`;
    German ones of the standard deck, `Herz-10`), and a bare rank (`7`, `ten`) for the card whose
    suit is not known.

    Args:
        text: what was written, without surrounding commas.
        family: the family it must belong to.

    Returns:
        The card; `parse_card(c.code, c.family) is c` for every card.

    Raises:
        UnreadableError: it names no card of the family.

    >>> parse_card("t♥"), parse_card("ten of hearts").code
    (Card(standard 10H), '10H')
    """
    cleaned = text.strip().removeprefix("the ")
    found = _from_code(cleaned, family) if cleaned else None
    if found is None:
        found = _from_words(cleaned.replace("-", " ").split(), family)
    if found is None:
        example = {"standard": "AS, 10H, JK1", "suspense": "W4, B1, !"}.get(family.value, "0S, 5H")
        raise UnreadableError(
            "“{text}” is no {value} card (write {example}).",
            text=text,
            value=family.value,
            example=example,
        )
    return found


def parse_cards(text: str, family: Family = Family.STANDARD) -> tuple[Card, ...]:
    """Reads a list of cards: names, and codes with anything or nothing between them.

    Raises:
        UnreadableError: a part of it names no card; the message quotes that part.

    >>> [c.code for c in parse_cards("AS, ten of hearts 7? and 2♠3♥")]
    ['AS', '10H', '7?', '2S', '3H']
    """
    cards: list[Card] = []
    codes = _CARDS[family]
    for part in re.split("[,;]", text):
        words = [word for word in _WORD.findall(part) if word.casefold() not in _BETWEEN]
        position = 0
        while position < len(words):
            if words[position] in codes:
                # No name begins with a code, and most lists are written in codes alone.
                cards.append(codes[words[position]])
                position += 1
                continue
            for length in (4, 3, 2):
                chunk = words[position : position + length]
                found = _from_words(chunk, family) if len(chunk) == length else None
                if found is not None:
                    cards.append(found)
                    position += length
                    break
            else:
                cards += _in_a_row(words[position], family) or [parse_card(words[position], family)]
                position += 1
    return tuple(cards)


def _in_a_row(word: str, family: Family) -> list[Card]:
    """The cards whose codes stand in a row without anything between them; none if it is not so."""
    codes = word.translate(_SUIT_SYMBOLS).upper().replace("T", "10")
    found = [match[0] for match in _RUNS[family].finditer(codes)]
    return [_CARDS[family][code] for code in found] if "".join(found) == codes else []


def format_cards(cards: Iterable[Card]) -> str:
    """The codes separated by single spaces; `parse_cards` reads them back."""
    return " ".join(c.code for c in cards)


def speak_cards(cards: Iterable[Card]) -> str:
    """As `format_cards`, for people: a card whose suit is not known is written without `?`."""
    return " ".join(c.code if c.suit or c.rank is None else c.rank_text or "" for c in cards)
