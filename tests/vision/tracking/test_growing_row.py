"""The growing row under mislabelled, dropped and hidden reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.decks import get_deck
from tests.vision.growth import Growth, frames
from tests.vision.layouts import Camera, Placed, corners_of, view
from vision.tracking.growing_row import GrowingRow
from vision.tracking.status import NoticeKind, TableStatus
from vision.types import Reading

STANDARD = get_deck()


def follow(rng, growth):
    """Runs a clip through a row; returns the row, all sightings with their time, the truth."""
    row, sightings, truth = GrowingRow(STANDARD), [], []
    for t, reading, there in frames(rng, growth):
        sightings += [(t, s) for s in row.update(reading, t)]
        truth = [placed.card for placed in there]
    return row, sightings, truth


@pytest.mark.parametrize("seed", range(5))
def test_noisy_rows_are_followed_without_an_error(seed):
    """5 % wrong names, 30 % dropped reads, hands passing over, camera nudged in every third."""
    rng = np.random.default_rng(seed)
    growth = Growth(
        cards=int(rng.integers(5, 13)),
        lines=int(rng.integers(1, 3)),
        pitch=float(rng.choice([18, 25, 40])),
        every=rng.uniform(1.2, 1.8),
        roll=rng.uniform(-3, 3),
        nudge=rng.uniform(3, 8) if seed % 3 == 0 else 0.0,
    )
    row, sightings, truth = follow(rng, growth)
    assert [c.card for c in row.row] == truth
    assert all(c.settled and c.confidence > 0.6 for c in row.row)
    assert sorted(s.card for _, s in sightings) == sorted(truth)


def test_cards_are_reported_soon_and_with_their_time():
    growth = Growth(cards=8, every=2.0, wrong=0, dropped=0, hands=0)
    _, sightings, truth = follow(np.random.default_rng(1), growth)
    assert [s.card for _, s in sightings] == truth
    for k, (t, sighting) in enumerate(sightings):
        assert sighting.place == k
        assert sighting.zone == "row"
        assert sighting.since == pytest.approx(2.0 * k, abs=0.11)
        assert t - sighting.since < 0.9


def grown(row, *frames, start=0, rate=10):
    """What a row reports of frames, so many a second, each the reads that it shows."""
    found = []
    for k, reads in enumerate(frames, start):
        found += row.update(Reading((999, 99), tuple(reads)), k / rate)
    return [s.card.code for s in found]


def test_nothing_is_reported_before_it_is_steady():
    row = GrowingRow(STANDARD)
    seven = [one_card("7H")]
    assert grown(row, seven, [], [], [], [], seven, []) == []
    assert row.row == ()


def test_a_card_that_is_only_held_over_the_table_is_not_reported():
    carried = [[one_card("7H")]] * 8  # a quarter of a second
    assert grown(GrowingRow(STANDARD), *carried, *[[]] * 60, rate=30) == []


def test_the_votes_decide_not_the_first_frame():
    names = ["8H", "8H"] + ["7H"] * 10
    assert grown(GrowingRow(STANDARD), *([one_card(name)] for name in names)) == ["7H"]


def test_a_hand_over_everything_takes_nothing_away():
    row = GrowingRow(STANDARD)
    grown(row, *[[one_card("7H")]] * 10)
    assert row.status is TableStatus.STEADY
    grown(row, *[[]] * 10, start=10)
    assert row.status is TableStatus.HAND
    grown(row, *[[]] * 40, start=20)
    assert row.status is TableStatus.LOST
    assert [c.card.code for c in row.row] == ["7H"]


@pytest.mark.parametrize(("deck", "told"), [("standard", 1), ("two-packs", 2)])
def test_the_same_card_twice_is_reported_as_often_as_the_deck_has_it(deck, told):
    row = GrowingRow(get_deck(deck))
    one, both = [one_card("7H")], [one_card("7H"), one_card("7H", x=300)]
    assert grown(row, *[one] * 11, *[both] * 19) == ["7H"] * told
    twice = [n for n in row.notices if n.kind is NoticeKind.SEEN_TWICE]
    assert [(n.card.code, n.places) for n in twice] == [("7H", (0, 1))] * (2 - told)


def test_a_moved_card_stays_one_card():
    row = GrowingRow(STANDARD)
    before, after = [one_card("7H")], [one_card("7H", x=400)]
    assert grown(row, *[before] * 15, *[after] * 25) == ["7H"]
    assert [round(c.at[0], -2) for c in row.row] == [400]


def test_an_unsure_card_is_named_doubtful_with_its_alternatives():
    row = GrowingRow(STANDARD)
    names = [one_card("KH"), one_card("QH")]
    for k in range(30):
        read = replace(names[k % 2], confidence=0.5)
        read = replace(read, alternatives=((names[1 - k % 2].card, 0.48),))
        row.update(Reading((99, 99), (), (read,)), k * 0.1)
    assert row.update(Reading((99, 99)), 3.1) == ()
    assert [n.kind for n in row.notices] == [NoticeKind.DOUBTFUL]
    assert {row.row[0].card.code, row.row[0].alternatives[0][0].code} == {"KH", "QH"}


def one_card(code, x=100.0):
    rng = np.random.default_rng(0)
    placed = Placed(next(c for c in STANDARD.cards if c.code == code), (0, 0), 0.0, ("tl",))
    camera = Camera.looking(corners_of([placed]), tilt=0, azimuth=0, roll=0)
    read = view(rng, [placed], camera, noise=0)[0]
    index = replace(read.indices[0], centre=(x, 50.0), size=20.0)
    return replace(read, indices=(index,), confidence=0.95)
