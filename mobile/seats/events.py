"""Who is connected, and server-sent events: how a page is told what has changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from starlette.responses import Response

from mobile.seats.middleware import Message, Receive, Scope, Send
from mobile.seats.render import RenderedPage

#: Seconds between signs of life to a page, and in which a page must take what it is sent.
TICK, SEND_TIMEOUT = 15.0, 20.0


class Broadcast:
    """The open pages of one table; lives on the event loop's thread.

    Attributes:
        closed: whether the table is being closed: pages are let go.
        version: grows whenever pages may have to show something else.
    """

    def __init__(self) -> None:
        self.closed = False
        self._pages: Counter[int | None] = Counter()
        self._news = asyncio.Event()
        self.version = 0

    def wake(self) -> None:
        """Something has happened."""
        self.version += 1
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
        if self.version != since:
            return True
        try:
            await asyncio.wait_for(self._news.wait(), timeout)
        except TimeoutError:
            return self.version != since
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


class Events(Response):
    """Server-sent events: a page is sent what has changed, as it is when it can be sent.

    Nothing is queued for a slow page: it is sent the newest state when it takes something again,
    and let go where it takes nothing for long.

    Args:
        seat: whose page it is, None for the public table.
        shown: what the page is to show now; None where it is to be let go.
    """

    def __init__(
        self,
        broadcast: Broadcast,
        seat: int | None,
        shown: Callable[[], Awaitable[RenderedPage | None]],
    ) -> None:
        super().__init__()
        self._broadcast, self._seat, self._shown = broadcast, seat, shown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the page or the table goes."""
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(_gone(receive))
        try:
            with self._broadcast.open(self._seat), suppress(TimeoutError, OSError):
                async for text in self._texts(gone):
                    message: Message = {
                        "type": "http.response.body", "body": text.encode(), "more_body": True
                    }  # fmt: skip
                    await asyncio.wait_for(send(message), SEND_TIMEOUT)
        finally:
            gone.cancel()
        with suppress(OSError):
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _texts(self, gone: asyncio.Task[None]) -> AsyncIterator[str]:
        sent: RenderedPage | None = None
        time, silent_since = asyncio.get_running_loop().time, 0.0
        while not gone.done() and not self._broadcast.closed:
            version = self._broadcast.version
            shown = await self._shown()
            if shown is None:
                yield "event: gone\ndata: {}\n\n"
                return
            if shown.differs(sent):
                yield f"event: page\ndata: {shown.message(sent)}\n\n"
                sent, silent_since = shown, time()
            # What happens unseen by this page must not show in the rhythm of its signs of life.
            while not await self._is_due(version, gone, max(0.0, silent_since + TICK - time())):
                yield "event: tick\ndata: {}\n\n"
                silent_since = time()

    async def _is_due(self, version: int, gone: asyncio.Task[None], timeout: float) -> bool:
        """Waits for something to happen; False where it is time for a sign of life."""
        waiting = asyncio.create_task(self._broadcast.changed(version, timeout))
        await asyncio.wait({waiting, gone}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done():
            waiting.cancel()
            return True
        return waiting.result()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
