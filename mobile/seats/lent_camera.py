"""Eyes for a hosted table: the host's own camera, or a phone that lends its one.

Frames of a phone are read and dropped; while one is being read, only the newest of those that come
is kept. What the eyes see takes the same road as everywhere: sighting, acceptance, referee.
"""

from __future__ import annotations

import asyncio
import struct
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from companion.errors import CompanionError, UnreadableError
from companion.journal import Session
from mobile.seats import sentences

#: Widest and highest frame that is taken, in pixels: pages send less.
MOST_SIDE = 1280
_STARTS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Does something on the session's thread, and gives what it returns.
Run = Callable[[Callable[[], Any]], Awaitable[Any]]
#: Seconds between two looks at what the eyes have found.
_FRAME_INTERVAL = 0.05


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height of a JPEG, from its structure alone.

    Raises:
        UnreadableError: it is none.
    """
    place = 2
    try:
        if data[:2] != b"\xff\xd8":
            raise IndexError
        while data[place] == 0xFF:
            marker = data[place + 1]
            if marker in _STARTS:
                height, width = struct.unpack_from(">HH", data, place + 5)
                return width, height
            place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    except (IndexError, struct.error):
        pass
    raise UnreadableError(sentences.LENS_NO_PICTURE)


def decode(data: bytes, most: int = MOST_SIDE) -> Any:
    """A frame as (height, width, 3) BGR, at most so many pixels wide and high.

    Raises:
        UnreadableError: it is no JPEG, or larger than pages send.
    """
    width, height = jpeg_size(data)
    if not 0 < width <= most or not 0 < height <= most:
        raise UnreadableError(sentences.LENS_TOO_LARGE)
    import cv2
    import numpy as np

    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise UnreadableError(sentences.LENS_NO_PICTURE)
    return image


class LentSource:
    """A source of frames that a phone sends: the newest one, once."""

    name = "a phone's camera"
    failure: str | None = None

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._frame: tuple[float, Any] | None = None
        self._opened = time.monotonic()
        self.ended = False

    def open(self) -> None:
        """Begins to count time."""
        self._opened = time.monotonic()

    def give(self, image: Any) -> None:
        """Takes a frame in place of one that nobody has looked at."""
        with self._news:
            self._frame = time.monotonic() - self._opened, image
            self._news.notify_all()

    def newest(self) -> tuple[float, Any] | None:
        """The newest frame; None where none came for a moment."""
        with self._news:
            self._news.wait_for(lambda: self._frame is not None or self.ended, 0.2)
            frame, self._frame = self._frame, None
            return frame

    def close(self) -> None:
        """No frames are taken any more."""
        with self._news:
            self.ended = True
            self._news.notify_all()


class HostEyes:
    """Eyes on a source, for one session.

    Args:
        session: the session, used through `run` alone.
        changed: called, on the session's thread, when the eyes have recorded or ask something.
        source: name of the host's own source; None for a phone's camera.
    """

    def __init__(
        self,
        session: Session,
        run: Run,
        changed: Callable[[], None],
        source: str | None = None,
    ) -> None:
        self._session, self._run, self._changed = session, run, changed
        self._named = source
        self._lent = LentSource()
        self._eyes: Any = None
        self._model: Any = None
        self._watching: asyncio.Task[None] | None = None
        self.seen: tuple[str, ...] = ()
        self.failure = ""

    @property
    def takes_frames(self) -> bool:
        """Whether a phone may lend its camera."""
        return self._named is None

    @property
    def question(self) -> Any:
        """What was seen and has to be decided by people; None where nothing."""
        return None if self._model is None else self._model.question

    @property
    def objection(self) -> str:
        """What speaks against recording it, as everybody may know it; empty where nothing does."""
        return "" if self.question is None else str(self.question.why)

    @property
    def is_due(self) -> bool:
        """Whether somebody has something secret to write before play begins."""
        return self._model is not None and bool(self._model.due())

    @property
    def gathers(self) -> str:
        """What lies there and does not count, and what people do then; empty where all counts."""
        model = self._model
        if model is None or model.question is not None or not model.is_gathering:
            return ""
        return sentences.EYES_GATHER_EARLY if model.is_waiting_to_start else sentences.EYES_GATHER

    async def start(self) -> None:
        """Opens the eyes; does nothing where they are open.

        Raises:
            CompanionError: there is no such source, or no eyes on this device.
        """
        if self._watching is not None:
            return
        await self._run(self._open)
        self._watching = asyncio.create_task(self._watch())

    def _open(self) -> None:
        from mobile.card_readers import shipped_reader
        from mobile.model.camera_worker import Eyes
        from mobile.model.table import Table
        from mobile.model.zones import WHOLE, of_table
        from vision.images.cameras import is_live
        from vision.images.sources import open_source

        session = self._session
        self._model = model = Table(session.game, session.setup, session, None)
        from companion.decks import get_deck

        deck = get_deck(model.deck)
        # The eyes themselves keep a clip's time, and wait where this device cannot follow.
        source = self._lent if self._named is None else open_source(self._named)
        is_clip = self._named is not None and not is_live(self._named)
        self._eyes = Eyes(
            source,
            lambda: shipped_reader(model.deck),
            deck,
            zone=model.watched_zone,
            is_clip=is_clip,
            zones=of_table(model.zones, WHOLE),
        )
        self._eyes.start(model.stamp)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_FRAME_INTERVAL)
            look = self._eyes.look()
            failure = self._eyes.failure or ""
            if look is not None:
                self.seen = tuple(read.card.name for read in look.reading.cards)
            try:
                await self._run(partial(self._see, look))
            except CompanionError as error:
                failure = error.message
            if failure != self.failure:
                self.failure = failure
                self._changed()

    def _see(self, look: Any) -> None:
        """Takes in what was seen, if anything was; on the session's thread."""
        before = self.gathers
        if look is not None and (self._model.see(look) or self.gathers != before):
            self._changed()
        if before and not self._model.is_gathering:
            self._eyes.forget()
        self._eyes.expect(self._model.stamp)

    @property
    def key(self) -> str:
        """What tells the question from other ones; empty where there is none."""
        if self.question is None:
            return ""
        seen, *rest = self.question.meant
        return " ".join(map(str, (*seen, *rest)))

    def decide(self, key: str, *, accept: bool) -> None:
        """People say whether what was seen is so; on the session's thread.

        Raises:
            CompanionError: another question has taken its place, or it cannot be recorded.
        """
        if self.question is None or self.key != key:
            raise CompanionError(sentences.EYES_CHANGED)
        if accept:
            if not self._model.accept_question():
                raise CompanionError(self._model.message)
            self._eyes.repeat()
        else:
            self._model.dismiss_question()
        self._eyes.expect(self._model.stamp)
        self._changed()

    def look_again(self) -> None:
        """Everything that lies there counts, also what was waved aside; on the session's thread."""
        if self._model is not None:
            self._model.look_again()
            self._eyes.forget()
            self._eyes.expect(self._model.stamp)
            self._changed()

    async def take(self, data: bytes) -> tuple[str, ...]:
        """Takes a frame of a phone.

        Returns:
            Names of the cards that were read last.

        Raises:
            CompanionError: it is no frame, or there are no eyes on this device.
        """
        image = await asyncio.to_thread(decode, data)
        await self.start()
        self._lent.give(image)
        return self.seen

    async def stop(self) -> None:
        """Closes the eyes."""
        if self._watching is not None:
            self._watching.cancel()
        if self._eyes is not None:
            self._lent.close()
            await asyncio.to_thread(self._eyes.stop)
