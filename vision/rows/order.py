"""Reading order: which cards lie in a line, and in which order the lines are read.

Only geometry is used. An index tells where a card is, which way is down for it and how large it
looks; a row is a chain of cards in which each next one lies to the right *as the indices stand*,
so a picture taken upside down, a bent row and a fan are read alike. The steps:

1. choose the index that leads each card (its top left one as the row stands);
2. estimate the affine tilt of the table from the indices' sizes and from cards that show both ends;
3. chain cards by the cheapest links, then chains that continue one another;
4. order the chains from top to bottom.

Where cards overlap downwards and not sideways, as in the columns of solitaire, each column is a
line from its top card to its last, and the columns are read from left to right.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.cards import Card
from vision.arrays import FloatArray
from vision.geometry import OPPOSITE
from vision.rows.anchors import Anchors, leading_indices
from vision.types import CardRead


@dataclass(frozen=True, slots=True)
class OrderRule:
    """How cards are chained to lines; lengths in index heights.

    Attributes:
        room: steps between cards from which on nothing of a card is covered.
        no_link: a link that costs as much is none.
        below: a card covers the one above it if its index stands no lower than so: less than the
            height of a card in the smallest indices there are.
        beside: and no farther beside it; more by a tenth of the way down, for slanted columns.
        tighter: a card is covered one way if its neighbour there is so much nearer than one that
            leaves it uncovered, and than its neighbour the other way.
        columns: so many times as many cards must be covered downwards as sideways.
        top: a card is the only one of its column if it stands so near the line of their top cards.
        ends: from so many cards at its end it is told where a chain goes on; from two alone in an
            arch.
    """

    room: float = 3.3
    no_link: float = 9.0
    below: float = 4.2
    beside: float = 0.6
    tighter: float = 0.75
    columns: float = 3.0
    top: float = 1.5
    ends: tuple[int, int] = (5, 2)


RULE = OrderRule()


def chains_of(at: FloatArray, down: FloatArray) -> list[list[int]]:
    """Chains of cards, each the next one's left neighbour."""
    chains = _join(_link_costs(at, down), [[k] for k in range(len(at))])
    _move_strays(chains, _link_costs(at, down, slack=0.4))
    while True:
        longer = _join(_continuation_costs(chains, at, down), chains)
        if len(longer) == len(chains):
            return chains
        chains = longer


def _link_costs(at: FloatArray, down: FloatArray, slack: float = 0.0) -> FloatArray:
    """Cost of "j is the next card after i" for all pairs, infinite where it cannot be, (n, n).

    ``slack`` allows cards that lie further up or down, in index heights.
    """
    size = np.linalg.norm(down, axis=1)
    unit = down / size[:, None]
    middle = unit[:, None] + unit[None]
    spread = np.linalg.norm(middle, axis=2)
    middle = middle / np.maximum(spread, 1e-9)[..., None]
    scale = np.sqrt(size[:, None] * size[None])
    step = (at[None] - at[:, None]) / scale[..., None]
    across = step[..., 0] * middle[..., 1] - step[..., 1] * middle[..., 0]
    below = (step * middle).sum(axis=2)
    turn = 2 * np.arccos(np.clip(spread / 2, 0, 1))
    cost = np.hypot(across, 2.2 * below) + turn
    possible = (
        (across > 0.1 - slack / 2) & (np.abs(below) < 0.35 + slack + 0.55 * across) & (turn < 0.8)
    )
    possible &= cost < RULE.no_link
    return np.where(possible, cost, np.inf)


def _move_strays(chains: list[list[int]], cost: FloatArray) -> None:
    """Moves single cards into the gap they belong to where that makes the links cheaper.

    The cheapest links may pass over a card that lies a little out of line; it is then left alone
    or at the end of a wrong chain.
    """
    for _ in range(len(cost)):
        links = np.array([pair for chain in chains for pair in itertools.pairwise(chain)], int)
        if not len(links):
            return
        left, right = links.T
        extra = cost[left] + cost[:, right].T - np.minimum(cost[left, right], RULE.no_link)[:, None]
        extra[np.arange(len(links)), left] = np.inf
        extra[np.arange(len(links)), right] = np.inf
        saved = _detours(np.minimum(cost, RULE.no_link), chains)
        better = saved - 0.3 - extra.min(axis=0)
        card = int(np.argmax(better))
        if not better[card] > 0:
            return
        after = int(right[np.argmin(extra[:, card])])
        for chain in chains:
            if card in chain:
                chain.remove(card)
        target = next(chain for chain in chains if after in chain)
        target.insert(target.index(after), card)
        chains[:] = [chain for chain in chains if chain]


def _detours(cost: FloatArray, chains: list[list[int]]) -> FloatArray:
    """What the links would save without each card, (n,); a card alone counts as two links."""
    saved = np.full(len(cost), 2.0)
    for chain in chains:
        if len(chain) < 2:
            continue
        saved[chain[0]] = cost[chain[0], chain[1]]
        saved[chain[-1]] = cost[chain[-2], chain[-1]]
        before, card, after = np.array(chain[:-2]), np.array(chain[1:-1]), np.array(chain[2:])
        if len(card):
            saved[card] = cost[before, card] + cost[card, after] - cost[before, after]
    return saved


def add_flipped(chains: list[list[int]], card: int, at: FloatArray, down: FloatArray) -> None:
    """Puts a card that was known by its far index alone into the chains.

    Its far index shows, so no later card covers it: it ends a chain, or has a card's width of
    room before the next one. Its own place is only roughly known.
    """
    size = float(np.median(np.linalg.norm(down, axis=1)))
    best, target, place = 5.0 * size, None, 0
    for chain in chains:
        pitch = at[chain[-1]] - at[chain[-2]] if len(chain) > 1 else np.zeros(2)
        spots = [(len(chain), at[chain[-1]] + pitch)]
        for after in range(1, len(chain)):
            left, right = at[chain[after - 1]], at[chain[after]]
            if np.hypot(*(right - left)) > 2 * RULE.room * size:
                spots.append((after, (left + right) / 2))
        first = np.array([down[chain[0]][1], -down[chain[0]][0]])
        spots.append((0, at[chain[0]] - RULE.room * first))
        for spot, where in spots:
            gap = float(np.hypot(*(at[card] - where)))
            if gap < best:
                best, target, place = gap, chain, spot
    if target is None:
        chains.append([card])
    else:
        target.insert(place, card)


def _continuation_costs(chains: list[list[int]], at: FloatArray, down: FloatArray) -> FloatArray:
    """Cost of "chain b goes on where chain a ends" over gaps, by extrapolation, (m, m)."""
    cost = np.full((len(chains), len(chains)), np.inf)
    size = np.linalg.norm(down, axis=1)
    for cards in RULE.ends:
        leaving = [_heading(chain[-cards:], at, down) for chain in chains]
        arriving = [_heading(chain[:cards], at, down) for chain in chains]
        for a, first in enumerate(chains):
            for b, second in enumerate(chains):
                if a == b:
                    continue
                i, j = first[-1], second[0]
                heading = leaving[a] + arriving[b]
                length = float(np.hypot(*heading))
                if length < 1.2:
                    continue
                heading = heading / length
                step = (at[j] - at[i]) / np.sqrt(size[i] * size[j])
                along = float(step @ heading)
                aside = abs(float(step[0] * heading[1] - step[1] * heading[0]))
                if along > 0.1 and aside < min(0.7 + 0.17 * along, 2.2):
                    cost[a, b] = min(cost[a, b], along + 2 * aside)
    return cost


def _heading(part: list[int], at: FloatArray, down: FloatArray) -> FloatArray:
    """Unit vector along a piece of chain; for a single card, to its right."""
    if len(part) > 1:
        vector = at[part[-1]] - at[part[0]]
    else:
        vector = np.array([down[part[0]][1], -down[part[0]][0]])
    return np.asarray(vector / max(float(np.hypot(*vector)), 1e-9))


def _join(cost: FloatArray, chains: list[list[int]]) -> list[list[int]]:
    """Joins chains end to start, cheapest first, without rings."""
    count = len(chains)
    following, group = [-1] * count, list(range(count))
    preceded = [False] * count
    order = np.argsort(cost, axis=None, kind="stable")[: int(np.isfinite(cost).sum())]
    for a, b in zip(*(part.tolist() for part in np.divmod(order, count)), strict=True):
        if following[a] >= 0 or preceded[b] or group[a] == group[b]:
            continue
        following[a], preceded[b] = b, True
        old, new = group[b], group[a]
        group = [new if value == old else value for value in group]
    joined = []
    for start in (k for k in range(count) if not preceded[k]):
        chain, k = [], start
        while k >= 0:
            chain.extend(chains[k])
            k = following[k]
        joined.append(chain)
    return joined


def top_to_bottom(chains: list[list[int]], at: FloatArray, down: FloatArray) -> list[list[int]]:
    """Sorts chains by how many others lie above each, in the common frame of all indices."""
    size = np.linalg.norm(down, axis=1)
    way = (down / size[:, None]).sum(axis=0)
    way = way / np.hypot(*way) if np.hypot(*way) > 0.2 * len(at) else np.array([0.0, 1.0])
    flat = np.column_stack([at @ [way[1], -way[0]], at @ way]) / float(np.median(size))
    slope = _common_slope(chains, flat)
    flat[:, 1] -= slope * flat[:, 0]
    above = np.zeros(len(chains), int)
    for a in range(len(chains)):
        for b in range(a + 1, len(chains)):
            if _is_before(flat[chains[a]], flat[chains[b]]):
                above[b] += 1
            else:
                above[a] += 1
    return [chains[k] for k in np.argsort(above, kind="stable")]


def _common_slope(chains: list[list[int]], flat: FloatArray) -> float:
    """Median slope of the chains that are long enough to have one."""
    slopes = [
        (flat[c[-1], 1] - flat[c[0], 1]) / (flat[c[-1], 0] - flat[c[0], 0])
        for c in chains
        if len(c) > 2 and flat[c[-1], 0] - flat[c[0], 0] > 1
    ]
    return float(np.clip(np.median(slopes), -1, 1)) if slopes else 0.0


def _is_before(first: FloatArray, second: FloatArray) -> bool:
    """Whether one chain of (x, y) points is read before the other."""
    low = max(first[:, 0].min(), second[:, 0].min())
    high = min(first[:, 0].max(), second[:, 0].max())
    if low <= high:
        x = np.linspace(low, high, 9)
        gap = _height_at(second, x) - _height_at(first, x)
        return bool(gap.mean() > 0)
    below = float(second[:, 1].mean() - first[:, 1].mean())
    if abs(below) > 2:
        return below > 0
    return bool(first[:, 0].mean() < second[:, 0].mean())


def _height_at(points: FloatArray, x: FloatArray) -> FloatArray:
    order = np.argsort(points[:, 0])
    return np.interp(x, points[order, 0], points[order, 1])


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
    columns = _columns(anchors)
    if columns:
        return _with_columns(reads, columns, anchors)
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


def _columns(anchors: Anchors) -> list[list[int]]:
    """Cards that cover each other downwards, from the left column to the right one.

    None where no two are so, or where as many cover each other sideways: lines of a row that lies
    close below the other are no columns.
    """
    none = np.zeros((0, 2))
    at, down = anchors.rectified(_rectification(anchors, none, none))
    at, down = at[~anchors.flipped], down[~anchors.flipped]
    which = np.flatnonzero(~anchors.flipped)
    if len(at) < _LEAST_COLUMNS + 1:
        return []
    size = np.linalg.norm(down, axis=1)
    unit = down / size[:, None]
    step = (at[None] - at[:, None]) / np.sqrt(size[:, None] * size[None])[..., None]
    across = step[..., 0] * unit[:, None, 1] - step[..., 1] * unit[:, None, 0]
    below = (step * unit[:, None]).sum(axis=2)
    alike = unit @ unit.T > _UPRIGHT
    under = alike & (below > _LEAST_STEP) & (below < RULE.below)
    under &= np.abs(across) < RULE.beside + below / 10
    beside = alike & (across > _LEAST_STEP) & (np.abs(below) < across / 2)
    next_below = np.where(under, below, np.inf).min(axis=1)
    next_beside = np.where(beside, across, np.inf).min(axis=1)
    downwards = int((next_below < RULE.tighter * np.minimum(next_beside, RULE.room)).sum())
    sideways = int((next_beside < RULE.tighter * RULE.room).sum())
    if downwards < max(_LEAST_COLUMNS, RULE.columns * sideways):
        return []
    columns = _join(np.where(under, below + np.abs(across), np.inf), [[k] for k in range(len(at))])
    long = [column for column in columns if len(column) > 1]
    way = unit[[column[0] for column in long]].sum(axis=0)
    way /= max(float(np.hypot(*way)), 1e-9)
    high, wide = at @ way, at @ [way[1], -way[0]]
    top = float(np.median([high[column[0]] for column in long]))
    near = RULE.top * float(np.median(size))
    alone = [c for c in columns if len(c) == 1 and abs(float(high[c[0]]) - top) < near]
    ordered = sorted([*long, *alone], key=lambda column: float(wide[column[0]]))
    return [which[column].tolist() for column in ordered]


def _with_columns(
    reads: Sequence[CardRead], columns: Sequence[Sequence[int]], anchors: Anchors
) -> list[list[int]]:
    """The columns, with what lies above them before and what lies below them behind."""
    own = {k for column in columns for k in column}
    rest = [k for k in range(len(reads)) if k not in own]
    tops = [column[0] for column in columns]
    way = anchors.down[tops].sum(axis=0)
    top = float(np.median(anchors.at[tops] @ way))
    lines = [[rest[k] for k in line] for line in _lines([reads[k] for k in rest])]
    above = [line for line in lines if float(np.mean(anchors.at[line] @ way)) < top]
    return [*above, *map(list, columns), *(line for line in lines if line not in above)]


#: So many cards must be covered downwards; cosine of cards that stand alike; a step that is one, in
#: index heights.
_LEAST_COLUMNS, _UPRIGHT, _LEAST_STEP = 2, 0.8, 0.4


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
