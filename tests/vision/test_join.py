"""Rows joined from overlapping pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.cards import parse_cards
from tests.vision.growth import mislabelled
from tests.vision.layouts import Camera, RowStyle, corners_of, deal, lay_row, view
from vision.join import RowJoiner, read_of_still
from vision.types import Reading


def pan(rng, laid, *, frames, width, dropped=0.1, wrong=0.03):
    """Readings of a camera that moves along a row and sees ``width`` millimetres of it."""
    scene = [placed for line in laid for placed in line]
    xs = np.array([p.corner[0] for p in scene])
    roll = rng.uniform(-0.6, 0.6)
    stops = np.linspace(xs.min(), xs.max(), frames)
    for centre in np.clip(stops, xs.min() + width / 3, xs.max() - width / 3) + rng.normal(0, 10):
        inside = [p for p, x in zip(scene, xs, strict=True) if abs(x - centre) < width / 2]
        inside = [p for p in inside if rng.random() > dropped]
        if not inside:
            continue
        camera = Camera.looking(
            corners_of(inside),
            tilt=rng.uniform(0, 0.6),
            azimuth=rng.uniform(0, 6),
            roll=roll + rng.normal(0, 0.05),
        )
        reads = mislabelled(rng, view(rng, inside, camera), wrong)
        yield Reading((1000, 1000), tuple(reads))


@pytest.mark.parametrize("lines", [1, 2])
def test_sweeps_are_joined(lines):
    exact = 0
    for seed in range(25):
        rng = np.random.default_rng(1000 * lines + seed)
        style = RowStyle(lines=lines, pitch=rng.uniform(18, 35), jitter=2)
        laid = lay_row(rng, deal(rng, int(rng.integers(25, 53))), style)
        joiner = RowJoiner(least=2)
        for reading in pan(rng, laid, frames=40, width=12 * style.pitch):
            joiner.add(reading)
        row = joiner.result()
        exact += list(row.cards) == [p.card for line in laid for p in line]
        assert len(set(row.cards)) == len(row.cards)
    assert exact >= 24


def test_two_stills_with_shared_cards():
    rng = np.random.default_rng(3)
    laid = lay_row(rng, deal(rng, 20), RowStyle(pitch=30))
    joiner = RowJoiner()
    for part in (laid[0][8:], laid[0][:11]):
        camera = Camera.looking(corners_of(part), tilt=0.2, azimuth=0, roll=0)
        joiner.add(Reading((1000, 1000), tuple(view(rng, part, camera))))
    row = joiner.result()
    assert list(row.cards) == [p.card for p in laid[0]]
    assert row.doubtful == ()
    assert row.lines == (20,)


def test_a_still_with_a_doubtful_card_marks_its_place():
    rng = np.random.default_rng(4)
    laid = lay_row(rng, list(parse_cards("2S 6H 5D 4C 7S")), RowStyle(pitch=30))
    reads = view(rng, laid[0], Camera.looking(corners_of(laid[0]), tilt=0, azimuth=0, roll=0))
    unsure = next(r for r in reads if r.card.code == "5D")
    reading = Reading(
        (1000, 1000),
        tuple(r for r in reads if r is not unsure),
        (replace(unsure, confidence=0.5),),
    )
    row = read_of_still(reading)
    assert [c.code for c in row.cards] == ["2S", "6H", "5D", "4C", "7S"]
    assert row.doubtful == (2,)
    assert row.changes == "UDDU"


def test_nothing_read_is_an_empty_row():
    assert RowJoiner().result().cards == ()
    assert read_of_still(Reading((10, 10))).changes == ""
