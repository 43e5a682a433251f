"""A game from another package, found by its entry point, goes through every part."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cards import card
from companion.core import registry
from companion.core.audit import audit
from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.core.sightings import SeenCard
from companion.errors import UsageError
from companion.notepad.base import open_notepad
from tests.companion.seating import seated
from tests.golden.transcript import transcript

OUTSIDE = Path(__file__).parents[1] / "fixtures" / "outside"
MATCH = """\
game: high-card
players: Ann, Bo
option starter: Bo
---
Ann*: hand 7S
Bo: claim K
Ann: claim 8
Bo: show QH
table: undo
Bo: show KH
Ann: show 7S
"""


@pytest.fixture
def game(monkeypatch):
    monkeypatch.syspath_prepend(str(OUTSIDE))
    monkeypatch.setattr(registry, "_loaded", False)
    yield registry.get_game("high-card")
    registry.unregister("high-card")


def run(*args, data, stdin=""):
    env = os.environ | {"PYTHONPATH": str(OUTSIDE), "COMPANION_DATA": str(data)}
    command = [sys.executable, "-m", "companion", *args]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, env=env, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_found_after_the_built_in_games(game):
    assert registry.all_games()[-1] is game
    assert game.deck.name == "standard"


def test_notation_referee_views_and_audit(game):
    match = read_match(MATCH)
    assert write_match(match) == MATCH
    referee = Referee.of(match)
    assert referee.state.table.winners == (1,)
    faults = [(fault.event, fault.kind) for fault in audit(referee)]
    assert faults == [(3, "false-claim")]
    text = transcript(match)
    assert "[Bo]" in text
    assert "Ann*: hand …" in text


def test_it_needs_no_notepad_and_no_coach(game, tmp_path):
    desk = Referee.of(read_match(MATCH))
    assert game.notepad(desk.view(0)) is None
    assert game.coach_bot() is None
    with pytest.raises(UsageError, match="High Card has no notepad"):
        open_notepad(game, desk.view(0))


def test_sightings_and_automatic_answers(game):
    lines = ("Ann*: hand 7S", "Ann: claim 8", "Bo: claim K")
    desk = seated(game, *lines, trusted=(True, False))
    (proposal,) = desk.proposals(SeenCard(card("7S"), "up:1", 0.9))
    assert [f.kind.value for f in proposal.findings] == ["false-claim"]
    (entry,) = desk.follow_up()
    assert entry.event.args == (card("7S"),)


def test_the_command_line_knows_it(tmp_path):
    path = tmp_path / "match.txt"
    path.write_text(MATCH, "utf-8")
    games = json.loads(run("games", "--json", data=tmp_path))
    assert "high-card" in {entry["name"] for entry in games}
    final = json.loads(run("replay", str(path), "--json", data=tmp_path).splitlines()[-1])
    assert final["final"]["winners"] == ["Bo"]
    found = json.loads(run("audit", str(path), "--json", data=tmp_path))
    assert [finding["event"] for finding in found["findings"]] == [3]
    out = run("simulate", "high-card", "--matches", "3", "--json", data=tmp_path)
    assert json.loads(out)["matches"] == 3
    said = run("play", "high-card", "--events", str(path), data=tmp_path)
    assert "Bo showed the highest card, K." in said
    typed = "Ann*: hand 7S\nAnn: claim 7\nBo: claim 2\nquit\n"
    said = run(
        "play", "high-card", "--players", "Ann,Bo", "--referee", "trusted", data=tmp_path,
        stdin="Bo*: hand 2S\n" + typed,
    )  # fmt: skip
    assert "Ann showed the highest card, 7." in said
