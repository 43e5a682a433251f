"""The words of a typed Missing Persons question: the closed list, and how a text is split.

No word outside this list is skipped. A word with two meanings is refused: `7s` can be sevens or the
7 of spades, and `a` is the ace only if no noun can follow it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from companion.cards import RANKS, SUITS
from companion.games.missing_persons.questions.question import (
    COLOURS,
    EVEN,
    FEMALE,
    MALE,
    NUMBER_CARD,
    ODD,
    ROYAL,
)
from companion.phrases import phrase

#: Longer questions are not read; the canonical wording of every set is shorter.
LONGEST = 1500

SYMBOLS = dict(zip("♠♥♦♣♤♡♢♧", "SHDCSHDC", strict=True))
_NAMES = (
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack",
    "queen", "king",
)  # fmt: skip
RANK_WORDS = {
    **{name: number for number, name in enumerate(_NAMES, 1)},
    **{f"{name}s": number for number, name in enumerate(_NAMES, 1) if name != "six"},
    **{text.casefold(): number for number, text in enumerate(RANKS, 1)},
    "one": 1, "sixes": 6, "t": 10, "knave": 11, "knaves": 11,
    "1": 1, "11": 11, "12": 12, "13": 13,
}  # fmt: skip
SUIT_WORDS = {
    word: letter
    for letter, name in SUITS.items()
    for word in (letter.casefold(), name.casefold(), name.casefold()[:-1])
}
#: Words for sets of ranks; `royal`, `face`, `court` and `picture` are the same.
SET_WORDS = {
    "royal": ROYAL, "royals": ROYAL, "face": ROYAL, "faces": ROYAL, "court": ROYAL,
    "picture": ROYAL, "pictures": ROYAL, "even": EVEN, "odd": ODD, "numbered": NUMBER_CARD,
    "male": MALE, "female": FEMALE, "man": MALE, "woman": FEMALE,
}  # fmt: skip
#: Nouns that ask nothing by themselves; `number` alone means a number card.
NUMBER_NOUNS = frozenset({"number", "numbers"})
RANK_NOUNS = frozenset({"rank", "ranks", "value", "values"})
SUIT_NOUNS = frozenset({"suit", "suits", "colour", "colours", "color", "colors"})
CARD_NOUNS = frozenset({"card", "cards", "person"})
NOUNS = NUMBER_NOUNS | RANK_NOUNS | SUIT_NOUNS | CARD_NOUNS
JOKERS = frozenset({"joker", "jokers"})
EVERYTHING = frozenset({"anything", "everything"})

ARTICLES = frozenset({"a", "an", "the", "any", "some"})
ANDS = frozenset({"and", "&", "but"})
ORS = frozenset({"or", "|"})
NOTS = frozenset({"not", "no", "non", "!"})
OFS = frozenset({"of", "in", "from"})
DASHES = frozenset({"-", "–", "—"})
#: `above 8`, and with “than” `higher than 8`. Neither includes the 8.
OVER, UNDER = frozenset({"above", "over", "beyond"}), frozenset({"below", "under", "beneath"})
HIGHER = frozenset({"higher", "greater", "more", "bigger", "larger"})
LOWER = frozenset({"lower", "less", "fewer", "smaller"})
#: `8 or higher` and `8 and up`; both keep the 8.
OR_HIGHER = HIGHER | OVER | {"up", "upward", "upwards"}
OR_LOWER = LOWER | UNDER | {"down", "downward", "downwards"}

VERBS = frozenset({"is", "are", "was", "does", "do", "has", "have"})
HOLDING = frozenset({"have", "show", "hold", "got"})
PRONOUNS = frozenset({"it", "he", "she", "they", "you"})
OWNERS = frozenset({"your", "the", "his", "her", "its", "their"})
PERSONS = frozenset({"person", "card", "suspect", "one"})
ADJECTIVES = frozenset({"missing", "secret", "mystery"})
LEADS = frozenset({"and", "so", "then", "ok", "okay", "well"})
_OTHERS = {
    "(", ")", ",", "'s", "between", "at", "least", "most", "than", "to", "through", "round",
    "either", "neither", "nor", "both", "none", "these", "except", "with", "inclusive", "equal",
}  # fmt: skip

KNOWN = frozenset(
    _OTHERS | set(RANK_WORDS) | set(SUIT_WORDS) | set(SYMBOLS) | set(SET_WORDS) | set(COLOURS)
    | NOUNS | JOKERS | EVERYTHING | ARTICLES | ANDS | ORS | NOTS | OFS | DASHES | OR_HIGHER
    | OR_LOWER | VERBS | HOLDING | PRONOUNS | OWNERS | PERSONS | ADJECTIVES | LEADS
)  # fmt: skip
#: Words that a mistyped one may stand for.
_LIKELY = sorted(word for word in KNOWN if len(word) > 2 and word.isalpha())

_QUOTES = "“”\"'‘’ "
_WORD = re.compile(r"'s\b|[^\W_]+(?:'[^\W\d_]+)?|\S")
_CODE = re.compile(r"(10|[2-9AJQKT])([SHDC♠♥♦♣♤♡♢♧])", re.IGNORECASE)


class Unclear(Exception):  # noqa: N818 (turned into an UnreadableError with a suggestion)
    """Why a question cannot be read.

    Attributes:
        message: what was expected where, quoting the words.
        better: a form that is understood, if there is one to propose.
    """

    def __init__(self, message: str, better: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.better = better


class Unbracketed(Unclear):
    """It can be read in two ways, and brackets would say which is meant."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign.

    Attributes:
        word: in lower case.
        raw: as it was typed.
    """

    word: str
    raw: str


def tokens_of(text: str) -> list[Token]:
    """The words and signs of a question in order, without the marks around it.

    Raises:
        Unclear: it is too long, or holds words outside the list, or one that can mean two things.
    """
    if len(text) > LONGEST:
        raise Unclear("it is too long for a question")
    found = list(_split(text))
    strange = [token.raw for token in found if not _is_known(token)]
    if strange:
        raise Unclear(
            phrase(
                "“{what}” is not a word that questions use"
                if len(strange) == 1
                else "“{what}” are not words that questions use",
                what=" ".join(strange)[:60],
            )
        )
    for token in found:
        _refuse_plural_code(token.raw)
    _refuse_lone_a(found)
    return found


def plain(text: str) -> str:
    """A typed text without the marks around it, with single spaces."""
    return " ".join(text.split()).lstrip(_QUOTES).rstrip(f"{_QUOTES}?!.")


def _split(text: str) -> list[Token]:
    trimmed = plain(text).replace("’", "'").replace("‘", "'")
    found: list[Token] = []
    for match in _WORD.finditer(trimmed):
        raw = match[0]
        symbol = found and raw in SYMBOLS and trimmed[match.start() - 1 : match.start()].isalnum()
        if symbol and _CODE.fullmatch(found[-1].raw + raw):
            raw = found.pop().raw + raw  # “7♥” and “A♥” are cards, “a ♥” is not
        owner = raw[:-2] if raw.casefold().endswith("'s") else ""
        if owner:
            found += [Token(owner.casefold(), owner), Token("'s", "'s")]
        else:
            found.append(Token(raw.casefold(), raw))
    return found


def _is_known(token: Token) -> bool:
    return token.word in KNOWN or code_of(token) is not None


def code_of(token: Token) -> tuple[int, str] | None:
    """The rank and suit of a card's code such as `7H` or `A♠`, None for any other word."""
    match = _CODE.fullmatch(token.raw)
    if match is None:
        return None
    suit = match[2]
    return RANK_WORDS[match[1].casefold()], SYMBOLS.get(suit, suit.upper())


def _refuse_plural_code(raw: str) -> None:
    """`7s` and `Ks` may be sevens and kings; `7S` and `KS` are spades."""
    if raw.endswith("s") and _CODE.fullmatch(raw):
        rank = RANKS[RANK_WORDS[raw[:-1].casefold()] - 1]
        raise Unclear(
            phrase("“{what}” can mean every {text} or the {text} of spades", what=raw, text=rank)
        )


def _refuse_lone_a(found: list[Token]) -> None:
    """`A S`, `a ♠`, `a hearts` and `A K` may begin with an ace or with an article."""
    for place, (token, after) in enumerate(pairwise(found)):
        if token.word != "a":
            continue
        word, single = after.word, len(after.word) == 1
        suit = word in SYMBOLS or (word in SUIT_WORDS and (single or word.endswith("s")))
        rank = word in RANK_WORDS and token.raw == "A" and (place > 0 or not word.isdigit())
        if suit or (rank and (single or word.isdigit())):
            raise Unclear(
                phrase(
                    "“{what}” can begin with an ace or with the article “a”: write “ace”",
                    what=f"{token.raw} {after.raw}",
                )
            )


def mended(text: str) -> str | None:
    """A text with each unknown word replaced by the known one most like it.

    Returns:
        The text, None if a word resembles no known one.
    """
    words: list[str] = []
    for token in _split(text[:LONGEST]):
        if _is_known(token):
            words.append(token.raw)
            continue
        close = get_close_matches(token.word, _LIKELY, 1, 0.75) if len(token.word) > 2 else []
        if not close:
            return None
        words += close
    return " ".join(words)
