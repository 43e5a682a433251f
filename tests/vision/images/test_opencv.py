"""OpenCV's log is switched off on every version that is allowed."""

import types

import cv2
import numpy as np
import pytest

from companion.errors import UnreadableError
from vision.images import opencv
from vision.images.loading import load_image
from vision.images.sources import SourceError, VideoSource


class Level:
    """A log level as OpenCV keeps it: setting it tells the one before."""

    def __init__(self):
        self.now, self.seen = 3, []

    def set(self, level):
        before, self.now = self.now, level
        self.seen.append(level)
        return before


@pytest.fixture(params=["4.10 to 4.12", "4.13 and later"])
def level(request, monkeypatch):
    """OpenCV with the log functions of some version, and no others."""
    found = Level()
    if request.param == "4.10 to 4.12":
        monkeypatch.setattr(cv2, "utils", types.SimpleNamespace())
        monkeypatch.setattr(cv2, "setLogLevel", found.set, raising=False)
    else:
        logging = types.SimpleNamespace(setLogLevel=found.set)
        monkeypatch.setattr(cv2, "utils", types.SimpleNamespace(logging=logging))
        monkeypatch.delattr(cv2, "setLogLevel", raising=False)
    return found


def test_the_log_is_off_inside_and_as_before_afterwards(level):
    seen = []

    def fail():
        with opencv.without_log():
            seen.append(level.now)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert seen == [opencv.SILENT]
    assert level.now == 3


def test_pictures_and_videos_are_opened_without_log(level, tmp_path):
    path = tmp_path / "a.png"
    assert cv2.imwrite(str(path), np.full((40, 40, 3), 9, np.uint8))
    assert load_image(path).size == (40, 40)
    # It begins as a video does: what is none at all never reaches OpenCV.
    (tmp_path / "b.mpg").write_bytes(b"\x00\x00\x01\xba" + bytes(400))
    with pytest.raises(SourceError):
        VideoSource(tmp_path / "b.mpg").open()
    assert level.seen == [opencv.SILENT, 3] * 2


def test_a_damaged_picture_says_so_once(tmp_path, capfd):
    path = tmp_path / "cut.png"
    assert cv2.imwrite(str(path), np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(UnreadableError):
        load_image(path)
    assert capfd.readouterr() == ("", "")


def card_outline(rng):
    """A convex outline like a card's seen askew: straight sides, round corners, whole pixels."""
    angle = rng.uniform(0, 2 * np.pi, int(rng.integers(30, 200)))
    way = np.stack([np.cos(angle), np.sin(angle)])
    x, y = np.sign(way) * np.abs(way) ** 0.15 * rng.uniform(60, 300, (2, 1))
    turn = rng.uniform(0, 2 * np.pi)
    x = x + y * rng.uniform(-0.3, 0.3)
    turned = (x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn))
    points = np.stack(turned, 1) + 400 + rng.normal(0, 0.5, (len(x), 2))
    return cv2.convexHull(np.rint(points).astype(np.int32))


@pytest.mark.skipif(not hasattr(cv2, "approxPolyN"), reason="OpenCV 4.10 has nothing to compare")
def test_our_quadrilateral_is_opencvs(monkeypatch):
    rng = np.random.default_rng(5)
    outlines = [card_outline(rng) for _ in range(100)]
    theirs = [opencv.quad_around(outline) for outline in outlines]
    monkeypatch.delattr(cv2, "approxPolyN")
    for outline, wanted in zip(outlines, theirs, strict=True):
        ours = opencv.quad_around(outline)
        assert ours.shape == wanted.shape == (4, 2)
        turned = [np.roll(way, k, 0) for k in range(4) for way in (ours, ours[::-1])]
        assert min(np.abs(corners - wanted).max() for corners in turned) <= 1


@pytest.mark.parametrize("points", [[[0, 0], [9, 0], [0, 9]], [[0, 0], [9, 0], [9, 9], [0, 9]]])
def test_few_corners_are_left_as_they_are(points):
    found = opencv._without_short_sides(np.array(points, np.int32), 4)
    assert sorted(map(tuple, found)) == sorted(map(tuple, np.array(points, float)))
