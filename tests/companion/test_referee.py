import pytest

from companion.cards import card
from companion.core.events import public
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import CompanionError, IllegalError, UnreadableError

GAME = get_game("precognition")
SMALL = tuple(card(code) for code in ("AS", "2S", "3S", "4S"))


@pytest.fixture
def referee():
    """Two players with two cards each."""
    return Referee(GAME, GAME.setup(["Ann", "Bo"], cards=SMALL))


def lines(referee, *texts):
    return [referee.accept(text) for text in texts]


def test_refused_events_are_not_recorded_by_accept_but_by_submit(referee):
    with pytest.raises(IllegalError, match="Ann's turn"):
        referee.accept("Bo: place AS")
    assert referee.log == ()
    entry = referee.submit("Bo: place AS")
    assert (entry.n, entry.applied) == (1, False)
    assert isinstance(entry.error, IllegalError)
    assert isinstance(referee.submit("gibberish").error, UnreadableError)
    assert referee.submit("Ann: place AS").n == 3


def test_undo_and_redo_stay_in_the_log(referee):
    lines(referee, "Ann: place AS", "Bo: place 2S", "table: undo", "table: undo", "table: redo")
    assert [c.code for c in referee.state.row] == ["AS"]
    assert len(referee.log) == 5
    referee.redo()
    assert [c.code for c in referee.state.row] == ["AS", "2S"]
    with pytest.raises(IllegalError, match="could be restored"):
        referee.redo()


def test_something_new_ends_redoing(referee):
    lines(referee, "Ann: place AS", "table: undo", "Ann: place 2S")
    with pytest.raises(IllegalError):
        referee.redo()


def test_correct_in_place_reports_what_no_longer_fits(referee):
    lines(referee, "Ann*: predict UD", "Ann: place AS", "Bo: place 2S", "Ann: place 3S")
    entry = referee.accept("table: correct 2 Ann: place 4S")
    assert entry.unfit == ()
    assert referee.state.changes == "DU"
    with pytest.raises(IllegalError, match="Ann's turn"):
        referee.accept("table: correct 2 Bo: place 4S")
    entry = referee.accept("table: correct 2 table: agree")
    assert entry.unfit == (3, 4)
    entry = referee.accept("table: correct 2 Ann: place AS")
    assert entry.unfit == ()
    assert referee.state.changes == "UU"


def test_undo_takes_back_a_correction_and_redo_restores_it(referee):
    lines(referee, "Ann: place AS", "Bo: place 2S")
    before = referee.state
    lines(referee, "table: correct 1 table: agree")
    after = referee.state
    assert after.table.over
    assert [node.event.n for node in referee.nodes if node.error] == [2]
    referee.undo()
    assert referee.state == before
    assert not any(node.error for node in referee.nodes)
    referee.redo()
    assert referee.state == after
    referee.undo()
    referee.undo()
    referee.undo()
    assert referee.state == GAME.initial(referee.setup)


def test_a_refused_line_can_be_corrected_into_its_place(referee):
    referee.submit_all(["Ann: place ZZ", "Bo: place 2S", "Ann: place AS", "Bo: place 2S"])
    referee.accept("table: correct 1 Ann: place 3S")
    assert [c.code for c in referee.state.row] == ["3S", "2S"]
    assert [node.event.n for node in referee.nodes if node.error] == [3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table: correct 9 Ann: place AS", "no such event"),
        ("table: correct 0 Ann: place AS", "no such event"),
        ("table: correct 3 Ann: place AS", "“undo” cannot be corrected"),
        ("table: correct 2 Bo: place 3S", "was taken back"),
        ("Ann*: correct 1 Ann: place 3S", "no such event"),
        ("table: correct 1 Ann*: predict U", "no such event"),
        ("Ann: undo", "Write “table: undo”"),
    ],
)
def test_corrections_that_are_refused(referee, text, message):
    lines(referee, "Ann: place AS", "Bo: place 2S", "table: undo")
    with pytest.raises(CompanionError, match=message):
        referee.accept(text)


def test_findings_stand_once_a_card(referee):
    lines(referee, "Ann: place AS")
    verdict = referee.propose(public(1, "place", card("AS")))
    assert verdict.error is None
    assert "seen twice" in verdict.findings[0].message
    assert len(referee.log) == 1
    entry = referee.accept("Bo: place AS")
    assert [f.kind.value for f in entry.findings] == ["duplicate-card"]
    assert referee.accept("Ann: place AS").findings == ()


def test_an_open_hand_is_kept_from_the_others(referee):
    lines(referee, "Ann*: hand AS 2S", "Ann: place AS")
    entry = referee.accept("Bo: place 2S")
    assert [f.kind.value for f in entry.findings] == ["duplicate-card"]
    assert len(referee.view(0).findings) == 1
    assert referee.view(1).findings == ()
    assert referee.view(None).findings == ()
    assert "2S" not in str(referee.view(1).as_dict()["log"][:2])


def test_asking_first_tells_no_secret(referee):
    lines(referee, "Ann*: hand AS 2S", "Ann: place AS")
    assert referee.propose(referee.parse("Bo: place 2S")).findings == ()


def test_a_trusting_player_records_the_hand_first():
    referee = Referee(GAME, GAME.setup(["Ann", "Bo"], trusted=(True, False), cards=SMALL))
    with pytest.raises(IllegalError, match=r"Ann\*: hand CARDS"):
        referee.accept("Ann: place AS")
    lines(referee, "Ann*: hand AS 2S", "Ann: place AS", "Bo: place 3S")


def test_the_record_comes_before_the_announcement():
    kept = []

    def record(entry):
        if len(kept) == 2:
            raise OSError("disk full")
        kept.append(entry)

    referee = Referee(GAME, GAME.setup(["Ann", "Bo"], cards=SMALL), record=record)
    referee.accept("Ann: place AS")
    referee.submit("nonsense")
    state = referee.state
    with pytest.raises(OSError, match="disk full"):
        referee.accept("Bo: place 2S")
    assert referee.state is state
    assert list(referee.log) == kept


def test_sightings_become_judged_proposals(referee):
    seen = SeenCard(card("AS"), "row", 0.9, ((card("4S"), 0.05),))
    first, second = referee.proposals(seen)
    assert first.event == public(0, "place", card("AS"))
    assert first.is_clean
    assert second.confidence == 0.05
    assert referee.proposals(SeenCard(card("AS"), "elsewhere")) == ()
    joker = referee.proposals(SeenCard(card("JK1"), "row"))
    assert isinstance(joker[0].error, IllegalError)
