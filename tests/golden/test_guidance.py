"""What a table is told after every line of one golden match a game: headline and first step."""

from pathlib import Path

import pytest

from companion.core.guidance.generic import guidance_of
from companion.core.notation import read_match
from companion.core.referee import Referee
from companion.core.registry import all_games

FOLDER = Path(__file__).parent
MATCHES = (
    "deduction/all-wrong",
    "gotcha/two-players-trusted",
    "hearts/four-trusted",
    "missing-persons/forced-guesses",
    "oh-hell/three-cards",
    "precognition/ties-and-draws",
    "spades/partners",
    "suspense/three-players",
    "whist/dealers-card",
)


def guided(match):
    """The match with what everybody is told of it."""
    referee = Referee(match.game, match.setup)
    out = []
    for line in (None, *match.events):
        if line is not None:
            referee.submit_line(line)
        guidance = guidance_of(match.game, referee.view(None))
        out += [f"=== {'start' if line is None else line.text}", guidance.headline]
        out += [f"  {step.title}: {step.example}" for step in guidance.steps[:1]]
    return "\n".join(out) + "\n"


def test_every_game_is_guided_in_a_golden_match():
    assert sorted(game.name for game in all_games()) == [name.split("/")[0] for name in MATCHES]


@pytest.mark.parametrize("name", MATCHES)
def test_golden_guidance(name, request):
    got = guided(read_match((FOLDER / f"{name}.txt").read_text("utf-8")))
    expected = FOLDER / f"{name}.guidance"
    if request.config.getoption("--update-golden"):
        expected.write_text(got, "utf-8")
    assert got == expected.read_text("utf-8")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.txt")), ids=lambda path: path.stem)
def test_the_first_line_may_be_typed_after_every_line_of_every_golden_match(path):
    match = read_match(path.read_text("utf-8"))
    referee = Referee(match.game, match.setup)
    for line in (None, *match.events):
        if line is not None:
            referee.submit_line(line)
        guidance = guidance_of(match.game, referee.view(None))
        assert guidance.steps or referee.state.table.over
        for step in guidance.steps[:1]:
            assert referee.propose(referee.parse(step.example)).error is None, step
