"""The rules of Deduction, sentence by sentence, and its search for contradictions."""

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cards import Family, card, family_cards
from companion.core.events import Event, private, public
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.core.state import FindingKind
from companion.errors import CompanionError
from companion.games.deduction.audit import facts_of, find_witness, knowledge_of
from companion.games.deduction.engine.facts import TileCount
from companion.games.deduction.state import face_name, number_of, read_face
from companion.notepad.facts import CardAt
from tests.companion.seating import NAMES, seated

GAME = get_game("deduction")
#: Eight tiles: two in each of three hands, one up, one missing.
SMALL = tuple(card(code, Family.TILE) for code in ("0S", "AS", "2S", "0M", "AM", "2M", "0C", "AC"))


def tile(code):
    return card(code, Family.TILE)


# -- set-up --------------------------------------------------------------------------------------


def test_too_few_tiles():
    with pytest.raises(CompanionError, match="too few"):
        seated(GAME, players=3, deck=SMALL[:3])


@pytest.mark.parametrize(
    ("text", "face"),
    [
        ("Suns", "Suns"),
        ("sun", "Suns"),
        ("Arms", "Shields"),
        ("Blank", "Blank"),
        ("null", "Blank"),
        ("0", "Blank"),
        ("aces", "Ace"),
        ("3s", "3"),
        ("3's", "3"),
        ("5", "5"),
    ],
)
def test_what_can_be_asked_about(text, face):
    assert read_face(text) == face


@pytest.mark.parametrize("text", ["6", "Stars", "", "3S", "10"])
def test_what_cannot_be_asked_about(text):
    with pytest.raises(CompanionError, match="is none of"):
        read_face(text)


def test_numbers_of_a_face_in_words():
    face = tile("4?")
    assert [number_of(n, face) for n in (0, 1, 2, 9)] == ["no 4s", "one 4", "two 4s", "9 4s"]
    assert number_of(1, tile("?C")) == "one Crown"
    assert face_name(tile("0?")) == "Blank"


# -- sightings -----------------------------------------------------------------------------------


def test_a_coin_with_one_face_seen_could_be_any_that_has_it():
    desk = seated(GAME, players=3)
    whole = desk.proposals(SeenCard(card("3S", Family.COIN), "coin", 0.9))
    assert [p.event.args[0].code for p in whole] == ["3S"]
    half = desk.proposals(SeenCard(card("3?", Family.COIN), "coin", 0.8))
    assert [p.event.args[0].code for p in half] == ["3S", "3M", "3C", "3H"]
    assert half[0].confidence == pytest.approx(0.2)


def test_a_coin_turned_over_is_known_by_both_faces():
    desk = seated(GAME, players=3)
    value, suit = (card(code, Family.COIN) for code in ("3?", "?S"))
    for face, other in ((value, suit), (suit, value)):
        (whole,) = desk.proposals(SeenCard(face, "coin", 0.98, upon=(other, 0.99)))
        assert whole.event.args[0].code == "3S"
        assert whole.confidence == pytest.approx(0.98)
        # A face that was not sure by itself makes the coin less so.
        (whole,) = desk.proposals(SeenCard(face, "coin", 0.98, upon=(other, 0.9)))
        assert whole.confidence == pytest.approx(0.98 * 0.9)
    two_values = SeenCard(value, "coin", upon=(card("4?", Family.COIN), 0.99))
    assert len(desk.proposals(two_values)) == 4


# -- the search ----------------------------------------------------------------------------------


def deals(deck, players=3, size=2):
    """Every deal of a small deck as hands, tiles up and the missing one (with repetitions)."""
    seen = set()
    for order in permutations(deck):
        hands = tuple(frozenset(order[seat * size : (seat + 1) * size]) for seat in range(players))
        deal = (*hands, frozenset(order[players * size : -1]), frozenset(order[-1:]))
        if deal not in seen:
            seen.add(deal)
            yield deal


DEALS = list(deals(SMALL))


def holds(fact, deal, players):
    places = (*players, "face up", "the missing tile")
    if isinstance(fact, CardAt):
        return (fact.card in deal[places.index(fact.place)]) == fact.holds
    assert isinstance(fact, TileCount)
    number = sum(map(fact.what.matches, deal[places.index(fact.player)]))
    return fact.low <= number <= fact.high


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_an_answer_is_called_impossible_exactly_when_no_deal_fits(seed):
    rng = random.Random(seed)
    desk = seated(GAME, players=3, deck=SMALL)
    coins = [c for c in family_cards(Family.COIN) if c.suit in "SMC" and c.rank < 3]
    for _ in range(6):
        seat = desk.state.table.to_move
        other = rng.choice([s for s in range(3) if s != seat])
        coin = rng.choice(coins)
        desk.accept(public(seat, "coin", coin))
        what = rng.choice([e for e in GAME.legal(desk.state, seat) if e.args[1] == "count"]).args
        desk.accept(public(seat, "ask", other, "count", what[2]))
        before = knowledge_of(desk.state)
        entry = desk.accept(public(other, "number", rng.choice((0, 1, 1, 2))))
        question = desk.state.questions[-1]
        fact = TileCount(
            player=NAMES[other], what=question.face, low=question.number, high=question.number
        )
        facts = (*before.facts, fact)
        possible = any(all(holds(f, deal, NAMES[:3]) for f in facts) for deal in DEALS)
        assert [f.kind.value for f in entry.findings] == ([] if possible else ["impossible"])
        desk.accept(public(seat, "done"))
    witness, possible = find_witness(desk.state)
    assert possible
    deck = desk.state.deck
    deal = [frozenset(t for i, t in enumerate(deck) if mask >> i & 1) for mask in witness]
    assert all(holds(fact, deal, NAMES[:3]) for fact in facts_of(desk.state))


# -- playouts ------------------------------------------------------------------------------------


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_exactly_the_lies_are_named_when_all_hands_are_turned_up(seed):
    rng = random.Random(seed)
    desk = seated(GAME, players=4)
    world = GAME.deal(desk.state, rng)
    desk.accept(public(None, "up", world.up))
    lies = []
    for _ in range(10):
        seat = desk.state.table.to_move
        desk.accept(public(seat, "coin", rng.choice(family_cards(Family.COIN))))
        desk.accept(rng.choice(list(GAME.legal(desk.state, seat))))
        question = desk.state.question
        number = sum(map(question.face.matches, world.hands[question.of]))
        lie = rng.random() < 0.2
        if question.count:
            said = number + lie * (rng.choice((-1, 1)) if number else 1)
            entry = desk.accept(public(question.of, "number", said))
        else:
            yes = (number > 0) != lie
            entry = desk.accept(public(question.of, "yes" if yes else "no"))
            if yes:
                desk.accept(private(question.of, "show", tile("??"), other=question.by))
        if lie:
            lies.append(entry.n)
        desk.accept(public(seat, "done"))
    desk.accept("table: agree")
    for seat in range(4):
        desk.accept(Event("reveal", (world.hands[seat],), seat))
    found = desk.state.findings
    assert sorted(f.event for f in found if f.kind is FindingKind.FALSE_ANSWER) == lies
    assert lies or not found
