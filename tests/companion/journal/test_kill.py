"""No accepted event is lost when the process is killed; `kill.py` is the long version."""

import pytest

from tests.companion.journal.kill import run


@pytest.mark.slow
def test_every_announced_event_survives_a_kill():
    tally = run(15, seed=1)
    assert tally.kills == 15
    assert tally.announced > 100
