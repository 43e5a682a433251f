"""Eight seats and thirty spectators: what happens reaches every page soon."""

from tests.benchmarks.seats_load import LIMIT, run


def test_an_event_reaches_every_page_soon():
    found = run(seats=8, spectators=30, events=12, eyes=False)
    assert found["pages"] == 38
    assert found["events"] == 12
    # The benchmark alone has the limit; here other tests may take both cores meanwhile.
    assert found["median_ms"] <= 4 * LIMIT, found
