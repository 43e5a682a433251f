"""One card, one name: of reads that share an outline one stands, and of a name one read."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import card
from companion.decks import get_deck
from tests.vision.layouts import read_of
from vision.cards.one_name import one_name_a_card

ACCEPT = 0.85
DOWN = np.array([0.0, 17.0])
DECK = Counter(get_deck().cards)
#: Where the indices of a card stand, upper left and lower right, a pixel a millimetre.
LEAD, FAR = np.array([5.5, 14.0]), np.array([57.5, 74.0])


def at(name: str, place: int, *, far: bool = False, confidence: float = 0.97):
    """A read by one index of the card at a place."""
    corner = np.array([100.0 * place, 0.0]) + (FAR if far else LEAD)
    return read_of(card(name), [(corner, -DOWN if far else DOWN)], confidence=confidence)


def true_outlines(indices):
    """The cards at the places, whichever index is asked about."""
    quads = []
    for index in indices:
        x = 100.0 * (index.centre[0] // 100.0)
        quads.append(np.array([[x, 0], [x + 63, 0], [x + 63, 88], [x, 88]], float))
    return quads


def none_seen(indices):
    return [None] * len(indices)


def named(cards, doubtful=(), *, outlines=true_outlines, deck=DECK):
    sure, asked = one_name_a_card(cards, doubtful, deck, accept=ACCEPT, outlines=outlines)
    return [r.card.code for r in sure], [r.card.code for r in asked], (*sure, *asked)


def test_of_two_names_of_one_card_that_are_both_sure_neither_is_accepted():
    sure, asked, (read,) = named([at("6D", 0), at("9D", 0, far=True, confidence=0.96)])
    assert (sure, asked) == ([], ["6D"])
    assert [other.code for other, _ in read.alternatives] == ["9D"]
    assert read.chance_of_any == pytest.approx(1.0)


def test_a_sure_name_stands_beside_a_doubtful_one_of_the_same_card():
    sure, asked, _ = named([at("6D", 0)], [at("9D", 0, far=True, confidence=0.5)])
    assert (sure, asked) == (["6D"], [])


def test_cards_that_lie_apart_keep_their_names():
    sure, asked, _ = named([at("6D", 0), at("9D", 1, far=True)])
    assert sorted(sure) == ["6D", "9D"]
    assert asked == []


def test_a_card_upon_which_another_one_lies_is_not_seen_whole():
    upon = read_of(card("KH"), [(np.array([30.0, 44.0]), DOWN)])
    assert sorted(named([at("6D", 0), at("9D", 0, far=True), upon])[0]) == ["6D", "9D", "KH"]


def test_where_no_outline_is_seen_nothing_is_known():
    sure, _, _ = named([at("6D", 0), at("9D", 0, far=True)], outlines=none_seen)
    assert sorted(sure) == ["6D", "9D"]


def test_two_sure_cards_without_rank_or_suit_in_common_are_not_asked_about():
    def unasked(indices):
        raise AssertionError("no outline is needed")

    sure, _, _ = named([at("6D", 0), at("9C", 0, far=True)], outlines=unasked)
    assert sorted(sure) == ["6D", "9C"]


def test_a_deck_has_as_many_of_a_card_as_it_has():
    twice = [at("6D", 0), at("6D", 1)]
    assert named(twice)[0] == ["6D"]
    pinochle = Counter({**DECK, card("6D"): 2})
    assert named(twice, deck=pinochle)[0] == ["6D", "6D"]
    assert named([at("6D", 0)], [at("6D", 1, confidence=0.5)])[1] == []
    assert named([at("6D", 0)], [at("6D", 1, confidence=0.5)], deck=pinochle)[1] == ["6D"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["6D", "9D", "6C", "6S", "KH"]),
            st.integers(0, 3),
            st.booleans(),
            st.floats(0.2, 1.0),
        ),
        max_size=8,
    ),
    st.integers(1, 2),
)
def test_one_outline_one_name_and_one_name_one_card(reads, copies):
    deck = Counter(dict.fromkeys(DECK, copies))
    made = [at(name, place, far=far, confidence=p) for name, place, far, p in reads]
    cards = [read for read in made if read.confidence >= ACCEPT]
    doubtful = [read for read in made if read.confidence < ACCEPT]
    sure, asked = one_name_a_card(cards, doubtful, deck, accept=ACCEPT, outlines=true_outlines)
    assert max(Counter(read.card for read in sure).values(), default=0) <= copies
    assert all(read.confidence >= ACCEPT for read in sure)
    assert all(read.confidence < ACCEPT for read in asked)
    assert all(read.chance_of_any <= 1 + 1e-6 for read in (*sure, *asked))
    for read in sure:
        for other in sure:
            alike = read.card.rank == other.card.rank or read.card.suit == other.card.suit
            ends = read.indices[0].direction[1] * other.indices[0].direction[1] < 0
            place = [r.indices[0].centre[0] // 100 for r in (read, other)]
            names = {r.card for r in made if r.indices[0].centre[0] // 100 == place[0]}
            if read.card != other.card and alike and ends and len(names) == 2:
                assert place[0] != place[1]
