"""The Missing Persons notepad: candidates, the best question, reasons."""

from __future__ import annotations

import random
from math import log2

import pytest

from companion.cards import Card, card, parse_cards
from companion.games.missing_persons.engine.facts import (
    DECK,
    Answered,
    Identity,
    PersonFact,
    PersonKnowledge,
    RuledOut,
    Seen,
)
from companion.games.missing_persons.engine.solve import (
    best_question,
    candidates,
    question_value,
)
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import (
    CARDS,
    Question,
    tapped,
    why_not_plain,
)
from tests.companion.notepad.facts import learn


def random_knowledge(rng: random.Random, *, truth: bool = True) -> PersonKnowledge:
    person = rng.choice(DECK)
    others = [c for c in DECK if c is not person]
    facts: list[PersonFact] = [Seen(card=c) for c in rng.sample(others, rng.randint(0, 48))]
    for number in range(rng.randint(0, 3)):
        ranks = rng.sample(range(1, 14), rng.randint(2, 9))
        question = tapped(suits=rng.sample("SHDC", rng.randint(1, 4)), ranks=ranks)
        yes = question.answer(person) if truth else rng.random() < 0.5
        facts.append(Answered(question=question, yes=yes, event=number + 1))
    return PersonKnowledge(tuple(facts))


def chances(knowledge: PersonKnowledge) -> dict[Card, float]:
    """The chance of each identity: every candidate is as likely, and both jokers are one."""
    left = [c.identity for c in candidates(knowledge)]
    return {c: left.count(c) / len(left) for c in left}


@pytest.mark.parametrize(
    ("facts", "jokers", "left"),
    [
        ((), True, 54),
        ((Answered(question=parse_question("red"), yes=False),), True, 28),  # both jokers say No
        ((Answered(question=parse_question("red"), yes=False),), False, 26),
        ((Answered(question=parse_question("red"), yes=True),), True, 26),
        ((Identity(card=card("JK1"), holds=False),), True, 52),  # either joker is the joker
        ((RuledOut(cards=tapped(suits="S").cards),), True, 41),
    ],
)
def test_candidates(facts: tuple[PersonFact, ...], jokers: bool, left: int) -> None:
    assert len(candidates(PersonKnowledge(facts, jokers=jokers))) == left


def test_the_best_question_is_legal_and_splits_as_evenly_as_any_can() -> None:
    rng = random.Random(2)
    found = 0
    for _ in range(120):
        knowledge = random_knowledge(rng)
        left = candidates(knowledge)
        best = best_question(knowledge)
        if best is None:
            assert len({c.identity for c in left}) < 2
            continue
        found += 1
        assert why_not_plain(best.question) is None
        plain = [c for c in left if not c.is_joker]
        nearest = min(abs(2 * k - len(left)) for k in range(len(plain) + 1))
        yes = sum(best.question.answer(c) for c in left)
        assert abs(2 * yes - len(left)) == nearest
        assert best.yes == pytest.approx(yes / len(left))
    assert found > 100


def test_the_best_question_when_few_are_left() -> None:
    for left in (["JS", "KS"], ["JS", "KH", "JD"], ["QS", "JK1", "JK2"], ["7S", "7H", "7D", "7C"]):
        remaining = parse_cards(" ".join(left))
        knowledge = PersonKnowledge(tuple(Seen(card=c) for c in DECK if c not in remaining))
        best = best_question(knowledge)
        assert best is not None
        yes = sum(best.question.answer(c) for c in remaining)
        assert 0 < yes < len(remaining)
    jokers = PersonKnowledge(tuple(Seen(card=c) for c in CARDS))
    assert best_question(jokers) is None


def test_question_values_are_exact_expectations() -> None:
    rng = random.Random(3)

    def bits(knowledge: PersonKnowledge) -> float:
        return sum(p * log2(1 / p) for p in chances(knowledge).values())

    for _ in range(100):
        knowledge = random_knowledge(rng)
        question = Question(frozenset(rng.sample(CARDS, rng.randint(0, 52))))
        value = question_value(knowledge, question)
        left = candidates(knowledge)
        gain, finish = bits(knowledge), 0.0
        for yes in (True, False):
            after = learn(knowledge, Answered(question=question, yes=yes))
            share = len(candidates(after)) / len(left)
            gain -= share * bits(after)
            finish += share * (len(chances(after)) == 1)
        assert value.bits == pytest.approx(gain, abs=1e-9)
        assert value.finish == pytest.approx(finish, abs=1e-9)
