"""Icons: told apart when small, within their square, and of one style."""

from itertools import combinations

import numpy as np
import pytest

from mobile.resources.signs import NAMES, painted_sign


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [24, 63])
def test_an_icon_is_white_ink_within_its_square(name, size):
    pixels = painted_sign(name, size)
    assert pixels.shape == (size, size, 4)
    assert pixels[..., :3].min() == 255  # tinted on the screen
    alpha = pixels[..., 3].astype(float) / 255
    edge = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
    assert edge.max() == 0, "nothing is cut"
    assert 0.03 < alpha.mean() < 0.45
    assert alpha.max() > 0.9, "a stroke is thick enough to be seen"


def test_icons_are_told_apart():
    found = {name: painted_sign(name, 24)[..., 3].astype(int) for name in NAMES}
    for one, other in combinations(NAMES, 2):
        assert (np.abs(found[one] - found[other]) > 100).sum() >= 15, (one, other)
