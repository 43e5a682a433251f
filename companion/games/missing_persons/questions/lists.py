"""How the parts of a typed Missing Persons question are joined, and when brackets are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, pairwise
from typing import Literal

from companion.games.missing_persons.questions.question import Question
from companion.games.missing_persons.questions.words import Unbracketed, Unclear
from companion.phrases import phrase

#: What a condition is about; `mixed` is a bracket.
Kind = Literal["rank", "suit", "mixed"]
#: Whether a comma stands between two items, and the word: `and`, `or`, or none.
Separator = tuple[bool, str]


@dataclass(frozen=True, slots=True)
class PhraseCondition:
    """One condition of a phrase.

    Attributes:
        question: the set it stands for.
        kind: what it is about.
        words: as it was typed.
        exact: one rank or card, or ranks from one to another; not `even` or `above 5`.
        single: one rank or card.
        colour: it is a colour.
        limit: a comparison such as `above 5`.
        parity: `even` or `odd`.
        after: it follows what it limits, as in `spades below 6`.
        of: it is a suit after `of`.
    """

    question: Question
    kind: Kind
    words: str
    exact: bool = False
    single: bool = False
    colour: bool = False
    limit: bool = False
    parity: bool = False
    after: bool = False
    of: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """An item of a list, or a whole list.

    Attributes:
        question: the set it stands for.
        words: as it was typed.
        conditions: those of a phrase; empty for any other term.
        article: whether it begins with an article.
        negated: whether it is negated.
        closed: whether brackets, or words such as `either … or`, say where it ends.
        gathered: whether it is a list that such a word begins.
    """

    question: Question
    words: str
    conditions: tuple[PhraseCondition, ...] = ()
    article: bool = False
    negated: bool = False
    closed: bool = False
    gathered: bool = False

    @property
    def kind(self) -> Kind:
        """What its first condition is about."""
        return self.conditions[0].kind if self.conditions else "mixed"

    @property
    def is_bare(self) -> bool:
        """Whether it is one condition."""
        return len(self.conditions) == 1 and not self.negated and not self.closed

    @property
    def is_compound(self) -> bool:
        """Whether it is several conditions side by side."""
        return len(self.conditions) > 1 and not self.negated

    @property
    def is_loose(self) -> bool:
        """Whether a `not` before it may end after its first condition."""
        return self.is_compound and not self.article and not self.conditions[-1].of

    @property
    def is_member(self) -> bool:
        """Whether it may stand in the list after `one of`."""
        return self.is_bare or (self.is_compound and self.conditions[-1].of)

    def opposite(self) -> Term:
        """All other cards of the 52."""
        return replace(self, question=~self.question, negated=True)

    def gather(self, words: str) -> Term:
        """The same as a list that a word such as `either` begins."""
        return Term(self.question, words, closed=True, gathered=True)


def intersection(parts: Sequence[Term | PhraseCondition]) -> Question:
    """What is in all parts.

    Raises:
        Unclear: no card is in a part and in all before it.
    """
    found = parts[0].question
    for before, part in pairwise(parts):
        both = found & part.question
        if not both.cards and found.cards and part.question.cards:
            raise Unclear(
                phrase(
                    "no card is both “{what}” and “{text}”: write “or” if either will do",
                    what=before.words,
                    text=part.words,
                )
            )
        found = both
    return found


def union(parts: Iterable[Term | PhraseCondition]) -> Question:
    """What is in some part."""
    return reduce(Question.__or__, (part.question for part in parts))


def level_of(items: Sequence[Term], seps: Sequence[Separator], words: str) -> Term:
    """Items joined: `and` before `or`, commas as the last word says.

    Args:
        items: at least one.
        seps: what stands between them.
        words: all of it as typed.

    Raises:
        Unclear: it can be read in two ways, or no card is in all parts of an `and`.
    """
    if not seps:
        return items[0]
    joints = _joints(items, seps)
    _refuse_loose_not(items, joints)
    groups: list[list[Term]] = [[items[0]]]
    for joint, item in zip(joints, items[1:], strict=True):
        if joint == "and":
            groups[-1].append(item)
        else:
            groups.append([item])
    single = [group[0] if len(group) == 1 else None for group in groups]
    if len(groups) > 1:
        single = _distributed(single)
        _refuse_loose_parts([term for term in single if term is not None])
    sets = [
        term.question if term is not None else intersection(group)
        for term, group in zip(single, groups, strict=True)
    ]
    return Term(reduce(Question.__or__, sets), words)


def _joints(items: Sequence[Term], seps: Sequence[Separator]) -> list[str]:
    """The word between each two items, supplied where there is only a comma."""
    words = [word for _, word in seps if word]
    if not any(comma for comma, _ in seps):
        return words
    if len(set(words)) > 1:
        raise Unbracketed("a list with commas needs brackets if it has both “and” and “or”")
    if words:
        if not seps[-1][1]:
            raise Unclear("the last part of a list comes after “and” or “or”, not after a comma")
        return [words[0]] * len(seps)
    for one, two in combinations(items, 2):
        if one.negated or two.negated or (one.question & two.question).cards:
            raise Unclear(
                phrase(
                    "the comma between “{what}” and “{text}” can mean “and” or “or”",
                    what=one.words,
                    text=two.words,
                )
            )
    return ["or"] * len(seps)


def _refuse_loose_not(items: Sequence[Term], joints: Sequence[str]) -> None:
    """`not red or royal` can mean `not (red or royal)`."""
    for item, joint, after in zip(items, joints, items[1:], strict=False):
        clear = item.closed or after.closed or after.negated
        if joint == "or" and item.negated and not clear:
            raise Unbracketed(
                phrase(
                    "“{what} or {text}” can be read in two ways: use brackets, as in “not (…)”",
                    what=item.words,
                    text=after.words,
                )
            )


def _distributed(terms: list[Term | None]) -> list[Term | None]:
    """Gives the suit after a list of ranks to each: `a 7, 8 or 9 of hearts`."""
    found = list(terms)
    for place, term in enumerate(terms):
        if term is None or not _ends_with_suit(term):
            continue
        start = place
        while start and _is_bare_rank(terms[start - 1]):
            start -= 1
        listed = [other for other in terms[start : place + 1] if other is not None]
        if len(listed) < 2:
            continue
        suit = term.conditions[-1]
        loose = any(not other.conditions[0].exact for other in listed)
        if loose or any(other.article for other in listed[1:]):
            raise Unbracketed(_belongs(f"of {suit.words}", term))
        for at in range(start, place):
            bare = terms[at]
            assert bare is not None
            found[at] = replace(
                bare, question=bare.question & suit.question, conditions=(*bare.conditions, suit)
            )
    return found


def _ends_with_suit(term: Term) -> bool:
    """Whether it is ranks of a suit."""
    ranks, last = term.conditions[:-1], term.conditions[-1:]
    return term.is_compound and last[0].of and all(part.kind == "rank" for part in ranks)


def _is_bare_rank(term: Term | None) -> bool:
    return term is not None and term.is_bare and term.kind == "rank"


def _refuse_loose_parts(terms: Sequence[Term]) -> None:
    """Refuses `red 7 or 8` and `hearts or spades below 6`: a part may belong to one or to all."""
    for before, after in combinations(terms, 2):
        if before.is_compound and after.is_bare and not after.article:
            last = before.conditions[-1]
            if last.kind == after.kind:
                shared = before.conditions[0] if not last.of else before.conditions[-2]
                raise Unbracketed(_belongs(shared.words, before))
        if before.is_bare and after.is_compound and before.kind == after.kind:
            limit = after.conditions[-1]
            if not after.article or limit.after:
                raise Unbracketed(_belongs(limit.words, after))


def _belongs(part: str, term: Term) -> str:
    return phrase(
        "“{what}” can belong to “{text}” alone or to more of the list: use brackets",
        what=part,
        text=term.words,
    )
