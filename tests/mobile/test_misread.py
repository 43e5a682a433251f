"""A misread that the user keeps: picture, what lies there, how it was read; only where chosen."""

import json
from pathlib import Path

import cv2
import pytest

import mobile
from companion.cards import card
from mobile.card_readers import shipped_reader
from mobile.model import misread
from mobile.model.settings import Settings, load, save
from vision import misreads


class Seen:
    """Eyes that have read one frame."""

    def __init__(self, image=None, reading=None):
        self._last = None if image is None else (image, reading)

    def read_last(self):
        return self._last


@pytest.fixture(scope="module")
def frame():
    clip = cv2.VideoCapture(str(Path(mobile.__file__).parent / "demo" / "row.mp4"))
    clip.set(cv2.CAP_PROP_POS_MSEC, 8000)
    image = clip.read()[1]
    return image, shipped_reader().read_frame(image)


def test_the_picture_is_kept_with_what_lies_there(frame, tmp_path):
    image, reading = frame
    seen, *others = [read.card for read in reading.cards]
    right = card("KC")
    assert right not in others
    thread = misread.keep(tmp_path, Seen(*frame), "standard", seen=seen, right=right)
    thread.join()
    (kept,) = misreads.kept(tmp_path / misread.FOLDER)
    assert set(kept.cards) == {right, *others}
    assert seen in kept.read
    assert (cv2.imread(str(kept.photo)) == image).all()
    told = kept.photo.with_suffix(".txt").read_text()
    assert all(one.code in told for one in (seen, *others))
    for path in (tmp_path / misread.FOLDER).iterdir():
        assert path.stat().st_mode & 0o077 == 0


def test_what_the_last_frame_does_not_show_is_not_kept(frame, tmp_path):
    for eyes in (Seen(), Seen(*frame)):
        kept = misread.keep(tmp_path, eyes, "standard", seen=card("JK"), right=card("KC"))
        assert kept is None
    assert list(tmp_path.iterdir()) == []


def test_a_full_device_keeps_no_picture_and_says_nothing(frame, tmp_path):
    (tmp_path / misread.FOLDER).write_text("in the way")
    seen = frame[1].cards[0].card
    misread.keep(tmp_path, Seen(*frame), "standard", seen=seen, right=card("KC")).join()
    assert (tmp_path / misread.FOLDER).read_text() == "in the way"


def test_it_is_off_until_chosen(tmp_path):
    assert not Settings().keep_misreads
    save(tmp_path, Settings(keep_misreads=True))
    assert load(tmp_path)[0].keep_misreads
    (tmp_path / "app.json").write_text(json.dumps({"keep_misreads": "yes"}))
    assert not load(tmp_path)[0].keep_misreads
