"""The rules of Gotcha, sentence by sentence, and its search for contradictions."""

import random
import re
from functools import partial
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cards import RANKS, Family, card, family_cards
from companion.core.events import Event, public
from companion.core.registry import get_game
from companion.errors import CompanionError, HiddenError
from companion.games.gotcha.bots import candidates
from companion.games.gotcha.engine.fit import ALL_RANKS, HiddenHand, find_hands
from companion.games.gotcha.state import place_words
from companion.notepad.base import open_notepad
from tests.companion.seating import seated

GAME = get_game("gotcha")
DECK = tuple(c for c in family_cards(Family.STANDARD) if not c.is_joker)


referee = partial(seated, GAME)


def found(desk):
    return [(f.event, f.kind.value) for f in desk.state.findings]


# -- set-up --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "deal", "dealt", "kept", "stock"),
    [
        (2, None, 26, 20, 0),
        (2, "20", 20, 20, 12),
        (2, "20-5", 20, 15, 12),
        (3, None, 17, 16, 1),
        (4, None, 13, 12, 0),
        (5, None, 10, 9, 2),
        (5, "10", 10, 10, 2),
        (2, "1", 1, 1, 50),
    ],
)
def test_deal(players, deal, dealt, kept, stock):
    options = {} if deal is None else {"deal": deal}
    desk = referee(players=players, **options)
    state = desk.state
    assert (state.dealt, state.kept, GAME.hand_size(state, 0)) == (dealt, kept, dealt)
    zones = {zone.name: zone for zone in GAME.zones(state)}
    assert len(zones["stock"].cards) == stock
    # What cannot be guessed is not among the cards held.
    assert all(len(zones[f"hand:{i + 1}"].cards) == kept for i in range(players))
    if dealt > kept:
        assert all(len(zones[f"discard:{i + 1}"].cards) == dealt - kept for i in range(players))
    desk.accept("Ann: guess Bo smallest 1 is A")
    zones = {zone.name: zone for zone in GAME.zones(desk.state)}
    assert all(len(zones[f"hand:{i + 1}"].cards) == kept for i in range(players))
    assert sum(len(zone.cards) for zone in zones.values()) == 52


@pytest.mark.parametrize("deal", ["27", "26-26", "5-6", "0", "-3", "x", "10-", "1-2-3", "100"])
def test_deals_that_cannot_be(deal):
    with pytest.raises(CompanionError):
        referee(deal=deal)


def test_a_deck_of_ones_own_can_be_too_small():
    with pytest.raises(CompanionError, match="cannot be dealt from 8 cards"):
        referee(deck=DECK[:8], deal="5")


def test_places_in_words():
    words = [place_words(x, smallest=True).split()[0] for x in (1, 2, 3, 4, 11, 12, 13, 21)]
    assert words == ["smallest", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]


def play(desk, *pairs):
    for asked, answer in pairs:
        desk.accept(asked)
        desk.accept(answer)


def test_wrong_answers_alone_can_be_impossible():
    desk = referee(deal="1")
    for rank in RANKS:
        desk.accept(f"Ann: guess Bo smallest 1 is {rank}")
        desk.accept("Bo: wrong")
        desk.accept("Bo: guess Ann smallest 1 is A")
        desk.accept("Ann: wrong")
    assert found(desk) == [(50, "impossible")]
    assert desk.state.findings[0].message.count("is not a") >= 12


def test_asking_before_recording_tells_the_same():
    desk = referee(deal="4")
    play(desk, ("Ann: guess Bo smallest 2 is 9", "Bo: right 9S"))
    desk.accept("Ann: guess Bo smallest 1 is J")
    verdict = desk.propose(public(1, "right", card("JS")))
    assert [f.kind.value for f in verdict.findings] == ["impossible"]
    assert desk.propose(public(1, "wrong")).findings == ()


# -- the search ----------------------------------------------------------------------------------


#: Two of these in each of three hands, two left over.
SMALL = tuple(card(f"{rank}{suit}") for rank in "A234" for suit in "SH")
DEALS = [
    (one, two, three)
    for one in combinations(SMALL, 2)
    for two in combinations([c for c in SMALL if c not in one], 2)
    for three in combinations([c for c in SMALL if c not in (*one, *two)], 2)
]


def fits(deal, answers):
    """Whether answers (seat, place from below, rank, card shown or None) are true of a deal."""
    hands = [sorted(hand, key=lambda c: c.rank) for hand in deal]
    for of, x, rank, shown in answers:
        is_there = hands[of][x - 1].rank == rank
        if is_there != (shown is not None) or (shown and shown not in hands[of]):
            return False
        hands[of] = [c for c in hands[of] if c is not shown]
    return True


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_an_answer_is_called_impossible_exactly_when_no_deal_fits(seed):
    rng = random.Random(seed)
    desk = referee(players=3, deck=SMALL, deal="2")
    answers = []
    while not desk.state.table.match_over and len(answers) < 12:
        seat = desk.state.table.to_move
        other = rng.choice([s for s in range(3) if s != seat])
        x, rank = rng.randint(1, desk.state.left(other)), rng.randint(1, 4)
        desk.accept(public(seat, "guess", other, "smallest", x, rank))
        seen = {shown for *_, shown in answers}
        shown = rng.choice([None, None, *(c for c in SMALL if c.rank == rank and c not in seen)])
        answers.append((other, x, rank, shown))
        answer = public(other, "right", shown) if shown else public(other, "wrong")
        entry = desk.accept(answer)
        possible = any(fits(deal, answers) for deal in DEALS)
        assert bool(entry.findings) != possible
        if not possible:
            break


@given(st.randoms(use_true_random=False))
@settings(max_examples=8)
def test_five_whole_hands_are_found_or_refused(rng):
    """Trying hands one after the other took minutes here: all cards are dealt, guesses lie."""
    deck = [rank for rank in range(1, 14) for _ in range(4)]
    rng.shuffle(deck)
    true = [sorted(deck[10 * k : 10 * k + 10]) for k in range(5)]
    pool = (0, *[4] * 13)
    masks = []
    for hand in true:
        row = []
        for rank in hand:
            wrong = {rng.randrange(1, 14) for _ in range(4)} - {rank}
            row.append(ALL_RANKS & ~sum(1 << r for r in wrong))
        masks.append(row)
    hands = tuple(HiddenHand(tuple(row), pool) for row in masks)
    found = find_hands(hands, pool)
    assert found is not None
    for row, ranks in zip(masks, found, strict=True):
        assert all(mask >> rank & 1 for mask, rank in zip(row, ranks, strict=True))
        assert list(ranks) == sorted(ranks)
    assert all(sum(ranks.count(r) for ranks in found) <= 4 for r in range(1, 14))
    # Each hand alone can have the smallest card of the rank, but there are four of them.
    for row in masks:
        row[0] = 1 << 1
    hands = tuple(HiddenHand(tuple(row), pool) for row in masks)
    assert find_hands(hands, pool) is None


# -- playouts ------------------------------------------------------------------------------------


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_a_single_lie_is_found_at_the_reveal_and_nothing_else_is(seed):
    """Somebody answers wrongly once; afterwards all hands are turned up."""
    rng = random.Random(seed)
    desk = referee(deal="6")
    deck = list(DECK)
    rng.shuffle(deck)
    hands = [sorted(deck[:6], key=lambda c: c.rank), sorted(deck[6:12], key=lambda c: c.rank)]
    lie = rng.randrange(12)
    lied = None
    for turn in range(12):
        if desk.state.table.over:
            break
        seat = desk.state.table.to_move
        other = 1 - seat
        x = rng.randint(1, len(hands[other]))
        rank = rng.choice([hands[other][x - 1].rank, rng.randint(1, 13)])
        desk.accept(public(seat, "guess", other, "smallest", x, rank))
        true_card = hands[other][x - 1]
        if true_card.rank == rank and turn != lie:
            desk.accept(public(other, "right", true_card))
            hands[other].remove(true_card)
        else:
            entry = desk.accept(public(other, "wrong"))
            if true_card.rank == rank:
                lied = entry.n
    if not desk.state.table.over:
        desk.accept("table: agree")
    for seat in (0, 1):
        if hands[seat]:
            desk.accept(Event("reveal", (tuple(hands[seat]),), seat))
    false = [event for event, kind in found(desk) if kind == "false-answer"]
    if lied is None:
        assert found(desk) == []
    else:
        assert false == [lied]


def test_bots_know_only_what_their_seat_knows():
    desk = referee(deal="4", deck=DECK[::6])
    desk.submit_all(["Ann*: hand AS 7S KS 6H", "Bo*: hand QH 5D JD 4C"])
    options = candidates(desk.knowledge(0), 0)
    rows = open_notepad(GAME, desk.view(0)).chances()["positions"]["Bo"]
    listed = {
        (1, x, rank): row[RANKS[rank - 1]]
        for x, row in enumerate(rows, 1)
        for rank in range(1, 14)
        if RANKS[rank - 1] in row
    }
    assert {tuple(found): chance for *found, chance in options} == pytest.approx(listed)
    ranks = {rank for _, _, rank, _ in options}
    assert ranks == {card(code).rank for code in ("QH", "5D", "JD", "4C", "10C")}


# -- a right answer that names no suit -------------------------------------------------------------


def test_a_second_correction_does_not_try_out_what_a_hand_holds():
    """Found by probing: lines that do not fit already fitted again, or not, by a hidden card."""
    for hand in ("4S 5H 8C JD QD", "2C 4C 8S 9S 10D"):
        desk = referee(
            f"Ann*: hand {hand}", "Bo*: hand 4D 7H 7C 9S KD", "Ann: guess Bo smallest 1 is 10",
            "Bo: wrong", "Bo: gotcha Ann biggest 2 is 3", "Ann: wrong",
            "table: correct 5 Ann: reveal 9S", deal="5", trusted=True,
        )  # fmt: skip
        true = "9" if "9S" in hand else "J"
        with pytest.raises(HiddenError) as told:
            desk.accept(f"table: correct 5 Bo: gotcha Ann biggest 2 is {true}")
        assert not re.search(r"\d", told.value.message)
