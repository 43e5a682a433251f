"""Witness, conflict and doubt, on a toy: hidden is one number of 0 to 9, answers bound it."""

from dataclasses import dataclass

import pytest

from companion.core.registry import get_game
from companion.core.state import evolve
from companion.notepad.consistency import Consistency, Witnessed
from companion.notepad.facts import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Within(Fact):
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy(Witnessed):
    facts: tuple[Within, ...] = ()
    fixed: frozenset[int] = frozenset()


class Bounds(Consistency[Toy, Within]):
    def search(self, state):
        low = max((fact.low for fact in state.facts), default=0)
        high = min((fact.high for fact in state.facts), default=9)
        return (low, True) if low <= high else (None, False)

    def conflict(self, state):
        low = max(state.facts, key=lambda fact: fact.low)
        return (low, min(state.facts, key=lambda fact: fact.high))

    def doubt(self, state, events):
        doubted = events - state.fixed
        return evolve(state, facts=tuple(f for f in state.facts if f.event not in doubted))


@pytest.fixture
def toy():
    setup = get_game("gotcha").setup(["Ann", "Bo"])
    facts = (Within(event=1, text="at most 3 (1)", low=0, high=3),)
    return Toy.fresh(setup, facts=facts)


def learn(state, n, low, high):
    fact = Within(event=n, text=f"{low} to {high} ({n})", low=low, high=high)
    return evolve(state, facts=(*state.facts, fact))


def test_what_fits_leaves_a_witness(toy):
    assert Bounds().check_answer(learn(toy, 2, 2, 9), 2, "It").witness == 2
    assert Bounds().check_cards(learn(toy, 2, 3, 9), 2, "it").witness == 3


def test_an_impossible_answer_is_found_and_doubted(toy):
    after = Bounds().check_answer(learn(toy, 2, 5, 9), 2, "It cannot be")
    assert [f.message for f in after.findings] == ["It cannot be: it conflicts with at most 3 (1)."]
    assert after.facts == toy.facts
    alone = Bounds().check_answer(learn(evolve(toy, facts=()), 2, 9, 5), 2, "It cannot be")
    assert alone.findings[0].message == "It cannot be."


def test_cards_make_answers_doubtful(toy):
    seen = evolve(learn(toy, 2, 5, 9), fixed=frozenset({2}), witness=1)
    after = Bounds().check_cards(seen, 2, "the card (2)")
    assert after.findings[0].message == "With the card (2) these cannot all be true: at most 3 (1)."
    assert [fact.event for fact in after.facts] == [2]
    assert (after.witness, after.muddled) == (None, False)


def test_what_contradicts_itself_without_answers_muddles(toy):
    seen = evolve(learn(evolve(toy, facts=()), 2, 9, 5), fixed=frozenset({2}))
    after = Bounds().check_cards(seen, 2, "the card (2)")
    assert after.findings[0].message == "No deal allows the card (2)."
    assert after.muddled
