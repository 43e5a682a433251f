"""Every page at several widths, in both schemes, in German, with large text: nothing is wrong."""

import pytest

from tests.mobile.seats.browser import needs_browser
from tests.mobile.seats.looks import CHECKS, HIGHEST, LOOKS, WALKS, every_scene, height

pytestmark = [needs_browser(), pytest.mark.browser]


@pytest.mark.parametrize(
    "walk", [WALKS[0], *(pytest.param(walk, marks=pytest.mark.slow) for walk in WALKS[1:])]
)
def test_names_contrast_targets_width_and_height(walk):
    wrong, heights, seen = {}, {}, set()
    looks = [look for look in LOOKS if (look.locale, look.text) == walk]
    for name, look, screen in every_scene(looks):
        seen.add(name)
        wrong[name, look.name] = screen.page.evaluate(CHECKS)
        heights[name, look.name] = height(name, screen, look)
    assert {key: faults for key, faults in wrong.items() if faults} == {}
    assert len(seen) > 25
    assert {key: high for key, high in heights.items() if high > HIGHEST} == {}
    assert len(list(filter(None, heights.values()))) == (0 if walk[1] != 16 else 25)
