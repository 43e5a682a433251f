"""Where a table listens, and what it follows when this device comes to another network."""

from __future__ import annotations

import socket

from companion.errors import CompanionError
from mobile.seats import interfaces, networks, sentences
from mobile.seats.door import Door, listening
from mobile.seats.networks import Kind, Network

_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - only where a person names it
_LOOPBACK = ("127.0.0.1", "localhost")


class Addresses:
    """The addresses of one table.

    Args:
        named: the one that a person wants; where it is empty, every one that phones can reach.
        port: 0 takes any that is free; the same at all addresses.

    Attributes:
        found: addresses that phones can be given, the likeliest first; none without a network.
        notice: what became of the network, as a sentence of the pages and what stands in it.

    Raises:
        CompanionError: nothing can be served there, or this device is on no network.
    """

    def __init__(self, named: str = "", port: int = 0) -> None:
        self._named, self.port, self.scheme = named, port, "https"
        self.notice: tuple[str, dict[str, str]] = ("", {})
        self._listeners: dict[str, socket.socket] = {}
        self._is_everywhere = named in _EVERYWHERE
        if named and not self._is_everywhere:
            self._listen(named)
            where = self._listeners[named].getsockname()[0].partition("%")[0]
            self.found: tuple[Network, ...] = (interfaces.at(where),)
        else:
            try:
                self.found = interfaces.present()
            except OSError as error:
                raise CompanionError(sentences.OWN_NO_NETWORK) from error
            if not self.found:
                raise CompanionError(sentences.OWN_NO_NETWORK)
            self._listen(named or self.found[0].address)
            self.found = self._served(self.found)
        self._last = self.found[0]

    def _listen(self, address: str) -> None:
        listener = listening(address, self.port)
        self.port = listener.getsockname()[1]
        self._listeners[address] = listener

    def _served(self, found: tuple[Network, ...]) -> tuple[Network, ...]:
        """Those of these addresses where it listens; it begins to where it can."""
        if self._is_everywhere:
            return found
        for one in found:
            if one.address not in self._listeners:
                try:
                    self._listen(one.address)
                except CompanionError:  # not ready yet, or another program has the port there
                    continue
        return tuple(one for one in found if one.address in self._listeners)

    def open(self, door: Door) -> None:
        """Lets in who comes by any of the addresses."""
        for listener in self._listeners.values():
            door.open(listener)

    def close(self) -> None:
        """Listens no more."""
        for listener in self._listeners.values():
            listener.close()

    def look(self, door: Door) -> bool:
        """Looks at the networks anew and listens where phones are now; whether that has changed."""
        if self._named and not self._is_everywhere:
            return False
        before = set(self._listeners)
        try:
            found = self._served(interfaces.present())
        except OSError:  # too many open files, say: the next look tells
            return False
        if found == self.found:
            return False
        if not self._is_everywhere:
            known = {one.address for one in found}
            for address in before - known:
                door.shut(self._listeners.pop(address))
            for address in set(self._listeners) - before:
                door.open(self._listeners[address])
        self._say(found)
        self.found = found
        return True

    def _say(self, found: tuple[Network, ...]) -> None:
        """What the table's screen says of it: nothing where the table is where it was."""
        if not found:
            self.notice = sentences.NO_NETWORK_NOW, {}
            return
        if found[0].address != self._last.address:
            self.notice = sentences.MOVED, {"address": self.base(found[0].address)}
        elif not self.found:
            self.notice = "", {}
        self._last = found[0]

    # -- as they are named ----------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """What the certificate names."""
        known = [one.address for one in self.found] or [self._last.address]
        is_here = self._is_everywhere or self.are_here_alone
        return tuple(dict.fromkeys([*known, *(_LOOPBACK if is_here else ())]))

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a request's `Host` may be."""
        return networks.names_of(self.names, self.port, self.scheme)

    @property
    def are_here_alone(self) -> bool:
        """Whether nobody but this device itself reaches the table."""
        return not self._is_everywhere and self._last.kind is Kind.LOOPBACK

    def has(self, address: str) -> bool:
        """Whether phones can be given an address now."""
        return any(one.address == address for one in self.found)

    def base(self, address: str = "") -> str:
        """The table's URL at one of its addresses; by default at the likeliest."""
        host = networks.in_url(address or self._last.address)
        return f"{self.scheme}://{host}:{self.port}"

    def listed(self) -> list[dict[str, object]]:
        """All of them as `companion host --json` prints them."""
        return [
            {
                "interface": one.interface,
                "address": one.address,
                "kind": one.kind.value,
                "chosen": one.address == self._last.address,
            }
            for one in self.found
        ]

    def others(self, address: str = "") -> tuple[Network, ...]:
        """All but one, which is the likeliest by default."""
        return tuple(one for one in self.found if one.address != (address or self._last.address))
