import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import (
    Colour,
    Family,
    card,
    family_cards,
    format_cards,
    of_rank,
    parse_card,
    parse_cards,
    unknown,
)
from companion.errors import UnreadableError


@pytest.mark.parametrize(
    ("family", "count"),
    [(Family.STANDARD, 54), (Family.TILE, 24), (Family.COIN, 24), (Family.SUSPENSE, 13)],
)
def test_every_card_round_trips_and_is_interned(family, count):
    cards = family_cards(family)
    assert len(cards) == len(set(cards)) == count
    for c in (*cards, unknown(family)):
        assert parse_card(c.code, family) is c
        assert parse_card(c.code.lower(), family) is c
        assert pickle.loads(pickle.dumps(c)) is c
        assert copy.deepcopy(c) is c
    for c in cards:
        assert parse_card(c.name, family) is c


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("as", "AS"), ("T♠", "10S"), ("10h", "10H"), ("ten of hearts", "10H"), ("♥10", "10H"),
        ("7", "7?"), ("1", "A?"), ("Q?", "Q?"), ("joker", "JK"), ("jk", "JK"), ("joker 2", "JK2"),
        ("club 9", "9C"), ("the queen of spades", "QS"), ("1d", "AD"), ("knave of clubs", "JC"),
        ("??", "??"), ("ace", "A?"), ("TD", "10D"), ("Herz-10", "10H"), ("Pik Dame", "QS"),
        ("a♥\ufe0f", "AH"), ("a s", "AS"), ("10 ♥", "10H"), ("a seven of hearts", "7H"),
    ],
)  # fmt: skip
def test_standard_spellings(text, code):
    assert parse_card(text).code == code


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("2s3h10d", "2S 3H 10D"), ("2♠3♥", "2S 3H"), ("tHqS", "10H QS"), ("10C;9C", "10C 9C"),
        ("7 of clubs and 8 of clubs", "7C 8C"), ("Q S 7 H a s", "QS 7H AS"),
        ("Karo-Ass, Kreuz-Bube und Herz-König", "AD JC KH"), ("♥\ufe0fA ♠\ufe0f10", "AH 10S"),
    ],
)  # fmt: skip
def test_lists_as_people_write_them(text, codes):
    assert format_cards(parse_cards(text)) == codes


def test_pieces_in_a_row():
    assert format_cards(parse_cards("0SAM5h", Family.TILE)) == "0S AM 5H"
    assert format_cards(parse_cards("w1b2!", Family.SUSPENSE)) == "W1 B2 !"


@pytest.mark.parametrize("text", ["JK2S", "H 10", "2s3", "10S x", "7 S S"])
def test_what_could_be_two_things_is_none(text):
    with pytest.raises(UnreadableError):
        parse_cards(text)


@given(st.lists(st.sampled_from(family_cards(Family.STANDARD)[:52]), min_size=1), st.booleans())
def test_codes_are_read_with_and_without_anything_between_them(cards, is_short):
    text = "".join(c.code for c in cards)
    assert parse_cards(text.replace("10", "T") if is_short else text) == tuple(cards)


@pytest.mark.parametrize(
    ("text", "code"),
    [("0s", "0S"), ("Blank of Shields", "0H"), ("null of arms", "0H"), ("three of Moons", "3M"),
     ("am", "AM"), ("1C", "AC"), ("5 of crowns", "5C"), ("3", "3?"), ("?s", "?S")],
)  # fmt: skip
def test_piece_spellings(text, code):
    assert parse_card(text, Family.TILE).code == code
    assert parse_card(text, Family.COIN).code == code


@pytest.mark.parametrize(("text", "code"), [("w4", "W4"), ("black six", "B6"), ("!", "!")])
def test_suspense_spellings(text, code):
    assert parse_card(text, Family.SUSPENSE).code == code


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("", Family.STANDARD),
        ("11S", Family.STANDARD),
        ("ZZ", Family.STANDARD),
        ("AM", Family.STANDARD),
        ("6S", Family.TILE),
        ("W7", Family.SUSPENSE),
        ("JK3", Family.STANDARD),
    ],
)
def test_no_such_card(text, family):
    with pytest.raises(UnreadableError, match="is no"):
        parse_card(text, family)


def test_lists():
    cards = parse_cards("AS, ten of hearts 7?  ♣K the queen of clubs")
    assert format_cards(cards) == "AS 10H 7? KC QC"
    assert parse_cards("") == ()
    with pytest.raises(UnreadableError, match="“xx”"):
        parse_cards("AS xx")


@given(st.lists(st.sampled_from(family_cards(Family.STANDARD))))
def test_lists_round_trip(cards):
    assert list(parse_cards(format_cards(cards))) == cards


def test_properties():
    assert card("KD").rank == 13
    assert card("KD").colour is Colour.RED
    assert card("W3", Family.SUSPENSE).colour is Colour.WHITE
    assert card("!", Family.SUSPENSE).colour is None
    assert card("!", Family.SUSPENSE).rank == 0
    assert card("JK1").identity is card("JK2").identity is card("JK")
    assert card("JK1") is not card("JK2")
    assert of_rank(7).code == "7?"
    assert sorted([card("JK1"), card("2C"), card("KS")]) == [card("KS"), card("2C"), card("JK1")]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("7?", "7S", True), ("7?", "8S", False), ("??", "JK1", True), ("JK", "JK2", True),
     ("JK1", "JK2", False), ("7S", "JK", False), ("??", "??", True), ("AS", "AH", False)],
)  # fmt: skip
def test_matches(one, other, expected):
    assert card(one).matches(card(other)) is expected
    assert card(other).matches(card(one)) is expected


def test_the_exclamation_mark_stands_for_itself_in_a_list():
    cards = parse_cards("W4 B3 ! B2 white 4", Family.SUSPENSE)
    assert [c.code for c in cards] == ["W4", "B3", "!", "B2", "W4"]
