"""The Gotcha notepad against enumeration of card sets, and its advice against exact play values."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from companion.cards import Card
from companion.errors import UsageError
from companion.games.gotcha.coach import best_guess, guesses, should_call
from companion.games.gotcha.engine.facts import (
    DECK,
    CardKept,
    CardOut,
    GotchaFact,
    GotchaKnowledge,
    GuessRight,
    GuessWrong,
    RankHere,
)
from companion.games.gotcha.engine.ranks import rank_model_chances
from companion.games.gotcha.engine.solve import conflict, solve, worlds
from tests.companion.notepad.facts import learn

World = dict[str, tuple[Card, ...]]


def rank(card: Card) -> int:
    assert card.rank is not None
    return card.rank


def true_in(fact: GotchaFact, world: World) -> bool:
    if isinstance(fact, CardOut):
        return all(fact.card not in hand for hand in world.values())
    hand = world[fact.player]
    if isinstance(fact, CardKept):
        return fact.card in hand
    there = rank(hand[fact.position - 1])
    if isinstance(fact, GuessRight):
        return fact.card in hand and there == fact.card.rank
    return (there == fact.rank) == isinstance(fact, RankHere)


def all_worlds(knowledge: GotchaKnowledge) -> Iterator[World]:
    out = {fact.card for fact in knowledge.facts if isinstance(fact, CardOut)}
    cards = [c for c in knowledge.deck if c not in out]

    def fill(at: int, left: list[Card]) -> Iterator[World]:
        if at == len(knowledge.hands):
            yield {}
            return
        name, size = knowledge.hands[at]
        for hand in combinations(left, size):
            for world in fill(at + 1, [c for c in left if c not in hand]):
                yield {name: tuple(sorted(hand, key=rank)), **world}

    for world in fill(0, cards):
        if all(true_in(fact, world) for fact in knowledge.facts):
            yield world


def random_match(rng: random.Random) -> tuple[GotchaKnowledge, World]:
    """A small deck, hidden hands, the viewer's own cards and some guesses."""
    others = rng.choice((1, 1, 2, 3))
    size = rng.randint(1, {1: 5, 2: 3, 3: 2}[others])
    spare = rng.randint(0, 5 - others)
    own = rng.randint(0, 6)
    suits = rng.choice(("SH", "SHDC"))
    deck = [c for c in DECK if c.suit is not None and c.suit in suits and rank(c) <= 7]
    deck = rng.sample(deck, min(len(deck), others * size + spare + own))
    mine, rest = deck[:own], deck[own:]
    names = "BCD"[:others]
    world = {
        name: tuple(sorted(rest[i * size : (i + 1) * size], key=rank))
        for i, name in enumerate(names)
    }
    hands = tuple((name, len(world[name])) for name in names)
    facts = tuple(CardOut(card=c) for c in mine)
    knowledge = GotchaKnowledge(hands, facts, tuple(sorted(deck)))
    for _ in range(rng.randint(0, 8)):
        knowledge = learn(knowledge, *random_fact(rng, knowledge, world))
    return knowledge, world


def random_fact(rng: random.Random, knowledge: GotchaKnowledge, world: World) -> list[GotchaFact]:
    name = rng.choice([n for n, size in knowledge.hands if size])
    position = rng.randint(1, len(world[name]))
    card = world[name][position - 1]
    if rng.random() < 0.35 and position not in knowledge.gone[name]:
        shown = {f.card for f in knowledge.facts if isinstance(f, GuessRight)}
        equal = [c for c in world[name] if c.rank == card.rank and c not in shown]
        return [GuessRight(player=name, position=position, card=rng.choice(equal))]
    wrong = rng.choice([r for r in range(1, 14) if r != card.rank])
    return [GuessWrong(player=name, position=position, rank=wrong)]


def test_contradictions_have_a_smallest_conflict() -> None:
    rng = random.Random(2)
    found = 0
    for _ in range(80):
        knowledge, _world = random_match(rng)
        name, size = knowledge.hands[0]
        lie = RankHere(player=name, position=rng.randint(1, size), rank=rng.randint(1, 7), event=99)
        knowledge = learn(knowledge, lie)
        clash = conflict(knowledge)
        assert (clash is None) == (solve(knowledge).worlds > 0)
        if clash is None:
            continue
        found += 1
        assert clash.smallest
        base = GotchaKnowledge(knowledge.hands, (), knowledge.deck)
        assert worlds(learn(base, *clash.facts)) == 0
        for chosen in combinations(knowledge.facts, max(0, len(clash.facts) - 1)):
            if len(knowledge.facts) > 9:
                break
            assert worlds(learn(base, *chosen)) > 0
    assert found > 15


def exact_turn_value(worlds_: list[World], gone: dict[str, frozenset[int]]) -> float:
    """The best possible expected points of a turn, by trying every row of guesses."""
    best = 0.0
    names = list(gone)
    if any(len(gone[n]) == len(worlds_[0][n]) for n in names):
        return 0.0
    for name in names:
        held = [p for p in range(1, len(worlds_[0][name]) + 1) if p not in gone[name]]
        for number, position in enumerate(held, 1):
            x = min(number, len(held) + 1 - number)
            for there in {rank(w[name][position - 1]) for w in worlds_}:
                right = [w for w in worlds_ if rank(w[name][position - 1]) == there]
                p = len(right) / len(worlds_)
                now = p * (3 + x) + (max(0.0, p - (1 - p) * x) if x > 1 else 0.0)
                later = exact_turn_value(right, {**gone, name: gone[name] | {position}})
                best = max(best, now + p * later)
    return best


def plan_value(knowledge: GotchaKnowledge, listed: list[World]) -> tuple[float, float]:
    """What the coach's row really earns over the listed worlds, and what it claims."""
    chances = solve(knowledge)
    plan = best_guess(knowledge, chances)
    assert plan is not None
    value, alive = 0.0, listed
    for guess in (plan.guess, *plan.row):
        right = [w for w in alive if rank(w[guess.player][guess.position - 1]) == guess.rank]
        value += len(right) * guess.points - (len(alive) - len(right)) * guess.penalty
        alive = right
    return value / len(listed), plan.with_continuation


def test_the_coachs_row_earns_what_it_says_and_nearly_the_optimum() -> None:
    rng = random.Random(3)
    earned = best = 0.0
    checked = 0
    while checked < 30:
        knowledge, _ = random_match(rng)
        if any(len(knowledge.gone[n]) == size for n, size in knowledge.hands):
            continue
        listed = list(all_worlds(knowledge))
        if len(listed) > 150 or sum(size for _, size in knowledge.hands) > 4:
            continue
        value, claimed = plan_value(knowledge, listed)
        assert value == pytest.approx(claimed, abs=1e-9)
        optimum = exact_turn_value(listed, knowledge.gone)
        assert claimed <= optimum + 1e-9
        earned, best = earned + claimed, best + optimum
        checked += 1
    assert earned > 0.95 * best


def test_calls_pay_only_inside_and_only_when_likely() -> None:
    assert should_call(0.8, 3)
    assert not should_call(0.75, 3)  # equal: 0.75 × 1 against 0.25 × 3
    assert not should_call(1.0, 1)
    hand = {"Bo": {position: {position: 1.0} for position in range(1, 10)}}
    options = guesses(hand, {"Bo": frozenset()})
    sixth = next(g for g in options if g.position == 6)
    assert (sixth.smallest, sixth.x, sixth.points, sixth.call) == (False, 4, 8, True)
    assert sixth.text == "gotcha Bo biggest 4 is 6"
    first = next(g for g in options if g.position == 1)
    assert (first.points, first.call, first.expected_points) == (4, False, 4.0)


def by_rank_brute(knowledge: GotchaKnowledge, discarded: int) -> list[tuple[World, Fraction]]:
    """Every deal, every multiset of discarded ranks, every choice of suits for it."""
    out = {fact.card for fact in knowledge.facts if isinstance(fact, CardOut)}
    cards = [c for c in knowledge.deck if c not in out]

    def fill(at: int, left: list[Card]) -> Iterator[tuple[World, Fraction]]:
        if at == len(knowledge.hands):
            yield {}, Fraction(1)
            return
        name, size = knowledge.hands[at]
        for dealt in combinations(left, size + discarded):
            rest = [c for c in left if c not in dealt]
            choices = list(combinations(dealt, discarded))
            kinds = Counter(tuple(sorted(map(rank, thrown))) for thrown in choices)
            for thrown in choices:
                share = Fraction(1, kinds[tuple(sorted(map(rank, thrown)))])
                hand = tuple(sorted((c for c in dealt if c not in thrown), key=rank))
                for world, weight in fill(at + 1, rest):
                    yield {name: hand, **world}, weight * share

    return [
        (world, weight)
        for world, weight in fill(0, cards)
        if all(true_in(fact, world) for fact in knowledge.facts)
    ]


def test_discards_by_rank_equal_enumeration() -> None:
    rng = random.Random(4)
    for _ in range(30):
        others, thrown = rng.choice(((1, 1), (1, 2), (1, 0), (2, 1)))
        size = rng.randint(1, 3) if others == 1 else rng.randint(1, 2)
        needed = others * (size + thrown)
        deck = rng.sample([c for c in DECK if rank(c) <= 4], needed + rng.randint(0, 2))
        names = "BC"[:others]
        world = {
            name: tuple(sorted(deck[i * size : (i + 1) * size], key=rank))
            for i, name in enumerate(names)
        }
        knowledge = GotchaKnowledge(tuple((n, size) for n in names), (), tuple(sorted(deck)))
        for _ in range(rng.randint(0, 3)):
            knowledge = learn(knowledge, *random_fact(rng, knowledge, world))
        listed = by_rank_brute(knowledge, thrown)
        total = sum(weight for _, weight in listed)
        found = rank_model_chances(knowledge, thrown)
        for name in names:
            for position in range(1, size + 1):
                expected: dict[int, Fraction] = {}
                for possible, weight in listed:
                    there = rank(possible[name][position - 1])
                    expected[there] = expected.get(there, Fraction(0)) + weight
                assert set(found[name][position]) == set(expected)
                for there, weight in expected.items():
                    assert found[name][position][there] == pytest.approx(
                        float(weight / total), abs=1e-9
                    )


def test_discards_by_rank_of_the_usual_deal() -> None:
    own = [c for c in DECK if c.suit in ("S", "H")]
    knowledge = GotchaKnowledge((("Bo", 20),), tuple(CardOut(card=c) for c in own))
    found = rank_model_chances(knowledge, 6)["Bo"]
    # Two cards of each rank are left to Bo. The multisets of six ranks, each at most twice:
    multisets = sum(comb(13, pairs) * comb(13 - pairs, 6 - 2 * pairs) for pairs in range(4))
    both_aces_gone = sum(comb(12, pairs) * comb(12 - pairs, 4 - 2 * pairs) for pairs in range(3))
    assert found[1][1] == pytest.approx(1 - both_aces_gone / multisets, abs=1e-12)
    contradiction = learn(
        knowledge, *(GuessWrong(player="Bo", position=1, rank=r) for r in range(1, 14))
    )
    with pytest.raises(UsageError, match="contradict"):
        rank_model_chances(contradiction, 6)
