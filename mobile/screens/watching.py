"""A screen that shows what eyes see, and lets go of the camera when it is done."""

from __future__ import annotations

from kivy.clock import Clock
from kivy.uix.screenmanager import Screen

from mobile.model.camera_worker import Eyes, FrameReport, Stamp
from mobile.resources import texts
from vision.arrays import Image

#: How often a screen asks its eyes for news.
FRAMES_A_SECOND = 30


class WatchingScreen(Screen):
    """The base of every screen with a camera's picture.

    Attributes:
        eyes: what looks for it now; None while nothing does.
    """

    eyes: Eyes | None = None

    def watch(self, eyes: Eyes, stamp: Stamp | None) -> None:
        """Starts eyes and asks them for news from now on; without a stamp they run already."""
        self.eyes = eyes
        if stamp is not None:
            eyes.start(stamp)
        Clock.schedule_interval(self._tick, 1 / FRAMES_A_SECOND)

    def close(self) -> None:
        """Asks no more, and stops the eyes."""
        Clock.unschedule(self._tick)
        if self.eyes is not None:
            self.eyes.stop()
            self.eyes = None

    def _tick(self, _dt: float) -> None:
        """Takes in the news."""
        eyes, camera = self.eyes, self.ids.camera
        if eyes is None:
            return
        image, look = eyes.picture(), eyes.look()
        if image is not None:
            camera.show(image)
            camera.notice = ""
            self.shown(image)
        if eyes.failure is not None:
            self.failed(texts.told(eyes.failure))
        if look is not None and self.eyes is eyes:
            camera.mark(look.reading)
            self.seen(look)

    def shown(self, image: Image) -> None:
        """A picture is shown, (height, width, 3) BGR."""

    def failed(self, why: str) -> None:
        """The eyes do not work, in words."""
        self.ids.camera.notice = why

    def seen(self, look: FrameReport) -> None:
        """Something was read; each screen has its own way."""
        raise NotImplementedError
