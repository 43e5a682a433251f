"""Finds a deal that fits: hands in ascending order, wrong and right guesses, four of a rank.

Suits do not matter, so a deal is how many cards of each rank each hidden hand holds. Cards are
dealt in rising order of rank; a hand that holds c cards so far and takes k of a rank puts them at
positions c+1 … c+k, which must all allow that rank. For a single hand the same steps count all its
possible contents.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod

RANK_COUNT = 13
ALL_RANKS = (1 << (RANK_COUNT + 1)) - 2


@dataclass(frozen=True, slots=True)
class HiddenHand:
    """What is known of a hand whose cards are not seen.

    Attributes:
        allowed: for each original position (index 0 the smallest) a mask of possible ranks, bit r
            for rank r.
        stock: for each rank 0–13 (0 unused) how many cards this hand can take from.
    """

    allowed: tuple[int, ...]
    stock: tuple[int, ...]

    @property
    def size(self) -> int:
        """Cards in the hand."""
        return len(self.allowed)


def all_runs(hand: HiddenHand, rank: int) -> list[int]:
    """For each number of smaller cards the most cards of a rank that the hand can take next."""
    stock, found, run = hand.stock[rank], [0], 0
    for mask in reversed(hand.allowed):
        run = run + 1 if mask >> rank & 1 else 0
        found.append(run if run < stock else stock)
    found.reverse()
    return found


def completable(hand: HiddenHand) -> list[int]:
    """For each rank r (index) a mask: bit c if a hand with c cards below r can be completed."""
    done = [0] * (RANK_COUNT + 2)
    done[RANK_COUNT + 1] = 1 << hand.size
    for rank in range(RANK_COUNT, 0, -1):
        for count, most in enumerate(all_runs(hand, rank)):
            window = (1 << (most + 1)) - 1
            if done[rank + 1] >> count & window:
                done[rank] |= 1 << count
    return done


def rank_ways(hand: HiddenHand) -> list[dict[int, int]]:
    """For each position the number of contents of the hand (as cards) with each rank there.

    Other hidden hands are ignored: exact for one opponent, an estimate for several.
    """
    size = hand.size
    up = [[0] * (size + 1) for _ in range(RANK_COUNT + 2)]
    down = [[0] * (size + 1) for _ in range(RANK_COUNT + 2)]
    up[1][0] = down[RANK_COUNT + 1][size] = 1
    ends = completable(hand)
    # Only what leads from an empty hand to a whole one counts.
    steps = [
        (rank, count, k, comb(hand.stock[rank], k))
        for rank in range(1, RANK_COUNT + 1)
        for count, most in enumerate(all_runs(hand, rank))
        if ends[rank] >> count & 1
        for k in range(most + 1)
        if ends[rank + 1] >> (count + k) & 1
    ]
    for rank, count, k, ways in steps:
        if up[rank][count]:
            up[rank + 1][count + k] += up[rank][count] * ways
    for rank, count, k, ways in reversed(steps):
        if down[rank + 1][count + k]:
            down[rank][count] += down[rank + 1][count + k] * ways
    table: list[dict[int, int]] = [{} for _ in range(size)]
    for rank, count, k, ways in steps:
        total = up[rank][count] * ways * down[rank + 1][count + k]
        if total:
            for position in range(count, count + k):
                table[position][rank] = table[position].get(rank, 0) + total
    return table


def find_hands(
    hands: tuple[HiddenHand, ...], pool: tuple[int, ...]
) -> tuple[tuple[int, ...], ...] | None:
    """Contents of all hidden hands, drawn from one pool of cards; their stocks play no part.

    In rising order, each card stays out or becomes the next position of one hand, so the state is
    how many cards each hand holds. All states that can be reached are kept as the bits of one
    integer, which makes the search exact at a cost that does not depend on the facts: some
    milliseconds for five hands of ten.

    Args:
        hands: the hands.
        pool: for each rank 0–13 (0 unused) how many unseen cards there are.

    Returns:
        For each hand its ranks in ascending order, or None if no deal fits.
    """
    grid = _Counts(tuple(hand.size for hand in hands))
    ranks = [rank for rank in range(1, RANK_COUNT + 1) for _ in range(pool[rank])]
    layers = [1]
    for rank in ranks:
        now = reached = layers[-1]
        for index, hand in enumerate(hands):
            reached |= (now & grid.before(index, hand.allowed, rank)) << grid.strides[index]
        layers.append(reached)
    if not layers[-1] >> grid.full & 1:
        return None
    found: list[list[int]] = [[] for _ in hands]
    state = grid.full
    for number in range(len(ranks) - 1, -1, -1):
        taker = grid.taker(state, layers[number], hands, ranks[number])
        if taker is not None:
            found[taker].append(ranks[number])
            state -= grid.strides[taker]
    return tuple(tuple(reversed(row)) for row in found)


class _Counts:
    """Every combination of how many cards each hand holds, as the bits of an integer.

    Args:
        sizes: the hands' sizes.
    """

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.strides = [prod(size + 1 for size in sizes[:k]) for k in range(len(sizes) + 1)]
        #: The state in which every hand is whole.
        self.full = self.strides[-1] - 1
        self._none = [self._where_none(index) for index in range(len(sizes))]
        self._known: dict[tuple[int, int], int] = {}

    def _where_none(self, index: int) -> int:
        """The states in which a hand holds no card."""
        found, width = (1 << self.strides[index]) - 1, self.strides[index + 1]
        while width < self.strides[-1]:
            found |= found << width
            width *= 2
        return found & (1 << self.strides[-1]) - 1

    def before(self, index: int, allowed: tuple[int, ...], rank: int) -> int:
        """The states in which a hand's next position allows a rank."""
        found = self._known.get((index, rank))
        if found is None:
            found, none, stride = 0, self._none[index], self.strides[index]
            for count, mask in enumerate(allowed):
                if mask >> rank & 1:
                    found |= none << count * stride
            self._known[index, rank] = found
        return found

    def taker(
        self, state: int, before: int, hands: tuple[HiddenHand, ...], rank: int
    ) -> int | None:
        """Who takes a card on the way to a state; None if it may stay out.

        Of several hands, the one farthest from empty takes it, so that the cards of a
        rank are spread over hands.
        """
        best, most = None, 0.0
        for index, hand in enumerate(hands):
            stride = self.strides[index]
            count = state // stride % (hand.size + 1)
            if not count or not hand.allowed[count - 1] >> rank & 1:
                continue
            if before >> (state - stride) & 1 and count / hand.size > most:
                best, most = index, count / hand.size
        if best is None or (before >> state & 1 and most < 0.5):
            return None
        return best
