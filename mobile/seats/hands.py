"""Hands that players show to their own phones' cameras: read here, told to that seat, forgotten.

A frame is in memory while it is read, and nowhere else. What is answered depends on the seat's own
frames alone. Frames are read on a thread of their own, one after the other: the table goes on.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from companion.errors import CompanionError
from mobile.seats import sentences
from mobile.seats.lent_camera import decode

if TYPE_CHECKING:  # hosting starts without what reads pictures
    from companion.decks import Deck
    from vision.hands import Hand, HandReader
    from vision.protocols import CardReader

#: Widest and highest frame that is taken, in pixels: pages send less.
MOST_SIDE = 1600
#: Seats that show their hands at once, and seconds after which one counts as done.
_MOST_SEATS, _DONE = 4, 8.0
#: Seconds between two frames of a seat: three a second.
_FRAME_INTERVAL = 1 / 3
#: How much the reading thread steps back behind the table's own threads.
_NICE = 10


class Hands:
    """Reads hands for the seats of one table; lives on the event loop's thread.

    Args:
        make_reader: makes what reads cards, when the first hand is shown.
    """

    def __init__(self, deck: Callable[[], Deck], make_reader: Callable[[], CardReader]) -> None:
        self._deck, self._make_reader = deck, make_reader
        self._reader: CardReader | None = None
        self._worker = ThreadPoolExecutor(1, "hands", initializer=_step_back)
        self._scans: dict[int, tuple[float, HandReader]] = {}
        self._newest: dict[int, object] = {}
        self._turns: dict[int, asyncio.Lock] = {}

    async def take(
        self, seat: int, data: bytes, *, is_new: bool, is_alone: bool, count: int = 0
    ) -> Hand | None:
        """Takes a frame of a seat's phone.

        Args:
            seat: whose.
            data: a JPEG.
            is_new: whether it begins a hand: what was read before is forgotten.
            is_alone: whether no other frame follows.
            count: how many cards the hand holds, as its player says; 0 where that is not known.

        Returns:
            What is known of the hand; None where a newer frame has come meanwhile.

        Raises:
            CompanionError: it is no frame, too many hands are shown at once, or there are no eyes
                on this device.
        """
        mark = self._newest[seat] = object()
        async with self._turns.setdefault(seat, asyncio.Lock()):
            if self._newest[seat] is not mark:
                return None
            self._forget_old()
            if seat not in self._scans and len(self._scans) >= _MOST_SEATS:
                raise CompanionError(sentences.HANDS_TOO_MANY)
            began = time.monotonic()
            kept = None if is_new else self._scans.get(seat)
            known = None if kept is None else kept[1]
            work = partial(self._read, known, data, is_alone=is_alone, count=count)
            scan, seen = await asyncio.get_running_loop().run_in_executor(self._worker, work)
            self._scans[seat] = time.monotonic(), scan
            await asyncio.sleep(max(0.0, _FRAME_INTERVAL - (time.monotonic() - began)))
            return seen

    def forget(self, seat: int) -> None:
        """What was read of a seat's hand is forgotten."""
        self._scans.pop(seat, None)

    def _forget_old(self) -> None:
        now = time.monotonic()
        self._scans = {s: kept for s, kept in self._scans.items() if now - kept[0] < _DONE}

    def _read(
        self, known: HandReader | None, data: bytes, *, is_alone: bool, count: int
    ) -> tuple[HandReader, Hand]:
        """On the reading thread."""
        from vision.hands import HandReader

        image = decode(data, MOST_SIDE)
        if self._reader is None:
            self._reader = self._make_reader()
        scan = known or HandReader(
            self._reader, self._deck(), expected=count or None, stills=is_alone
        )
        return scan, scan.add(image)

    def close(self) -> None:
        """No frames are read any more."""
        self._scans.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)


def _step_back() -> None:
    """The thread yields to the others, where the system can do that for one thread."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
