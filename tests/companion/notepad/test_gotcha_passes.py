"""Gotcha's sums against whole numbers of any size, and counts too big for one number."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from math import factorial

import numpy as np
import pytest

from companion.games.gotcha.engine import passes
from companion.games.gotcha.engine.facts import (
    DECK,
    CardOut,
    GotchaKnowledge,
    GuessRight,
    GuessWrong,
    RankHere,
)
from companion.games.gotcha.engine.passes import Passes, sum_of_products
from companion.games.gotcha.engine.solve import gotcha_problem, rank_chances, solve, worlds
from tests.companion.notepad.facts import learn
from tests.companion.notepad.test_gotcha import random_fact, random_match, rank


def test_small_matches_equal_sums_of_whole_numbers() -> None:
    rng = random.Random(11)
    for _ in range(100):
        knowledge, world = random_match(rng)
        solved = solve(knowledge)
        assert solved.worlds == worlds(knowledge) == by_dictionary(knowledge) > 0
        name, size = rng.choice(knowledge.hands)
        position = rng.randint(1, size)
        fixed = learn(knowledge, RankHere(player=name, position=position, rank=1))
        for there in range(1, 14):
            number = by_dictionary(learn(knowledge, replace(fixed.facts[-1], rank=there)))
            chance = solved.positions[name][position].get(there, 0.0)
            assert (chance > 0) == (number > 0)
            assert chance == pytest.approx(number / solved.worlds, rel=1e-9)
        passes = Passes(gotcha_problem(knowledge))
        there = rank(world[name][position - 1])
        hand = [other for other, _ in knowledge.hands].index(name)
        fixed = learn(knowledge, replace(fixed.facts[-1], rank=there))
        given = passes.given(hand, position, there)
        assert given.count() == by_dictionary(fixed)
        assert rank_chances(given) == solve(fixed).positions


@pytest.mark.parametrize(("players", "kept"), [(5, 9), (5, 10), (5, 8), (4, 12), (3, 16)])
def test_a_spectators_count_is_exact_and_all_hands_look_alike(players: int, kept: int) -> None:
    hands = tuple((name, kept) for name in "ABCDE"[:players])
    knowledge = GotchaKnowledge(hands)
    solved = solve(knowledge)
    expected = factorial(52) // factorial(52 - kept * players) // factorial(kept) ** players
    assert solved.worlds == worlds(knowledge) == expected
    first = solved.positions["A"]
    for rows in solved.positions.values():
        for position, row in rows.items():
            assert row == pytest.approx(first[position], abs=1e-12)


def test_a_product_of_many_big_numbers_is_exact() -> None:
    rng = np.random.default_rng(3)
    one, other = (rng.integers(2**57 - 2**20, 2**57, size=(40, 50)) for _ in range(2))
    exact = sum(a * b for a, b in zip(one.ravel().tolist(), other.ravel().tolist(), strict=True))
    assert sum_of_products(one, other) == exact


def test_the_ways_to_the_middle_stay_below_the_limit_of_exact_products() -> None:
    shares = [(26 + pile) // 6 for pile in range(6)]
    ways = factorial(26)
    for share in shares:
        ways //= factorial(share)
    assert sum(shares) == 26
    assert ways < 2**57
    knowledge = GotchaKnowledge(tuple((name, 9) for name in "ABCDE"))
    passes = Passes(gotcha_problem(knowledge))
    passes.count()
    assert max(passes.low.max(), passes.high.max()) <= ways


def by_dictionary(knowledge: GotchaKnowledge) -> int:
    """All worlds of a full match, by whole numbers of any size and nothing shared."""
    out = {fact.card for fact in knowledge.facts if isinstance(fact, CardOut)}
    shown = {f.card: f.player for f in knowledge.facts if isinstance(f, GuessRight)}
    there = defaultdict(set)
    for fact in knowledge.facts:
        if isinstance(fact, GuessRight | RankHere):
            named = fact.card.rank if isinstance(fact, GuessRight) else fact.rank
            there[fact.player, fact.position].add(named)
    never = {(f.player, f.position, f.rank) for f in knowledge.facts if type(f) is GuessWrong}
    ways = {tuple(0 for _ in knowledge.hands): 1}
    for card in sorted(knowledge.deck, key=rank):
        if card in out:
            continue
        after = {} if card in shown else dict(ways)
        for held, number in ways.items():
            for at, (name, size) in enumerate(knowledge.hands):
                place = (name, held[at] + 1)
                if (
                    shown.get(card, name) == name
                    and held[at] < size
                    and there.get(place, {card.rank}) == {card.rank}
                    and (*place, card.rank) not in never
                ):
                    more = (*held[:at], held[at] + 1, *held[at + 1 :])
                    after[more] = after.get(more, 0) + number
        ways = after
    return ways.get(tuple(size for _, size in knowledge.hands), 0)


@pytest.mark.parametrize(
    ("players", "kept", "dealt"), [(1, 20, 26), (2, 16, 17), (3, 12, 13), (4, 5, 9)]
)
def test_full_matches_equal_sums_of_whole_numbers(players: int, kept: int, dealt: int) -> None:
    rng = random.Random(players)
    for guesses in (0, 6, 15, 30):
        cards = rng.sample(DECK, 52)
        names = "BCDEF"[:players]
        world = {
            name: tuple(sorted(cards[at * kept : (at + 1) * kept], key=rank))
            for at, name in enumerate(names)
        }
        out = tuple(CardOut(card=card) for card in cards[-dealt:])
        knowledge = GotchaKnowledge(tuple((name, kept) for name in names), out)
        for _ in range(guesses):
            knowledge = learn(knowledge, *random_fact(rng, knowledge, world))
        solved = solve(knowledge)
        assert solved.worlds == by_dictionary(knowledge)
        for _ in range(4):
            name, position, there = rng.choice(names), rng.randint(1, kept), rng.randint(1, 13)
            here = learn(knowledge, RankHere(player=name, position=position, rank=there))
            number = by_dictionary(here)
            chance = solved.positions[name][position].get(there, 0.0)
            assert (chance > 0) == (number > 0)
            assert chance == pytest.approx(number / solved.worlds, rel=1e-6, abs=1e-15)


def test_counts_that_are_lost_in_rounding_are_made_by_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(14)
    for _ in range(20):
        knowledge = random_match(rng)[0]
        usual = solve(knowledge)
        with monkeypatch.context() as patch:
            patch.setattr(passes, "_LOST", 2.0)  # every difference counts as lost
            assert solve(knowledge) == usual
    hands = tuple((name, 16) for name in "BC")
    wide = GotchaKnowledge(hands, tuple(CardOut(card=card) for card in rng.sample(DECK, 17)))
    usual = solve(wide)
    monkeypatch.setattr(passes, "_LOST", 2.0)
    alone = solve(wide)
    for name, rows in usual.positions.items():
        for position, row in rows.items():
            assert row == pytest.approx(alone.positions[name][position], rel=1e-6, abs=1e-13)


def test_a_rank_that_another_hand_must_hold_is_impossible() -> None:
    sevens = [card for card in DECK if card.rank == 7]
    wrong = tuple(GuessWrong(player="B", position=9, rank=r) for r in range(1, 14) if r != 7)
    out = tuple(CardOut(card=card) for card in sevens[1:])
    solved = solve(GotchaKnowledge((("B", 9), ("C", 9), ("D", 9)), (*out, *wrong)))
    assert solved.worlds > 0
    assert solved.positions["B"][9] == {7: 1.0}
    for name in "CD":
        assert all(7 not in row for row in solved.positions[name].values())
