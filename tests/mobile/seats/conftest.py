"""One browser for the tests of a file, which each leave it without pages."""

import pytest

from tests.mobile.seats.browser import browser


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
