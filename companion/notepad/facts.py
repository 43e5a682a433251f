"""Facts, and the smallest sets of them that force a conclusion.

A notepad's knowledge is an immutable tuple of facts. Each carries the number of the event it came
from and a text for people, so that every conclusion can be explained by quoting facts. A what-if
(a question answered Yes) appends one more fact; the old knowledge is unchanged.

Why is a cell 0? Because the facts together with "the cell holds" have no world. The explanation is
a smallest unsatisfiable subset of the facts, found by the hitting-set duality of A. Ignatiev,
A. Previti, M. Liffiton and J. Marques-Silva, "Smallest MUS extraction with minimal hitting set
dualization" (2015): every unsatisfiable subset meets every correction set (the complement of a
satisfiable set), so a minimum hitting set of the known correction sets that is itself
unsatisfiable is a smallest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Generic, TypeVar

from companion.cards import Card
from companion.errors import UsageError
from companion.phrases import N_, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing the viewer knows.

    Attributes:
        event: number of the event it follows from, counted as in the match notation; 0 for what
            comes from the set-up or from a hypothesis.
        text: the fact in words, e.g. `Cy has no Crowns (9)`.
    """

    event: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardAt(Fact):
    """A card lies in a place, or does not.

    Attributes:
        card: the card.
        place: a player's name for the hand, or a place of the game's own.
        holds: False for "it is not there".
    """

    card: Card
    place: str
    holds: bool = True


FactT = TypeVar("FactT", bound=Fact)
RefutedT = TypeVar("RefutedT", bound=Fact)

#: Given a bit mask of facts (bit i: fact i), a mask of facts that all hold in one world in which
#: the given ones hold (at least those), or None when no world satisfies them.
Oracle = Callable[[int], int | None]


@dataclass(frozen=True, slots=True)
class Why(Generic[FactT]):
    """A set of facts that forces something; no fact can be left out.

    Attributes:
        facts: the facts, in the order in which they were learnt.
        smallest: whether no smaller number of events forces it; False if the search was cut
            short and the set is only known to be minimal (without any one of them it breaks).
        checks: how many times the engine was consulted.
    """

    facts: tuple[FactT, ...]
    smallest: bool
    checks: int

    @property
    def text(self) -> str:
        """The facts in words, joined by semicolons."""
        return joined("; ", (fact.text for fact in self.facts))


class _Budget(Exception):  # noqa: N818 (a signal, not an error)
    """The allowance of checks is used up."""


class _Search:
    """Counts consultations of the oracle and remembers their answers."""

    def __init__(self, oracle: Oracle, limit: int) -> None:
        self.oracle = oracle
        self.limit = limit
        self.checks = 0
        self.known: dict[int, int | None] = {}

    def world(self, mask: int) -> int | None:
        """The oracle's answer, remembered.

        Raises:
            _Budget: the allowance of checks is used up.
        """
        if mask not in self.known:
            if self.checks >= self.limit:
                raise _Budget
            self.checks += 1
            self.known[mask] = self.oracle(mask)
        return self.known[mask]


def bits(mask: int) -> list[int]:
    """Positions of the set bits, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _minimal(search: _Search, base: int, items: list[int], *, base_grew: bool) -> int:
    """QuickXplain (U. Junker, 2004): a minimal subset of `items` impossible together with base."""
    if base_grew and search.world(base) is None:
        return 0
    if len(items) == 1:
        return 1 << items[0]
    half = len(items) // 2
    left, right = items[:half], items[half:]
    left_mask = sum(1 << item for item in left)
    core_right = _minimal(search, base | left_mask, right, base_grew=True)
    core_left = _minimal(search, base | core_right, left, base_grew=core_right != 0)
    return core_left | core_right


def _grow(search: _Search, satisfied: int, everything: int) -> int:
    """Adds facts one by one as long as a world remains; the result is maximal."""
    for item in bits(everything & ~satisfied):
        if satisfied >> item & 1:
            continue
        larger = search.world(satisfied | 1 << item)
        if larger is not None:
            satisfied = larger
    return satisfied


def _disjoint_bound(sets: list[int]) -> int:
    """A lower bound of the hitting set's size: how many pairwise disjoint sets there are."""
    used = count = 0
    for mask in sets:
        if not mask & used:
            used |= mask
            count += 1
    return count


def minimum_hitting_set(sets: Sequence[int], *, limit: int = 200_000) -> int | None:
    """A smallest set of bits that meets every given mask, by iterative deepening.

    Args:
        sets: the masks to hit, none of them 0.
        limit: how many search nodes are allowed.

    Returns:
        The hitting set as a mask, or None when the allowance was used up.
    """
    ordered = sorted(sets, key=int.bit_count)
    nodes = 0

    def search(chosen: int, remaining: list[int], room: int) -> int | None:
        nonlocal nodes
        nodes += 1
        if not remaining:
            return chosen
        if nodes > limit or _disjoint_bound(remaining) > room:
            return None
        pivot = remaining[0]
        banned = 0
        for bit in bits(pivot):
            one = 1 << bit
            banned |= one
            # Sets hit only through already tried bits are not searched a second time.
            rest = [mask & ~(banned ^ one) for mask in remaining if not mask & one]
            if 0 in rest:
                continue
            found = search(chosen | one, rest, room - 1)
            if found is not None:
                return found
        return None

    size = _disjoint_bound(ordered)
    while nodes <= limit:
        found = search(0, ordered, size)
        if found is not None:
            return found
        size += 1
    return None


def _units(facts: Sequence[Fact]) -> list[int]:
    """Masks of the facts that came from one event together; facts of no event stand alone."""
    by_event: dict[tuple[int, int], int] = {}
    for index, fact in enumerate(facts):
        key = (fact.event, 0 if fact.event else index)
        by_event[key] = by_event.get(key, 0) | 1 << index
    return list(by_event.values())


def smallest_core(
    facts: Sequence[FactT], oracle: Oracle, *, max_checks: int = 1500
) -> Why[FactT] | None:
    """The facts of a smallest set of events for which the oracle finds no world.

    Facts with the same event number (a hand of cards, say) count as one; of the events found,
    only the facts that are really needed are quoted.

    Args:
        facts: all facts; bit i of the oracle's masks is `facts[i]`.
        oracle: the engine, with whatever is to be refuted built in.
        max_checks: how often the oracle may be asked before the search settles for a minimal set.

    Returns:
        The explanation, or None when all facts together have a world.
    """
    units = _units(facts)

    def spread(mask: int) -> int:
        """The facts of the chosen units."""
        return sum(units[unit] for unit in bits(mask))

    def by_unit(mask: int) -> int | None:
        """The oracle in terms of units; a unit holds when all its facts do."""
        world = oracle(spread(mask))
        if world is None:
            return None
        return mask | sum(1 << i for i, unit in enumerate(units) if unit & ~world == 0)

    everything = (1 << len(units)) - 1
    search = _Search(by_unit, len(units) * 4 + 64)
    if search.world(everything) is not None:
        return None
    core = 0
    proven = True
    if search.world(0) is not None:
        core = _minimal(search, 0, list(range(len(units))), base_grew=False)
        search.limit = max(search.checks, max_checks)
        try:
            core = _shrink(search, core, everything)
        except _Budget:
            proven = False
    needed, checks = _needed(oracle, spread(core), core.bit_count())
    chosen = tuple(facts[item] for item in bits(needed))
    return Why(chosen, smallest=proven, checks=search.checks + checks)


def _needed(oracle: Oracle, mask: int, units: int) -> tuple[int, int]:
    """The facts among those of the found events that are needed, and the checks it took."""
    items = bits(mask)
    if len(items) == units:
        return mask, 0
    search = _Search(oracle, len(items) * 4 + 64)
    return _minimal(search, 0, items, base_grew=False), search.checks


def _shrink(search: _Search, core: int, everything: int) -> int:
    """Replaces a minimal core by a smallest one.

    Raises:
        _Budget: before that is proven.
    """
    corrections: list[int] = []
    # Each fact of the core taken out leaves a satisfiable set: a first correction set each.
    for item in bits(core):
        world = search.world(core & ~(1 << item))
        if world is not None:
            corrections.append(everything & ~_grow(search, world, everything))
    while True:
        hitting = minimum_hitting_set(corrections)
        if hitting is None:
            raise _Budget
        if hitting.bit_count() >= core.bit_count():
            return core
        world = search.world(hitting)
        if world is None:
            return hitting
        corrections.append(everything & ~_grow(search, world, everything))


def by_trial(facts: Sequence[FactT], fit: Callable[[tuple[FactT, ...]], bool]) -> Oracle:
    """An oracle that only asks whether chosen facts fit together."""

    def look(mask: int) -> int | None:
        return mask if fit(tuple(facts[item] for item in bits(mask))) else None

    return look


def settling(
    facts: Sequence[FactT],
    oracle: Callable[[RefutedT], Oracle],
    refuted: Iterable[RefutedT],
    still_open: str,
    *,
    max_checks: int = 1500,
    **fields: object,
) -> Why[FactT]:
    """A smallest set of facts that refutes one of several.

    Args:
        facts: what is known.
        oracle: makes the engine with a fact built in.
        refuted: what may be refuted; the first that is decides.
        still_open: what is said where none is.
        max_checks: see `smallest_core`.
        fields: what stands in `still_open`.

    Raises:
        UsageError: none of them is refuted.
    """
    for fact in refuted:
        found = smallest_core(facts, oracle(fact), max_checks=max_checks)
        if found is not None:
            return found
    raise UsageError(still_open, **fields)


def settling_place(
    facts: Sequence[FactT],
    oracle: Callable[[CardAt], Oracle],
    card: Card,
    place: str,
    still_open: str = N_("Whether {card} is there is still open: nothing forces it."),
) -> Why[FactT]:
    """A smallest set of facts that settles whether a card lies in a place.

    Args:
        facts: what is known.
        oracle: makes the engine with a fact built in.
        card: the card.
        place: where it lies or does not.
        still_open: what is said where that is open; of the `card` or `tile`.

    Raises:
        UsageError: it is open.
    """
    either = (CardAt(card=card, place=place, holds=holds) for holds in (True, False))
    return settling(facts, oracle, either, still_open, card=card.name, tile=card.name)


def entropy(weights: Iterable[float]) -> float:
    """Shannon entropy of a distribution given by non-negative weights, in bits.

    Weights need not sum to 1; those that are 0 are ignored; no weight at all gives 0.

    >>> entropy([1, 1, 2])
    1.5
    """
    positive = [weight for weight in weights if weight > 0]
    total = sum(positive)
    if not total:
        return 0.0
    return max(0.0, sum(w / total * log2(total / w) for w in positive))
