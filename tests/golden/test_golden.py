"""Every registered game has golden matches; each shows every viewer's view at every step."""

from pathlib import Path

import pytest

from companion.core.notation import read_match, write_match
from companion.core.referee import Referee
from companion.core.registry import all_games
from tests.golden.transcript import transcript

FOLDER = Path(__file__).parent
MATCHES = sorted(FOLDER.glob("*/*.txt"))
#: Verbs of the log, exercised by at least one golden match of every game.
LOG_VERBS = {"undo", "redo", "correct"}


def name_of(path):
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_every_verb_and_option_of_every_game_is_in_a_golden_match(game):
    matches = [read_match(path.read_text("utf-8")) for path in (FOLDER / game.name).glob("*.txt")]
    assert matches, f"tests/golden/{game.name} holds no match"
    used = {
        entry.event.verb
        for match in matches
        for entry in Referee.of(match).log
        if entry.applied and entry.event is not None
    }
    assert set(game.verbs) | LOG_VERBS <= used
    stated = {option for match in matches for option in match.setup.stated}
    assert {option.name for option in game.options} <= stated


@pytest.mark.parametrize("path", MATCHES, ids=name_of)
def test_golden(path, request):
    match = read_match(path.read_text("utf-8"))
    assert match.game.name == path.parent.name
    expected = path.with_suffix(".views")
    got = transcript(match)
    if request.config.getoption("--update-golden"):
        expected.write_text(got, "utf-8")
    assert got == expected.read_text("utf-8")


@pytest.mark.parametrize("path", MATCHES, ids=name_of)
def test_golden_files_are_in_their_first_form(path):
    text = path.read_text("utf-8")
    assert write_match(read_match(text)) == text
