"""Poses between the cards of a row, where one must lie that was not found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.cards import Card
from tests.vision.layouts import reads_at
from vision.indices.locate import Candidates
from vision.rows.row_places import poses_in_gaps
from vision.types import CardRead

NAMES = ["AS", "2C", "3S", "4C", "5S", "6C", "7S", "8C", "9S", "10C"]
SIZE = (1600, 600)
PITCH, HEIGHT = 60.0, 40.0


def row(*, turn: float = 0.0, without: tuple[int, ...] = ()) -> tuple[list[CardRead], np.ndarray]:
    """Reads of a row of ten but some, and where all ten indices are."""
    right = np.array([np.cos(turn), np.sin(turn)])
    down = np.array([-right[1], right[0]])
    places = np.array([800.0, 300.0]) + (np.arange(10) - 4.5)[:, None] * PITCH * right
    found = Candidates(
        places.astype(np.float32),
        np.tile(down.astype(np.float32), (10, 1)),
        np.full(10, HEIGHT, np.float32),
        np.ones(10, np.float32),
    )
    reads = reads_at(found, NAMES, range(10))
    assert all(isinstance(read.card, Card) for read in reads)
    return [read for k, read in enumerate(reads) if k not in without], places


def nearest(poses: Candidates, place: np.ndarray) -> float:
    return float(np.hypot(*(poses.centre - place).T).min(initial=np.inf))


@given(st.floats(-0.6, 0.6), st.integers(1, 8))
def test_a_missing_card_is_looked_for_where_it_lies(turn, gone):
    reads, places = row(turn=turn, without=(gone,))
    poses = poses_in_gaps(reads, sure=0.9, size=SIZE)
    assert nearest(poses, places[gone]) < 0.12 * HEIGHT
    assert poses.size == pytest.approx(HEIGHT, rel=0.01)
    others = np.delete(places, gone, axis=0)
    assert min(nearest(poses, place) for place in others) > 0.3 * HEIGHT


def test_two_missing_neighbours_are_both_looked_for():
    reads, places = row(without=(4, 5))
    poses = poses_in_gaps(reads, sure=0.9, size=SIZE)
    assert max(nearest(poses, places[k]) for k in (4, 5)) < 0.12 * HEIGHT


@given(st.floats(-0.6, 0.6), st.sampled_from([0, 9]))
def test_the_first_and_the_last_card_are_looked_for_beyond_the_others(turn, gone):
    reads, places = row(turn=turn, without=(gone,))
    poses = poses_in_gaps(reads, sure=0.9, size=SIZE)
    assert nearest(poses, places[gone]) < 0.12 * HEIGHT
    assert min(nearest(poses, place) for place in np.delete(places, gone, axis=0)) > 0.3 * HEIGHT


@pytest.mark.parametrize("step", [0.5, 0.75, 1.5])
def test_the_first_card_may_lie_nearer_or_farther_than_the_others(step):
    _, places = row()
    place = places[1] + step * (places[0] - places[1])
    poses = poses_in_gaps(row(without=(0,))[0], sure=0.9, size=SIZE)
    assert nearest(poses, place) < 0.12 * HEIGHT


def test_a_whole_row_has_no_gaps_and_few_cards_no_step():
    poses = poses_in_gaps(row()[0], sure=0.9, size=SIZE)
    _, places = row()
    inside = (poses.centre[:, 0] > places[0, 0]) & (poses.centre[:, 0] < places[-1, 0])
    assert not inside.any()
    far = np.abs(poses.centre[:, 0] - 800).max()
    assert far < 6.2 * PITCH
    assert len(poses_in_gaps(row()[0][:2], sure=0.9, size=SIZE)) == 0
    assert len(poses_in_gaps([], sure=0.9, size=SIZE)) == 0


def test_what_is_not_sure_leaves_a_gap_and_all_poses_lie_in_the_picture():
    reads, places = row(without=(3,))
    assert len(poses_in_gaps(reads, sure=1.01, size=SIZE)) == 0
    poses = poses_in_gaps(reads, sure=0.9, size=(int(places[3, 0]), 600))
    assert len(poses) > 0
    assert (poses.centre[:, 0] < places[3, 0]).all()


def test_a_muddle_of_cards_does_not_make_any_number_of_poses():
    rng = np.random.default_rng(6)
    found = Candidates(
        rng.uniform(50, 3900, (52, 2)).astype(np.float32),
        np.tile(np.float32([0, 1]), (52, 1)),
        rng.uniform(8, 20, 52).astype(np.float32),
        np.ones(52, np.float32),
    )
    names = [f"{rank}{suit}" for suit in "SHDC" for rank in [*"A23456789", "10", *"JQK"]]
    poses = poses_in_gaps(reads_at(found, names, range(52)), sure=0.9, size=(4000, 4000))
    assert len(poses) <= 2000
