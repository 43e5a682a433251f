"""Cards held before the camera: what is read goes into the entry that asked for it."""

from __future__ import annotations

from collections.abc import Callable

from kivy.clock import Clock
from kivy.properties import BooleanProperty, StringProperty

from companion.cards import Card
from mobile.model import speech
from mobile.model.camera_worker import Eyes, Stamp
from mobile.resources import texts
from mobile.widgets.basic import Sheet
from mobile.widgets.camera import CameraView  # noqa: F401 - the .kv uses it
from mobile.widgets.ui import load_layout
from vision.hands import Hand, HandReader

#: How often news are asked for, a second.
_BEATS = 15


class HandCamera(Sheet):
    """A camera's picture, and how far the cards are read; nothing of it is kept.

    Args:
        eyes: what reads, not started yet; they are stopped when the sheet closes.
        take: called with all that is known, and returns how far that is, in words, or nothing
            where all is sure: then the sheet closes by itself.
    """

    status = StringProperty()
    #: Whether each card is said aloud once, when it is sure.
    is_aloud = BooleanProperty(False)
    has_voice = BooleanProperty(False)

    def __init__(self, eyes: Eyes, reader: HandReader, take: Callable[[Hand], str]) -> None:
        super().__init__()
        self._eyes, self._reader, self._take = eyes, reader, take
        self._said: set[Card] = set()
        self.has_voice = speech.voice() is not None
        self.status = texts.SHOW_LEAD

    def on_open(self) -> None:
        """Starts the camera."""
        self._eyes.start(Stamp(-1, 0))
        Clock.schedule_interval(self._tick, 1 / _BEATS)

    def on_dismiss(self) -> None:
        """Stops the camera, and forgets what it saw."""
        Clock.unschedule(self._tick)
        self._eyes.stop()
        self.ids.camera.clear()

    def _tick(self, _dt: float) -> None:
        image, look = self._eyes.picture(), self._eyes.look()
        if image is not None:
            self.ids.camera.show(image)
        if self._eyes.failure is not None:
            self.status = texts.told(self._eyes.failure)
        if look is None:
            return
        self.ids.camera.mark(look.reading)
        hand = self._reader.take(look.reading)
        if self.is_aloud:
            self._say(set(hand.sure) - self._said)
        self.status = self._take(hand)
        if not self.status:
            self.dismiss(animation=False)

    def _say(self, cards: set[Card]) -> None:
        self._said |= cards
        if cards:
            speech.say(", ".join(texts.told(card.name) for card in sorted(cards)))


load_layout(__file__)
