"""Takes connections in: encrypted ones go to the pages, plain ones are shown the way to them.

A browser that is given `192.168.1.5:7380` tries plain http. So the first byte of a connection is
looked at, without taking it: 22 begins a handshake of TLS (RFC 8446, 5.1), anything else is plain.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from companion.errors import CompanionError
from mobile.seats.connections import Limits

_HANDSHAKE = b"\x16"
#: Connections that wait in the system to be taken in.
_BACKLOG = 64
#: Seconds for which none is taken in after the system has refused one (too many open files).
_REST = 0.5
#: Makes what talks to a connection, given the address from which it came.
Make = Callable[[str], asyncio.Protocol]


def listening(address: str, port: int) -> socket.socket:
    """A socket that listens at one of this device's addresses.

    Raises:
        CompanionError: the address is not this device's, or the port is taken.
    """
    listener = None
    try:
        plain = address.removeprefix("[").removesuffix("]")
        family, kind, proto, _, where = socket.getaddrinfo(
            plain, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, proto)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(plain != "::"))
        listener.bind(where)
        listener.listen(_BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        why = getattr(error, "strerror", None) or str(error)
        raise CompanionError(
            f"No pages can be served at {address}, port {port}: {why}. Name another --address or "
            "--port (0 takes any that is free)."
        ) from error
    return listener


class Door:
    """Listens at any number of addresses, which may come and go.

    Args:
        pages: makes what talks to a connection that came in encrypted, or to any where `context`
            is None.
        guide: makes what talks to one that came in plain where `context` is given.
        limits: of all connections; those that have not said anything yet count too.
        context: the encryption; another one counts for connections that come after it was set.
        timeout: seconds in which the first byte, and then the handshake, must have come.
    """

    def __init__(
        self,
        pages: Make,
        guide: Make,
        limits: Limits,
        *,
        context: ssl.SSLContext | None,
        timeout: float,
    ) -> None:
        self._pages, self._guide, self._limits = pages, guide, limits
        self.context, self._timeout = context, timeout
        self._loop = asyncio.get_running_loop()
        self._listeners: set[socket.socket] = set()
        self._tasks: set[asyncio.Task[bool]] = set()

    def open(self, listener: socket.socket) -> None:
        """Takes in what comes to a listener; it is closed with the door."""
        listener.setblocking(False)
        self._listeners.add(listener)
        self._loop.add_reader(listener, self._take, listener)

    def shut(self, listener: socket.socket) -> None:
        """Takes nothing more from a listener; connections that came by it go on."""
        if listener in self._listeners:
            self._listeners.discard(listener)
            self._loop.remove_reader(listener)
            listener.close()

    def close(self) -> None:
        """Shuts everything, and drops those who have not said anything yet."""
        for listener in list(self._listeners):
            self.shut(listener)
        for task in self._tasks:
            task.cancel()

    def _take(self, listener: socket.socket) -> None:
        for _ in range(_BACKLOG):
            try:
                link, address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError:
                # Too many files are open: the listener would call at once, for ever.
                self._loop.remove_reader(listener)
                self._loop.call_later(_REST, self._resume, listener)
                return
            limits, who = self._limits, str(address[0])
            if not limits.takes(who):
                link.close()
                continue
            link.setblocking(False)
            limits.waits(who)
            task = self._loop.create_task(self._let_in(link, who))
            self._tasks.add(task)
            task.add_done_callback(partial(self._let_go, who))

    def _resume(self, listener: socket.socket) -> None:
        if listener in self._listeners:
            self._loop.add_reader(listener, self._take, listener)

    def _let_go(self, who: str, task: asyncio.Task[bool]) -> None:
        self._tasks.discard(task)
        came_in = not task.cancelled() and task.exception() is None and task.result()
        if not came_in:
            self._limits.turns_away(who)

    async def _let_in(self, link: socket.socket, who: str) -> bool:
        """Hands a connection to those who talk to it; whether they do."""
        make, context = self._pages, self.context
        if context is not None:
            first = b""
            try:
                first = await asyncio.wait_for(self._first_byte(link), self._timeout)
            except TimeoutError:
                return False
            finally:
                if not first:
                    link.close()
            if not first:
                return False
            if first != _HANDSHAKE:
                make, context = self._guide, None
        timeout = None if context is None else self._timeout
        # From here on the connection is the loop's, which closes it if hands are shaken wrongly.
        try:
            await self._loop.connect_accepted_socket(
                partial(make, who), link, ssl=context, ssl_handshake_timeout=timeout
            )
        except OSError:
            return False
        return True

    async def _first_byte(self, link: socket.socket) -> bytes:
        """The first byte, which stays where it is; none where the other side has gone."""
        there = self._loop.create_future()

        def look() -> None:
            if not there.done():
                there.set_result(None)

        self._loop.add_reader(link, look)
        try:
            await there
        finally:
            self._loop.remove_reader(link)
        with suppress(BlockingIOError, ConnectionError):
            return link.recv(1, socket.MSG_PEEK)
        return b""
