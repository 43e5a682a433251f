"""The Missing Persons notepad: the cards that the opponent's missing person can still be.

Both missing persons leave the deck before the deal, so a card that the viewer has seen elsewhere is
not one of them; each answer then leaves the cards for which it is true. Every remaining card is
equally likely. The two jokers are two cards but one identity. A joker answers No to everything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from companion.cards import SUITS, Card
from companion.games.missing_persons.engine.facts import (
    Answered,
    Identity,
    PersonFact,
    PersonKnowledge,
    RuledOut,
    Seen,
)
from companion.games.missing_persons.questions.question import (
    Question,
    rank_cost,
    tapped,
    why_not_plain,
)
from companion.notepad.facts import Oracle, Why, entropy, settling, smallest_core
from companion.phrases import N_


def allows(fact: PersonFact, card: Card) -> bool:
    """Whether a missing person can be a card as far as one fact goes."""
    if isinstance(fact, Seen):
        return card is not fact.card
    if isinstance(fact, Answered):
        return fact.question.answer(card) == fact.yes
    if isinstance(fact, RuledOut):
        return card not in fact.cards
    return (card.identity is fact.card.identity) == fact.holds


def candidates(knowledge: PersonKnowledge) -> tuple[Card, ...]:
    """The cards that remain, in natural order; their number is the number of worlds."""
    return tuple(
        card
        for card in knowledge.deck
        if (knowledge.jokers or not card.is_joker)
        and all(allows(fact, card) for fact in knowledge.facts)
    )


@dataclass(frozen=True, slots=True)
class QuestionValue:
    """What asking is worth.

    Attributes:
        question: the question.
        yes: the chance of a Yes.
        bits: expected information about the missing person, in bits.
        finish: the chance that the missing person is certain after the answer.
    """

    question: Question
    yes: float
    bits: float
    finish: float


def question_value(knowledge: PersonKnowledge, question: Question) -> QuestionValue:
    """Values any question, legal or not; all zeros when nothing remains.

    Identities count: telling one joker from the other is no information.
    """
    left = candidates(knowledge)
    if not left:
        return QuestionValue(question, 0.0, 0.0, 0.0)
    sides: tuple[list[Card], list[Card]] = ([], [])
    for card in left:
        sides[question.answer(card)].append(card.identity)
    after = finish = 0.0
    for side in sides:
        share = len(side) / len(left)
        after += share * entropy([side.count(c) for c in set(side)])
        finish += share * (len(set(side)) == 1)
    everyone = [card.identity for card in left]
    before = entropy([everyone.count(c) for c in set(everyone)])
    return QuestionValue(question, len(sides[1]) / len(left), max(0.0, before - after), finish)


_POPCOUNT: npt.NDArray[np.uint8] = np.array([bin(m).count("1") for m in range(1 << 13)], np.uint8)
_GROUPS: tuple[tuple[str, int], ...] = (
    ("SHDC", 0), ("HD", 1), ("SC", 1), ("S", 1), ("H", 1), ("D", 1), ("C", 1),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Shape:
    """A form of question: whole suits `base`, or the ranks searched for within `suits`."""

    base: str
    suits: str
    cost: int

    def question(self, mask: int) -> Question:
        """The question with a set of ranks (bit 0 the Ace)."""
        ranks = [rank for rank in range(1, 14) if mask >> rank - 1 & 1]
        searched = tapped(suits=self.suits, ranks=ranks)
        return searched | tapped(suits=self.base) if self.base else searched


def _shapes() -> tuple[_Shape, ...]:
    """Ranks within suits or a colour; and the same joined to a whole suit or colour."""
    found = [_Shape("", suits, cost) for suits, cost in _GROUPS]
    for base, _ in _GROUPS[1:]:
        found.append(_Shape(base, "SHDC", 2))
        rest = [s for s, _ in _GROUPS[1:] if not set(s) & set(base)]
        found.extend(_Shape(base, suits, 4) for suits in rest)
    return tuple(found)


_SHAPES = _shapes()


@cache
def _costs() -> npt.NDArray[np.int64]:
    """How plain the words for each set of ranks are, by mask."""
    return np.array([rank_cost(mask) for mask in range(1 << 13)], np.int64)


def best_question(knowledge: PersonKnowledge, *, yes: int | None = None) -> QuestionValue | None:
    """The legal question under `plain` that splits the candidates most evenly.

    All sets of ranks are tried within every suit and colour, alone or joined to a whole suit or
    colour. Among equally even ones that in the plainest words is chosen. Whole suits joined to part
    of one more reach every number of cards, so no other form could split more evenly.

    Args:
        knowledge: what the asker knows.
        yes: for how many candidates the answer should be Yes instead of for half of them.

    Returns:
        The question, which always tells something; None when no question can tell the candidates
        apart.
    """
    left = candidates(knowledge)
    if len({card.identity for card in left}) < 2:
        return None
    held = dict.fromkeys(SUITS, 0)
    for card in left:
        if card.suit is not None and card.rank is not None:
            held[card.suit] |= 1 << card.rank - 1
    masks = np.arange(1, 1 << 13)
    scores = []
    for shape in _SHAPES:
        fixed = sum(held[suit].bit_count() for suit in shape.base)
        inside = [suit for suit in shape.suits if suit not in shape.base]
        true = fixed + sum(_POPCOUNT[masks & held[suit]].astype(int) for suit in inside)
        uneven = np.abs(2 * true - (len(left) if yes is None else 2 * yes))
        told = (true == 0) | (true == len(left))  # its answer is known
        scores.append((uneven + 1000 * told) * 1000 + _costs()[1:] + shape.cost)
    table = np.stack(scores)
    for flat in np.argsort(table, axis=None, kind="stable")[:20_000].tolist():
        at, mask = divmod(flat, len(masks))
        question = _SHAPES[at].question(mask + 1)
        if why_not_plain(question) is None:
            value = question_value(knowledge, question)
            return value if value.bits > 0 else None
    return None


def why(knowledge: PersonKnowledge, card: Card) -> Why[PersonFact]:
    """A smallest set of facts that settles whether the missing person is a card (or a joker).

    Raises:
        UsageError: it is not settled.
    """
    return settling(
        knowledge.facts,
        lambda refuted: _oracle(knowledge, (refuted,)),
        (Identity(card=card, holds=holds) for holds in (True, False)),
        N_("Whether it is {card} is still open: nothing forces it."),
        card=card.name,
    )


def conflict(knowledge: PersonKnowledge) -> Why[PersonFact] | None:
    """A smallest set of facts that leave no card at all, None when some card remains."""
    return smallest_core(knowledge.facts, _oracle(knowledge, ()))


def _oracle(knowledge: PersonKnowledge, extra: tuple[PersonFact, ...]) -> Oracle:
    """Finds a card that chosen facts and the extra ones leave, and all facts that allow it."""
    possible = candidates(replace(knowledge, facts=extra))
    allowed = [
        sum(1 << i for i, fact in enumerate(knowledge.facts) if allows(fact, card))
        for card in possible
    ]

    def look(mask: int) -> int | None:
        fitting = [facts for facts in allowed if mask & ~facts == 0]
        return max(fitting, key=int.bit_count) if fitting else None

    return look
