"""What lies where a piece is not read any more."""

from types import SimpleNamespace

import numpy as np
import pytest

from companion.cards import Family, card
from tests.vision.layouts import index
from vision.tracking.patches import Patch, There, compare, shows_table
from vision.tracking.presence import _there
from vision.tracking.table_place import TrackedPlace

QUAD = np.array([[40, 40], [80, 40], [80, 80], [40, 80]], np.float32)


def cloth(seed, level=105.0, contrast=12.0):
    """A place at which a mottled cloth shows."""
    rng = np.random.default_rng(seed)
    inside = rng.normal(level, contrast, 117).astype(np.float32)
    return Patch(inside, np.full(28, level, np.float32), 0)


def coin_place(piece):
    rng = np.random.default_rng(0)
    place = TrackedPlace(np.zeros(1), [index(60, 60)], 0.0, None)
    place.reported, place.quad = piece, QUAD
    face = rng.normal(195, 12, 117).astype(np.float32)
    place.look = Patch(face, np.full(28, 105, np.float32), 4)
    # What the table at rest showed before it came: another coin, or the cloth a little beside.
    place.ground = cloth(99, contrast=60.0)
    return place


def looking():
    rng = np.random.default_rng(3)
    return SimpleNamespace(
        grey=rng.normal(105, 12, (120, 120)).astype(np.float32), t=5.0, outline=lambda quad: quad
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_coin_that_was_taken_away_leaves_the_cloth(seed):
    place, now = coin_place(card("0?", Family.COIN)), cloth(seed)
    assert compare(now, place.look, place.ground) is There.OTHER, "the old picture tells nothing"
    assert shows_table(now)
    assert _there(place, now, [place], looking()) is There.BARE


def test_a_card_may_have_a_back_as_bright_as_the_cloth():
    place = coin_place(card("KH"))
    assert _there(place, cloth(1), [place], looking()) is not There.BARE


def test_a_coin_of_which_another_face_shows_lies_there_still():
    place = coin_place(card("0?", Family.COIN))
    dark = Patch(np.full(117, 40, np.float32), np.full(28, 105, np.float32), 4)
    assert not shows_table(dark)
    assert _there(place, dark, [place], looking()) is There.OTHER
