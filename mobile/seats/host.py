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
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import uvicorn

from companion.errors import CompanionError
from companion.journal import Session
from mobile.seats.addresses import Addresses
from mobile.seats.certificate import certificate
from mobile.seats.connections import HEADER_TIMEOUT, MOST_HEADERS, Limits
from mobile.seats.door import Door, listening
from mobile.seats.events import Broadcast
from mobile.seats.hands import Hands
from mobile.seats.host_state import CAMERA, TABLE, HostState
from mobile.seats.invitations import Invitations, SeatPhones
from mobile.seats.lent_camera import HostEyes
from mobile.seats.middleware import App, Guard
from mobile.seats.render import Renderer
from mobile.seats.routes import application
from mobile.seats.table import HostedTable

if TYPE_CHECKING:
    from companion.decks import Deck
    from vision.protocols import CardReader

#: Where the pages are unless another port is named.
PORT = 7380
#: Seconds between two looks at whether somebody sits down.
_POLL_INTERVAL = 0.2
#: Seconds between two looks at what networks there are.
_LOOK = 2.0
__all__ = ["PORT", "Addresses", "Host", "HostOptions", "listening"]


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How a table is hosted.

    Attributes:
        folder: where certificate and phones are kept: beside the journal's keys.
        address: every one that phones can reach where it is empty.
        port: 0 takes any that is free.
        source: what the host's own eyes look at; empty for none.
        awaits_phone: whether that source is opened only when the first player sits down.
    """

    folder: Path
    address: str = ""
    port: int = PORT
    secure: bool = True
    source: str = ""
    awaits_phone: bool = False


class Server(uvicorn.Server):
    """Takes connections in by a door of its own; lets the pages go before it waits for them.

    Args:
        pages: the settings under which pages are served.
        guide: those under which a plain connection is shown the way.
        context: the encryption; None for none.
    """

    def __init__(
        self,
        pages: uvicorn.Config,
        guide: uvicorn.Config,
        addresses: Addresses,
        broadcast: Broadcast,
        limits: Limits,
        context: ssl.SSLContext | None,
    ) -> None:
        super().__init__(pages)
        self._guide, self._addresses, self._broadcast = guide, addresses, broadcast
        self._limits, self.context = limits, context
        self.door: Door | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the door."""
        await super().startup([])
        make, limits = self._maker, self._limits
        self.door = Door(
            make(self.config),
            make(self._guide),
            limits,
            context=self.context,
            timeout=HEADER_TIMEOUT,
        )
        self._addresses.open(self.door)

    def _maker(self, config: uvicorn.Config) -> Callable[[str], asyncio.Protocol]:
        loop = asyncio.get_running_loop()
        made: Any = config.http_protocol_class

        def make(who: str) -> asyncio.Protocol:
            state: Any = self.lifespan.state
            protocol: Any = made(
                config=config, server_state=self.server_state, app_state=state, _loop=loop
            )
            protocol.address = who
            return cast("asyncio.Protocol", protocol)

        return make

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shuts the door and ends all pages' events, then the server."""
        if self.door is not None:
            self.door.close()
        self._broadcast.close()
        await super().shutdown([])


class Host:
    """A hosted session.

    Args:
        session: the session; used on `worker` alone from now on.
        addresses: where it listens; by default what `options` name.
        worker: the session's thread. By default one of its own, which the session must not be
            used beside.

    Raises:
        CompanionError: nothing can be served there.
    """

    def __init__(
        self,
        session: Session,
        options: HostOptions,
        addresses: Addresses | None = None,
        worker: Executor | None = None,
    ) -> None:
        self.options, self._session = options, session
        self._addresses = places = addresses or Addresses(options.address, options.port)
        places.scheme = "https" if options.secure else "http"
        made = certificate(options.folder, places.names)
        self._certificate = made if options.secure else None
        self._moved: Callable[[], None] = lambda: None
        self._worker = worker or ThreadPoolExecutor(1, "session")
        self._counter = ThreadPoolExecutor(1, "notepads")
        self._loop: asyncio.AbstractEventLoop | None = None
        broadcast, phones = Broadcast(), SeatPhones(options.folder, session.uuid)
        table = HostedTable(session, has_phone=phones.has_seat, changed=self.changed)
        lens = None
        if options.secure or options.source:
            lens = HostEyes(session, self._run, self.changed, options.source or None)
        lends = lens is not None and lens.takes_frames
        self.state = HostState(
            table=table,
            worker=self._worker,
            counter=self._counter,
            renderer=Renderer(
                table,
                words=made.words,
                secure=options.secure,
                readable=not (options.secure or places.are_here_alone),
                lens=lends,
            ),
            broadcast=broadcast,
            invitations=Invitations(),
            phones=phones,
            addresses=places,
            words=made.words,
            secure=options.secure,
            lens=lens,
            # Browsers give a camera to encrypted pages alone.
            hands=Hands(self._hand_deck, self._hand_reader) if options.secure else None,
        )

    def _hand_deck(self) -> Deck:
        from mobile.card_readers import table_deck

        return table_deck(self.state.table.game.info.decks)

    def _hand_reader(self) -> CardReader:
        from mobile.card_readers import table_reader

        decks = self.state.table.game.info.decks
        # Decks that were taught lie beside the keys.
        return table_reader(decks[0], decks, self.options.folder.parent / "decks")

    async def _run(self, work: Callable[[], object]) -> object:
        return await self.state.run(work)

    def changed(self) -> None:
        """Something has happened at the table; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self.state.broadcast.wake)

    def addresses(self) -> dict[str, object]:
        """What `companion host --json` prints; each code holds two minutes, once."""
        hosted = self.state
        lends = hosted.lens is not None and hosted.lens.takes_frames
        seats = {
            name: hosted.url(str(seat + 1)) for seat, name in enumerate(hosted.table.setup.players)
        }
        return {
            "table": hosted.url(TABLE),
            "seats": seats,
            "camera": hosted.url(CAMERA) if lends else None,
            "fingerprint": hosted.words,
            "addresses": hosted.addresses.listed(),
        }

    def run(self, ready: Callable[[], None], moved: Callable[[], None] | None = None) -> None:
        """Serves until it is stopped (Ctrl-C, or `stop`).

        Args:
            ready: called when pages can be asked for.
            moved: called whenever the table's addresses have changed (`HostState.notice` says how).
        """
        self._moved = moved or self._moved
        # The door looks at sockets themselves, which not every loop can on every system.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(self.serve(ready))

    async def serve(self, ready: Callable[[], None]) -> None:
        """Serves on the running loop."""
        self._loop = asyncio.get_running_loop()
        # What clients do wrong is answered to them; nobody reads it in the terminal.
        logging.getLogger("uvicorn").addHandler(logging.NullHandler())
        limits = Limits()
        places = self._addresses
        self._guard = Guard(application(self.state), hosts=places.hosts, scheme=places.scheme)
        pages, guide = (_config(app, limits) for app in (self._guard, self._guard.guide))
        context = self._context()
        server = Server(pages, guide, places, self.state.broadcast, limits, context)
        self._server = server
        lens = self.state.lens
        tasks = [
            asyncio.create_task(self._announce(server, ready)),
            asyncio.create_task(self._watch(server)),
        ]
        try:
            if lens is not None and not lens.takes_frames:
                if self.options.awaits_phone:
                    tasks.append(asyncio.create_task(self._start_late(lens)))
                else:
                    await lens.start()
            await server.serve()
        finally:
            for task in tasks:
                task.cancel()
            if lens is not None:
                await lens.stop()
            if self.state.hands is not None:
                self.state.hands.close()
            self._counter.shutdown(wait=False, cancel_futures=True)
            self._worker.shutdown(wait=True)
            self._addresses.close()

    async def _announce(self, server: uvicorn.Server, ready: Callable[[], None]) -> None:
        while not server.started:
            await asyncio.sleep(0.01)
        ready()

    async def _watch(self, server: Server) -> None:
        """Codes, certificate and door follow when this device comes to another network."""
        while True:
            await asyncio.sleep(_LOOK)
            if server.door is None or not self._addresses.look(server.door):
                continue
            try:
                await self._follow(server.door)
                self.state.notice = self._addresses.notice
            except CompanionError as error:
                self.state.notice = error.message, {}
            self.state.broadcast.wake()
            self._moved()

    async def _follow(self, door: Door) -> None:
        if self._certificate is not None:
            folder, names = self.options.folder, self._addresses.names
            self._certificate = await asyncio.to_thread(certificate, folder, names)
            door.context = self._context()
        self._guard.allow(self._addresses.hosts)

    async def _start_late(self, lens: HostEyes) -> None:
        """Opens the eyes when the first player has sat down."""
        seats = range(len(self.state.table.setup.players))
        while not any(map(self.state.phones.has_seat, seats)):
            await asyncio.sleep(_POLL_INTERVAL)
        try:
            await lens.start()
        except CompanionError as error:
            lens.failure = error.message
            self.state.broadcast.wake()

    def stop(self) -> None:
        """Ends serving; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):
                # Only there it is sure that the server is made.
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


def _config(app: App, limits: Limits) -> uvicorn.Config:
    config = uvicorn.Config(
        cast("Any", app),
        http=limits.protocol(),
        ws="none",
        lifespan="off",
        interface="asgi3",
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
    return config
