"""Reads a typed Missing Persons question: every word counts, or the question is refused.

    question := level ['?']
    level    := item { (',' | [','] ('or' | 'and' | 'nor' | 'except')) item }
    item     := ['is it'] ('not' item | group | phrase)
    group    := 'either' … 'or' … | 'neither' … 'nor' … | 'both' … 'and' …
              | ('one' | 'any' | 'some' | 'none') 'of' ranks or suits in a list
    phrase   := [article] condition { condition } [noun] ['of' suits]

The words are those of `companion.games.missing_persons.questions.words`, the conditions those of
`companion.games.missing_persons.questions.phrases`. What belongs together:

* Conditions side by side, and a suit after “of”, all hold: `a red royal`, `7 of hearts`. Bare
  ranks side by side are a list: `2 3 4`.
* “not” takes the item that follows, “and” binds before “or”: `red or a spade and even` asks for a
  red card or an even spade. Brackets override this.
* In a list with commas the last word says what the commas mean; commas alone mean “or” between
  sets that share no card, and are refused between others.
* “of hearts” after a list of ranks goes with each: `a 7, 8 or 9 of hearts`.
* What could belong to one item or to a whole list is refused without brackets: `hearts or spades
  below 6`, `red 7 or 8`, `not red or royal`. So are two sets joined by “and” that share no card.
* Even, odd and ranges speak of ranks, Ace 1 to King 13, with or without the word “number”: a queen
  is even. “A number” alone is a number card, Ace to 10.
"""

from __future__ import annotations

from dataclasses import replace

from companion.errors import UnreadableError
from companion.games.missing_persons.questions.lists import Separator, Term, level_of
from companion.games.missing_persons.questions.phrases import PhraseReader
from companion.games.missing_persons.questions.question import CARDS, Question
from companion.games.missing_persons.questions.words import (
    ANDS,
    JOKERS,
    NOTS,
    ORS,
    Unbracketed,
    Unclear,
    mended,
    plain,
    tokens_of,
)
from companion.phrases import N_, phrase

_EXAMPLES = N_(" Write it like “red?”, “a spade or royal?”, “between 5 and 9?” or “not even?”.")
_BRACKETS = N_(" Brackets say what belongs together: “(a heart or a spade) and below 6?”.")
#: How deep brackets, groups and negations may be nested.
_DEEPEST = 25
_SEPARATORS = {
    **dict.fromkeys(ANDS, "and"), **dict.fromkeys(ORS, "or"), "nor": "nor", "except": "except"
}  # fmt: skip
#: Words that gather the items after them, with the word that must join the last of them.
_GATHERING = {"either": "or", "neither": "nor", "both": "and"}
_OF_LISTS = frozenset({"one", "any", "some", "none", "either"})


def parse_question(text: str) -> Question:
    """Reads a question in words.

    Args:
        text: what was typed, e.g. `is it red and between 5 and 9?`.

    Returns:
        The question with its words; `parse_question(question.text) == question` for every question.

    Raises:
        UnreadableError: it cannot be understood; the message quotes the part and, where there is
            one, the nearest form that is understood.

    >>> parse_question("Is your missing person a black royal?").text
    'black and royal?'
    """
    try:
        return _Reader(tokens_of(text)).question().asked_as(f"{plain(text)}?")
    except Unclear as problem:
        better = problem.better or _nearest(text)
        example = _BRACKETS if isinstance(problem, Unbracketed) else _EXAMPLES
        hint = phrase(" Did you mean “{better}”?", better=better) if better else example
        shown = text.strip()
        raise UnreadableError(
            "“{text}” is not understood: {problem}.{hint}",
            text=shown if len(shown) <= 200 else f"{shown[:200]}…",
            problem=problem.message,
            hint=hint,
        ) from None


def _nearest(text: str) -> str | None:
    """The canonical form of the question with its misspelt words and loose ends mended."""
    words = mended(text)
    if words is None:
        return None
    ends = (" and", " or", " not", ",", " of")
    stripped = words.replace("(", " ").replace(")", " ").strip()
    while stripped.endswith(ends):
        stripped = stripped[: -max(len(end) for end in ends if stripped.endswith(end))].rstrip()
    for candidate in (words, stripped):
        try:
            return _Reader(tokens_of(candidate)).question().text.removesuffix("?")
        except Unclear as problem:
            if problem.better:
                return problem.better
    return None


class _Reader(PhraseReader):
    """Recursive descent over the tokens."""

    def question(self) -> Question:
        """The whole question."""
        if not self.tokens:
            raise Unclear(N_("nothing is asked"))
        if {"male", "female"} <= {token.word for token in self.tokens}:
            raise Unclear(N_("it cannot be answered by yes or no"), "royal")
        self.lead()
        joker = self._joker()
        if joker is not None:
            return joker
        found = self.level()
        if self.peek() is not None:
            raise self.misfit()
        return found.question

    def _joker(self) -> Question | None:
        """The one question that may speak of a joker, `a joker?`, and its opposite."""
        rest = [token.word for token in self.tokens[self.at :]]
        if not JOKERS & set(rest):
            return None
        start = self.at
        self.opening()
        rest = [token.word for token in self.tokens[self.at :]]
        self.at = start
        negated = rest[0] in NOTS
        bare = [word for word in rest[negated:] if word not in ("a", "an", "the", "any")]
        if len(bare) == 1 and bare[0] in JOKERS:
            return Question(frozenset(CARDS if negated else ()))
        raise Unclear(
            "a question cannot mention a “joker”: whoever is the joker answers No to everything"
        )

    def level(self) -> Term:
        """Items joined by commas, `and`, `or`, `nor`, `except`, with the usual precedence."""
        start = self.at
        items = [self.item()]
        seps: list[Separator] = []
        before = self.words(start)
        while (sep := self._separator()) is not None:
            if items[-1].gathered:
                raise Unbracketed(
                    phrase("brackets are needed round “{what}”", what=items[-1].words)
                )
            item, (comma, word) = self.item(), sep
            if word == "nor" and not items[-1].negated:
                raise Unclear("before “nor” comes “neither” or “not”")
            if word == "except" and seps:
                raise Unbracketed(
                    phrase("before “except” brackets are needed round “{what}”", what=before)
                )
            if word in ("nor", "except"):
                item, word = item.opposite(), "and"
            before = self.words(start)
            items.append(item)
            seps.append((comma, word))
        return level_of(items, seps, self.words(start))

    def _separator(self) -> tuple[bool, str] | None:
        """Whether a comma stands here, and the joining word after it; None if there is neither."""
        comma = self.take(",")
        word = _SEPARATORS.get(self.peek() or "", "")
        if word:
            self.at += 1
        return (comma, word) if comma or word else None

    def item(self) -> Term:
        """A negation, a group or a phrase."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unclear("too many brackets or “not”s are nested")
        self.opening()
        if self.peek() == "any" and self.peek(1) == "one":
            self.at += 1  # “any one of”
        word, start = self.peek(), self.at
        if word in NOTS and not self.is_compared(1):
            found = self._negated()
        elif word in _OF_LISTS and self.peek(1) == "of":
            found = self._one_of(start)
        elif word in _GATHERING:
            found = self._gathered(start, str(word))
        else:
            found = self.phrase()
        self.depth -= 1
        return found

    def _negated(self) -> Term:
        """`not` with the item after it, which is one condition or a noun phrase."""
        start, word = self.at, self.peek()
        self.at += 1
        if word == "non":
            self.take("-")
        inner = self.item()
        if word != "no" and inner.is_loose:
            raise Unbracketed(
                phrase(
                    "“{what}” before “{text}” can be read in two ways: use brackets",
                    what=word,
                    text=inner.words,
                )
            )
        return replace(inner.opposite(), words=self.words(start))

    def _one_of(self, start: int) -> Term:
        """`one of 2, 3 and 4`: a list of ranks or of suits, whatever joins its members."""
        negated = self.peek() == "none"
        bare_one = self.peek() == "one"
        self.at += 2
        if not self.take("these") and not self.take("the") and bare_one and self.is_suit(0):
            raise Unclear(
                phrase(
                    "“{what}” can mean the ace or any card of that suit",
                    what=f"one of {self.tokens[self.at].raw}",
                )
            )
        members = [self.phrase()]
        while (sep := self._separator()) is not None:
            if sep[1] not in ("", "or", "and"):
                raise self.misfit(-1)
            members.append(self.phrase())
        if len({member.kind for member in members}) > 1 or not all(m.is_member for m in members):
            raise Unbracketed(
                phrase(
                    "after “of” come ranks or suits in a list, not “{what}”: use brackets",
                    what=self.words(start + 2),
                )
            )
        seps: list[Separator] = [(False, "or")] * (len(members) - 1)
        found = level_of(members, seps, self.words(start)).gather(self.words(start))
        return found.opposite() if negated else found

    def _gathered(self, start: int, word: str) -> Term:
        """`either … or …`, `neither … nor …`, `both … and …`."""
        joint = _GATHERING[word]
        self.at += 1
        items = [self.item()]
        seps: list[Separator] = []
        while (sep := self._separator()) is not None:
            if sep[1] not in ("", joint):
                raise Unclear(
                    phrase("after “{what}” only “{text}” joins the parts", what=word, text=joint)
                )
            seps.append(sep)
            items.append(self.item())
        if not seps or not seps[-1][1]:
            raise Unclear(phrase("after “{what}” comes “{text}”", what=word, text=joint))
        joined = [(comma, "and" if joint == "and" else "or") for comma, _ in seps]
        found = level_of(items, joined, self.words(start)).gather(self.words(start))
        return found.opposite() if word == "neither" else found
