"""Whole faces around doubtful indices, with networks whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.test_around import CARD, Voice
from vision.card_patches import CardPatch
from vision.face_reader import FaceReader
from vision.hypotheses import Hypotheses
from vision.locate import Candidates
from vision.onnx_proto import TensorSpec
from vision.types import RANK_LABELS, SUIT_LABELS
from vision.whole_faces import weighed_by_faces

DECK = get_deck()
IMAGE = np.zeros((400, 600, 3), np.uint8)
GLYPHS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "joker", "none")
SUITS = ("S", "H", "D", "C", "none")


@dataclass
class Says:
    """A network that says the same of every patch, and keeps what it was shown."""

    rank: str = "7"
    suit: str = "H"
    sure: float = 6.0
    shown: list[np.ndarray] = field(default_factory=list)
    engine: str = "none"
    inputs = (TensorSpec("image", (None, 3, 144, 96)),)
    outputs = (TensorSpec("out", (None, 20)),)

    def run(self, inputs):
        self.shown += list(inputs["image"])
        out = np.zeros((len(inputs["image"]), 20), np.float32)
        out[:, GLYPHS.index(self.rank)] = self.sure
        out[:, len(GLYPHS) + SUITS.index(self.suit)] = self.sure
        return {"out": out}


def reader(says: Says) -> FaceReader:
    return FaceReader(says, glyphs=GLYPHS, suits=SUITS, patch=CardPatch((96, 144), 0.9))


def candidates(*marks):
    """Marks as (x, y, {rank: chance}, {suit: chance}); the rest is none."""
    n = len(marks)
    ranks, suits = np.zeros((n, 15), np.float32), np.zeros((n, 5), np.float32)
    for k, (_, _, rank, suit) in enumerate(marks):
        for chances, labels, told in ((ranks, RANK_LABELS, rank), (suits, SUIT_LABELS, suit)):
            for name, chance in told.items():
                chances[k, labels.index(name)] = chance
            chances[k, -1] = 1 - sum(told.values())
    found = Candidates(
        np.array([mark[:2] for mark in marks], np.float32),
        np.tile(np.array([[0, 1]], np.float32), (n, 1)),
        np.full(n, 17, np.float32),
        np.ones(n, np.float32),
    )
    return found, Hypotheses(DECK, ranks, suits)


def weighed(*marks, says=None, outlines=None, most=8, letters=True):
    found, before = candidates(*marks)
    after, seen = weighed_by_faces(
        IMAGE,
        found,
        before,
        outlines or Voice(),
        reader(says or Says()),
        DECK,
        most=most,
        letters=letters,
    )
    return before, after, seen


DOUBT = (106.0, 114.0, {"7": 0.4, "J": 0.5}, {"H": 0.45, "D": 0.5})


def test_the_face_decides_between_what_the_index_may_be():
    before, after, seen = weighed(DOUBT)
    assert str(before.cards[before.best[0]]) == "JD"
    assert str(after.cards[after.best[0]]) == "7H"
    assert seen.which.tolist() == [0]
    assert seen.quads[0] == pytest.approx(CARD)


def test_how_likely_it_is_no_card_stays_as_it_was():
    before, after, _ = weighed(DOUBT)
    assert after.rank_probs[:, -1] == pytest.approx(before.rank_probs[:, -1])
    assert after.suit_probs[:, -1] == pytest.approx(before.suit_probs[:, -1])
    assert after.rank_probs.sum() == pytest.approx(1, abs=1e-5)
    assert after.suit_probs.sum() == pytest.approx(1, abs=1e-5)


def test_an_index_that_is_quite_sure_outweighs_a_face_that_is_not():
    sure = (106.0, 114.0, {"J": 0.97, "7": 0.02}, {"D": 0.99})
    _, after, _ = weighed(sure, says=Says(sure=1.0))
    assert str(after.cards[after.best[0]]) == "JD"


def test_what_is_settled_is_not_looked_at():
    outlines = Voice()
    settled = (106.0, 114.0, {"7": 0.998}, {"H": 0.998})
    before, after, seen = weighed(settled, outlines=outlines)
    assert outlines.asked == 0
    assert len(seen.which) == 0
    assert after is before


def test_no_more_are_looked_at_than_is_allowed():
    says = Says()
    marks = [(106.0 + 0.1 * k, 114.0, {"7": 0.3 + 0.05 * k}, {"H": 0.9}) for k in range(5)]
    _, _, seen = weighed(*marks, says=says, most=2)
    assert len(says.shown) == 2
    # The others stand on the same card: what was read there holds for them too.
    assert sorted(seen.which.tolist()) == [0, 1, 2, 3, 4]


def test_a_face_that_several_indices_stand_on_tells_each_of_them_less():
    _, alone, _ = weighed(DOUBT)
    _, both, _ = weighed(DOUBT, (157.0, 174.0, *DOUBT[2:]))
    assert alone.score[0] > both.score[0] > 0.5
    assert both.score[1] == pytest.approx(both.score[0])


def test_of_strange_letters_the_face_does_not_tell_the_courts():
    mark = (106.0, 114.0, {"J": 0.5, "Q": 0.4}, {"H": 0.9})
    says = Says(rank="Q", sure=4.0)
    _, known, _ = weighed(mark, says=says)
    assert str(known.cards[known.best[0]]) == "QH"
    _, strange, _ = weighed(mark, says=says, letters=False)
    assert str(strange.cards[strange.best[0]]) == "JH"


def test_that_a_mark_is_a_jokers_is_always_looked_into():
    outlines = Voice()
    weighed((106.0, 114.0, {"joker": 0.999}, {}), outlines=outlines)
    assert outlines.asked > 0


@pytest.mark.parametrize("outlines", [Voice(face=0.5), Voice(off=0.1)])
def test_where_no_face_is_found_nothing_changes(outlines: Voice):
    says = Says()
    before, after, _ = weighed(DOUBT, outlines=outlines, says=says)
    assert after is before
    assert says.shown == []


def test_a_face_that_is_none_says_nothing():
    before, after, seen = weighed(DOUBT, says=Says(rank="none", suit="none"))
    assert after is before
    assert len(seen.which) == 0


def test_an_index_in_the_middle_of_a_card_is_not_its_own():
    before, after, _ = weighed((131.0, 144.0, *DOUBT[2:]))
    assert after is before


def test_a_card_that_lies_under_others_is_not_looked_at():
    others = [
        (x, 140.0, {"K": 0.999}, {"S": 0.999}) for x in (125.0, 135.0)
    ]  # upon the card itself
    outlines = Voice()
    before, after, _ = weighed(DOUBT, *others, outlines=outlines)
    assert after is before
    # One corner of a neighbour may reach across.
    _, after, _ = weighed(DOUBT, others[0], outlines=outlines)
    assert str(after.cards[after.best[0]]) == "7H"


def test_a_jokers_face_makes_a_mark_a_jokers():
    mark = (106.0, 114.0, {"joker": 0.3, "J": 0.5}, {"S": 0.1})
    before, after, seen = weighed(mark, says=Says(rank="joker", suit="none"))
    assert after.joker[0] > 0.6 > before.joker[0]
    assert seen.ranks[0, RANK_LABELS.index("joker")] > 0.9
