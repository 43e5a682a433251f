"""Hands of cribbage: known ones, what must hold for all, the command, and a rendered photo."""

import json
from itertools import permutations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.printing.curves import rasterised
from calibration.printing.faces import printable
from companion.cards import Family, card, family_cards, parse_cards
from companion.cli.main import main
from companion.cribbage import apart, count
from companion.errors import UsageError

DECK = [card for card in family_cards(Family.STANDARD) if not card.is_joker]
FIVE = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True)


def points(hand, starter, **how):
    return sum(part.points for part in count(parse_cards(hand), card(starter), **how))


@pytest.mark.parametrize(
    ("hand", "starter", "wanted"),
    [
        ("5H 5S 5D JC", "5C", 29),
        ("5H 5S 5D 5C", "JC", 28),
        ("4H 5S 5D 6C", "6H", 24),
        ("2H 4H 6H 8H", "QS", 4),
        ("2H 4H 6H 8H", "KH", 5),
        ("AH 2S 3D 4C", "5H", 7),
        ("2S 4H 6D 8C", "QS", 0),
        ("KH QS JD 9C", "2D", 4),
        ("3H 3S 3D 4C", "5H", 21),
    ],
)
def test_known_hands(hand, starter, wanted):
    assert points(hand, starter) == wanted


def test_in_the_crib_only_five_of_a_suit_are_a_flush():
    assert points("2H 4H 6H 8H", "QS", crib=True) == 0
    assert points("2H 4H 6H 8H", "KH", crib=True) == 5


@given(FIVE)
def test_what_holds_for_every_hand(five):
    parts = count(tuple(five[:4]), five[4])
    total = sum(part.points for part in parts)
    assert 0 <= total <= 29
    assert total not in {19, 25, 26, 27}
    assert all(set(part.cards) <= set(five) for part in parts)
    assert len({(part.why, frozenset(part.cards)) for part in parts}) == len(parts)
    crib = sum(part.points for part in count(tuple(five[:4]), five[4], crib=True))
    assert total - crib in {0, 4}


@given(FIVE)
def test_the_order_of_the_hand_does_not_matter(five):
    totals = {sum(part.points for part in count(hand, five[4])) for hand in permutations(five[:4])}
    assert len(totals) == 1


@pytest.mark.parametrize(
    ("hand", "starter"),
    [("5H 5S 5D", "5C"), ("5H 5S 5D 5H", "5C"), ("5H 5S 5D JK", "5C"), ("5 5S 5D JC", "5C")],
)
def test_what_is_no_hand_is_refused(hand, starter):
    with pytest.raises(UsageError):
        points(hand, starter)


def test_one_lies_apart_or_none_does():
    def lying(*places):
        return [((x, y), (x + 8, y), (x + 8, y + 12), (x, y + 12)) for x, y in places]

    row = ((0.0, 0.0), (10.0, 0.0), (20.0, 1.0), (30.0, 0.0))
    assert apart(lying(*row, (60.0, 0.0))) == 4
    assert apart(lying((-30.0, 9.0), *row)) == 0
    assert apart(lying(*row, (40.0, 0.0))) is None


def test_the_command(capsys):
    given = ["score", "cribbage", "--hand", "4H 5S 6D JH", "--starter", "2H"]
    assert main([*given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "points": 8,
        "parts": [
            {"points": 2, "cards": ["5S", "JH"], "why": "fifteen"},
            {"points": 2, "cards": ["4H", "5S", "6D"], "why": "fifteen"},
            {"points": 3, "cards": ["4H", "5S", "6D"], "why": "run of 3"},
            {"points": 1, "cards": ["JH"], "why": "his nobs"},
        ],
    }
    assert main(given) == 0
    assert "8  in all" in capsys.readouterr().out
    assert main(["score", "cribbage"]) == 2
    assert main(given[:4]) == 2


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A photo of four cards side by side, and one apart."""
    faces = printable("standard").faces
    picture = np.full((900, 2600, 3), (70, 110, 60), np.uint8)
    for code, left in zip(("5H", "5S", "5D", "JC", "5C"), (80, 500, 920, 1340, 2100), strict=True):
        face = rasterised(faces[code], 6.0)[..., :3]
        picture[180 : 180 + face.shape[0], left : left + face.shape[1]] = face
    path = tmp_path_factory.mktemp("photo") / "hand.png"
    assert cv2.imwrite(str(path), picture)
    return path


def test_a_photo_is_counted(table, capsys):
    assert main(["score", "cribbage", str(table), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["points"] == 29
    assert told["parts"][-1] == {"points": 1, "cards": ["JC"], "why": "his nobs"}
    assert main(["score", "cribbage", str(table), "--starter", "JC", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["points"] == 28
    assert main(["score", "cribbage", str(table), "--starter", "2C"]) == 2
    assert "2C is not in the photo" in capsys.readouterr().err
