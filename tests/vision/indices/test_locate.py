from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.layouts import candidates
from vision.images.pyramid import Pyramid
from vision.indices.locate import (
    Candidates,
    Locator,
    decode,
    network_input,
    pyramid_scales,
    thin,
)
from vision.inference.backend import TensorSpec


def maps_with(
    peaks: list[tuple[int, int, float, float, float, float]], side: int = 24
) -> np.ndarray:
    """Locator output with peaks of (column, row, offset x, offset y, angle, size)."""
    out = np.zeros((6, side, side), np.float32)
    out[0] = -8
    for x, y, ox, oy, angle, size in peaks:
        out[0, y, x] = 4
        out[1:, y, x] = ox, oy, 2 * np.cos(angle), 2 * np.sin(angle), np.log(size / 24)
    return out


@given(
    st.integers(1, 22), st.integers(1, 22), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5),
    st.floats(-3.1, 3.1), st.floats(9, 84),
)  # fmt: skip
def test_decode_gives_back_the_pose(
    x: int, y: int, ox: float, oy: float, angle: float, size: float
):
    found = decode(
        maps_with([(x, y, ox, oy, angle, size)]), stride=4, size_unit=24, threshold=0.2, most=9
    )
    assert len(found) == 1
    assert found.centre[0] == pytest.approx(
        [(x + 0.5 + ox) * 4 - 0.5, (y + 0.5 + oy) * 4 - 0.5], abs=1e-3
    )
    assert found.direction[0] == pytest.approx([np.cos(angle), np.sin(angle)], abs=1e-4)
    assert found.size[0] == pytest.approx(size, rel=1e-4)
    assert found.heat[0] == pytest.approx(1 / (1 + np.exp(-4)), rel=1e-5)


def test_decode_keeps_the_hottest_and_drops_the_cold():
    maps = maps_with([(3, 3, 0, 0, 0, 20), (12, 12, 0, 0, 0, 20), (20, 5, 0, 0, 0, 20)])
    maps[0, 3, 3], maps[0, 12, 12], maps[0, 5, 20] = 1, 3, -3
    found = decode(maps, stride=4, size_unit=24, threshold=0.2, most=1)
    assert found.centre[0] == pytest.approx([49.5, 49.5])
    assert len(decode(maps, stride=4, size_unit=24, threshold=0.2, most=9)) == 2


@given(st.integers(1, 6000), st.integers(1, 6000))
def test_pyramid_never_enlarges_and_starts_with_the_largest_level(width: int, height: int):
    scales = pyramid_scales(width, height, (1920, 960, 480))
    assert scales[0] == min(1.0, 1920 / max(width, height))
    assert list(scales) == sorted(set(scales), reverse=True)


def test_network_input_is_padded_to_whole_cells():
    image = np.full((50, 70, 3), 7, np.uint8)
    got = network_input(image)
    assert got.shape == (1, 3, 64, 96)
    assert (got[0, :, :50, :70] == 7).all()
    assert (got[0, :, 50:] == 114).all()
    assert (got[0, :, :, 70:] == 114).all()


def test_candidates_of_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        Candidates(np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(3), np.zeros(2))


def test_thin_keeps_two_poses_of_a_site_and_all_other_sites():
    found = candidates(
        (10, 10, 30, 0, 0.5), (12, 10, 30, 0, 0.9), (11, 11, 31, 0, 0.7), (60, 10, 30, 0, 0.2)
    )
    kept, leader = thin(found)
    assert [round(float(h), 1) for h in kept.heat] == [0.9, 0.7, 0.2]
    assert leader.tolist() == [0, 0, 2]


class FakeSession:
    """Answers with one peak at a fixed place of the input, whatever the picture."""

    engine = "fake"
    inputs = (TensorSpec("image", (None, 3, None, None)),)
    outputs = (TensorSpec("out", (None, 6, None, None)),)

    def run(self, inputs):
        height, width = inputs["image"].shape[2:]
        maps = np.zeros((1, 6, height // 4, width // 4), np.float32)
        maps[0, 0] = -9
        maps[0, 0, 5, 10], maps[0, 3, 5, 10] = 3, 1
        return {"out": maps}


def test_levels_report_in_the_pixels_of_the_whole_picture():
    locator = Locator(FakeSession())
    found = locator.level(Pyramid(np.zeros((320, 640, 3), np.uint8)), 0.5)
    # Cell (10, 5) is pixel (41.5, 21.5) of the half-size level.
    assert found.centre[0] == pytest.approx([83.5, 43.5])
    assert found.size[0] == pytest.approx(48)


BLOB = 32
WIDTH, HEIGHT, SIDES, ENOUGH = 1280, 960, (1280, 640, 320, 160), 36.0


class SeeingSession(FakeSession):
    """Finds an index in the middle of each blob, as high as the blob is bright.

    Notes how large the pictures were that it was asked about, in pixels of the whole picture.
    """

    def __init__(self, heat: float) -> None:
        self.heat = heat
        self.asked: list[tuple[float, int]] = []

    def run(self, inputs):
        plane = inputs["image"][0, 0]
        within = plane != 114
        bright = plane.astype(np.uint8) * within
        height, width = plane.shape
        maps = np.zeros((1, 6, height // 4, width // 4), np.float32)
        maps[0, 0], maps[0, 3] = -9, 1
        _, _, stats, middles = cv2.connectedComponentsWithStats(bright)
        scale = stats[1, cv2.CC_STAT_WIDTH] / BLOB if len(stats) > 1 else width / WIDTH
        for x, y in middles[1:].round().astype(int):
            maps[0, 0, y // 4, x // 4] = self.heat
            maps[0, 5, y // 4, x // 4] = np.log(bright[y, x] * scale / 24)
        self.asked.append((scale, round(within.sum() / scale**2)))
        return {"out": maps}


def picture_of(*heights: int) -> np.ndarray:
    """Blobs as bright as indices are to be high, side by side in the upper left."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for k, height in enumerate(heights):
        image[64 : 64 + BLOB, 64 + 128 * k : 64 + 128 * k + BLOB] = height
    return image


@pytest.mark.parametrize(
    ("heights", "heat", "levels"),
    [
        ((50, 60), 3, {640, 160}),
        ((30, 60), 3, {1280, 640, 160}),
        ((50, 90), 3, {640, 320, 160}),
        ((20, 200), 3, {1280, 640, 320, 160}),
        ((50,), 3, {1280, 640, 320, 160}),
        ((), 3, {1280, 640, 320, 160}),
        ((50, 60), -1, {1280, 640, 320, 160}),
    ],
    ids=["medium", "small", "large", "both", "one says nothing", "none", "faint ones say nothing"],
)
def test_levels_that_nothing_needs_are_left_out(heights, heat, levels):
    session = SeeingSession(heat)
    found = Locator(session).find(Pyramid(picture_of(*heights)), SIDES, enough=ENOUGH)
    asked = [scale * WIDTH for scale, _ in session.asked]
    assert set(asked) == levels
    assert len(asked) == len(levels)
    assert sorted(set(found.size.round().astype(int).tolist())) == sorted(heights)


@given(st.lists(st.integers(18, 60), min_size=2, max_size=4), st.integers(180, 255))
def test_a_close_up_is_seen_whatever_small_marks_lie_about(small, large):
    """However large the picture is: figures and print look like small indices at a fine level."""

    class KnowsSizes(SeeingSession):
        """Knows what the locator was taught: indices of 9 to 84 pixels."""

        def run(self, inputs):
            maps = super().run(inputs)["out"]
            height = 24 * np.exp(maps[0, 5])
            maps[0, 0][(height < 9) | (height > 84)] = -9
            return {"out": maps}

    image = picture_of(*small, large)
    session = KnowsSizes(3)
    found = Locator(session).find(Pyramid(image), SIDES, enough=ENOUGH)
    assert (np.abs(found.size - large) < 2).any()
    # What the second level knows is not seen once more, worse.
    assert np.sum(found.size < 100) <= 2 * len(small)


@pytest.mark.parametrize(
    ("heights", "heat", "everywhere"),
    [((30, 40), 3, False), ((17, 40), 3, True), ((30,), 3, True), ((30, 40), -1, True)],
    ids=["traces", "one may have left no trace", "one says nothing", "faint ones say nothing"],
)
def test_the_first_level_is_searched_where_the_second_shows_traces(heights, heat, everywhere):
    session = SeeingSession(heat)
    Locator(session).find(Pyramid(picture_of(*heights)), SIDES, enough=ENOUGH)
    (pixels,) = (pixels for scale, pixels in session.asked if scale == 1)
    assert (pixels == WIDTH * HEIGHT) == everywhere
    assert everywhere or pixels < WIDTH * HEIGHT / 8


@pytest.mark.parametrize(("height", "side"), [(24, 1152), (34, 813), (20, 1280)])
def test_many_indices_are_seen_no_finer_than_they_need(height, side):
    # More of them than lie side by side: in rows.
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for y in range(40, HEIGHT - 40, 160):
        for x in range(40, WIDTH - 40, 160):
            image[y : y + BLOB, x : x + BLOB] = height
    session = SeeingSession(3)
    found = Locator(session).find(Pyramid(image), SIDES, enough=ENOUGH)
    assert max(scale for scale, _ in session.asked) == pytest.approx(side / WIDTH, rel=0.05)
    assert found.size == pytest.approx(height, rel=0.06)


def test_no_level_is_left_out_where_every_trace_counts():
    session = SeeingSession(3)
    Locator(session).find(Pyramid(picture_of(30, 60)), SIDES)
    assert session.asked == [(side / WIDTH, WIDTH * HEIGHT) for side in SIDES]


@given(st.floats(0.16, 0.99))
def test_what_is_fainter_than_asked_for_is_no_candidate(heat: float):
    locator = Locator(FakeSession())
    image = np.zeros((320, 640, 3), np.uint8)
    peak = float(locator.level(Pyramid(image), 1.0).heat[0])
    assert len(locator.find(Pyramid(image), (640,), least_heat=heat)) == int(peak > heat)
