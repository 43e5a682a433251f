"""Frame sources, and the worker thread that keeps the newest frame."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from PIL import Image

from companion.errors import CompanionError
from tests.vision.images.films import heic, write_clip, write_hevc
from vision.images import sources
from vision.images.cameras import WithFocusLock, WithTorch, is_live
from vision.images.grabber import NewestFrame
from vision.images.sources import FolderSource, SourceError, VideoSource, open_source
from vision.protocols import FrameSource


class Clock:
    """Time that only passes when somebody sleeps or moves it."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clip(tmp_path):
    """A second of video at 10 frames/s that gets brighter by 20 a frame."""
    pictures = (np.full((48, 64, 3), 20 * k, np.uint8) for k in range(10))
    return write_clip(tmp_path / "clip.avi", pictures)


def frames(source):
    source.open()
    found = []
    while not source.ended:
        frame = source.newest()
        if frame is not None:
            found.append((round(frame[0], 3), round(float(frame[1].mean()) / 20)))
    source.close()
    return found


def test_a_clip_gives_every_frame_with_its_time(clip):
    source = open_source(str(clip))
    assert isinstance(source, FrameSource)
    assert frames(source) == [(k / 10, k) for k in range(10)]
    assert source.failure is None
    assert frames(source) == [(k / 10, k) for k in range(10)]  # it can be opened again


@pytest.mark.parametrize(
    ("quarters", "corner"), [(0, (0, 0)), (1, (0, 1)), (2, (1, 1)), (3, (1, 0))]
)
def test_a_film_of_a_phone_stands_as_it_was_held(tmp_path, quarters, corner):
    sensor = np.full((96, 160, 3), 60, np.uint8)
    sensor[:40, :40] = (0, 0, 255)
    path = write_hevc(tmp_path / "IMG_1.MOV", [sensor] * 3, quarters=quarters)
    source = open_source(str(path))
    source.open()
    found = [source.newest()[1] for _ in range(3)]
    assert source.newest() is None
    assert source.failure is None
    source.close()
    for image in found:
        assert image.shape == ((96, 160, 3) if quarters % 2 == 0 else (160, 96, 3))
        reddest = np.unravel_index(cv2.blur(image[..., 2], (31, 31)).argmax(), image.shape[:2])
        assert tuple(int(2 * reddest[k] > image.shape[k]) for k in (0, 1)) == corner


@pytest.mark.parametrize("suffix", [".png", ".heic", ".avif"])
def test_single_pictures_are_sources(tmp_path, suffix):
    path = tmp_path / f"IMG_1{suffix.upper()}"
    grey = np.full((40, 40, 3), 40, np.uint8)
    if suffix == ".heic":
        path.write_bytes(heic(grey))
    else:
        Image.fromarray(grey).save(path)
    assert frames(open_source(str(path))) == [(0.0, 2)]
    assert frames(open_source(str(tmp_path))) == [(0.0, 2)]


def test_a_clip_in_real_time_leaves_out_frames_for_a_slow_reader(clip):
    clock = Clock()
    source = VideoSource(clip, realtime=True, clock=clock, sleep=clock.sleep)
    source.open()
    assert source.newest()[0] == 0
    clock.now = 0.42
    assert source.newest()[0] == pytest.approx(0.4)
    assert source.newest()[0] == pytest.approx(0.5)
    assert clock.now == pytest.approx(0.5)
    source.close()


def test_folders_give_their_pictures_in_order(tmp_path):
    for k in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"p{k}.png"), np.full((20, 20, 3), 20 * k, np.uint8))
    (tmp_path / "p3.png").write_bytes(b"broken")
    clock = Clock()
    source = FolderSource(tmp_path, realtime=True, interval=2, clock=clock, sleep=clock.sleep)
    assert [brightness for _, brightness in frames(source)] == [1, 2, 10]
    assert "p3.png" in source.failure
    assert clock.now == 6


def test_a_photo_lies_still_for_as_many_looks_as_are_asked_for(tmp_path):
    for k in (1, 2):
        cv2.imwrite(str(tmp_path / f"p{k}.png"), np.full((20, 20, 3), 20 * k, np.uint8))
    source = open_source(str(tmp_path), looks=4)
    quarters = [(k / 4, 1 + k // 4) for k in range(8)]
    assert frames(source) == quarters
    assert frames(source) == quarters  # it can be opened again


def test_sources_that_cannot_be_opened_say_why(tmp_path):
    text = tmp_path / "a.mp4"
    text.write_text("no video")
    (tmp_path / "empty").mkdir()
    for name, says in ((text, "no video"), (tmp_path / "empty", "no pictures")):
        with pytest.raises(CompanionError, match=says):
            open_source(str(name)).open()
    with pytest.raises(SourceError, match="no such file"):
        open_source(str(tmp_path / "none.mp4"))
    with pytest.raises(SourceError, match="no such file"):
        open_source("camera:front")


def test_a_camera_that_is_not_there_says_what_to_do():
    with pytest.raises(SourceError, match=r"Camera 97 cannot be opened: .* camera:N"):
        open_source("camera:97").open()


class Capture:
    """Stands in for a camera that is unplugged after two frames."""

    def __init__(self, *args):
        self.left = 3
        Capture.wishes = []

    def set(self, *args):
        self.wishes.append(args)

    def get(self, _what):
        return 1.0

    def isOpened(self):
        return True

    def read(self):
        self.left -= 1
        return self.left >= 0, np.zeros((4, 4, 3), np.uint8)

    def release(self):
        pass


def test_an_unplugged_camera_ends_with_the_reason(monkeypatch):
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    source = open_source("camera")
    assert len(frames(source)) == 2
    assert "Plug it in again" in source.failure


def test_a_focus_is_kept_with_the_next_frame(monkeypatch):
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    source = open_source("camera")
    assert not source.has_focus_lock
    source.open()
    assert source.has_focus_lock
    Capture.wishes.clear()
    source.lock_focus(True)
    source.newest()
    source.lock_focus(False)
    source.newest()
    focus = sources.cv2.CAP_PROP_AUTOFOCUS
    assert Capture.wishes == [(focus, 0.0), (focus, 1.0)]


def test_the_pi_camera_through_picamera2(monkeypatch):
    class Picamera2:
        def __init__(self, index):
            if index:
                raise IndexError("list index out of range")

        def create_video_configuration(self, main):
            return main

        def configure(self, main):
            self.size = main["size"]

        def start(self):
            pass

        def capture_array(self):
            return np.zeros((self.size[1], self.size[0], 3), np.uint8)

        stop = close = start

    with pytest.raises(SourceError, match="apt install python3-picamera2"):
        open_source("picamera").open()
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=Picamera2))
    source = open_source("picamera", size=(32, 16))
    source.open()
    assert source.newest()[1].shape == (16, 32, 3)
    source.lock_focus(True)
    assert not source.has_focus_lock
    source.close()
    told = []
    Picamera2.camera_controls = {"AfMode": (0, 2, 0)}
    Picamera2.set_controls = lambda _self, controls: told.append(controls["AfMode"])
    source.open()
    assert source.has_focus_lock
    source.lock_focus(True)
    source.lock_focus(False)
    assert told == [0, 2]
    source.close()
    with pytest.raises(SourceError, match="Check its cable"):
        open_source("picamera:1").open()


class Scripted:
    """A source whose frames come exactly when the test says so."""

    name = "scripted"

    def __init__(self, count, failure=None):
        self.count, self.failure, self.ended = count, failure, False
        self.go, self.given, self.closed = threading.Semaphore(0), 0, False

    def open(self):
        pass

    def newest(self):
        self.go.acquire()
        if self.given == self.count:
            self.ended = True
            return None
        self.given += 1
        return float(self.given), np.zeros((1, 1, 3), np.uint8)

    def close(self):
        self.closed = True


def test_the_newest_frame_wins_and_is_handed_out_once():
    source = Scripted(3, failure="unplugged")
    with NewestFrame(source) as grabber:
        assert grabber.take() is None
        source.go.release(4)
        grabber._thread.join(10)
        assert grabber.take(10)[0] == 3.0
        assert grabber.dropped == 2
        assert grabber.take() is None
        assert grabber.ended
        assert grabber.failure == "unplugged"
    assert source.closed


def test_frames_are_waited_for():
    source = Scripted(1)
    with NewestFrame(source) as grabber:
        source.go.release()
        assert grabber.take(10)[0] == 1.0
        assert not grabber.ended
        source.go.release()


def test_a_source_that_cannot_be_opened_is_told_by_the_grabber():
    with NewestFrame(open_source("camera:97")) as grabber:
        assert grabber.take(10) is None
        assert grabber.ended
        assert "Camera 97" in grabber.failure


def noisy(path, codec):
    """Three seconds of noise: every frame has its own bytes."""
    noise = (np.random.default_rng(k).integers(0, 255, (48, 64, 3), np.uint8) for k in range(30))
    return write_clip(path, noise, codec=codec)


def cut(path, part):
    """The same file, of which only so much is left."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * part)])
    return path


def ending(path):
    """How many frames a clip gives, and what is said at its end."""
    source = open_source(str(path))
    try:
        return len(frames(source)), source.failure
    except CompanionError as error:
        return 0, error.message


@pytest.mark.parametrize("part", [0.999, 0.9, 0.5, 0.3])
def test_a_cut_clip_ends_with_a_word(tmp_path, part):
    clip = noisy(tmp_path / "clip.avi", "MJPG")
    assert ending(clip) == (30, None)
    count, said = ending(cut(clip, part))
    assert 0 < count <= 30
    assert said == f"{clip}: ends early after {count} frame{'s'[: count > 1]}, the file is cut off."


@pytest.mark.parametrize("part", [0.999, 0.9, 0.5, 0.01])
def test_an_mp4_without_its_list_of_frames_is_cut_off_not_strange(tmp_path, part):
    path = noisy(tmp_path / "clip.mp4", "mp4v")
    assert ending(path) == (30, None)
    count, said = ending(cut(path, part))
    assert count == 0
    assert "cut off" in said
    assert len(said.splitlines()) == 1


READ = """
import sys
from vision.images.sources import open_source
source = open_source(sys.argv[1])
source.open()
while not source.ended:
    source.newest()
print(source.failure)
"""


def test_what_a_cut_clip_ends_with_is_said_once(tmp_path):
    """FFmpeg would say it too; in a process of its own, for writing a clip makes it talk again."""
    clip = cut(noisy(tmp_path / "clip.avi", "MJPG"), 0.3)
    ran = subprocess.run(
        [sys.executable, "-c", READ, str(clip)], capture_output=True, text=True, check=True
    )
    assert "ends early" in ran.stdout
    assert ran.stderr == ""


def test_a_clip_damaged_in_its_middle_says_so(tmp_path):
    clip = noisy(tmp_path / "clip.avi", "MJPG")
    data = bytearray(clip.read_bytes())
    start = len(data) // 3
    data[start:-2000] = bytes(len(data) - 2000 - start)
    clip.write_bytes(bytes(data))
    count, said = ending(clip)
    assert 0 < count < 28
    assert "early" in said


def test_only_videos_reach_the_decoder(tmp_path):
    """FFmpeg would open lists of other files, and addresses, whatever a file is called."""
    other = tmp_path / "other.ts"
    other.write_bytes(b"G" * 2000)
    texts = {
        "list.mp4": f"#EXTM3U\n#EXTINF:1,\n{other}\n#EXT-X-ENDLIST\n",
        "many.avi": f"ffconcat version 1.0\nfile {other}\n",
        "away.mkv": "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
        "empty.mp4": "",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(SourceError, match=r"no video|empty"):
            open_source(str(tmp_path / name)).open()


def test_a_clip_that_asks_for_far_too_much_room_is_refused_before_it_is_decoded(tmp_path):
    clip = noisy(tmp_path / "clip.avi", "MJPG")
    good = clip.read_bytes()
    at = good.index(b"\xff\xc0\x00\x11\x08") + 5
    clip.write_bytes(good[:at] + b"\xff\xf0\xff\xf0" + good[at + 4 :])
    with pytest.raises(SourceError, match="65520×65520 pixels is too large"):
        VideoSource(clip).open()
    junk = good.index(b"JUNK")
    clip.write_bytes(good[:junk] + b"INFO\x00\x00\x00\x6f" + good[junk + 8 :])
    with pytest.raises(SourceError, match="the video is damaged"):
        VideoSource(clip).open()


@pytest.mark.parametrize("name", ["a.mp4", "a.avi", "a.jpg", "a.png"])
def test_pipes_and_devices_are_no_sources(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(path)
    count, said = ending(path)
    assert count == 0
    assert "pipe" in said
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "device" in ending(path)[1]


@pytest.mark.parametrize(
    ("name", "live"),
    [("camera", True), ("camera:2", True), ("picamera:0", True), ("camera:x", False),
     ("cameras.mp4", False), ("demo", False), ("a/camera", False)],
)  # fmt: skip
def test_cameras_are_live_and_all_else_is_a_clip(name, live):
    assert is_live(name) == live


def test_a_camera_says_whether_its_focus_can_be_kept():
    assert isinstance(sources.CameraSource(), WithFocusLock)
    assert not isinstance(sources.CameraSource(), WithTorch)
    assert not isinstance(sources.open_source("demo"), WithFocusLock)
