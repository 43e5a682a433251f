"""The desk in a terminal: what is typed, who may type it, and what is said."""

import time
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.cli.secret_line import LineEditor
from companion.journal import Journal
from tests.companion.terminal import Terminal


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def desk(data, capsys, monkeypatch):
    """Plays with typed lines; gives back what was printed on both streams."""

    def play(*lines, arguments=("precognition", "--players", "Ann,Bo")):
        typed = iter([*lines, "quit"])
        monkeypatch.setattr("builtins.input", lambda _prompt="": next(typed))
        assert main(["play", *arguments]) == 0
        out = capsys.readouterr()
        return out.out + out.err

    return play


def set_pin(number, seat, pin):
    with Journal() as journal:
        journal.resume(number).set_pin(seat, pin)


@pytest.fixture
def terminal(data):
    """Plays Gotcha in a terminal; gives back all that it was sent."""

    def play(*lines):
        table = Terminal("gotcha", "--players=Ann,Bo")
        table.read()
        for line in (*lines, "quit"):
            table.type(line)
        table.close()
        return table.seen

    return play


# -- secrets ---------------------------------------------------------------------------------------


def edited(keys):
    shown = []
    editor = LineEditor(shown.append, "> ")
    for letter in keys:
        editor.key(letter)
    return editor, "".join(shown)


def test_a_public_line_is_echoed_as_it_is_typed():
    editor, shown = edited("Ann: place 7S\r")
    assert editor.done
    assert editor.text == "Ann: place 7S"
    assert shown == "Ann: place 7S\r\n"


@pytest.mark.parametrize("keys", ["Ann*: hand 7S\r", "Ann *: hand 7S\r", "Ann*Bo: show 7S\r"])
def test_nothing_behind_the_star_is_echoed_and_the_line_is_wiped(keys):
    editor, shown = edited(keys)
    assert editor.text == keys.strip()
    assert "7S" not in shown
    assert shown.endswith("\r\x1b[2K")


def test_mending_a_secret_line_does_not_show_it():
    editor, shown = edited("Ann*: hand 7S\x7f\x7f8H\r")
    assert editor.text == "Ann*: hand 8H"
    assert "hand" not in shown
    editor, shown = edited("Ann*: hand 7S\x15Bo: pass\r")
    assert editor.text == "Bo: pass"
    assert "7S" not in shown


def test_keys_that_are_no_letters_are_passed_over():
    assert edited("\x1b[A\x1b[3~ab\x1b[D\r")[0].text == "ab"
    with pytest.raises(KeyboardInterrupt):
        edited("ab\x03")
    with pytest.raises(EOFError):
        edited("\x04")


def test_to_write_as_somebody_needs_their_pin(desk):
    desk("Ann*: predict UD")
    set_pin(1, 0, "7391")
    go_on = ("--continue", "1")
    told = desk("Ann*: correct 1 Ann*: predict DD", "0000", arguments=go_on)
    assert "Ann's PIN" in told
    assert "not Ann's PIN" in told
    with Journal() as journal:
        assert journal.resume(1).referee.stands == 1


def test_a_mistyped_pin_does_not_lose_the_line_before_it(terminal):
    terminal()
    set_pin(1, 0, "7391")
    resumed = Terminal("--continue", "1")
    resumed.read()
    cards = " ".join(f"{rank}{suit}" for suit in "CD" for rank in (*"A23456789", "10", *"JQK"))
    assert "Ann's PIN" in resumed.type(f"Ann*: hand {cards}")
    assert "not Ann's PIN" in resumed.type("0000")
    time.sleep(1.1)
    assert "PIN" not in resumed.type("7391")
    # After several wrong ones the wait is long: then the line is left.
    told = [resumed.type("Ann*: correct 1 Ann*: hand 2C")]
    for wait in (0, 1, 2, 4):
        time.sleep(wait * 1.05)
        told.append(resumed.type("0000"))
    resumed.type("quit")
    resumed.close()
    assert all(text.endswith("Ann's PIN: ") for text in told[:-1])
    assert told[-1].endswith("> ")
    with Journal() as journal:
        assert journal.resume(1).referee.stands == 1


def test_what_was_entered_in_secret_is_its_owners_to_take_back(desk):
    desk("Ann*: predict UD")
    set_pin(1, 0, "7391")
    go_on = ("--continue", "1")
    told = desk("Ann: place 8S", "undo", "undo", "7391", "redo", "0000", arguments=go_on)
    assert "Undone: 2 Ann: place 8S." in told
    assert "Undone: 1 Ann*: predict …." in told
    assert "not Ann's PIN" in told


ANSWERED = ("Ann: guess Bo smallest 1 is 2", "Bo: right")


def test_what_is_no_answer_to_a_question_is_the_next_line(terminal):
    """A secret line, too: typed there, it is not echoed."""
    shown = terminal(*ANSWERED, "undo", "Ann*: hand 7S 8S 9S", "log")
    assert "Undo this? 2 Right, says Bo. Type y for yes, n for no: " in shown
    assert "It was left." in shown
    assert "7S" not in shown
    assert "Ann was dealt 26 cards, not 3" in shown
    assert "(undone)" not in shown
    assert terminal(*ANSWERED, "undo", "n", "log").count("2 Right, says Bo.") == 2
    assert "(undone)" in terminal(*ANSWERED, "undo", "y", "log")


def test_the_right_pin_opens_the_way(desk):
    desk("Ann*: predict UD")
    set_pin(1, 0, "7391")
    told = desk("Ann*: correct 1 Ann*: predict DD", "7391", arguments=("--continue", "1"))
    assert "not Ann's PIN" not in told
    with Journal() as journal:
        session = journal.resume(1)
        who = session.unlock(0, "7391")
        assert session.view(who).events[0].args == ("DD",)


def test_a_line_that_is_not_there_is_said_to_whom_it_concerns(terminal):
    shown = terminal("correct 3 Bo: right", "correct 3 Ann*: hand 2C")
    assert shown.count("There is no line 3.") == 2
    assert "For Ann only:\nThere is no line 3." in shown


def test_a_reveal_of_hidden_cards_needs_its_owners_pin(desk):
    gotcha = ("gotcha", "--players", "Ann,Bo", "--option", "deal=3")
    desk("Ann*: hand AS 2S 3S", arguments=gotcha)
    set_pin(1, 0, "7391")
    told = desk("Ann: reveal AS", "0000", arguments=("--continue", "1"))
    assert "not Ann's PIN" in told
    with Journal() as journal:
        assert journal.resume(1).referee.stands == 1


def test_disclosing_needs_every_pin_and_the_end_of_the_match(desk):
    desk("Ann*: predict UD", "Bo*: predict DD")
    set_pin(1, 0, "7391")
    set_pin(1, 1, "2846")
    go_on = ("--continue", "1")
    assert "when the match is over" in desk("table: disclose", arguments=go_on)
    told = desk("table: agree", "table: disclose", "7391", "0000", arguments=go_on)
    assert "not Bo's PIN" in told
    with Journal() as journal:
        session = journal.resume(1)
        assert not session.revealed
        assert "UD" not in session.export_text()


# -- what is said ----------------------------------------------------------------------------------


PRECOGNITION = ("precognition", "--players", "Ann,Bo")
GOTCHA = ("gotcha", "--players", "Ann,Bo", "--option", "deal=13")
DEAL = "Deal 13 cards to each. Hold them in ascending order."


@pytest.mark.parametrize(
    ("arguments", "lines", "said", "unsaid"),
    [
        (
            PRECOGNITION,
            ("Ann: place 7S", "Bo: place 8S", "undo", "log", "redo", "log"),
            ("Undone: 2 Bo: place 8S.", "2 Bo: place 8S  (taken back)", "Redone: 2 Bo: place 8S."),
            (),
        ),
        (
            PRECOGNITION,
            ("Ann: place 7S", "correct 1 place 8S", "log"),
            ("(corrected by 2)", "table: correct 1 Ann: place 8S"),
            (),
        ),
        (
            PRECOGNITION,
            ("Ann: place 7S", "Bo: place 8S", "table: correct 1 table: agree"),
            ("No longer fits: 2 Bo: place 8S",),
            (),
        ),
        (PRECOGNITION, ("table: agree",), ("All agreed to stop.",), ()),
        (PRECOGNITION, ("table: agree", "who"), ("table: match",), ()),
        (("suspense", "--players", "Ann,Bo"), ("who",), ("table: dealer Ann",), ()),
        (GOTCHA, ("who",), (DEAL,), ()),
        (GOTCHA, ("Ann: guess Bo smallest 1 is 2", "who"), (), (DEAL,)),
        (
            PRECOGNITION,
            ("scores", "undoo", "xyzzy"),
            ("Did you mean “undo”?", "Precognition does not know “xyzzy”"),
            ("Did you mean “score”?", "no verb"),  # `scores` is understood
        ),
        (PRECOGNITION, ("Ann: place 7S", "Bo: place 7S", "n"), (), ("duplicate-card",)),
    ],
)
def test_what_is_said(desk, arguments, lines, said, unsaid):
    told = desk(*lines, arguments=arguments)
    for words in said:
        # What happens is said once; a log may show it again.
        assert told.count(words) == 1, told
    assert not [words for words in unsaid if words in told]


def test_numbers_are_those_of_the_log_that_is_shown(desk):
    mp = ("missing-persons", "--players", "Ann,Bo", "--option", "questions=cryptic")
    deal = [f"table: deal {name} " + " ".join(f"{r}{s}" for r in range(2, 11)) + f" J{s}"
            for name, s in (("Ann", "S"), ("Bo", "H"))]  # fmt: skip
    told = desk(
        "Ann*: hide AS", "Bo*: hide KC", *deal, 'Ann: ask cryptic "nice?"', "Bo: no",
        "Ann*: sketch 2H 3H", "Bo: ask red", "Ann: no", "log", "correct 8 Ann: yes", "log",
        arguments=mp,
    )  # fmt: skip
    assert "   8 Ann: no\n" in told
    assert "   8 Ann: no  (corrected by 9)" in told


def test_nothing_is_said_again_after_a_line_that_nobody_is_told_of(data, tmp_path, capsys):
    golden = Path(__file__).parents[1] / "golden" / "missing-persons" / "cryptic-and-false.txt"
    lines = golden.read_text("utf-8").splitlines()
    before = lines[: lines.index("Bo: turn 2D 3D")]
    assert before[-2:] == ["Bo*: sketch 2S 3S 4S 5S 6S JK", "Ann*: sketch KS"]
    played = tmp_path / "match.txt"
    played.write_text("\n".join(before) + "\n", "utf-8")
    main(["play", "missing-persons", "--events", str(played), "--keep-going"])
    assert capsys.readouterr().out.count("Ann: Yes.") == 1


# -- files -----------------------------------------------------------------------------------------

FALSE_ANSWER = """\
game: gotcha
players: Ann, Bo
option deal: 3
referee: trusted
---
Ann*: hand AS 2S 3S
Bo*: hand 5S 6H KD
Ann: guess Bo smallest 1 is 5
Bo: wrong
Bo: guess Ann smallest 1 is A
Ann: right AS
"""


def test_a_file_is_read_up_to_a_refused_answer(data, capsys):
    path = data / "match.txt"
    path.write_text(FALSE_ANSWER, "utf-8")
    assert main(["play", "gotcha", "--events", str(path)]) == 2
    out = capsys.readouterr()
    assert "4: This does not fit what Bo recorded in secret" in out.err
    assert "Stopped at line 4" in out.err
    assert "5:" not in out.err
    assert main(["play", "gotcha", "--events", str(path), "--keep-going"]) == 0
    assert "5: " in capsys.readouterr().err
