"""Hands from frames whose reads are known: what becomes sure, what is asked about."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import card
from companion.decks import get_deck
from tests.vision.layouts import index
from vision.hands import HandReader
from vision.printing import hand_text
from vision.types import CardRead, Reading

FIVE, SORTED = "9C 2S KH 10D 3C", "2S KH 10D 3C 9C"
NO_QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
STANDARD = get_deck()


def read(text, confidence=0.97, *, place=(0.0, 0.0), down=(0.0, 1.0), others=()):
    alternatives = tuple((card(name), chance) for name, chance in others)
    lead = index(*place, down=down, sure=confidence)
    return CardRead(card(text), confidence, NO_QUAD, (lead,), alternatives)


def fan(text, doubtful=(), *, without=""):
    """A frame that shows cards side by side, but for some."""
    names = [name for name in text.split() if name not in without.split()]
    reads = [read(name, place=(30.0 * k, 0.0)) for k, name in enumerate(names)]
    return Reading((600, 400), tuple(reads), tuple(doubtful), deck="standard")


def with_too(*reads):
    """A frame of the five cards, and more."""
    frame = fan(FIVE)
    return Reading(frame.size, (*frame.cards, *reads), deck="standard")


class Readings:
    """A reader that gives readings one after the other."""

    def __init__(self, *readings):
        self.readings = list(readings)

    def read(self, image):
        return self.readings.pop(0)

    read_frame = read_closely = read


def shown(*readings, expected=None, stills=False, deck=STANDARD):
    hand = HandReader(Readings(*readings), deck, expected=expected, stills=stills)
    for _ in readings:
        hand.add(np.zeros((4, 4, 3), np.uint8))
    return hand.hand


def codes(cards):
    return " ".join(str(one) for one in cards)


def test_a_hand_comes_out_sorted():
    hand = shown(*[fan(FIVE)] * 3, expected=5)
    assert codes(hand.sure) == SORTED
    assert hand.is_whole
    assert hand.frames == 3
    assert hand.deck == "standard"


def test_one_frame_of_a_film_makes_nothing_sure_and_one_photo_does():
    assert shown(fan(FIVE), expected=5).sure == ()
    assert len(shown(fan(FIVE), expected=5).doubtful) == 5
    assert shown(fan(FIVE), expected=5, stills=True).is_whole


@pytest.mark.parametrize(
    ("frames", "expected", "stills"),
    [
        ([fan(FIVE, without=one) for one in ("9C", "3C", "KH")], 5, False),
        ([fan("9C 2S KH 10D 3C 4C")] * 2 + [fan("5D 6D 7D 8D 9D JS")] * 6, 12, False),
        ([fan("9C 2S KH"), fan("10D 3C 4C")], 6, True),
    ],
    ids=["no frame shows all", "part by part", "two photographs"],
)
def test_names_gather_until_the_hand_is_whole(frames, expected, stills):
    assert shown(*frames, expected=expected, stills=stills).is_whole


def test_of_two_names_for_one_card_neither_is_sure_unless_one_is_far_more_often():
    club = read("7C", 0.93, place=(150.0, 0.0), others=[("JC", 0.06)])
    jack = read("JC", 0.93, place=(150.0, 0.0), others=[("7C", 0.06)])

    hand = shown(*[with_too(club)] * 4, *[with_too(jack)] * 2, expected=6)
    assert len(hand.sure) == 5
    assert codes(one.card for one in hand.doubtful) == "7C"
    hand = shown(*[with_too(club)] * 7, with_too(jack), expected=6)
    assert card("7C") in hand.sure
    # One that is never accepted speaks against it as well.
    doubt = read("JC", 0.6, place=(150.0, 0.0), others=[("7C", 0.3)])
    hand = shown(*[with_too(club)] * 4, *[fan(FIVE, [doubt])] * 3, expected=6)
    assert card("7C") not in hand.sure
    # Both are sure where they are seen together.
    assert shown(*[with_too(club, jack)] * 3, expected=7).is_whole


def test_more_cards_than_the_hand_holds_are_said():
    told = hand_text(shown(*[fan(FIVE)] * 3, expected=4))
    assert told.startswith("5 cards are in view: show those of the hand alone.\nHand  ")
    assert "in view" not in hand_text(shown(*[fan(FIVE)] * 3, expected=5))


def test_every_second_frame_is_read_in_another_size():
    sizes = []

    class Sizes(Readings):
        def read(self, image):
            sizes.append(image.shape[:2])
            return super().read(image)

    def read_in(deck, height, width, *, stills=False):
        sizes.clear()
        hand = HandReader(Sizes(*[fan(FIVE)] * 3), deck, stills=stills)
        for _ in range(3):
            hand.add(np.zeros((height, width, 3), np.uint8))
        return sizes

    assert read_in(STANDARD, 100, 200) == [(100, 200), (140, 280), (100, 200)]
    assert read_in(STANDARD, 100, 2000) == [(100, 2000), (70, 1400), (100, 2000)]
    assert read_in(STANDARD, 100, 200, stills=True) == [(100, 200)] * 3
    assert read_in(get_deck("piecepack-tiles"), 100, 200) == [(100, 200)] * 3


def test_what_few_frames_say_is_asked_about():
    frames = [fan(FIVE), fan(FIVE), fan(FIVE), fan(FIVE + " 8S"), fan(FIVE + " 8S"), fan(FIVE)]
    hand = shown(*frames)
    assert codes(hand.sure) == SORTED
    assert codes(one.card for one in hand.doubtful) == "8S"
    assert not hand.is_whole


def test_a_doubtful_name_stays_one_however_often_it_is_said():
    doubt = read("JS", 0.8, place=(150.0, 0.0), others=[("JC", 0.15)])
    hand = shown(*[fan(FIVE, [doubt])] * 6, expected=6)
    assert len(hand.sure) == 5
    (asked,) = hand.doubtful
    assert asked.card == card("JS")
    assert [str(name) for name, _ in asked.alternatives] == ["JC"]
    assert asked.alternatives[0][1] == pytest.approx(0.15)


def test_one_card_under_two_names_is_asked_about_once():
    spade = read("7S", 0.7, place=(150.0, 0.0), others=[("7C", 0.25)])
    club = read("7C", 0.6, place=(150.0, 0.0), others=[("7S", 0.35)])
    hand = shown(fan(FIVE, [spade]), fan(FIVE, [club]), fan(FIVE, [spade]), fan(FIVE, [spade]))
    assert codes(one.card for one in hand.doubtful) == "7S"


def test_two_doubtful_cards_that_are_seen_together_are_two():
    spade = read("7S", 0.7, place=(150.0, 0.0), others=[("7C", 0.25)])
    club = read("7C", 0.6, place=(180.0, 0.0), others=[("7S", 0.35)])
    hand = shown(*[fan(FIVE, [spade, club])] * 3)
    assert codes(one.card for one in hand.doubtful) == "7S 7C"


def test_of_more_cards_than_the_hand_holds_the_weakest_are_asked_about():
    frames = [fan(FIVE + " 8S")] * 4 + [fan(FIVE)] * 2
    hand = shown(*frames, expected=5)
    assert codes(hand.sure) == SORTED
    assert hand.is_whole
    # Where nothing tells which one it is, all are.
    assert shown(*[fan(FIVE + " 8S")] * 4, expected=5).sure == ()


def test_the_lower_end_of_a_card_is_no_other_card():
    far_end = read("6S", 0.96, place=(60.0, 60.0), down=(0.0, -1.0))
    assert codes(shown(*[with_too(far_end)] * 4).sure) == SORTED


def test_cards_that_lie_apart_may_lie_any_way():
    reads = tuple(
        read(name, place=(900.0 * k, 0.0), down=(0.0, (-1.0) ** k))
        for k, name in enumerate(FIVE.split())
    )
    assert shown(*[Reading((9000, 400), reads)] * 2, expected=5).is_whole


def test_no_name_counts_more_often_than_the_deck_has_it():
    twice = fan("9C 9C 9C KH 10D")
    assert codes(shown(twice, twice).sure) == "KH 10D 9C"
    pinochle = shown(twice, twice, deck=get_deck("pinochle"), expected=4)
    assert codes(pinochle.sure) == "KH 10D 9C 9C"
    assert pinochle.is_whole


def test_what_is_not_in_the_deck_is_not_in_the_hand():
    assert codes(shown(*[fan("9C 2S KH")] * 2, deck=get_deck("pinochle")).sure) == "KH 9C"


def test_other_cards_take_the_place_of_what_was_shown_first():
    hand = shown(*[fan("2C 3C 4C 5C 6C")] * 4, *[fan(FIVE)] * 24, expected=5)
    assert codes(hand.sure) == SORTED


def test_it_says_for_how_many_frames_nothing_has_changed():
    assert shown(*[fan(FIVE)] * 5, expected=5).steady == 3
    assert shown(*[fan(FIVE)] * 5, fan(FIVE + " 8S"), expected=6).steady == 0


def test_frames_without_cards_say_nothing():
    hand = shown(fan(FIVE), Reading((4, 4)), fan(FIVE), expected=5)
    assert (hand.frames, hand.is_whole) == (2, True)
    assert not shown(Reading((4, 4))).is_whole


NAMES = st.lists(st.sampled_from([str(one) for one in STANDARD.cards[:14]]), max_size=9)


@given(
    frames=st.lists(st.tuples(NAMES, NAMES), max_size=8),
    expected=st.none() | st.integers(1, 12),
    pinochle=st.booleans(),
)
def test_a_hand_keeps_its_promises(frames, expected, pinochle):
    deck = get_deck("pinochle") if pinochle else STANDARD
    readings = [
        fan(" ".join(sure), [read(name, 0.5) for name in doubtful]) for sure, doubtful in frames
    ]
    hand = shown(*readings, expected=expected, deck=deck)
    cards = [one.card for one in hand.cards]
    assert cards == sorted(cards)
    assert all(count <= deck.counts[one] for one, count in Counter(cards).items())
    assert expected is None or len(cards) <= expected
    accepted = Counter(one for sure, _ in frames for one in set(sure))
    assert all(accepted[str(one)] >= 2 for one in hand.sure)
    assert all(0 <= one.confidence <= 1 for one in hand.cards)
    if hand.is_whole:
        assert len(hand.sure) == len(cards) == (expected or len(cards))
