"""One card, one name: of reads that share an outline one stands, and of a name one read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import card
from companion.decks import get_deck
from tests.vision.layouts import read_of
from vision.cards.one_name import one_name_a_card
from vision.types import RANK_LABELS, SUIT_LABELS, Reason

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
    sure, asked, _ = one_name_a_card(
        cards, doubtful, deck, size=(2000, 2000), accept=ACCEPT, outlines=outlines
    )
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


def again(name: str, place: int, *, far: bool = False, confidence: float = 0.97):
    """What was given up because a surer card has its name."""
    return replace(at(name, place, far=far, confidence=confidence), reason=Reason.NAME_TAKEN)


@given(st.sets(st.integers(1, 5), max_size=4), st.integers(1, 3), st.booleans(), st.booleans())
def test_copies_are_counted_by_where_they_lie(places, copies, corners, named_twice):
    """Each as often as the deck has it, and what lies there once more is asked about."""
    deck = Counter(dict.fromkeys(DECK, copies))
    more = [again("9C", place) for place in sorted(places)]
    if corners:  # a further corner of a card is no copy of it
        more += [again("9C", place, far=True, confidence=0.9) for place in (0, *sorted(places))]
    cards = [at("9C", 0), *([at("7H", 7)] if named_twice else [])]
    sure, asked, gone = one_name_a_card(
        cards, (), deck, size=(2000, 2000), accept=ACCEPT, outlines=true_outlines, refused=more
    )
    count = 1 + len(places)
    assert sum(read.card.code == "9C" for read in sure) == min(count, copies)
    assert [read.reason for read in asked] == [Reason.COPIES] * (count - min(count, copies))
    assert all(read.confidence < ACCEPT for read in asked)
    spots = [read.indices[0].centre[0] // 100 for read in (*sure, *asked)]
    assert len(spots) == len(set(spots))
    assert len(gone) == corners * count


def test_where_no_outline_is_seen_a_copy_must_lie_farther_off_than_a_card_reaches():
    near, far = again("9C", 0, far=True), again("9C", 2)
    sure, asked, gone = one_name_a_card(
        [at("9C", 0)], (), DECK, size=(900, 900), accept=ACCEPT, outlines=None, refused=[near, far]
    )
    assert ([r.card.code for r in sure], [r.reason for r in asked]) == (["9C"], [Reason.COPIES])
    assert [read.indices for read in gone] == [near.indices]


@pytest.mark.parametrize(
    "read", [again("9C", 2, confidence=0.8), replace(again("9C", 2), indices=())],
    ids=["unsure", "by its outline"],
)  # fmt: skip
def test_what_is_less_sure_than_a_card_is_no_copy_of_one(read):
    sure, asked, gone = one_name_a_card(
        [at("9C", 0)], (), Counter(dict.fromkeys(DECK, 2)), size=(900, 900), accept=ACCEPT,
        outlines=true_outlines, refused=[read],
    )  # fmt: skip
    assert ([r.card.code for r in sure], asked, gone) == (["9C"], [], [read])


def test_what_reads_as_a_copy_on_another_card_is_that_cards():
    """A six that stands on its head beside a real nine."""
    six, nine = at("6C", 0), at("9C", 2)
    sure, asked, _ = one_name_a_card(
        [six, nine], (), Counter(dict.fromkeys(DECK, 2)), size=(900, 900), accept=ACCEPT,
        outlines=true_outlines, refused=[again("9C", 0, far=True)],
    )  # fmt: skip
    assert sorted(read.card.code for read in (*sure, *asked)) == ["6C", "9C"]


def joker_at(place: int, x: float, y: float, *, confidence: float):
    """What looks like a joker's mark, so many millimetres from the card's upper left."""
    return read_of(card("JK1"), [(np.array([100.0 * place + x, y]), DOWN)], confidence=confidence)


@given(
    st.floats(6, 57),
    st.floats(6, 82),
    st.floats(0.2, 1.0),
    st.booleans(),
    st.booleans(),
)
def test_no_joker_lies_inside_the_outline_of_a_card_that_is_read(x, y, chance, far, own):
    """However sure it is: a label over a card's edge, a mark in a figure's clothes."""
    joker = joker_at(0, x, y, confidence=chance)

    def outlines(indices):
        quads = true_outlines(indices)
        # About what stands in no corner of a card the network finds none.
        return [
            quad if own or index.centre != joker.indices[0].centre else None
            for quad, index in zip(quads, indices, strict=True)
        ]

    reads = [at("QH", 0, far=far), at("7C", 2), joker]
    cards = [read for read in reads if read.confidence >= ACCEPT]
    sure, asked, _ = named(cards, reads[len(cards) :] if chance < ACCEPT else (), outlines=outlines)
    assert sorted(sure) == ["7C", "QH"]
    assert asked == []


def test_a_joker_with_an_outline_of_its_own_lies_upon_a_card():
    joker = joker_at(0, 40, 30, confidence=0.99)

    def outlines(indices):
        off = np.array([30.0, 20.0])
        return [
            quad + off if index.centre == joker.indices[0].centre else quad
            for quad, index in zip(true_outlines(indices), indices, strict=True)
        ]

    assert sorted(named([at("QH", 0), joker], outlines=outlines)[0]) == ["JK1", "QH"]
    assert sorted(named([at("QH", 0), joker_at(1, 40, 30, confidence=0.99)])[0]) == ["JK1", "QH"]


def test_a_corner_that_is_asked_about_is_no_reason_against_a_joker():
    """One outline, one name: the doubtful one goes."""
    sure, asked, _ = named(
        [joker_at(0, 5.5, 14, confidence=0.96)], [at("QD", 0, far=True, confidence=0.3)]
    )
    assert (sure, asked) == (["JK1"], [])


def corner(name: str, chances: dict[str, float], where, down, confidence=0.97):
    """A read by one index, with what that index may be by itself."""
    read = read_of(card(name), [(where, down)], confidence=confidence)
    ranks, suits = np.zeros(15, np.float32), np.zeros(5, np.float32)
    for label, chance in chances.items():
        if label in SUIT_LABELS:
            suits[SUIT_LABELS.index(label)] = chance
        else:
            ranks[RANK_LABELS.index(label)] = chance
    index = replace(read.indices[0], rank_probs=ranks, suit_probs=suits)
    return replace(read, indices=(index,))


def test_all_corners_of_a_card_decide_between_its_names():
    """A German B reads as an eight in one corner, and as a jack in the others."""
    jack = corner("JD", {"J": 0.99, "8": 0.002, "D": 1}, LEAD, DOWN)
    second = corner("JD", {"J": 0.85, "8": 0.1, "D": 1}, FAR, -DOWN).indices
    jack = replace(jack, indices=(*jack.indices, *second))
    eight = corner("8D", {"8": 0.92, "J": 0.01, "D": 1}, np.array([5.5, 74.0]), -DOWN)
    sure, asked, _ = named([jack, eight])
    assert (sure, asked) == (["JD"], [])
    alone = replace(jack, indices=jack.indices[:1])
    contrary = corner("8D", {"8": 0.99, "J": 0.0, "D": 1}, FAR, -DOWN)
    assert named([alone, contrary])[:2] == ([], ["JD"])


@pytest.mark.parametrize(("size", "sure"), [((63, 88), ["6S"]), ((150, 100), ["6C", "6S"])])
def test_a_card_that_fills_the_picture_has_one_name(size, sure):
    """Its sides are out of sight, so no outline is found."""
    cards = [
        corner("6S", {"6": 1, "S": 0.99}, LEAD, DOWN),
        corner("6C", {"6": 1, "C": 0.96, "S": 0.03}, FAR, -DOWN, confidence=0.96),
    ]
    got, _, _ = one_name_a_card(cards, (), DECK, size=size, accept=ACCEPT, outlines=none_seen)
    assert sorted(read.card.code for read in got) == sure


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
        unique_by=lambda read: read[1:3],  # an index is read once
    ),
    st.integers(1, 2),
)
def test_one_outline_one_name_and_one_name_one_card(reads, copies):
    deck = Counter(dict.fromkeys(DECK, copies))
    made = [at(name, place, far=far, confidence=p) for name, place, far, p in reads]
    cards = [read for read in made if read.confidence >= ACCEPT]
    doubtful = [read for read in made if read.confidence < ACCEPT]
    sure, asked, _ = one_name_a_card(
        cards, doubtful, deck, size=(2000, 2000), accept=ACCEPT, outlines=true_outlines
    )
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
