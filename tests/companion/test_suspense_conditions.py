"""Suspense: its conditions by default, by d20 and from files; evaluation with reasons."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import Card, Family, card, family_cards, parse_cards
from companion.core.notation import read_match, write_match
from companion.core.registry import get_game
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
from companion.games.suspense.deckfile import read_conditions, write_conditions
from tests.companion.seating import seated

GAME = get_game("suspense")
DECK = family_cards(Family.SUSPENSE)


def one(code):
    return card(code, Family.SUSPENSE)


def cards(text) -> tuple[Card, ...]:
    return parse_cards(text, Family.SUSPENSE)


def test_the_default_mapping_is_the_rules():
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


def test_the_d20_lists_twenty_conditions():
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
def test_conditions_read_back(condition):
    assert parse_condition(str(condition)) == condition
    assert parse_condition(str(condition).upper().replace(" ", "  ")) == condition


@pytest.mark.parametrize(
    "text",
    ["", "highest", "most sum in play", "highest cards in play", "highest number",
     "highest sum closest to 6 without going over in play", "number in play",
     "number closest to 6 without going over in play", "highest green number in play"],
)  # fmt: skip
def test_what_is_no_condition_is_told(text):
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
def test_verdicts(condition, held, meets, reason):
    verdict = evaluate(
        parse_condition(condition), {name: cards(text) for name, text in held.items()}
    )
    assert verdict.meets == meets
    assert reason in verdict.reason


def test_verdicts_equal_a_direct_reading_of_the_rule():
    rng = random.Random(1)
    seen = Counter()
    for _ in range(3000):
        condition = rng.choice((*EXCLAMATIONS, *DEFAULT_CONDITIONS.values()))
        deck = rng.sample(DECK, 13)
        held = {name: deck[i * 4 : i * 4 + rng.randint(0, 4)] for i, name in enumerate("ABC")}
        score = {}
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
def test_points(meets, stayed, folded, points):
    assert match_points(tuple(meets), tuple(stayed), tuple(folded)) == points


# -- conditions as data --------------------------------------------------------------------------


def test_every_card_says_its_condition():
    state = seated(GAME).state
    said = {each: GAME.meaning(state, each) for each in DECK}
    assert said[one("W1")] == "highest number in play"
    assert len(set(said.values())) == len(DECK)


def deck_file(path, **changes):
    content = {c.code: str(condition) for c, condition in DEFAULT_CONDITIONS.items()} | changes
    if path.suffix == ".toml":
        lines = [f'{json.dumps(code)} = "{words}"' for code, words in content.items()]
        path.write_text("[conditions]\n" + "\n".join(lines), "utf-8")
    else:
        path.write_text(json.dumps({"name": "mine", **content}), "utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["deck.json", "deck.toml"])
def test_a_deck_file_says_which_card_bears_what(tmp_path, name):
    path = deck_file(
        tmp_path / name,
        W1="lowest number in play",
        W2="highest number in play",
        **{"!": "most cards in hand"},
    )
    lines = ("table: dealer Ann", "Ann: play W6", "Bo: play B5", "Ann: play W4", "Ann: stay",
             "Bo: stay", "table: secret W1")  # fmt: skip
    referee = seated(GAME, *lines, conditions=path)
    assert referee.state.table.scores == (2, 0)
    assert GAME.meaning(referee.state, one("!")) == "most cards in hand"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"W1": "lowest number in play"}, "W1 and W2 both bear"),
        ({"W1": "lowest sum in play"}, "on numbers"),
        ({"W1": "best of all"}, "no victory condition"),
        ({"W7": "lowest number in play"}, "W7"),
        ({"!": "highest number in play"}, "none of the twenty"),
        ({"W1": 3}, "not written in words"),
    ],
)
def test_a_deck_file_that_is_no_deck_is_refused(tmp_path, changes, reason):
    path = deck_file(tmp_path / "deck.json", **changes)
    with pytest.raises(UnreadableError, match=reason):
        GAME.setup(("Ann", "Bo"), {"conditions": path})


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"W1": "highest number in play"}', "[" * 5000]
)
def test_a_file_that_is_no_deck_file_is_refused(tmp_path, text):
    path = tmp_path / "deck.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UnreadableError):
        GAME.setup(("Ann", "Bo"), {"conditions": str(path)})


@pytest.mark.parametrize("value", ["/nowhere/deck.json", "x\0y", "/", "W1 nonsense", "W1"])
def test_a_value_that_names_no_deck_is_refused(value):
    with pytest.raises(UnreadableError):
        GAME.setup(("Ann", "Bo"), {"conditions": value})


def test_changes_to_the_bundled_deck_can_be_written_out():
    value = "W1 lowest number in play, W2 highest number in play"
    mapping = read_conditions(value)
    assert mapping[one("W1")] == DEFAULT_CONDITIONS[one("W2")]
    assert write_conditions(mapping) == value
    assert write_conditions(DEFAULT_CONDITIONS) == "default"
    match = read_match(f"game: suspense\nplayers: A, B\noption conditions: {value}\n---\n")
    assert read_match(write_match(match)).setup == match.setup


@given(st.permutations([c for c in DEFAULT_CONDITIONS if c.code != "!"]), st.integers(0, 19))
def test_any_printing_can_be_written_out(order, number):
    bearers = [c for c in DEFAULT_CONDITIONS if c.code != "!"]
    mapping = {b: DEFAULT_CONDITIONS[o] for b, o in zip(bearers, order, strict=True)}
    mapping[one("!")] = EXCLAMATIONS[number]
    assert read_conditions(write_conditions(mapping)) == mapping
