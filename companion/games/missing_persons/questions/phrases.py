"""Reads the phrases of a typed Missing Persons question: `is it`, `a red royal`, `7 of hearts`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from companion.games.missing_persons.questions.lists import (
    PhraseCondition,
    Term,
    intersection,
    union,
)
from companion.games.missing_persons.questions.question import (
    CARDS,
    COLOURS,
    NUMBER_CARD,
    Question,
    tapped,
)
from companion.games.missing_persons.questions.ranks import RankReader
from companion.games.missing_persons.questions.words import (
    ADJECTIVES,
    ANDS,
    ARTICLES,
    CARD_NOUNS,
    EVERYTHING,
    HOLDING,
    LEADS,
    NOTS,
    NOUNS,
    NUMBER_NOUNS,
    OFS,
    ORS,
    OWNERS,
    PERSONS,
    PRONOUNS,
    RANK_NOUNS,
    SET_WORDS,
    SUIT_NOUNS,
    SUIT_WORDS,
    SYMBOLS,
    VERBS,
    Unbracketed,
    Unclear,
    code_of,
)
from companion.phrases import N_, phrase

_ENDS = frozenset({None, ")", ",", "nor", "except"}) | ANDS | ORS


class PhraseReader(RankReader):
    """Reads openings and phrases."""

    def level(self) -> Term:
        """A list, as it stands in brackets."""
        raise NotImplementedError

    # -- “is it”, “is the number of your card” ---------------------------------------------------

    def lead(self) -> None:
        """Skips “ok, so” before “is it”."""
        start = self.at
        while self.take(LEADS):
            self.take(",")
        if self.peek() not in VERBS:
            self.at = start

    def opening(self) -> None:
        """Skips “is it” and the like, and notes what the question is about."""
        verb = self.peek()
        if not self.take(VERBS):
            return
        self.subject = None
        named = self._subject()
        if verb in ("is", "are", "was"):
            return
        if not named:
            raise self.misfit()
        if verb not in ("does", "do"):
            self.take("got")
        elif not self.take(HOLDING - {"got"}):
            raise self.misfit()

    def _subject(self) -> bool:
        """Reads who or what the question is about; False if nothing is named."""
        if self.take(PRONOUNS):
            return True
        start = self.at
        if self._noun_of_owner():
            if self.take("of") and not self._person():
                raise self.misfit()
            return True
        if self._person():
            if self.take("'s") and not self._spoken_of():
                raise self.misfit()
            return True
        if self.take(OWNERS - {"the"}):
            if self.peek(1) in ("male", "female") and self.take("royal"):
                return True
            raise self.misfit()
        self.at = start
        return False

    def _noun_of_owner(self) -> bool:
        """`your number`, `the suit`."""
        start = self.at
        if self.take(OWNERS) and self._spoken_of():
            return True
        self.at = start
        return False

    def _spoken_of(self) -> bool:
        """`number`, `rank`, `suit` or `colour`, when the question is about that alone."""
        word = self.peek()
        if word not in NUMBER_NOUNS | RANK_NOUNS | SUIT_NOUNS or self.peek(1) in CARD_NOUNS:
            return False
        self.subject = "suit" if word in SUIT_NOUNS else "rank"
        self.at += 1
        return True

    def _person(self) -> bool:
        """`your missing person`."""
        ahead = 1 + (self.peek(1) in ADJECTIVES)
        if self.peek() in OWNERS and self.peek(ahead) in PERSONS and self.peek(ahead + 1) != "of":
            self.at += ahead + 1
            return True
        return False

    # -- phrases ---------------------------------------------------------------------------------

    def phrase(self) -> Term:
        """Conditions side by side, with their articles and nouns."""
        start = self.at
        found: list[PhraseCondition] = []
        nouns: list[str] = []
        article = self._articles()
        while self.peek() not in _ENDS:
            word = str(self.peek())
            if word in NOUNS:
                nouns.append(word)
                self.at += 1
                if word in NUMBER_NOUNS and self.peek() in CARD_NOUNS:
                    found.append(self._number_card(start=self.at - 1))
                    self.at += 1
                    nouns[-1] = "card"
                continue
            if word in OFS and not self.is_range_from():
                found.append(self._of(found, nouns))
                continue
            joined = word == "with" and bool(found or nouns)
            if joined:
                self.at += 1
                self._articles()
            condition = self._condition(found)
            after = joined or bool(nouns) or (condition.kind == "rank" and _has_suit(found))
            limiting = joined or condition.limit or (condition.exact and not condition.single)
            found.append(replace(condition, after=after and limiting))
        return self._phrase_of(start, found, nouns, article=article)

    def _articles(self) -> bool:
        """Skips articles, but not an `a` that stands for the ace."""
        start = self.at
        while not self.is_ace() and self.take(ARTICLES):
            pass
        if self.at > start and self.peek() is not None and self.peek() in _ENDS:
            raise self.misfit(-1)
        return self.at > start

    def _condition(self, found: list[PhraseCondition]) -> PhraseCondition:
        """One condition at this place.

        Raises:
            Unclear: there is none, or it does not fit those before it.
        """
        start = self.at
        condition = self._bracket() or self.ranks() or self._word()
        if condition is None:
            raise self.misfit()
        if condition.colour and any(part.exact or part.limit for part in found):
            raise self.misfit(start - self.at)
        return self.checked(condition)

    def _bracket(self) -> PhraseCondition | None:
        if not self.take("("):
            return None
        inner = self.level()
        if not self.take(")"):
            raise Unclear(N_("a bracket is not closed")) if self.peek() is None else self.misfit()
        return PhraseCondition(inner.question, "mixed", f"({inner.words})")

    def _word(self) -> PhraseCondition | None:
        """A suit, a colour, a named set of ranks, a card's code, or any card."""
        if self.peek() is None:
            return None
        word, raw = str(self.peek()), self.tokens[self.at].raw
        self.at += 1
        if word in COLOURS:
            return PhraseCondition(tapped(suits=COLOURS[word]), "suit", raw, colour=True)
        suit = SYMBOLS.get(word) or SUIT_WORDS.get(word)
        if suit is not None:
            return PhraseCondition(tapped(suits=suit), "suit", raw)
        if word in SET_WORDS:
            parity = word in ("even", "odd")
            return PhraseCondition(tapped(ranks=SET_WORDS[word]), "rank", raw, parity=parity)
        code = code_of(self.tokens[self.at - 1])
        if code is not None:
            question = tapped(ranks=[code[0]], suits=code[1])
            return PhraseCondition(question, "mixed", raw, exact=True, single=True)
        if word in EVERYTHING:
            return PhraseCondition(Question(frozenset(CARDS)), "mixed", raw)
        self.at -= 1
        return None

    def _number_card(self, start: int) -> PhraseCondition:
        words = f"{self.tokens[start].raw} card"
        return self.checked(PhraseCondition(tapped(ranks=NUMBER_CARD), "rank", words))

    def _of(self, found: list[PhraseCondition], nouns: list[str]) -> PhraseCondition:
        """`of hearts` after ranks or a noun."""
        if not found and not set(nouns) & (CARD_NOUNS | SUIT_NOUNS):
            raise self.misfit()
        self.at += 1
        self._articles()
        if self.take(SUIT_NOUNS):
            self.take("of")
        start = self.at
        condition = self._bracket() or self._word()
        if condition is None or condition.exact or condition.kind == "rank":
            self.at = start
            raise self.misfit()
        if condition.colour:
            self.take(SUIT_NOUNS)
        return replace(self.checked(condition), of=bool(found))

    # -- what a phrase means -----------------------------------------------------------------------

    def _phrase_of(
        self, start: int, found: list[PhraseCondition], nouns: list[str], *, article: bool
    ) -> Term:
        words = self.words(start)
        numbers = [noun for noun in nouns if noun in NUMBER_NOUNS]
        if numbers and not any(part.kind == "rank" for part in found):
            card = PhraseCondition(tapped(ranks=NUMBER_CARD), "rank", numbers[0])
            found.append(self.checked(card))
        if not found:
            if nouns:
                raise Unclear(phrase("“{what}” asks nothing by itself", what=words))
            raise self.misfit()
        self._refuse_nouns(found, nouns)
        listed = _as_list(found, words, article=article)
        if listed is not None:
            found = listed
        question = intersection(found)
        if numbers:
            _refuse_number(found, question, words)
        _refuse_loose_limit(found)
        closed = len(found) == 1 and found[0].words.startswith("(")
        return Term(question, words, tuple(found), article=article, closed=closed)

    def _refuse_nouns(self, found: list[PhraseCondition], nouns: list[str]) -> None:
        """`rank` goes with ranks, `suit` and `colour` with suits."""
        kinds = {part.kind for part in found} | {"mixed"}
        for noun in nouns:
            needs = "rank" if noun in RANK_NOUNS else "suit" if noun in SUIT_NOUNS else "mixed"
            if needs not in kinds:
                raise Unclear(phrase("“{what}” does not fit there", what=noun))


def _has_suit(found: list[PhraseCondition]) -> bool:
    return any(part.kind == "suit" for part in found)


def _as_list(
    found: list[PhraseCondition], words: str, *, article: bool
) -> list[PhraseCondition] | None:
    """Bare ranks side by side as one condition, `of hearts` after them kept; None for others.

    Raises:
        Unclear: ranks that are not bare stand side by side.
    """
    ranks = [part for part in found if part.exact]
    if len(ranks) < 2:
        return None
    rest = found[len(ranks) :]
    if found[: len(ranks)] != ranks or any(not part.single for part in ranks) or article:
        raise Unclear(
            phrase("“{what}” are ranks side by side: join them with commas or “or”", what=words)
        )
    if len(rest) > 1 or any(not part.of for part in rest):
        raise Unclear(
            phrase("“{what}” are ranks side by side: join them with commas or “or”", what=words)
        )
    text = " ".join(part.words for part in ranks)
    return [PhraseCondition(union(ranks), ranks[0].kind, text, exact=True), *rest]


def _refuse_loose_limit(found: list[PhraseCondition]) -> None:
    """`not above 8 and red` is clear, `not above 8 red` may end the `not` at either place."""
    for limit, after in pairwise(found):
        if limit.limit and limit.words.split()[0].casefold() in NOTS:
            raise Unbracketed(
                phrase(
                    "“{what}” before “{text}” can be read in two ways: use brackets",
                    what=limit.words,
                    text=after.words,
                )
            )


def _refuse_number(found: list[PhraseCondition], question: Question, words: str) -> None:
    """`a number above 8` may be a rank above 8, or a number card above 8."""
    ranks = [part for part in found if part.kind == "rank"]
    plain = all(part.parity or part.single for part in ranks)
    if not plain and question & tapped(ranks=NUMBER_CARD) != question:
        raise Unclear(
            phrase(
                "the number in “{what}” can be any rank, or a number card only: write “rank” or "
                "“number card”",
                what=words,
            )
        )
