"""Limits on connections: how many an address may hold, how long a request may take to arrive."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections that one address may hold, and all together. A phone holds one or two.
MOST_EACH, MOST = 64, 320
#: Seconds in which the first line and the headers of a request must have arrived.
HEADER_TIMEOUT = 10.0
#: Bytes of the first line and the headers together.
MOST_HEADERS = 16_384


class Limits:
    """Counts the connections of one server."""

    def __init__(
        self, each: int = MOST_EACH, most: int = MOST, timeout: float = HEADER_TIMEOUT
    ) -> None:
        self.each, self.most, self.timeout = each, most, timeout
        self.open: Counter[str] = Counter()
        self.waiting: Counter[str] = Counter()

    def takes(self, address: str) -> bool:
        """Whether one more connection of an address is taken."""
        own = self.open[address] + self.waiting[address]
        return own < self.each and self.open.total() + self.waiting.total() < self.most

    def waits(self, address: str) -> None:
        """A connection has come that has not said anything yet."""
        self.waiting[address] += 1

    def turns_away(self, address: str) -> None:
        """One that waited goes."""
        self.waiting[address] -= 1

    def opens(self, address: str) -> None:
        """One that waited is talked to."""
        self.waiting[address] -= 1
        self.open[address] += 1

    def closes(self, address: str) -> None:
        """One that was talked to goes."""
        self.open[address] -= 1

    def protocol(self) -> type[H11Protocol]:
        """The class that uvicorn makes one object of for each connection."""
        limits = self

        class Limited(_Limited):
            limits_of_server = limits

        return Limited


class _Limited(H11Protocol):
    limits_of_server: Limits
    #: Where it comes from, as the door has counted it: who has gone meanwhile tells no more.
    address = ""
    _is_counted = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Counts a connection that the door has let in."""
        super().connection_made(transport)
        self._is_counted = True
        self.limits_of_server.opens(self.address)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Counts it off."""
        self._stop_watching()
        if self._is_counted:
            self._is_counted = False
            self.limits_of_server.closes(self.address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes data, and goes on waiting for the end of the headers."""
        if not self._is_counted:
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._watch()
        else:
            self._stop_watching()

    def _watch(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.limits_of_server.timeout, self._give_up)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.abort()
