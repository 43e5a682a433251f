import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli.main import COMMANDS, INTERRUPTED, cli, main
from companion.core.registry import all_games

SEED_ROW = "2 6 5 4 7 9 7 1 2 2 5 8"
GOLDEN = Path(__file__).parent.parent / "golden" / "precognition"


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "data"))


def run(capsys, *arguments):
    code = main(arguments)
    out = capsys.readouterr()
    return code, out.out, out.err


def test_score(capsys):
    code, out, err = run(
        capsys, "score", "precognition", "--row", SEED_ROW, "Ann=UUDDUSU", "Bo=UD", "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "changes": "UDDUUDDUSUU",
        "results": {
            "Ann": {"length": 7, "from": 4, "to": 11},
            "Bo": {"length": 2, "from": 1, "to": 3},
        },
        "winners": ["Ann"],
    }
    code, out, _ = run(capsys, "score", "precognition", "--row", SEED_ROW, "Ann=UUDDUSU", "Bo=SS")
    assert code == 0
    assert "length 7, cards 4 to 11: 4 7 9 7 A 2 2 5" in out
    assert "SS does not occur; the most of it is S, cards 9 to 10" in out
    assert out.endswith("Winner: Ann\n")


def test_score_from_a_file(capsys, tmp_path):
    row = tmp_path / "row.txt"
    row.write_text(SEED_ROW.replace(" ", "\n"), "utf-8")
    code, out, _ = run(
        capsys, "score", "precognition", "--row-file", str(row), "A=D", "B=S", "--json"
    )
    assert code == 0
    assert json.loads(out)["winners"] == ["A", "B"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "precognition", "--row", "2 ZZ", "A=U"], "“ZZ” is no standard card"),
        (["score", "precognition", "--row", SEED_ROW, "A=UX"], "letter 2 is “X”"),
        (["score", "precognition", "--row", SEED_ROW, "A"], "NAME=UDS"),
        (["score", "precognition", "--row", SEED_ROW, "A=U", "a=D"], "names must differ"),
        (["score", "precognition", "--row", "AS AS", "A=U"], "in the row twice"),
        (["score", "precognition", "--row", "AS JK1", "A=U"], "without jokers"),
        (["score", "precognition", "--row", "7", "A=U"], "at least two"),
        (["score", "precognition", "A=U"], "exactly one of"),
        (["score", "precognition", "--row-file", "missing.txt", "A=U"], "cannot be read"),
        (["replay", "missing.txt"], "missing.txt cannot be read"),
        (["replay", __file__], "test_cli.py: "),
        (["replay", sys.executable], "no text file"),
        (["audit", "."], "cannot be read"),
        (["replay", str(GOLDEN / "printed-example.txt"), "--as", "9"], "is no seat"),
        (["play", "chess"], "no game “chess”"),
        (["play", "precognition", "--players", "A"], "2 to 26"),
        (["play", "precognition", "--option", "x"], "--option NAME=VALUE"),
        (["play", "precognition", "--option", "x=1"], "no option “x”"),
        (["simulate", "precognition", "--bots", "a"], "1 bots are named"),
        (["simulate", "precognition", "--bots", "a,b"], "no bot “a”"),
        (["scan", "x.jpg", "--deck", "tarot"], "no deck “tarot”"),
        (["nonsense"], "No such command"),
        (["scan"], "Missing argument"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("group", ["score", "journal", "deck", "calibrate"])
def test_without_a_subcommand_its_help_is_shown(capsys, group):
    code, out, err = run(capsys, group)
    assert code == 2
    assert out == run(capsys, group, "--help")[1]
    assert err == "companion: Name one of these commands.\n"


def test_ctrl_c(capsys, monkeypatch):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupt)
    code, _, err = run(capsys, "games")
    assert code == INTERRUPTED == 130
    assert err == "companion: Interrupted.\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(capsys, command):
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert "Example: companion" in " ".join(out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(command):
    found = cli.get_command(None, command)
    assert found is not None
    assert found.get_short_help_str(1000) == COMMANDS[command][1]


def test_help_imports_only_what_it_needs():
    code = (
        "import sys\n"
        "from companion.cli.main import main\n"
        "assert main(['--help']) == 0\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert all(f"\n  {command} " in done.stdout for command in COMMANDS)
    packages, modules = map(str.split, done.stderr.splitlines())
    assert "click" in packages
    heavy = {"numpy", "cryptography", "rich", "cv2", "onnxruntime", "kivy", "sqlite3"}
    assert not heavy & set(packages)
    assert [name for name in modules if name.startswith("companion.cli.")] == ["companion.cli.main"]


def test_completion_knows_the_commands(monkeypatch, capsys):
    monkeypatch.setenv("_COMPANION_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "companion de")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit):
        cli.main(args=[], prog_name="companion")
    assert capsys.readouterr().out.split() == ["plain,deck", "plain,demo"]


def test_games(capsys):
    code, out, _ = run(capsys, "games", "--json")
    assert code == 0
    assert {game["name"] for game in json.loads(out)} == {game.name for game in all_games()}
    code, out, _ = run(capsys, "games")
    assert all(game.info.summary in out for game in all_games())


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_replay_and_audit(capsys, path):
    code, out, err = run(capsys, "replay", str(path), "--json")
    assert (code, err) == (0, "")
    *steps, last = [json.loads(line) for line in out.splitlines()]
    assert [step["n"] for step in steps] == list(range(1, len(steps) + 1))
    for step in steps:
        assert step.keys() == {
            *("n", "event", "applied", "error"),
            *("undone", "corrected_by", "unfit"),
        }
        assert step["applied"] == (step["error"] is None)
    keys = {"over", "to_move", "scores", "winners", "match_winners", "reasons"}
    assert keys | {"changes", "lengths"} == last["final"].keys()
    code, out, _ = run(capsys, "replay", str(path), "--as", "public")
    assert code == 0
    code, out, _ = run(capsys, "audit", str(path), "--json")
    assert code == 0
    refused = {step["n"] for step in steps if not step["applied"]}
    found = json.loads(out)["findings"]
    assert {f["event"] for f in found if f["kind"] in ("unreadable", "illegal")} <= refused
    assert run(capsys, "audit", str(path))[0] == 0


def test_replay_as_a_seat_hides_the_others(capsys):
    path = str(GOLDEN / "card-by-card.txt")
    _, out, _ = run(capsys, "replay", path, "--as", "Bo", "--json")
    texts = [json.loads(line).get("event", "") for line in out.splitlines()]
    assert texts[0] == "Ann*: hand …"
    assert texts[1].startswith("Bo*: hand ")
    assert "…" not in texts[1]


def test_play_a_file(capsys):
    code, out, err = run(
        capsys, "play", "precognition", "--events", str(GOLDEN / "printed-example.txt")
    )
    assert (code, err) == (0, "")
    assert "Ann: UUDDUSU is cards 4 to 11" in out
    assert "Winner: Ann." in out


def test_at_the_prompt_a_name_is_needed_only_in_doubt(capsys, monkeypatch):
    typed = ["guess Bo smallest 1 is A", "right AS", "right", "guess Bo smallest 1 A", "reveal 2S",
             "play 2S"]  # fmt: skip
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*typed, "log", "quit"])))
    code, out, err = run(capsys, "play", "gotcha", "--players", "Ann,Bo")
    assert code == 0
    assert "1 Ann: guess Bo smallest 1 is A" in out
    assert "2 Bo: right AS" in out
    assert "There is no guess to answer." in err
    assert "“is” is expected before “A”" in err
    assert "“reveal 2S” does not say who does it" in err
    assert "Gotcha does not know “play”" in err


def test_play_bare_events_needs_players(capsys, tmp_path):
    events = tmp_path / "events.txt"
    events.write_text("Ann: place 7S\nBo: place ZZ\n", "utf-8")
    code, _, err = run(capsys, "play", "precognition", "--events", str(events))
    assert code == 2
    assert "--players" in err
    code, out, err = run(
        capsys, "play", "precognition", "--events", str(events), "--players", "Ann,Bo"
    )
    assert code == 0
    assert "Ann places 7S" in out
    assert err.startswith("companion: 2: “ZZ” is no standard card")


def test_play_with_prompts_and_a_journal(capsys, tmp_path, monkeypatch):
    journal = tmp_path / "match.sqlite"
    typed = [
        "help",
        "who",
        "Ann: place 7S",
        "Bo: place 7S",
        "Bo: jump",
        "undo",
        "log",
        "score",
        "quit",
    ]
    monkeypatch.setattr("builtins.input", lambda prompt="": typed.pop(0))
    arguments = ["play", "precognition", "--players", "Ann,Bo", "--journal", str(journal)]
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert "place CARD" in out
    assert "! 7S is seen twice: in the row (1) and in the row (2)." in out
    assert "jump" in err
    show = ["journal", "--journal", str(journal), "show", "1"]
    shown = run(capsys, *show)[1]
    assert shown.endswith("Ann: place 7S\nBo: place 7S ; taken back\ntable: undo\n")
    typed = ["Bo: place 8S", "quit"]
    assert run(capsys, *arguments, "--continue")[0] == 0
    assert run(capsys, *show)[1] == f"{shown}Bo: place 8S\n"


def test_simulate_is_repeatable(capsys):
    arguments = ["simulate", "precognition", "--players", "3", "--matches", "2", "--seed", "7"]
    _, out, _ = run(capsys, *arguments, "--json")
    first = json.loads(out)
    assert first.keys() == {"matches", "events", "seconds", "wins"}
    _, out, _ = run(capsys, *arguments, "--json")
    again = json.loads(out)
    assert (first["events"], first["wins"]) == (again["events"], again["wins"])


def test_doctor_writes_only_in_the_data_folder(capsys, tmp_path):
    code, out, _ = run(capsys, "doctor", "--json")
    assert code == 0
    checks = json.loads(out)
    assert checks["python"]["ok"]
    assert checks["data folder"]["detail"] == str(tmp_path / "data")


def test_the_referee_needs_neither_eyes_nor_screen():
    code = (
        "import sys\n"
        "for name in ('cv2', 'onnxruntime', 'kivy'): sys.modules[name] = None\n"
        "from companion.cli.main import main\n"
        "assert main(['simulate', 'precognition', '--matches', '1', '--json']) == 0\n"
        "rooms = {'vision', 'calibration', 'models', 'mobile'}\n"
        "assert not rooms & set(sys.modules), sorted(rooms & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
