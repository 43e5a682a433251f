"""A device that comes to another network while it hosts: every road to the table follows."""

import socket
import time
from contextlib import contextmanager

import httpx
import pytest

from companion.errors import CompanionError
from mobile.seats import host, interfaces
from mobile.seats.networks import Kind, Network
from tests.mobile.seats.browser import Screen, browser, needs_browser
from tests.mobile.seats.hosting import Phone, hosted

#: Addresses of this machine alone, which stand for those of networks.
HOME = Network("wlan0", "127.0.0.2", Kind.WIFI)
CABLE = Network("eth0", "127.0.0.3", Kind.ETHERNET)
CAFE = Network("wlan0", "127.0.0.4", Kind.WIFI)


class Around:
    """The networks that there are.

    Attributes:
        now: what `interfaces.present` says.
    """

    def __init__(self, *now):
        self.now = now


@pytest.fixture
def around(monkeypatch):
    found = Around(HOME, CABLE)
    monkeypatch.setattr(interfaces, "present", lambda: found.now)
    monkeypatch.setattr(host, "_LOOK", 0.05)
    return found


@contextmanager
def moving(folder, **options):
    with hosted(folder, "gotcha", ["Ann", "Bo"], {"deal": "5"}, address="", **options) as table:
        yield table


def wait(wanted):
    end = time.monotonic() + 10
    while not wanted():
        assert time.monotonic() < end, "nothing follows"
        time.sleep(0.02)


def at(table, network):
    return table.host.state.addresses.base(network.address)


def answers(base):
    try:
        return httpx.get(base, verify=False, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("secure", [False, True])
def test_the_door_the_codes_and_the_guard_follow(tmp_path, around, secure):
    with moving(tmp_path, secure=secure) as table:
        hosted = table.host.state
        assert hosted.address == at(table, HOME)
        assert answers(at(table, HOME))
        assert answers(at(table, CABLE))
        around.now = (CAFE, CABLE)
        wait(lambda: hosted.notice[0])
        assert hosted.address == at(table, CAFE)
        assert hosted.url("1").startswith(at(table, CAFE))
        assert answers(at(table, CAFE))
        assert answers(at(table, CABLE))
        assert not answers(at(table, HOME))
        phone = Phone(at(table, CAFE), "seat/1")
        assert phone.join(hosted.url("1")) == {"answer": "done"}
        # A name that the table has no more is a trick.
        old = {"Host": at(table, HOME).partition("//")[2]}
        assert Phone(at(table, CAFE), "table", headers=old).get().status_code == 421
        assert hosted.addresses.listed() == [
            {"interface": "wlan0", "address": "127.0.0.4", "kind": "wifi", "chosen": True},
            {"interface": "eth0", "address": "127.0.0.3", "kind": "ethernet", "chosen": False},
        ]


def test_without_a_network_the_table_goes_on_and_phones_come_back(tmp_path, around):
    with moving(tmp_path) as table:
        hosted = table.host.state
        ann = Phone(at(table, HOME), "seat/1")
        assert ann.join(hosted.url("1"))["answer"] == "done"
        around.now = ()
        wait(lambda: hosted.notice[0])
        assert "join one, or let it open a hotspot" in hosted.notice[0]
        assert hosted.addresses.listed() == []
        ann.close()
        assert not answers(at(table, HOME))
        around.now = (HOME,)
        wait(lambda: not hosted.notice[0])
        again = Phone(at(table, HOME), "seat/1", cookies=ann.client.cookies)
        answer = again.act("type", state=0, line="guess Bo smallest 1 is 2").json()
        assert answer["answer"] == "done"


def test_a_certificate_that_cannot_be_written_is_said(tmp_path, around, monkeypatch):
    with moving(tmp_path, secure=True) as table:

        def fails(*_):
            raise CompanionError("The folder is full.")

        monkeypatch.setattr(host, "certificate", fails)
        around.now = (CAFE,)
        wait(lambda: table.host.state.notice[0])
        assert table.host.state.notice[0] == "The folder is full."
        monkeypatch.undo()


def test_a_port_that_is_taken_elsewhere_leaves_that_network_out(tmp_path, around):
    with moving(tmp_path) as table:
        port = table.host.state.addresses.port
        with socket.create_server((CAFE.address, port)):
            around.now = (CAFE, CABLE)
            wait(lambda: len(table.host.state.addresses.found) == 1)
            assert table.host.state.address == at(table, CABLE)
        # Once it is free the table is there as well.
        wait(lambda: table.host.state.address == at(table, CAFE))
        assert answers(at(table, CAFE))


@pytest.mark.parametrize("secure", [False, True])
@needs_browser()
def test_the_tables_screen_says_so_and_shows_the_new_code(tmp_path, around, secure):
    with moving(tmp_path, secure=secure) as table, browser() as running:
        hosted = table.host.state
        url = hosted.invited("table", CABLE.address).url
        screen = Screen(running, url, None).wait_for_table()
        screen.press("Show Ann's code")
        shown = screen.page.locator("#invitation a")
        shown.wait_for()
        assert shown.get_attribute("href").startswith(at(table, HOME))
        screen.press("Show Ann's code")
        # A phone that is on the other network.
        screen.tap(screen.page.locator("#invitation summary"))
        screen.press("Ethernet eth0: 127.0.0.3")
        screen.page.locator(f'#invitation a[href^="{at(table, CABLE)}"]').wait_for()
        around.now = (CAFE, CABLE)
        screen.page.get_by_text("The network has changed: the table is now at").wait_for()
        screen.page.locator(f'#invitation a[href^="{at(table, CAFE)}"]').wait_for()
        code = screen.page.locator("#invitation a").get_attribute("href")
        assert Phone(at(table, CAFE), "seat/1").join(code)["answer"] == "done"
        around.now = (CABLE,)
        screen.page.get_by_text(f"the table is now at {at(table, CABLE)}").wait_for()
        assert screen.faults == []
