"""Where frames come from: cameras, clips, folders of photos, the bundled demo."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.bounded_io import FileError, read_json
from companion.errors import CompanionError
from companion.phrases import phrase
from vision.arrays import Image
from vision.images.cameras import is_live
from vision.images.clips import MOST_FRAME_PIXELS, is_cut_off
from vision.images.headers import HeaderError
from vision.images.loading import PICTURE_SUFFIXES, VIDEO_SUFFIXES, list_folder, load_image
from vision.images.opencv import without_log
from vision.protocols import FrameSource

_SIDES = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
#: libcamera's `AfModeEnum`.
_AF_MANUAL, _AF_CONTINUOUS = 0, 2
#: Frames for which a photo is shown to what follows a table.
STILL = 6
Frame = tuple[float, Image]


class SourceError(CompanionError):
    """A source of frames cannot be opened, or stopped; the message says why and what to do."""


def open_source(
    text: str, *, realtime: bool = False, size: tuple[int, int] = (1280, 720), looks: int = 1
) -> FrameSource:
    """The source that a person named, not opened yet.

    Args:
        text: ``demo``, ``camera``, ``camera:N``, ``picamera``, ``picamera:N``, or the path of a
            video, a picture or a folder of pictures.
        realtime: whether clips play at their own speed, leaving out frames when the caller is
            slow; otherwise every frame is delivered.
        size: wanted width and height of camera frames in pixels.
        looks: how often each photo of a folder is delivered. What follows a table takes a card
            only when it has lain still for some frames: `STILL` of them are enough.

    Raises:
        SourceError: it is none of these.
    """
    if is_live(text):
        kind, _, number = text.partition(":")
        index = int(number or 0)
        is_pi = kind == "picamera"
        return PiCameraSource(index, size=size) if is_pi else CameraSource(index, size=size)
    if text == "demo":
        return VideoSource(demo_clip(), realtime=realtime, title="the bundled clip")
    path = Path(text)
    if path.is_dir() or path.suffix.lower() in PICTURE_SUFFIXES:
        return FolderSource(path, realtime=realtime, looks=looks)
    if not path.exists():
        raise SourceError(
            f"{text}: there is no such file. Name demo, camera, camera:N, picamera, a video or a "
            "folder."
        )
    return VideoSource(path, realtime=realtime)


def is_video(path: Path) -> bool:
    """Whether a file's name says that it is a video."""
    return path.suffix.lower() in VIDEO_SUFFIXES


def demo_clip() -> Path:
    """The bundled clip, as ``demo/demo.json`` of the app names it.

    Raises:
        SourceError: it is not installed.
    """
    spec = find_spec("mobile")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "demo"
        try:
            clip = folder / read_json(folder / "demo.json")["clip"]
        except (FileError, LookupError, TypeError):
            continue
        if clip.is_file():
            return clip
    raise SourceError("The bundled clip is missing. Reinstall the companion.")


class _Source:
    """What all sources share: their name and how they came to an end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ended = False
        self.failure: str | None = None

    def _restart(self) -> None:
        self.ended, self.failure = False, None

    def _stop(self, reason: str | None = None) -> None:
        self.ended, self.failure = True, reason


class CameraSource(_Source):
    """A camera that OpenCV reaches: built in, USB, or a Pi camera with a V4L2 driver."""

    def __init__(self, index: int = 0, *, size: tuple[int, int] = (1280, 720)) -> None:
        super().__init__(f"camera {index}")
        self._index, self._size = index, size
        self._capture: Any = None
        self._start = 0.0
        #: Whether the focus can be kept where it is; known once the camera is open.
        self.has_focus_lock = False
        self._focus_wish: bool | None = None

    def open(self) -> None:
        """Starts the camera; raises `SourceError` where there is none or it shows nothing."""
        self._restart()
        with without_log():  # the error is told once, in words
            capture = cv2.VideoCapture(self._index)
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        # One buffered frame: an older one would show the table as it was.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if not capture.isOpened() or not capture.read()[0]:
            capture.release()
            raise SourceError(
                "Camera {index} cannot be opened: it is not plugged in, used by another "
                "program, or not permitted. Check it, or name another one as camera:N.",
                index=self._index,
            )
        self._capture, self._start = capture, time.monotonic()
        self.has_focus_lock = capture.get(cv2.CAP_PROP_AUTOFOCUS) >= 0

    def lock_focus(self, locked: bool) -> None:
        """Keeps the focus where it is, or lets the camera find it again; with the next frame."""
        self._focus_wish = locked

    def newest(self) -> Frame | None:
        """Waits for the next frame; None once the camera has stopped."""
        if self._capture is None:
            return None
        if self._focus_wish is not None:
            self._capture.set(cv2.CAP_PROP_AUTOFOCUS, float(not self._focus_wish))
            self._focus_wish = None
        good, image = self._capture.read()
        if not good:
            self._stop(
                phrase(
                    "Camera {index} stopped delivering pictures. Plug it in again.",
                    index=self._index,
                )
            )
            return None
        return time.monotonic() - self._start, np.asarray(image, np.uint8)

    def close(self) -> None:
        """Lets go of the camera."""
        if self._capture is not None:
            self._capture.release()
        self._capture = None


class PiCameraSource(_Source):
    """A Raspberry Pi camera through picamera2 (Debian: python3-picamera2)."""

    def __init__(self, index: int = 0, *, size: tuple[int, int] = (1280, 720)) -> None:
        super().__init__(f"Pi camera {index}")
        self._index, self._size = index, size
        self._camera: Any = None
        self._start = 0.0
        #: Whether the focus can be kept where it is (camera module 3); known once it is open.
        self.has_focus_lock = False

    def open(self) -> None:
        """Starts the camera; raises `SourceError` where picamera2 or the camera is missing."""
        self._restart()
        try:
            from picamera2 import Picamera2
        except ImportError:
            raise SourceError(
                "The Pi camera needs picamera2: sudo apt install python3-picamera2, and a virtual "
                "environment with system site packages."
            ) from None
        try:
            camera = Picamera2(self._index)
            # picamera2's "RGB888" lies in memory as blue, green, red.
            camera.configure(
                camera.create_video_configuration({"size": self._size, "format": "RGB888"})
            )
            camera.start()
        except (RuntimeError, IndexError, OSError) as error:
            raise SourceError(
                "Pi camera {index} cannot be opened ({error}). Check its cable.",
                index=self._index,
                error=str(error),
            ) from None
        self._camera, self._start = camera, time.monotonic()
        self.has_focus_lock = "AfMode" in getattr(camera, "camera_controls", {})

    def lock_focus(self, locked: bool) -> None:
        """Keeps the focus where it is, or lets the camera find it again and again."""
        if self._camera is not None and self.has_focus_lock:
            self._camera.set_controls({"AfMode": _AF_MANUAL if locked else _AF_CONTINUOUS})

    def newest(self) -> Frame | None:
        """Waits for the next frame; None once the camera has stopped."""
        if self._camera is None:
            return None
        try:
            image = self._camera.capture_array()
        except (RuntimeError, OSError) as error:
            self._stop(
                phrase(
                    "Pi camera {index} stopped: {error}. Check its cable.",
                    index=self._index,
                    error=str(error),
                )
            )
            return None
        return time.monotonic() - self._start, np.ascontiguousarray(image[:, :, :3])

    def close(self) -> None:
        """Lets go of the camera."""
        if self._camera is not None:
            self._camera.stop()
            self._camera.close()
        self._camera = None


class VideoSource(_Source):
    """A video file."""

    def __init__(
        self,
        path: Path,
        *,
        realtime: bool = False,
        title: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(title or str(path))
        self._path, self._realtime = path, realtime
        self._clock, self._sleep = clock, sleep
        self._capture: Any = None
        self._next, self._rate, self._start = 0, 30.0, 0.0
        self._is_cut = False

    def open(self) -> None:
        """Opens the file; raises `CompanionError` where it is no video."""
        self._restart()
        try:
            self._is_cut = is_cut_off(self._path)
        except HeaderError as error:
            raise SourceError(f"{self._path}: cannot be read, {error}.") from None
        with without_log():
            capture = _capture_of(str(self._path))
        if not capture.isOpened():
            capture.release()
            raise SourceError(f"{self._path}: cannot be read, the video is damaged.")
        width, height = (int(capture.get(p)) for p in _SIDES)
        if width * height > MOST_FRAME_PIXELS:
            capture.release()
            raise SourceError(f"{self._path}: {width}×{height} is too large for a video.")
        rate = capture.get(cv2.CAP_PROP_FPS)
        self._rate = rate if 1 <= rate <= 1000 else 30.0
        self._capture, self._next, self._start = capture, 0, self._clock()

    def newest(self) -> Frame | None:
        """The next frame, or the one that is due where it plays at its own speed."""
        if self._capture is None or self.ended:
            return None
        if self._realtime:
            due = int((self._clock() - self._start) * self._rate)
            while self._next < due and self._capture.grab():
                self._next += 1
            early = self._next / self._rate - (self._clock() - self._start)
            if early > 0:
                self._sleep(early)
        image = self._read()
        if image is None:
            self._stop(self._why_it_ended())
            return None
        when = self._next / self._rate
        self._next += 1
        return when, np.asarray(image, np.uint8)

    def _read(self) -> Image | None:
        """The next frame; None at the end and where the decoder gives up."""
        try:
            with without_log():
                good, image = self._capture.read()
        except (cv2.error, MemoryError):
            return None
        return image if good else None

    def _why_it_ended(self) -> str | None:
        """Why no frame comes any more, where that is not simply the end."""
        if not self._next:
            return f"{self._path}: there is no readable frame in it."
        stated = self._capture.get(cv2.CAP_PROP_FRAME_COUNT)
        is_short = self._is_counted and self._next < stated - max(2, stated / 20)
        if not self._is_cut and not is_short:
            return None
        why = "the file is cut off" if self._is_cut else "the rest is damaged"
        frames = "1 frame" if self._next == 1 else f"{self._next} frames"
        return f"{self._path}: ends early after {frames}, {why}."

    @property
    def _is_counted(self) -> bool:
        """Whether the file says how many frames there are; elsewhere that is a guess."""
        return self._path.suffix.lower() in (".avi", ".mp4", ".m4v", ".mov")

    def close(self) -> None:
        """Closes the file."""
        if self._capture is not None:
            self._capture.release()
        self._capture = None


class FolderSource(_Source):
    """Pictures of a folder in natural order, or a single picture; one each second.

    Args:
        path: the folder, or the picture.
        realtime: whether it waits until each is due.
        interval: seconds from one picture to the next.
        looks: how often each is delivered, spread over its interval.
        clock: the time in seconds.
        sleep: waits for some seconds.
    """

    def __init__(
        self,
        path: Path,
        *,
        realtime: bool = False,
        interval: float = 1.0,
        looks: int = 1,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(str(path))
        self._path, self._realtime, self._interval = path, realtime, interval
        self._looks, self._image, self._left = looks, np.zeros((1, 1, 3), np.uint8), 0
        self._clock, self._sleep = clock, sleep
        self._files: list[Path] = []
        self._next, self._start = 0, 0.0

    def open(self) -> None:
        """Lists the folder; raises `CompanionError` where it holds no pictures."""
        self._restart()
        self._files = list_folder(self._path) if self._path.is_dir() else [self._path]
        self._next, self._left, self._start = 0, 0, self._clock()

    def newest(self) -> Frame | None:
        """The next picture, or the same one again; unreadable ones are passed over."""
        while not self._left:
            if self._next == len(self._files):
                self._stop(self.failure)
                return None
            path = self._files[self._next]
            self._next += 1
            try:
                self._image, self._left = load_image(path).pixels, self._looks
            except CompanionError as error:
                self.failure = error.message
        when = (self._next - self._left / self._looks) * self._interval
        self._left -= 1
        early = when - (self._clock() - self._start)
        if self._realtime and early > 0:
            self._sleep(early)
        return when, self._image

    def close(self) -> None:
        """Forgets the list."""
        self._files = []


def _capture_of(path: str) -> Any:
    """Opens a video; FFmpeg decodes in the calling thread, where its log is off while it reads."""
    capture = cv2.VideoCapture(path, cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1])
    return capture if capture.isOpened() else cv2.VideoCapture(path)
