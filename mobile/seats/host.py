"""Everything put together: a session, its pages, and the server that hands them out."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvicorn

from companion.errors import CompanionError
from companion.journal import Session
from mobile.seats.certificate import certificate
from mobile.seats.connections import MOST_HEADERS, PATIENCE, Limits
from mobile.seats.guard import Guard
from mobile.seats.house import CAMERA, TABLE, House
from mobile.seats.hub import Hub
from mobile.seats.invitations import Invitations, SeatPhones
from mobile.seats.lens import HostEyes
from mobile.seats.render import Renderer
from mobile.seats.routes import application
from mobile.seats.table import HostedTable

#: Where the pages are unless another port is named.
PORT = 7380
#: An address of nobody: asking for the way to it sends nothing.
_NOWHERE = ("192.0.2.1", 9)
_LOOPBACK = ("127.0.0.1", "localhost")
#: Seconds between two looks at whether somebody sits down.
_BEAT = 0.2
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - only where a person names it


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a table is hosted.

    Attributes:
        folder: where certificate and phones are kept: beside the journal's keys.
        address: the network's own where it is empty.
        port: 0 takes any that is free.
        secure: whether pages are encrypted.
        source: what the host's own eyes look at; empty for none.
        awaits_phone: whether that source is opened only when the first player sits down.
    """

    folder: Path
    address: str = ""
    port: int = PORT
    secure: bool = True
    source: str = ""
    awaits_phone: bool = False


def own_address() -> str:
    """This device's address on the local network; the loopback one where it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return _LOOPBACK[0]
        return str(probe.getsockname()[0])


def listening(address: str, port: int) -> socket.socket:
    """A socket that listens, at this device's own address where none is named.

    Raises:
        CompanionError: the address is not this device's, or the port is taken.
    """
    address = address or own_address()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(64)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or str(error)
        raise CompanionError(
            f"No pages can be served at {address}, port {port}: {why}. Name another --address or "
            "--port (0 takes any that is free)."
        ) from error
    return listener


class Server(uvicorn.Server):
    """Lets the pages go before it waits for them."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens; a connection that goes silent while keys are exchanged is let go."""
        loop = asyncio.get_running_loop()
        if self.config.ssl is not None:
            patient = partial(loop.create_server, ssl_handshake_timeout=PATIENCE)
            loop.create_server = patient  # type: ignore[method-assign]
        try:
            await super().startup(sockets)
        finally:
            vars(loop).pop("create_server", None)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends all pages' events, then the server."""
        self._hub.close()
        await super().shutdown(sockets)


class Host:
    """A hosted session.

    Args:
        session: the session; used on `worker` alone from now on.
        wishes: how it is hosted.
        listener: where it listens (`listening`); by default what `wishes` name.
        worker: the session's thread. By default one of its own, which the session must not be
            used beside.

    Raises:
        CompanionError: nothing can be served there.
    """

    def __init__(
        self,
        session: Session,
        wishes: Wishes,
        listener: socket.socket | None = None,
        worker: Executor | None = None,
    ) -> None:
        self.wishes, self._session = wishes, session
        self._listener = listener or listening(wishes.address, wishes.port)
        address, port = self._listener.getsockname()[:2]
        scheme = "https" if wishes.secure else "http"
        everywhere = address == _EVERYWHERE
        own = own_address() if everywhere else address
        names = (own, *(_LOOPBACK if everywhere or own.startswith("127.") else ()))
        self._hosts = tuple(f"{name}:{port}" for name in dict.fromkeys(names))
        self._scheme = scheme
        made = certificate(wishes.folder, names)
        self._certificate = made if wishes.secure else None
        self._worker = worker or ThreadPoolExecutor(1, "session")
        self._counter = ThreadPoolExecutor(1, "notepads")
        self._loop: asyncio.AbstractEventLoop | None = None
        hub, phones = Hub(), SeatPhones(wishes.folder, session.uuid)
        table = HostedTable(session, has_phone=phones.has_seat, changed=self.changed)
        lens = None
        if wishes.secure or wishes.source:
            lens = HostEyes(session, self._run, self.changed, wishes.source or None)
        lends = lens is not None and lens.takes_frames
        self.house = House(
            table=table,
            worker=self._worker,
            counter=self._counter,
            renderer=Renderer(
                table,
                words=made.words,
                secure=wishes.secure,
                readable=not (wishes.secure or address in _LOOPBACK),
                lens=lends,
            ),
            hub=hub,
            invitations=Invitations(),
            phones=phones,
            address=f"{scheme}://{self._hosts[0]}",
            words=made.words,
            secure=wishes.secure,
            lens=lens,
        )

    async def _run(self, work: Callable[[], object]) -> object:
        return await self.house.run(work)

    def changed(self) -> None:
        """Something has happened at the table; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self.house.changed)

    def addresses(self) -> dict[str, object]:
        """What `companion host --json` prints; each code holds two minutes, once."""
        house = self.house
        lends = house.lens is not None and house.lens.takes_frames
        seats = {
            name: house.url(str(seat + 1)) for seat, name in enumerate(house.table.setup.players)
        }
        return {
            "table": house.url(TABLE),
            "seats": seats,
            "camera": house.url(CAMERA) if lends else None,
            "fingerprint": house.words,
        }

    def run(self, ready: Callable[[], None]) -> None:
        """Serves until it is stopped (Ctrl-C, or `stop`).

        Args:
            ready: called when pages can be asked for.
        """
        asyncio.run(self.serve(ready))

    async def serve(self, ready: Callable[[], None]) -> None:
        """Serves on the running loop."""
        self._loop = asyncio.get_running_loop()
        # What clients do wrong is answered to them; nobody reads it in the terminal.
        logging.getLogger("uvicorn").addHandler(logging.NullHandler())
        config = uvicorn.Config(
            Guard(application(self.house), hosts=self._hosts, scheme=self._scheme),
            http=Limits().protocol(),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=MOST_HEADERS,
        )
        config.load()
        config.ssl = self._context()
        server = Server(config, self.house.hub)
        self._server = server
        lens = self.house.lens
        tasks = [asyncio.create_task(self._announce(server, ready))]
        try:
            if lens is not None and not lens.takes_frames:
                if self.wishes.awaits_phone:
                    tasks.append(asyncio.create_task(self._start_late(lens)))
                else:
                    await lens.start()
            await server.serve(sockets=[self._listener])
        finally:
            for task in tasks:
                task.cancel()
            if lens is not None:
                await lens.stop()
            self._counter.shutdown(wait=False, cancel_futures=True)
            self._worker.shutdown(wait=True)
            self._listener.close()

    async def _announce(self, server: uvicorn.Server, ready: Callable[[], None]) -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        ready()

    async def _start_late(self, lens: HostEyes) -> None:
        """Opens the eyes when the first player has sat down."""
        seats = range(len(self.house.table.setup.players))
        while not any(map(self.house.phones.has_seat, seats)):
            await asyncio.sleep(_BEAT)
        try:
            await lens.start()
        except CompanionError as error:
            lens.failure = error.message
            self.house.changed()

    def stop(self) -> None:
        """Ends serving; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._ask_to_stop)

    def _ask_to_stop(self) -> None:
        self._server.should_exit = True

    def _context(self) -> ssl.SSLContext | None:
        if self._certificate is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._certificate.path, self._certificate.key_path)
        return context
