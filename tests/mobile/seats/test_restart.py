"""The host is killed, the network is gone for a while: nothing is lost, nothing is done twice."""

import random
import secrets
import threading

import pytest

from mobile.seats.invitations import FILE
from tests.mobile.seats.browser import Screen, needs_browser, touches_for
from tests.mobile.seats.kills import killed, log_of, port_of, process

KILLS = 4


@pytest.mark.slow
def test_a_killed_host_loses_and_doubles_nothing(tmp_path):
    found = killed(tmp_path, KILLS, random.Random(5))
    assert found["the same lines"], found
    assert found["announced"] > KILLS


@needs_browser()
@pytest.mark.browser
def test_pages_come_back_by_themselves(running, tmp_path):
    begin = ["--game", "gotcha", "--players", "Ann,Bo", "--option", "deal=5"]
    with process(tmp_path, *begin) as (host, found):
        ann = Screen(running, found["seats"]["Ann"], 0).sit_down()
        bo = Screen(running, found["seats"]["Bo"], 1).sit_down()
        ann.type("guess Bo smallest 1 is 2")
        bo.wait_for_state(1)
        host.kill()
        host.wait(20)
    bo.page.locator("#status.lost").wait_for()
    # Touched while nobody answers: it is sent when somebody does, once.
    bo.tap(bo.page.get_by_role("button", name="Wrong"))
    with process(tmp_path, "--continue", port=port_of(found)):
        for screen in (ann, bo):
            screen.wait_for_state(2)
            screen.page.locator("#status:not(.lost)").wait_for()

    assert log_of(tmp_path) == ["Ann: guess Bo smallest 1 is 2", "Bo: wrong"]


@needs_browser()
@pytest.mark.browser
def test_a_phone_without_network_does_nothing_twice(table, ann, bo):
    view = table.view(0)
    event = next(iter(table.session.game.legal(view.state, 0)))
    ann.context.set_offline(True)
    number, sent = touches_for(table.session.game, view, event)
    form = ann.page.locator(f"#step{number}")
    for place, values in enumerate(sent):
        field = form.locator(".field").nth(place)
        choice = field.locator(f'input[value="{values[0]}"]')
        if not choice.is_checked():  # a sentence begins with what is usual
            ann.tap(choice)
    for _ in range(3):
        form.locator("button[type=submit]").tap()
    ann.page.locator("#status.lost").wait_for()
    assert not table.referee.log
    ann.context.set_offline(False)
    bo.wait_for_state(1)
    ann.wait_for_state(1)
    assert len(table.referee.log) == 1


@needs_browser()
@pytest.mark.browser
def test_a_form_that_is_sent_before_the_script_runs_writes_nothing_into_the_address(table, ann):
    page = ann.page
    page.route("**/*.js", lambda route: route.abort())
    page.reload()
    before = page.url
    sent = page.evaluate(
        """() => [...document.forms].filter(form => form.method !== 'dialog').map(form => {
          for (const input of form.elements) if (input.name) input.value ||= 'UD';
          form.requestSubmit();
        }).length"""
    )
    page.wait_for_timeout(300)
    assert sent
    assert page.url == before


def test_a_phone_that_asks_twice_at_once_is_answered_twice_and_heard_once(fresh):
    from concurrent.futures import ThreadPoolExecutor

    ann = fresh.phone("Ann")
    sent = {"key": secrets.token_hex(8), "state": 0, "do": "type",
            "line": "guess Bo smallest 1 is 2"}  # fmt: skip
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ann.post("/act", sent).json(), range(8)))
    assert {answer["answer"] for answer in answers} == {"done"}
    assert len(fresh.referee.log) == 1


@needs_browser()
@pytest.mark.browser
def test_a_page_whose_seat_is_freed_becomes_the_page_that_joins(table, ann):
    joins = ann.page.locator("#join, body[data-page=join]").first
    # What the page asks for when it is opened has been answered.
    ann.page.locator("#sheet p:not(.quiet)").first.wait_for()
    asked = []
    held = threading.Event()

    def slowly(route):
        """The page that joins comes so late that a freed page could ask for more meanwhile."""
        ann.page.wait_for_timeout(4000)
        held.set()
        route.continue_()

    ann.page.route("**/seat/1", slowly)
    ann.page.on("request", lambda request: asked.append(request.url))
    table.host.state.phones.let_go("1")
    table.host.changed()
    joins.wait_for(state="attached")
    assert held.is_set()
    assert not [url for url in asked if url.endswith(("/events", "/pad"))]
    assert ann.faults == []


@needs_browser()
@pytest.mark.browser
def test_a_phone_that_slept_while_its_seat_was_freed_is_told(running, tmp_path):
    begin = ["--game", "gotcha", "--players", "Ann,Bo", "--option", "deal=5"]
    with process(tmp_path, *begin) as (host, found):
        ann = Screen(running, found["seats"]["Ann"], 0).sit_down()
        host.kill()
        host.wait(20)
    (tmp_path / "keys" / FILE).unlink()  # as where the host went on with another session
    with process(tmp_path, "--continue", port=port_of(found)):
        ann.page.locator("body[data-page=join]").wait_for()
