"""The Deduction notepad against enumeration, the worked numbers, and its own explanations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import log2

import pytest

from companion.cards import VALUES, Card, Family, card, family_cards
from companion.errors import UsageError
from companion.games.deduction.engine.facts import (
    FACE_UP,
    MISSING,
    DeductionFact,
    DeductionKnowledge,
    TileShown,
)
from companion.games.deduction.engine.solve import conflict, holds, solve, why, worlds
from companion.games.deduction.engine.values import question_values
from companion.notepad.facts import CardAt
from tests.companion.notepad.bdd_oracle import Diagram
from tests.companion.notepad.facts import have_count, have_no, have_yes, learn

TILES = family_cards(Family.TILE)
FACES = [card(f"{v}?", Family.TILE) for v in VALUES] + [card(f"?{s}", Family.TILE) for s in "SMCH"]
World = dict[str, frozenset[Card]]


def deal(
    rng: random.Random, players: int, deck: tuple[Card, ...] = TILES, size: int | None = None
) -> tuple[DeductionKnowledge, World]:
    """A match of the given size and its true deal."""
    knowledge = DeductionKnowledge(tuple("ABCDE"[:players]), deck=deck, hand_size=size)
    shuffled = rng.sample(deck, len(deck))
    world, at = {}, 0
    for name in knowledge.players:
        world[name] = frozenset(shuffled[at : at + knowledge.size])
        at += knowledge.size
    world[MISSING] = frozenset(shuffled[at : at + 1])
    world[FACE_UP] = frozenset(shuffled[at + 1 :])
    return knowledge, world


def seated(knowledge: DeductionKnowledge, world: World, viewer: str | None) -> DeductionKnowledge:
    """What a viewer knows before any question."""
    places = [FACE_UP] + ([viewer] if viewer else [])
    return learn(
        knowledge,
        *(CardAt(card=t, place=p, text=f"{t} {p}") for p in places for t in sorted(world[p])),
    )


def random_fact(rng: random.Random, knowledge: DeductionKnowledge, world: World) -> DeductionFact:
    """A true answer, a tile shown to the viewer, or a wrong announcement."""
    player = rng.choice(knowledge.players)
    what = rng.choice(FACES)
    matching = [tile for tile in sorted(world[player]) if what.matches(tile)]
    kind = rng.random()
    if kind < 0.35:
        return have_count(player, what, len(matching))
    if kind < 0.45:
        tile = rng.choice([t for t in knowledge.deck if t not in world[MISSING]])
        return CardAt(card=tile, place=MISSING, holds=False)
    if not matching:
        return have_no(player, what)
    if kind < 0.7 and player != "A":
        return TileShown(player=player, what=what, card=rng.choice(matching))
    return have_yes(player, what)


def all_deals(knowledge: DeductionKnowledge) -> Iterator[World]:
    """Every deal of the deck, without regard to the facts other than single tiles."""
    known = {f.card: f.place for f in knowledge.facts if isinstance(f, CardAt) and f.holds}
    names = (*knowledge.players, FACE_UP, MISSING)
    up = len(knowledge.deck) - 1 - knowledge.size * len(knowledge.players)
    sizes = dict.fromkeys(knowledge.players, knowledge.size) | {FACE_UP: up, MISSING: 1}

    def fill(at: int, left: frozenset[Card]) -> Iterator[World]:
        if at == len(names):
            yield {}
            return
        name = names[at]
        fixed = frozenset(t for t, place in known.items() if place == name)
        for rest in combinations(sorted(left), max(0, sizes[name] - len(fixed))):
            for world in fill(at + 1, left - frozenset(rest)):
                yield {name: fixed | frozenset(rest), **world}

    yield from fill(0, frozenset(knowledge.deck) - frozenset(known))


def brute(knowledge: DeductionKnowledge) -> list[tuple[World, Fraction]]:
    """All fitting deals with their weights."""
    found = []
    for world in all_deals(knowledge):
        if not all(holds(fact, world) for fact in knowledge.facts):
            continue
        weight = Fraction(1)
        if knowledge.shown_random:
            for fact in knowledge.facts:
                if isinstance(fact, TileShown):
                    weight /= sum(fact.what.matches(t) for t in world[fact.player])
        found.append((world, weight))
    return found


def test_equals_decision_diagrams_on_full_games() -> None:
    rng = random.Random(7)
    largest = 0
    for round_ in range(24):
        knowledge, world = deal(rng, (5, 5, 4, 3)[round_ % 4])
        knowledge = seated(knowledge, world, "A")
        for _ in range((0, 1, 3, 6, 12, 25)[round_ // 4]):
            knowledge = learn(knowledge, random_fact(rng, knowledge, world))
        solved, diagram = solve(knowledge), Diagram(knowledge)
        assert solved.worlds == diagram.count()
        largest = max(largest, solved.worlds)
        for tile in rng.sample(TILES, 4):
            for place in (MISSING, "B", "C"):
                assert solved.place_weights[place].get(tile, 0) == diagram.count(tile, place)
    assert largest == 1_072_071_000


def test_a_spectators_cells_equal_decision_diagrams() -> None:
    """With few answers and with many, which are counted in two ways."""
    rng = random.Random(9)
    for round_, answers in enumerate((10, 45, 22, 45, 34, 40, 28)):
        knowledge, world = deal(rng, (3, 4, 5)[round_ % 3])
        knowledge = seated(knowledge, world, None)
        for _ in range(answers):
            fact = random_fact(rng, knowledge, world)
            if isinstance(fact, TileShown):
                fact = have_yes(fact.player, fact.what)
            knowledge = learn(knowledge, fact)
        solved, diagram = solve(knowledge), Diagram(knowledge)
        assert solved.worlds == worlds(knowledge) == diagram.count()
        for tile in rng.sample(TILES, 3):
            for place in (MISSING, knowledge.players[-1]):
                assert solved.place_weights[place].get(tile, 0) == diagram.count(tile, place)


def test_false_answers_lead_to_no_world_and_a_smallest_conflict() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(40):
        knowledge, world = deal(rng, 3)
        knowledge = seated(knowledge, world, "A")
        for number in range(12):
            fact = random_fact(rng, knowledge, world)
            if rng.random() < 0.3 and isinstance(fact, CardAt | TileShown) is False:
                fact = have_count(fact.player, fact.what, rng.randint(0, 5), event=number)
            knowledge = learn(knowledge, fact)
        solved = solve(knowledge)
        clash = conflict(knowledge)
        assert (solved.worlds == 0) == (clash is not None)
        if clash is None:
            continue
        found += 1
        assert solved.missing == {}
        again = DeductionKnowledge(knowledge.players, clash.facts)
        assert worlds(again) == 0
        for fact in clash.facts:
            rest = tuple(f for f in clash.facts if f is not fact)
            assert worlds(DeductionKnowledge(knowledge.players, rest)) > 0
    assert found >= 10


def test_why_is_smallest_on_games_where_all_subsets_can_be_tried() -> None:
    rng = random.Random(4)
    explained = 0
    for _ in range(40):
        deck = tuple(sorted(rng.sample(TILES, 8)))
        knowledge, world = deal(rng, 3, deck, 2)
        knowledge = seated(knowledge, world, "A")
        for _step in range(5):
            fact = random_fact(rng, knowledge, world)
            knowledge = learn(knowledge, fact)
        solved = solve(knowledge)
        place = rng.choice(("B", "C", MISSING))
        for tile in rng.sample(deck, 3):
            chance = solved.chances(place).get(tile, 0.0)
            if 0 < chance < 1:
                with pytest.raises(UsageError):
                    why(knowledge, tile, place)
                continue
            reason = why(knowledge, tile, place)
            refuted = CardAt(card=tile, place=place, holds=chance == 0)
            assert reason.smallest
            size = len(reason.facts)
            base = DeductionKnowledge(knowledge.players, deck=deck, hand_size=2)
            assert worlds(learn(base, *reason.facts, refuted)) == 0
            for smaller in combinations(knowledge.facts, size - 1) if size else ():
                assert worlds(learn(base, *smaller, refuted)) > 0
            explained += 1
    assert explained > 30


def test_shown_random_shifts_the_odds() -> None:
    deck = tuple(card(code, Family.TILE) for code in ("0S", "AS", "2M", "3M"))
    base = DeductionKnowledge(("A",), deck=deck, hand_size=2)
    suns = card("?S", Family.TILE)
    fact = TileShown(player="A", what=suns, card=deck[0])
    plain = solve(learn(base, fact))
    random_pick = solve(DeductionKnowledge(("A",), (fact,), True, deck, 2))
    assert plain.chances("A")[deck[1]] == pytest.approx(1 / 3)
    assert random_pick.chances("A")[deck[1]] == pytest.approx(0.5 / 2.5)
    assert plain.worlds == random_pick.worlds == 6  # the missing and the face-up tile differ


def test_many_shows_stay_exact_beyond_64_bits() -> None:
    rng = random.Random(5)
    knowledge, world = deal(rng, 3)
    while len({t.suit for t in world["B"]}) < 4:
        knowledge, world = deal(rng, 3)
    suns = card("?S", Family.TILE)
    tile = next(t for t in sorted(world["B"]) if t.suit == "S")
    fact = TileShown(player="B", what=suns, card=tile)
    knowledge = DeductionKnowledge(knowledge.players, shown_random=True)
    knowledge = learn(seated(knowledge, world, "A"), *[fact] * 30)
    solved = solve(knowledge)
    once = solve(
        DeductionKnowledge(knowledge.players, (*knowledge.facts[:-30], fact), shown_random=False)
    )
    weights: dict[int, Fraction] = {}
    suns_left = [t for t in TILES if t.suit == "S" and t in once.place_weights["B"]]
    others = len(once.place_weights["B"]) - len(suns_left)
    from math import comb

    for number in range(len(suns_left)):
        ways = comb(len(suns_left) - 1, number) * comb(others, 6 - number)
        weights[number + 1] = Fraction(ways) * Fraction(1, number + 1) ** 30
    alone = weights[1] / sum(weights.values())
    several = 1 - alone
    expected_extra = sum(w * (n - 1) for n, w in weights.items()) / sum(weights.values())
    assert several > 0
    for sun in suns_left:
        if sun is not tile:
            exact = Fraction(solved.place_weights["B"][sun], solved.weight)
            assert exact == expected_extra / (len(suns_left) - 1)


def _entropy(distribution: dict[Card, float]) -> float:
    return -sum(p * log2(p) for p in distribution.values() if p)


def test_question_values_equal_the_average_over_the_worlds() -> None:
    rng = random.Random(6)
    for round_ in range(25):
        deck = tuple(sorted(rng.sample(TILES, 9)))
        knowledge, world = deal(rng, 3, deck, 2)
        knowledge = DeductionKnowledge(
            knowledge.players, shown_random=round_ % 2 == 1, deck=deck, hand_size=2
        )
        knowledge = seated(knowledge, world, "A")
        for _ in range(rng.randint(0, 3)):
            knowledge = learn(knowledge, random_fact(rng, knowledge, world))
        faces = rng.sample(FACES, 2)
        listed = brute(knowledge)
        total = sum(weight for _, weight in listed)
        before = _entropy(solve(knowledge).missing)
        for value in question_values(knowledge, faces, ("B", "C")):
            after: dict[DeductionFact, Fraction] = {}
            for deal_, weight in listed:
                matching = [t for t in deal_[value.player] if value.what.matches(t)]
                facts: list[DeductionFact]
                if value.count:
                    facts = [have_count(value.player, value.what, len(matching))]
                elif matching:
                    facts = [
                        TileShown(player=value.player, what=value.what, card=t) for t in matching
                    ]
                else:
                    facts = [have_no(value.player, value.what)]
                for fact in facts:
                    after[fact] = after.get(fact, Fraction(0)) + weight / len(facts) / total
            bits, finish = before, 0.0
            for fact, chance in after.items():
                solved = solve(learn(knowledge, fact)).missing
                bits -= float(chance) * _entropy(solved)
                finish += float(chance) * (len(solved) == 1)
            assert value.bits == pytest.approx(max(0.0, bits), abs=1e-9)
            assert value.finish == pytest.approx(finish, abs=1e-9)


def test_setup_errors_are_told() -> None:
    with pytest.raises(UsageError, match="3 to 5"):
        DeductionKnowledge(("A", "B"))
    with pytest.raises(UsageError, match="not part"):
        solve(DeductionKnowledge(("A", "B", "C"), (have_no("D", FACES[0]),)))
