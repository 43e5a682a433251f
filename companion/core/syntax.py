"""Forms of verbs: what may follow a verb, as parts that both read and write text.

A verb's form is a tuple of parts. Every part but a literal yields one argument. The same parts
tell a screen what to ask for (a card, a player, a number…), so nothing is described twice.

"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from companion.cards import RANKS, Card, Family, format_cards, parse_card, parse_cards
from companion.core.names import name_key
from companion.core.setup import Setup
from companion.errors import UnreadableError
from companion.phrases import N_, phrase

_WORD = re.compile(r'"[^"]*"|[^\s"]+')


def words_of(text: str) -> list[str]:
    """Splits text at spaces, keeping quoted parts (with their quotes) whole.

    Raises:
        UnreadableError: a quote is not closed.
    """
    if text.count('"') % 2:
        raise UnreadableError("A quotation mark is missing its partner.")
    return _WORD.findall(text)


class Part(ABC):
    """One place in a form."""

    #: Whether it yields an argument.
    yields = True
    #: What it is called in help texts, where it has one name.
    title: str

    @abstractmethod
    def read(self, words: list[str], setup: Setup) -> tuple[Any, int]:
        """Reads from the front of the words.

        Returns:
            The value and the number of words used.

        Raises:
            UnreadableError: the words do not begin with such a part.
        """

    def write(self, value: Any, setup: Setup) -> str:
        """The value in its first form."""
        return str(value)

    @property
    def label(self) -> str:
        """How help texts name it, e.g. `CARD`."""
        return self.title


@dataclass(frozen=True, slots=True)
class Literal(Part):
    """A word that must stand there, e.g. `is`."""

    word: str
    yields = False

    def read(self, words: list[str], setup: Setup) -> tuple[Any, int]:
        if not words or words[0].casefold() != self.word:
            raise UnreadableError(
                phrase("“{word}” is expected before “{words}”.", word=self.word, words=words[0])
                if words
                else phrase("“{word}” is expected at the end.", word=self.word)
            )
        return None, 1

    def write(self, value: Any, setup: Setup) -> str:
        return self.word

    @property
    def label(self) -> str:
        return self.word


#: What one component of a family is called in a sentence.
NOUNS = {
    Family.STANDARD: N_("card"),
    Family.TILE: N_("tile"),
    Family.COIN: N_("coin"),
    Family.SUSPENSE: "card",
}


@dataclass(frozen=True, slots=True)
class CardPart(Part):
    """One card of a family, in any spelling."""

    family: Family = Family.STANDARD
    title: str = "CARD"

    def read(self, words: list[str], setup: Setup) -> tuple[Card, int]:
        for length in (4, 3, 2):
            if len(words) >= length and "on" not in words[:length]:
                try:
                    return parse_card(" ".join(words[:length]), self.family), length
                except UnreadableError:
                    continue
        if not words:
            raise UnreadableError("A {value} is missing.", value=NOUNS[self.family])
        return parse_card(words[0], self.family), 1

    def write(self, value: Card, setup: Setup) -> str:
        return value.code


@dataclass(frozen=True, slots=True)
class CardsPart(Part):
    """All cards up to the end of the line."""

    family: Family = Family.STANDARD
    title: str = "CARDS"
    least: int = 1

    def read(self, words: list[str], setup: Setup) -> tuple[tuple[Card, ...], int]:
        cards = parse_cards(" ".join(words), self.family)
        if len(cards) < self.least:
            raise UnreadableError("The cards are missing.")
        return cards, len(words)

    def write(self, value: tuple[Card, ...], setup: Setup) -> str:
        return format_cards(value)


def _read_name(words: list[str], setup: Setup) -> tuple[int, int]:
    """The seat that the first words name, the longest name first, and how many words that are."""
    if words[0].startswith('"'):
        return setup.seat(words[0].strip('"')), 1
    longest = max(len(name.split()) for name in setup.players)
    known = {name_key(name): seat for seat, name in enumerate(setup.players)}
    for count in range(min(longest, len(words)), 1, -1):
        seat = known.get(name_key(" ".join(words[:count]).rstrip(",")))
        if seat is not None:
            return seat, count
    return setup.seat(words[0].rstrip(",")), 1


@dataclass(frozen=True, slots=True)
class PlayerPart(Part):
    """The name of a player; the argument is the seat."""

    title: str = "NAME"

    def read(self, words: list[str], setup: Setup) -> tuple[int, int]:
        if not words:
            raise UnreadableError("A player's name is missing.")
        return _read_name(words, setup)

    def write(self, value: int, setup: Setup) -> str:
        name = setup.players[value]
        # Another one's name that begins with it would be read in its place.
        begin = f"{name_key(name)} "
        is_begun = any(name_key(other).startswith(begin) for other in setup.players)
        return f'"{name}"' if is_begun else name


@dataclass(frozen=True, slots=True)
class PlayersPart(Part):
    """Names up to the end of the line; the argument is a tuple of seats."""

    title: str = "NAMES"

    def read(self, words: list[str], setup: Setup) -> tuple[tuple[int, ...], int]:
        if not any(word.strip(",") for word in words):
            raise UnreadableError("The players' names are missing.")
        if any("," in word for word in words):
            names = [name for name in " ".join(words).split(",") if name.strip()]
            return tuple(map(setup.seat, names)), len(words)
        seats, at = [], 0
        while at < len(words):
            seat, used = _read_name(words[at:], setup)
            seats.append(seat)
            at += used
        return tuple(seats), len(words)

    def write(self, value: tuple[int, ...], setup: Setup) -> str:
        has_spaces = any(" " in name for name in setup.players)
        return (", " if has_spaces else " ").join(setup.players[seat] for seat in value)


@dataclass(frozen=True, slots=True)
class NumberPart(Part):
    """A whole number within bounds."""

    low: int = 0
    high: int = 1000
    title: str = "N"

    def read(self, words: list[str], setup: Setup) -> tuple[int, int]:
        # isdecimal alone lets other scripts' digits and endless numbers through.
        if not words or not re.fullmatch(r"[0-9]{1,6}", words[0]):
            raise UnreadableError(
                phrase("A number is expected before “{words}”.", words=words[0])
                if words
                else phrase("A number is expected at the end.")
            )
        value = int(words[0])
        if not self.low <= value <= self.high:
            raise UnreadableError(
                "{value} is not from {low} to {high}.", value=value, low=self.low, high=self.high
            )
        return value, 1


@dataclass(frozen=True, slots=True)
class RankPart(Part):
    """A rank of the standard deck; the argument is its number, 1 to 13."""

    title: str = "RANK"

    def read(self, words: list[str], setup: Setup) -> tuple[int, int]:
        if not words:
            raise UnreadableError("A rank is missing.")
        card = parse_card(words[0])
        if card.rank is None or card.suit is not None:
            raise UnreadableError("“{words}” is no rank (A, 2 … 10, J, Q, K).", words=words[0])
        return card.rank, 1

    def write(self, value: int, setup: Setup) -> str:
        return RANKS[value - 1]


@dataclass(frozen=True, slots=True)
class ChoicePart(Part):
    """One of some words, in any case; the argument is the word as declared."""

    words: tuple[str, ...]

    def read(self, words: list[str], setup: Setup) -> tuple[str, int]:
        for choice in self.words:
            if words and words[0].casefold() == choice.casefold():
                return choice, 1
        raise UnreadableError(
            "One of {choices} is expected before “{words}”."
            if words
            else "One of {choices} is expected at the end.",
            choices=", ".join(self.words),
            words="".join(words[:1]),
        )

    @property
    def label(self) -> str:
        return "|".join(self.words)


@dataclass(frozen=True, slots=True)
class QuotedPart(Part):
    """Text in quotation marks; a line without any is read as unquoted text to its end."""

    title: str = "TEXT"

    def read(self, words: list[str], setup: Setup) -> tuple[str, int]:
        if not words:
            raise UnreadableError('"{title}" is missing.', title=self.title)
        if words[0].startswith('"'):
            return words[0][1:-1], 1
        if any('"' in word for word in words):
            raise UnreadableError(
                '"{title}" must stand in one pair of quotation marks.', title=self.title
            )
        return " ".join(words), len(words)

    def write(self, value: str, setup: Setup) -> str:
        if '"' in value or "\n" in value:
            raise UnreadableError("A text cannot hold quotation marks or line breaks.")
        return f'"{value}"'

    @property
    def label(self) -> str:
        return f'"{self.title}"'


@dataclass(frozen=True, slots=True)
class WordPart(Part):
    """One word, brought to its first form by a function that raises `UnreadableError`."""

    normalise: Callable[[str], str]
    title: str = "WORD"

    def read(self, words: list[str], setup: Setup) -> tuple[str, int]:
        if not words:
            raise UnreadableError("{title} is missing.", title=self.title)
        return self.normalise(words[0]), 1


@dataclass(frozen=True, slots=True)
class LettersPart(WordPart):
    """One word that may be written with spaces between its letters, to the end of the line.

    Attributes:
        letters: the letters it is made of, each with what it means, for keys on a screen.
    """

    letters: tuple[tuple[str, str], ...] = ()

    def read(self, words: list[str], setup: Setup) -> tuple[str, int]:
        if not words:
            raise UnreadableError("{title} is missing.", title=self.title)
        return self.normalise(" ".join(words)), len(words)


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """Keys that belong together, of those by which a text is made.

    Attributes:
        title: what they are about, in words.
        keys: what stands on each, and what it is called aloud.
    """

    title: str
    keys: tuple[tuple[str, str], ...]


class KeyedPart(Part):
    """A text that can be made by touching keys, in any interface, without being typed."""

    @abstractmethod
    def key_groups(self) -> tuple[KeyGroup, ...]:
        """The keys, in their groups."""

    @abstractmethod
    def made_of(self, touched: Sequence[Collection[int]]) -> str:
        """The text that touched keys mean, as it could have been typed.

        Args:
            touched: for each group the numbers of the keys that are down.
        """


Form = tuple[Part, ...]


def read_form(form: Form, words: list[str], setup: Setup) -> tuple[Any, ...]:
    """Reads all words by one form.

    Returns:
        One value for each part that yields one.

    Raises:
        UnreadableError: they do not fit, or something is left over.
    """
    values: list[Any] = []
    rest = words
    for part in form:
        value, used = part.read(rest, setup)
        if part.yields:
            values.append(value)
        rest = rest[used:]
    if rest:
        raise UnreadableError("“{rest}” is left over.", rest=" ".join(rest))
    return tuple(values)


def fits_form(form: Form, args: tuple[Any, ...]) -> bool:
    """Whether arguments could have been read by a form, as far as number and kind go."""
    parts = [part for part in form if part.yields]
    if len(parts) != len(args):
        return False
    many = (CardsPart, PlayersPart)
    return all(
        isinstance(part, many) == isinstance(a, tuple) for part, a in zip(parts, args, strict=True)
    )


def write_form(form: Form, args: tuple[Any, ...], setup: Setup) -> str:
    """The arguments in their first form; `read_form` reads them back."""
    values = iter(args)
    return " ".join(part.write(next(values) if part.yields else None, setup) for part in form)


def form_label(form: Form) -> str:
    """A form as help texts show it, e.g. `NAME smallest|biggest N is RANK`."""
    return " ".join(part.label for part in form)
