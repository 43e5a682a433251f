"""The suit of a number card by its large pips."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.printing.curves import rasterised
from calibration.printing.faces import printable
from companion.cards import card
from tests.vision.table import NONE
from vision.pips import suits_by_pips, weighed, with_pips
from vision.read import Reader
from vision.types import SUIT_LABELS, CardRead, IndexRead

PER_MM = 1.9


@cache
def faces():
    return printable("standard").faces


def lying(code, *, angle=0.0, noise=6.0, light=0.8):
    """A card on a dark table, as a camera over the table sees it, and its corners."""
    face = rasterised(faces()[code], 5.0, 2)
    face = np.where(face[..., 3:] > 127, face[..., :3], 255).astype(np.uint8)
    height, width = face.shape[:2]
    scale = PER_MM / 5.0
    c, s = np.cos(angle) * scale, np.sin(angle) * scale
    middle = np.array([160.0, 130.0])
    move = np.array([[c, -s, 0.0], [s, c, 0.0]])
    move[:, 2] = middle - move[:, :2] @ (width / 2, height / 2)
    small = cv2.GaussianBlur(face, (0, 0), 0.45 / scale)
    picture = np.full((260, 320, 3), (60, 70, 50), np.uint8)
    cv2.warpAffine(small, move, (320, 260), dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
    grain = np.random.default_rng(5).normal(0, noise, picture.shape)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ move[:, :2].T
    return np.clip(picture * light + grain, 0, 255).astype(np.uint8), corners + move[:, 2]


def read_as(code, quad, sure=0.97, **others):
    index = IndexRead((0.0, 0.0), (0.0, 1.0), 20.0, NONE, NONE, sure)
    alternatives = tuple((card(name[1:]), p) for name, p in others.items())
    corners = tuple(map(tuple, quad.tolist()))
    return CardRead(card(code), sure, corners, (index,), alternatives, outlined=True)


@pytest.mark.parametrize("code", ["2S", "5S", "7C", "10C", "8S", "AC", "AS", "3H", "9D", "10H"])
@pytest.mark.parametrize("angle", [0.2, 3.3])
def test_pips_tell_the_suit(code, angle):
    picture, quad = lying(code, angle=angle)
    count = {"A": 1}.get(code[:-1]) or int(code[:-1])
    likeness = suits_by_pips(picture, quad, count, "SC" if code[-1] in "SC" else "HD")
    assert max(likeness, key=likeness.get) == code[-1]


def test_a_small_index_is_put_right_by_the_pips():
    picture, quad = lying("7C")
    found = weighed(picture, read_as("7S", quad, 0.9, _7C=0.1))
    assert found.card is card("7C")
    assert found.confidence > 0.75
    assert found.alternatives[0][0] is card("7S")


def test_a_name_that_the_pips_bear_out_gets_surer():
    picture, quad = lying("7S")
    found = weighed(picture, read_as("7S", quad, 0.9, _7C=0.1))
    assert found.card is card("7S")
    assert found.confidence > 0.98


def test_where_the_count_is_another_the_pips_tell_nothing():
    picture, quad = lying("7C")
    for read in (read_as("8S", quad), read_as("KS", quad)):
        assert weighed(picture, read) is read
    cv2.rectangle(picture, (130, 90), (150, 140), (200, 200, 200), -1)
    hidden = read_as("7S", quad)
    assert weighed(picture, hidden) is hidden


@pytest.mark.parametrize(("code", "misread"), [("5H", "6H"), ("7S", "AS"), ("3C", "8C")])
def test_their_count_tells_between_ranks_that_the_index_may_be(code, misread):
    picture, quad = lying(code)
    found = weighed(picture, read_as(misread, quad, 0.9, **{f"_{code}": 0.06}))
    assert found.card is card(code)
    assert found.confidence > 0.8
    never = read_as(misread, quad, 0.9)
    assert weighed(picture, never) is never, "no name is made of the pips alone"


def test_reads_are_accepted_anew():
    picture, quad = lying("5H")
    unsure, wrong = read_as("5H", quad, 0.8, _6H=0.15), read_as("6H", quad, 0.9, _5H=0.06)
    assert [r.card.code for r in with_pips(picture, [], [unsure], accept=0.85)[0]] == ["5H"]
    cards, doubtful = with_pips(picture, [wrong], [], accept=0.999)
    assert not cards
    assert [r.card.code for r in doubtful] == ["5H"]


def test_no_card_is_named_twice():
    picture, quad = lying("5H")
    elsewhere = replace(read_as("5H", quad), outlined=False)
    read = read_as("6H", quad, 0.9, _5H=0.06)
    cards, _ = with_pips(picture, [read, elsewhere], [], accept=0.85)
    assert cards == [read, elsewhere]


def test_a_court_card_has_no_count():
    picture, quad = lying("KS")
    read = read_as("KS", quad, 0.9, _6S=0.05)
    assert weighed(picture, read) is read


def test_pips_that_may_be_either_cast_doubt_on_the_index():
    picture, quad = lying("7C")
    blurred = cv2.GaussianBlur(picture, (0, 0), 3.0)
    likeness = suits_by_pips(blurred, quad, 7)
    assert abs(likeness["S"] - likeness["C"]) < 0.05
    found = weighed(blurred, read_as("7C", quad, 0.97, _7S=0.02))
    assert found.card is card("7C")
    assert found.confidence < 0.95


def told(suit, odds=4.0):
    """What tells every pip as one suit, and how often it was asked."""
    asked = []

    def suits_of(pips):
        asked.append(len(pips))
        logs = np.full((len(pips), 4), -odds, np.float32)
        logs[:, SUIT_LABELS.index(suit)] = 0.0
        return logs

    return suits_of, asked


def test_the_classifier_is_asked_where_index_and_drawings_differ():
    picture, quad = lying("7C")
    suits_of, asked = told("C")
    found = weighed(picture, read_as("7S", quad, 0.97, _7C=0.03), suits_of)
    assert found.card is card("7C")
    assert asked == [8], "four pips, either way up"


def test_the_classifier_is_not_asked_where_index_and_drawings_agree():
    picture, quad = lying("7S")
    suits_of, asked = told("C")
    found = weighed(picture, read_as("7S", quad, 0.97, _7C=0.03), suits_of)
    assert found.card is card("7S")
    assert not asked


def test_a_classifier_that_cannot_tell_casts_doubt_on_the_index():
    picture, quad = lying("7S")
    suits_of, asked = told("C", odds=0.1)
    read = read_as("7S", quad, 0.9, _7C=0.05)
    assert weighed(picture, read, suits_of).confidence < read.confidence
    assert asked


@pytest.mark.parametrize("code", ["2S", "5S", "7C", "10C", "AC", "AS"])
def test_the_shipped_classifier_tells_pips_that_stand_alone(code):
    picture, quad = lying(code, angle=0.4)
    finder = Reader().finder
    one, two = code, code[:-1] + ("C" if code[-1] == "S" else "S")
    read = read_as(two, quad, 0.7, **{f"_{one}": 0.3})
    found = weighed(picture, read, finder.suits_of)
    assert found.card is card(one)
    assert found.confidence > 0.9
