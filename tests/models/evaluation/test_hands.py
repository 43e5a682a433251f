"""The films of hands: cards held as fans, and what is read of them."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from companion.decks import get_deck
from models.evaluation.hands import CONFIGURATION, SECONDS, filmed, held
from models.evaluation.sweeps import FPS
from models.synth.own import Workshop, own_deck
from models.synth.scene import Props
from vision.hands import HandReader
from vision.reader import Reader


def fonts() -> list[str]:
    spec = find_spec("kivy")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return [str(p) for p in (Path(spec.submodule_search_locations[0]) / "data/fonts").glob("*.ttf")]


@pytest.mark.parametrize("n", [5, 7, 13, 20])
def test_a_fan_turns_about_a_point_below_it(n: int):
    for seed in range(20):
        places = held(np.random.default_rng(seed), n)
        assert len(places) == n
        turns = np.array([p.angle for p in places])
        assert np.ptp(turns) < 1.2 * CONFIGURATION.widest
        assert np.median(np.diff(turns)) > 0
        # What is turned further to the right lies further to the right.
        assert np.corrcoef(turns, [p.x for p in places])[0, 1] > 0.9
        assert abs(np.mean([p.y for p in places])) < 1e-6


def test_fans_are_wide_and_narrow():
    spreads = [np.ptp([p.angle for p in held(np.random.default_rng(k), 13)]) for k in range(40)]
    assert min(spreads) < 1.8 < 2.4 < max(spreads)


@pytest.mark.parametrize(("n", "seed"), [(5, 1), pytest.param(13, 3, marks=pytest.mark.slow)])
def test_a_film_of_a_hand_is_read(n: int, seed: int):
    rng = np.random.default_rng(seed)
    deck = own_deck(rng, Workshop(fonts=fonts()))
    film = next(
        film
        for _ in range(60)
        if (film := filmed(rng, deck, Props(), n, CONFIGURATION)) is not None
    )
    names, frames, smallest = film
    assert len(set(names)) == n
    assert len(frames) == round(SECONDS * FPS)
    assert smallest >= CONFIGURATION.least_px
    assert any((a != b).any() for a, b in pairwise(frames))
    hand = HandReader(Reader(threads=1), get_deck(), expected=n)
    for frame in frames[2::7]:
        hand.add(frame)
    sure = {str(card) for card in hand.hand.sure}
    assert sure <= set(names)
    assert len(sure) >= n - 1
