"""The networks this device is on, and which of its addresses phones most likely reach.

What the interfaces themselves say counts, not the way to the internet: a hotspot without a mobile
connection has no such way, and where a VPN is up it leads into the tunnel.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What sort of network an interface leads to; the best for a table first."""

    HOTSPOT = "hotspot"
    WIFI = "wifi"
    ETHERNET = "ethernet"
    OTHER = "other"
    TUNNEL = "tunnel"
    LINK_LOCAL = "link-local"
    CONTAINER = "container"
    MOBILE = "mobile"
    LOOPBACK = "loopback"


_RANKS = {kind: rank for rank, kind in enumerate(Kind)}
#: Networks on which no phone of the table is: served only where there is nothing else, or never.
_LAST_RESORT, _NEVER = (Kind.CONTAINER,), (Kind.MOBILE, Kind.LOOPBACK)
#: Names of interfaces, as systems give them or as Windows describes them. The first that fits.
_NAMES = (
    (Kind.LOOPBACK, r"lo\d*$|loopback"),
    (Kind.CONTAINER, r"docker|br-[0-9a-f]{6,}|veth|virbr|vnet\d|lxc|lxd|podman|cni|flannel|cali|"
                     r"vmnet|vboxnet|vethernet|.*(hyper-v|virtualbox|vmware)"),
    (Kind.TUNNEL, r"tun|tap|utun|wg|ppp|ipsec|tailscale|zt|nordlynx|proton|mullvad|gpd\d|sit\d|"
                  r"gre|vti|teredo|6to4|isatap|cloudflare|.*(vpn|wireguard|wintun|tap-windows|"
                  r"tunnel|zerotier|cisco anyconnect|fortinet)"),
    (Kind.MOBILE, r"rmnet|ccmni|wwan|pdp_ip|v4-|clat|.*mobile broadband"),
    (Kind.HOTSPOT, r"ap\d|swlan|softap|bridge100$|p2p|rndis|ncm\d|bt-pan|bnep|.*wi-fi direct"),
    (Kind.WIFI, r"wl|ath\d|ra\d|.*(wi-?fi|wireless|802\.11|wlan)"),
    (Kind.ETHERNET, r"eth|en|em\d|usb\d|lan\d|br\d|bond|.*(ethernet|gigabit|gbe)"),
)  # fmt: skip
_NAME_OF = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _NAMES)
#: What systems call themselves in a network that they open: Android, Wi-Fi Direct, Windows,
#: NetworkManager, iPhone.
_GATEWAYS = frozenset(
    map(
        ipaddress.ip_address,
        ("192.168.43.1", "192.168.49.1", "192.168.137.1", "10.42.0.1", "172.20.10.1"),
    )
)


@dataclass(frozen=True, slots=True)
class Network:
    """One address of this device.

    Attributes:
        address: an IP address, without a zone.
    """

    interface: str
    address: str
    kind: Kind

    @property
    def is_ipv6(self) -> bool:
        """Whether it is an address of the sixth version."""
        return ":" in self.address


def kind_of(address: str, *names: str) -> Kind:
    """What sort of network an address lies in.

    Raises:
        ValueError: that is no IP address.
    """
    ip = ipaddress.ip_address(address)
    if ip.is_loopback:
        return Kind.LOOPBACK
    if ip.is_link_local:
        return Kind.LINK_LOCAL
    for kind, pattern in _NAME_OF:
        if any(pattern.match(name) for name in names):
            is_opened_here = kind in (Kind.WIFI, Kind.ETHERNET) and ip in _GATEWAYS
            return Kind.HOTSPOT if is_opened_here else kind
    return Kind.HOTSPOT if ip in _GATEWAYS else Kind.OTHER


def ranked(networks: Iterable[Network], *, preferred: str = "") -> tuple[Network, ...]:
    """Addresses under which phones may reach this device, the likeliest first.

    Kinds count first, then IPv4 before IPv6, private before public, the preferred address. Of an
    interface with an IPv4 address only such are named, else one of IPv6. An IPv6 address that holds
    on one link alone is left out: no browser takes the zone that it needs. Nothing but loopback
    yields nothing.

    Args:
        networks: what the interfaces have, in any order.
        preferred: of addresses that are as good, the one from which the internet is reached.
    """
    usable = {
        one
        for one in networks
        if one.kind not in _NEVER and not (one.is_ipv6 and one.kind is Kind.LINK_LOCAL)
    }
    best = {one for one in usable if one.kind not in _LAST_RESORT} or usable
    with_four = {one.interface for one in best if not one.is_ipv6}

    def order(one: Network) -> tuple[int, bool, bool, bool, str, bytes]:
        ip = ipaddress.ip_address(one.address)
        return (
            _RANKS[one.kind],
            one.is_ipv6,
            not ip.is_private,  # a home's own holds longer, and the world does not reach it
            one.address != preferred,
            one.interface,
            ip.packed,
        )

    found: list[Network] = []
    named: set[str] = set()
    for one in sorted(best, key=order):
        if one.is_ipv6 and (one.interface in with_four or one.interface in named):
            continue
        named.add(one.interface)
        found.append(one)
    return tuple(found)


def in_url(address: str) -> str:
    """An address as it stands in a URL."""
    return f"[{address}]" if ":" in address else address


def names_of(addresses: Sequence[str], port: int, scheme: str) -> tuple[str, ...]:
    """What a request's `Host` may be: browsers leave a scheme's own port out."""
    own = {"https": 443, "http": 80}[scheme]
    names = [in_url(address) for address in addresses]
    return tuple([f"{name}:{port}" for name in names] + (names if port == own else []))
