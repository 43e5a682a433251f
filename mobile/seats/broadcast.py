"""Who is connected, and what wakes the pages when something has happened."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Broadcast:
    """The open pages of one table; lives on the event loop's thread.

    Attributes:
        closed: whether the table is being closed: pages are let go.
    """

    def __init__(self) -> None:
        self.closed = False
        self._pages: Counter[int | None] = Counter()
        self._news = asyncio.Event()
        self._version = 0

    @property
    def version(self) -> int:
        """Grows whenever pages may have to show something else."""
        return self._version

    def wake(self) -> None:
        """Something has happened."""
        self._version += 1
        self._news.set()
        self._news = asyncio.Event()

    def close(self) -> None:
        """Lets every page go."""
        self.closed = True
        self.wake()

    async def changed(self, since: int, timeout: float) -> bool:
        """Waits until something has happened since a version.

        Returns:
            False where nothing did for so many seconds.
        """
        if self._version != since:
            return True
        try:
            await asyncio.wait_for(self._news.wait(), timeout)
        except TimeoutError:
            return self._version != since
        return True

    def is_connected(self, seat: int) -> bool:
        """Whether the seat's page is open somewhere."""
        return self._pages[seat] > 0

    @contextmanager
    def open(self, seat: int | None) -> Iterator[None]:
        """A page is open as long as this lasts."""
        self._pages[seat] += 1
        self.wake()
        try:
            yield
        finally:
            self._pages[seat] -= 1
            self.wake()
