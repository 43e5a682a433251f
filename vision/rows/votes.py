"""Votes over frames: what a place shows, by all frames together and none alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from companion.cards import Card
from vision.arrays import FloatArray
from vision.types import CardRead

#: Weight of one frame's log chances: neighbouring frames err alike, so they count for less.
FRAME_WEIGHT = 0.35
#: A card's evidence never falls further than this below the best, so a swapped card can win.
DEPTH = 12.0
#: Part of every read's chance that is spread evenly over the deck.
BLUR = 0.03


def log_chances(read: CardRead, number: Mapping[Card, int]) -> FloatArray:
    """Log chance of every card of the deck by one read.

    Args:
        read: what was read in one frame.
        number: place of each card in the result.
    """
    count = len(number)
    chances = np.full(count, BLUR / count)
    for card, chance in ((read.card, read.confidence), *read.alternatives):
        if card in number:
            chances[number[card]] += (1 - BLUR) * chance
    rest = max(0.0, 1.0 - float(chances.sum()))
    return np.asarray(np.log(chances + rest / count))


def add_vote(evidence: FloatArray, vote: FloatArray) -> None:
    """Adds a frame's log chances to the evidence of a place, in place."""
    evidence += FRAME_WEIGHT * vote
    evidence -= evidence.max()
    np.maximum(evidence, -DEPTH, out=evidence)
