"""Every known road to another player's secrets is closed; see `tests.attacks`."""

import pytest

from tests.attacks import ROADS, closed


@pytest.mark.parametrize("road", ROADS, ids=lambda road: road.__name__)
def test_road_is_closed(road):
    assert closed(road), road.__doc__
