"""One browser for the tests of a file, which each leave it without pages."""

import pytest

from tests.mobile.seats.browser import Screen, browser
from tests.mobile.seats.hosting import hosted


@pytest.fixture(scope="module")
def chromium():
    with browser() as running:
        yield running


@pytest.fixture
def running(chromium):
    """A browser in which no page is open yet."""
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.fixture
def table(tmp_path):
    """A hosted Gotcha table at which nothing has happened."""
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}, secure=True) as table:
        yield table


@pytest.fixture
def ann(running, table):
    """Ann's page in a browser."""
    return Screen(running, table.urls["seats"]["Ann"], 0).sit_down()


@pytest.fixture
def bo(running, table, ann):
    """Bo's page, which is opened after Ann's."""
    return Screen(running, table.urls["seats"]["Bo"], 1).sit_down()


@pytest.fixture
def fresh(tmp_path):
    """The same, for plain http, beside a table that a file's tests share."""
    with hosted(tmp_path, "gotcha", ["Ann", "Bo"], {"deal": "5"}) as table:
        yield table
