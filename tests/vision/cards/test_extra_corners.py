"""Further corners of a row's last cards that read as cards of their own."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import (
    Camera,
    Placed,
    RowStyle,
    candidates,
    corners_of,
    deal,
    index_pose,
    lay_row,
    readings,
)
from vision.cards.reads import card_reads, row_reads

DECK = get_deck("standard")


def named_at(poses):
    """Candidates and hypotheses of (name, sureness, centre, rank-to-suit vector)."""
    found = candidates(
        *((*c, np.hypot(*v), np.degrees(np.arctan2(-v[0], v[1]))) for _, _, c, v in poses)
    )
    return found, readings(*((name, sure) for name, sure, *_ in poses))


def row(seed, *, four, misread, sure, lines=2):
    """A row of which one corner of the last card of the last line is misread.

    Returns what was read, the names that lie there, and the misread name.
    """
    rng = np.random.default_rng(seed)
    cards = deal(rng, 20)
    others = [c for c in DECK.cards[:52] if c.suit == cards[-1].suit and c not in cards]
    wrong = others[rng.integers(len(others))]
    style = RowStyle(lines=lines, four=four, turn=0.03, jitter=2.0)
    scene: list[Placed] = [placed for line in lay_row(rng, cards, style) for placed in line]
    read = seen(rng, scene, misread, str(wrong), sure, in_row=True)
    return read, {str(c) for c in cards}, str(wrong)


def seen(rng, scene, misread, wrong, sure, *, in_row, which=-1):
    """Names that are read of a scene in which one corner of one card reads as another card."""
    camera = Camera.looking(
        corners_of(scene), tilt=rng.uniform(0, 0.5), azimuth=rng.uniform(0, 6.3), roll=0.1
    )
    poses = []
    for placed in scene:
        for corner in placed.corners_seen:
            centre, down = index_pose(placed, corner)
            top, bottom = camera(centre - down / 2), camera(centre + down / 2)
            name, chance = str(placed.card), 0.995
            if placed is scene[which] and corner == misread:
                name, chance = wrong, sure
            poses.append((name, chance, (top + bottom) / 2, bottom - top))
    found, hypotheses = named_at(poses)
    read_cards = row_reads if in_row else card_reads
    accepted, doubtful, _ = read_cards(found, hypotheses, accept=0.85, doubt=0.2)
    return {str(r.card) for r in (*accepted, *doubtful)}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("four", "misread"), [(False, "br"), (True, "tr"), (True, "br")])
def test_a_misread_corner_of_a_last_card_is_no_card(seed, four, misread):
    read, there, wrong = row(seed, four=four, misread=misread, sure=0.93)
    assert there <= read
    assert wrong not in read


@pytest.mark.parametrize("seed", range(6))
def test_a_last_cards_far_end_is_its_own_however_sure_of_another_suit(seed):
    """The suit of which it is sure may be the one of a card that lies elsewhere in the row."""
    rng = np.random.default_rng(seed)
    cards = deal(rng, 20)
    style = RowStyle(lines=2, turn=0.03, jitter=2.0)
    scene = [placed for line in lay_row(rng, cards, style) for placed in line]
    last = str(cards[-1])
    wrong = last[:-1] + {"S": "C", "C": "S", "H": "D", "D": "H"}[last[-1]]
    read = seen(rng, scene, "br", wrong, 0.999, in_row=True)
    there = {str(c) for c in cards}
    assert there <= read
    assert read == there


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sure", [0.93, 0.98])
def test_the_foot_of_a_card_half_covered_by_the_next_line_is_no_card(seed, sure):
    rng = np.random.default_rng(seed)
    cards = deal(rng, 20)
    style = RowStyle(lines=2, four=True, turn=0.03, jitter=2.0)
    scene = [placed for line in lay_row(rng, cards, style) for placed in line]
    which = int(rng.integers(1, 8))
    others = [c for c in DECK.cards[:52] if c.suit == cards[which].suit and c not in cards]
    assert "bl" in scene[which].corners_seen
    read = seen(rng, scene, "bl", str(others[0]), sure, in_row=True, which=which)
    assert {str(c) for c in cards} <= read
    assert str(others[0]) not in read


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("four", [False, True])
def test_no_card_of_a_row_is_taken_for_a_corner(seed, four):
    """The last card's leading index is one more card of the line, however it reads."""
    read, there, wrong = row(seed, four=four, misread="tl", sure=0.93)
    assert there - read <= {max(there - read, default="")}
    assert wrong in read or there <= read


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("shown", "misread"), [(("tl", "tr", "br"), "bl"), (("br", "bl"), "tl")])
def test_a_misread_corner_of_a_separate_four_index_card_is_no_card(seed, shown, misread):
    rng = np.random.default_rng(seed)
    cards = deal(rng, 4)
    others = [c for c in DECK.cards[:52] if c.suit == cards[-1].suit and c not in cards]
    wrong = str(others[rng.integers(len(others))])
    scene = [
        Placed(card, (150.0 * (k % 2), 150.0 * (k // 2)), float(rng.uniform(0, 6.3)),
               (*shown, misread) if k == 3 else ("tl", "tr", "bl", "br"))
        for k, card in enumerate(cards)
    ]  # fmt: skip
    assert seen(rng, scene, misread, wrong, 0.93, in_row=False) == {str(c) for c in cards}


@pytest.mark.parametrize("seed", range(8))
def test_a_card_beside_one_of_its_rank_is_no_corner_of_it(seed):
    """The cards lie about their width apart, and of one the lower corner is hidden."""
    rng = np.random.default_rng(seed)
    cards = deal(rng, 12)
    which = int(rng.integers(1, 10))
    same = [c for c in DECK.cards[:52] if c.rank == cards[which + 1].rank and c not in cards]
    cards[which] = same[0] if same else cards[which]
    scene = [
        Placed(
            card,
            (50.0 * k, float(rng.normal(0, 3))),
            float(rng.normal(0, 0.05)),
            ("tl",) if k == which else ("tl", "bl") if k < 11 else ("tl", "bl", "tr", "br"),
        )
        for k, card in enumerate(cards)
    ]
    assert {str(c) for c in cards} <= seen(rng, scene, "", "", 0, in_row=True)
