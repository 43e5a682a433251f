"""When what the network of outlines says is believed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from companion.cards import parse_cards
from tests.vision.layouts import index
from vision.images.pyramid import Pyramid
from vision.outlines.faces import card_about, with_faces
from vision.outlines.outliner import FoundCorners
from vision.types import CardRead, Reading, as_quad

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
    return CardRead(SEVEN, 0.99, as_quad(CARD), (index(x, y, size=17),))


def outline(voice: Voice, of: CardRead | None = None):
    of = of or read()
    (card,) = with_faces(Pyramid(IMAGE), Reading((400, 400), (of,)), voice).cards
    return np.array(card.quad) if card.exact else None


def test_a_sure_network_tells_the_outline():
    assert outline(Voice(CARD)) == pytest.approx(CARD)


@pytest.mark.parametrize("voice", [Voice(CARD, off=0.2), Voice(CARD, none=0.9)])
def test_an_unsure_network_gives_no_outline(voice: Voice):
    assert outline(voice) is None


def test_where_an_edge_is_seen_beside_a_side_that_is_the_side():
    image = np.full((400, 400, 3), 60, np.uint8)
    image[100:189, 100:164] = 220
    (card,) = with_faces(Pyramid(image), Reading((400, 400), (read(),)), Voice(CARD + 1.5)).cards
    assert np.array(card.quad) == pytest.approx(CARD, abs=0.6)


def test_a_card_without_the_index_in_its_corner_is_another_one():
    assert outline(Voice(CARD + OTHER)) is None
    in_the_middle = replace(read(131, 144), quad=as_quad(CARD + OTHER))
    assert outline(Voice(CARD), in_the_middle) is None


def test_an_index_may_stand_at_the_left_or_at_the_right():
    voice = Voice(CARD)
    outline(voice)
    assert len(voice.starts) == 2  # the left one, looked at twice
    voice = Voice(CARD + OTHER)
    outline(voice)
    left, right = voice.starts
    assert left.mean(axis=0) == pytest.approx(CARD.mean(axis=0), abs=3)
    assert right[:, 0].max() == pytest.approx(112, abs=2)
    for start in (left, right):
        (a, b), (c, d) = start[1] - start[0], start[2] - start[1]
        assert a * d - b * c > 0  # clockwise


def test_where_the_outline_is_about_known_it_begins_there():
    voice = Voice(CARD)
    outline(voice, replace(read(), outlined=True))
    assert voice.starts[0] == pytest.approx(CARD)


def test_without_cards_there_are_no_outlines():
    voice, nothing = Voice(CARD), Reading((400, 400))
    assert with_faces(Pyramid(IMAGE), nothing, voice) == nothing
    assert voice.starts == []


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
    (quad,) = card_about(Pyramid(IMAGE), read().indices, voice)
    assert (quad is not None) is is_seen
    assert quad is None or quad == pytest.approx(CARD)


def test_no_card_is_looked_for_without_an_index():
    voice = Voice(CARD)
    assert card_about(Pyramid(IMAGE), (), voice) == []
    assert voice.starts == []


@pytest.mark.parametrize(("upon", "asked"), [(1, True), (2, False)])
def test_a_card_upon_which_several_others_lie_is_not_asked_about(upon, asked):
    """In a fan nearly every card is covered: its outline cannot be seen, and looking takes long."""
    others = [read(128.0 + 8 * k, 140.0) for k in range(upon)]
    voice = Voice(CARD)
    with_faces(Pyramid(IMAGE), Reading((400, 400), (read(), *others)), voice)
    assert bool(np.abs(voice.starts[0] - CARD).max() < 1) is asked
