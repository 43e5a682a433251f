"""Counts deals by groups of like cards.

Cards that may lie in the same places are alike. With x_p for each place p, the deals in which the
places get their numbers of cards are the coefficient of the product of x_p to those numbers in

    product over the groups g of (sum of x_p over the places open to g) ** size of g.

The same number follows from a product over the places in variables of the groups, times the
factorials of the groups over those of the places; the one with fewer coefficients is taken. A
polynomial is one whole number: its coefficients stand in fields of bits, so that multiplying by a
sum of variables is some shifts and additions. All is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial, log2, prod

from companion.notepad.facts import bits
from companion.notepad.placing import Group


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of deals, and where a card of each group is in them.

    Attributes:
        deals: all deals.
        at: for each group and place, the deals in which a particular card of the group is there.
    """

    deals: int
    at: tuple[tuple[int, ...], ...]


def count(groups: Sequence[Group], room: Sequence[int]) -> Counts:
    """Counts the deals.

    Args:
        groups: the cards; masks may repeat.
        room: how many cards each place gets; together as many as there are cards.
    """
    empty = sum(1 << place for place, size in enumerate(room) if not size)
    merged, which = _merge_groups([Group(g.size, g.places & ~empty) for g in groups])
    left, places, where = _merge_places(merged, room)
    none = Counts(0, tuple((0,) * len(room) for _ in groups))
    if any(not group.places for group in left) or min(places, default=0) < 0:
        return none
    if not places:
        return Counts(1, none.at)
    whole, at = _counted(left, places)
    if not whole:
        return none
    ways = prod(_shuffles([room[p] for p in ps]) for ps in where)
    shares = []
    for group in which:
        row = [0] * len(room)
        for new, olds in enumerate(where):
            for old in olds:
                # Within merged places a card is in each as often as that has cards.
                row[old] = at[group][new] * ways * room[old] // places[new]
        shares.append(tuple(row))
    return Counts(whole * ways, tuple(shares))


def _shuffles(sizes: Sequence[int]) -> int:
    """In how many ways cards are divided into parts of these sizes."""
    ways, total = 1, 0
    for size in sizes:
        total += size
        ways *= comb(total, size)
    return ways


def _merge_groups(groups: Sequence[Group]) -> tuple[tuple[Group, ...], list[int]]:
    """Groups with one mask each, and for each old one the number of its new one."""
    sizes: dict[int, int] = {}
    for group in groups:
        sizes[group.places] = sizes.get(group.places, 0) + group.size
    order = list(sizes)
    merged = tuple(Group(size, places) for places, size in sizes.items())
    return merged, [order.index(group.places) for group in groups]


def _merge_places(
    groups: Sequence[Group], room: Sequence[int]
) -> tuple[tuple[Group, ...], tuple[int, ...], list[tuple[int, ...]]]:
    """Makes places that are open to the same groups one; leaves out full ones.

    Returns:
        The groups and the room that are left, and for each new place the old ones.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, size in enumerate(room):
        if size:
            column = tuple(k for k, g in enumerate(groups) if g.places >> place & 1)
            alike.setdefault(column, []).append(place)
    where = [tuple(places) for places in alike.values()]
    fresh = []
    for group in groups:
        mask = sum(1 << new for new, olds in enumerate(where) if group.places >> olds[0] & 1)
        fresh.append(Group(group.size, mask))
    return tuple(fresh), tuple(sum(room[p] for p in ps) for ps in where), where


def _counted(groups: tuple[Group, ...], room: tuple[int, ...]) -> tuple[int, list[list[int]]]:
    """The deals, and for each group and place those with a particular card of it there."""
    sizes = tuple(group.size for group in groups)
    if _fields(room) <= _fields(sizes):
        rows = [(group.places, group.size) for group in groups]
        whole, parts = _coefficients(rows, room)
        return whole, parts
    columns = [
        sum(1 << g for g, group in enumerate(groups) if group.places >> place & 1)
        for place in range(len(room))
    ]
    whole, parts = _coefficients(list(zip(columns, room, strict=True)), sizes)
    over, under = prod(map(factorial, sizes)), prod(map(factorial, room))
    at = [
        [
            parts[place][g] * over * room[place] // (under * sizes[g]) if sizes[g] else 0
            for place in range(len(room))
        ]
        for g in range(len(groups))
    ]
    return whole * over // under, at


def _fields(degrees: Sequence[int]) -> int:
    """How many coefficients polynomials of these degrees have; one variable is left out."""
    return prod(degree + 2 for degree in degrees) // (max(degrees, default=0) + 2)


def _coefficients(
    factors: Sequence[tuple[int, int]], degrees: tuple[int, ...]
) -> tuple[int, list[list[int]]]:
    """A coefficient of a product of powers of sums of variables.

    Args:
        factors: a mask of the variables summed, and the power.
        degrees: of each variable in the coefficient asked for; together the sum of the powers.

    Returns:
        The coefficient; and for each factor and variable the coefficient with that factor's power
        and the variable's degree less by one.
    """
    width = 2 + int(sum(power * log2(max(1, mask.bit_count())) for mask, power in factors))
    # All terms have the same degree, so that the greatest variable need not be written down.
    shed = max(range(len(degrees)), key=degrees.__getitem__)
    steps, keep = _layout(degrees, shed, width)
    shifts = [tuple(steps[v] for v in bits(mask)) for mask, _ in factors]
    field = (1 << width) - 1
    at = sum(step * degree for step, degree in zip(steps, degrees, strict=True))

    def raised(value: int, factor: int, power: int) -> int:
        for _ in range(power):
            value = sum(value << shift for shift in shifts[factor]) & keep
        return value

    parts: list[list[int]] = []
    before = 1
    for index, (mask, power) in enumerate(factors):
        row = [0] * len(degrees)
        if power:
            value = raised(before, index, power - 1)
            for later in range(index + 1, len(factors)):
                value = raised(value, later, factors[later][1])
            for v in bits(mask):
                if degrees[v]:
                    row[v] = value >> (at - steps[v]) & field
        parts.append(row)
        before = raised(before, index, power)
    return before >> at & field, parts


def count_where(
    groups: Sequence[Group], room: Sequence[int], terms: Mapping[int, Sequence[tuple[int, int]]]
) -> int:
    """Counts the deals in which places hold what is asked of them.

    "None of some groups" is one term, and what is put together from such (some of these and none
    of those) is a sum of terms with signs. All places are asked for in one product.

    Args:
        groups: the cards.
        room: how many cards each place gets; together as many as there are cards.
        terms: for a place that something is asked of, each term's sign and a mask of the groups
            that it rules out.
    """
    sizes = tuple(group.size for group in groups)
    columns = [
        sum(1 << g for g, group in enumerate(groups) if group.places >> place & 1)
        for place in range(len(room))
    ]
    if not sizes:
        return prod(sum(sign for sign, _ in asked) for asked in terms.values())
    width = 4 + int(
        sum(size * log2(max(1, mask.bit_count())) for mask, size in zip(columns, room, strict=True))
    )
    width += 2 * len(terms)
    shed = max(range(len(sizes)), key=sizes.__getitem__)
    steps, keep = _layout(sizes, shed, width)
    value = 1
    for place, size in enumerate(room):
        found = 0
        for sign, closed in terms.get(place, ((1, 0),)):
            shifts = [steps[v] for v in bits(columns[place] & ~closed)]
            part = value
            for _ in range(size):
                part = sum(part << shift for shift in shifts) & keep
            found += sign * part
        value = found
    at = sum(step * size for step, size in zip(steps, sizes, strict=True))
    ways = value >> at & (1 << width) - 1
    return ways * prod(map(factorial, sizes)) // prod(map(factorial, room))


@lru_cache(maxsize=256)
def _layout(degrees: tuple[int, ...], shed: int, width: int) -> tuple[tuple[int, ...], int]:
    """Where a polynomial's coefficients stand.

    Args:
        degrees: the greatest degree of each variable that is asked for.
        shed: the variable that is left out.
        width: bits of a coefficient.

    Returns:
        By how many bits each variable shifts, and a mask of the fields with no greater degree: one
        field more in each direction takes what is then cleared.
    """
    steps, step, keep = [], width, (1 << width) - 1
    for index, degree in enumerate(degrees):
        if index == shed:
            steps.append(0)
            continue
        steps.append(step)
        keep = sum(keep << (step * power) for power in range(degree + 1))
        step *= degree + 2
    return tuple(steps), keep
