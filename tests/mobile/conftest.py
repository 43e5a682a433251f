"""Every test begins in English, whatever language one before it has spoken."""

import pytest

from mobile.resources import texts


@pytest.fixture(autouse=True)
def english():
    yield
    texts.use("en")


@pytest.fixture
def german():
    texts.use("de")
