"""Options and settings of the whole suite."""

import os

import pytest
from hypothesis import HealthCheck, settings

# The suite asks the same of every run, so that a red one can be run again; `make explore` looks for
# what it has not asked yet.
settings.register_profile(
    "suite",
    deadline=None,
    max_examples=30,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", parent=settings.get_profile("suite"), derandomize=False)
settings.register_profile("soak", parent=settings.get_profile("explore"), max_examples=2000)
_PROFILES = {"SOAK_EVENTS": "soak", "EXPLORE": "explore"}
settings.load_profile(next((p for v, p in _PROFILES.items() if os.environ.get(v)), "suite"))


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden transcripts anew"
    )


#: `make test` goes through all games with Hearts for its family, and through what is special to
#: these in the files named after tricks; `make test-slow` goes through them as well.
RELATIVES = ("oh-hell", "spades", "whist")
OF_THE_FAMILY = ("tricks", "perft", "golden")


def _is_of_a_relative(item):
    of_the_family = any(word in str(item.path) for word in OF_THE_FAMILY)
    if of_the_family or not hasattr(item, "callspec"):
        return False
    values = item.callspec.params.values()
    return any(str(getattr(value, "name", value)) in RELATIVES for value in values)


def pytest_collection_modifyitems(items):
    """Windows and browsers come first: they take longest, and few processes share the suite."""
    for item in filter(_is_of_a_relative, items):
        item.add_marker("slow")
    marked = ("ui", "browser")
    slow = {item.path for item in items if any(map(item.get_closest_marker, marked))}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def soak_events():
    """How many random events a long run makes a game (`make soak` sets SOAK_EVENTS)."""
    return int(os.environ.get("SOAK_EVENTS", "300"))
