"""`companion notepad` and coached bots in `companion simulate`, from the command line."""

import json
import re

import pytest
from click.testing import CliRunner

from companion.cli import spoken
from companion.cli.main import cli
from companion.core.registry import get_game
from companion.errors import CompanionError
from companion.simulate import simulate, wilson

DEDUCTION = """\
game: deduction
players: Ann, Bo, Cy
---
table: up 0S AS
not a line
Ann*: hand 2S 3S 4S 5S 0M AM 2M
Ann: coin 3C
Ann: ask Cy have Crowns
Cy: no
"""
GOTCHA = """\
game: gotcha
players: Ann, Bo
option deal: 5
---
Ann*: hand AS 2S 3S 4S 5S
Ann: guess Bo smallest 1 is 2
Bo: right 2H
"""
PRECOGNITION = """\
game: precognition
players: Ann, Bo
---
Ann*: predict UD
Bo*: predict DU
Ann: place 3H
Bo: place 5C
Ann: place 2S
"""


@pytest.fixture
def run(tmp_path):
    def go(text, *args, fails=False):
        path = tmp_path / "match.txt"
        path.write_text(text, "utf-8")
        done = CliRunner().invoke(cli, ["notepad", str(path), *args], standalone_mode=False)
        if fails:
            assert isinstance(done.exception, CompanionError)
            return done.exception.message
        assert done.exception is None, done.output
        return done.output

    return go


def test_json_of_a_seat(run):
    found = json.loads(run(DEDUCTION, "--seat", "1", "--json"))
    assert found["game"] == "deduction"
    assert found["seat"] == 1
    assert sum(found["missing"].values()) == pytest.approx(1)
    assert set(found["hands"]) == {"Bo", "Cy"}
    assert "3C" not in found["hands"]["Cy"]
    assert found["conflict"] is None
    assert "advice" not in found
    assert found == json.loads(run(DEDUCTION, "--as", "ann", "--json"))


def test_reasons_count_the_lines_of_the_file(run):
    """The second line cannot be read, so viewers do not see it; the file's numbers count it."""
    found = json.loads(run(DEDUCTION, "--seat", "1", "--why", "3C @ Cy", "--json"))
    assert found["why"]["events"] == [6]
    assert found["why"]["text"] == "Cy has no Crowns (6)"
    assert "Why: Cy has no Crowns (line 6)." in run(DEDUCTION, "--as", "Ann", "--why", "3C@Cy")


def test_the_coach_and_hypotheses(run):
    found = json.loads(run(GOTCHA, "--seat", "1", "--coach", "--json"))
    assert found["advice"]["action"]
    assert found["best_guess"]["p"] > 0
    assert len(found["positions"]["Bo"]) == 4
    more = json.loads(
        run(GOTCHA, "--seat", "1", "--json", "--what-if", "Ann: guess Bo biggest 1 is K",
            "--what-if", "Bo: wrong")
    )  # fmt: skip
    assert int(more["worlds"]) < int(found["worlds"])
    assert "K" not in more["positions"]["Bo"][-1]


def test_for_people(run):
    text = run(GOTCHA, "--as", "Ann", "--coach")
    assert "Notepad of Ann" in text
    assert "Best guess: Bo's biggest card is K" in text
    assert "Coach: Guess that Bo's biggest card is K: " in text


def test_counts_have_six_digits_at_most(run):
    text = run("game: missing-persons\nplayers: Ann, Bo\n---\nAnn*: hide 4H\n", "--as", "Ann")
    assert "Notepad of Ann: 53 deals fit" in text
    assert "Bo is left with at most 54 deals by what everybody knows." in text
    assert "is left with at most" not in run(GOTCHA, "--as", "Ann")  # of millions
    assert "Notepad of the public: more than a million deals fit." in run(GOTCHA, "--as", "public")


def test_only_what_is_certain_has_no_chance(run):
    text = run(PRECOGNITION, "--as", "Ann", "--string", "UD", "--string", "UU", "--string", "SS")
    assert "UD is certain." in text
    assert re.search(r"UU occurs with a chance of \d?\d\.\d\d%", text)


def test_contradictions_are_told(run):
    lines = "Ann: done\nBo: coin 3C\nBo: ask Cy count Crowns\nCy: 2\n"
    text = run(DEDUCTION + lines, "--as", "Bo")
    assert "0 deals fit" in text
    assert "cannot all be true: Cy has no Crowns (line 6); Cy has two Crowns (line 10)" in text


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "--seat N or --as"),
        (("--seat", "1", "--as", "Bo"), "Say once"),
        (("--seat", "7"), "no seat"),
        (("--as", "Ann", "--why", "3C"), "ROW@COLUMN"),
        (("--as", "Ann", "--why", "3C @ Bo"), "open"),
        (("--as", "Ann", "--what-if", "Zed: yes"), "Zed"),
    ],
)
def test_bad_usage_is_one_clear_line(run, args, words):
    assert words in run(DEDUCTION, *args, fails=True)


def test_the_model_of_discards_is_chosen(run):
    text = GOTCHA.replace("deal: 5", "deal: 6-1").replace("5S\n", "5S 6S\n")
    plain, card, rank = (
        json.loads(run(text, "--seat", "1", "--json", *args))
        for args in ((), ("--model", "card"), ("--model", "Rank"))
    )
    assert plain == card
    assert rank["worlds"] == card["worlds"]
    assert rank["best_guess"] == card["best_guess"]
    assert rank["positions"] != card["positions"]
    assert "no model “rank”" in run(DEDUCTION, "--seat", "1", "--model", "rank", fails=True)


def test_strings_are_valued(run):
    text = "game: precognition\nplayers: Ann, Bo\n---\n"
    found = json.loads(run(text, "--seat", "2", "--string", "UD", "--string", "dd", "--json"))
    assert set(found["match_chance"]) == {"UD", "DD"}
    assert all(row["length"] == len(row["string"]) for row in found["best"])


def test_the_score_interval():
    low, high = wilson(50, 100)
    assert (low, high) == (pytest.approx(0.4038, abs=1e-4), pytest.approx(0.5962, abs=1e-4))
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == pytest.approx(1.0)


def test_the_start_passes_where_bots_differ():
    game = get_game("missing-persons")
    setup = game.setup(("A", "B"))
    coach, sensible = game.coach_bot(), game.bots["sensible"]
    found = simulate(game, setup, matches=12, bots=[coach, sensible], names=["coach", "sensible"])
    rates = found.rates()
    assert rates["A"]["bot"] == "coach"
    assert rates["A"]["rate"] > rates["B"]["rate"]
    assert found.alone["A"] + found.alone["B"] <= 12


def test_simulate_names_bots():
    done = CliRunner().invoke(
        cli, ["simulate", "suspense", "--matches", "2", "--bots", "coach,sensible", "--json"]
    )
    assert json.loads(done.output)["rates"]["P1"]["bot"] == "coach"
    done = CliRunner().invoke(
        cli, ["simulate", "suspense", "--bots", "coach,nobody"], standalone_mode=False
    )
    assert "nobody" in done.exception.message


def test_tables_are_written_as_people_read_them(run):
    text = run(DEDUCTION, "--as", "Ann", "--why", "♛ 3 @ Cy", "--coach")
    assert "│ ♛ Blank │" in text
    assert "│ ⚜ 5     │" in text
    assert "Why: Cy has no Crowns (line 6)." in text
    assert not re.search(r"\b[0A2-5][SMCH]\b", text)


def test_without_the_signs_tables_keep_the_codes(run, monkeypatch):
    monkeypatch.setattr(spoken, "can_sign", lambda: False)
    text = run(DEDUCTION, "--as", "Ann", "--why", "3C @ Cy")
    assert "0C" in text
    assert "♛" not in text
