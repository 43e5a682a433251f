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
PATIENCE = 10.0
#: Bytes of the first line and the headers together.
MOST_HEADERS = 16_384


class Limits:
    """Counts the connections of one server."""

    def __init__(self, each: int = MOST_EACH, most: int = MOST, patience: float = PATIENCE) -> None:
        self.each, self.most, self.patience = each, most, patience
        self.open: Counter[str] = Counter()

    def takes(self, address: str) -> bool:
        """Whether one more connection of an address is taken."""
        return self.open[address] < self.each and self.open.total() < self.most

    def protocol(self) -> type[H11Protocol]:
        """The class that uvicorn makes one object of for each connection."""
        limits = self

        class Limited(_Limited):
            limits_of_server = limits

        return Limited


class _Limited(H11Protocol):
    limits_of_server: Limits
    _address = ""
    _is_counted = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Turns a connection away that is one too many."""
        super().connection_made(transport)
        limits = self.limits_of_server
        self._address = self.client[0] if self.client else ""
        if not limits.takes(self._address):
            transport.abort()
            return
        self._is_counted = True
        limits.open[self._address] += 1
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Counts it off."""
        self._stop_watching()
        if self._is_counted:
            self._is_counted = False
            self.limits_of_server.open[self._address] -= 1
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
            self._deadline = self.loop.call_later(self.limits_of_server.patience, self._give_up)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.abort()
