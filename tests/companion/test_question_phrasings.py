"""Typed questions are read as they were meant, or refused with the words that were not understood.

The sets are said three times without the grammar: phrasing by phrasing as rules on rank and suit,
for random words as Python expressions, and for random lists as unions and intersections.
"""

from __future__ import annotations

import random
import re

import pytest

from companion.errors import UnreadableError
from companion.games.missing_persons.questions.grammar import parse_question
from companion.games.missing_persons.questions.question import CARDS, Question
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
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


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


def test_there_are_enough_phrasings():
    texts = [text.casefold() for text, _ in (*READ, *REFUSED)]
    assert len(READ) >= 200
    assert len(REFUSED) >= 40
    assert len(texts) - len(set(texts)) <= 1  # “red?” as a whole, and “Red”


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


def test_a_refused_word_brings_the_nearest_form():
    for text, better in (("is it spaid?", "a spade"), ("betwen 5 and 9", "between 5 and 9")):
        with pytest.raises(UnreadableError, match=f"Did you mean “{better}”"):
            parse_question(text)
    with pytest.raises(UnreadableError) as caught:
        parse_question("a rde heart and a wombat")
    assert "“rde wombat” are not words" in caught.value.message
    assert "Did you mean" not in caught.value.message


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


@pytest.mark.parametrize("seed", range(200))
def test_random_lists_are_unions_or_intersections(seed):
    rng = random.Random(seed)
    ranks = rng.sample(
        ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"], rng.randint(2, 6)
    )
    numbers = {
        ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"].index(rank) + 1
        for rank in ranks
    }
    lead = rng.choice(("", "is it ", "one of ", "any of ", "is your card one of "))
    last = rng.choice((" or ", ", or ", ", "))
    text = lead + ", ".join(ranks[:-1]) + last + ranks[-1]
    suit = rng.choice(("", "SHDC"[seed % 4]))
    names = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
    question = parse_question(text + (f" of {names[suit]}" if suit else ""))
    assert question.cards == cards_of(lambda r, s: r in numbers and s in (suit or "SHDC"))
    limits = parse_question(f"{names['H']}, {rng.choice(('odd', 'even'))} and below 9")
    assert {c.suit for c in limits.cards} == {"H"}
    assert len(limits.cards) in (4, 5)


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
