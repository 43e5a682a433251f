"""Even exposure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.exposure import deepened, is_burnt_out, levelled, smoothed


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


def test_pale_inks_are_drawn_apart_and_nothing_changes_its_order():
    pale = picture(255, 200)
    pale[40:80, 100:160] = 230
    out = deepened(pale)
    assert out.max() == 255
    assert int(out[60, 50, 0]) < int(out[60, 120, 0]) - 40 < int(out[0, 0, 0])
    assert np.ptp(out) > 2 * np.ptp(pale)


def test_a_picture_is_burnt_out_if_much_of_it_is_at_the_top():
    assert is_burnt_out(picture(255, 40))
    assert not is_burnt_out(picture(240, 40))
    spot = picture(200, 40)
    spot[:20, :20] = 255
    assert not is_burnt_out(spot)


def test_a_smoothed_picture_has_less_noise_and_the_same_things_in_it():
    clean = picture(220, 60)
    noise = np.random.default_rng(1).normal(0, 12, clean.shape)
    noisy = np.clip(clean + noise, 0, 255).astype(np.uint8)
    out = smoothed(noisy)
    assert out.shape == noisy.shape
    inside = np.s_[50:70, 60:140]
    assert out[inside].std() < 0.5 * noisy[inside].std()
    assert abs(float(out[inside].mean()) - 60) < 3
    assert abs(float(out[:30].mean()) - 220) < 3
