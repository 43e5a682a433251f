"""The referee and its views, where an example in notation (rules/core.txt) does not say enough."""

from pathlib import Path

import pytest

from companion.cards import card
from companion.core.events import public
from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import get_game
from companion.core.sightings import SeenCard
from companion.errors import IllegalError, UnreadableError

GAME = get_game("precognition")
SMALL = tuple(card(code) for code in ("AS", "2S", "3S", "4S"))


@pytest.fixture
def referee():
    """Two players with two cards each."""
    return Referee(GAME, GAME.setup(["Ann", "Bo"], cards=SMALL))


def test_refused_events_are_not_recorded_by_accept_but_by_submit(referee):
    with pytest.raises(IllegalError, match="Ann's turn"):
        referee.accept("Bo: place AS")
    assert referee.log == ()
    entry = referee.submit("Bo: place AS")
    assert (entry.n, entry.applied) == (1, False)
    assert isinstance(entry.error, IllegalError)
    assert isinstance(referee.submit("gibberish").error, UnreadableError)
    assert referee.submit("Ann: place AS").n == 3


def test_findings_stand_once_a_card(referee):
    referee.accept("Ann: place AS")
    verdict = referee.propose(public(1, "place", card("AS")))
    assert verdict.error is None
    assert "seen twice" in verdict.findings[0].message
    assert len(referee.log) == 1
    entry = referee.accept("Bo: place AS")
    assert [f.kind.value for f in entry.findings] == ["duplicate-card"]
    assert referee.accept("Ann: place AS").findings == ()


def test_asking_first_tells_no_secret(referee):
    referee.submit_all(["Ann*: hand AS 2S", "Ann: place AS"])
    assert referee.propose(referee.parse("Bo: place 2S")).findings == ()


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


# -- views ----------------------------------------------------------------------------------------


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
