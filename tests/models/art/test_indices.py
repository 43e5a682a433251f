"""Indices are found where they were drawn, on one deck of invented cards."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.art.indices import Index, correlation, find_indices
from models.art.paths import CARDS, split_card
from models.art.render import Rgba

WIDTH, HEIGHT = 350, 500


def draw_card(card: str, *, corners: int = 2, frame: bool = True) -> Rgba:
    """A card with upright indices top left (and right, for four) and turned ones below."""
    rank, suit = split_card(card)
    half = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    colour = (200, 20, 20, 255) if suit in "HD" else (20, 20, 20, 255)
    for left in (16, 292)[: corners // 2]:
        scale = 0.9 if rank == "10" else 1.6
        cv2.putText(half, rank, (left, 56), cv2.FONT_HERSHEY_DUPLEX, scale, colour, 3)
        draw_suit(half, suit, (left + 16, 86), 14, colour)
    for y in (120, 200):
        draw_suit(half, suit, (WIDTH // 2, y), 24, colour)
    card_image = half.copy()
    card_image[HEIGHT // 2 :] = half[::-1, ::-1][HEIGHT // 2 :]
    if frame and rank in "JQK":
        cv2.rectangle(card_image, (80, 40), (WIDTH - 80, HEIGHT - 40), (60, 60, 200, 255), 3)
    return card_image


def draw_suit(
    image: Rgba, suit: str, centre: tuple[int, int], radius: int, colour: tuple[int, ...]
) -> None:
    """Four shapes that differ as the suits do; only their places matter here."""
    x, y = centre
    tip = {"S": (0, -1), "H": (0, 1), "D": (0, 1), "C": (0, -1)}[suit]
    if suit == "D":
        points = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
        cv2.fillPoly(image, [np.array(points, np.int32)], colour)
        return
    cv2.circle(image, (x - radius // 2, y), radius // 2 + 1, colour, -1)
    cv2.circle(image, (x + radius // 2, y), radius // 2 + 1, colour, -1)
    points = [(x - radius, y), (x + radius, y), (x, y + tip[1] * radius)]
    cv2.fillPoly(image, [np.array(points, np.int32)], colour)


def centre(index: Index) -> tuple[float, float]:
    """The middle of the suit symbol."""
    x0, y0, x1, y1 = index.suit_box
    return (x0 + x1) / 2, (y0 + y1) / 2


@pytest.fixture(scope="module")
def in_two_corners() -> dict[str, list[Index]]:
    """What is found on a deck with two indices a card."""
    return find_indices({card: draw_card(card) for card in CARDS})


@pytest.mark.parametrize("corners", [2, 4])
def test_every_corner_of_every_card_is_found_in_place(
    corners: int, in_two_corners: dict[str, list[Index]]
) -> None:
    found = in_two_corners
    if corners == 4:
        found = find_indices({card: draw_card(card, corners=4) for card in CARDS})
    assert set(found) == set(CARDS)
    for card, indices in found.items():
        assert len(indices) == corners, card
        assert sorted(i.angle for i in indices) == [0] * (corners // 2) + [180] * (corners // 2)
        x, y = centre(indices[0])
        assert abs(x - 32) < 4, card
        assert abs(y - 86) < 8, card
        for index in indices:
            above = index.rank_box[3] <= index.suit_box[1] + 3
            assert above == (index.angle == 0), card


def test_boxes_hold_the_ink_of_the_rank(in_two_corners: dict[str, list[Index]]) -> None:
    image = draw_card("8S")
    x0, y0, x1, y1 = in_two_corners["8S"][0].rank_box
    ink = image[..., :3].max(axis=2) < 195
    assert ink[y0:y1, x0:x1].any(axis=0).all()
    assert not ink[y0:y1, max(0, x0 - 6) : x0].any()
    assert not ink[max(0, y0 - 6) : y0, x0:x1].any()


def test_a_card_without_its_lower_index_or_with_another_glyph_is_left_out() -> None:
    cards = {card: draw_card(card) for card in CARDS}
    cards["5H"][HEIGHT // 2 :] = 255
    cards["7C"] = draw_card("2C")
    assert set(find_indices(cards)) == set(CARDS) - {"5H", "7C"}


def test_blank_cards_have_no_indices() -> None:
    blank = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    assert find_indices(dict.fromkeys(CARDS, blank)) == {}


def test_correlation_knows_same_opposite_and_flat() -> None:
    ramp = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
    assert correlation(ramp, 3 * ramp + 1) == pytest.approx(1.0)
    assert correlation(ramp, 1 - ramp) == pytest.approx(-1.0)
    assert correlation(ramp, np.ones_like(ramp)) == 0.0
