import pytest

from companion.cards import card
from companion.decks import deck_names, get_deck
from companion.errors import UsageError


@pytest.mark.parametrize("name", deck_names())
def test_each_deck_is_whole(name):
    deck = get_deck(name)
    assert len(set(deck.cards)) == len(deck.cards)
    assert {c.family for c in deck.cards} == {deck.family}
    ranks = {c.rank for c in deck.cards if c.rank is not None}
    assert set(deck.alphabet.values()) == ranks
    for rank in ranks:
        assert all(deck.rank_of(glyph) == rank for glyph in deck.glyphs_of(rank))


@pytest.mark.parametrize(
    ("deck", "glyph", "rank"),
    [("french", "V", 11), ("dutch", "V", 12), ("german", "B", 11), ("russian", "В", 11),
     ("standard", "V", None), ("nordic", "Kn", 11), ("standard", "10", 10)],
)  # fmt: skip
def test_the_deck_says_what_a_glyph_means(deck, glyph, rank):
    assert get_deck(deck).rank_of(glyph) == rank


def test_cards_by_rank_and_suit():
    deck = get_deck()
    assert deck.card(10, "H") is card("10H")
    assert deck.card(14, "H") is None
    assert [c.code for c in deck.jokers] == ["JK1", "JK2"]


def test_unknown_deck_lists_the_others():
    with pytest.raises(UsageError, match="piecepack-tiles"):
        get_deck("tarot")


def test_a_pinochle_deck_has_two_of_each_card_from_nine_to_ace():
    deck = get_deck("pinochle")
    assert deck.whole == 48
    assert set(deck.counts.values()) == {2}
    assert {c.rank_text for c in deck.cards} == {"9", "10", "J", "Q", "K", "A"}
    assert not deck.jokers


def test_two_packs_have_each_card_twice_and_four_jokers():
    deck = get_deck("two-packs")
    assert deck.whole == 104
    assert set(deck.counts.values()) == {2}
    assert set(deck.counts) == set(get_deck().cards)


def test_of_other_decks_each_card_is_there_once():
    deck = get_deck()
    assert deck.whole == 52
    assert sum(deck.counts.values()) == len(deck.cards) == 54
