"""Doubtful indices around which a face is found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from companion.cards import card, parse_cards
from companion.decks import get_deck
from vision.around import with_faces_around
from vision.hypotheses import Hypotheses
from vision.outliner import Found
from vision.types import RANK_LABELS, SUIT_LABELS, CardRead, IndexRead, as_quad

NONE = np.zeros(0, np.float32)
IMAGE = np.zeros((400, 400, 3), np.uint8)
CARD = np.array([[100.0, 100.0], [163.0, 100.0], [163.0, 188.0], [100.0, 188.0]])
SEVEN, KING, SIX = parse_cards("7H KS 6H")


@dataclass
class Voice:
    """An outliner that finds one card, whatever it is asked about."""

    face: float = 0.98
    off: float = 0.015
    asked: int = 0
    kinds: tuple[str, ...] = ("face", "back", "none")

    def find(self, image: np.ndarray, starts: np.ndarray, *, looks: int) -> Found:
        n = len(starts)
        self.asked += n
        kinds = np.tile([self.face, 1 - self.face, 0], (n, 1))
        return Found(np.tile(CARD, (n, 1, 1)), np.full((n, 4), self.off), kinds)


def read(name=SEVEN, confidence=0.7, x=106.0, y=114.0, alternatives=()) -> CardRead:
    index = IndexRead((x, y), (0.0, 1.0), 17.0, NONE, NONE, 0.9)
    return CardRead(name, confidence, as_quad(CARD), (index,), alternatives)


def told(doubtful, cards=(), voice=None):
    sure, left = with_faces_around(IMAGE, cards, doubtful, voice or Voice(), accept=0.85)
    return [str(r.card) for r in sure], left


def test_a_face_around_a_doubtful_index_makes_it_a_card():
    sure, left = told([read()])
    assert sure == ["7H"]
    assert left == []


@pytest.mark.parametrize("voice", [Voice(face=0.5), Voice(off=0.1)])
def test_no_face_or_an_unsure_one_says_nothing(voice: Voice):
    before = read()
    sure, left = told([before], voice=voice)
    assert sure == []
    assert left == [before]


def test_which_of_two_cards_it_is_the_face_does_not_say():
    voice = Voice()
    rival = read(alternatives=((card("7D"), 0.2),))
    assert told([rival], voice=voice)[0] == []
    assert voice.asked == 0


def test_an_index_in_the_middle_of_the_card_is_none():
    assert told([read(x=131, y=144)])[0] == []


def test_the_corner_of_a_card_that_is_read_makes_no_second_one():
    other = read(KING, 0.99, x=157, y=174)
    sure, left = told([read()], [other])
    assert sure == ["KS"]
    assert [r.confidence for r in left] == [0.7]


def test_two_names_for_one_card_stay_in_doubt():
    sure, left = told([read(), read(SIX, 0.6, x=157, y=174)])
    assert sure == []
    assert len(left) == 2


def test_a_name_that_is_read_is_not_given_again():
    other = replace(read(SEVEN, 0.99, x=320, y=320))
    voice = Voice()
    assert told([read()], [other], voice=voice)[0] == ["7H"]
    assert voice.asked == 0


def test_what_stays_below_acceptance_is_not_accepted():
    sure, left = told([read(confidence=0.41)])
    assert sure == []
    assert 0.41 < left[0].confidence < 0.85


def test_without_doubt_nobody_is_asked():
    voice = Voice()
    assert told([], [read(KING, 0.99)], voice=voice) == (["KS"], [])
    assert voice.asked == 0


def faces_at(name: str, suit: str, chance: float):
    """A reader of faces that says the same of each."""

    def told(quads: np.ndarray) -> Hypotheses:
        ranks = np.full((len(quads), 15), (1 - chance) / 14, np.float32)
        suits = np.full((len(quads), 5), 0.0, np.float32)
        ranks[:, RANK_LABELS.index(name)] = chance
        suits[:, SUIT_LABELS.index(suit)] = 1.0
        return Hypotheses(get_deck(), ranks, suits)

    return told


@pytest.mark.parametrize(
    ("rank", "chance", "settled"), [("7", 0.97, True), ("7", 0.4, False), ("6", 0.97, False)]
)
def test_a_face_that_says_the_same_settles_which_card_it_is(rank, chance, settled):
    rival = read(alternatives=((card("7D"), 0.28),))
    told = faces_at(rank, "H", chance)
    sure, left = with_faces_around(IMAGE, [], [rival], Voice(), accept=0.85, faces_at=told)
    assert [str(r.card) for r in sure] == (["7H"] if settled else [])
    if settled:
        assert sure[0].chance_of_any <= 1
        assert sure[0].alternatives[0][1] < 0.1
    else:
        assert left == [rival]


@pytest.mark.parametrize("voice", [Voice(face=0.5), Voice(off=0.05)])
def test_where_no_face_is_seen_none_is_read(voice: Voice):
    rival = read(alternatives=((card("7D"), 0.28),))
    told = faces_at("7", "H", 0.97)
    assert with_faces_around(IMAGE, [], [rival], voice, accept=0.85, faces_at=told)[0] == []


def test_only_the_most_likely_of_many_doubts_are_asked_about():
    voice = Voice()
    every = [read(name, 0.5) for name in parse_cards("2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC")]
    with_faces_around(IMAGE, [], every, voice, accept=0.85, faces_at=faces_at("7", "H", 0.97))
    assert voice.asked == 16
