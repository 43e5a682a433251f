"""The game that CONTRIBUTING prints works as it is printed, from a package of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion.core import registry
from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.errors import IllegalError
from companion.notepad.base import open_notepad
from tests.companion import test_games, test_guidance
from tests.companion.seating import seated
from tests.companion.test_machine import run_machine
from tests.companion.test_probing import probe
from tests.golden.transcript import transcript

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
MOST_LINES = 100
#: The games on the page, in its order.
NAMES = ("dodge", "knaves")
MATCH = """\
game: dodge
players: Ann, Bo
option starter: Ann
---
Ann*: hand AS 2H 3H 4H 5H
Bo*: hand KS QH JH 10H 9H
Ann: play AS
Bo: play KS
Bo: play 9H
Ann: play 2H
Bo: play 10H
Ann: play 3H
Bo: play JH
table: undo
Bo: play QH
Ann: play 4H
Bo: play JH
Ann: play 5H
"""


def printed(language, number=0):
    """A block of a language on the page, the first one as 0."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)[number]


@pytest.fixture
def package(tmp_path):
    """A folder as an installed package would fill it: the module and its entry point."""
    for number, name in enumerate(NAMES):
        (tmp_path / f"{name}.py").write_text(printed("python", number), "utf-8")
    about = tmp_path / "dodge-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: dodge\nVersion: 1.0\n")
    group, line = re.fullmatch(
        r'\[project\.entry-points\."([\w.]+)"\]\n(.*)\n', printed("toml")
    ).groups()
    lines = [line.replace(chr(34), "").replace("dodge", name) for name in NAMES]
    (about / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    return tmp_path


@pytest.fixture
def games(package, monkeypatch):
    """Both games by name."""
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.setattr(registry, "_loaded", False)
    yield {name: registry.get_game(name) for name in NAMES}
    for name in NAMES:
        registry.unregister(name)
        sys.modules.pop(name, None)


@pytest.fixture
def game(games):
    """The first one."""
    return games["dodge"]


@pytest.mark.parametrize("number", range(len(NAMES)))
def test_it_is_short(number):
    assert len(printed("python", number).splitlines()) <= MOST_LINES


@pytest.mark.parametrize(("name", "players"), [("dodge", 2), ("dodge", 5), ("knaves", 3)])
@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    "check",
    [
        test_games.test_random_play_ends_without_findings,
        test_games.test_a_match_reads_back_as_it_was_written,
        test_games.test_what_a_viewer_may_not_know_changes_nothing_for_that_viewer,
        test_games.test_replay_from_every_eye,
        test_games.test_legal_actions_are_accepted,
    ],
    ids=lambda check: check.__name__,
)
def test_it_passes_what_every_game_must(games, name, players, trusted, check):
    check(games[name], players, trusted)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "check",
    [
        test_guidance.test_it_always_says_something_and_its_first_line_may_be_typed,
        test_guidance.test_every_step_that_is_offered_may_be_typed,
        test_guidance.test_it_follows_from_what_its_viewer_may_know,
        test_guidance.test_public_steps_follow_from_public_knowledge_alone,
    ],
    ids=lambda check: check.__name__,
)
def test_it_is_guided_as_every_game_must_be(games, name, check):
    check(games[name])


@pytest.mark.parametrize("name", NAMES)
def test_its_metadata_says_enough(games, name):
    test_games.test_metadata_says_enough(games[name])


def test_the_fewest_tricks_win(game):
    match = read_match(MATCH)
    assert write_match(match) == MATCH
    referee = Referee.of(match)
    assert referee.state.table.reasons == ("Ann: 0 of 5 tricks.", "Bo: 5 of 5 tricks.")
    assert referee.state.table.winners == (0,)
    assert referee.state.table.scores == (1, 0)
    referee.accept("table: match")
    assert referee.state.table.to_move == 1
    assert referee.state.plays == ()


def test_the_highest_card_of_the_suit_led_takes_the_trick(game):
    referee = seated(game, "Ann: play 9H", "Bo: play KS", "Cy: play 10H", players=3)
    assert referee.state.table.to_move == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Bo: play 9H", "Ann's turn"),
        ("Ann: play JK1", "rank and the suit"),
        ("Ann: play 7?", "rank and the suit"),
    ],
)
def test_what_it_refuses(game, line, said):
    with pytest.raises(IllegalError, match=said):
        seated(game, line)


def test_a_hand_may_not_come_late(game):
    referee = seated(game, "Ann: play 9H")
    with pytest.raises(IllegalError, match="before the first card"):
        referee.accept("Bo*: hand KS QH JH 10H 8H")


def test_every_viewer_sees_their_own_hand_alone(game):
    text = transcript(read_match(MATCH))
    assert "Ann*: hand …" in text
    assert "Bo*: hand …" in text


@pytest.mark.parametrize("name", NAMES)
def test_random_tables(games, name):
    assert run_machine(games[name], 100) >= 100


@pytest.mark.parametrize("name", NAMES)
def test_no_line_that_a_player_enters_tells_a_secret(games, name):
    assert sum(probe(games[name], seed) for seed in range(60)) > 100


def test_the_jacks_are_taken_off_and_the_notepad_knows_who_is_void(games):
    game = games["knaves"]
    lines = ("table: trump 5C", "Ann: play 9H", "Bo: play JH", "Cy: play 2S")
    referee = seated(game, *lines, players=3)
    pad = open_notepad(game, referee.view(0))
    assert pad.chances()["hands"]["Cy"]["KH"] == 0
    assert pad.why("KH", "Cy").text == "Cy has no hearts: trick 1 (4)"
    referee.accept("Ann: claim 16")
    assert referee.state.table.scores == (16 - 6, 1 - 4, 0)


def test_the_command_line_knows_it(package, tmp_path):
    path = tmp_path / "match.txt"
    path.write_text(MATCH, "utf-8")
    env = os.environ | {"PYTHONPATH": str(package), "COMPANION_DATA": str(tmp_path / "data")}

    def run(*args):
        command = [sys.executable, "-m", "companion", *args]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert json.loads(run("simulate", "dodge", "--matches", "3", "--json"))["matches"] == 3
    final = json.loads(run("replay", str(path), "--json").splitlines()[-1])
    assert final["final"]["winners"] == ["Ann"]
    assert "Ann: 0 of 5 tricks." in run("play", "dodge", "--events", str(path))
    bots = ("--bots", "coach,sensible,random")
    assert json.loads(run("simulate", "knaves", "--matches", "1", *bots, "--json"))["matches"] == 1
