"""OpenCV's log is switched off on every version that is allowed."""

import types

import cv2
import numpy as np
import pytest

from companion.errors import UnreadableError
from vision import opencv
from vision.images import load_image
from vision.sources import SourceError, VideoSource


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
    (tmp_path / "b.mp4").write_bytes(b"no video")
    with pytest.raises(SourceError):
        VideoSource(tmp_path / "b.mp4").open()
    assert level.seen == [opencv.SILENT, 3] * 2


def test_a_damaged_picture_says_so_once(tmp_path, capfd):
    path = tmp_path / "cut.png"
    assert cv2.imwrite(str(path), np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8))
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(UnreadableError):
        load_image(path)
    assert capfd.readouterr() == ("", "")
