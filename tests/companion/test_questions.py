"""Questions as sets: tapping, typing, canonical wording, and legality under `plain`.

What typed questions mean is said twice without the grammar: phrasing by phrasing as rules on rank
and suit, and for random words as Python expressions.
"""

from __future__ import annotations

import random
import re

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
from companion.games.missing_persons.questions.words import KNOWN
from tests.companion.question_phrasings import READ, REFUSED, Rule

WORDS = (
    "red", "black", "spade", "hearts", "royal", "even", "odd", "7", "K", "between 3 and 9",
    "at least 9", "below 6", "number card", "9 or higher", "5 down round to J", "the", "a", "not",
    "not", "and", "and", "and", "or", "or", "or", "(", ")",
)  # fmt: skip
RULES: dict[str, Rule] = {
    "red": lambda r, s: s in "HD",
    "black": lambda r, s: s in "SC",
    "spade": lambda r, s: s == "S",
    "hearts": lambda r, s: s == "H",
    "royal": lambda r, s: r > 10,
    "even": lambda r, s: r % 2 == 0,
    "odd": lambda r, s: r % 2 == 1,
    "7": lambda r, s: r == 7,
    "K": lambda r, s: r == 13,
    "a": lambda r, s: r == 1,
    "between 3 and 9": lambda r, s: 3 <= r <= 9,
    "at least 9": lambda r, s: r >= 9,
    "below 6": lambda r, s: r < 6,
    "number card": lambda r, s: r <= 10,
    "9 or higher": lambda r, s: r >= 9,
    "5 down round to J": lambda r, s: r <= 5 or r >= 11,
}
#: Where `a` is the ace.
AFTER_ACE = (None, ")", "and", "or")
LIMITS = ("at least 9", "below 6")


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
        ("a rde heart and a wombat", "“rde wombat” are not words", None),
    ],
)
def test_what_cannot_be_read_is_told(text, problem, nearest):
    with pytest.raises(UnreadableError) as caught:
        parse_question(text)
    assert problem in caught.value.message
    assert ("Did you mean" in caught.value.message) == (nearest is not None)
    if nearest is not None:
        assert f"“{nearest}”" in caught.value.message
        assert parse_question(nearest).cards


@given(QUESTIONS)
def test_canonical_wording_reads_back(question):
    again = parse_question(question.text)
    assert again == question
    assert again.text == question.text
    assert parse_question(f"Is your missing person {question.text}") == question


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_in_words(text):
    try:
        question = parse_question(text)
    except UnreadableError:
        return
    assert parse_question(question.text) == question


def test_arcs():
    assert arc_up(11, 5) == arc_up(5, 11) == set(range(5, 12))
    assert arc_down_round(5, 11) == {5, 4, 3, 2, 1, 13, 12, 11}


def test_jokers_answer_no_to_everything():
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
def test_refused_under_plain(text, reason):
    assert reason in str(why_not_plain(parse_question(text)))


@given(QUESTIONS)
def test_legality_follows_the_rule(question):
    legal = why_not_plain(question) is None
    ranks = {c.rank for c in question.cards}
    others = {c.rank for c in CARDS if c not in question.cards}
    runs = [{c.rank for c in question.cards if c.suit == s} for s in SUITS]
    expected = len(ranks) >= 2 and len(others) >= 2 and max(map(len, runs)) >= 2
    expected = expected and not ranks <= {11, 13}
    assert legal == expected


# -- what phrasings mean ---------------------------------------------------------------------------


class Cards:
    """A set of cards as an operand: side by side is `**`, which binds before `~`, `&` and `|`."""

    def __init__(self, cards, *, rank=False):
        self.cards = frozenset(cards)
        self.rank = rank

    def __pow__(self, other):
        if self.rank and other.rank:
            return Cards(self.cards | other.cards, rank=True)
        return Cards(self.cards & other.cards)

    def __and__(self, other):
        return Cards(self.cards & other.cards)

    def __or__(self, other):
        return Cards(self.cards | other.cards)

    def __invert__(self):
        return Cards(frozenset(CARDS) - self.cards)


def cards_of(rule):
    return frozenset(c for c in CARDS if rule(c.rank, c.suit))


def read_or_refused(text):
    """A question, or None and why it was refused."""
    try:
        return parse_question(text), ""
    except UnreadableError as error:
        return None, error.message


def evaluated(words):
    """What words ask for by Python's own reading; None where they are no expression."""
    names, said, operand = {}, [], False
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else None
        sign = {"and": "&", "or": "|", "not": "~", ")": ")"}.get(word)
        if word == "not" and operand and after in LIMITS:
            sign = "** ~"  # “a red card not above 5”
        if sign is not None:
            said.append(sign)
            operand = word == ")"
            continue
        if word == "the" or (word == "a" and after not in AFTER_ACE):
            continue
        said.append("**" if operand else "")
        if word != "(":
            names[f"w{place}"] = Cards(cards_of(RULES[word]), rank=word in ("7", "K", "a"))
        said.append("(" if word == "(" else f"w{place}")
        operand = word != "("
    try:
        return eval(" ".join(said).strip(), {}, names).cards
    except (SyntaxError, TypeError):
        return None


@pytest.mark.parametrize(("text", "rule"), READ, ids=[text for text, _ in READ])
def test_a_phrasing_asks_for_exactly_these_cards(text, rule):
    question = parse_question(text)
    assert question.cards == cards_of(rule)
    assert parse_question(question.text) == question
    # The asker's words come back with the question and mean the same when they are read again.
    assert parse_question(question.asked) == question
    assert parse_question(question.asked).asked == question.asked


@pytest.mark.parametrize(("text", "words"), REFUSED, ids=[text or "-" for text, _ in REFUSED])
def test_a_phrasing_is_refused_with_the_words_that_were_not_understood(text, words):
    with pytest.raises(UnreadableError) as caught:
        parse_question(text)
    problem = caught.value.message.removeprefix(f"“{text}” is not understood: ")
    problem = re.split(" Did you mean| Write it like| Brackets say", problem)[0]
    assert words in problem
    assert "\n" not in caught.value.message


def test_random_words_are_refused_or_mean_what_python_makes_of_them():
    rng = random.Random(7)
    read = wordy = 0
    for _ in range(6000):
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 8))]
        question, _ = read_or_refused(" ".join(words))
        if question is None:
            continue
        read += 1
        wordy += len(words) > 3
        assert question.cards == evaluated(words), words
    assert read > 500
    assert wordy > 60


def test_random_expressions_with_brackets_are_read():
    rng = random.Random(8)
    texts = [word for word in RULES if word != "a"]

    def expression(depth):
        if depth == 0 or rng.random() < 0.25:
            text = rng.choice(texts)
            return text, cards_of(RULES[text])
        kind = rng.choice(("not", "and", "or"))
        one, cards = expression(depth - 1)
        if kind == "not":
            return f"not ({one})", frozenset(CARDS) - cards
        two, others = expression(depth - 1)
        joined = f"({one}) {kind} ({two})"
        return joined, cards & others if kind == "and" else cards | others

    read = 0
    for _ in range(1500):
        text, cards = expression(rng.randint(1, 4))
        question, problem = read_or_refused(text)
        if question is None:
            assert "no card is both" in problem, text
            continue
        read += 1
        assert question.cards == cards, text
    assert read > 1000


def test_random_words_of_the_whole_list_never_break_the_reader():
    rng = random.Random(9)
    known = [*sorted(KNOWN), "7S", "A♠", "10H"]
    read = 0
    for _ in range(4000):
        text = " ".join(rng.choice(known) for _ in range(rng.randint(1, 7)))
        question, problem = read_or_refused(text)
        if question is None:
            assert "understood" in problem
            continue
        read += 1
        assert parse_question(question.text) == question
        assert parse_question(question.asked) == question
    assert read > 50


@pytest.mark.parametrize(
    "text",
    ["not " * 3000, "(" * 3000, "red or " * 3000 + "red", "either " * 40 + "red", "7 " * 900],
)
def test_long_questions_are_refused_in_words(text):
    with pytest.raises(UnreadableError, match=r"too long|too many"):
        parse_question(text)


def test_the_longest_canonical_wording_can_be_read():
    rng = random.Random(10)
    checked = [c for c in CARDS if (c.rank + "SHDC".index(c.suit)) % 2]
    sets = [checked, *([c for c in CARDS if rng.random() < 0.5] for _ in range(300))]
    for cards in sets:
        question = Question(frozenset(cards))
        assert parse_question(question.text) == question


def test_words_are_kept_unless_they_are_the_canonical_ones():
    assert parse_question("RED").asked == "red?"
    assert parse_question("  is  it   Red? ").asked == "is it Red?"
    assert parse_question("“is it red?”").asked == "is it red?"
    assert parse_question("is it red") == parse_question("hearts or diamonds")
