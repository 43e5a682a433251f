"""Reading order: which cards lie in a line, and in which order the lines are read.

Only geometry is used. An index tells where a card is, which way is down for it and how large it
looks; a row is a chain of cards in which each next one lies to the right *as the indices stand*,
so a picture taken upside down, a bent row and a fan are read alike. The steps:

1. choose the index that leads each card (its top left one as the row stands);
2. estimate the affine tilt of the table from the indices' sizes and from cards that show both ends;
3. chain cards by the cheapest links, then chains that continue one another;
4. order the chains from top to bottom.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from companion.cards import Card
from vision.anchors import OPPOSITE, Anchors, leading_indices
from vision.chains import add_flipped, chains_of, top_to_bottom
from vision.types import CardRead, FloatArray

#: Weight of "no tilt" against one index that says otherwise.
_PRIOR = 0.15
_ROUNDS = 4


def reading_lines(reads: Sequence[CardRead]) -> tuple[tuple[int, ...], ...]:
    """Positions of the reads in reading order, a tuple a line.

    Args:
        reads: cards, each with one or more indices, in any order.

    Returns:
        Lines from top to bottom, each from left to right as the indices stand; every position of
        ``reads`` occurs exactly once.
    """
    # In one order whatever order they came in: where two places cost the same, the first is taken.
    order = sorted(range(len(reads)), key=lambda k: [index.centre for index in reads[k].indices])
    lines = _lines([reads[k] for k in order])
    return tuple(tuple(order[k] for k in line) for line in lines)


def _lines(reads: Sequence[CardRead]) -> Sequence[Sequence[int]]:
    if not reads:
        return ()
    anchors = leading_indices(reads)
    steps, step_down = _neighbour_steps(anchors)
    chains: list[list[int]] = []
    for _ in range(_ROUNDS):
        rectify = _rectification(anchors, steps, step_down)
        at, down = anchors.rectified(rectify)
        sure = np.flatnonzero(~anchors.flipped)
        known = chains
        chains = [sure[chain].tolist() for chain in chains_of(at[sure], down[sure])]
        if chains == known:
            break
        links = np.array([pair for c in chains for pair in itertools.pairwise(c)], int)
        if not len(links):
            break
        steps = anchors.at[links[:, 1]] - anchors.at[links[:, 0]]
        step_down = anchors.down[links].mean(axis=1)
    for card in np.flatnonzero(anchors.flipped).tolist():
        add_flipped(chains, card, at, down)
    return top_to_bottom(chains, at, down)


def _neighbour_steps(anchors: Anchors) -> tuple[FloatArray, FloatArray]:
    """First guess of the steps along the rows: from each card to its nearest neighbour, rightwards.

    Cards of a row overlap while lines do not, so the nearest neighbour is mostly the row's next
    card. Where neighbours lie above and below as often (cards laid out separately) nothing is
    guessed.

    Returns:
        (m, 2) steps and the (m, 2) rank-to-suit vectors that they should be square to.
    """
    at, down = anchors.at[~anchors.flipped], anchors.down[~anchors.flipped]
    none = np.zeros((0, 2))
    if len(at) < 4:
        return none, none
    step = at[None] - at[:, None]
    gap = np.linalg.norm(step, axis=2)
    np.fill_diagonal(gap, np.inf)
    near = gap.argmin(axis=1)
    step = step[np.arange(len(at)), near]
    middle = (down + down[near]) / 2
    across = step[:, 0] * middle[:, 1] - step[:, 1] * middle[:, 0]
    below = (step * middle).sum(axis=1)
    aside = np.abs(across) > 0.8 * np.abs(below)
    if aside.mean() < 0.75:
        return none, none
    return step[aside] * np.sign(across[aside])[:, None], middle[aside]


def order_lines(reads: Sequence[CardRead]) -> tuple[tuple[Card, ...], ...]:
    """The cards of `reading_lines`."""
    return tuple(tuple(reads[k].card for k in line) for line in reading_lines(reads))


def _rectification(anchors: Anchors, steps: FloatArray, step_down: FloatArray) -> FloatArray:
    """The affine map (2, 2) under which the table is seen straight on, as far as can be told.

    Least squares for the table's metric M: indices have height 1, opposite indices lie as on a
    card, and steps along a row are square to the indices. Scaled by a prior of no tilt.
    """
    heights = np.linalg.norm(anchors.down, axis=1)
    unit = float(np.median(heights))
    down = anchors.down / unit
    rows = [_bilinear(down, down)]
    values = [(heights / unit) ** 0 * 1.0]
    weights = [np.full(len(down), 1.0)]
    if len(anchors.spans):
        # In heights of the card's own index, for a near card looks larger; and decks print their
        # indices in many sizes, so the card's size in index heights is measured.
        height = np.linalg.norm(anchors.span_down, axis=1, keepdims=True)
        span, along = anchors.spans / height, anchors.span_down / height
        wide = float(np.median(np.linalg.norm(span, axis=1))) / float(np.hypot(*OPPOSITE))
        rows += [_bilinear(span, along) / wide, _bilinear(span, span) / wide**2]
        values += [
            np.full(len(span), OPPOSITE[1]),
            np.full(len(span), np.dot(OPPOSITE, OPPOSITE)),
        ]
        weights += [np.full(len(span), 1 / OPPOSITE[1]), np.full(len(span), 2 / 19.5)]
    if len(steps):
        # Two readings of one index lie no step apart.
        length = np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9)
        rows.append(_bilinear(steps / length, step_down / unit))
        values.append(np.zeros(len(steps)))
        weights.append(np.full(len(steps), 1.0))
    prior = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    rows.append(prior)
    values.append(np.array([1.0, 0.0, 1.0]))
    weights.append(np.full(3, np.sqrt(_PRIOR * len(down))))
    weight = np.concatenate(weights)
    a, b, c = np.linalg.lstsq(
        np.concatenate(rows) * weight[:, None], np.concatenate(values) * weight, rcond=None
    )[0]
    power, axes = np.linalg.eigh(np.array([[a, b], [b, c]]))
    power = np.maximum(power, 0.05 * max(power.max(), 1e-9))
    return np.asarray((axes * np.sqrt(power)) @ axes.T / unit, dtype=np.float64)


def _bilinear(left: FloatArray, right: FloatArray) -> FloatArray:
    """Coefficients of a symmetric form's (xx, xy, yy) in ``left M right``, (n, 3)."""
    cross = left[:, 0] * right[:, 1] + left[:, 1] * right[:, 0]
    return np.column_stack([left[:, 0] * right[:, 0], cross, left[:, 1] * right[:, 1]])
