"""How what the network of outlines says is weighed against what the edges say."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from companion.cards import parse_cards
from vision.outlines.about import card_about, looked_at
from vision.outlines.outliner import FoundCorners
from vision.types import CardRead, IndexRead, as_quad

NONE = np.zeros(0, np.float32)
IMAGE = np.zeros((400, 400, 3), np.uint8)
CARD = np.array([[100.0, 100.0], [163.0, 100.0], [163.0, 188.0], [100.0, 188.0]])
OTHER = np.array([80.0, 0.0])
(SEVEN,) = parse_cards("7H")


@dataclass
class Voice:
    """An outliner that says the same of whatever it is asked about."""

    corners: np.ndarray
    off: float = 0.01
    kinds: tuple[str, ...] = ("face", "back", "none")
    none: float = 0.0
    starts: list[np.ndarray] = field(default_factory=list)

    def find(self, image: np.ndarray, starts: np.ndarray, *, looks: int) -> FoundCorners:
        self.starts += list(starts)
        n = len(starts)
        kinds = np.tile([1 - self.none, 0, self.none], (n, 1))
        return FoundCorners(np.tile(self.corners, (n, 1, 1)), np.full((n, 4), self.off), kinds)


def read(x: float = 106.0, y: float = 114.0) -> CardRead:
    """A card of which one index is seen, 17 px high, upright."""
    index = IndexRead((x, y), (0.0, 1.0), 17.0, NONE, NONE, 0.9)
    return CardRead(SEVEN, 0.99, as_quad(CARD), (index,))


def outline(voice: Voice, edges: np.ndarray | None, of: CardRead | None = None):
    (quad,) = looked_at(IMAGE, [of or read()], [None if edges is None else as_quad(edges)], voice)
    return None if quad is None else np.array(quad)


def test_where_edges_tell_nothing_a_sure_network_does():
    assert outline(Voice(CARD), None) == pytest.approx(CARD)


@pytest.mark.parametrize("voice", [Voice(CARD, off=0.2), Voice(CARD, none=0.9)])
def test_an_unsure_network_gives_no_outline(voice: Voice):
    assert outline(voice, None) is None


def test_where_both_agree_the_card_lies_between_them():
    assert outline(Voice(CARD + 2), CARD) == pytest.approx(CARD + 1)


def test_either_end_of_a_card_may_be_the_first_one():
    assert outline(Voice(np.roll(CARD + 2, 2, axis=0)), CARD) == pytest.approx(CARD + 1)


def test_where_they_disagree_the_network_is_believed_if_it_is_sure():
    inner = CARD + np.array([[12, 12], [-12, 12], [-12, -12], [12, -12]])
    assert outline(Voice(CARD), inner) == pytest.approx(CARD)
    assert outline(Voice(CARD, off=0.2), inner) is None


def test_a_card_without_the_index_in_its_corner_is_another_one():
    assert outline(Voice(CARD + OTHER), None) is None
    assert outline(Voice(CARD + OTHER), CARD) == pytest.approx(CARD)
    in_the_middle = read(131, 144)
    assert outline(Voice(CARD), None, in_the_middle) is None


def test_an_index_may_stand_at_the_left_or_at_the_right():
    voice = Voice(CARD)
    outline(voice, None)
    left, right = voice.starts[:2]
    assert left.mean(axis=0) == pytest.approx(CARD.mean(axis=0), abs=3)
    assert right[:, 0].max() == pytest.approx(112, abs=2)
    for start in (left, right):
        (a, b), (c, d) = start[1] - start[0], start[2] - start[1]
        assert a * d - b * c > 0  # clockwise


def test_where_the_outline_is_about_known_it_begins_there():
    voice = Voice(CARD)
    outline(voice, None, replace(read(), outlined=True))
    assert voice.starts[0] == pytest.approx(CARD)


def test_without_cards_there_are_no_outlines():
    assert looked_at(IMAGE, [], [], Voice(CARD)) == ()


@pytest.mark.parametrize(
    ("voice", "is_seen"),
    [
        (Voice(CARD), True),
        (Voice(CARD, off=0.2), False),
        (Voice(CARD, none=0.5), False),
        (Voice(CARD + OTHER), False),
    ],
)
def test_a_card_lies_about_an_index_where_the_network_is_sure_of_its_corners(voice, is_seen):
    (quad,) = card_about(IMAGE, read().indices, voice)
    assert (quad is not None) is is_seen
    assert quad is None or quad == pytest.approx(CARD)


def test_no_card_is_looked_for_without_an_index():
    voice = Voice(CARD)
    assert card_about(IMAGE, (), voice) == []
    assert voice.starts == []
