"""Doubtful suits are told by the certain symbols of the same picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.layouts import reads_at
from vision.fuse import Hypotheses
from vision.likeness import suits_by_likeness
from vision.locate import Candidates
from vision.types import RANK_LABELS, SUIT_LABELS

DECK = get_deck("standard")
SIZE = 60.0
STEP = 90
S, C = SUIT_LABELS.index("S"), SUIT_LABELS.index("C")
RANKS = RANK_LABELS[:13]


def drawn(names, *, turn, blur):
    """A row of indices: a mark for the rank above a spade (a peak) or a club (three circles)."""
    image = np.full((260, STEP * (len(names) + 1), 3), 235, np.uint8)
    centre, down = [], []
    for k, name in enumerate(names):
        x, y = STEP * (k + 1), 130
        c, s = np.cos(turn), np.sin(turn)
        way, right = np.array([-s, c]), np.array([c, s])
        at = np.array([x, y]) + 0.28 * SIZE * way
        shade = (30, 30, 30)
        if name[-1] == "S":
            corners = [at - 14 * way, at + 9 * way + 13 * right, at + 9 * way - 13 * right]
            cv2.fillPoly(image, [np.array(corners, np.int32)], shade, cv2.LINE_AA)
        else:
            for off in (-8 * way, 5 * way + 8 * right, 5 * way - 8 * right):
                cv2.circle(image, tuple(int(v) for v in at + off), 7, shade, -1, cv2.LINE_AA)
        mark = np.array([x, y]) - 0.28 * SIZE * way
        cv2.circle(image, tuple(int(v) for v in mark), 4 + k % 5, shade, 2, cv2.LINE_AA)
        centre.append((x, y))
        down.append(way)
    n = len(names)
    found = Candidates(
        np.array(centre, np.float32),
        np.array(down, np.float32),
        np.full(n, SIZE, np.float32),
        np.ones(n, np.float32),
    )
    return cv2.GaussianBlur(image, (0, 0), blur), found


def scene(*, turn=0.0, blur=1.0, doubt=0.5):
    """Ten black cards; the network is sure of all but three, and leans to the wrong suit there."""
    names = ["AS", "2C", "3S", "4C", "5S", "6C", "7S", "8C", "9S", "10C"]
    doubtful = (3, 6, 9)
    image, found = drawn(names, turn=turn, blur=blur)
    ranks = np.full((len(names), 15), 1e-6, np.float32)
    suits = np.full((len(names), 5), 1e-6, np.float32)
    for k, name in enumerate(names):
        ranks[k, RANKS.index(name[:-1])] = 1.0
        right = S if name[-1] == "S" else C
        sure = 1 - doubt if k in doubtful else 0.999
        suits[k, [right, S + C - right]] = sure, 1 - sure
    hypotheses = Hypotheses(DECK, ranks, suits)
    certain = [k for k in range(len(names)) if k not in doubtful]
    return names, doubtful, image, found, hypotheses, reads_at(found, names, certain)


@pytest.mark.parametrize("turn", [0.0, 0.4, 3.0])
@pytest.mark.parametrize("blur", [0.6, 2.5])
def test_a_doubtful_suit_goes_to_the_symbols_it_looks_like(turn, blur):
    names, doubtful, image, found, hypotheses, reads = scene(turn=turn, blur=blur, doubt=0.6)
    after = suits_by_likeness(image, found, hypotheses, reads)
    for k in doubtful:
        right = S if names[k][-1] == "S" else C
        assert hypotheses.suit_probs[k, right] < 0.5 < after.suit_probs[k, right]
    certain = [k for k in range(len(names)) if k not in doubtful]
    assert (after.suit_probs[certain] == hypotheses.suit_probs[certain]).all()
    assert after.suit_probs.sum(axis=1) == pytest.approx(hypotheses.suit_probs.sum(axis=1))
    assert (after.rank_probs == hypotheses.rank_probs).all()


def test_without_patterns_of_both_suits_nothing_is_moved():
    _, _, image, found, hypotheses, reads = scene()
    for few in (reads[:3], [read for read in reads if read.card.suit == "S"]):
        after = suits_by_likeness(image, found, hypotheses, few)
        assert (after.suit_probs == hypotheses.suit_probs).all()
    assert suits_by_likeness(image, found, hypotheses, []) is hypotheses
