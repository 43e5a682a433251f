"""Reads the ranks of a typed Missing Persons question: `7`, `between 5 and 9`, `9 or higher`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from companion.cards import RANKS
from companion.games.missing_persons.questions.lists import PhraseCondition
from companion.games.missing_persons.questions.question import (
    CARDS,
    Question,
    arc_down_round,
    arc_up,
)
from companion.games.missing_persons.questions.words import (
    ANDS,
    ARTICLES,
    DASHES,
    HIGHER,
    LOWER,
    NOTS,
    OFS,
    OR_HIGHER,
    OR_LOWER,
    ORS,
    OVER,
    RANK_WORDS,
    SUIT_WORDS,
    UNDER,
    Token,
    Unclear,
)
from companion.phrases import N_, phrase

_TO = DASHES | {"to", "through"}
#: An `a` before these is the ace.
_AFTER_ACE = frozenset({None, ")", ",", "nor", "up", "down"}) | ANDS | ORS | _TO | OFS


class RankReader:
    """A place in the tokens of a question, and how ranks are read there.

    Attributes:
        tokens: the words and signs.
        at: the place.
        depth: how many items are open around it.
        subject: `rank` or `suit` if the question is only about that (“is your number …”).
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.subject: str | None = None

    # -- places ----------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str | None:
        """The word this far ahead, None past the end."""
        place = self.at + ahead
        return self.tokens[place].word if place < len(self.tokens) else None

    def take(self, *words: str | frozenset[str]) -> bool:
        """Skips words, each one or any of several, if they stand here."""
        for ahead, word in enumerate(words):
            here = self.peek(ahead)
            fits = here in word if isinstance(word, frozenset) else here == word
            if not fits:
                return False
        self.at += len(words)
        return True

    def words(self, start: int) -> str:
        """What was typed from a place to here."""
        text = " ".join(token.raw for token in self.tokens[start : self.at])
        return text.replace(" ,", ",").replace("( ", "(").replace(" )", ")").replace(" 's", "'s")

    def misfit(self, ahead: int = 0) -> Unclear:
        """What to raise if a word does not fit, or one is missing."""
        if self.at + ahead >= len(self.tokens):
            return Unclear(N_("something is missing at the end"))
        return Unclear(phrase("“{what}” does not fit there", what=self.tokens[self.at + ahead].raw))

    def checked(self, condition: PhraseCondition) -> PhraseCondition:
        """A condition, if it suits what the question is about.

        Raises:
            Unclear: `is your number red`, `is your suit even`.
        """
        if self.subject in (None, condition.kind) or condition.words.startswith("("):
            return condition
        if self.subject == "rank":
            raise Unclear(phrase("“{what}” is not a number", what=condition.words))
        raise Unclear(phrase("“{what}” is not a suit or colour", what=condition.words))

    # -- single ranks ----------------------------------------------------------------------------

    def is_ace(self, ahead: int = 0) -> bool:
        """Whether an `a` stands here that is the ace, not an article."""
        return self.peek(ahead) == "a" and self.peek(ahead + 1) in _AFTER_ACE

    def is_suit(self, ahead: int) -> bool:
        """Whether a suit stands this far ahead."""
        return self.peek(ahead) in SUIT_WORDS

    def is_rank(self, ahead: int) -> bool:
        """Whether a rank stands this far ahead, perhaps after an article."""
        if self.peek(ahead) in ARTICLES and not self.is_ace(ahead):
            ahead += 1
        return self.peek(ahead) in RANK_WORDS

    def is_compared(self, ahead: int) -> bool:
        """Whether a comparison stands this far ahead: `more than 7`, `above 7`, `at least 7`."""
        word, after = self.peek(ahead), self.peek(ahead + 1)
        than = word in HIGHER | LOWER and after == "than"
        return than or word in OVER | UNDER or (word == "at" and after in ("least", "most"))

    def is_range_from(self) -> bool:
        """Whether `from 5 to 9` begins here."""
        return self.peek() == "from" and self.is_rank(1)

    def _rank(self) -> int:
        """A rank, which must be here, perhaps after an article."""
        if not self.is_rank(0):
            what = N_("the end") if self.peek() is None else self.tokens[self.at].raw
            raise Unclear(phrase("a rank is missing before “{what}”", what=what))
        if not self.is_ace():
            self.take(ARTICLES)
        self.at += 1
        return RANK_WORDS[self.tokens[self.at - 1].word]

    # -- conditions ------------------------------------------------------------------------------

    def ranks(self) -> PhraseCondition | None:
        """A rank, a range or a comparison, None if none begins here."""
        start = self.at
        if self.peek() in NOTS and self.is_compared(1):
            self.at += 1
            found = self._compared()
            if found is None:
                return None
            return replace(found, question=~found.question, words=self.words(start))
        compared = self._compared()
        if compared is not None:
            return compared
        if self.take("between"):
            return self._between(start)
        if self.is_range_from():
            self.at += 1
            found = self._from_rank(start)
            if found.single or found.limit:
                raise self.misfit()
            return found
        if self.peek() in RANK_WORDS or self.is_ace():
            return self._from_rank(start)
        if self.take("equal", "to"):
            return self._found([self._rank()], start, exact=True, single=True)
        return None

    def _found(
        self,
        ranks: Iterable[int],
        start: int,
        *,
        exact: bool = False,
        single: bool = False,
        limit: bool = False,
    ) -> PhraseCondition:
        """The condition of some ranks.

        Raises:
            Unclear: there are none.
        """
        wanted = frozenset(ranks)
        words = self.words(start)
        if not wanted:
            raise Unclear(phrase("no rank is “{what}”", what=words))
        question = Question(frozenset(c for c in CARDS if c.rank in wanted))
        return PhraseCondition(question, "rank", words, exact=exact, single=single, limit=limit)

    def _compared(self) -> PhraseCondition | None:
        """`at least 5`, `up to 5`, `above 5`, `less than 5`, `greater than or equal to 5`."""
        start, word = self.at, self.peek()
        if self.take("at", "least"):
            return self._found(arc_up(self._rank(), 13), start, limit=True)
        if self.take("at", "most") or self.take("up", "to"):
            return self._found(arc_up(1, self._rank()), start, limit=True)
        if not self.take(HIGHER | LOWER | OVER | UNDER):
            return None
        if word in HIGHER | LOWER and not self.take("than"):
            raise Unclear(phrase("after “{what}” comes “than” and a rank", what=word))
        equal = self.take("or", "equal", "to")
        rank, up = self._rank(), word in HIGHER | OVER
        ranks = range(rank + (not equal), 14) if up else range(1, rank + equal)
        return self._found(ranks, start, limit=True)

    def _between(self, start: int) -> PhraseCondition:
        """`between 5 and 9`, after the first word."""
        first = self._rank()
        if not self.take(_TO | {"and", "&"}):
            raise Unclear(N_("after “between” come two ranks with “and”"))
        ranks = arc_up(first, self._rank())
        self.take("inclusive")
        return self._found(ranks, start, exact=True)

    def _from_rank(self, start: int) -> PhraseCondition:
        """A rank, perhaps with `up to`, `down round to`, `to` and another, or `or higher`."""
        rank = self._rank()
        if self.take("up", "to"):
            ranks = _up(rank, self._rank())
        elif self.take("down", "round", "to"):
            ranks = _down_round(rank, self._rank())
        elif self.take("down", "to"):
            ranks = _up(self._rank(), rank)
        elif self.take(_TO):
            ranks = _up(rank, self._rank())
        elif self.peek() in ("or", "and") and self.peek(1) in OR_HIGHER | OR_LOWER:
            return self._or_higher(rank, start)
        else:
            return self._found([rank], start, exact=True, single=True)
        self.take("inclusive")
        return self._found(ranks, start, exact=True)

    def _or_higher(self, rank: int, start: int) -> PhraseCondition:
        """A rank with `or higher` after it, or one alone if the words mean something else."""
        word, after = self.peek(1), self.peek(2)
        if after in ("to", "round"):
            self.at += 3
            raise Unclear(phrase("“{what}” can be read in two ways", what=self.words(start)))
        if after == "than" or self.is_rank(2):
            return self._found([rank], start, exact=True, single=True)  # “7 or higher than 9”
        self.at += 2
        return self._found(arc_up(rank, 13 if word in OR_HIGHER else 1), start, limit=True)


def _up(first: int, last: int) -> frozenset[int]:
    """From the lower to the higher rank.

    Raises:
        Unclear: it would go the other way.
    """
    if first <= last:
        return arc_up(first, last)
    high, low = RANKS[first - 1], RANKS[last - 1]
    raise Unclear(
        phrase(
            "{name} is higher than {name2}, and only “down round to” goes through the ace",
            name=high,
            name2=low,
        ),
        f"{low} down round to {high}",
    )


def _down_round(first: int, last: int) -> frozenset[int]:
    """From a rank down through ace and king to a higher one.

    Raises:
        Unclear: it would not go that way.
    """
    if first < last:
        return arc_down_round(first, last)
    high, low = RANKS[first - 1], RANKS[last - 1]
    raise Unclear(
        phrase(
            "from {name} down to {name2} does not go round through the ace", name=high, name2=low
        ),
        f"between {low} and {high}" if first > last else None,
    )
