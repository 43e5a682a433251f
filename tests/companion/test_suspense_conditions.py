"""Suspense's conditions: the default mapping, the d20, evaluation with reasons, reading back."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from companion.cards import Card, Family, card, family_cards, parse_cards
from companion.errors import UnreadableError
from companion.games.suspense.conditions import (
    DEFAULT_CONDITIONS,
    EXCLAMATIONS,
    CountedIn,
    Extreme,
    Measure,
    evaluate,
    match_points,
    parse_condition,
)

DECK = family_cards(Family.SUSPENSE)


def cards(text: str) -> tuple[Card, ...]:
    return parse_cards(text, Family.SUSPENSE)


def test_the_default_mapping_is_the_rules() -> None:
    words = [
        "highest number in play",
        "lowest number in play",
        "highest number in hand",
        "lowest number in hand",
        "highest white number in play",
        "lowest white number in play",
        "highest black number in play",
        "lowest black number in play",
        "highest white number in hand",
        "lowest white number in hand",
        "highest black number in hand",
        "lowest black number in hand",
        "lowest sum in play",
    ]
    assert [str(DEFAULT_CONDITIONS[c]) for c in DECK] == words
    numbers = [c for c in DEFAULT_CONDITIONS.values() if c.measure is Measure.NUMBER]
    assert len(set(numbers)) == 12


def test_the_d20_lists_twenty_conditions() -> None:
    assert len(set(EXCLAMATIONS)) == 20
    assert EXCLAMATIONS[0] == DEFAULT_CONDITIONS[card("!", Family.SUSPENSE)]
    assert str(EXCLAMATIONS[4]) == "lowest black sum in play"
    assert str(EXCLAMATIONS[11]) == "highest white sum in hand"
    assert [str(c) for c in EXCLAMATIONS[12:16]] == [
        "fewest cards in play", "fewest cards in hand", "most cards in play", "most cards in hand",
    ]  # fmt: skip
    assert str(EXCLAMATIONS[16]) == "sum closest to 6 without going over in play"
    assert str(EXCLAMATIONS[19]) == "sum closest to 6 without being under in hand"


@pytest.mark.parametrize("condition", [*EXCLAMATIONS, *DEFAULT_CONDITIONS.values()])
def test_conditions_read_back(condition: object) -> None:
    assert parse_condition(str(condition)) == condition
    assert parse_condition(str(condition).upper().replace(" ", "  ")) == condition


@pytest.mark.parametrize(
    "text",
    ["", "highest", "most sum in play", "highest cards in play", "highest number",
     "highest sum closest to 6 without going over in play", "number in play",
     "number closest to 6 without going over in play", "highest green number in play"],
)  # fmt: skip
def test_what_is_no_condition_is_told(text: str) -> None:
    with pytest.raises(UnreadableError, match="write it like"):
        parse_condition(text)


@pytest.mark.parametrize(
    ("condition", "held", "meets", "reason"),
    [
        ("highest white number in play", {"Ann": "W3 B6", "Bo": "W5"}, ("Bo",),
         "highest white number in play: Bo, 5 over 3"),
        ("lowest number in hand", {"Ann": "! W2", "Bo": "B2 W6"}, ("Ann", "Bo"),
         "lowest number in hand: Ann and Bo, 2 each"),
        ("lowest number in hand", {"Ann": "!", "Bo": "B6"}, ("Bo",), "hand: Bo, 6"),
        ("highest black number in play", {"Ann": "W1", "Bo": ""}, (), "nobody qualifies"),
        ("lowest sum in play", {"Ann": "!", "Bo": "", "Cy": "W1"}, ("Ann", "Bo"), "0 under 1"),
        ("most cards in hand", {"Ann": "! W1", "Bo": "W6"}, ("Ann",), "2 over 1"),
        ("fewest cards in hand", {"Ann": "! W1", "Bo": "W6"}, ("Bo",), "1 under 2"),
        ("sum closest to 6 without going over in play", {"Ann": "W6 W1", "Bo": "B4"}, ("Bo",), "4"),
        ("sum closest to 6 without being under in play", {"Ann": "W6 W1", "Bo": "B4"}, ("Ann",),
         "7"),
        ("sum closest to 6 without being under in play", {"Ann": "W1", "Bo": "B4"}, (),
         "nobody qualifies"),
        ("sum closest to 6 without going over in hand", {"Ann": "W6", "Bo": "B6"}, ("Ann", "Bo"),
         "6 each"),
    ],
)  # fmt: skip
def test_verdicts(
    condition: str, held: dict[str, str], meets: tuple[str, ...], reason: str
) -> None:
    verdict = evaluate(
        parse_condition(condition), {name: cards(text) for name, text in held.items()}
    )
    assert verdict.meets == meets
    assert reason in verdict.reason


def test_verdicts_equal_a_direct_reading_of_the_rule() -> None:
    rng = random.Random(1)
    seen: Counter[int] = Counter()
    for _ in range(3000):
        condition = rng.choice((*EXCLAMATIONS, *DEFAULT_CONDITIONS.values()))
        deck = rng.sample(DECK, 13)
        held = {name: deck[i * 4 : i * 4 + rng.randint(0, 4)] for i, name in enumerate("ABC")}
        score: dict[str, int] = {}
        for name, own in held.items():
            colour = [c for c in own if condition.colour in (None, c.colour)]
            numbers = [c.rank for c in colour if c.code != "!"]
            if condition.measure is Measure.CARDS:
                score[name] = len(colour)
            elif condition.measure is Measure.SUM:
                score[name] = sum(n or 0 for n in numbers)
            elif numbers:
                top = condition.extreme is Extreme.HIGHEST
                score[name] = (max if top else min)(n or 0 for n in numbers)
        if condition.extreme is Extreme.NOT_OVER:
            score = {n: 6 - s for n, s in score.items() if s <= 6}
        elif condition.extreme is Extreme.NOT_UNDER:
            score = {n: s - 6 for n, s in score.items() if s >= 6}
        wanted = max if condition.extreme is Extreme.HIGHEST else min
        best = wanted(score.values(), default=None)
        expected = tuple(n for n, s in score.items() if s == best)
        assert evaluate(condition, held).meets == expected
        seen[len(expected)] += 1
        assert condition.place in CountedIn
    assert set(seen) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("meets", "stayed", "folded", "points"),
    [
        ("A", "AB", "", {"A": 2, "B": 0}),
        ("AB", "AB", "", {"A": 1, "B": 1}),
        ("ABC", "ABC", "", {"A": 1, "B": 1, "C": 1}),
        ("AB", "A", "B", {"A": 2, "B": 0}),
        ("B", "A", "B", {"A": 0, "B": 0}),
        ("A", "A", "BC", {"A": 2, "B": 1, "C": 1}),
        ("", "A", "B", {"A": 0, "B": 1}),
        ("ABC", "AC", "B", {"A": 1, "B": 0, "C": 1}),
    ],
)
def test_points(meets: str, stayed: str, folded: str, points: dict[str, int]) -> None:
    assert match_points(tuple(meets), tuple(stayed), tuple(folded)) == points
