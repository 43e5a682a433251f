"""The eyes on their own threads: frames are grabbed by one, read by another; newest frame wins.

A camera never waits: frames that come while one is being read are shown but not read. A clip
waits for the reader where that falls far behind, so that on a slow machine it plays slower
instead of being missed.

Every message carries the match and the state number that held when its frame was taken. A message
also carries everything that lies there, so nothing is lost when a stale one is dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from companion.cards import Card
from companion.decks import Deck
from companion.errors import CompanionError
from mobile.model.zones import WHOLE, Corner, within
from vision.arrays import Image
from vision.images.cameras import WithFocusLock, WithTorch
from vision.protocols import CardReader, FrameSource
from vision.tracking.status import NoticeKind, TableStatus
from vision.tracking.watching import TableWatch
from vision.tracking.zones import Zones
from vision.types import Reading, Sighting

#: A clip runs at most so many seconds ahead of what was read last.
CLIP_LEAD = 0.25


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which table a message speaks of.

    Attributes:
        match: number of the table, new for each one that is opened.
        state: number of its state (`Referee.stands`).
    """

    match: int
    state: int


@dataclass(frozen=True, slots=True)
class FrameReport:
    """What the eyes say about one frame.

    Attributes:
        stamp: table and state when the frame was taken.
        t: time of the frame, seconds since the source was opened.
        latency: seconds from the frame to this message.
        status: how the view is, one of `vision.tracking.status.TableStatus`.
        lying: everything that lies on the table, face up.
        turned: cards that were turned over where they lay.
        twice: cards that are seen in two places.
    """

    stamp: Stamp
    t: float
    reading: Reading
    latency: float
    status: str = TableStatus.WATCHING.value
    lying: tuple[Sighting, ...] = ()
    turned: tuple[Sighting, ...] = ()
    twice: tuple[Card, ...] = ()


@dataclass(slots=True)
class _Mail:
    """What the threads hand over, guarded by one condition."""

    shown: Image | None = None
    unread: tuple[float, float, Stamp, Image] | None = None
    look: FrameReport | None = None
    read_until: float = -1.0
    failure: str | None = None
    ended: bool = False
    looks: int = 0
    news: threading.Condition = field(default_factory=threading.Condition)


class Eyes:
    """Watches a source in the background.

    Args:
        source: where frames come from; opened and closed by the grabbing thread.
        make_reader: called on the reading thread, because loading networks takes time.
        zone: the row among the zones; None where there is none.
        is_clip: whether frames have their own times and may be waited for.
        corners: where in the picture the table lies, as fractions of it.
        zones: the parts of the table that are followed; None takes the row alone, and without a
            row only names cards.
    """

    def __init__(
        self,
        source: FrameSource,
        make_reader: Callable[[], CardReader],
        deck: Deck,
        *,
        zone: str | None,
        is_clip: bool,
        corners: tuple[Corner, ...] = WHOLE,
        zones: Zones | None = None,
    ) -> None:
        self._corners = corners
        if zones is None and zone is not None:
            zones = Zones.of_corners({zone: None if corners == WHOLE else corners})
        self.zones = zones
        self.source, self.zone = source, zone
        self._make_reader, self._deck, self._is_clip = make_reader, deck, is_clip
        self._mail = _Mail()
        self._stamp = Stamp(0, 0)
        self._tracker = self._fresh()
        self._last: FrameReport | None = None
        self._read_last: tuple[Image, Reading] | None = None
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self.torch_on = self.focus_locked = False

    # -- from the interface's thread ---------------------------------------------------------

    def start(self, stamp: Stamp) -> None:
        """Begins; returns at once."""
        self._stamp = stamp
        for work, name in ((self._grab, "camera"), (self._read, "eyes")):
            thread = threading.Thread(target=work, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Ends both threads and lets go of the source."""
        self._stopping.set()
        with self._mail.news:
            self._mail.news.notify_all()
        for thread in self._threads:
            thread.join(timeout=5)
        self._threads.clear()

    def expect(self, stamp: Stamp) -> None:
        """From now on frames are taken for this state."""
        with self._mail.news:
            self._stamp = stamp
            self._mail.news.notify_all()

    def forget(self) -> None:
        """Follows the row anew, as if nothing had been seen; a clip's end is all it has."""
        with self._mail.news:
            self._tracker = self._fresh()
            ended = self._mail.ended
        if ended:
            self.repeat()

    def repeat(self) -> None:
        """Says again what was seen last: people have answered what was asked about it."""
        with self._mail.news:
            if self._last is not None:
                self._mail.look = replace(self._last, stamp=self._stamp)

    def picture(self) -> Image | None:
        """The newest frame not shown yet, (height, width, 3) BGR."""
        with self._mail.news:
            image, self._mail.shown = self._mail.shown, None
            return image

    def look(self) -> FrameReport | None:
        """The newest message not taken yet; None where there is none or it is stale."""
        with self._mail.news:
            look, self._mail.look = self._mail.look, None
            return look if look is not None and look.stamp == self._stamp else None

    def read_last(self) -> tuple[Image, Reading] | None:
        """The frame that was read last, (height, width, 3) BGR, and what was read in it."""
        with self._mail.news:
            return self._read_last

    @property
    def has_torch(self) -> bool:
        """Whether the source has a light that can stay on."""
        return isinstance(self.source, WithTorch) and self.source.has_torch

    @property
    def has_focus_lock(self) -> bool:
        """Whether the source can keep its focus."""
        return isinstance(self.source, WithFocusLock) and self.source.has_focus_lock

    def set_torch(self, on: bool) -> None:
        """Turns the source's light on or off, where it has one."""
        if isinstance(self.source, WithTorch) and self.source.has_torch:
            self.torch_on = on
            self.source.set_torch(on)

    def lock_focus(self, locked: bool) -> None:
        """Keeps the source's focus where it is, or lets it go."""
        if isinstance(self.source, WithFocusLock) and self.source.has_focus_lock:
            self.focus_locked = locked
            self.source.lock_focus(locked)

    @property
    def failure(self) -> str | None:
        """Why there are no pictures or no names, in words."""
        with self._mail.news:
            return self._mail.failure

    @property
    def ended(self) -> bool:
        """Whether the source has come to its end and everything of it was read."""
        with self._mail.news:
            return self._mail.ended and self._mail.unread is None

    @property
    def looks(self) -> int:
        """Number of frames read so far."""
        with self._mail.news:
            return self._mail.looks

    @property
    def seen_until(self) -> float:
        """Time of the frame read last, seconds since the source was opened; -1 before the first."""
        with self._mail.news:
            return self._mail.read_until

    # -- grabbing thread ---------------------------------------------------------------------

    def _grab(self) -> None:
        try:
            self.source.open()
            start = time.monotonic()
            while not self._stopping.is_set() and not self.source.ended:
                frame = self.source.newest()
                if frame is None:
                    continue
                if self._is_clip:
                    start = self._wait_until_due(frame[0], start)
                self._put(*frame)
            self._fail(self.source.failure)
        except CompanionError as error:
            self._fail(error.message)
        finally:
            self.source.close()
            with self._mail.news:
                self._mail.ended = True
                self._mail.news.notify_all()

    def _wait_until_due(self, t: float, start: float) -> float:
        """Waits for a clip's frame to be due and the reader to be near; returns the new start."""
        self._stopping.wait(max(0.0, t - (time.monotonic() - start)))
        with self._mail.news:
            self._mail.news.wait_for(
                lambda: (
                    self._stopping.is_set()
                    or self._mail.failure is not None
                    or t - self._mail.read_until <= CLIP_LEAD
                    or self._mail.unread is None
                )
            )
        return max(start, time.monotonic() - t)

    def _put(self, t: float, image: Image) -> None:
        with self._mail.news:
            self._mail.shown = image
            self._mail.unread = (t, time.monotonic(), self._stamp, image)
            self._mail.news.notify_all()

    def _fail(self, reason: str | None) -> None:
        if reason:
            with self._mail.news:
                self._mail.failure = self._mail.failure or reason
                self._mail.news.notify_all()

    # -- reading thread ----------------------------------------------------------------------

    def _read(self) -> None:
        try:
            reader = self._make_reader()
        except CompanionError as error:
            self._fail(error.message)
            return
        while (job := self._next_job()) is not None:
            try:
                report = self._seen(*job, reader)
            except CompanionError as error:
                self._fail(error.message)
                return
            with self._mail.news:
                self._read_last = job[-1], report.reading
                self._mail.look = self._last = report
                self._mail.looks += 1
                self._mail.read_until = report.t
                self._mail.news.notify_all()
        self._repeat_for_new_states()

    def _next_job(self) -> tuple[float, float, Stamp, Image] | None:
        mail = self._mail
        with mail.news:
            mail.news.wait_for(
                lambda: self._stopping.is_set() or mail.unread is not None or mail.ended
            )
            if self._stopping.is_set():
                return None
            job, mail.unread = mail.unread, None
            mail.news.notify_all()
            return job

    def _seen(
        self, t: float, taken: float, stamp: Stamp, image: Image, reader: CardReader
    ) -> FrameReport:
        """What lies on the table, if it is followed, and the cards that were read."""
        with self._mail.news:
            tracker = self._tracker
        if tracker is None:
            reading = within(reader.read_frame(image), self._corners)
            return FrameReport(stamp, t, reading, time.monotonic() - taken)
        view = tracker.look(image, t, reader)
        twice = (n.card for _, n in view.notices if n.kind is NoticeKind.SEEN_TWICE)
        return FrameReport(
            stamp,
            t,
            within(view.reading, self._corners),
            time.monotonic() - taken,
            view.status.value,
            view.lying,
            view.turned,
            tuple(twice),
        )

    def _repeat_for_new_states(self) -> None:
        """After the last frame, says again what was seen whenever the state has changed."""
        mail = self._mail
        with mail.news:
            while self._last is not None and not self._stopping.is_set():
                if self._stamp != self._last.stamp:
                    mail.look = self._last = replace(self._last, stamp=self._stamp)
                    mail.news.notify_all()
                mail.news.wait()

    def _fresh(self) -> TableWatch | None:
        if self.zones is None:
            return None
        return TableWatch(self._deck, self.zones, rows=() if self.zone is None else (self.zone,))
