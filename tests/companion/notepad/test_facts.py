"""Smallest cores and hitting sets against exhaustive search."""

from __future__ import annotations

import random
from itertools import combinations

from companion.notepad.facts import Fact, minimum_hitting_set, smallest_core


def test_minimum_hitting_set_equals_exhaustive_search() -> None:
    rng = random.Random(1)
    for _ in range(150):
        size = rng.randint(1, 8)
        sets = [rng.randint(1, 2**size - 1) for _ in range(rng.randint(0, 10))]
        found = minimum_hitting_set(sets)
        assert found is not None
        assert all(found & one for one in sets)
        best = min(m.bit_count() for m in range(2**size) if all(m & one for one in sets))
        assert found.bit_count() == best


def test_hitting_set_search_gives_up_at_its_limit() -> None:
    sets = [3 << i for i in range(0, 60, 3)] + [5 << i for i in range(0, 60, 3)]
    assert minimum_hitting_set(sets, limit=1) is None


def test_smallest_core_equals_exhaustive_search() -> None:
    rng = random.Random(2)
    cores = 0
    for _ in range(300):
        size = rng.randint(1, 8)
        facts = [Fact(event=i + 1, text=str(i)) for i in range(size)]
        # Worlds given by the sets of facts they satisfy.
        satisfied = [rng.randint(0, 2**size - 1) for _ in range(rng.randint(0, 5))]

        def oracle(mask: int, satisfied: list[int] = satisfied) -> int | None:
            return next((world for world in satisfied if mask & ~world == 0), None)

        why = smallest_core(facts, oracle)
        if oracle(2**size - 1) is not None:
            assert why is None
            continue
        assert why is not None
        assert why.smallest
        cores += 1
        best = min(
            number
            for number in range(size + 1)
            for chosen in combinations(range(size), number)
            if oracle(sum(1 << i for i in chosen)) is None
        )
        assert len(why.facts) == best
        assert oracle(sum(1 << facts.index(f) for f in why.facts)) is None
    assert cores > 100


def test_facts_of_one_event_count_once_and_only_the_needed_are_quoted() -> None:
    facts = [Fact(event=1, text="a"), Fact(event=1, text="b"), Fact(event=1, text="c")]
    facts += [Fact(event=2, text="d"), Fact(event=3, text="e")]
    # Impossible: a and b together, or d and e together.

    def oracle(mask: int) -> int | None:
        return None if mask & 0b00011 == 0b00011 or mask & 0b11000 == 0b11000 else mask

    why = smallest_core(facts, oracle)
    assert why is not None
    assert why.text == "a; b"


def test_a_search_cut_short_says_so() -> None:
    facts = [Fact(event=i + 1, text=str(i)) for i in range(12)]

    def oracle(mask: int) -> int | None:
        return None if mask.bit_count() > 6 else mask

    why = smallest_core(facts, oracle, max_checks=1)
    assert why is not None
    assert not why.smallest
    assert len(why.facts) == 7


def test_nothing_is_needed_when_the_question_itself_is_impossible() -> None:
    why = smallest_core([Fact(event=1, text="a")], lambda _: None)
    assert why is not None
    assert why.facts == ()
