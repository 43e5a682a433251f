"""The Precognition notepad against listed orders of play and known probabilities."""

from __future__ import annotations

import random
from itertools import pairwise, permutations
from math import factorial, sqrt

import pytest

from companion.cards import Card
from companion.errors import UsageError
from companion.games.precognition import GAME
from companion.games.precognition.engine.facts import DECK, InHand, Laid, RowKnowledge
from companion.games.precognition.engine.reasons import conflict
from companion.games.precognition.engine.solve import best_strings, complete_rows, worlds
from companion.notepad.base import Supposition, open_notepad
from tests.companion.notepad.facts import learn
from tests.companion.seating import seated


def small(rng: random.Random, players: int, cards: int) -> tuple[RowKnowledge, list[Card]]:
    """A small game's knowledge and the deal behind it, hands one after the other."""
    deck = rng.sample(DECK, cards)
    names = tuple("ABC"[:players])
    return RowKnowledge(names, deck=tuple(deck)), deck


def letters(row: tuple[int, ...]) -> str:
    return "".join("U" if b > a else "D" if b < a else "S" for a, b in pairwise(row))


def exact_chance(knowledge: RowKnowledge, hands: list[list[Card]], text: str) -> float:
    """All deals of the unseen cards and all orders of play, one by one."""
    row = [f.card.rank or 0 for f in knowledge.facts if isinstance(f, Laid)]
    seen = {f.card for f in knowledge.facts}
    unseen = [c for c in knowledge.deck if c not in seen]
    needs = [knowledge.left(i) - len(hand) for i, hand in enumerate(hands)]
    hits = total = 0
    for pool in permutations(unseen):
        rows = [list(row)]
        used, order = 0, []
        for hand, need in zip(hands, needs, strict=True):
            order.append([c.rank or 0 for c in (*hand, *pool[used : used + need])])
            used += need

        def lay(done: list[int], left: list[list[int]]) -> None:
            nonlocal hits, total
            if len(done) == knowledge.length:
                total += 1
                hits += text in letters(tuple(done))
                return
            seat = len(done) % len(left)
            for i in range(len(left[seat])):
                rest = [h[:i] + h[i + 1 :] if s == seat else h for s, h in enumerate(left)]
                lay([*done, left[seat][i]], rest)

        lay(rows[0], order)
    return hits / total


def test_few_cards_are_counted_exactly() -> None:
    rng = random.Random(1)
    for _ in range(40):
        players = rng.choice((2, 3))
        knowledge, deck = small(rng, players, rng.choice((4, 5)) if players == 2 else 6)
        size = len(deck) // players
        hands = [deck[i * size : (i + 1) * size] for i in range(players)]
        laid = rng.randint(0, 2)
        facts: list[InHand | Laid] = [
            Laid(card=hands[position % players].pop(), position=position)
            for position in range(laid)
        ]
        known = [hands[0] if i == 0 or rng.random() < 0.3 else [] for i in range(players)]
        known = [hands[i] if known[i] else [] for i in range(players)]
        for name, hand in zip(knowledge.players, known, strict=True):
            facts += [InHand(card=c, player=name) for c in hand]
        knowledge = RowKnowledge(knowledge.players, laid, tuple(facts), knowledge.deck)
        rows = complete_rows(knowledge)
        assert rows.exact
        for text in ("U", "D", "UD", "DU", "UU", "UDU"):
            found = rows.chance(text)
            assert found.stderr == 0
            assert found.p == pytest.approx(exact_chance(knowledge, known, text), abs=1e-12)


def test_a_complete_row_is_certain() -> None:
    codes = ["2S", "6S", "5S", "4S", "7S", "9S", "7H", "AS", "2H", "2D", "5H", "8S"]
    by_code = {c.code: c for c in DECK}
    row = [by_code[code] for code in codes]
    facts = tuple(Laid(card=c, position=i) for i, c in enumerate(row))
    knowledge = RowKnowledge(("Ann", "Bo"), len(row), facts, tuple(row))
    rows = complete_rows(knowledge)
    assert rows.exact
    assert rows.chance("UUDDUSU").p == 1
    assert rows.chance("ud").p == 1
    assert rows.chance("SS").p == 0
    assert rows.chance("U" * 12).p == 0
    best = best_strings(rows)
    assert list(map(len, best)) == list(range(1, 12))
    assert list(best)[-1] == "UDDUUDDUSUU"
    assert worlds(knowledge) == 1


def test_two_simulations_agree_within_their_errors() -> None:
    rng = random.Random(2)
    far = total = 0
    for seed in range(30):
        cards = rng.sample(DECK, 20)
        facts = tuple(InHand(card=c, player="AB"[i % 2]) for i, c in enumerate(cards))
        knowledge = RowKnowledge(("A", "B"), 0, facts, tuple(cards))
        one, two = (complete_rows(knowledge, seed=start) for start in (seed, seed + 1000))
        assert not one.exact
        for text in ("UDU", "UUD", "DDUU"):
            a, b = one.chance(text), two.chance(text)
            spread = sqrt(a.stderr**2 + b.stderr**2)
            assert a.stderr == pytest.approx(sqrt(a.p * (1 - a.p) / 4000))
            total += 1
            far += abs(a.p - b.p) > 3 * spread + 1e-9
    assert far <= total * 0.03


def test_the_chance_of_a_stay_between_two_random_cards() -> None:
    # At the start, by symmetry, each of the changes is a stay with chance 3/51.
    knowledge = RowKnowledge(tuple("ABC"))
    rows = complete_rows(knowledge, samples=20_000)
    stays = sum(int(bits).bit_count() for bits in rows.bits[2]) / 20_000
    assert stays == pytest.approx(50 * 3 / 51, abs=0.06)
    assert rows.changes == 50


def test_found_strings_beat_every_other_of_their_length() -> None:
    rows = complete_rows(RowKnowledge(("A", "B")), seed=5)
    best = best_strings(rows, longest=5, beam=60)
    for found, chance in best.items():
        texts = [""]
        for _ in found:
            texts = [t + c for t in texts for c in "UDS"]
        assert chance.p == pytest.approx(max(rows.chance(t).p for t in texts), abs=1e-12)
    other = complete_rows(RowKnowledge(("A", "B")), seed=6)
    checked = best_strings(rows, check=other, longest=5)
    assert checked == {text: other.chance(text) for text in checked}


def test_the_same_knowledge_gives_the_same_rows() -> None:
    knowledge = RowKnowledge(("A", "B", "C"))
    assert complete_rows(knowledge, seed=1).chance("UDU") == complete_rows(
        RowKnowledge(("A", "B", "C")), seed=1
    ).chance("UDU")


def test_worlds_and_contradictions() -> None:
    mine = [InHand(card=c, player="Ann", event=1, text=f"you hold {c}") for c in DECK[:26]]
    knowledge = learn(RowKnowledge(("Ann", "Bo")), *mine)
    assert worlds(knowledge) == 1
    assert conflict(knowledge) is None
    assert worlds(RowKnowledge(("Ann", "Bo", "Cy"))) == factorial(52) // factorial(17) ** 3
    twice = RowKnowledge(
        ("Ann", "Bo"),
        1,
        (*mine[:25], Laid(card=DECK[0], position=0, event=4, text=f"{DECK[0]} was laid (4)")),
    )
    clash = conflict(twice)
    assert worlds(twice) == 0
    assert clash is not None
    assert {fact.event for fact in clash.facts} == {1, 4}
    with pytest.raises(UsageError, match="contradict"):
        complete_rows(twice)
    with pytest.raises(UsageError, match="not known"):
        complete_rows(RowKnowledge(("Ann", "Bo"), 2))
    with pytest.raises(UsageError, match="no prediction"):
        complete_rows(knowledge).chance("UXD")
    with pytest.raises(UsageError, match="2 to 26"):
        RowKnowledge(("Ann",))


def test_what_is_possible_but_too_rare_to_be_met_by_chance_is_not_valued():
    """One deal in a million fits: no simulated row does, and nothing is divided by none."""
    referee = seated(GAME)
    rare = [Supposition(rank, "Bo", holds=False) for rank in ("A", "2", "3", "4")]
    pad = open_notepad(GAME, referee.view(None)).supposing(*rare)
    assert pad.worlds
    assert pad.chances(strings=["UD"]) == {"match_chance": {}, "best": []}
    assert open_notepad(GAME, referee.view(None)).chances(strings=["UD"])["match_chance"]


def test_suppositions_that_contradict_each_other_leave_nothing_to_value():
    referee = seated(GAME)
    both = [Supposition("A", "Bo", holds=holds) for holds in (True, False)]
    pad = open_notepad(GAME, referee.view(0)).supposing(*both)
    assert not pad.worlds
    assert pad.chances(strings=["UD"]) == {"match_chance": {}, "best": []}
