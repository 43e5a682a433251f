"""Finds a deal that fits: hands in ascending order, wrong and right guesses, four of a rank.

Suits do not matter, so a deal is how many cards of each rank each hidden hand holds. The search
goes through the ranks in rising order; a hand that holds c cards so far and takes k of a rank puts
them at positions c+1 … c+k, which must all allow that rank. For a single hand the same steps count
all its possible contents; a joint search over several hands is cut short by what each hand alone
can still complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import comb

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
    """For each rank r (index) a mask: bit c where a hand with c cards below r can be completed."""
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

    Other hidden hands are left out of account: exact for one opponent, an estimate for several.
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
    """One content for each hidden hand, all from one pool of cards.

    Args:
        hands: the hands; each stock is at most the pool.
        pool: for each rank 0–13 (0 unused) how many unseen cards there are.

    Returns:
        For each hand its ranks in ascending order, or None if no deal fits.
    """
    ends = [completable(hand) for hand in hands]
    if not all(end[1] & 1 for end in ends):
        return None
    search = _Joint(hands, pool, ends)
    takes = search.run(1, (0,) * len(hands))
    if takes is None:
        return None
    return tuple(
        tuple(rank for rank, row in enumerate(takes, 1) for _ in range(row[index]))
        for index in range(len(hands))
    )


class _Joint:
    """Depth-first search over ranks, remembering the counts from which nothing can be completed."""

    def __init__(
        self, hands: tuple[HiddenHand, ...], pool: tuple[int, ...], ends: list[list[int]]
    ) -> None:
        self.hands = hands
        self.pool = pool
        self.ends = ends
        self.runs = [[all_runs(hand, rank) for rank in range(RANK_COUNT + 1)] for hand in hands]
        self.dead: set[tuple[int, tuple[int, ...]]] = set()
        self.need = sum(hand.size for hand in hands)
        #: Cards of a rank and all higher ones.
        self.above = [sum(pool[rank:]) for rank in range(RANK_COUNT + 2)]

    def run(self, rank: int, counts: tuple[int, ...]) -> tuple[tuple[int, ...], ...] | None:
        """What each hand takes of each rank from `rank` on, None if nothing fits."""
        if rank > RANK_COUNT:
            return ()
        if self.need - sum(counts) > self.above[rank] or (rank, counts) in self.dead:
            return None
        for takes in self._takes(rank, counts):
            rest = self.run(rank + 1, tuple(c + k for c, k in zip(counts, takes, strict=True)))
            if rest is not None:
                return (takes, *rest)
        self.dead.add((rank, counts))
        return None

    def _takes(self, rank: int, counts: tuple[int, ...]) -> list[tuple[int, ...]]:
        """All ways to hand out a rank, those nearest to an even share of what is unseen first."""
        choices = [
            [k for k in range(run[rank][count] + 1) if end[rank + 1] >> (count + k) & 1]
            for run, count, end in zip(self.runs, counts, self.ends, strict=True)
        ]
        above = self.above[rank] or 1
        shares = [
            (hand.size - count) * self.pool[rank] / above
            for hand, count in zip(self.hands, counts, strict=True)
        ]
        found = [takes for takes in product(*choices) if sum(takes) <= self.pool[rank]]
        return sorted(
            found, key=lambda takes: sum((k - s) ** 2 for k, s in zip(takes, shares, strict=True))
        )
