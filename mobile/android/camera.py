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

from companion.phrases import phrase
from mobile.android.device import ask_for_camera
from vision.protocols import Image
from vision.sources import SourceError

_PATIENCE = 5.0
_PAUSE = 0.005


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
    if not done.wait(_PATIENCE):
        raise SourceError("The camera does not answer. Close other apps that use it.")
    value, error = result[0]
    if error is not None:
        raise SourceError(
            phrase("The camera cannot be opened: {error}.", error=str(error))
        ) from error
    return value


class AndroidSource:
    """The device's camera as a source of frames.

    Args:
        index: 0 for the camera on the back.
        size: wanted width and height in pixels, as the sensor lies.
    """

    def __init__(self, index: int = 0, *, size: tuple[int, int] = (1280, 720)) -> None:
        self.name = f"camera {index}"
        self.ended = False
        self.failure: str | None = None
        self._index, self._size = index, size
        self._camera: Any = None
        self._last: bytes | None = None
        self._start = 0.0

    def open(self) -> None:
        """Starts the camera.

        Raises:
            SourceError: it is not permitted, or used by another app.
        """
        self.ended, self.failure = False, None
        if not ask_for_camera():
            raise SourceError(
                "The camera is not permitted yet: allow it, then look again, or tap the cards in."
            )
        self._camera = on_main_thread(self._make)
        self._start = time.monotonic()

    def newest(self) -> tuple[float, Image] | None:
        """The newest frame not delivered yet; None until there is one."""
        if self._camera is None:
            return None
        buffer = self._camera.grab_frame()
        if buffer is None or buffer == self._last:
            time.sleep(_PAUSE)
            return None
        self._last = buffer
        image = decode(buffer, self._camera.resolution)
        return time.monotonic() - self._start, self._upright(image)

    def close(self) -> None:
        """Lets go of the camera."""
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

    @staticmethod
    def _upright(image: Image) -> Image:
        """The sensor lies on its side: in an upright window its picture is turned."""
        from kivy.core.window import Window

        upright = Window.height > Window.width
        if upright == (image.shape[0] > image.shape[1]):
            return image
        return np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
