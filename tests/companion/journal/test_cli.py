"""`companion journal`, and sessions where a match file can be named."""

import json
import time

import pytest

from companion.cli.main import main
from companion.journal import Journal, journal_path
from tests.companion.journal.play import everything

ROW = "2S 6H 5C 4D"
SECRETS = ["Ann*: predict UDD", "Bo*: predict DDD"]


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*arguments, typed=(), expect=0, prompts=()):
        answers = [*typed, *prompts]

        def answer(prompt=""):
            if not answers:
                raise EOFError
            return answers.pop(0)

        monkeypatch.setattr("builtins.input", answer)
        code = main(arguments)
        out = capsys.readouterr()
        assert code == expect, out.err
        return out.out if expect == 0 else out.err

    return call


def test_nothing_played_is_an_empty_list(run):
    assert run("journal", "list") == "Nothing was played yet.\n"
    assert json.loads(run("journal", "list", "--json")) == []
    assert not journal_path().exists(), "a list makes no journal"


def test_play_goes_on_where_it_was_left(run):
    run("play", "precognition", "--players", "Ann,Bo", typed=[*SECRETS, "Ann: place 2S"])
    run("play", "gotcha", "--players", "Cy,Dee", typed=["Cy*: hand 2S"])
    out = run("play", "precognition", "--continue", typed=["Bo: place 6H", "undo", "log"])
    assert "Ann*: predict …" in out
    assert "UDD" not in out
    run("play", "--continue", "1", typed=["Bo: place 7H"])
    listed = run("journal", "list")
    assert "Precognition: Ann 0, Bo 0 (unfinished)" in listed
    assert "Gotcha: Cy 0" in listed
    (first, second) = json.loads(run("journal", "list", "--json"))
    assert {first["id"], second["id"]} == {1, 2}
    assert run("journal", "show", "1").splitlines()[-4:] == [
        "Ann: place 2S",
        "Bo: place 6H ; taken back",
        "table: undo",
        "Bo: place 7H",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play"], "Name a game"),
        (["play", "--continue"], "no unfinished session in"),
        (["play", "gotcha", "--continue"], "no unfinished session of Gotcha"),
        (["play", "gotcha", "--continue", "x"], "takes a session's number"),
        (["play", "--continue", "chess"], "no game “chess”"),
        (["play", "--continue", "gotcha"], "no unfinished session of Gotcha"),
        (["play", "--continue", "7"], "no session 7"),
        (["journal", "mend"], "no journal"),
        (["journal", "delete"], "Name one session"),
        (["journal", "delete", "1", "--everything"], "Name one session"),
        (["replay", "journal:1"], "holds no session|no session 1"),
        (["play", "chess", "--continue"], "no game “chess”"),
    ],
)
def test_refusals(run, arguments, message):
    import re

    assert re.search(message, run(*arguments, expect=2))


def test_another_games_session_is_refused(run):
    run("play", "gotcha", "--players", "Ann,Bo")
    assert "not of precognition" in run("play", "precognition", "--continue", "1", expect=2)


def test_replay_and_audit_of_a_session(run, data):
    run("play", "gotcha", "--players", "Ann,Bo", typed=["Ann: guess Bo smallest 1 is A"])
    assert run("replay", "journal:1") == run("replay", "journal:1", "--as", "public")
    assert "Nothing to find" in run("audit", "journal:1")
    out = run("replay", "journal:1", "--as", "public", "--json")
    assert json.loads(out.splitlines()[0])["event"] == "Ann: guess Bo smallest 1 is A"
    assert "guess Bo" in run("replay", str(journal_path()), "--as", "Bo")
    run("play", "--continue", typed=["Bo: wrong", "table: agree"])
    assert run("replay", "journal:1") == run("replay", "journal:1", "--as", "public")
    run("play", "--continue", "1", typed=["table: disclose"])
    assert "disclosed to all" in run("journal", "list")
    assert "guess Bo" in run("replay", f"{journal_path()}:1")
    open_ = "1 answer could not be checked: Bo's hand was not turned up."
    assert run("audit", "journal:1") == f"{open_}\n"
    assert json.loads(run("audit", "journal:1", "--json")) == {"findings": [], "unchecked": [open_]}
    assert "no session 3" in run("replay", "journal:3", expect=2)


def test_pins_guard_what_is_shown(run, monkeypatch):
    run("play", "precognition", "--players", "Ann,Bo", typed=SECRETS)
    run("journal", "pin", "1", "ann", prompts=["12345", "12345"])
    assert "predict UDD" not in run("journal", "show", "1")
    assert "not Ann's PIN" in run("journal", "show", "1", "--as", "1", prompts=["0000"], expect=2)
    assert "Too soon" in run("journal", "show", "1", "--as", "1", prompts=["12345"], expect=2)
    time.sleep(1)
    shown = run("journal", "show", "1", "--as", "Ann", prompts=["12345"])
    assert "predict UDD" in shown
    assert "predict DDD" not in shown
    monkeypatch.setenv("COMPANION_PIN", "12345")
    assert "predict UDD" in run("replay", "journal:1", "--as", "Ann")
    assert "predict DDD" in run("replay", "journal:1", "--as", "Bo")
    assert "not over" in run("journal", "show", "1", "--everything", expect=2)
    run("journal", "pin", "1", "Ann", prompts=["12345", "", ""])
    monkeypatch.delenv("COMPANION_PIN")
    assert "predict UDD" in run("journal", "show", "1", "--as", "Ann")


def test_the_notepad_of_a_running_session(run):
    hand = "Ann*: hand 2S 5S 3H 6H 4C 7C 2D 5D 8D 9D 9S 9H 9C KS KH KC KD QS QH QC"
    run("play", "gotcha", "--players", "Ann,Bo", "--option", "deal=20", typed=[hand])
    run("journal", "pin", "1", "Ann", prompts=["12345", "12345"])
    found = run("notepad", "journal:1", "--as", "Ann", "--json", prompts=["12345"])
    assert int(json.loads(found)["worlds"]) > 0
    assert "not Ann's PIN" in run("notepad", "journal:1", "--seat", "1", prompts=["0"], expect=2)


def test_backup_delete_restore(run, data):
    run("play", "precognition", "--players", "Ann,Bo", typed=SECRETS)
    with Journal() as journal:
        before = everything(journal.resume(1).referee)
    file = str(data / "games.backup")
    secret = ["--passphrase", "long enough"]
    run("journal", "backup", file, *secret)
    run("journal", "delete", "--everything", "--yes")
    assert not journal_path().exists()
    wrong = run("journal", "restore", file, "--passphrase", "not this one", expect=2)
    assert "not the passphrase" in wrong
    run("journal", "restore", file, *secret)
    with Journal() as journal:
        assert everything(journal.resume(1).referee) == before
    assert "--replace" in run("journal", "restore", file, *secret, expect=2)
    assert "no session 9" in run("journal", "delete", "9", expect=2)
    assert "No event was damaged" in run("journal", "mend")
    run("journal", "backup", file, prompts=["long enough"])
    needs = "Passphrase: there is no terminal to ask at; give --passphrase"
    assert needs in run("journal", "backup", file, expect=2)
    assert "is kept as" in run("journal", "restore", file, "--replace", *secret)
    run("journal", "rename", "1", "Bo", "Bob")
    assert "Bob 0" in run("journal", "list")
    run("journal", "delete", "1", "--yes")
    assert run("journal", "list") == "Nothing was played yet.\n"


def test_what_a_typo_would_lose_is_asked_for_twice(run, data, monkeypatch):
    run("play", "precognition", "--players", "Ann,Bo", typed=SECRETS)
    unseen = ["12345", "12344", "12345", "12345", "long enough", "lone enough", *["it is long"] * 2]
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda _prompt: unseen.pop(0))
    assert "new PIN" in run("journal", "pin", "1", "Ann")
    run("journal", "backup", str(data / "games.backup"))
    assert not unseen


def test_a_journal_in_use_is_not_played_on(run):
    run("play", "gotcha", "--players", "Ann,Bo")
    with Journal():
        assert "Name another journal" in run("play", "gotcha", "--continue", expect=2)
        assert "unfinished" in run("journal", "list")
        assert "for reading only" in run("journal", "delete", "1", "--yes", expect=2)


def test_a_damaged_session_is_shown_and_mended(run):
    typed = [f"{'Ann' if i % 2 == 0 else 'Bo'}: place {card}" for i, card in enumerate(ROW.split())]
    run("play", "precognition", "--players", "Ann,Bo", typed=typed)
    with Journal() as journal:
        journal.store.rows("UPDATE events SET comment = 'x' WHERE n = 3")
    assert "Event 3 is damaged" in run("play", "--continue", "1", expect=2)
    shown = run("journal", "show", "1")
    assert shown == "Ann: place 2S ; event 1\nBo: place 6H ; event 2\nBo: place 4D ; event 4\n"
    assert "Event 3 is damaged" not in run("journal", "list", "--json")
    out = run("journal", "mend")
    assert "that go on: 1; that could not be read: 0" in out
    assert "2 left behind" in out
    assert run("journal", "show", "1").endswith("Ann: place 2S\nBo: place 6H\n")
    run("play", "--continue", typed=["Ann: place 9C"])


def test_events_of_a_file_are_kept_where_a_journal_is_named(run, data):
    events = data / "events.txt"
    events.write_text("\n".join([*SECRETS, "Ann: place 2S", "Ann: place 3S"]), "utf-8")
    play = ["play", "precognition", "--players", "Ann,Bo", "--events", str(events)]
    run(*play)
    assert not journal_path().exists()
    file = data / "own.sqlite"
    run(*play, "--journal", str(file))
    assert "Ann: place 3S" in run("journal", "--journal", str(file), "show", "1")
    assert "name the game" in run("play", "--continue", "--events", str(events), expect=2)
    assert "no journal" in run(*play, "--journal", str(events), expect=2)
