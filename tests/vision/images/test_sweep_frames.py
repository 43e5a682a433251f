"""Which frames of a sweep are read."""

from __future__ import annotations

import cv2
import numpy as np

from vision.images.sweep_frames import worth_reading

CLOTH = cv2.resize(
    np.random.default_rng(1).integers(0, 256, (30, 400, 3), np.uint8),
    None,
    fx=8,
    fy=8,
    interpolation=cv2.INTER_CUBIC,
)


def film(steps, *, blurred=()):
    """Thirty frames a second; each is so many pixels further along the cloth."""
    for k, x in enumerate(np.cumsum(steps)):
        image = np.ascontiguousarray(CLOTH[:, x : x + 320])
        yield k / 30, cv2.GaussianBlur(image, (0, 0), 3) if k in blurred else image


def times(frames, rate=5.0):
    return [round(t * 30) for t, _ in worth_reading(frames, rate=rate)]


def test_the_sharpest_frame_of_each_stretch_is_read():
    blurred = set(range(30)) - {2, 9, 13, 20, 28}
    assert times(film([10] * 30, blurred=blurred)) == [2, 9, 13, 20, 28]


def test_no_more_than_asked_for_is_read():
    assert len(times(film([10] * 60))) == 10
    assert len(times(film([10] * 60), rate=2.0)) == 4


def test_a_resting_camera_is_read_now_and_then():
    resting = times(film([0] * 90))
    assert resting[0] < 6
    assert len(resting) == 4


def test_a_sharper_view_of_the_same_is_read():
    first, *rest = times(film([0] * 12, blurred=set(range(9))))
    assert first < 6
    assert rest == [9]


def test_nothing_gives_nothing():
    assert times(iter(())) == []
