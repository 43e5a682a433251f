"""Frames of an Android device's camera, through Kivy's camera class.

Kivy opens the camera and fills a buffer with the newest preview frame; its own decoding does not
work with current numpy, so the frame (NV21: brightness, then colour at half size) is decoded here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import cv2
import numpy as np

from companion.phrases import N_
from mobile.android.device import ask_for_camera, camera_turn, may_use_camera
from vision.arrays import Image
from vision.images.sources import SourceError

_ANSWER_TIMEOUT = 5.0
_PAUSE = 0.005
#: Between two looks at whether the camera is permitted by now.
_ASKED_PAUSE = 0.1
#: For so many seconds after a refusal nobody is asked again: the app comes back on the screen then,
#: and would start its camera anew.
_REFUSAL_STANDS = 2.0
_REFUSED = N_("The camera is not permitted yet: allow it, then look again, or tap the cards in.")
_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def decode(buffer: bytes, size: tuple[int, int]) -> Image:
    """A preview frame as a picture.

    Args:
        buffer: NV21 bytes, one and a half a pixel.
        size: width and height in pixels.

    Returns:
        (height, width, 3) BGR.

    Raises:
        SourceError: the buffer is no such frame.
    """
    width, height = size
    if len(buffer) != width * height * 3 // 2:
        raise SourceError("The camera delivers pictures of an unknown kind.")
    planes = np.frombuffer(buffer, np.uint8).reshape(height * 3 // 2, width)
    return np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_NV21), np.uint8)


def on_main_thread(work: Callable[[], Any]) -> Any:
    """Runs something on Kivy's thread, which alone may touch textures, and waits for it."""
    from kivy.clock import Clock

    done = threading.Event()
    result: list[tuple[Any, Exception | None]] = []

    def run(_dt: float) -> None:
        try:
            result.append((work(), None))
        except Exception as error:  # noqa: BLE001 - handed on to the waiting thread
            result.append((None, error))
        done.set()

    Clock.schedule_once(run, 0)
    if not done.wait(_ANSWER_TIMEOUT):
        raise SourceError("The camera does not answer. Close other apps that use it.")
    value, error = result[0]
    if error is not None:
        raise SourceError("The camera cannot be opened: {error}.", error=str(error)) from error
    return value


class AndroidSource:
    """The device's camera as a source of frames.

    Where the camera is not permitted yet Android asks, and frames come once it is.

    Args:
        index: 0 for the camera on the back.
        size: wanted width and height in pixels, as the sensor lies.
    """

    _refused_at = float("-inf")

    def __init__(self, index: int = 0, *, size: tuple[int, int] = (1280, 720)) -> None:
        self.name = f"camera {index}"
        self.ended = False
        self.failure: str | None = None
        self._index, self._size = index, size
        self._camera: Any = None
        self._last: bytes | None = None
        self._start = 0.0
        self._answer: bool | None = None
        self._is_asking = False

    def open(self) -> None:
        """Starts the camera, or lets Android ask for it.

        Raises:
            SourceError: it is used by another app, or was refused just now.
        """
        self.ended, self.failure = False, None
        self._start = time.monotonic()
        self._answer, self._is_asking = None, not may_use_camera()
        if self._is_asking and self._start - AndroidSource._refused_at < _REFUSAL_STANDS:
            raise SourceError(_REFUSED)
        if self._is_asking:
            ask_for_camera(self._answered)
        else:
            self._camera = on_main_thread(self._make)

    def newest(self) -> tuple[float, Image] | None:
        """The newest frame not delivered yet; None until there is one.

        Raises:
            SourceError: the camera was permitted just now and is used by another app.
        """
        if self._is_asking:
            self._wait_for_answer()
        if self._camera is None:
            return None
        buffer = self._camera.grab_frame()
        if buffer is None or buffer == self._last:
            time.sleep(_PAUSE)
            return None
        self._last = buffer
        image = decode(buffer, self._camera.resolution)
        turn = _TURNS.get(camera_turn(self._index))
        upright = image if turn is None else np.asarray(cv2.rotate(image, turn), np.uint8)
        return time.monotonic() - self._start, upright

    def close(self) -> None:
        """Lets go of the camera."""
        self._is_asking = False
        if self._camera is not None:
            camera, self._camera = self._camera, None
            on_main_thread(camera.stop)

    def set_torch(self, on: bool) -> None:
        """Turns the light on or off."""
        self._change(lambda parameters: parameters.setFlashMode("torch" if on else "off"))

    @property
    def has_torch(self) -> bool:
        """Whether the light can stay on."""
        return "torch" in self._modes("getSupportedFlashModes")

    @property
    def has_focus_lock(self) -> bool:
        """Whether the focus can be kept where it is."""
        return "auto" in self._modes("getSupportedFocusModes")

    def lock_focus(self, locked: bool) -> None:
        """Focuses once and keeps it so, or lets the camera find it again and again."""
        if locked:
            self._change(lambda parameters: parameters.setFocusMode("auto"))
            self._device().autoFocus(None)
            return
        for mode in ("continuous-video", "continuous-picture"):
            if mode in self._modes("getSupportedFocusModes"):
                self._change(methodcaller("setFocusMode", mode))
                return

    def _modes(self, getter: str) -> tuple[str, ...]:
        """What the device says it can do; nothing before it is open."""
        if self._camera is None:
            return ()
        found = getattr(self._device().getParameters(), getter)()
        return tuple(map(str, found.toArray())) if found is not None else ()

    def _answered(self, permitted: bool) -> None:
        self._answer = permitted
        if not permitted:
            AndroidSource._refused_at = time.monotonic()

    def _wait_for_answer(self) -> None:
        """Starts the camera once it is permitted; ends where it is refused."""
        if may_use_camera():
            self._is_asking = False
            self._camera = on_main_thread(self._make)
        elif self._answer is False:
            self._is_asking = False
            self.ended, self.failure = True, _REFUSED
        else:
            time.sleep(_ASKED_PAUSE)

    def _make(self) -> Any:
        from kivy.core.camera import Camera

        camera = Camera(index=self._index, resolution=self._size, stopped=True)
        camera.start()
        return camera

    def _device(self) -> Any:
        return self._camera._android_camera

    def _change(self, change: Callable[[Any], None]) -> None:
        if self._camera is None:
            return
        parameters = self._device().getParameters()
        change(parameters)
        self._device().setParameters(parameters)
