"""The rules that the app tells: alike in both languages, each example as the referee judges it."""

import re

import pytest

from companion.cards import parse_cards
from companion.core.guidance.generic import guidance_of
from companion.core.referee import Referee
from companion.core.registry import all_games, get_game
from mobile.model import rulebook
from mobile.resources import texts

NOTATION = re.compile(r"\*:|\?\?|\b(?:[AJQK]|10|[2-9])[SHDC]\b|\b[WB][1-6]\b|\b[0A2-5][SMCH]\b")

FOUR = ("Ann", "Bo", "Cy", "Dee")
#: Each game's example as it is played: options, players, events.
EXAMPLES = {
    "precognition": (
        {"cards": parse_cards("2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C")},
        ("Ann", "Bo"),
        "Ann*: predict UUDDUSU|Bo*: predict UD|table: row 2S 6H 5C 4D 7S 9D 7H AC 2H 2D 5S 8C",
    ),
    "gotcha": (
        {"options": {"deal": "10-1"}},
        ("Ann", "Bo"),
        "Ann: guess Bo smallest 6 is 10|Bo: right 10D|Ann: gotcha Bo smallest 3 is 4|Bo: wrong",
    ),
    "missing-persons": (
        {},
        ("Ann", "Bo"),
        "Ann: hide ??|Bo: hide ??|table: deal Ann 2S 4S 6S 8S 10S JD QD 3H 5H 9D"
        "|table: deal Bo 2C 4C 6C 8C 10C 2D 4D 6D 8D 10D|Ann: ask “red?”|Bo: yes"
        "|Ann: turn 2S 4S 6S 8S 10S|Ann: draw 3S 5S 7S 9S JS|Ann: ask “a royal?”|Bo: yes"
        "|Ann: turn 3H 5H 9D|Ann: draw 7H 9H KH|Ann: ask “a heart?”|Bo: no"
        "|Ann: guess KD|Bo: right",
    ),
    "deduction": (
        {},
        ("Ann", "Bo", "Cy"),
        "table: up 5M 5C|Ann: coin 3S|Ann: ask Bo have Suns|Bo: yes|Bo*Ann: show 2S|Ann: done"
        "|Bo: coin 4M|Bo: ask Cy count 4|Cy: 2|Bo: done|Cy: coin AC|Cy: ask Ann have Crowns"
        "|Ann: no|Cy: done|Ann: coin 2M|Ann: ask Cy have 2|Cy: no|Ann: announce 5H|table: right",
    ),
    "suspense": (
        {},
        ("Ann", "Bo"),
        "table: dealer Ann|Ann: play W6|Bo: play B5|Ann: play W4|Ann: stay|Bo: fold"
        "|table: secret W1",
    ),
    "hearts": (
        {"options": {"target": "0"}},
        FOUR,
        "Ann: play 2C|Bo: play KC|Cy: play 9C|Dee: play KD",
    ),
    "spades": (
        {"options": {"target": "0"}},
        FOUR,
        "Ann: bid 4|Bo: bid 3|Cy: bid 2|Dee: bid nil"
        "|Ann: play AD|Bo: play 4D|Cy: play 2S|Dee: play 6D",
    ),
    "oh-hell": (
        {"options": {"cards": "3"}},
        ("Ann", "Bo", "Cy"),
        "table: trump 7H|Ann: bid 1|Bo: bid 1|Cy: bid 0|Ann: play KS|Bo: play 10S|Cy: play 2C",
    ),
    "whist": (
        {"options": {"target": "0"}},
        FOUR,
        "table: trump 9C|Ann: play QH|Bo: play KH|Cy: play 3C|Dee: play 5H",
    ),
}


def played(name):
    """The referee after a game's example."""
    more, names, lines = EXAMPLES[name]
    game = get_game(name)
    setup = game.setup(list(names), more.get("options"), cards=more.get("cards"))
    referee = Referee(game, setup)
    for line in lines.replace("“", '"').replace("”", '"').split("|"):
        entry = referee.accept(line)
        assert not entry.findings, line
    return referee


def example(name):
    """The words of a game's example in English."""
    game = get_game(name)
    return " ".join(line.text for line in rulebook.pages(name, game.family)[1])


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_two_pages_alike_in_both_languages(game):
    shapes = []
    for code in ("en", "de"):
        texts.use(code)
        pages = rulebook.pages(game.name, game.family)
        assert len(pages) == 2
        shapes.append([[(line.is_heading, line.cards) for line in page] for page in pages])
        words = [line.text for page in pages for line in page]
        assert not [text for text in words if NOTATION.search(text)]
        assert all(any(line.is_heading for line in page) for page in pages)
        assert any(line.cards for page in pages for line in page) or game.name == "deduction"
        # A screen or two of reading, not a manual.
        assert max(sum(len(line.text) for line in page) for page in pages) < 1900
    assert shapes[0] == shapes[1]
    assert set(EXAMPLES) == {one.name for one in all_games()}


def test_precognition_wins_as_the_page_says():
    referee = played("precognition")
    assert guidance_of(referee.game, referee.view(None)).headline in example("precognition")


def test_gotcha_scores_as_the_page_says():
    assert played("gotcha").state.points[0] == 4
    assert "7 points" in example("gotcha")
    assert "loses 3 points and has 4" in example("gotcha")


def test_the_person_is_found_as_the_page_says():
    referee = played("missing-persons")
    assert referee.state.table.winners == (0,)
    assert example("missing-persons").endswith("Right: Ann wins.")


def test_the_tile_is_found_as_the_page_says():
    referee = played("deduction")
    headline = guidance_of(referee.game, referee.view(None)).headline
    assert headline == "Ann wins: the 5 of Shields was missing."
    assert headline in example("deduction")


def test_suspense_scores_as_the_page_says():
    referee = played("suspense")
    assert referee.state.table.scores == (2, 1)
    assert "highest number in play" in str(referee.state.condition)
    assert "Bo deals next." in example("suspense")
    assert referee.game.starts_next(referee.state) == 1


@pytest.mark.parametrize(
    ("name", "taker", "words"),
    [
        ("hearts", 1, "Bo has the highest club and takes the trick."),
        ("spades", 2, "The spade takes the trick: it is Cy's"),
        ("oh-hell", 0, "The trick is Ann's."),
        ("whist", 2, "The trump takes the trick for Ann and Cy."),
    ],
)
def test_the_trick_is_taken_as_the_page_says(name, taker, words):
    assert played(name).state.takers == (taker,)
    assert words in example(name)


def test_a_bid_that_would_fit_is_refused_as_the_page_says():
    game = get_game("oh-hell")
    referee = Referee(game, game.setup(["Ann", "Bo", "Cy"], {"cards": "3"}))
    for line in ("table: trump 7H", "Ann: bid 1", "Bo: bid 1"):
        referee.accept(line)
    assert referee.propose(referee.parse("Cy: bid 1")).error is not None
    assert referee.propose(referee.parse("Cy: bid 0")).error is None
