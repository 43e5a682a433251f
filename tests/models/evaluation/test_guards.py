"""Guard sets: their goals, their line of the model card, and other decks' letters."""

import re

import numpy as np
import pytest

from companion.cards import parse_cards
from models import evaluate
from models.evaluation.guards import GUARDS, Goal, card_table, line, write_table
from models.evaluation.scoring import Tally, _score_letters
from tests.vision.layouts import read_of
from vision.types import Reading


@pytest.mark.parametrize(
    ("goal", "tally", "met"),
    [
        (Goal(), Tally(cards=10, read=1, wrong=5), True),
        (Goal(least=0.98), Tally(cards=100, read=98, wrong=5), True),
        (Goal(least=0.98), Tally(cards=100, read=97), False),
        (Goal(most=0), Tally(photos=9, wrong=1), False),
        (Goal("rows_exact", "rows", 0.97, most=0), Tally(rows=100, rows_exact=97), True),
        (Goal("rows_exact", "rows", 0.97, most=0), Tally(rows=100, rows_exact=99, wrong=1), False),
        (Goal("rows_exact", "rows", 0.97), Tally(), False),
    ],
)
def test_a_goal_is_met_by_shares_and_by_what_is_wrong(goal, tally, met):
    assert goal.is_met(tally) is met


def test_the_command_offers_every_set_by_name():
    assert set(evaluate.NAMES) == set(GUARDS)
    for name in evaluate.NAMES:
        assert re.search(rf"\b{name}\b", evaluate.__doc__), name


@pytest.mark.parametrize(
    ("name", "tally", "expected"),
    [
        ("rows", Tally(rows=10, rows_exact=9, wrong=2), "(seed 5) | 10 rows | 9 (90.0%) | 2 |"),
        ("card-free", Tally(photos=30, wrong=1), "(seed 5) | 30 pictures | 29 | 1 |"),
        ("auto", Tally(lettered=4, told=4, wrong=3), "(seed 5) | 4 pictures | 4 (100.0%) | 0 |"),
    ],
)
def test_the_line_of_a_set(name, tally, expected):
    assert line(name, tally, 5) == f"| {GUARDS[name].about} {expected}"


def test_a_table_takes_the_place_of_the_old_one(tmp_path):
    card = tmp_path / "CARD.md"
    card.write_text("# Card\n<!-- table: made by x -->\n| old |\n<!-- end of table -->\nrest\n")
    write_table("| new |\n", tmp_path / "table.md", card)
    assert card.read_text() == (
        "# Card\n<!-- table: made by x -->\n| new |\n<!-- end of table -->\nrest\n"
    )
    assert (tmp_path / "table.md").read_text() == "| new |\n"


def test_a_table_is_not_counted_twice(tmp_path, monkeypatch):
    (tmp_path / "checksums.json").write_text("{}")
    asked = []

    def counted(name, work, **how):
        asked.append(name)
        return Tally(cards=4, read=3, photos=1)

    monkeypatch.setattr("models.evaluation.guards.run", counted)
    again = [
        card_table(
            tmp_path / "work", models=tmp_path, art=tmp_path, seed=1, workers=1, counts={"fans": 1}
        )
        for _ in range(2)
    ]
    assert asked == ["fans"]
    assert again[0] == again[1]
    assert again[0].splitlines()[-1] == "| fans (seed 1) | 4 cards | 3 (75.0%) | 0 |"
    (tmp_path / "checksums.json").write_text('{"other": 1}')
    card_table(
        tmp_path / "work", models=tmp_path, art=tmp_path, seed=1, workers=1, counts={"fans": 1}
    )
    assert asked == ["fans", "fans"]


def german(read: str, *, deck: str, at: tuple[float, float], cards: tuple[str, ...]) -> Tally:
    """What is counted of a picture in which a jack (a B) lies at 50, 50 and a seven at 300, 50."""
    square = np.array([[0.0, 0.0], [90.0, 0.0], [90.0, 120.0], [0.0, 120.0]])
    entry = {
        "alphabet": "german",
        "cards": list(cards),
        "foreign": [name for name in cards if name[0] in "JQ"],
        "outlines": [
            {"card": "JH", "corners": square.tolist()},
            {"card": "7S", "corners": np.add(square, (250.0, 0.0)).tolist()},
        ],
    }
    index = [(np.array(at), np.array([0.0, 20.0]))]
    reads = tuple(read_of(card, index) for card in parse_cards(read))
    tally = Tally()
    _score_letters(entry, Reading((400, 200), reads, deck=deck), tally)
    return tally


@pytest.mark.parametrize(
    ("read", "deck", "at", "wrong", "told"),
    [
        ("JH", "german", (50.0, 50.0), 0, 1),
        ("8H", "standard", (50.0, 50.0), 1, 0),  # a B taken for an 8
        ("8S", "german", (300.0, 50.0), 0, 1),  # wrong, but of no foreign letter
        ("JH", "dutch", (50.0, 50.0), 0, 1),  # a B is a jack there too
        ("JH", "french", (50.0, 50.0), 0, 0),
    ],
)
def test_foreign_letters_are_counted_where_they_lie(read, deck, at, wrong, told):
    tally = german(read, deck=deck, at=at, cards=("JH", "7S", "9C"))
    assert (tally.foreign, tally.foreign_wrong) == (1, wrong)
    assert (tally.lettered, tally.told) == (1, told)


def test_pictures_of_few_cards_need_not_tell_the_deck():
    tally = german("JH", deck="standard", at=(50.0, 50.0), cards=("JH", "7S"))
    assert (tally.lettered, tally.told) == (0, 0)
