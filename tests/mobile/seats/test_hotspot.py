"""Every phone gets in: a host and phones in networks that the test makes for itself."""

import os
import re
import subprocess

import pytest

from tests.mobile.seats.namespaces import (
    BEGIN,
    TIMEOUT,
    Space,
    command,
    host,
    needs_namespaces,
    sits_down,
    spaces,
    terminal,
)

pytestmark = [needs_namespaces(), pytest.mark.slow]


def addresses(said):
    return [(one["interface"], one["address"], one["kind"]) for one in said["addresses"]]


def chosen(said):
    (one,) = [one for one in said["addresses"] if one["chosen"]]
    for url in (said["table"], *said["seats"].values(), said["camera"]):
        name = f"[{one['address']}]" if ":" in one["address"] else one["address"]
        assert url.startswith(f"https://{name}:"), url
    return one["address"]


def default_route(space, interface, gateway):
    space.ip("route", "add", "default", "via", gateway, "dev", interface)


def test_a_hotspot_without_a_default_route(tmp_path):
    with spaces(2) as (table, phone):
        table.cable("wlan0", phone, "wlan0")
        table.address("wlan0", "192.168.43.1/24")
        phone.address("wlan0", "192.168.43.77/24")
        with host(table, tmp_path) as hosted:
            (said,) = hosted.said
            assert addresses(said) == [("wlan0", "192.168.43.1", "hotspot")]
            assert chosen(said) == "192.168.43.1"
            sits_down(phone, said["seats"]["Ann"])


def test_a_vpn_is_up(tmp_path):
    with spaces(2) as (table, phone):
        table.cable("wlan0", phone, "wlan0")
        table.address("wlan0", "192.168.1.5/24")
        phone.address("wlan0", "192.168.1.77/24")
        table.tunnel("tun0", "10.8.0.2/24")
        table.ip("route", "add", "default", "dev", "tun0")  # everything goes through the tunnel
        assert table.run(_TOWARDS) == "10.8.0.2"
        with host(table, tmp_path) as hosted:
            (said,) = hosted.said
            assert chosen(said) == "192.168.1.5"
            assert {kind for _, _, kind in addresses(said)} <= {"wifi", "tunnel"}
            sits_down(phone, said["seats"]["Ann"])


#: The address from which the world would be reached: what the host went by once.
_TOWARDS = """
import json, socket
probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
probe.connect(("192.0.2.1", 9))
print(json.dumps(probe.getsockname()[0]))
"""


def test_two_networks(tmp_path):
    """The codes are for the likelier one; a phone on the other gets in as well."""
    with spaces(3) as (table, at_home, by_cable):
        table.cable("wlan0", at_home, "wlan0")
        table.cable("eth0", by_cable, "eth0")
        table.address("wlan0", "192.168.1.5/24")
        table.address("eth0", "10.0.7.5/24")
        at_home.address("wlan0", "192.168.1.77/24")
        by_cable.address("eth0", "10.0.7.77/24")
        default_route(table, "eth0", "10.0.7.77")
        with host(table, tmp_path) as hosted:
            (said,) = hosted.said
            assert addresses(said) == [
                ("wlan0", "192.168.1.5", "wifi"),
                ("eth0", "10.0.7.5", "ethernet"),
            ]
            assert chosen(said) == "192.168.1.5"
            sits_down(at_home, said["seats"]["Ann"])
            elsewhere = said["seats"]["Bo"].replace("192.168.1.5", "10.0.7.5")
            assert sits_down(by_cable, elsewhere)["names"] == ["192.168.1.5", "10.0.7.5"]


def test_the_terminal_offers_the_other_network(tmp_path):
    with Space() as table, Space() as phone:
        table.cable("wlan0", phone, "wlan0")
        table.cable("eth0", phone, "eth0")
        table.address("wlan0", "192.168.1.5/24")
        table.address("eth0", "10.0.7.5/24")
        phone.address("eth0", "10.0.7.77/24")
        with terminal(table, tmp_path) as typed:
            first = typed("")
            assert "Ann: https://192.168.1.5:7380/seat/1#" in first
            assert "Without a camera: open 192.168.1.5:7380 in a browser and type" in first
            assert "My phone is on another network: type its number" in first
            assert "2  eth0 (ethernet): 10.0.7.5" in first
            assert "There is no such network" in typed("3\n", until="from the list.")
            second = typed("2\n")
            assert "1  wlan0 (wifi): 192.168.1.5" in second
            (url,) = re.findall(r"Ann: (https://10\.0\.7\.5:7380/seat/1#\S+)", second)
            sits_down(phone, url)
            table.ip("address", "del", "192.168.1.5/24", "dev", "wlan0")
            moved = typed("")
            assert "the table is now at https://10.0.7.5:7380" in moved
            assert "Bo: https://10.0.7.5:7380/seat/2#" in moved
            assert "another network" not in moved
            assert typed("x\n").split("\n")[-1] == "Enter shows new codes, Ctrl-C ends."


def test_ipv6_only(tmp_path):
    with spaces(2) as (table, phone):
        table.cable("wlan0", phone, "wlan0")
        table.address("wlan0", "fd00:7::5/64")
        phone.address("wlan0", "fd00:7::77/64")
        with host(table, tmp_path) as hosted:
            (said,) = hosted.said
            assert addresses(said) == [("wlan0", "fd00:7::5", "wifi")]
            assert said["seats"]["Ann"].startswith("https://[fd00:7::5]:7380/seat/1#")
            assert chosen(said) == "fd00:7::5"
            sits_down(phone, said["seats"]["Ann"])


def test_an_ipv6_address_that_is_named(tmp_path):
    with Space() as table, host(table, tmp_path, "--address", "::1", "--port", "0") as hosted:
        (said,) = hosted.said
        assert said["table"].startswith("https://[::1]:")
        sits_down(table, said["seats"]["Ann"])


def test_the_address_changes_while_it_is_hosted(tmp_path):
    """The Wi-Fi goes, and comes back with another address: codes and certificate follow."""
    with spaces(2) as (table, phone):
        table.cable("wlan0", phone, "wlan0")
        table.address("wlan0", "192.168.1.5/24")
        phone.address("wlan0", "192.168.1.77/24", "192.168.9.77/24")
        with host(table, tmp_path) as hosted:
            words = hosted.said[0]["fingerprint"]
            sits_down(phone, hosted.said[0]["seats"]["Ann"])
            table.ip("address", "del", "192.168.1.5/24", "dev", "wlan0")
            said = hosted.warned().decode()
            assert "join one, or let it open a hotspot" in said
            assert hosted.is_running()
            table.address("wlan0", "192.168.9.5/24")
            assert "the table is now at https://192.168.9.5:7380" in hosted.warned().decode()
            said = hosted.next()
            assert chosen(said) == "192.168.9.5"
            assert said["fingerprint"] == words
            assert sits_down(phone, said["seats"]["Bo"])["names"] == ["192.168.9.5"]


def test_the_same_address_comes_back(tmp_path):
    """What was lost for a moment is found again where it was, and nothing is said of a move."""
    with spaces(2) as (table, phone):
        table.cable("wlan0", phone, "wlan0")
        table.address("wlan0", "192.168.1.5/24")
        phone.address("wlan0", "192.168.1.77/24")
        with host(table, tmp_path) as hosted:
            table.ip("link", "set", "wlan0", "down")
            assert "on no network now" in hosted.warned().decode()
            table.ip("link", "set", "wlan0", "up")
            said = hosted.next()
            assert chosen(said) == "192.168.1.5"
            sits_down(phone, said["seats"]["Ann"])


def test_a_better_network_comes(tmp_path):
    with spaces(3) as (table, phone, other):
        table.cable("eth0", other, "eth0")
        table.address("eth0", "10.0.7.5/24")
        other.address("eth0", "10.0.7.77/24")
        with host(table, tmp_path) as hosted:
            assert chosen(hosted.said[0]) == "10.0.7.5"
            table.cable("wlan0", phone, "wlan0")
            table.address("wlan0", "192.168.1.5/24")
            phone.address("wlan0", "192.168.1.77/24")
            while len(hosted.next()["addresses"]) < 2:
                pass
            said = hosted.said[-1]
            assert chosen(said) == "192.168.1.5"
            sits_down(phone, said["seats"]["Ann"])
            # Where phones were before, they still are.
            elsewhere = said["seats"]["Bo"].replace("192.168.1.5", "10.0.7.5")
            sits_down(other, elsewhere)


@pytest.mark.parametrize("named", [(), ("--address", "0.0.0.0")])
def test_no_network_at_all(tmp_path, named):
    with Space() as table:
        done = subprocess.run(
            table.inside(*command(*BEGIN, *named)),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            env=os.environ | {"COMPANION_DATA": str(tmp_path)},
        )
        assert done.returncode == 2
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert "join one, or let it open a hotspot" in line
        with host(table, tmp_path, "--address", "127.0.0.1") as hosted:
            assert chosen(hosted.said[0]) == "127.0.0.1"
            sits_down(table, hosted.said[0]["seats"]["Ann"])


def test_nothing_is_served_where_no_address_is_given_out(tmp_path):
    """It listens at each address that it names and at no other: not at the loopback, not at all."""
    with spaces(2) as (table, phone):
        table.cable("wlan0", phone, "wlan0")
        table.cable("rmnet0", phone, "rmnet0")
        table.address("wlan0", "192.168.1.5/24")
        table.address("rmnet0", "10.1.2.3/24")
        with host(table, tmp_path) as hosted:
            known = {address for _, address, _ in addresses(hosted.said[0])}
            assert known == {"192.168.1.5"}
            assert set(table.run(_LISTENING)) == known


_LISTENING = """
import json, socket
found = []
for line in open("/proc/net/tcp").read().splitlines()[1:]:
    fields = line.split()
    if fields[3] == "0A":
        found.append(socket.inet_ntoa(bytes.fromhex(fields[1].split(":")[0])[::-1]))
six = [l for l in open("/proc/net/tcp6").read().splitlines()[1:] if l.split()[3] == "0A"]
print(json.dumps(found + six))
"""
