"""`companion demo --phones`: the clip, and a page for each player."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

from tests.mobile.seats.browser import Screen, browser, needs_browser
from tests.mobile.seats.kills import let_children_be_interrupted

TIMEOUT = 180


@contextmanager
def demo(folder, **env):
    """A running demo that has said where its pages are; yields what it has printed."""
    command = [sys.executable, "-m", "companion", "demo", "--phones"]
    env = os.environ | {"COMPANION_DATA": str(folder / "data"), "PYTHONUNBUFFERED": "1"} | env
    let_children_be_interrupted()
    with (folder / "out").open("w+", encoding="utf-8") as out:
        running = subprocess.Popen(command, stdout=out, env=env)
        try:
            end = time.monotonic() + TIMEOUT
            while (folder / "out").read_text("utf-8").count("http") < 3:
                assert running.poll() is None
                assert time.monotonic() < end
                os.sched_yield()
            yield lambda: (folder / "out").read_text("utf-8")
        finally:
            running.send_signal(signal.SIGINT)
            assert running.wait(20) == 130
    assert not list((folder / "data").rglob("*.sqlite"))


def test_without_a_screen_phones_are_invited(tmp_path):
    with demo(tmp_path, DISPLAY="", WAYLAND_DISPLAY="") as printed:
        lines = [line for line in printed().splitlines() if "://" in line]
    assert [line.partition(":")[0] for line in lines] == [
        "The table's own screen",
        "Ann",
        "Bo",
    ]
    assert all(": https://" in line for line in lines)


@needs_browser()
@pytest.mark.slow
@pytest.mark.browser
def test_with_a_screen_a_browser_shows_the_clip_played_to_its_end(tmp_path):
    from playwright.sync_api import TimeoutError as TimeoutError_

    opened = tmp_path / "opened"
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n', "utf-8")
    script.chmod(0o700)
    with demo(tmp_path, DISPLAY=":1", BROWSER=str(script)) as printed, browser() as running:
        table, ann, bo = [line for line in printed().splitlines() if line.startswith("http")]
        screens = [Screen(running, url, seat).sit_down() for seat, url in enumerate((ann, bo))]
        screen = Screen(running, table, None).wait_for_table()
        end = time.monotonic() + TIMEOUT
        won = screens[0].page.get_by_text("You win")
        while not won.count() and time.monotonic() < end:
            yes = screen.page.locator('[data-decide="yes"]')
            if yes.count():
                with suppress(TimeoutError_):
                    yes.tap(timeout=1000)
            screens[0].page.wait_for_timeout(300)
        for shown, words in zip(
            (*screens, screen), ("You win", "Ann wins", "Ann wins"), strict=True
        ):
            shown.page.get_by_text(words).first.wait_for()
            assert shown.faults == []
        assert opened.read_text("utf-8").split() == [table, ann, bo]
