"""Suits of decks with more than two inks are told by the inks of the certain reads."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import reads_at
from vision.hypotheses import Hypotheses
from vision.ink import ink_directions, suits_by_ink
from vision.locate import Candidates
from vision.types import RANK_LABELS, SUIT_LABELS

DECK = get_deck("standard")
SIZE = 40.0
STEP = 70
FOUR = {"S": (25, 25, 25), "H": (40, 30, 200), "D": (190, 90, 20), "C": (60, 130, 20)}
TWO = FOUR | {"D": FOUR["H"], "C": FOUR["S"]}
RANKS = RANK_LABELS[:13]
NAMES = ("AS", "2S", "3S", "AH", "2H", "3H", "AD", "2D", "3D", "AC", "2C", "3C")


def drawn(inks, *, light, blur):
    """A row of indices of one shape, printed in their suits' inks and seen in some light."""
    image = np.full((160, STEP * (len(NAMES) + 1), 3), 240, np.uint8)
    for k, name in enumerate(NAMES):
        x = STEP * (k + 1)
        cv2.rectangle(image, (x - 8, 62), (x + 8, 74), inks[name[-1]], -1)
        cv2.circle(image, (x, 92), 8, inks[name[-1]], -1, cv2.LINE_AA)
    lit = np.clip(image * np.array(light), 0, 255).astype(np.uint8)
    n = len(NAMES)
    found = Candidates(
        np.array([(STEP * (k + 1), 80) for k in range(n)], np.float32),
        np.tile(np.array([0, 1], np.float32), (n, 1)),
        np.full(n, SIZE, np.float32),
        np.ones(n, np.float32),
    )
    return cv2.GaussianBlur(lit, (0, 0), blur), found


def scene(inks, doubtful, *, light=(1.0, 1.0, 1.0), blur=1.0):
    """Twelve cards; the network takes the doubtful ones for another suit, chances 0.7 to 0.3."""
    image, found = drawn(inks, light=light, blur=blur)
    ranks = np.full((len(NAMES), 15), 1e-6, np.float32)
    suits = np.full((len(NAMES), 5), 1e-6, np.float32)
    for k, name in enumerate(NAMES):
        ranks[k, RANKS.index(name[:-1])] = 1.0
        right = SUIT_LABELS.index(name[-1])
        wrong = doubtful.get(name)
        if wrong is None:
            suits[k, right] = 1.0
        else:
            suits[k, right], suits[k, SUIT_LABELS.index(wrong)] = 0.3, 0.7
    hypotheses = Hypotheses(DECK, ranks, suits)
    certain = [k for k, name in enumerate(NAMES) if name not in doubtful]
    return image, found, hypotheses, reads_at(found, NAMES, certain)


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.6, 0.8, 1.0), (0.45, 0.4, 0.35)])
@pytest.mark.parametrize("blur", [0.6, 2.5])
def test_a_green_club_is_no_diamond_and_a_blue_diamond_no_heart(light, blur):
    doubtful = {"3C": "D", "3D": "H", "3S": "C"}
    image, found, hypotheses, reads = scene(FOUR, doubtful, light=light, blur=blur)
    after = suits_by_ink(image, found, hypotheses, reads)
    for name in doubtful:
        k, right = NAMES.index(name), SUIT_LABELS.index(name[-1])
        assert after.suit_probs[k, right] > 0.85
    certain = [k for k, name in enumerate(NAMES) if name not in doubtful]
    assert (after.probs[certain].max(axis=1) > 0.99).all()
    assert after.suit_probs.sum(axis=1) == pytest.approx(hypotheses.suit_probs.sum(axis=1))
    assert (after.rank_probs == hypotheses.rank_probs).all()


def test_a_deck_of_two_inks_is_left_as_it_is():
    image, found, hypotheses, reads = scene(TWO, {"3C": "S", "3D": "H"})
    assert suits_by_ink(image, found, hypotheses, reads) is hypotheses


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.45, 0.6, 0.8)])
def test_red_is_told_from_black_where_that_is_asked(light):
    doubtful = {"3D": "S", "3C": "H"}
    image, found, hypotheses, reads = scene(TWO, doubtful, light=light)
    after = suits_by_ink(image, found, hypotheses, reads, two=True)
    for name in doubtful:
        assert after.suit_probs[NAMES.index(name), SUIT_LABELS.index(name[-1])] > 0.85


def test_a_grey_picture_tells_no_suits():
    image, found, hypotheses, reads = scene(dict.fromkeys("SHDC", FOUR["S"]), {"3D": "S"})
    after = suits_by_ink(image, found, hypotheses, reads, two=True)
    assert after.suit_probs == pytest.approx(hypotheses.suit_probs, abs=0.02)


def test_a_single_wrong_pattern_does_not_carry_its_like_away():
    """One club that is certainly taken for a diamond neither moves the diamonds nor stays one."""
    image, found, hypotheses, reads = scene(FOUR, {})
    k, club, diamond = NAMES.index("3C"), SUIT_LABELS.index("C"), SUIT_LABELS.index("D")
    suits = hypotheses.suit_probs.copy()
    suits[k, [club, diamond]] = 0.05, 0.95
    wrong = hypotheses.with_suits(suits)
    four = [r for r in reads if str(r.card) not in ("3C", "3D")]
    renamed = ["3D" if name == "3C" else name for name in NAMES]
    after = suits_by_ink(image, found, wrong, [*four, *reads_at(found, renamed, [k])])
    assert after.suit_probs[k, club] > after.suit_probs[k, diamond]
    assert after.suit_probs[NAMES.index("2D"), diamond] > 0.95


def test_where_all_is_certain_all_stays_certain():
    image, found, hypotheses, reads = scene(FOUR, {})
    after = suits_by_ink(image, found, hypotheses, reads)
    assert (after.best == hypotheses.best).all()
    assert (after.score > 0.99).all()


def test_without_certain_reads_nothing_is_said():
    image, found, hypotheses, _ = scene(FOUR, {"3C": "D"})
    assert suits_by_ink(image, found, hypotheses, []) is hypotheses


@pytest.mark.filterwarnings("error")
def test_where_no_ink_is_seen_all_stays_as_it_was():
    image, found, hypotheses, reads = scene(FOUR, {"3C": "D"})
    for paper in (255, 90):
        blank = np.full_like(image, paper)
        assert suits_by_ink(blank, found, hypotheses, reads, two=True) is hypotheses


def test_ink_is_the_same_in_any_light_and_blank_paper_has_none():
    image, found = drawn(FOUR, light=(1.0, 1.0, 1.0), blur=0.6)
    dim, _ = drawn(FOUR, light=(0.5, 0.6, 0.7), blur=2.0)
    ink, seen = ink_directions(image, found)
    again, _ = ink_directions(dim, found)
    assert seen.all()
    assert ((ink * again).sum(axis=1) > 0.99).all()
    _, seen = ink_directions(np.full_like(image, 200), found)
    assert not seen.any()
