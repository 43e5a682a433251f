"""Which of a device's addresses phones are given: by the interfaces themselves, not by a route."""

import ipaddress
import subprocess
import sys

import ifaddr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import CompanionError
from mobile.seats import interfaces
from mobile.seats.addresses import Addresses
from mobile.seats.networks import Kind, Network, kind_of, names_of, ranked


def found(*pairs):
    return [Network(name, address, kind_of(address, name)) for name, address in pairs]


@pytest.mark.parametrize(
    ("name", "address", "kind"),
    [
        ("lo", "127.0.0.1", "loopback"),
        ("lo", "::1", "loopback"),
        ("wlan0", "192.168.1.5", "wifi"),
        ("wlp3s0", "10.0.0.7", "wifi"),
        ("Wi-Fi", "192.168.1.5", "wifi"),
        ("Intel(R) Wi-Fi 6 AX201 160MHz", "192.168.1.5", "wifi"),
        ("Realtek 8821CE Wireless LAN 802.11ac PCI-E NIC", "192.168.1.5", "wifi"),
        ("eth0", "192.168.1.6", "ethernet"),
        ("enp0s31f6", "fd00::2", "ethernet"),
        ("en0", "192.168.1.6", "ethernet"),
        ("Realtek PCIe GbE Family Controller", "192.168.1.6", "ethernet"),
        ("swlan0", "192.168.101.1", "hotspot"),
        ("ap0", "192.168.12.1", "hotspot"),
        ("wlan0", "192.168.43.1", "hotspot"),
        ("wlan0", "10.42.0.1", "hotspot"),
        ("bridge100", "192.168.2.1", "hotspot"),
        ("Microsoft Wi-Fi Direct Virtual Adapter", "192.168.137.1", "hotspot"),
        ("rndis0", "192.168.42.129", "hotspot"),
        ("tun0", "10.8.0.2", "tunnel"),
        ("wg0", "10.9.0.2", "tunnel"),
        ("utun3", "10.7.0.2", "tunnel"),
        ("tailscale0", "100.101.102.103", "tunnel"),
        ("ppp0", "10.64.0.2", "tunnel"),
        ("WireGuard Tunnel", "10.9.0.2", "tunnel"),
        ("TAP-Windows Adapter V9", "10.8.0.2", "tunnel"),
        ("docker0", "172.17.0.1", "container"),
        ("br-0a1b2c3d4e5f", "172.18.0.1", "container"),
        ("virbr0", "192.168.122.1", "container"),
        ("veth12ab", "10.1.1.1", "container"),
        ("vEthernet (WSL)", "172.20.0.1", "container"),
        ("Hyper-V Virtual Ethernet Adapter", "172.20.0.1", "container"),
        ("rmnet_data0", "10.1.2.3", "mobile"),
        ("wwan0", "10.1.2.3", "mobile"),
        ("wlan0", "169.254.3.4", "link-local"),
        ("wlan0", "fe80::1", "link-local"),
        ("br0", "192.168.1.9", "ethernet"),
        ("mystery", "192.168.1.9", "other"),
    ],
)
def test_kinds_of_networks(name, address, kind):
    assert kind_of(address, name).value == kind


@pytest.mark.parametrize(
    ("interfaces", "addresses"),
    [
        ([], []),
        ([("lo", "127.0.0.1"), ("lo", "::1")], []),
        # At home; the mobile data beside it are nobody's way to this table.
        ([("rmnet0", "10.1.2.3"), ("wlan0", "fec0::1"), ("wlan0", "192.168.1.5")], ["192.168.1.5"]),
        # It opens a hotspot, and is on a network as well.
        (
            [("wlan0", "192.168.1.5"), ("swlan0", "192.168.43.1")],
            ["192.168.43.1", "192.168.1.5"],
        ),
        ([("rmnet0", "10.1.2.3"), ("lo", "127.0.0.1")], []),
        # A VPN is up.
        ([("tun0", "10.8.0.2"), ("wlan0", "192.168.1.5")], ["192.168.1.5", "10.8.0.2"]),
        # Containers hold no phones, except where there is nothing else.
        ([("docker0", "172.17.0.1"), ("eth0", "192.168.1.6")], ["192.168.1.6"]),
        ([("docker0", "172.17.0.1")], ["172.17.0.1"]),
        # A cable without a router.
        ([("eth0", "169.254.3.4"), ("eth0", "fe80::1")], ["169.254.3.4"]),
        ([("eth0", "169.254.3.4"), ("wlan0", "192.168.1.5")], ["192.168.1.5", "169.254.3.4"]),
        # IPv6 only; no browser takes the zone of a link's own address.
        ([("wlan0", "fe80::1"), ("wlan0", "2a00::5"), ("wlan0", "fd00::5")], ["fd00::5"]),
        ([("wlan0", "fe80::1")], []),
        ([("wlan0", "fd00::5"), ("wlan0", "192.168.1.5")], ["192.168.1.5"]),
        ([("wlan0", "fd00::5"), ("eth0", "192.168.1.6")], ["fd00::5", "192.168.1.6"]),
        # What the whole world can reach comes after what it cannot.
        ([("eth0", "8.8.4.4"), ("eth1", "192.168.1.6")], ["192.168.1.6", "8.8.4.4"]),
    ],
)
def test_the_likeliest_comes_first(interfaces, addresses):
    assert [one.address for one in ranked(found(*interfaces))] == addresses


def test_of_two_as_good_the_one_towards_the_internet():
    two = found(("eth0", "192.168.1.6"), ("eth1", "192.168.2.6"))
    assert ranked(two)[0].address == "192.168.1.6"
    assert ranked(two, preferred="192.168.2.6")[0].address == "192.168.2.6"
    vpn = found(("tun0", "10.8.0.2"), ("wlan0", "192.168.1.5"))
    assert ranked(vpn, preferred="10.8.0.2")[0].address == "192.168.1.5"


_names = st.sampled_from(
    ["lo", "wlan0", "wlan1", "eth0", "enp2s0", "tun0", "docker0", "swlan0", "rmnet0", "odd0"]
)
_networks = st.lists(
    st.tuples(_names, st.ip_addresses().map(str)).map(
        lambda pair: Network(pair[0], pair[1], kind_of(pair[1], pair[0]))
    ),
    max_size=8,
)


@given(_networks, st.randoms())
def test_whatever_there_is(some, random):
    given_out = ranked(some)
    assert set(given_out) <= set(some)
    assert len(set(given_out)) == len(given_out)
    for one in given_out:
        ip = ipaddress.ip_address(one.address)
        assert not ip.is_loopback
        assert one.kind is not Kind.MOBILE
        assert not (ip.version == 6 and ip.is_link_local)
    # The best kind that there is comes first, and its IPv4 before its IPv6.
    order = list(Kind)
    assert [order.index(one.kind) for one in given_out] == sorted(
        order.index(one.kind) for one in given_out
    )
    for kind in Kind:
        versions = [one.is_ipv6 for one in given_out if one.kind is kind]
        assert versions == sorted(versions)
    # In which order the system names them makes no difference.
    other = list(some)
    random.shuffle(other)
    assert ranked(other) == given_out
    # Whoever has an address that can be given out is given one.
    if any(one.kind in (Kind.WIFI, Kind.HOTSPOT, Kind.ETHERNET, Kind.TUNNEL) for one in some):
        assert given_out


def test_addresses_as_browsers_name_them():
    assert names_of(["192.168.1.5", "fd00::5"], 7380, "https") == (
        "192.168.1.5:7380",
        "[fd00::5]:7380",
    )
    # A browser leaves a scheme's own port out.
    assert set(names_of(["fd00::5"], 443, "https")) == {"[fd00::5]:443", "[fd00::5]"}
    assert names_of(["fd00::5"], 80, "https") == ("[fd00::5]:80",)
    assert "192.168.1.5" in names_of(["192.168.1.5"], 80, "http")


@pytest.mark.parametrize("fails", [False, True])
def test_on_no_network_it_is_said_what_to_do(monkeypatch, fails):
    def adapters():
        if fails:
            raise OSError(24, "Too many open files")
        return []

    monkeypatch.setattr(ifaddr, "get_adapters", adapters)
    for named in ("", "0.0.0.0", "::"):
        with pytest.raises(CompanionError, match="join one, or let it open a hotspot"):
            Addresses(named)
    alone = Addresses("127.0.0.1")  # because it was asked for
    assert alone.base() == f"https://127.0.0.1:{alone.port}"
    alone.close()


def test_an_interface_that_is_switched_off_is_none(monkeypatch):
    monkeypatch.setattr(interfaces, "_is_up", lambda name: False)
    assert interfaces.present() == ()


def test_the_app_starts_where_nothing_can_be_hosted():
    """Its own screens name networks; what only a host needs may be missing."""
    code = (
        "import sys\n"
        "for name in ('ifaddr', 'uvicorn', 'starlette', 'segno', 'jinja2'):\n"
        "    sys.modules[name] = None\n"
        "import mobile.model.own_phones, mobile.seats.language, mobile.seats.networks\n"
        "try:\n"
        "    import mobile.seats.host\n"
        "except ImportError as error:\n"
        "    print(error.name)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() in ("ifaddr", "uvicorn")
