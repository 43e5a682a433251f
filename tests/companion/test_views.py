import pytest

from companion.cards import card
from companion.errors import IllegalError
from companion.referee import Referee
from companion.registry import get_game

GAME = get_game("precognition")
SMALL = tuple(card(code) for code in ("AS", "2S", "3S", "4S"))


@pytest.fixture
def referee():
    return Referee(GAME, GAME.setup(["Ann", "Bo"], cards=SMALL))


def texts(referee, viewer):
    return [(line.step, line.text) for line in referee.view(viewer).log]


def test_others_see_that_but_not_what(referee):
    referee.accept("Ann*: hand AS 2S")
    referee.accept("Ann*: predict UD")
    assert texts(referee, 0) == [(1, "Ann*: hand AS 2S"), (2, "Ann*: predict UD")]
    assert (
        texts(referee, 1) == texts(referee, None) == [(1, "Ann*: hand …"), (2, "Ann*: predict …")]
    )
    assert referee.view(1).state.hands == (None, None)
    assert referee.view(1).state.predictions[0].text is None


def test_predictions_are_disclosed_at_the_end_and_hidden_again_by_undo(referee):
    for text in ("Ann*: predict UD", "Bo*: predict U", "table: row AS 2S 3S 4S"):
        referee.accept(text)
    assert texts(referee, 1)[0] == (1, "Ann*: predict UD")
    assert referee.view(1).state.predictions[0].text == "UD"
    assert referee.view(None).table.winners == (1,)
    referee.undo()
    assert texts(referee, 1)[0] == (1, "Ann*: predict …")
    assert referee.view(1).state.predictions[0].text is None


def test_refused_and_unreadable_secrets_are_nobody_elses(referee):
    referee.submit("Ann*: hand AS 2S 3S")
    referee.submit("Ann*: hand AS XX")
    referee.submit("Bo: place 2S")
    referee.accept("Ann: place AS")
    assert texts(referee, 1) == [(1, "Bo: place 2S"), (2, "Ann: place AS")]
    assert referee.view(1).log[0].error == "It is Ann's turn."
    assert referee.number_of(1, 2) == 4
    assert len(referee.view(0).log) == 3


def test_steps_tell_nothing_of_unseen_lines(referee):
    other = Referee(GAME, referee.setup)
    referee.submit("Ann*: hand AS")
    for desk in (referee, other):
        for text in ("Ann: place AS", "Bo: place AS", "table: undo"):
            desk.accept(text)
    assert referee.view(1) == other.view(1)
    assert referee.view(1).undo_depth == 1


def test_corrections_name_the_viewers_own_steps(referee):
    referee.submit("Ann*: hand AS")
    referee.accept("Ann: place AS")
    referee.accept("table: correct 2 Ann: place 3S")
    assert texts(referee, 1)[-1] == (2, "table: correct 1 Ann: place 3S")
    assert [c.code for c in referee.view(1).state.row] == ["3S"]


def test_a_private_correction_stays_private(referee):
    referee.accept("Ann*: predict UD")
    referee.accept("Ann*: correct 1 Ann*: predict DD")
    assert texts(referee, 1) == [(1, "Ann*: predict …"), (2, "Ann*: correct …")]
    assert referee.view(0).state.predictions[0].text == "DD"


def test_an_unreadable_line_mended_in_public_shows_up(referee):
    referee.submit("Ann: place XX")
    referee.accept("table: correct 1 Ann: place 3S")
    for viewer in (None, 0, 1):
        assert [c.code for c in referee.view(viewer).state.row] == ["3S"]
    assert referee.number_of(None, 1) == 1


def test_no_such_seat(referee):
    with pytest.raises(IllegalError, match="no seat 3"):
        referee.view(2)


def test_zones_count_unknown_cards(referee):
    referee.accept("Ann*: hand AS 2S")
    referee.accept("Ann: place AS")
    zones = {zone.name: zone for zone in referee.view(1).zones}
    assert (zones["hand:1"].known, zones["hand:1"].unknown) == (0, 1)
    own = {zone.name: zone for zone in referee.view(0).zones}
    assert [c.code for c in own["hand:1"].cards] == ["2S"]
    assert (own["hand:2"].known, own["hand:2"].unknown) == (0, 2)
