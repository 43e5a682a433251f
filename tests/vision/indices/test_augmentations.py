"""A picture's own looks: chosen by what is sure, heard about what is not."""

from __future__ import annotations

import numpy as np
import pytest

from companion.decks import get_deck
from vision.indices.augmentations import (
    GRID,
    PLAIN,
    Augmentation,
    FilmAugmentations,
    read_through,
    suited,
)
from vision.indices.classify import cut_patches
from vision.indices.hypotheses import Hypotheses, blend
from vision.indices.locate import Candidates
from vision.protocols import for_film
from vision.reader import Reader

DECK = get_deck("standard")


def candidates(n: int) -> Candidates:
    return Candidates(
        np.stack([np.arange(n) * 40.0, np.full(n, 50.0)], axis=1).astype(np.float32),
        np.tile(np.float32([0, 1]), (n, 1)),
        np.full(n, 30, np.float32),
        np.ones(n, np.float32),
    )


def reads(chance: np.ndarray) -> Hypotheses:
    """Hypotheses that are the two of spades with these chances, or else the three."""
    ranks = np.zeros((len(chance), 15), np.float32)
    ranks[:, 1], ranks[:, 2] = chance, 1 - chance
    suits = np.zeros((len(chance), 5), np.float32)
    suits[:, 0] = 1
    return Hypotheses(DECK, ranks, suits)


def eyes(best: float):
    """A classifier that reads the better, the nearer the stretch is to ``best``."""

    def read(poses: Candidates, stretch: float) -> Hypotheses:
        off = abs(np.log(stretch / best)) + abs(np.log(poses.size / 30)).mean()
        return reads(np.full(len(poses), 0.5 + 0.49 * np.exp(-2 * off)))

    return read


@pytest.mark.parametrize("best", [0.55, 1.0, 1.75])
def test_the_looks_that_read_the_sure_ones_best_are_taken(best):
    found = candidates(12)
    looks = suited(eyes(best), found, reads(np.full(12, 0.9)))
    assert sum(look.weight for look in looks) == pytest.approx(1)
    heaviest = max(looks, key=lambda look: look.weight)
    assert (heaviest.size, heaviest.stretch) == (1.0, best)
    assert {(k.size, k.stretch) for k in looks} <= {(k.size, k.stretch) for k in GRID}


def test_where_too_little_is_sure_only_the_plain_look_is_taken():
    chances = np.array([0.9, 0.9, 0.9, 0.5, 0.5])
    assert suited(eyes(0.55), candidates(5), reads(np.minimum(chances, 1))) == PLAIN


def test_a_film_shows_picture_by_picture_how_it_is_best_looked_at():
    film = FilmAugmentations()
    few, many = candidates(2), candidates(30)
    assert film.looks == PLAIN
    film.learn(eyes(0.55), few, reads(np.full(2, 0.9)))
    assert film.looks == PLAIN, "two indices are too few"
    film.learn(eyes(0.55), many, reads(np.full(30, 0.9)))
    heaviest = max(film.looks, key=lambda look: look.weight)
    assert (heaviest.size, heaviest.stretch) == (1.0, 0.55)
    for _ in range(10):
        film.learn(eyes(1.75), many, reads(np.full(30, 0.9)))
    learnt = film.looks
    film.learn(eyes(1.0), many, reads(np.full(30, 0.9)))
    assert film.looks == learnt, "once enough was seen, it is settled"


def test_a_reader_that_does_not_learn_reads_films_as_it_is():
    class Plain:
        def read(self, image):
            raise NotImplementedError

        read_frame = read_closely = read

    plain = Plain()
    assert for_film(plain) is plain
    shipped = Reader()
    assert for_film(shipped) is not shipped


def test_a_better_look_speaks_louder_than_a_worse_one():
    found = candidates(3)

    def read(poses: Candidates, stretch: float) -> Hypotheses:
        return reads(np.full(len(poses), 0.9 if stretch < 1 else 0.2))

    for narrow, expected in ((0.9, 0.8), (0.1, 0.25)):
        looks = (
            Augmentation(stretch=0.7, weight=narrow),
            Augmentation(stretch=1.4, weight=1 - narrow),
        )
        seen = read_through(read, looks, found).rank_probs[:, 1]
        assert seen == pytest.approx(expected, abs=0.08)


def test_one_blind_look_rules_nothing_out():
    blind, seeing = reads(np.array([0.0])), reads(np.array([0.99]))
    both = blend([blind, seeing], [0.3, 0.7])
    assert both.rank_probs.sum() == pytest.approx(1)
    assert both.rank_probs[0, 1] > 0.6


def test_a_stretch_makes_wide_things_narrow():
    image = np.zeros((200, 300, 3), np.uint8)
    image[60:140, 90:210] = 255  # 120 wide, 80 high
    found = Candidates(
        np.float32([[149.5, 99.5]]), np.float32([[0, 1]]), np.float32([80]), np.float32([1])
    )
    widths = [
        int((cut_patches(image, found, patch=(96, 64), index_height=40, stretch=s)[0, 32] > 127)
            .all(axis=1).sum())
        for s in (1.0, 1.5, 0.75)
    ]  # fmt: skip
    assert widths == pytest.approx([60, 40, 80], abs=2)
