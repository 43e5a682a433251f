"""Questions as sets: tapping, typing, canonical wording, and legality under `plain`."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import SUITS, card
from companion.errors import UnreadableError
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import (
    CARDS,
    Question,
    arc_down_round,
    arc_up,
    tapped,
    why_not_plain,
)

_RANKS = st.sets(st.integers(1, 13), min_size=1)
_SUITS = st.sets(st.sampled_from("SHDC"), min_size=1)
_PRODUCTS = st.builds(
    lambda suits, ranks, negate: tapped(suits=suits, ranks=ranks, negate=negate),
    _SUITS, _RANKS, st.booleans(),
)  # fmt: skip
QUESTIONS = st.one_of(
    st.builds(lambda cards: Question(frozenset(cards)), st.sets(st.sampled_from(CARDS))),
    _PRODUCTS,
    st.builds(lambda a, b: a | b, _PRODUCTS, _PRODUCTS),
    st.builds(lambda a, b: a & b, _PRODUCTS, _PRODUCTS),
)


@pytest.mark.parametrize(
    ("text", "problem", "nearest"),
    [
        ("is it speade", "speade", "a spade"),
        ("betwen 5 and 9", "betwen", "between 5 and 9"),
        ("J up to 5", "higher than 5", "5 down round to J"),
        ("J down round to 5", "does not go round", "between 5 and J"),
        ("((red", "bracket", "red"),
        ("is your royal male or female?", "yes or no", "royal"),
        ("does it wear a crown", "“", None),
        ("", "nothing is asked", None),
        ("red or", "missing at the end", "red"),
        ("between 5", "two ranks", None),
        ("🂡", "is not a word that questions use", None),
    ],
)
def test_what_cannot_be_read_is_told(text: str, problem: str, nearest: str | None) -> None:
    with pytest.raises(UnreadableError) as caught:
        parse_question(text)
    assert problem in caught.value.message
    if nearest is not None:
        assert f"“{nearest}”" in caught.value.message
        assert parse_question(nearest).cards


@given(QUESTIONS)
def test_canonical_wording_reads_back(question: Question) -> None:
    again = parse_question(question.text)
    assert again == question
    assert again.text == question.text
    assert parse_question(f"Is your missing person {question.text}") == question


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        question = parse_question(text)
    except UnreadableError:
        return
    assert parse_question(question.text) == question


def test_mutated_questions_never_break_the_reader() -> None:
    rng = random.Random(1)
    starts = [
        "red and between 5 and 9",
        "not (a spade or royal)",
        "5 down round to J",
        "7 of clubs",
    ]
    letters = "abcdefghijklmnopqrstuvwxyz 0123456789()?,♠'-"
    for _ in range(800):
        chars = list(rng.choice(starts))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(chars) + 1)
            chars[at : at + rng.randint(0, 2)] = rng.sample(letters, rng.randint(0, 3))
        with contextlib.suppress(UnreadableError):
            question = parse_question("".join(chars))
            assert parse_question(question.text) == question


def test_arcs() -> None:
    assert arc_up(11, 5) == arc_up(5, 11) == set(range(5, 12))
    assert arc_down_round(5, 11) == {5, 4, 3, 2, 1, 13, 12, 11}


def test_jokers_answer_no_to_everything() -> None:
    for question in (parse_question("red"), parse_question("not red"), tapped(), ~tapped()):
        assert not question.answer(card("JK1"))
        assert not question.answer(card("JK2"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("is it a 10", "names one rank"),
        ("red 10", "names one rank"),
        ("is it the king of clubs", "names one card"),
        ("is it a joker", "joker"),
        ("anything", "joker"),
        ("not a 10", "every rank but one"),
        ("not the king of clubs", "names one card"),
        ("a king or a jack", "royal's sex"),
        ("red and (king or jack)", "royal's sex"),
        ("queen", "names one rank"),
        ("male", "royal's sex"),
        ("female royal", "names one rank"),
        ("(3 and spade) or (7 and heart)", "single cards"),
    ],
)
def test_refused_under_plain(text: str, reason: str) -> None:
    assert reason in str(why_not_plain(parse_question(text)))


@given(QUESTIONS)
def test_legality_follows_the_rule(question: Question) -> None:
    legal = why_not_plain(question) is None
    ranks = {c.rank for c in question.cards}
    others = {c.rank for c in CARDS if c not in question.cards}
    runs = [{c.rank for c in question.cards if c.suit == s} for s in SUITS]
    expected = len(ranks) >= 2 and len(others) >= 2 and max(map(len, runs)) >= 2
    expected = expected and not ranks <= {11, 13}
    assert legal == expected
