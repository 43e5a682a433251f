"""The Suspense notepad against enumeration of secret and hands."""

from __future__ import annotations

import random
from math import comb

import pytest

from companion.cards import Card, Family, card, family_cards
from companion.errors import UsageError
from companion.games.suspense.conditions import (
    DEFAULT_CONDITIONS,
    EXCLAMATIONS,
)
from companion.games.suspense.engine.facts import SECRET, SuspenseKnowledge, in_play
from companion.games.suspense.engine.solve import conflict, solve, worlds
from companion.notepad.facts import CardAt
from tests.companion.notepad.facts import learn

DECK = family_cards(Family.SUSPENSE)
World = dict[str, frozenset[Card]]


def random_match(rng: random.Random) -> tuple[SuspenseKnowledge, World]:
    """A match some plays in, as a random viewer sees it."""
    names = tuple("ABC"[: rng.choice((2, 3))])
    size = 12 // len(names)
    deck = rng.sample(DECK, 13)
    world: World = {SECRET: frozenset(deck[12:])}
    facts = []
    viewer = rng.choice((*names, None))
    plays = [rng.randint(1, size) for _ in names]
    for i, name in enumerate(names):
        hand = deck[i * size : (i + 1) * size]
        world[in_play(name)] = frozenset(hand[: plays[i]])
        world[name] = frozenset(hand[plays[i] :])
        facts += [CardAt(card=c, place=in_play(name)) for c in hand[: plays[i]]]
        if name == viewer:
            facts += [CardAt(card=c, place=name) for c in hand[plays[i] :]]
    if viewer and rng.random() < 0.2:
        facts.append(CardAt(card=deck[12], place=SECRET))
    if rng.random() < 0.3:
        place = rng.choice(list(world))
        wrong = rng.choice([c for c in DECK if c not in world[place]])
        facts.append(CardAt(card=wrong, place=place, holds=False))
    rng.shuffle(facts)
    conditions = dict(DEFAULT_CONDITIONS)
    conditions[card("!", Family.SUSPENSE)] = rng.choice(EXCLAMATIONS)
    if rng.random() < 0.5:
        order = rng.sample(list(conditions.values()), 13)
        conditions = dict(zip(DECK, order, strict=True))
    folded = frozenset(n for n in names if rng.random() < 0.2)
    sizes, played = tuple(size - p for p in plays), tuple(plays)
    return SuspenseKnowledge(names, sizes, played, tuple(facts), folded, conditions), world


def test_worked_number_of_the_spectator() -> None:
    knowledge = SuspenseKnowledge(("A", "B", "C"), (4, 4, 4), (0, 0, 0))
    solved = solve(knowledge)
    assert solved.worlds == 13 * comb(12, 4) * comb(8, 4) == 450_450
    assert sum(solved.outcomes.values()) == 450_450
    assert all(p == pytest.approx(4 / 13) for p in solved.chances("B").values())


def test_conflicts_are_found_exactly_when_no_world_is_left() -> None:
    rng = random.Random(2)
    clashes = 0
    for _ in range(100):
        knowledge, _ = random_match(rng)
        place = rng.choice(list(knowledge.sizes))
        lie = CardAt(card=rng.choice(DECK), place=place, holds=rng.random() < 0.6)
        knowledge = learn(knowledge, lie)
        clash = conflict(knowledge)
        assert (clash is not None) == (worlds(knowledge) == 0)
        clashes += clash is not None
    assert clashes > 20


def test_a_hand_that_was_dealt_excludes_its_cards_elsewhere_and_is_counted_in_closed_form() -> None:
    rng = random.Random(3)
    for _ in range(30):
        knowledge, world = random_match(rng)
        name = rng.choice(knowledge.players)
        others = [p for p in knowledge.sizes if p not in (name, in_play(name))]
        dealt = [
            CardAt(card=c, place=place, holds=False)
            for c in sorted(world[in_play(name)])
            for place in others
        ]
        more = learn(knowledge, *dealt)
        assert worlds(more) == worlds(knowledge) == solve(more).worlds
        assert solve(more) == solve(knowledge)
        lie = CardAt(card=rng.choice(sorted(world[in_play(name)])), place=SECRET)
        assert worlds(learn(more, lie)) == 0


def test_what_does_not_belong_is_told() -> None:
    with pytest.raises(UsageError, match="do not add up"):
        SuspenseKnowledge(("A", "B"), (6, 6), (1, 0))
    knowledge = SuspenseKnowledge(("A", "B"), (6, 6), (0, 0))
    with pytest.raises(UsageError, match="not part"):
        solve(learn(knowledge, CardAt(card=DECK[0], place="Cy")))
