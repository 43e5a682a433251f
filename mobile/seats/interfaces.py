"""What this device's interfaces say of the networks it is on."""

from __future__ import annotations

import array
import socket
import struct
import sys
from contextlib import suppress

import ifaddr

from mobile.seats.networks import Network, kind_of, ranked

#: `ioctl` that reads an interface's flags, and the flag of one that is switched on (netdevice(7)).
_GET_FLAGS, _IS_UP, _RUNS = 0x8913, 0x1, 0x40


def present() -> tuple[Network, ...]:
    """The addresses of this device as they are now (`ranked`).

    Raises:
        OSError: the system does not tell.
    """
    found = []
    for adapter in ifaddr.get_adapters():
        if not _is_up(adapter.name):
            continue
        for one in adapter.ips:
            address = one.ip if isinstance(one.ip, str) else one.ip[0]
            names = dict.fromkeys((str(adapter.name), adapter.nice_name, one.nice_name))
            with_kind = kind_of(address, *names)
            found.append(Network(adapter.nice_name, address, with_kind))
    return ranked(found, preferred=_towards_the_internet())


def at(address: str) -> Network:
    """An address that a person has named.

    Raises:
        ValueError: that is no IP address.
    """
    with suppress(OSError):
        known = {one.address: one for one in present()}
        if address in known:
            return known[address]
    return Network("", address, kind_of(address))


def _is_up(name: str | bytes) -> bool:
    """Whether an interface is in use; where the system does not tell, it is."""
    if sys.platform != "linux":
        return True
    import fcntl

    request = array.array("B", struct.pack("16sH14x", str(name).encode()[:15], 0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        try:
            fcntl.ioctl(link, _GET_FLAGS, request, True)
        except OSError:
            return True
    (flags,) = struct.unpack_from("H", request, 16)
    return bool(flags & _IS_UP and flags & _RUNS)


def _towards_the_internet() -> str:
    """The address that leads to the internet; empty where none does. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nobody's (RFC 5737)
        except OSError:
            return ""
        return str(probe.getsockname()[0])
