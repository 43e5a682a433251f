"""Blur: found by what makes letters clear, and undone."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.deblur import SHARP, Blur, blur_of, undone
from vision.locate import Candidates

BLURS = st.builds(
    Blur,
    sigma=st.floats(0, 2.5),
    length=st.floats(0, 10),
    angle=st.floats(0, np.pi),
    noise=st.floats(0.01, 0.2),
)


def smeared(image, length, angle):
    """A point becomes a line of that length: the mean over many shifts."""
    height, width = image.shape[:2]
    total = np.zeros(image.shape, np.float32)
    steps = np.linspace(-length / 2, length / 2, 41)
    for step in steps:
        shift = np.array([[1, 0, step * np.cos(angle)], [0, 1, step * np.sin(angle)]], np.float32)
        moved = cv2.warpAffine(
            image.astype(np.float32), shift, (width, height), borderMode=cv2.BORDER_REPLICATE
        )
        total += moved / len(steps)
    return np.rint(total).astype(np.uint8)


def letters(seed=1):
    """Dark letters on paper, and where they stand."""
    rng = np.random.default_rng(seed)
    image = np.full((240, 560, 3), 235, np.uint8)
    centres = []
    for k in range(16):
        x, y = 40 + 64 * (k % 8), 60 + 110 * (k // 8)
        text = str(int(rng.integers(2, 10)))
        cv2.putText(image, text, (x - 12, y + 14), cv2.FONT_HERSHEY_DUPLEX, 1.2, (30, 20, 40), 3)
        centres.append((x, y))
    n = len(centres)
    poses = Candidates(
        centre=np.array(centres, np.float32),
        direction=np.tile(np.array([0, 1], np.float32), (n, 1)),
        size=np.full(n, 34, np.float32),
        heat=np.ones(n, np.float32),
    )
    return image, poses


def error(a, b):
    """Root mean square, what a Wiener filter makes small."""
    off = (a.astype(float) - b.astype(float))[20:-20, 20:-20]
    return float(np.sqrt(np.square(off).mean()))


@given(BLURS, st.integers(1, 70), st.integers(1, 70))
def test_paper_stays_as_it_is(blur, height, width):
    flat = np.full((height, width, 3), 143, np.uint8)
    out = undone(flat, blur)
    assert out.shape == flat.shape
    assert out.dtype == np.uint8
    assert np.abs(out.astype(int) - 143).max() <= 1


def test_a_sharp_picture_is_left_alone():
    image, _ = letters()
    assert undone(image, SHARP) is image


@settings(deadline=None, max_examples=15)
@given(st.floats(5, 9), st.floats(0, np.pi))
def test_a_camera_that_moved_is_undone(length, angle):
    image, _ = letters()
    seen = smeared(image, length, angle)
    out = undone(seen, Blur(length=length, angle=angle, noise=0.005))
    assert error(out, image) < 0.8 * error(seen, image)


@pytest.mark.parametrize("sigma", [1.2, 2.0])
def test_defocus_is_undone(sigma):
    image, _ = letters()
    seen = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma))
    out = undone(seen, Blur(sigma=sigma, noise=0.005))
    assert error(out, image) < 0.75 * error(seen, image)


def test_a_large_picture_shows_no_seams():
    small, _ = letters()
    large = np.tile(small, (6, 3, 1))
    blur = Blur(length=7, angle=0.5, noise=0.03)
    whole = undone(large, blur)
    for y, x in ((700, 700), (0, 800), (800, 0), (1140, 1380)):
        window = np.s_[y : y + 300, x : x + 300]
        alone = undone(np.ascontiguousarray(large[window]), blur)
        inner = np.s_[60:240, 60:240]
        assert np.abs(whole[window][inner].astype(int) - alone[inner]).max() <= 12


def reads_sharp_letters(sharp, poses):
    """A reader that is the surer of its one name the more a window looks like the sharp one."""

    def read(windows, tiles):
        side = windows.shape[1]
        half = side // 2
        wide = cv2.copyMakeBorder(sharp, half, half, half, half, cv2.BORDER_REFLECT_101)
        odds = []
        last = (sharp.shape[1] - 1, sharp.shape[0] - 1)
        for k, (x, y) in enumerate(np.clip(np.rint(poses.centre).astype(int), 0, last).tolist()):
            inner = np.s_[half - 17 : half + 17, half - 17 : half + 17]
            off = windows[k * side : (k + 1) * side][inner].astype(float)
            odds.append(18 - 0.2 * np.abs(off - wide[y : y + side, x : x + side][inner]).mean())
        odds = np.array(odds, np.float32)
        logs = np.stack([-np.log1p(np.exp(-odds)), -np.log1p(np.exp(odds))], axis=1)
        return logs, logs

    return read


@pytest.mark.parametrize(("length", "angle"), [(8.0, 0.6), (5.0, 2.4), (9.0, 1.57)])
def test_the_blur_that_makes_letters_clear_is_found(length, angle):
    image, poses = letters()
    score = np.full(len(poses), 0.9, np.float32)
    found = blur_of(smeared(image, length, angle), poses, score, reads_sharp_letters(image, poses))
    assert found.length == pytest.approx(length, rel=0.25)
    assert abs(np.sin(found.angle - angle)) < 0.3


def test_letters_that_are_clear_are_not_sharpened():
    image, poses = letters()
    score = np.full(len(poses), 0.9, np.float32)
    assert blur_of(image, poses, score, reads_sharp_letters(image, poses)) == SHARP


def test_letters_that_the_pictures_edge_cuts_do_no_harm():
    image, poses = letters()
    for k, beyond in enumerate(((-6, 30), (250, -7), (570, 60), (300, 251))):
        poses.centre[k] = beyond
    score = np.full(len(poses), 0.9, np.float32)
    assert blur_of(image, poses, score, reads_sharp_letters(image, poses)) == SHARP


def test_too_few_letters_tell_nothing():
    image, poses = letters()
    score = np.zeros(len(poses), np.float32)
    score[:3] = 0.9
    seen = smeared(image, 8, 0.6)
    assert blur_of(seen, poses, score, reads_sharp_letters(image, poses)) == SHARP
