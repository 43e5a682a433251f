"""Jokers: corners without rank and suit, named where cards lie beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import parse_cards
from companion.decks import get_deck
from tests.vision.layouts import candidates, read_of, readings
from vision.cards.jokers import covered_in_row, joker_reads, stands_in_row
from vision.indices.hypotheses import Hypotheses

STANDARD = get_deck()
DOWN = np.array([0.0, 30.0])
KING = read_of(parse_cards("KS")[0], [(np.array([600.0, 60.0]), DOWN)])


def seen(*corners, deck=STANDARD):
    """Corners as (chance of a joker, x, y, degrees from upright), 30 px high."""
    named = readings(*(("JK", chance) for chance, *_ in corners))
    found = candidates(*((x, y, 30, degrees) for _, x, y, degrees in corners))
    return found, Hypotheses(deck, named.rank_probs, named.suit_probs)


def named(*corners, cards=(KING,), deck=STANDARD):
    sure, doubtful = joker_reads(*seen(*corners, deck=deck), cards, accept=0.85, doubt=0.2)
    return [str(r.card) for r in sure], [str(r.card) for r in doubtful], sure


@pytest.mark.parametrize(
    ("corners", "sure", "doubtful"),
    [
        ([(0.96, 50, 50, 0)], ["JK1"], []),
        ([(0.93, 50, 50, 0)], [], ["JK1"]),  # a word that is not quite a joker's
        # Two marks on each other's heads are no words of a page.
        ([(0.75, 50, 50, 0), (0.7, 154, 170, 180)], ["JK1"], []),
        ([(0.75, 50, 50, 0), (0.7, 154, 50, 0)], [], ["JK1"]),
        # A faint second corner in its place speaks for a joker.
        ([(0.8, 50, 50, 0)], [], ["JK1"]),
        ([(0.8, 50, 50, 0), (0.4, 154, 170, 180)], ["JK1"], []),
        # There are no more jokers than the deck has.
        ([(0.96 + k / 100, 50 + 900 * k, 50, 0) for k in range(4)], ["JK1", "JK2"], []),
        # Too far askew to be joined, but not beyond what a steep view shows.
        ([(0.97, 50, 50, 0), (0.96, 112, 135, 118)], ["JK1"], ["JK2"]),
        ([(0.95, 602, 63, 0)], [], []),  # the index of a card that is read
    ],
)
def test_a_joker_beside_a_card_is_named_or_asked_about(corners, sure, doubtful):
    assert named(*corners)[:2] == (sure, doubtful)


@pytest.mark.parametrize(
    ("x", "y", "degrees", "in_row"),
    [(180, 60, 0, True), (300, 62, 0, True), (180, 160, 0, False), (180, 60, 70, False)],
)
def test_in_a_row_a_joker_stands_as_the_cards_do(x, y, degrees, in_row):
    row = [
        read_of(card, [(np.array([60.0 + 40 * k, 60.0]), DOWN)])
        for k, card in enumerate(parse_cards("KS 3D 5C"))
    ]
    cards = [*row, read_of(parse_cards("9H")[0], [(np.array([220.0, 60.0]), DOWN)])]
    found, hypotheses = seen((0.99, x, y, degrees))
    sure, doubtful = joker_reads(
        found, hypotheses, cards, accept=0.85, doubt=0.2, among=stands_in_row
    )
    assert [str(r.card) for r in sure] == (["JK1"] if in_row else [])
    assert [str(r.card) for r in doubtful] == ([] if in_row else ["JK1"])


@pytest.mark.parametrize(("in_row", "count"), [(True, 0), (False, 1)])
def test_in_a_row_a_figure_on_a_card_that_shows_both_ends_is_no_joker(in_row, count):
    """In a heap a joker may lie across a card; upon a card of a row nothing lies."""
    queen = read_of(
        parse_cards("QS")[0], [(np.array([600.0, 60.0]), DOWN), (np.array([700.0, 190.0]), -DOWN)]
    )
    queen = replace(
        queen, quad=((590.0, 30.0), (710.0, 30.0), (710.0, 220.0), (590.0, 220.0)), outlined=True
    )
    found, hypotheses = seen((0.99, 650, 70, 0))
    covered = covered_in_row([queen]) if in_row else []
    parts = joker_reads(found, hypotheses, [queen], accept=0.85, doubt=0.2, covered=covered)
    assert sum(map(len, parts)) == count


def test_its_two_corners_are_one_card_and_strengthen_each_other():
    sure, doubtful, reads = named((0.92, 50, 50, 0), (0.9, 154, 170, 180))
    assert (sure, doubtful) == (["JK1"], [])
    assert len(reads[0].indices) == 2
    assert reads[0].outlined
    assert named((0.92, 50, 50, 0))[:2] == ([], ["JK1"])


def test_a_second_corner_that_is_hardly_seen_says_nothing_against_it():
    alone = named((0.96, 50, 50, 0))[2][0].confidence
    assert named((0.96, 50, 50, 0), (0.15, 154, 170, 180))[2][0].confidence == pytest.approx(alone)


@pytest.mark.parametrize(("chance", "sure"), [(0.99, True), (0.2, False)])
def test_a_closer_look_decides(chance, sure):
    asked = []

    def closely(found):
        asked.append(len(found))
        return np.array([chance], np.float32)

    found, hypotheses = seen((0.7, 50, 50, 0), (0.02, 500, 400, 0))
    reads, _ = joker_reads(found, hypotheses, [KING], accept=0.85, doubt=0.2, closely=closely)
    assert [str(r.card) for r in reads] == (["JK1"] if sure else [])
    assert asked == [1]  # what is next to certainly none is not looked at


@pytest.mark.parametrize(
    "cards",
    [
        (),
        (read_of(KING.card, [(np.array([600.0, 60.0]), 4 * DOWN)]),),  # of another size
        (read_of(KING.card, [(np.array([600.0, 60.0]), DOWN)], confidence=0.7),),  # not sure
    ],
)
def test_a_word_without_cards_beside_it_is_asked_about(cards):
    sure, doubtful, _ = named((0.99, 50, 50, 0), (0.99, 154, 170, 180), cards=cards)
    assert (sure, doubtful) == ([], ["JK1"])


def test_two_jokers_are_named_from_left_to_right_whichever_is_surer():
    for first, second in ((0.96, 0.99), (0.99, 0.96)):
        sure, _, reads = named((first, 50, 50, 0), (second, 900, 400, 0))
        assert sure == ["JK1", "JK2"]
        assert reads[0].indices[0].centre == (50, 50)


def test_a_deck_without_jokers_has_none():
    plain = replace(get_deck(), cards=get_deck().cards[:52])
    assert named((0.99, 50, 50, 0), deck=plain)[:2] == ([], [])


CARD = np.array([[40.0, 30.0], [160.0, 30.0], [160.0, 200.0], [40.0, 200.0]])


def with_cards(corners, quads, cards=(KING,)):
    """Named with the outlines of the cards about the corners, None where none is found."""
    sure, doubtful = joker_reads(
        *seen(*corners), cards, accept=0.85, doubt=0.2, outlines=lambda _: quads
    )
    return [str(r.card) for r in sure], [str(r.card) for r in doubtful], sure


def test_a_card_about_a_doubtful_mark_makes_it_a_jokers():
    assert with_cards([(0.75, 50, 50, 0)], [None])[:2] == ([], ["JK1"])
    sure, _, reads = with_cards([(0.75, 50, 50, 0)], [CARD])
    assert sure == ["JK1"]
    assert np.array(reads[0].quad) == pytest.approx(CARD)
    assert reads[0].outlined


def test_marks_on_one_card_are_one_joker():
    corners = [(0.9, 50, 50, 0), (0.8, 60, 110, 0), (0.7, 150, 180, 180)]
    assert with_cards(corners, [CARD, None, CARD])[:2] == (["JK1"], [])


def test_corners_that_look_like_one_cards_are_two_jokers_where_each_has_a_card_of_its_own():
    corners = [(0.9, 50, 50, 0), (0.85, 154, 170, 180)]
    assert with_cards(corners, [CARD, None])[0] == ["JK1"]
    quads = [CARD - np.array([0.0, 80.0]), CARD + np.array([0.0, 130.0])]
    assert with_cards(corners, quads)[0] == ["JK1", "JK2"]


@pytest.mark.parametrize(("moved", "second"), [((20.0, 25.0), False), ((60.0, 90.0), True)])
def test_a_mark_off_the_card_about_another_one_is_a_second_joker(moved, second):
    """Beside the outline it may still be of that card; well away from it, it is not."""
    corners = [(0.97, 50, 50, 0), (0.96, 112, 135, 118)]
    sure, doubtful, _ = with_cards(corners, [None, CARD + np.array(moved)])
    assert (sure, doubtful) == ((["JK1", "JK2"], []) if second else (["JK1"], ["JK2"]))


def test_two_marks_on_each_others_heads_in_one_card_need_no_cards_beside_them():
    corners = [(0.99, 50, 50, 0), (0.99, 150, 180, 180)]
    assert with_cards(corners, [CARD, CARD], cards=())[:2] == (["JK1"], [])
    words = [(0.99, 50, 50, 0), (0.99, 150, 180, 0)]
    assert with_cards(words, [CARD, CARD], cards=())[:2] == ([], ["JK1"])


def test_a_mark_joins_the_card_it_lies_upon_though_a_fainter_mark_shows_that_card():
    corners = [(0.9, 50, 50, 0), (0.6, 150, 180, 180)]
    sure, doubtful, reads = with_cards(corners, [None, CARD])
    assert (sure, doubtful) == (["JK1"], [])
    assert len(reads[0].indices) == 2


@given(
    st.floats(0.3, 0.99),
    st.floats(0.3, 0.99),
    st.floats(-12, 12),
    st.floats(-8, 8),
    st.sampled_from([0, 20, 180]),
    st.booleans(),
)
def test_two_poses_of_one_mark_do_not_support_each_other(first, second, x, y, degrees, outlined):
    """Few pixels apart they show the same thing twice, and are no two corners of a card."""
    quad = CARD if outlined else None
    marks = sorted([(first, 56, 56, 0), (second, 56 + x, 56 + y, degrees)], reverse=True)
    alone = joker_reads(*seen(marks[0]), [KING], accept=0.85, doubt=0.2, outlines=lambda _: [quad])
    both = joker_reads(
        *seen(*marks), [KING], accept=0.85, doubt=0.2, outlines=lambda seen: [quad] * len(seen)
    )
    assert [[read.confidence for read in part] for part in both] == [
        [read.confidence for read in part] for part in alone
    ]


def test_in_each_corner_of_a_card_one_mark_speaks_for_a_joker():
    """A long word is found in several places of one corner."""
    word = [(0.6, 50, 50, 0), (0.6, 52, 80, 0), (0.6, 50, 110, 0)]
    assert with_cards(word, [CARD] * 3)[2:] == with_cards(word[:1], [CARD])[2:]
    ends = [(0.6, 50, 50, 0), (0.6, 150, 180, 180)]
    sure, _, reads = with_cards(ends, [CARD] * 2)
    assert (sure, len(reads[0].indices)) == (["JK1"], 2)


@pytest.mark.parametrize("about", [CARD, None])
def test_a_joker_of_faint_marks_alone_is_accepted_or_passed_over(about):
    """The locator hardly sees stars and caps; what is then not sure is not asked about either."""
    sure, doubtful = joker_reads(
        *seen(), [KING], accept=0.85, doubt=0.2, faint=seen((0.75, 50, 50, 0)),
        outlines=lambda marks: [about for _ in marks],
    )  # fmt: skip
    assert [str(r.card) for r in sure] == ([] if about is None else ["JK1"])
    assert not doubtful
