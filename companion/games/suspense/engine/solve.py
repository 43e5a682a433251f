"""The Suspense notepad: the secret card, the hidden hands, and whether to fold or to stay.

A world is the secret card and the content of every hidden hand as now held. The facts are about
single cards only, so worlds are counted in closed form. Only the question of who would meet the
secret card's condition needs the hands. It is decided for each secret card: from the table for
conditions in play, and over all hands for conditions in hand, for which only the number that each
hand measures matters. The joint distribution of these numbers is found without listing worlds: the
hands of one player are grouped by the cards they use and the number they measure, and combined
player by player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from companion.cards import Card
from companion.errors import UsageError
from companion.games.suspense.conditions import (
    TARGET,
    Condition,
    CountedIn,
    Extreme,
    Measure,
    evaluate,
    match_points,
)
from companion.games.suspense.engine.facts import SECRET, SuspenseKnowledge, in_play
from companion.notepad.facts import CardAt, Oracle, Why, by_trial, settling_place, smallest_core
from companion.notepad.placing import Group, fits

#: Below any value a hand can have: it cannot meet the condition.
_NONE = -1000


@dataclass(frozen=True, slots=True)
class SuspenseChances:
    """Everything that follows from a knowledge.

    Attributes:
        players: names in seat order.
        worlds: number of worlds (secret and hidden hands), exact; 0 if the facts contradict.
        place_worlds: for each place, for each card that can be there, the worlds in which it is.
        outcomes: for each set of players who would meet the secret card's condition if it were
            revealed now, the number of worlds.
        folded: who has folded.
    """

    players: tuple[str, ...]
    worlds: int
    place_worlds: dict[str, dict[Card, int]]
    outcomes: dict[frozenset[str], int]
    folded: frozenset[str]

    def chances(self, place: str) -> dict[Card, float]:
        """The chance of each card to be in a place; empty when contradictory."""
        return {c: number / self.worlds for c, number in self.place_worlds[place].items()}

    @property
    def secret(self) -> dict[Card, float]:
        """The chance of each card to be the secret one."""
        return self.chances(SECRET)

    def meets(self, player: str) -> float:
        """The chance that a player would meet the condition if it were revealed now."""
        if not self.worlds:
            return 0.0
        return sum(n for names, n in self.outcomes.items() if player in names) / self.worlds

    def expected_points(self, player: str, *, stay: bool) -> float:
        """A player's expected points if revealed now and all others not yet folded stay."""
        if not self.worlds:
            return 0.0
        folded = sorted(self.folded - {player} if stay else self.folded | {player})
        stayed = [name for name in self.players if name not in folded]
        total = sum(
            match_points(sorted(names), stayed, folded)[player] * number
            for names, number in self.outcomes.items()
        )
        return total / self.worlds


@dataclass(frozen=True, slots=True)
class _Hand:
    """One place: the cards known to be there, how many more there are, and which it is without.

    Cards that are known to be elsewhere are not among those.
    """

    place: str
    known: tuple[Card, ...]
    need: int
    banned: frozenset[Card]


@lru_cache(maxsize=128)
def _combos(count: int, size: int) -> npt.NDArray[np.intp]:
    """All choices of `size` out of `count`: shape (choices, size)."""
    rows = list(combinations(range(count), size))
    return np.array(rows, np.intp).reshape(len(rows), size)


@lru_cache(maxsize=32)
def _shares(count: int, sizes: tuple[int, ...]) -> tuple[npt.NDArray[np.int32], ...]:
    """All ways to share out `count` cards among hands: for each hand its row of `_combos`."""
    if not sizes:
        return ()
    masks = [(1 << _combos(count, size)).sum(axis=1).astype(np.int32) for size in sizes]
    used = np.zeros(1, np.int32)
    found: list[npt.NDArray[np.int32]] = []
    for mask in masks[:-1]:
        rows, choice = np.nonzero((used[:, None] & mask[None, :]) == 0)
        found = [indices[rows] for indices in found] + [choice.astype(np.int32)]
        used = used[rows] | mask[choice]
    # The last hand takes what is left.
    row_of = np.full(1 << count, -1, np.int32)
    row_of[masks[-1]] = np.arange(len(masks[-1]), dtype=np.int32)
    return (*found, row_of[(1 << count) - 1 & ~used])


def solve(knowledge: SuspenseKnowledge) -> SuspenseChances:
    """Counts all worlds that fit, and who would meet the secret card's condition in them.

    Raises:
        UsageError: a fact names a card or place that is not part of the match.
    """
    found = SuspenseChances(
        knowledge.players, 0, {place: {} for place in knowledge.sizes}, {}, knowledge.folded
    )
    places = _places(knowledge)
    if places is None:
        return found
    *hands, secret = places
    seen = {c for place in places for c in place.known}
    free = [c for c in sorted(knowledge.conditions) if c not in seen]
    candidates = secret.known or tuple(c for c in free if c not in secret.banned)
    total = 0
    for candidate in candidates:
        rest = [c for c in free if c is not candidate]
        total += _add_secret(knowledge, found, hands, candidate, rest)
    for row in found.place_worlds.values():
        ordered = sorted(row.items())
        row.clear()
        row.update((c, number) for c, number in ordered if number)
    return replace(found, worlds=total)


def _places(knowledge: SuspenseKnowledge) -> list[_Hand] | None:
    """The places with their known cards, the secret last; None on a contradiction."""
    sizes = knowledge.sizes
    at: dict[Card, str] = {}
    banned: dict[str, set[Card]] = {place: set() for place in sizes}
    for fact in knowledge.facts:
        if fact.place not in sizes or fact.card not in knowledge.conditions:
            raise UsageError(
                "{card} in {place} is not part of this match.", card=fact.card, place=fact.place
            )
        if not fact.holds:
            banned[fact.place].add(fact.card)
        elif at.setdefault(fact.card, fact.place) != fact.place:
            return None
    found = []
    for place, size in sizes.items():
        known = tuple(sorted(c for c, where in at.items() if where == place))
        if len(known) > size or banned[place] & set(known):
            return None
        open_here = frozenset(c for c in banned[place] if c not in at)
        found.append(_Hand(place, known, size - len(known), open_here))
    return found


def _add_secret(
    knowledge: SuspenseKnowledge,
    found: SuspenseChances,
    hands: Sequence[_Hand],
    candidate: Card,
    rest: Sequence[Card],
) -> int:
    """Adds the worlds in which a card is the secret one; returns their number."""
    open_hands = [hand for hand in hands if hand.need]
    shares = _shares(len(rest), tuple(hand.need for hand in open_hands))
    keep: npt.NDArray[np.bool_] = np.ones(len(shares[0]) if shares else 1, np.bool_)
    for hand, rows in zip(open_hands, shares, strict=True):
        if hand.banned:
            fine = np.array([c not in hand.banned for c in rest], np.bool_)
            keep &= np.take(fine[_combos(len(rest), hand.need)].all(axis=1), rows)
    if not keep.all():
        shares = tuple(rows[keep] for rows in shares)
    worlds = int(keep.sum())
    if not worlds:
        return 0
    found.place_worlds[SECRET][candidate] = worlds
    for hand in hands:
        row = found.place_worlds[hand.place]
        for c in hand.known:
            row[c] = row.get(c, 0) + worlds
    for hand, rows in zip(open_hands, shares, strict=True):
        combos = _combos(len(rest), hand.need)
        each = np.bincount(rows, minlength=len(combos))
        totals = np.zeros(len(rest), np.int64)
        np.add.at(totals, combos, each[:, None])
        row = found.place_worlds[hand.place]
        for c, number in zip(rest, totals.tolist(), strict=True):
            row[c] = row.get(c, 0) + number
    by_place = {hand.place: rows for hand, rows in zip(open_hands, shares, strict=True)}
    _add_outcomes(knowledge, found, hands, knowledge.conditions[candidate], rest, by_place, worlds)
    return worlds


def _add_outcomes(
    knowledge: SuspenseKnowledge,
    found: SuspenseChances,
    hands: Sequence[_Hand],
    condition: Condition,
    rest: Sequence[Card],
    shares: Mapping[str, npt.NDArray[np.int32]],
    worlds: int,
) -> None:
    """Adds who meets a condition, by number of worlds."""
    by_place = {hand.place: hand for hand in hands}
    names = knowledge.players
    where = [n if condition.place is CountedIn.HAND else in_play(n) for n in names]
    if not any(place in shares for place in where):
        verdict = evaluate(
            condition, {n: by_place[place].known for n, place in zip(names, where, strict=True)}
        )
        meets = frozenset(verdict.meets)
        found.outcomes[meets] = found.outcomes.get(meets, 0) + worlds
        return
    values = []
    for place in where:
        hand = by_place[place]
        if place not in shares:
            value = condition.value(hand.known)
            values.append(np.full(worlds, _NONE if value is None else value, np.int16))
            continue
        values.append(_hand_values(condition, hand, rest)[shares[place]])
    table = np.stack(values)
    best = table.max(axis=0)
    hits = (table == best) & (best != _NONE)
    code = (hits * (1 << np.arange(len(names)))[:, None]).sum(axis=0)
    for bits_, number in enumerate(np.bincount(code, minlength=1 << len(names)).tolist()):
        if number:
            meets = frozenset(n for i, n in enumerate(names) if bits_ >> i & 1)
            found.outcomes[meets] = found.outcomes.get(meets, 0) + number


def _hand_values(condition: Condition, hand: _Hand, rest: Sequence[Card]) -> npt.NDArray[np.int16]:
    """The condition's value of every hand a place may hold, by its row of `_combos`.

    As `Condition.value`, with `_NONE` for a hand that cannot meet the condition.
    """
    combos = _combos(len(rest), hand.need)
    known = condition.raw(hand.known)
    single = [condition.contribution(c) for c in rest]
    extreme = condition.extreme
    if condition.measure is Measure.NUMBER:
        sign = 1 if extreme is Extreme.HIGHEST else -1
        row = np.array([_NONE if n is None else sign * n for n in single], np.int16)
        best: npt.NDArray[np.int16] = row[combos].max(axis=1)
        return best if known is None else np.maximum(best, np.int16(sign * known))
    row = np.array([n or 0 for n in single], np.int16)
    total: npt.NDArray[np.int16] = row[combos].sum(axis=1, dtype=np.int16)
    total = total + np.int16(known or 0)
    if extreme is Extreme.NOT_OVER:
        return np.where(total > TARGET, _NONE, total).astype(np.int16)
    if extreme is Extreme.NOT_UNDER:
        return np.where(total < TARGET, _NONE, -total).astype(np.int16)
    return total if extreme is Extreme.HIGHEST else -total


def worlds(knowledge: SuspenseKnowledge) -> int:
    """The number of worlds alone."""
    return solve(knowledge).worlds


def why(knowledge: SuspenseKnowledge, card: Card, place: str) -> Why[CardAt]:
    """A smallest set of facts that settles whether a card is in a place.

    Raises:
        UsageError: it is not settled.
    """
    return settling_place(
        knowledge.facts, lambda refuted: _oracle(knowledge, (refuted,)), card, place
    )


def conflict(knowledge: SuspenseKnowledge) -> Why[CardAt] | None:
    """A smallest set of facts that contradict each other, None when all fit together."""
    return smallest_core(knowledge.facts, _oracle(knowledge, ()))


def _oracle(knowledge: SuspenseKnowledge, extra: tuple[CardAt, ...]) -> Oracle:
    """Whether the cards can be placed so that chosen facts and the extra ones hold."""

    def fit(facts: tuple[CardAt, ...]) -> bool:
        places = _places(replace(knowledge, facts=(*facts, *extra)))
        return places is not None and _fits(places, knowledge.conditions)

    return by_trial(knowledge.facts, fit)


def _fits(places: Sequence[_Hand], deck: Mapping[Card, Condition]) -> bool:
    """Whether the free cards can fill the open places."""
    seen = {c for place in places for c in place.known}
    groups = [
        Group(1, sum(1 << at for at, place in enumerate(places) if c not in place.banned))
        for c in deck
        if c not in seen
    ]
    return fits(groups, [place.need for place in places])
