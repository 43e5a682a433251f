"""View-model of a table in the app that serves pages to everybody's own phone.

The session stays the app's: everything that pages ask for is done on the app's own thread, which is
given as an executor. The server runs on a thread of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import CompanionError
from companion.journal import Session
from mobile.seats import sentences

if TYPE_CHECKING:
    from mobile.seats.host import Host
    from mobile.seats.invitations import Invited
    from mobile.seats.networks import Network

#: Seconds to wait for the end of a server before the next one is started.
_CLOSING_TIMEOUT = 5.0


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat as the sheet shows it.

    Attributes:
        place: what a code is made for, from `1`.
        state: `on` (connected), `off` (a phone that is not) or `free`.
    """

    name: str
    place: str
    state: str


class OwnPhones:
    """Pages for one session, on or off.

    Args:
        address: tells where to listen; all that phones can reach where that is empty.
        port: 0 takes any that is free.
    """

    def __init__(
        self,
        session: Session,
        folder: Path,
        thread: Executor,
        *,
        address: Callable[[], str] = str,
        port: int | None = None,
    ) -> None:
        self.session = session
        self._folder, self._executor = folder, thread
        self.address_now, self.port = address, port
        self._host: Host | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_on(self) -> bool:
        """Whether pages are served."""
        is_alive = self._thread is not None and self._thread.is_alive()
        return self._host is not None and is_alive

    def start(self) -> None:
        """Serves from now on.

        Raises:
            CompanionError: nothing can be served, or a library that it needs is missing.
        """
        if self.is_on:
            return
        if self._thread is not None:
            self._thread.join(_CLOSING_TIMEOUT)  # the one before lets its port go
        try:
            from mobile.seats.host import PORT, Host, HostOptions
        except ImportError as error:
            raise CompanionError(sentences.OWN_NEEDS, name=str(error.name)) from error
        port = PORT if self.port is None else self.port
        options = HostOptions(self._folder / "keys", self.address_now(), port)
        self._host = Host(self.session, options, worker=self._executor)
        self._thread = threading.Thread(
            target=self._host.run, args=(lambda: None,), name="pages", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Lets every page go.

        The server ends by itself: it may be waiting for something that only the app's own thread
        can do, which must not wait for the server.
        """
        if self._host is not None:
            self._host.stop()
        self._host = None

    def changed(self) -> None:
        """Something has happened at the table: pages are told."""
        if self._host is not None:
            self._host.changed()

    @property
    def words(self) -> str:
        """Two words by which people know this table; empty while nothing is served."""
        return "" if self._host is None else self._host.state.words

    def seats(self) -> tuple[Seat, ...]:
        """Every seat with its phone."""
        if self._host is None:
            return ()
        hosted = self._host.state
        players = enumerate(self.session.setup.players)
        return tuple(Seat(name, str(seat + 1), hosted.presence(seat)) for seat, name in players)

    def invited(self, place: str, address: str = "") -> Invited | None:
        """New codes for a seat or for `table`; None while nothing is served.

        Args:
            place: what they open, once, within two minutes.
            address: of the network that the phone is on; by default the likeliest.
        """
        return None if self._host is None else self._host.state.invited(place, address)

    def networks(self, address: str = "") -> tuple[Network, ...]:
        """The networks beside the one of an address, by default of the likeliest."""
        return () if self._host is None else self._host.state.addresses.others(address)

    @property
    def notice(self) -> tuple[str, dict[str, str]]:
        """What became of the network, as a sentence of the pages and what stands in it."""
        return ("", {}) if self._host is None else self._host.state.notice

    def let_go(self, place: str) -> None:
        """Frees a seat that a phone has."""
        if self._host is not None:
            self._host.state.leave(int(place) - 1)
            self._host.state.phones.let_go(place)
            self._host.changed()
