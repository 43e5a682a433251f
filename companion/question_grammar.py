"""Reads a typed Missing Persons question.

    question := [prefix] either ['?']
    either   := both ('or' | ',') both …
    both     := part (['and'] part) …          (two parts side by side mean both)
    part     := 'not' part | '(' either ')' | (range | word) ['of' part]

A range is `between 5 and 9`, `5 up to J`, `5 down round to J`, `9 down to 5`, `5 to 9`, `at least
5`, `above 5`, `5 or higher` and the like. Words are suits, colours, `royal`, `even`, `odd`, `number
card`, and ranks. "is it", "is your card", "is your missing person" in front are read past.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from companion.cards import RANKS, SUITS
from companion.errors import UnreadableError
from companion.phrases import phrase
from companion.questions import (
    CARDS,
    COLOURS,
    EVEN,
    FEMALE,
    MALE,
    NUMBER_CARD,
    ODD,
    ROYAL,
    Question,
    arc_down_round,
    arc_up,
    tapped,
)

_TOKEN = re.compile(r"10|[♠♥♦♣♤♡♢♧]|[a-z]+(?:'[a-z]+)?|\d+|[(),&|!–-]")
_PREFIX = re.compile(
    r"\s*(?:and |so |then |ok,? )?(?:is|are|was|does|do|has|have)\s+"
    r"(?:it|he|she|they|you|(?:your|the|his|her)\s+"
    r"(?:missing\s+person|missing\s+card|secret\s+person|mystery\s+card|suspect|person|card|one|royal(?=\s+(?:fe)?male)))\s+"
    r"(?:have\s+|show\s+|in\s+fact\s+)?",
)

_SYMBOLS = dict(zip("♠♥♦♣♤♡♢♧", "SHDCSHDC", strict=True))
_RANK_WORDS = {
    "ace": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "t": 10, "jack": 11, "knave": 11, "queen": 12, "king": 13,
    **{text.casefold(): number for number, text in enumerate(RANKS, 1)},
    "1": 1, "11": 11, "12": 12, "13": 13,
}  # fmt: skip
_SETS = {
    "royal": ROYAL, "royals": ROYAL, "face": ROYAL, "court": ROYAL, "picture": ROYAL,
    "even": EVEN, "odd": ODD, "number": NUMBER_CARD, "numbered": NUMBER_CARD,
    "male": MALE, "female": FEMALE, "man": MALE, "woman": FEMALE,
}  # fmt: skip
#: Words that change nothing in front of a part.
_NOISE = {
    "a", "an", "the", "of", "card", "cards", "suit", "suited", "colour", "color", "either", "both",
    "any", "some", "in", "from", "person", "rank", "ranked", "value", "is", "it", "one's",
}  # fmt: skip
#: Words that may follow a part without changing it.
_AFTER = {"card", "cards", "suit", "suited", "person"}
_AND, _OR, _NOT = {"and", "&", "but", "with"}, {"or", ",", "|"}, {"not", "no", "non", "!"}
_HIGHER = {"higher", "more", "above", "greater", "up", "over", "bigger"}
_LOWER = {"lower", "less", "below", "fewer", "smaller", "under", "down"}
_STOPS = {None, ")", "up", "down", "to", "and", "or", ",", "-", "–", "through"}
_VOCABULARY = sorted(
    {"between", "and", "or", "not", "up", "down", "round", "to", "red", "black", "joker", "card"}
    | {name.casefold() for name in SUITS.values()}
    | {name.casefold()[:-1] for name in SUITS.values()}
    | {word for word in (*_RANK_WORDS, *_SETS) if len(word) > 2}
)


class _Unclear(Exception):  # noqa: N818 (turned into an UnreadableError with a suggestion)
    """What was expected where."""

    def __init__(self, message: str, better: str | None = None) -> None:
        super().__init__(message)
        self.better = better


def parse_question(text: str) -> Question:
    """Reads a question in words.

    Args:
        text: what was typed, e.g. `is it red and between 5 and 9?`.

    Returns:
        The question; `parse_question(question.text) == question` for every question.

    Raises:
        UnreadableError: it cannot be understood; the message quotes the part and, where there is
            one, the nearest form that is understood.

    >>> parse_question("Is your missing person a black royal?").text
    'black and royal?'
    """
    try:
        return _Reader(_tokens(text)).question()
    except _Unclear as problem:
        better = (problem.better or _nearest(text) or "").removesuffix("?")
        hint = phrase(" Did you mean “{better}”?", better=better) if better else _EXAMPLES
        raise UnreadableError(
            phrase(
                "“{text}” is not understood: {problem}.{hint}",
                text=text.strip(),
                problem=problem,
                hint=hint,
            )
        ) from None


_EXAMPLES = " Write it like “red?”, “a spade or royal?”, “between 5 and 9?” or “not even?”."


def _tokens(text: str) -> list[str]:
    """The words and signs of a question, without its prefix."""
    lowered = text.strip().casefold().rstrip("?!. ").strip("“”\"'")
    lowered = lowered.replace("isn't", "is not").replace("‘", "'").replace("’", "'")
    lowered = _PREFIX.sub("", f"{lowered} ", count=1).strip()
    strange = re.sub(r"\s+", "", _TOKEN.sub("", lowered))
    if strange:
        raise _Unclear(phrase("“{strange}” is no word of a question", strange=strange[:20]))
    return [token for token in _TOKEN.findall(lowered) if token not in ("is", "it")]


def _nearest(text: str) -> str | None:
    """The canonical form of the most similar question that can be read."""
    try:
        tokens = _tokens(re.sub(r"[^\w\s♠♥♦♣()',&|-]", " ", text))
    except _Unclear:
        return None
    known = set(_VOCABULARY) | _NOISE | _AND | _OR | _NOT | set(_RANK_WORDS) | _HIGHER | _LOWER
    known |= {"(", ")", "-", "–", "least", "most", "than", "through", "round", *_SYMBOLS}
    mended: list[str] = []
    for token in tokens:
        if token in known:
            mended.append(token)
            continue
        close = get_close_matches(token, _VOCABULARY, 1, 0.6)
        mended.extend(close)
    for words in (mended, [word for word in mended if word not in ("(", ")")]):
        for end in range(len(words), 0, -1):
            try:
                return _Reader(words[:end]).question().text
            except _Unclear as problem:
                if problem.better:
                    return problem.better
    return None


class _Reader:
    """Recursive descent over tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> str | None:
        """The token so far ahead, None past the end."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def question(self) -> Question:
        """The whole question."""
        if not self.tokens:
            raise _Unclear("nothing is asked")
        if {"male", "female"} <= set(self.tokens):
            raise _Unclear("it cannot be answered by yes or no", "royal")
        found = self.either()
        if self.peek() is not None:
            raise _Unclear(phrase("“{peek}” does not fit there", peek=self.peek()))
        return found

    def either(self) -> Question:
        """Parts joined by or."""
        found = self.both()
        while self.peek() in _OR:
            self.at += 1
            if self.peek() in _OR:
                self.at += 1  # “a spade, or a heart”
            found |= self.both()
        return found

    def both(self) -> Question:
        """Parts joined by and, or side by side."""
        found = self.part()
        while True:
            token = self.peek()
            if token is None or token in _OR or token == ")":
                return found
            if token in _AND:
                self.at += 1
            found &= self.part()

    def part(self) -> Question:
        """One part: a negation, brackets, a range or a word."""
        self._skip_noise()
        token = self.peek()
        if token is None:
            raise _Unclear("something is missing at the end")
        if token in _NOT:
            self.at += 1
            return ~self.part()
        if token == "(":
            self.at += 1
            found = self.either()
            if self.peek() != ")":
                raise _Unclear("a bracket is not closed")
            self.at += 1
            return found
        for reader in (self._limits, self._range, self._word):
            read: Question | None = reader()
            if read is not None:
                while self.peek() in _AFTER:
                    self.at += 1
                if self.peek() == "of":  # binds closer than “not”: “not the king of clubs”
                    self.at += 1
                    read &= self.part()
                return read
        raise _Unclear(phrase("“{token}” is no suit, colour, rank or range", token=token))

    def _skip_noise(self) -> None:
        """Passes over articles; an `a` that stands for the ace stays."""
        while (token := self.peek()) in _NOISE:
            if token == "a" and self.peek(1) in _STOPS:
                return
            self.at += 1

    def _rank(self) -> int | None:
        """A rank at this place, articles before it read past."""
        start = self.at
        self._skip_noise()
        rank = _RANK_WORDS.get(self.peek() or "")
        if rank is None:
            self.at = start
            return None
        self.at += 1
        return rank

    def _need_rank(self) -> int:
        """A rank, which must be here."""
        rank = self._rank()
        if rank is None:
            raise _Unclear(
                phrase("a rank is missing before “{what}”", what=self.peek() or "the end")
            )
        return rank

    def _limits(self) -> Question | None:
        """`at least 5`, `at most 5`, `above 5`, `less than 5`."""
        token = self.peek()
        if token == "at" and self.peek(1) in ("least", "most"):
            low = self.peek(1) == "least"
            self.at += 2
            rank = self._need_rank()
            return tapped(ranks=arc_up(rank, 13 if low else 1))
        if token == "up" and self.peek(1) == "to":
            self.at += 2
            return tapped(ranks=arc_up(1, self._need_rank()))
        if token not in _HIGHER | _LOWER:
            return None
        self.at += 1
        if self.peek() == "than":
            self.at += 1
        rank = self._need_rank()
        ranks = range(rank + 1, 14) if token in _HIGHER else range(1, rank)
        return _of_ranks(lambda value: value in ranks)

    def _range(self) -> Question | None:
        """`between 5 and 9`, or a rank followed by `up to`, `down round to`, `to`, `or higher`."""
        if self.peek() == "between":
            self.at += 1
            first = self._need_rank()
            if self.peek() not in ("and", "&", "to", "-", "–"):
                raise _Unclear("after “between” come two ranks with “and”")
            self.at += 1
            return tapped(ranks=arc_up(first, self._need_rank()))
        start = self.at
        rank = self._rank()
        if rank is None:
            self.at = start
            return None
        words = (self.peek(), self.peek(1), self.peek(2))
        if words[:2] == ("up", "to"):
            self.at += 2
            return self._up(rank, self._need_rank())
        if words == ("down", "round", "to"):
            self.at += 3
            return self._down_round(rank, self._need_rank())
        if words[:2] == ("down", "to"):
            self.at += 2
            return self._up(self._need_rank(), rank)
        if words[0] in ("to", "-", "–", "through"):
            self.at += 1
            return self._up(rank, self._need_rank())
        if words[0] in ("or", "and") and words[1] in _HIGHER | _LOWER:
            self.at += 2
            return tapped(ranks=arc_up(rank, 13 if words[1] in _HIGHER else 1))
        return tapped(ranks=[rank])

    def _up(self, first: int, last: int) -> Question:
        """From the lower to the higher rank; the other way is told."""
        if first <= last:
            return tapped(ranks=arc_up(first, last))
        names = RANKS[first - 1], RANKS[last - 1]
        raise _Unclear(
            phrase(
                "{name} is higher than {name2}, and only “down round to” goes through the ace",
                name=names[0],
                name2=names[1],
            ),
            f"{names[1]} down round to {names[0]}?",
        )

    def _down_round(self, first: int, last: int) -> Question:
        """From a rank down through ace and king to a higher one."""
        if first < last:
            return tapped(ranks=arc_down_round(first, last))
        names = RANKS[first - 1], RANKS[last - 1]
        raise _Unclear(
            phrase(
                "from {name} down to {name2} does not go round through the ace",
                name=names[0],
                name2=names[1],
            ),
            f"between {names[1]} and {names[0]}?" if first > last else None,
        )

    def _word(self) -> Question | None:
        """A suit, a colour, a named set of ranks, a joker, or any card."""
        token = self.peek() or ""
        self.at += 1
        if token in COLOURS:
            return tapped(suits=COLOURS[token])
        suit = _SYMBOLS.get(token) or _suit(token)
        if suit is not None:
            return tapped(suits=suit)
        if token in ("joker", "jokers"):
            return Question(frozenset())
        if token in _SETS:
            if token in ("even", "odd") and self.peek() in ("number", "numbers", "numbered"):
                self.at += 1
            return tapped(ranks=_SETS[token])
        if token in ("anything", "everything"):
            return Question(frozenset(CARDS))
        self.at -= 1
        return None


def _suit(word: str) -> str | None:
    """A suit's letter from its name, singular or plural."""
    for letter, name in SUITS.items():
        if word in (letter.casefold(), name.casefold(), name.casefold()[:-1]):
            return letter
    return None


def _of_ranks(wanted: Callable[[int], bool]) -> Question:
    """All cards whose rank is wanted, possibly none."""
    return Question(frozenset(c for c in CARDS if c.rank is not None and wanted(c.rank)))
