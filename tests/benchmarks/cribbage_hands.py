"""Counts every cribbage hand with its starter once: `python -m tests.benchmarks.cribbage_hands`.

12,994,800 hands: each choice of five cards, each of them once the starter. They are counted in
arrays, by another way than `companion.cribbage`, which is compared with it on a sample.
"""

import time
from itertools import chain, combinations

import numpy as np

from companion.cards import Card, Family, family_cards
from companion.cribbage import count

CHUNK, SAMPLE = 200_000, 20_000
DECK: list[Card] = [card for card in family_cards(Family.STANDARD) if not card.is_joker]
RANKS = np.array([card.rank for card in DECK])
SUITS = np.array(["SHDC".index(card.suit) for card in DECK])


def points(cards):
    """Points of five cards by which of them is the starter: (n, 5) places of the deck → (n, 5)."""
    ranks, suits = RANKS[cards], SUITS[cards]
    values = np.minimum(ranks, 10)
    base = np.zeros(len(cards), int)
    for size in range(2, 6):
        for some in combinations(range(5), size):
            base += 2 * (values[:, some].sum(1) == 15)
    for one, other in combinations(range(5), 2):
        base += 2 * (ranks[:, one] == ranks[:, other])
    held = (ranks[:, :, None] == np.arange(-1, 16)).sum(1)  # a column for each rank, from -1
    for length in (3, 4, 5):
        for first in range(2, 16 - length):
            run = held[:, first : first + length].prod(1)
            ends = (held[:, first - 1] == 0) & (held[:, first + length] == 0)
            base += length * run * ends
    whole = np.repeat(base[:, None], 5, 1)
    for starter in range(5):
        hand = [k for k in range(5) if k != starter]
        four = (suits[:, hand] == suits[:, hand[:1]]).all(1)
        whole[:, starter] += 4 * four + (four & (suits[:, starter] == suits[:, hand[0]]))
        nobs = (ranks[:, hand] == 11) & (suits[:, hand] == suits[:, [starter]])
        whole[:, starter] += nobs.any(1)
    return whole


def main():
    began = time.perf_counter()
    every = combinations(range(len(DECK)), 5)
    cards = np.fromiter(chain.from_iterable(every), np.int8).reshape(-1, 5)
    found = np.zeros(30, int)
    for first in range(0, len(cards), CHUNK):
        found += np.bincount(points(cards[first : first + CHUNK]).ravel(), minlength=30)
    rng = np.random.default_rng(5)
    sample = cards[rng.integers(0, len(cards), SAMPLE)]
    for five, wanted in zip(sample, points(sample), strict=True):
        starter = int(rng.integers(5))
        hand = tuple(DECK[k] for k in np.delete(five, starter))
        assert sum(part.points for part in count(hand, DECK[five[starter]])) == wanted[starter]
    mean = (found * np.arange(30)).sum() / found.sum()
    print(f"{found.sum():,} hands in {time.perf_counter() - began:.0f} s, mean {mean:.4f}")
    print(", ".join(f"{k}: {n:,}" for k, n in enumerate(found)))
    assert found.sum() == 12_994_800
    assert (found[29], found[28], found[[19, 25, 26, 27]].sum()) == (4, 76, 0)
    assert round(mean, 3) == 4.769
    print(f"{SAMPLE:,} of them agree with companion.cribbage")


if __name__ == "__main__":
    main()
