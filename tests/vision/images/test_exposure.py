"""Even exposure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.images.exposure import levelled


def picture(paper, ink):
    out = np.full((160, 200, 3), paper, np.uint8)
    out[40:80, 40:160] = ink
    return out


@given(st.integers(40, 250), st.floats(0.05, 0.6))
def test_paper_comes_to_one_level_and_ink_stays_darker(paper, part):
    out = levelled(picture(paper, int(paper * part)))
    assert abs(int(out[0, 0, 0]) - 240) <= 1 or paper < 34
    assert out[60, 60, 0] < out[0, 0, 0]


def test_order_of_greys_is_kept():
    ramp = np.repeat(np.linspace(10, 120, 200).astype(np.uint8)[None, :, None], 160, axis=0)
    out = levelled(np.repeat(ramp, 3, axis=2))
    assert (np.diff(out[0, :, 0].astype(int)) >= 0).all()
    assert out.max() >= 235


def test_one_grey_makes_no_noise():
    assert np.ptp(levelled(np.full((64, 64, 3), 90, np.uint8))) == 0
