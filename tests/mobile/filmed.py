"""A table before a camera: people lay cards on it and turn them over while the app watches.

`Film` is the source of frames and keeps time with the eyes; what is drawn and what is read is a
subclass's: `DrawnFilm` draws simply and knows what lies where; others may render
pictures that the networks read.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.cards import Card
from tests.vision.table import SIZE, DrawnTable, Lying
from vision.geometry import project
from vision.types import Reading

FPS = 8
Place = tuple[float, float]


class Film(ABC):
    """A source that hands out a frame whenever the test lets one pass."""

    name = "a filmed table"

    def __init__(self) -> None:
        self.ended, self.failure = False, None
        self.frames = 0
        self._due = 0
        self._news = threading.Condition()

    def open(self) -> None:
        self.ended = False

    def close(self) -> None:
        self.ended = True

    def newest(self):
        with self._news:
            if not self._news.wait_for(lambda: self._due > 0, 0.05):
                return None
            self._due -= 1
            self.frames += 1
            return self.frames / FPS, self.picture()

    def step(self, eyes, count: int = 1) -> None:
        """Lets so many frames pass; each is read before the next one comes."""
        mail = eyes._mail
        for wanted in range(eyes.looks + 1, eyes.looks + count + 1):
            with self._news:
                self._due += 1
                self._news.notify_all()
            with mail.news:
                mail.news.wait_for(lambda n=wanted: mail.looks >= n or mail.failure, 60)
            assert eyes.failure is None, eyes.failure
            assert eyes.looks == wanted, "a frame was not read"

    # -- what a subclass does ----------------------------------------------------------------

    @abstractmethod
    def picture(self):
        """The table now, (height, width, 3) BGR."""

    @abstractmethod
    def lay(self, card: Card, at: Place, *, seat: int | None, doubt: Card | None = None) -> None:
        """Somebody lays a card; `at` is its middle as fractions of the picture.

        Args:
            card: what is laid.
            at: where.
            seat: who lays it.
            doubt: a card that it could be just as well, for eyes that are not sure.
        """

    @abstractmethod
    def turn(self, card: Card, *, seat: int | None) -> None:
        """Somebody turns a card over where it lies."""

    @abstractmethod
    def take(self, cards: Sequence[Card]) -> None:
        """Cards are taken away."""


class DrawnFilm(Film):
    """Cards drawn as plain rectangles, read by a reader that knows where they lie."""

    def __init__(self, name_of: Callable[[str], Card]) -> None:
        super().__init__()
        self.rng = np.random.default_rng(5)
        self.table = _Table(name_of=name_of)
        self._to_mm = np.linalg.inv(self.table.view)
        self._last: Reading = Reading(SIZE)

    def picture(self):
        self._last, grey = self.table.frame(self.rng)
        wide = cv2.resize(np.clip(grey, 0, 255).astype(np.uint8), SIZE)
        return cv2.cvtColor(wide, cv2.COLOR_GRAY2BGR)

    def read(self, _image) -> Reading:
        return self._last

    read_frame = read

    def lay(self, card, at, *, seat, doubt=None):
        x, y = project(self._to_mm, np.array([at]) * SIZE)[0]
        self.table.cards.append(Lying(card.code, (float(x), float(y))))
        if doubt is not None:
            self.table.doubts[card.code] = doubt

    def turn(self, card, *, seat):
        cards = self.table.cards
        at = next(k for k, lying in enumerate(cards) if lying.name == card.code)
        cards[at] = Lying(card.code, cards[at].at, cards[at].angle, up=False)

    def take(self, cards):
        gone = {card.code for card in cards}
        self.table.cards = [lying for lying in self.table.cards if lying.name not in gone]


class _Table(DrawnTable):
    """Some of its cards are read unsurely."""

    def __init__(self, name_of: Callable[[str], Card]) -> None:
        super().__init__(name_of=name_of)
        self.doubts: dict[str, Card] = {}

    def _read(self, lying, k, owner, rng):
        read = super()._read(lying, k, owner, rng)
        other = self.doubts.get(lying.name)
        if read is None or other is None:
            return read
        return replace(read, confidence=0.52, alternatives=((other, 0.46),))
