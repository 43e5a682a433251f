"""The host is killed, the network is gone for a while: nothing is lost, nothing is done twice."""

import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import httpx
import pytest

from companion.journal import FileDeviceKeys, Journal
from mobile.seats.invitations import FILE
from tests.mobile.seats.browser import Screen, browser, needs_browser, touches_for
from tests.mobile.seats.hosting import Phone, hosted

KILLS = 4


@contextmanager
def process(folder, *arguments, port=0):
    """A `companion host` of its own; yields it and what it prints when it is ready."""
    command = [sys.executable, "-m", "companion", "host", "--address", "127.0.0.1", "--json"]
    env = os.environ | {"COMPANION_DATA": str(folder)}
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what runs in its background so, and every child would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    running = subprocess.Popen(
        [*command, "--port", str(port), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    try:
        yield running, json.loads(running.stdout.readline())
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGINT)
            assert running.wait(20) == 130


def port_of(found):
    return int(found["table"].split(":")[2].split("/")[0])


def log_of(folder):
    with Journal(folder / "journal.sqlite", device=FileDeviceKeys(folder / "keys")) as book:
        return [line.text for line in book.resume(1).view().log]


def test_a_killed_host_loses_and_doubles_nothing(tmp_path):
    rng, acknowledged, number = random.Random(5), [], 0
    begin = ["--game", "precognition", "--players", "Ann,Bo", "--no-https"]
    with process(tmp_path, *begin) as (_, found):
        base = found["table"].rsplit("/", 1)[0]
        phones = [Phone(base, f"seat/{seat}") for seat in (1, 2)]
        for phone, url in zip(phones, found["seats"].values(), strict=True):
            assert phone.join(url)["answer"] == "done"
    cards = [f"{rank}{suit}" for suit in "SHDC" for rank in "A23456789"]
    for _ in range(KILLS):
        again = ["--continue", "--no-https"]
        with process(tmp_path, *again, port=port_of(found)) as (running, _):
            stop = time.monotonic() + rng.uniform(0.05, 0.4)
            while time.monotonic() < stop:
                number = placed(phones, cards, number, acknowledged)
            # The last one is sent and its answer not waited for.
            request = asked(cards, number)
            with suppress(httpx.HTTPError):
                phones[number % 2].post("/act", request, timeout=rng.choice((0.001, 0.005, 0.02)))
            running.kill()
            running.wait(20)
        with process(tmp_path, *again, port=port_of(found)):
            # The phone sends the same once more, because it heard nothing.
            answer = phones[number % 2].post("/act", request).json()
            assert answer["answer"] in ("done", "stale"), answer
            assert answer["page"]["state"] == number + 1
            acknowledged.append(request["line"])
            number += 1
    found_lines = [line.split(": place ")[1] for line in log_of(tmp_path)]
    assert found_lines == [line.split()[-1] for line in acknowledged]
    assert number > KILLS


def asked(cards, number):
    return {"key": secrets.token_hex(8), "state": number, "do": "type",
            "line": f"place {cards[number]}"}  # fmt: skip


def placed(phones, cards, number, acknowledged):
    if number >= len(cards) - KILLS:
        return number
    request = asked(cards, number)
    answer = phones[number % 2].post("/act", request).json()
    assert answer["answer"] == "done", answer
    acknowledged.append(request["line"])
    return number + 1


@needs_browser()
@pytest.mark.browser
def test_pages_come_back_by_themselves(tmp_path):
    begin = ["--game", "gotcha", "--players", "Ann,Bo", "--option", "deal=5"]
    with browser() as running:
        with process(tmp_path, *begin) as (host, found):
            ann = Screen(running, found["seats"]["Ann"], 0).sit_down()
            bo = Screen(running, found["seats"]["Bo"], 1).sit_down()
            ann.type("guess Bo smallest 1 is 2")
            bo.wait_for_state(1)
            host.kill()
            host.wait(20)
        bo.page.locator("#status.lost").wait_for()
        # Touched while nobody answers: it is sent when somebody does, once.
        bo.page.get_by_role("button", name="Wrong").tap()
        with process(tmp_path, "--continue", port=port_of(found)):
            for screen in (ann, bo):
                screen.wait_for_state(2)
                screen.page.locator("#status:not(.lost)").wait_for()
    assert log_of(tmp_path) == ["Ann: guess Bo smallest 1 is 2", "Bo: wrong"]


@needs_browser()
@pytest.mark.browser
def test_a_phone_without_network_does_nothing_twice(tmp_path):
    with (
        browser() as running,
        hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}, secure=True) as table,
    ):
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        bo = Screen(running, table.urls["seats"]["Bo"], 1).sit_down()
        view = table.referee.view(0)
        event = next(iter(table.session.game.legal(view.state, 0)))
        ann.context.set_offline(True)
        number, sent = touches_for(table.session.game, view, event)
        form = ann.page.locator(f"#step{number}")
        for place, values in enumerate(sent):
            field = form.locator(".field").nth(place)
            field.locator(f'input[value="{values[0]}"]').tap()
        for _ in range(3):
            form.locator("button[type=submit]").tap()
        ann.page.locator("#status.lost").wait_for()
        assert not table.referee.log
        ann.context.set_offline(False)
        bo.wait_for_state(1)
        ann.wait_for_state(1)
        assert len(table.referee.log) == 1


def test_a_phone_that_asks_twice_at_once_is_answered_twice_and_heard_once(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as table:
        ann = table.phone("Ann")
        sent = {"key": secrets.token_hex(8), "state": 0, "do": "type",
                "line": "guess Bo smallest 1 is 2"}  # fmt: skip
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: ann.post("/act", sent).json(), range(8)))
        assert {answer["answer"] for answer in answers} == {"done"}
        assert len(table.referee.log) == 1


@needs_browser()
@pytest.mark.browser
def test_a_page_whose_seat_is_freed_becomes_the_page_that_joins(tmp_path):
    with (
        browser() as running,
        hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}, secure=True) as table,
    ):
        ann = Screen(running, table.urls["seats"]["Ann"], 0).sit_down()
        joins = ann.page.locator("#join, body[data-page=join]").first
        asked = []
        held = threading.Event()

        def slowly(route):
            """The page that joins comes so late that a freed page could ask for more meanwhile."""
            ann.page.wait_for_timeout(4000)
            held.set()
            route.continue_()

        ann.page.route("**/seat/1", slowly)
        ann.page.on("request", lambda request: asked.append(request.url))
        table.host.house.phones.let_go("1")
        table.host.changed()
        joins.wait_for(state="attached")
        assert held.is_set()
        assert not [url for url in asked if url.endswith(("/events", "/pad"))]
        assert ann.faults == []


@needs_browser()
@pytest.mark.browser
def test_a_phone_that_slept_while_its_seat_was_freed_is_told(tmp_path):
    begin = ["--game", "gotcha", "--players", "Ann,Bo", "--option", "deal=5"]
    with browser() as running:
        with process(tmp_path, *begin) as (host, found):
            ann = Screen(running, found["seats"]["Ann"], 0).sit_down()
            host.kill()
            host.wait(20)
        (tmp_path / "keys" / FILE).unlink()  # as where the host went on with another session
        with process(tmp_path, "--continue", port=port_of(found)):
            ann.page.locator("body[data-page=join]").wait_for()
