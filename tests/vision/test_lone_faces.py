"""Cards that are named by their faces alone, with networks whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import cv2
import numpy as np
import pytest

from companion.cards import parse_cards
from companion.decks import get_deck
from tests.vision.test_around import read
from tests.vision.test_whole_faces import GLYPHS, SUITS, Says, reader
from vision.locate import Candidates
from vision.lone_faces import LoneFace, lone_faces, with_lone_faces
from vision.outline_deck import DeckShape, Flat
from vision.outline_guesses import Taken, guesses_of
from vision.outliner import Found
from vision.types import as_quad

DECK = get_deck()
SEVEN, KING = parse_cards("7H KS")
READ = np.array([[60.0, 60.0], [123.0, 60.0], [123.0, 148.0], [60.0, 148.0]])
OPEN = READ + np.array([180.0, 40.0])


def table(*quads, paper=235):
    """Blank cards on a dark table."""
    image = np.full((400, 600, 3), (40, 70, 40), np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), (paper, paper, paper))
    return image


@dataclass
class Looks:
    """An outliner that finds cards just where it is told to look."""

    face: float = 0.98
    off: float = 0.015
    asked: int = 0
    kinds: tuple[str, ...] = ("face", "back", "none")

    def find(self, image, starts, *, looks):
        n = len(starts)
        self.asked += n
        kinds = np.tile([self.face, 1 - self.face, 0], (n, 1))
        return Found(np.array(starts, float).reshape(-1, 4, 2), np.full((n, 4), self.off), kinds)


def known(name=KING, confidence=0.97):
    """A card that was read by its indices, at READ."""
    return replace(read(name, confidence, x=66.0, y=74.0), quad=as_quad(READ), outlined=True)


def found(image, reads=None, *, looks=None, says=None, letters=True, marks=None):
    reads = [known()] if reads is None else reads
    faces_at = partial(reader(says or Says()).read_twice, image, deck=DECK, letters=letters)
    return lone_faces(image, reads, looks or Looks(), faces_at, marks)


def mark_at(x, y, *, heat=0.3):
    """A faint upright mark."""
    one = [np.array([v], np.float32) for v in ((x, y), (0, 1), 12, heat)]
    return Candidates(*one)


def face(name="7", suit="H", sure=0.96, quad=OPEN, *, is_covered=False):
    ranks, suits = np.zeros(15, np.float32), np.zeros(5, np.float32)
    ranks[GLYPHS.index(name)], ranks[-1] = sure, 1 - sure
    suits[SUITS.index(suit)], suits[-1] = sure, 1 - sure
    return LoneFace(quad, ranks, suits, is_covered)


def named(*faces, cards=None, doubtful=()):
    cards = [known()] if cards is None else cards
    sure, left = with_lone_faces(faces, cards, doubtful, DECK, accept=0.85, doubt=0.2)
    return [str(r.card) for r in sure], left


def test_a_card_that_lies_open_is_found_by_its_size_and_read():
    says = Says()
    faces = found(table(READ, OPEN), says=says)
    assert len(faces) == 1
    assert faces[0].quad.mean(axis=0) == pytest.approx(OPEN.mean(axis=0), abs=8)
    assert GLYPHS[int(faces[0].ranks.argmax())] == "7"
    assert len(says.shown) >= 2  # upright and on its head


def test_without_a_card_that_is_read_nothing_is_looked_for():
    looks = Looks()
    assert found(table(READ, OPEN), [], looks=looks) == []
    assert looks.asked == 0


@pytest.mark.parametrize("looks", [Looks(face=0.4), Looks(off=0.1)])
def test_what_the_outliner_does_not_take_for_a_face_is_none(looks):
    assert found(table(READ, OPEN), looks=looks) == []


def test_the_card_that_is_read_is_not_found_again():
    assert found(table(READ)) == []


@pytest.mark.parametrize("quad", [OPEN * 1.7 - 100, READ + 0.6 * (OPEN - READ) - [60, 0]])
def test_things_of_another_size_and_cards_that_were_read_are_left_alone(quad):
    faces = found(table(READ, quad))
    assert all(cv2.contourArea(f.quad.astype(np.float32)) < 1.3 * 63 * 88 for f in faces)
    assert all(np.linalg.norm(f.quad.mean(axis=0) - READ.mean(axis=0)) > 40 for f in faces)


def test_of_strange_letters_courts_and_jokers_are_not_told_apart():
    (one,) = found(table(READ, OPEN), says=Says(rank="Q"), letters=False)
    courts = one.ranks[[GLYPHS.index(name) for name in ("J", "Q", "K", "joker")]]
    assert courts == pytest.approx(np.full(4, courts[0]))
    assert named(one)[0] == ["KS"]


def test_a_sure_face_names_its_card():
    sure, left = named(face())
    assert sure == ["KS", "7H"]
    assert left == []


def test_an_unsure_face_is_asked_about():
    sure, left = named(face(sure=0.8))
    assert sure == ["KS"]
    assert [(str(r.card), r.outlined) for r in left] == [("7H", True)]
    assert 0.2 < left[0].confidence < 0.85


@pytest.mark.parametrize("name", ["joker", "none"])
def test_a_face_of_no_card_of_the_deck_names_none(name):
    assert named(face(name, sure=0.99)) == (["KS"], [])


def test_a_name_that_is_read_is_not_given_twice():
    assert named(face(), cards=[known(SEVEN)]) == (["7H"], [])


def test_an_index_upon_it_that_reads_otherwise_leaves_both_in_doubt():
    x, y = OPEN[0] + [6, 14]
    other = read(parse_cards("9C")[0], 0.6, x=x, y=y)
    sure, left = named(face(), doubtful=[other])
    assert sure == ["KS"]
    assert left == [other]


def test_an_index_upon_it_that_reads_alike_is_settled():
    x, y = OPEN[0] + [6, 14]
    assert named(face(), doubtful=[read(SEVEN, 0.6, x=x, y=y)]) == (["KS", "7H"], [])


def test_its_index_stands_where_indices_do():
    sure, _ = with_lone_faces([face()], [], [], DECK, accept=0.85, doubt=0.2)
    (index,) = sure[0].indices
    assert index.centre == pytest.approx(OPEN[0] + [5.5, 14.0])
    assert index.direction == pytest.approx((0.0, 1.0))
    assert index.size == pytest.approx(17.0)


@pytest.mark.parametrize(("paper", "wanted"), [(235, 1), (140, 1), (75, 0)])
def test_what_is_no_paper_like_that_of_the_others_is_no_guess(paper, wanted):
    image = table(READ)
    dark = table(OPEN, paper=paper)
    image[dark[..., 0] == paper] = paper
    shape, taken = DeckShape.usual(63.0, cards=1), Taken([READ], np.zeros((0, 2)), (600, 400))
    _, quads = guesses_of(image, Flat.level((600, 400)), shape, taken, like=[READ])
    near = np.linalg.norm(quads.mean(axis=1) - OPEN.mean(axis=0), axis=1) < 10
    assert bool(near.any()) == bool(wanted)


def test_a_card_without_edges_is_found_by_a_mark_upon_it():
    image = table(READ, paper=40)  # nothing is seen of any card
    assert found(image) == []
    faces = found(image, marks=mark_at(*(OPEN[0] + [7.5, 12.3])))
    assert any(np.abs(face.quad - OPEN).max() < 1.5 for face in faces)


def test_a_card_begun_a_quarter_turn_off_is_read_upright():
    @dataclass
    class Turned(Looks):
        """One that finds the open card by what begins a quarter turn off, its corners so named."""

        def find(self, image, starts, *, looks):
            out = super().find(image, starts, looks=looks)
            ways = [np.roll(OPEN, k, axis=0) for k in range(4)]
            for quad, off in zip(out.corners, out.off, strict=True):
                k = int(np.argmin([np.abs(way - quad).sum() for way in ways]))
                quad[:], off[:] = ways[k], 0.01 if k % 2 else 0.02
            return out

    image, shown = table(READ), []

    def faces_at(quads):
        shown.extend(quads)
        return reader(Says()).read_twice(image, quads, DECK)

    lone_faces(image, [known()], Turned(), faces_at, mark_at(*OPEN.mean(axis=0)))
    assert shown
    for quad in shown:
        assert any(np.abs(np.roll(OPEN, k, axis=0) - quad).max() < 1e-6 for k in (0, 2))


def test_starts_that_lead_to_one_card_are_not_all_followed():
    @dataclass
    class OneCard(Looks):
        """One that finds the open card wherever it begins."""

        def find(self, image, starts, *, looks):
            out = super().find(image, starts, looks=looks)
            out.corners[:] = OPEN
            return out

    looks = OneCard()
    assert len(found(table(READ, paper=40), looks=looks, marks=mark_at(*OPEN.mean(axis=0)))) == 1
    assert looks.asked == 5 + 3 * 2


def test_a_face_under_the_index_of_another_card_is_no_card_by_itself():
    sure, left = named(face(is_covered=True))
    assert (sure, left) == (["KS"], [])


@pytest.mark.parametrize(("at", "upon", "free"), [
    ((30, 50), 0, False), ((30, 50), 1, True), ((6, 12), 1, False), ((-9, 50), 0, True),
])  # fmt: skip
def test_an_index_may_be_upon_a_face_but_not_where_its_own_would_be(at, upon, free):
    taken = Taken([], np.array([OPEN[0] + at]), (600, 400))
    assert taken.leaves(OPEN, upon=upon) is free


def test_of_two_indices_upon_a_face_one_is_too_many():
    taken = Taken([], np.array([OPEN[0] + [30, 50], OPEN[0] + [35, 60]]), (600, 400))
    assert not taken.leaves(OPEN, upon=1)
