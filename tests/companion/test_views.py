from pathlib import Path

import pytest

from companion.cards import card
from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.errors import IllegalError
from mobile.kept.page import page

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


def test_a_line_that_was_taken_back_and_restored_stands_as_before(referee):
    referee.accept("Ann: place AS")
    before = referee.view(1).log[0]
    referee.undo()
    assert [line.undone for line in referee.view(1).log] == [True, False]
    referee.redo()
    assert referee.view(1).log[0] == before


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


@pytest.mark.parametrize(
    "text", ["table: correct 1 Ann*: predict DD", "table: correct 1 predict DD"]
)
def test_a_secret_in_a_correction_written_openly_is_shown_to_its_readers_only(referee, text):
    referee.accept("Ann*: predict UD")
    referee.submit(text)
    referee.submit("Bo: place 2S")
    assert texts(referee, 0)[1] == (2, "table: correct 1 Ann*: predict DD")
    for viewer in (1, None):
        assert texts(referee, viewer) == [(1, "Ann*: predict …"), (2, "Bo: place 2S")]
        assert "predict DD" not in page(referee.match_text(), viewer)
    assert "predict DD" in page(referee.match_text(), 0)


def test_nobody_reads_a_correction_of_one_players_secret_by_another(referee):
    referee.accept("Ann*: predict UD")
    referee.submit("Bo*: correct 1 Ann*: predict DD")
    for viewer in (None, 0, 1):
        assert len(referee.view(viewer).log) == 1


def test_the_refusal_of_a_correction_names_no_reader_and_no_number(referee):
    referee.submit("Ann*: hand AS")  # refused, so that numbers and steps differ
    referee.accept("Ann*: predict UD")
    for text in ("table: correct 2 Ann: place AS", "table: correct 7 Ann: place AS"):
        referee.submit(text)
    of_a_secret, of_nothing = (line.error for line in referee.view(1).log[-2:])
    assert of_a_secret == of_nothing
    referee.accept("Ann: place AS")
    referee.undo()
    for text in ("table: correct 5 Ann: place 2S", "table: correct 6 Ann: place 2S"):
        referee.submit(text)
    errors = [line.error for line in referee.view(1).log[-2:]]
    assert errors == [
        "That event was taken back: restore it first.",
        "“undo” cannot be corrected.",
    ]


def test_an_unreadable_line_mended_in_public_shows_up(referee):
    referee.submit("Ann: place XX")
    referee.accept("table: correct 1 Ann: place 3S")
    for viewer in (None, 0, 1):
        assert [c.code for c in referee.view(viewer).state.row] == ["3S"]
    assert referee.number_of(None, 1) == 1


def test_correcting_a_note_nobody_knows_of_is_refused_as_if_it_were_not_there():
    game = get_game("missing-persons")
    path = Path(__file__).parents[1] / "golden" / "missing-persons" / "cryptic-and-false.txt"
    match = read_match(path.read_text("utf-8"))
    number = next(line.n for line in match.events if line.event.verb == "sketch")
    assert not game.verbs["sketch"].announced
    noted = Referee(game, match.setup)
    for line in match.events[: number - 1]:
        noted.submit_line(line)
    other = Referee.of(noted.match_text())
    assert noted.submit_line(match.events[number - 1]).applied
    errors = []
    for desk in (noted, other):
        desk.submit(f"table: correct {number} Bo: yes")
        errors.append(desk.view(0).log[-1].error)
    noted.undo()  # takes back the note
    noted.submit(f"table: correct {number} Bo: yes")
    errors.append(noted.view(0).log[-1].error)
    assert "no such event" in errors[0]
    assert errors == [errors[0]] * 3


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
