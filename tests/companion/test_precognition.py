"""The rules of Precognition that random play does not reach."""

import pytest

from companion.cards import Family, card, family_cards
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.errors import CompanionError

GAME = get_game("precognition")
DECK = tuple(c for c in family_cards(Family.STANDARD) if not c.is_joker)
SEED_ROW = "2 6 5 4 7 9 7 1 2 2 5 8"


def referee(players=("Ann", "Bo"), cards=12, trusted=False, **options):
    return Referee(GAME, GAME.setup(players, options, trusted=trusted, cards=DECK[:cards]))


def test_a_prediction_may_be_written_with_spaces():
    desk = referee()
    desk.submit_all(["Ann*: predict U d S", "Bo*: predict UD S"])
    assert [p.text for p in desk.state.predictions] == ["UDS", "UDS"]
    with pytest.raises(CompanionError, match="not U, D or S"):
        referee().accept("Ann*: predict U X")


@pytest.mark.parametrize(
    ("players", "hand", "length"), [(2, 26, 52), (3, 17, 51), (5, 10, 50), (7, 7, 49), (26, 2, 52)]
)
def test_deal(players, hand, length):
    names = [f"P{i}" for i in range(players)]
    state = GAME.initial(GAME.setup(names))
    assert (state.hand_size, state.length) == (hand, length)
    assert all(len(zone.cards) == hand for zone in GAME.zones(state) if zone.owner is not None)


@pytest.mark.parametrize("players", [1, 27])
def test_number_of_players(players):
    with pytest.raises(CompanionError, match="2 to 26"):
        GAME.setup([f"P{i}" for i in range(players)])


def test_the_longest_possible_prediction_is_accepted_with_a_warning():
    desk = referee(cards=4)
    assert desk.accept("Ann*: predict UDUD").applied
    assert "can never match" in desk.knowledge(0).remarks[-1]
    assert "can never match" not in " ".join(desk.knowledge(1).remarks)
    with pytest.raises(CompanionError, match="at most 4 letters"):
        desk.accept("Bo*: predict UDUDU")


def test_predictions_on_paper_are_shown_after_the_last_card():
    desk = referee(cards=4)
    with pytest.raises(CompanionError, match="after the last card"):
        desk.accept("Ann: predict U")
    desk.accept("table: row AS 3S 2S 4S")
    assert not desk.state.table.match_over
    desk.accept("Bo: predict UD")
    desk.accept("Ann: predict DD")
    assert desk.state.table.winners == (1,)
    with pytest.raises(CompanionError, match="shown a prediction already"):
        desk.accept("Ann: predict UDU")


def test_a_tie_is_played_off_among_those_who_tied():
    desk = referee(("Ann", "Bo", "Cy"), cards=6)
    desk.submit_all(["Ann*: predict U", "Bo*: predict S", "Cy*: predict U"])
    desk.accept("table: row AS 2S 3S 4S 5S 6S")
    assert desk.state.tied == (0, 2)
    assert (desk.state.table.over, desk.state.table.winners) == (False, ())
    with pytest.raises(CompanionError, match="Ann and Cy"):
        desk.accept("table: playoff Ann Bo")
    desk.accept("table: playoff Cy Ann")
    state = desk.state
    assert (state.seats, state.table.starter, state.hand_size) == ((0, 2), 2, 3)
    with pytest.raises(CompanionError, match="not in this play-off"):
        desk.accept("Bo*: predict U")
    desk.submit_all(["Ann*: predict D", "Cy*: predict DD", "table: row 6S 5S 4S 3S 2S AS"])
    assert desk.state.table.winners == (2,)
    assert desk.state.table.scores == (0, 0, 1)
    assert desk.accept("table: match").applied
    assert (desk.state.table.starter, desk.state.seats) == (0, (0, 1, 2))


@pytest.mark.parametrize(
    ("row", "kinds"),
    [
        ("AS 2S AS 3S", ["duplicate-card"]),
        ("7 7 7 7", []),
        ("?? ?? AS ??", []),
    ],
)
def test_findings_in_a_whole_row(row, kinds):
    desk = referee(cards=4)
    entry = desk.accept(f"table: row {row}")
    assert [f.kind.value for f in entry.findings] == kinds


def test_a_fifth_card_of_a_rank_is_impossible():
    desk = referee(cards=6)
    entry = desk.accept("table: row 7S 7 7 7 7 2")
    assert [f.kind.value for f in entry.findings] == ["impossible"]
    assert "5 cards of rank 7" in entry.findings[0].message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ann: place JK1", "without jokers"),
        ("Ann*: place AS", "Everybody may know"),
        ("table: place AS", "A player does this"),
        ("Ann: row AS 2S 3S 4S", "No single player"),
        ("Ann: hand AS 2S", "Only [A-Z][a-z]+ .*may"),
        ("Ann*Bo: hand AS 2S", r"Ann\*: hand"),
        ("Ann*: hand AS", "dealt 2 cards"),
        ("table: row AS 2S", "has 4 cards, not 2"),
        ("table: match", "not over yet"),
        ("table: playoff Ann Bo", "no tie"),
    ],
)
def test_refusals_say_which_rule(text, message):
    with pytest.raises(CompanionError, match=message):
        referee(cards=4).accept(text)


def test_nothing_more_after_the_end_but_what_comes_late():
    desk = referee(cards=4)
    desk.submit_all(["Ann*: predict U", "Bo*: predict S", "table: row AS 2S 3S 4S"])
    for text in ("Ann: place 5S", "Ann*: hand AS 3S", "table: agree"):
        with pytest.raises(CompanionError, match="over"):
            desk.accept(text)
    assert desk.accept("Bo: reveal 2S 4S").findings[0].kind.value == "duplicate-card"


def test_a_late_hand_lists_cards_that_were_placed():
    cards = tuple(card(code) for code in ("AS", "2S", "3S", "4S"))
    referee = Referee(GAME, GAME.setup(["Ann", "Bo"], cards=cards))
    for line in ("Ann: place AS", "Bo: place 3S"):
        referee.accept(line)
    assert referee.accept("Ann*: hand AS 2S").findings == ()
    assert [c.code for c in referee.state.held[0]] == ["2S"]
    entry = referee.accept("Bo*: hand 2S 4S")
    messages = [finding.message for finding in entry.findings]
    assert any("Bo placed 3S, but Bo's recorded hand (4) has no such card" in m for m in messages)
    assert referee.accept("Ann: place 2S").applied
