"""The eyes' threads, without a window: order, staleness, ends and failures."""

import threading

import numpy as np
import pytest

from companion.cards import card
from companion.decks import get_deck
from companion.errors import CompanionError
from mobile.model.camera_worker import Eyes, Stamp
from vision.images.sources import SourceError
from vision.types import CardRead, IndexRead, Reading

SIZE = (64, 48)


def read_of(code, x):
    none = np.zeros(0, np.float32)
    index = IndexRead((x, 20.0), (0.0, 1.0), 20.0, none, none, 0.99)
    return CardRead(card(code), 0.99, ((0, 0), (1, 0), (1, 1), (0, 1)), (index,))


class Frames:
    """A source of so many frames at ten a second."""

    name = "frames"

    def __init__(self, count, error=None):
        self.count, self.error = count, error
        self.ended, self.failure, self.closed = False, None, False
        self._next = 0

    def open(self):
        if self.error:
            raise SourceError(self.error)

    def newest(self):
        if self._next >= self.count:
            self.ended = True
            return None
        self._next += 1
        return self._next / 10, np.full((SIZE[1], SIZE[0], 3), self._next, np.uint8)

    def close(self):
        self.closed = True


class Reader:
    def __init__(self, gate=None):
        self.gate, self.frames = gate, []

    def read(self, image):
        if self.gate is not None:
            self.gate.wait(10)
        self.frames.append(int(image[0, 0, 0]))
        return Reading(SIZE, (read_of("7S", 20.0),))

    read_frame = read


def watch(source, reader, *, is_clip):
    return Eyes(source, lambda: reader, get_deck(), zone="row", is_clip=is_clip)


def wait_for(eyes, condition):
    with eyes._mail.news:
        assert eyes._mail.news.wait_for(condition, 20)


def test_a_clip_waits_for_a_slow_reader():
    reader = Reader()
    eyes = watch(Frames(12), reader, is_clip=True)
    eyes.start(Stamp(1, 0))
    wait_for(eyes, lambda: eyes._mail.ended and eyes._mail.read_until >= 1.2)
    eyes.stop()
    gaps = np.diff([0, *reader.frames])
    assert gaps.max() <= 4, "a clip was left behind"


def test_a_camera_does_not_wait():
    gate = threading.Event()
    reader = Reader(gate)
    eyes = watch(Frames(12), reader, is_clip=False)
    eyes.start(Stamp(1, 0))
    wait_for(eyes, lambda: eyes._mail.ended)
    gate.set()
    wait_for(eyes, lambda: eyes._mail.read_until >= 1.2)
    eyes.stop()
    assert reader.frames[-1] == 12
    assert len(reader.frames) <= 2


def test_stale_messages_are_dropped_and_said_again_for_the_new_state():
    eyes = watch(Frames(8), Reader(), is_clip=True)
    eyes.start(Stamp(1, 0))
    wait_for(eyes, lambda: eyes._mail.ended and eyes._mail.read_until >= 0.8)
    with eyes._mail.news:
        eyes._stamp = Stamp(1, 5)
        assert eyes._mail.look is not None
        assert eyes._mail.look.stamp == Stamp(1, 0)
    assert eyes.look() is None
    eyes.expect(Stamp(1, 6))
    wait_for(eyes, lambda: eyes._mail.look is not None)
    look = eyes.look()
    assert look.stamp == Stamp(1, 6)
    assert [place.card.code for place in look.lying] == ["7S"]
    assert eyes.look() is None
    for again in (eyes.forget, eyes.repeat):  # a clip that has ended shows nothing new
        again()
        assert [place.card.code for place in eyes.look().lying] == ["7S"]
    eyes.stop()


@pytest.mark.parametrize("part", ["source", "reader"])
def test_failures_are_told_in_words(part):
    source = Frames(3, error="Camera 0 cannot be opened." if part == "source" else None)

    def no_reader():
        raise CompanionError("The model file is missing.")

    make = no_reader if part == "reader" else Reader
    eyes = Eyes(source, make, get_deck(), zone="row", is_clip=False)
    eyes.start(Stamp(1, 0))
    wait_for(eyes, lambda: eyes._mail.failure is not None)
    assert eyes.failure in ("Camera 0 cannot be opened.", "The model file is missing.")
    eyes.stop()
    assert source.closed
