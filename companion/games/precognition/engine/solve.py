"""The Precognition notepad: how likely a string of ups, downs and stays occurs in the row.

The row is completed at random: every player lays the cards still held in random order, and unknown
hands are a random share of the unseen cards. If few cards are left, all completions are listed and
the chance is exact. Otherwise it is estimated from simulated rows, the same for all strings, with
the standard error √(p(1 − p)/n).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product
from math import comb, factorial, sqrt

import numpy as np
import numpy.typing as npt

from companion.cards import Card
from companion.errors import UsageError
from companion.games.precognition.engine.facts import (
    CardFact,
    Dealt,
    InHand,
    Laid,
    OfRank,
    RowKnowledge,
)

#: Letters of a prediction by code: 0 up, 1 down, 2 stay.
LETTERS = "UDS"

#: Rows simulated, and below how many equally likely orders they are listed instead.
SAMPLES = 4000
#: So many times as many are simulated where most do not fit what is known of ranks.
_TRIES = 50
_LISTED = 3000

Codes = npt.NDArray[np.int8]
Bits = npt.NDArray[np.uint64]
_ONE = np.uint64(1)


@dataclass(frozen=True, slots=True)
class _Table:
    """The facts sorted.

    Attributes:
        row: ranks of the row.
        hands: each seat's known ranks.
        needs: how many more cards each seat holds.
        unseen: the other ranks.
        length: how many cards the finished row has.
        ranks: (seat, rank) → whether a card of that rank is among those that the seat needs; no
            rank that the seat is known to hold.
    """

    row: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    needs: tuple[int, ...]
    unseen: tuple[int, ...]
    length: int
    ranks: tuple[tuple[tuple[int, int], bool], ...] = ()

    def turns(self, seat: int) -> slice:
        """The positions of the row that a seat still fills."""
        laid, count = len(self.row), len(self.hands)
        return slice(laid + (seat - laid) % count, self.length, count)


def _table(knowledge: RowKnowledge) -> _Table | None:
    """Sorts the facts; None on a contradiction."""
    where: dict[Card, CardFact] = {}
    row: dict[int, int] = {}
    hands: list[list[int]] = [[] for _ in knowledge.players]
    for fact in knowledge.cards:
        if isinstance(fact, Dealt):
            continue
        if fact.card not in knowledge.deck:
            raise UsageError("{card} is not part of this match.", card=fact.card)
        before = where.setdefault(fact.card, fact)
        rank = fact.card.rank or 0
        if isinstance(fact, Laid):
            if before is not fact or fact.position in row or fact.position >= knowledge.laid:
                return None
            row[fact.position] = rank
        elif isinstance(before, InHand) and before.player == fact.player:
            if fact.player not in knowledge.players:
                raise UsageError("{player} is not part of this match.", player=fact.player)
            if before is fact:
                hands[knowledge.players.index(fact.player)].append(rank)
        else:
            return None
    needs = [knowledge.left(seat) - len(hand) for seat, hand in enumerate(hands)]
    ranks = _ranks(knowledge, hands)
    if min(needs) < 0 or ranks is None or not _dealt_fit(knowledge, needs, where):
        return None
    unseen = tuple(sorted(c.rank or 0 for c in knowledge.deck if c not in where))
    ordered = tuple(row[at] for at in sorted(row))
    known = tuple(tuple(sorted(hand)) for hand in hands)
    return _Table(ordered, known, tuple(needs), unseen, knowledge.length, tuple(ranks.items()))


def _ranks(
    knowledge: RowKnowledge, hands: Sequence[Sequence[int]]
) -> dict[tuple[int, int], bool] | None:
    """What is known of ranks alone, see :class:`_Table`; None on a contradiction."""
    found: dict[tuple[int, int], bool] = {}
    for fact in knowledge.facts:
        if not isinstance(fact, OfRank):
            continue
        seat = knowledge.players.index(fact.player)
        if fact.rank in hands[seat]:
            if not fact.holds:
                return None
        elif found.setdefault((seat, fact.rank), fact.holds) != fact.holds:
            return None
    return found


def _dealt_fit(knowledge: RowKnowledge, needs: Sequence[int], where: dict[Card, CardFact]) -> bool:
    """Whether every card that was dealt to a player is that player's, or may be."""
    players = knowledge.players
    owners = {
        c: players[f.position % len(players)] for c, f in where.items() if isinstance(f, Laid)
    }
    room = {
        name: needs[seat] + len(range(seat, knowledge.laid, len(players)))
        for seat, name in enumerate(players)
    }
    for owner in owners.values():
        room[owner] -= 1
    owners |= {f.card: f.player for f in where.values() if isinstance(f, InHand)}
    for fact in knowledge.facts:
        if isinstance(fact, Dealt) and fact.card not in owners:
            owners[fact.card] = fact.player
            room[fact.player] -= 1
    dealt = (fact for fact in knowledge.facts if isinstance(fact, Dealt))
    return min(room.values()) >= 0 and all(owners[fact.card] == fact.player for fact in dealt)


def worlds(knowledge: RowKnowledge) -> int:
    """The number of possible contents of the hidden hands; with two players' cards known, 1.

    0 when the facts contradict each other.
    """
    table = _table(knowledge)
    return 0 if table is None else _count(table)


def holding(knowledge: RowKnowledge) -> dict[tuple[str, int], float]:
    """The chance of each player whose hand is hidden to hold at least one card of each rank.

    Chances of 0 are left out; so are all where the facts contradict each other.
    """
    table = _table(knowledge)
    total = 0 if table is None else _count(table)
    if table is None or not total:
        return {}
    found = {}
    for seat, name in enumerate(knowledge.players):
        for rank in sorted({*table.unseen, *table.hands[seat]}) if table.needs[seat] else ():
            known = dict(table.ranks).get((seat, rank), True if rank in table.hands[seat] else None)
            if known is None:
                more = replace(table, ranks=(*table.ranks, ((seat, rank), True)))
                found[name, rank] = _count(more) / total
            elif known:
                found[name, rank] = 1.0
    return {cell: chance for cell, chance in found.items() if chance}


def _count(table: _Table) -> int:
    """The number of ways to fill the hands from the unseen cards.

    By inclusion and exclusion: of each rank that a seat has none of, or some of, `j` cards are laid
    in that seat's hand and all others dealt as if nothing were known of ranks, for every `j`. The
    sign of `j` cards is (−1)^j for a rank that must be missing; for one that must be there it is
    the other way round, and 0 without a card.
    """
    of_rank = Counter(table.unseen)
    total = 0
    choices = [range(min(of_rank[rank], table.needs[seat]) + 1) for (seat, rank), _ in table.ranks]
    for laid in product(*choices):
        ways, needs, left = 1, list(table.needs), of_rank.copy()
        for j, ((seat, rank), holds) in zip(laid, table.ranks, strict=True):
            sign = (-1) ** j if not holds else (-1) ** (j + 1) if j else 0
            ways *= sign * comb(left[rank], j)
            needs[seat] -= j
            left[rank] -= j
        free = len(table.unseen) - sum(laid)
        for need in needs:
            ways *= comb(free, need) if need >= 0 else 0
            free -= need
        total += ways
    return total


@dataclass(frozen=True, slots=True)
class MatchChance:
    """How likely a prediction matches.

    Attributes:
        p: the chance, exact where `stderr` is 0.
        stderr: its standard error.
    """

    p: float
    stderr: float


@dataclass(frozen=True, slots=True)
class Rows:
    """Completed rows, all equally likely.

    Attributes:
        bits: shape (3, rows), uint64: for U, D and S, bit j tells whether change j is that one.
        changes: how many changes a row has (at most 51).
        exact: whether they are all there are, not a sample.
    """

    bits: Bits
    changes: int
    exact: bool

    @property
    def count(self) -> int:
        """How many rows there are; 0 if what is known is too rare to be met by chance."""
        return int(self.bits.shape[1])

    def chance(self, prediction: str) -> MatchChance:
        """How likely a prediction occurs as consecutive changes anywhere in the row.

        Raises:
            UsageError: it is not a string over U, D and S.
        """
        text = prediction.upper()
        if not text or set(text) - set(LETTERS):
            raise UsageError(
                "“{prediction}” is no prediction; use the letters U, D and S.",
                prediction=prediction,
            )
        starts = self.bits[LETTERS.index(text[-1])]
        for letter in reversed(text[:-1]):
            starts = self.bits[LETTERS.index(letter)] & (starts >> _ONE)
        return self.share(starts)

    def part(self, count: int) -> Rows:
        """A limited number of the rows, for a rougher and quicker estimate."""
        if self.exact or count >= self.bits.shape[1]:
            return self
        return Rows(np.ascontiguousarray(self.bits[:, :count]), self.changes, False)

    def share(self, starts: Bits) -> MatchChance:
        """The share of rows in which some start is marked."""
        found = int(np.count_nonzero(starts)) / len(starts)
        error = 0.0 if self.exact else sqrt(found * (1 - found) / len(starts))
        return MatchChance(found, error)


def _packed(ranks: Codes, *, exact: bool) -> Rows:
    """Rows from their ranks, shape (rows, length)."""
    steps = np.diff(ranks, axis=1)
    bits = np.stack([_words(kind) for kind in (steps > 0, steps < 0, steps == 0)])
    return Rows(bits, steps.shape[1], exact)


def _words(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """Each row of at most 64 flags as one number, the first flag lowest."""
    packed = np.zeros((len(flags), 8), np.uint8)
    short = np.packbits(flags, axis=1, bitorder="little")
    packed[:, : short.shape[1]] = short
    return packed.view("<u8").reshape(-1).astype(np.uint64)


def complete_rows(knowledge: RowKnowledge, *, samples: int = SAMPLES, seed: int = 20090225) -> Rows:
    """Completes the row in every way, or in many random ways.

    Args:
        knowledge: what the viewer knows.
        samples: how many rows to simulate when there are too many to list.
        seed: of the simulation; the same knowledge and seed give the same rows.

    Raises:
        UsageError: the facts contradict each other, or a card of the row is not known.
    """
    table = _table(knowledge)
    if table is None:
        raise UsageError("The known cards contradict each other; correct them first.")
    if len(table.row) < knowledge.laid:
        raise UsageError("A card of the row is not known; enter it first.")
    return _rows(table, samples, seed)


@lru_cache(maxsize=8)
def _rows(table: _Table, samples: int, seed: int) -> Rows:
    """The completions of a table (kept, because several strings are asked about it)."""
    orders = factorial(len(table.unseen)) if any(table.needs) else 1
    for hand, need in zip(table.hands, table.needs, strict=True):
        orders *= factorial(len(hand) + need)
    if orders <= _LISTED:
        return _packed(_fitting(table, _all_rows(table)), exact=True)
    rng = np.random.default_rng(seed)
    found: list[Codes] = []
    for _ in range(_TRIES):
        found.append(_fitting(table, _random_rows(table, samples, rng)))
        if sum(map(len, found)) >= samples:
            break
    return _packed(np.concatenate(found)[:samples], exact=False)


def _fitting(table: _Table, rows: Codes) -> Codes:
    """The rows in which the hands are as is known of their ranks."""
    for (seat, rank), holds in table.ranks:
        rows = rows[(rows[:, table.turns(seat)] == rank).any(axis=1) == holds]
    return rows


def _random_rows(table: _Table, samples: int, rng: np.random.Generator) -> Codes:
    """Random completions: shape (samples, length), ranks."""
    rows = np.empty((samples, table.length), np.int8)
    rows[:, : len(table.row)] = table.row
    pool = _shuffled(rng, table.unseen, samples) if any(table.needs) else None
    used = 0
    for seat, (hand, need) in enumerate(zip(table.hands, table.needs, strict=True)):
        turns = table.turns(seat)
        share = None if pool is None else pool[:, used : used + need]
        used += need
        if not hand:
            if share is not None:
                rows[:, turns] = share
        elif not need:
            rows[:, turns] = _shuffled(rng, hand, samples)
        elif share is not None:
            known = np.broadcast_to(np.array(hand, np.int8), (samples, len(hand)))
            rows[:, turns] = rng.permuted(np.concatenate([known, share], axis=1), axis=1)
    return rows


def _shuffled(rng: np.random.Generator, ranks: Sequence[int], samples: int) -> Codes:
    """Independent random orders of some ranks, one a row."""
    rows = np.broadcast_to(np.array(ranks, np.int8), (samples, len(ranks)))
    order: Codes = rng.permuted(rows, axis=1)
    return order


def _all_rows(table: _Table) -> Codes:
    """All completions, each as often as it can come about."""
    rows: list[list[int]] = []
    pools: Iterable[tuple[int, ...]] = permutations(table.unseen) if any(table.needs) else [()]
    for pool in pools:
        partial = [[*table.row, *([0] * (table.length - len(table.row)))]]
        used = 0
        for seat, (hand, need) in enumerate(zip(table.hands, table.needs, strict=True)):
            turns = table.turns(seat)
            cards = (*hand, *pool[used : used + need])
            used += need
            partial = [_with(row, turns, order) for row in partial for order in permutations(cards)]
        rows.extend(partial)
    return np.array(rows, np.int8).reshape(len(rows), table.length)


def _with(row: list[int], turns: slice, order: Sequence[int]) -> list[int]:
    """The row with a seat's turns filled."""
    filled = list(row)
    filled[turns] = order
    return filled


def best_strings(
    rows: Rows, *, check: Rows | None = None, longest: int = 16, beam: int = 10
) -> dict[str, MatchChance]:
    """The best prediction found for each length, in their order, and how likely each matches.

    A string cannot match more often than its parts, so the most frequent strings of one length are
    extended by a letter at either end. Lengths at which nothing found matches any row are left out.

    Args:
        rows: the completions.
        check: other simulated rows by which the found strings are valued; the best of many on one
            sample looks better there than it is.
        longest: up to this length.
        beam: how many strings are kept at each length.
    """
    found: dict[str, MatchChance] = {}
    # Each kept string with the starts at which it matches, by row.
    kept = {letter: rows.bits[code] for code, letter in enumerate(LETTERS)}
    for length in range(1, min(longest, rows.changes) + 1):
        if length > 1:
            kept = _extended(rows, kept, length)
        counts = {text: int(np.count_nonzero(starts)) for text, starts in kept.items()}
        ranked = sorted(counts, key=lambda text: (-counts[text], _plainness(text)))
        kept = {text: kept[text] for text in ranked[:beam] if counts[text]}
        if not kept:
            break
        best = next(iter(kept))
        found[best] = rows.share(kept[best]) if check is None else check.chance(best)
    return found


def _extended(rows: Rows, kept: dict[str, Bits], length: int) -> dict[str, Bits]:
    """All kept strings with one more letter at either end."""
    found: dict[str, Bits] = {}
    last = [bits >> np.uint64(length - 1) for bits in rows.bits]
    for string, starts in kept.items():
        later = starts >> _ONE
        for code, letter in enumerate(LETTERS):
            if string + letter not in found:
                found[string + letter] = starts & last[code]
            if letter + string not in found:
                found[letter + string] = rows.bits[code] & later
    return found


def _plainness(string: str) -> tuple[int, str]:
    """Orders equally frequent strings: fewest stays first, then U before D."""
    return string.count("S"), string.replace("U", "A")
